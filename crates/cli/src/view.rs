//! `drystone view`: a run in the browser.

use crate::run::plain;
use crate::{Failure, report};
use clap::Args;
use drystone::viewer::{Control, Server, Show};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

/// The port that is tried first.
const PORT: u16 = 8642;

/// Arguments of `view`.
#[derive(Args)]
pub struct Arguments {
    /// Directory of the run, which may still go on.
    directory: PathBuf,
    #[command(flatten)]
    place: Place,
}

/// Where the page is served.
#[derive(Args)]
pub struct Place {
    /// Port of this machine to serve the page on; 0 takes any [default: 8642, or any if it is taken].
    #[arg(long, value_name = "PORT")]
    port: Option<u16>,
    /// Do not open a browser.
    #[arg(long)]
    no_open: bool,
}

/// Serves a run until the program is ended.
pub fn view(arguments: &Arguments) -> Result<(), Failure> {
    open(&arguments.directory, &arguments.place, None)?.serve();
    Ok(())
}

/// A server for a run that tells where it is, and opens a browser on a terminal.
pub fn open(
    directory: &Path,
    place: &Place,
    control: Option<Arc<Control>>,
) -> Result<Server, Failure> {
    let show = Show::open(directory).map_err(|error| plain(&error))?;
    let bind = |port: u16| Server::bind(show.clone(), port, control.clone());
    let server = match place.port {
        Some(port) => bind(port),
        None => bind(PORT).or_else(|_| bind(0)),
    };
    let server = server.map_err(|error| format!("error: cannot serve the page: {error}"))?;
    let address = format!("http://{}/", server.address());
    report::print(&format!("{address} shows {}; Ctrl-C ends\n", directory.display()))?;
    if !place.no_open && std::io::stdout().is_terminal() {
        browse(&address);
    }
    Ok(server)
}

/// Asks the desktop to open an address; where there is none, the user has the address.
fn browse(address: &str) {
    let program = if cfg!(target_os = "macos") {
        "open"
    } else if cfg!(windows) {
        "explorer"
    } else {
        "xdg-open"
    };
    let mut command = Command::new(program);
    let _ = command.arg(address).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
}

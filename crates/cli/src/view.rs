//! `drystone view`: a run in the browser.

use crate::run::told;
use crate::{Failure, report};
use clap::Args;
use drystone::Run;
use drystone::viewer::{Control, Server};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

/// Arguments of `view`.
#[derive(Args)]
pub struct Arguments {
    /// Directory of the run, which may still go on.
    directory: PathBuf,
    #[command(flatten)]
    serve: ServeOptions,
}

/// Where the page is served.
#[derive(Args)]
pub struct ServeOptions {
    /// Port of this machine to serve the page on; 0 takes any [default: 8642, or any if it is taken].
    #[arg(long, value_name = "PORT")]
    port: Option<u16>,
    /// Do not open a browser.
    #[arg(long)]
    no_open: bool,
}

/// Serves a run until the program is ended.
pub fn view(arguments: &Arguments) -> Result<(), Failure> {
    open(&arguments.directory, &arguments.serve, None)?.serve();
    Ok(())
}

/// A server for a run that tells where it is, and opens a browser on a terminal.
pub fn open(
    directory: &Path,
    serve: &ServeOptions,
    control: Option<Arc<Control>>,
) -> Result<Server, Failure> {
    let server = Run::open(directory).and_then(|run| run.serve(serve.port, control));
    let server = server.map_err(told)?;
    let address = server.url();
    report::print(&format!("{address} shows {}; Ctrl-C ends\n", directory.display()))?;
    if !serve.no_open && std::io::stdout().is_terminal() {
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

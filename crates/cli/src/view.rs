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
    /// Directory of another run, to be seen beside it at the same time.
    beside: Option<PathBuf>,
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
    let Arguments { directory, beside, serve } = arguments;
    match beside {
        None => open(directory, serve, None)?,
        Some(other) => {
            let server = Run::open(directory)
                .and_then(|run| run.serve_beside(&Run::open(other)?, serve.port))
                .map_err(told)?;
            let what = format!("{} beside {}", directory.display(), other.display());
            announced(server, serve, &what)?
        }
    }
    .serve();
    Ok(())
}

/// A server for a run that tells where it is, and opens a browser on a terminal.
pub fn open(
    directory: &Path,
    serve: &ServeOptions,
    control: Option<Arc<Control>>,
) -> Result<Server, Failure> {
    let server = Run::open(directory).and_then(|run| run.serve(serve.port, control));
    announced(server.map_err(told)?, serve, &directory.display().to_string())
}

fn announced(server: Server, serve: &ServeOptions, what: &str) -> Result<Server, Failure> {
    let address = server.url();
    report::print(&format!("{address} shows {what}; Ctrl-C ends\n"))?;
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

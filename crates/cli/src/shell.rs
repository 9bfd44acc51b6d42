//! `drystone completions` and `drystone man`: what a shell and a manual need, made from the arguments themselves.

use crate::Failure;
use clap::{Args, Command};
use clap_complete::{Shell, generate};
use std::io::{ErrorKind, Write as _};
use std::path::PathBuf;

/// Arguments of `completions`.
#[derive(Args)]
pub struct Completions {
    /// The shell.
    shell: Shell,
}

/// Arguments of `man`.
#[derive(Args)]
pub struct Man {
    /// Write a page for each command into this directory, instead of the main page to the standard output.
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
}

/// Prints the completions of a shell.
pub fn completions(arguments: &Completions, mut command: Command) -> Result<(), Failure> {
    let mut text = Vec::new();
    generate(arguments.shell, &mut command, "drystone", &mut text);
    print(&text)
}

/// Prints the manual page, or writes one for each command.
pub fn man(arguments: &Man, command: Command) -> Result<(), Failure> {
    let failed = |error: std::io::Error| format!("error: cannot write the manual: {error}");
    match &arguments.output {
        None => {
            let mut text = Vec::new();
            clap_mangen::Man::new(command).render(&mut text).map_err(failed)?;
            print(&text)
        }
        Some(directory) => {
            std::fs::create_dir_all(directory).map_err(failed)?;
            clap_mangen::generate_to(command, directory).map_err(failed)
        }
    }
}

fn print(text: &[u8]) -> Result<(), Failure> {
    match std::io::stdout().write_all(text) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(format!("error: cannot write to the standard output: {error}"))
        }
        _ => Ok(()),
    }
}

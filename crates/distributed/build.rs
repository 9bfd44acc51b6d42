//! Compiles the few calls of MPI with the library's own compiler, and asks it what to link.

use std::env;
use std::path::PathBuf;
use std::process::{Command, Output};

fn main() {
    println!("cargo:rerun-if-changed=src/mpi.c");
    println!("cargo:rerun-if-env-changed=MPICC");
    if env::var_os("CARGO_FEATURE_MPI").is_none() {
        return;
    }
    let compiler = env::var("MPICC").unwrap_or_else(|_| "mpicc".to_owned());
    let folder = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    let object = folder.join("mpi.o");
    let out = object.to_str().expect("a path that can be written");
    run(&compiler, &["-O2", "-fPIC", "-std=c99", "-c", "src/mpi.c", "-o", out]);
    let library = folder.join("libdrystone_mpi.a");
    let library = library.to_str().expect("a path that can be written");
    run("ar", &["crs", library, out]);
    println!("cargo:rustc-link-search=native={}", folder.display());
    println!("cargo:rustc-link-lib=static=drystone_mpi");
    for argument in linked(&compiler).split_whitespace() {
        if let Some(path) = argument.strip_prefix("-L") {
            println!("cargo:rustc-link-search=native={path}");
        } else if let Some(name) = argument.strip_prefix("-l") {
            println!("cargo:rustc-link-lib=dylib={name}");
        }
    }
}

/// What the compiler gives to the linker. Open MPI and MPICH have different words for the question.
fn linked(compiler: &str) -> String {
    let asked = ["--showme:link", "-link_info", "-show"].into_iter().find_map(|question| {
        let output = Command::new(compiler).arg(question).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
    });
    asked.unwrap_or_else(|| panic!("`{compiler}` does not tell what it links: set MPICC"))
}

fn run(program: &str, arguments: &[&str]) -> Output {
    let output = Command::new(program).args(arguments).output().unwrap_or_else(|error| {
        panic!(
            "`{program}` cannot be run ({error}). The feature `mpi` needs an MPI library with its compiler, on Debian \
             `apt-get install libopenmpi-dev openmpi-bin`; the environment variable MPICC names another one"
        )
    });
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "`{program} {}` has failed:\n{said}", arguments.join(" "));
    output
}

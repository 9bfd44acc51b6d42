//! Nothing is unlimited: what is too large is refused in a sentence that says how the limit is raised.

mod support;

use std::fs;
use std::process::{Command, Output};
use support::{Workplace, scene, stderr};

/// The program with at most so many bytes of memory, and a limit of its own.
fn limited(arguments: &[&str], variable: (&str, &str)) -> Output {
    Command::new("sh")
        .args(["-c", "ulimit -v 3000000; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_drystone")])
        .args(arguments)
        .env(variable.0, variable.1)
        .output()
        .unwrap()
}

#[test]
fn every_limit_is_told_and_can_be_set() {
    let place = Workplace::new("limits");
    let (rubble, out) = (scene("rubble"), place.path("out"));
    let refused = [
        (vec!["check", &rubble], "DRYSTONE_MAX_BODIES", "10"),
        (vec!["check", &rubble], "DRYSTONE_MAX_FILE", "100"),
        (vec!["run", &rubble, "--threads", "3", "-o", &out], "DRYSTONE_MAX_THREADS", "2"),
        (vec!["explore", &rubble, "--samples", "50"], "DRYSTONE_MAX_SAMPLES", "10"),
        (
            vec!["ensemble", &rubble, "--vary", "seed=1:40:40", "--runs", &out],
            "DRYSTONE_MAX_SAMPLES",
            "10",
        ),
        (vec!["check", &rubble], "DRYSTONE_MAX_MEMORY", "lots"),
    ];
    for (arguments, name, value) in refused {
        let told = limited(&arguments, (name, value));
        let errors = stderr(&told);
        assert!(!told.status.success() && errors.contains(name), "{arguments:?}: {errors}");
    }
    let fine = limited(&["check", &rubble], ("DRYSTONE_MAX_BODIES", "5e6"));
    assert!(fine.status.success(), "{}", stderr(&fine));
}

/// Thousands of bodies in one place have hundreds of millions of pairs.
#[test]
fn bodies_that_all_overlap_do_not_fill_the_memory() {
    let place = Workplace::new("overlap");
    let text = |overlap: &str, spread: &str| {
        format!(
            r#"
dimension = 2
gravity = [0, -9.81]
overlap = "{overlap}"
time = {{ step = 1e-3, end = 0.1 }}
material = [{{ name = "a", density = 1000 }}]
default_law = {{ friction = 0.5 }}
[[generate]]
[generate.row]
count = 20000
step = [{spread}, 0]
body = {{ shape = {{ disk = 1 }}, material = "a", position = [0, 5] }}
"#
        )
    };
    let file = place.path("overlap.toml");
    let memory = ("DRYSTONE_MAX_MEMORY", "200M");
    for spread in ["0", "1e-6"] {
        fs::write(&file, text("refuse", spread)).unwrap();
        let told = limited(&["check", &file], memory);
        let errors = stderr(&told);
        assert!(errors.contains("most bodies overlap at the start"), "{errors}");
        fs::write(&file, text("accept", spread)).unwrap();
        for threads in ["1", "2"] {
            let run = place.path("run");
            let arguments =
                ["run", &file, "-q", "--no-pictures", "-f", "--threads", threads, "-o", &run];
            let told = limited(&arguments, memory);
            let errors = stderr(&told);
            assert!(
                !told.status.success() && errors.contains("do most bodies overlap?"),
                "{errors}"
            );
            assert!(errors.contains("DRYSTONE_MAX_MEMORY"), "{errors}");
        }
    }
}

/// A record whose arrays would be larger than memory is refused before they are unpacked.
#[test]
fn arrays_are_not_unpacked_without_bound() {
    let place = Workplace::with_run("arrays", "cube_at_rest", "0.01");
    let run = place.path("run");
    let told = limited(&["analyse", &run], ("DRYSTONE_MAX_MEMORY", "100"));
    let errors = stderr(&told);
    assert!(!told.status.success() && errors.contains("DRYSTONE_MAX_MEMORY"), "{errors}");
}

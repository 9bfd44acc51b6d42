//! What `auto` pays in hindsight: its time against that of the best single method.
//!
//! `cargo run --release -p drystone-fclib --example hindsight -- TOLERANCE SECONDS FILE…` solves each file by `auto` and by
//! the methods that it joins, each within so many seconds, and prints the processor time of one thread in milliseconds
//! (Linux only: other processes then matter less than to a clock), and the quotient.

use drystone_fclib::Problem;
use drystone_solve::solvers::{Components, Size};
use drystone_solve::{AnyAssembled, Assembled, AssembledMethod, Limits, Status, with_assembled};
use std::path::Path;
use std::time::{Duration, Instant};

/// Solves are repeated until they take so long together, in seconds.
const LONG_ENOUGH: f64 = 0.03;

/// Processor time of this thread in seconds.
fn processor_time() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").expect("a Linux system");
    text.split(' ').next().and_then(|word| word.parse::<f64>().ok()).expect("nanoseconds") * 1e-9
}

/// Milliseconds that a method takes; none where it does not solve the problem in time.
fn time<const D: usize>(
    problem: &Assembled<D>,
    method: AssembledMethod,
    tolerance: f64,
    seconds: f64,
) -> (Option<f64>, usize)
where
    Size<D>: Components<D>,
{
    let mut solver = method.solver::<D>();
    let start = processor_time();
    for count in 1.. {
        let deadline = Instant::now() + Duration::from_secs_f64(seconds);
        let limits = Limits { deadline: Some(deadline), ..Limits::new(tolerance, usize::MAX) };
        let mut impulses = vec![[0.0; D]; problem.contacts()];
        let report = solver.solve(problem, &mut impulses, &limits);
        if report.status != Status::Solved {
            return (None, report.iterations);
        }
        let spent = processor_time() - start;
        if spent > LONG_ENOUGH {
            return (Some(1e3 * spent / f64::from(count)), report.iterations);
        }
    }
    unreachable!("solves take time")
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [tolerance, seconds, files @ ..] = &arguments[..] else {
        eprintln!("usage: hindsight TOLERANCE SECONDS FILE…");
        return;
    };
    let number = |word: &String| word.parse::<f64>().expect("a number");
    let (tolerance, seconds) = (number(tolerance), number(seconds));
    let methods = ["auto", "gauss-seidel", "apgd", "newton", "interior", "admm"];
    print!("{:<38} {:>8}", "problem", "contacts");
    methods.iter().for_each(|name| print!(" {name:>19}"));
    println!("    auto / best");
    for file in files {
        let problem = Problem::read(Path::new(file)).expect("an FCLib file");
        let assembled: AnyAssembled = problem.assembled().expect("a problem with an inverse mass");
        let name =
            Path::new(file).file_stem().map_or(String::new(), |s| s.to_string_lossy().into());
        print!("{name:<38} {:>8}", problem.contacts());
        let mut times = Vec::new();
        for name in methods {
            let method = AssembledMethod::from_name(name).expect("a method");
            let (spent, iterations) =
                with_assembled!(&assembled, p => time(p, method, tolerance, seconds));
            let text = spent.map_or("—".to_owned(), |ms| format!("{ms:.4}"));
            print!(" {:>19}", format!("{text} ({iterations})"));
            times.push(spent);
        }
        let best = times[1..].iter().flatten().fold(f64::INFINITY, |best, &t| best.min(t));
        match times[0] {
            Some(own) => println!(" {:>12.2}", own / best),
            None if best.is_finite() => println!(" {:>12}", "not solved"),
            None => println!(" {:>12}", "none"),
        }
    }
}

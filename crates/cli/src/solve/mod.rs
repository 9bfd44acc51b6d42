//! `drystone solve`: recorded contact problems, solved and judged.

mod report;

use crate::run::told;
use crate::{Failure, report as screen};
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use drystone::solve::{
    self, Answer, AssembledMethod, Options, SweepOrder, Sweeping, Threads, applies, profile,
};
use report::{Case, Table};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

/// Arguments of `solve`.
#[derive(Args)]
pub struct Arguments {
    /// FCLib files, or directories of them (`.hdf5`, `.h5`).
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The solver; Gauss–Seidel also with the name of a local solver.
    #[arg(short, long, value_name = "NAME", value_parser = solver_names(),
          default_value = AssembledMethod::Auto.name(), conflicts_with = "compare")]
    solver: AssembledMethod,
    /// Error up to which a problem counts as solved; the scale-free error may be 100 times as large.
    #[arg(short, long, value_name = "E", default_value = "1e-4", value_parser = crate::run::positive)]
    tolerance: f64,
    /// Most iterations.
    #[arg(short, long, value_name = "N", default_value_t = 100_000)]
    max_iterations: usize,
    /// Most seconds that a solver may take for a problem, reduction included: it then gives back the best that it has
    /// found, which depends on the machine.
    #[arg(long, value_name = "S", value_parser = crate::run::positive)]
    seconds: Option<f64>,
    /// Run every solver on every problem that it is meant for; the fastest that solves it is marked.
    #[arg(short, long)]
    compare: bool,
    /// Start from the first guess in the file, where there is one, and not from zero.
    #[arg(long)]
    warm: bool,
    /// Tell under each line what a solver that joins several methods did.
    #[arg(long)]
    story: bool,
    /// Do not look for what is wrong with problems that are not solved, which can take longer than the solve.
    #[arg(long)]
    no_diagnosis: bool,
    /// Write the results as a list of JSON objects: `seconds` is the time of the solve alone (the median of
    /// several where one takes less than a millisecond, `seconds_first` the first of them),
    /// `seconds_reduction` that of reducing a global problem to its contacts (0 for a local one),
    /// `seconds_diagnosis` that of finding out why a problem was not solved (0 for one that was).
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Draw which share of the problems each solver solves within a multiple of the fastest time.
    #[arg(long, value_name = "PICTURE")]
    profile: Option<PathBuf>,
    /// Times of other programs for the profile: a CSV file of problem, tolerance, solver, seconds.
    #[arg(long, value_name = "FILE", requires = "profile")]
    beside: Option<PathBuf>,
    /// Write each problem again, with what was found as its solution.
    #[arg(long, value_name = "DIR")]
    solutions: Option<PathBuf>,
    /// Order in which Gauss–Seidel sweeps the contacts: `ordered` (as in the file), `coloured`,
    /// `shuffled` or `shuffled:SEED`; by default as in the file, and coloured where there are many.
    #[arg(long, value_name = "ORDER", value_parser = sweep_order)]
    order: Option<SweepOrder>,
    /// How much of the change that a contact asks for it gets in a sweep of Gauss–Seidel, up to 2.
    #[arg(long, value_name = "FACTOR", default_value = "1", value_parser = relaxation)]
    relaxation: f64,
    /// Threads: they solve files at the same time, and sweep large problems together where there are
    /// fewer files; times are best compared with one.
    #[arg(long, value_name = "N", default_value = "1", value_parser = crate::run::threads)]
    threads: std::num::NonZeroUsize,
}

impl Arguments {
    /// How to solve each of so many files.
    fn options(&self, files: usize) -> Options {
        Options {
            method: self.solver,
            tolerance: self.tolerance,
            max_iterations: self.max_iterations,
            seconds: self.seconds,
            start: Vec::new(),
            sweeping: Sweeping {
                order: self.order,
                relaxation: self.relaxation,
                threads: Threads::new(self.threads.get() / files.max(1)),
            },
            estimate: true,
            diagnose: !self.no_diagnosis,
            repeat: true,
        }
    }
}

fn sweep_order(word: &str) -> Result<SweepOrder, String> {
    let seed = |text: &str| text.parse().map_err(|_| format!("`{text}` is no whole number"));
    match word.split_once(':') {
        None if word == "ordered" => Ok(SweepOrder::Ordered),
        None if word == "coloured" => Ok(SweepOrder::Coloured),
        None if word == "shuffled" => Ok(SweepOrder::Shuffled(1)),
        Some(("shuffled", text)) => seed(text).map(SweepOrder::Shuffled),
        _ => Err("expected `ordered`, `coloured`, `shuffled` or `shuffled:SEED`".to_owned()),
    }
}

fn relaxation(word: &str) -> Result<f64, String> {
    match word.parse() {
        Ok(factor) if factor > 0.0 && factor < 2.0 => Ok(factor),
        _ => Err("expected a number between 0 and 2, without these".to_owned()),
    }
}

fn solver_names() -> impl TypedValueParser<Value = AssembledMethod> {
    let names = AssembledMethod::with_variants().map(AssembledMethod::name);
    let one_of = PossibleValuesParser::new(names);
    one_of.map(|name| AssembledMethod::from_name(&name).expect("a name of a method"))
}

/// Solves all files and fails if one of them could not be read or is not solved.
pub fn solve(arguments: &Arguments) -> Result<(), Failure> {
    let files = files(&arguments.files)?;
    let beside = arguments.beside.as_deref().map_or(Ok(Vec::new()), profile::read);
    let beside = beside.map_err(told)?;
    if let Some(directory) = &arguments.solutions {
        prepare(directory, &files)?;
    }
    let table = Table::new(&files, arguments.compare, arguments.story);
    screen::print(&table.head())?;
    let mut cases = Vec::new();
    let mut bad = Vec::new();
    let options = arguments.options(files.len());
    each(
        &files,
        arguments.threads.get(),
        |path| case(path, arguments, &options),
        |path, outcome| {
            match outcome {
                Ok(case) => {
                    screen::print(&table.rows(&case))?;
                    cases.push(case);
                }
                Err(message) => {
                    eprintln!("error: {message}");
                    bad.push((path.to_owned(), message));
                }
            }
            Ok(())
        },
    )?;
    for warning in cases.iter().flat_map(|case| &case.warnings) {
        eprintln!("warning: {warning}");
    }
    for case in cases.iter().filter(|case| case.best.is_none()) {
        eprint!("{}", report::diagnosis(case));
    }
    if let Some(path) = &arguments.json {
        let text = report::json(&cases, &bad);
        std::fs::write(path, text).map_err(|e| format!("error: {}: {e}", path.display()))?;
    }
    if let Some(picture) = &arguments.profile {
        let stems: Vec<String> = cases.iter().map(|case| stem(&case.file)).collect();
        let problems = stems.iter().zip(&cases);
        let problems: Vec<(&str, &[Answer])> =
            problems.map(|(stem, case)| (stem.as_str(), case.answers.as_slice())).collect();
        profile::draw(picture, &problems, &beside, arguments.tolerance).map_err(told)?;
    }
    verdict(&cases, &bad, arguments)
}

/// Reads and solves one file, and writes its solution.
fn case(path: &Path, arguments: &Arguments, options: &Options) -> Result<Case, Failure> {
    let mut problem = solve::read(path).map_err(|error| error.to_string())?;
    let methods = match arguments.compare {
        true => AssembledMethod::ALL.into_iter().filter(|m| applies(&problem, *m)).collect(),
        false => vec![arguments.solver],
    };
    let guess = problem.guesses.first().filter(|_| arguments.warm);
    let options =
        Options { start: guess.map_or(Vec::new(), |guess| guess.r.clone()), ..options.clone() };
    let answers = solve::compare(&problem, &methods, &options)
        .map_err(|error| format!("{}: {error}", path.display()))?;
    let best = solve::fastest(&answers);
    let unfit = methods.iter().filter(|method| !applies(&problem, **method)).map(|method| {
        let name = method.name();
        format!(
            "{}: {name} is not meant for such a problem; docs/solvers.md tells for which",
            path.display()
        )
    });
    let warnings = unfit.chain(asymmetry_warning(path, &answers[0])).collect();
    if let Some(directory) = &arguments.solutions {
        problem.solution = Some(answers[best.unwrap_or(0)].recorded());
        problem.write(&directory.join(name(path))).map_err(|error| error.to_string())?;
    }
    Ok(Case {
        file: path.to_owned(),
        kind: problem.kind(),
        contacts: problem.contacts(),
        dimension: problem.dimension,
        answers,
        best,
        warnings,
    })
}

/// Beyond this part of its largest entry a matrix is unsymmetric enough to be told.
const ASYMMETRY: f64 = 1e-3;

/// What to say of a matrix that is unsymmetric.
fn asymmetry_warning(path: &Path, answer: &Answer) -> Option<String> {
    let percent = 100.0 * answer.asymmetry;
    let what = format!("W is unsymmetric by {percent:.1} % of its largest entry");
    (answer.asymmetry > ASYMMETRY)
        .then(|| format!("{}: {what}; it is solved as given", path.display()))
}

/// Works on several files at a time, and takes what comes of them in their order.
fn each<T: Send>(
    files: &[PathBuf],
    threads: usize,
    work: impl Fn(&Path) -> T + Sync,
    mut take: impl FnMut(&Path, T) -> Result<(), Failure>,
) -> Result<(), Failure> {
    if threads == 1 {
        // No other thread, which would start with memory that was never touched.
        return files.iter().try_for_each(|path| take(path, work(path)));
    }
    let next = AtomicUsize::new(0);
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..threads.min(files.len()) {
            let (sender, next, work) = (sender.clone(), &next, &work);
            scope.spawn(move || {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(path) = files.get(index) else { break };
                    // Nobody listens any more when the output is closed.
                    if sender.send((index, work(path))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        let mut waiting: Vec<Option<T>> = files.iter().map(|_| None).collect();
        let mut ready = 0;
        for (index, outcome) in receiver {
            waiting[index] = Some(outcome);
            while let Some(outcome) = waiting.get_mut(ready).and_then(Option::take) {
                take(&files[ready], outcome)?;
                ready += 1;
            }
        }
        Ok(())
    })
}

/// The files meant: themselves, or all problems of a directory by name.
fn files(given: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for path in given {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let cannot = |error: std::io::Error| format!("error: {}: {error}", path.display());
        let mut found = Vec::new();
        for entry in std::fs::read_dir(path).map_err(cannot)? {
            let file = entry.map_err(cannot)?.path();
            if file.extension().is_some_and(|ending| ending == "hdf5" || ending == "h5") {
                found.push(file);
            }
        }
        if found.is_empty() {
            return Err(format!(
                "error: {}: there are no .hdf5 or .h5 files in it",
                path.display()
            ));
        }
        found.sort();
        files.append(&mut found);
    }
    Ok(files)
}

/// Makes the directory of solutions, and refuses to overwrite problems or solutions of one another.
fn prepare(directory: &Path, files: &[PathBuf]) -> Result<(), Failure> {
    let cannot = |error: std::io::Error| format!("error: {}: {error}", directory.display());
    std::fs::create_dir_all(directory).map_err(cannot)?;
    let whole = directory.canonicalize().map_err(cannot)?;
    let mut names: Vec<String> = Vec::new();
    for file in files {
        let home = file.canonicalize().ok().and_then(|file| file.parent().map(Path::to_owned));
        if home.is_some_and(|home| home == whole) {
            let what = "the solutions would replace the problems; choose another directory";
            return Err(format!("error: {}: {what}", directory.display()));
        }
        names.push(name(file));
    }
    names.sort();
    match names.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => {
            Err(format!("error: two files are called {}; solve them one by one", pair[0]))
        }
        None => Ok(()),
    }
}

/// The name of a file without its directory.
fn name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// The name of a file without its directory and its ending.
fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// Fails with the names of what is not solved.
fn verdict(
    cases: &[Case],
    bad: &[(PathBuf, Failure)],
    arguments: &Arguments,
) -> Result<(), Failure> {
    let open = cases.iter().filter(|case| case.best.is_none());
    let (stopped, open): (Vec<&Case>, Vec<&Case>) = open.partition(|case| case.is_stopped());
    let all = cases.len() + bad.len();
    let goal = format!("not solved to {:.0e}", arguments.tolerance);
    let limit = arguments.seconds.unwrap_or(f64::INFINITY);
    let mut lines = Vec::new();
    for (cases, why) in [(open, String::new()), (stopped, format!(" in {limit} s"))] {
        if !cases.is_empty() {
            let names: Vec<String> = cases.iter().map(|case| name(&case.file)).collect();
            lines.push(format!("{} of {all} {goal}{why}: {}", cases.len(), names.join(", ")));
        }
    }
    if !bad.is_empty() {
        let names: Vec<String> = bad.iter().map(|(file, _)| name(file)).collect();
        lines.push(format!("{} of {all} failed: {}", bad.len(), names.join(", ")));
    }
    if lines.is_empty() { Ok(()) } else { Err(lines.join("\n")) }
}

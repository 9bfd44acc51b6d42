//! From a file to a [`Problem`], with every check that later code relies on.

use crate::matrix::{Stored, finite, scalar};
use crate::store::Store;
use crate::{Error, Form, Info, Joints, Kind, LocalJoints, Problem, RecordedSolution};
use std::path::Path;

const FIT: &str = "vectors and matrices must fit each other: the file is damaged or incomplete";

impl Problem {
    /// Reads a problem with its solution and guesses.
    ///
    /// # Errors
    /// What keeps the file from being a problem, and where.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let store = Store::open(path)?;
        let kind = kind(&store)?;
        let reader = Reader { store: &store, kind };
        reader.problem()
    }
}

fn kind(store: &Store) -> Result<Kind, Error> {
    let present: Vec<Kind> =
        Kind::ALL.into_iter().filter(|kind| store.has_group(kind.group())).collect();
    if let [kind] = present[..] {
        return Ok(kind);
    }
    let tops = store.top_groups();
    let found = match tops.len() {
        0 => "no groups".to_owned(),
        _ => format!("the groups {}", tops.join(", ")),
    };
    let expected = format!("one of {}", Kind::ALL.map(Kind::group).join(", "));
    let help = "the file is HDF5, but no single FCLib problem";
    Err(Error::new(store.path(), "", found, expected, help))
}

struct Reader<'a> {
    store: &'a Store,
    kind: Kind,
}

impl Reader<'_> {
    fn problem(&self) -> Result<Problem, Error> {
        let friction = self.coefficients("mu", None)?;
        let contacts = friction.len();
        let rolling = match self.kind.rolls() {
            true => self.coefficients("mu_r", Some(contacts))?,
            false => Vec::new(),
        };
        let dimension = self.dimension(contacts)?;
        let form = match self.kind.is_global() {
            true => self.global(dimension * contacts)?,
            false => self.local(dimension * contacts)?,
        };
        let text = |name: &str| self.store.text(&self.key(&format!("info/{name}")));
        let info = Info {
            title: text("title"),
            description: text("description"),
            math_info: text("math_info"),
        };
        let (solution, guesses) = (None, Vec::new());
        let mut problem = Problem { info, dimension, friction, rolling, form, solution, guesses };
        if self.store.has_group("solution") {
            problem.solution = Some(self.answer("solution", &problem)?);
        }
        problem.guesses = self.guesses(&problem)?;
        Ok(problem)
    }

    /// Components of a contact. Sizes decide for rolling problems, whose `spacedim` is written as 5
    /// by some programs and as 3 by others.
    fn dimension(&self, contacts: usize) -> Result<usize, Error> {
        let stated = scalar(self.store, &self.key("spacedim"))?;
        let (allowed, expected): (&[i64], _) = match self.kind.rolls() {
            true => (&[3, 5], "5 for a rolling problem"),
            false => (&[2, 3], "2 or 3"),
        };
        if !allowed.contains(&stated) {
            let help =
                "contacts have two components in the plane, three in space, five with moments";
            return Err(self.error("spacedim", stated.to_string(), expected, help));
        }
        let dimension = if self.kind.rolls() { 5 } else { stated as usize };
        let name = if self.kind.is_global() { "vectors/w" } else { "vectors/q" };
        let length = self.store.reals(&self.key(name))?.len();
        if length != dimension * contacts {
            let expected = format!(
                "{} numbers: {dimension} for each of the {contacts} contacts of vectors/mu",
                dimension * contacts
            );
            return Err(self.error(name, format!("{length} numbers"), expected, FIT));
        }
        Ok(dimension)
    }

    fn local(&self, size: usize) -> Result<Form, Error> {
        let delassus = self.matrix("W")?.read(size, size, "the size of vectors/q")?;
        let free = self.vector("q", size)?;
        let mut joints = None;
        if let Some(stored) = self.constraints("V")? {
            let offset = self.vector("s", stored.columns())?;
            let map = stored.read(size, offset.len(), "the sizes of vectors/q and vectors/s")?;
            let own = (offset.len(), offset.len());
            let response = self.matrix("R")?.read(own.0, own.1, "the size of vectors/s")?;
            joints = Some(Box::new(LocalJoints { map, response, offset }));
        }
        Ok(Form::Local { delassus, free, joints })
    }

    fn global(&self, size: usize) -> Result<Form, Error> {
        let force = self.reals("vectors/f")?;
        let freedoms = force.len();
        let mass = self.matrix("M")?.read(freedoms, freedoms, "the size of vectors/f")?;
        let why = "the sizes of vectors/f and vectors/w";
        let map = self.matrix("H")?.read(freedoms, size, why)?;
        let offset = self.vector("w", size)?;
        let mut joints = None;
        if let Some(stored) = self.constraints("G")? {
            let offset = self.vector("b", stored.columns())?;
            let why = "the sizes of vectors/f and vectors/b";
            let map = stored.read(freedoms, offset.len(), why)?;
            joints = Some(Box::new(Joints { map, offset }));
        }
        Ok(Form::Global { mass, map, force, offset, joints })
    }

    /// The matrix whose columns are equality constraints. Some programs write an empty one where there are none.
    fn constraints(&self, name: &str) -> Result<Option<Stored<'_>>, Error> {
        if !self.store.has_group(&self.key(name)) {
            return Ok(None);
        }
        Ok(Some(self.matrix(name)?).filter(|stored| stored.columns() > 0))
    }

    fn guesses(&self, problem: &Problem) -> Result<Vec<RecordedSolution>, Error> {
        if !self.store.has("guesses/number_of_guesses") {
            return Ok(Vec::new());
        }
        let count = scalar(self.store, "guesses/number_of_guesses")?;
        let mut guesses = Vec::new();
        for number in 1..=count {
            let group = format!("guesses/{number}");
            if !self.store.has_group(&group) {
                let expected = format!("{count} guesses, as number_of_guesses says");
                let help = "correct the number, or write the guesses";
                return Err(Error::new(self.store.path(), &group, "nothing", expected, help));
            }
            guesses.push(self.answer(&group, problem)?);
        }
        Ok(guesses)
    }

    fn answer(&self, group: &str, problem: &Problem) -> Result<RecordedSolution, Error> {
        let size = problem.dimension * problem.contacts();
        let vector = |name: &str, size: usize| {
            let key = format!("{group}/{name}");
            if size == 0 || !self.store.has(&key) {
                return Ok(Vec::new());
            }
            let values = self.store.reals(&key)?;
            self.sized(&key, &values, size)?;
            finite(self.store, &key, &values)?;
            Ok(values)
        };
        Ok(RecordedSolution {
            u: vector("u", size)?,
            r: vector("r", size)?,
            v: vector("v", problem.freedoms().unwrap_or(0))?,
            l: vector("l", problem.constraints())?,
        })
    }

    /// Coefficients of friction: finite and not negative.
    fn coefficients(&self, name: &str, contacts: Option<usize>) -> Result<Vec<f64>, Error> {
        let name = format!("vectors/{name}");
        let values = self.reals(&name)?;
        self.sized(&self.key(&name), &values, contacts.unwrap_or(values.len()))?;
        if let Some(contact) = values.iter().position(|&value| value < 0.0) {
            let found = format!("{} at contact {contact}", values[contact]);
            let help = "a coefficient of friction is zero or more";
            return Err(self.error(&name, found, "no negative number", help));
        }
        Ok(values)
    }

    fn vector(&self, name: &str, size: usize) -> Result<Vec<f64>, Error> {
        let name = format!("vectors/{name}");
        let values = self.reals(&name)?;
        self.sized(&self.key(&name), &values, size)?;
        Ok(values)
    }

    fn sized(&self, key: &str, values: &[f64], size: usize) -> Result<(), Error> {
        if values.len() == size {
            return Ok(());
        }
        let found = format!("{} numbers", values.len());
        Err(Error::new(self.store.path(), key, found, format!("{size} numbers"), FIT))
    }

    fn reals(&self, name: &str) -> Result<Vec<f64>, Error> {
        let values = self.store.reals(&self.key(name))?;
        finite(self.store, &self.key(name), &values)?;
        Ok(values)
    }

    fn matrix(&self, name: &str) -> Result<Stored<'_>, Error> {
        Stored::new(self.store, self.key(name))
    }

    fn key(&self, name: &str) -> String {
        format!("{}/{name}", self.kind.group())
    }

    fn error(
        &self,
        name: &str,
        found: impl Into<String>,
        expected: impl Into<String>,
        help: &str,
    ) -> Error {
        Error::new(self.store.path(), &self.key(name), found, expected, help)
    }
}

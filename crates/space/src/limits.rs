//! How much is taken in at most, so that a mistake in a file, or a bad one, does not take the machine down.
//!
//! Each limit has a variable of the environment that sets another: `DRYSTONE_MAX_BODIES=5e6`, or `DRYSTONE_MAX_MEMORY=64G`.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::Path;

/// What is limited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Bytes of a file that is read.
    File,
    /// Bodies of a scene, those that enter counted.
    Bodies,
    /// Runs of a study, and solutions of an exploration.
    Samples,
    /// Threads that compute.
    Threads,
    /// Bytes that the pairs and contacts of a step, or the arrays of a file, may come to.
    Memory,
}

impl Limit {
    const ALL: [Self; 5] = [Self::File, Self::Bodies, Self::Samples, Self::Threads, Self::Memory];

    /// The variable of the environment that sets it.
    pub fn variable(self) -> &'static str {
        match self {
            Self::File => "DRYSTONE_MAX_FILE",
            Self::Bodies => "DRYSTONE_MAX_BODIES",
            Self::Samples => "DRYSTONE_MAX_SAMPLES",
            Self::Threads => "DRYSTONE_MAX_THREADS",
            Self::Memory => "DRYSTONE_MAX_MEMORY",
        }
    }

    /// What it is if nobody sets another.
    pub fn usual(self) -> u64 {
        match self {
            Self::File => 256 << 20,
            // Few while fuzzing, for speed.
            Self::Bodies if cfg!(fuzzing) => 2_000,
            Self::Bodies => 1_000_000,
            Self::Samples => 100_000,
            Self::Threads => (4 * cores()).max(64) as u64,
            Self::Memory if cfg!(fuzzing) => 1 << 30,
            Self::Memory => memory() / 4 * 3,
        }
    }

    /// What it is.
    pub fn value(self) -> u64 {
        let set = std::env::var(self.variable()).ok().and_then(|text| number(&text));
        set.unwrap_or_else(|| self.usual())
    }

    /// The same as a count.
    pub fn count(self) -> usize {
        usize::try_from(self.value()).unwrap_or(usize::MAX)
    }

    /// How it is raised, for the end of a message.
    pub fn advice(self) -> String {
        format!("{} in the environment sets another limit", self.variable())
    }

    /// Variables that are set to what is no limit.
    pub fn check() -> Result<(), String> {
        for limit in Self::ALL {
            if let Some(text) = std::env::var_os(limit.variable())
                && text.to_str().and_then(number).is_none()
            {
                let (name, text) = (limit.variable(), text.display());
                return Err(format!(
                    "{name} is no limit: found `{text}`, expected a positive number such as 5000000, 5e6 or 64G"
                ));
            }
        }
        Ok(())
    }
}

/// A positive whole number: `5000000`, `5e6`, `64G`.
fn number(text: &str) -> Option<u64> {
    let text = text.trim();
    let (digits, unit) = match text.as_bytes().last()? {
        b'k' | b'K' => (&text[..text.len() - 1], 1e3),
        b'M' => (&text[..text.len() - 1], 1e6),
        b'G' => (&text[..text.len() - 1], 1e9),
        b'T' => (&text[..text.len() - 1], 1e12),
        _ => (text, 1.0),
    };
    let value = digits.parse::<f64>().ok()? * unit;
    (1.0..=1e18).contains(&value).then_some(value as u64)
}

/// Cores of this machine.
fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Bytes of memory of this machine, or of the group of processes that this one is in; 8 GiB where neither is known.
fn memory() -> u64 {
    let unknown = 8 << 30;
    let group = std::fs::read_to_string("/sys/fs/cgroup/memory.max").ok();
    let group = group.and_then(|text| text.trim().parse().ok()).unwrap_or(u64::MAX);
    #[cfg(unix)]
    let machine = {
        // SAFETY: the call reads a number of the system, and nothing of ours.
        let read = |name| u64::try_from(unsafe { libc::sysconf(name) }).ok();
        let (pages, size) = (read(libc::_SC_PHYS_PAGES), read(libc::_SC_PAGESIZE));
        pages.zip(size).map(|(pages, size)| pages * size)
    };
    #[cfg(not(unix))]
    let machine: Option<u64> = None;
    machine.filter(|&bytes| bytes > 0).unwrap_or(unknown).min(group)
}

/// The bytes of an ordinary file of sensible size. Pipes and devices may have no end.
pub fn read_limited(path: &Path) -> io::Result<Vec<u8>> {
    let about = std::fs::metadata(path)?;
    if !about.is_file() {
        let message = "not an ordinary file: a folder, a pipe or a device";
        return Err(io::Error::new(ErrorKind::InvalidInput, message));
    }
    let most = Limit::File.value();
    let refused = |length: u64| {
        let message = format!("{length} bytes, at most {most} are read: {}", Limit::File.advice());
        Err(io::Error::new(ErrorKind::FileTooLarge, message))
    };
    if about.len() > most {
        return refused(about.len());
    }
    let mut bytes = Vec::new();
    // What is still being written may have grown since.
    File::open(path)?.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most { refused(bytes.len() as u64) } else { Ok(bytes) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_units_or_powers() {
        let numbers = [("7", 7), ("5e6", 5_000_000), ("64G", 64_000_000_000), (" 1.5k ", 1500)];
        for (text, value) in numbers {
            assert_eq!(number(text), Some(value), "{text}");
        }
        for bad in ["", "0", "-1", "x", "1e30", "G", "nan", "inf", "1 2", "é"] {
            assert_eq!(number(bad), None, "{bad}");
        }
    }

    #[test]
    fn what_is_usual_fits_this_machine() {
        assert!(Limit::Memory.usual() > 1 << 20 && Limit::Threads.usual() >= 64);
        assert_eq!(Limit::Bodies.usual(), 1_000_000);
        assert!(Limit::File.advice().contains("DRYSTONE_MAX_FILE"));
    }

    #[test]
    fn only_ordinary_files_are_read() {
        assert!(read_limited(&std::env::temp_dir()).unwrap_err().to_string().contains("ordinary"));
        let path = std::env::temp_dir().join(format!("drystone-limits-{}", std::process::id()));
        std::fs::write(&path, "text").unwrap();
        assert_eq!(read_limited(&path).unwrap(), b"text");
        // A file with a hole is as long as it says.
        let file = File::options().write(true).open(&path).unwrap();
        file.set_len(Limit::File.usual() + 1).unwrap();
        let error = read_limited(&path).unwrap_err().to_string();
        assert!(error.contains("DRYSTONE_MAX_FILE"), "{error}");
        std::fs::remove_file(&path).unwrap();
    }
}

//! Connections that have yet to say what they want, and conversations that end in time.

use std::collections::VecDeque;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Connections that may be silent at once.
const MOST: usize = 32;

/// Connections on which a request has yet to come. Where there are too many, the oldest is closed: whoever opens them
/// without a word keeps nobody away that has something to say.
#[derive(Debug, Default)]
pub(crate) struct Connections {
    waiting: Mutex<(u64, VecDeque<(u64, TcpStream)>)>,
}

impl Connections {
    /// Takes a connection in, under a number; none if it is gone already.
    pub fn enter(&self, stream: &TcpStream) -> Option<u64> {
        let stream = stream.try_clone().ok()?;
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let (next, waiting) = &mut *waiting;
        if waiting.len() >= MOST
            && let Some((_, oldest)) = waiting.pop_front()
        {
            let _ = oldest.shutdown(Shutdown::Both);
        }
        *next += 1;
        waiting.push_back((*next, stream));
        Some(*next)
    }

    /// It has said what it wants, or nothing in time.
    pub fn leave(&self, number: u64) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.1.retain(|(other, _)| *other != number);
    }
}

/// A connection that is read or written for so long at most, however many pieces that takes.
pub(crate) struct Timed<'a> {
    stream: &'a TcpStream,
    until: Instant,
}

impl<'a> Timed<'a> {
    pub fn new(stream: &'a TcpStream, patience: Duration) -> Self {
        Self { stream, until: Instant::now() + patience }
    }
    /// What is left of the time; none is an error.
    fn left(&self) -> io::Result<Option<Duration>> {
        let left = self.until.saturating_duration_since(Instant::now());
        if left.is_zero() { Err(ErrorKind::TimedOut.into()) } else { Ok(Some(left)) }
    }
}

impl Read for Timed<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.stream.set_read_timeout(self.left()?)?;
        self.stream.read(buffer)
    }
}

impl Write for Timed<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.stream.set_write_timeout(self.left()?)?;
        self.stream.write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    /// Both ends of a connection.
    fn pair(listener: &TcpListener) -> (TcpStream, TcpStream) {
        let far = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        (listener.accept().unwrap().0, far)
    }

    #[test]
    fn the_oldest_of_too_many_is_closed() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let connections = Connections::default();
        let mut all: Vec<_> = (0..=MOST).map(|_| pair(&listener)).collect();
        let numbers: Vec<u64> =
            all.iter().map(|(near, _)| connections.enter(near).unwrap()).collect();
        assert_eq!(all[0].1.read(&mut [0; 8]).unwrap(), 0, "closed");
        all[1].1.set_read_timeout(Some(Duration::from_millis(50))).unwrap();
        assert!(all[1].1.read(&mut [0; 8]).is_err(), "open, and silent");
        // Those that have spoken make room.
        connections.leave(numbers[1]);
        let late = pair(&listener);
        connections.enter(&late.0).unwrap();
        all[2].1.set_read_timeout(Some(Duration::from_millis(50))).unwrap();
        assert!(all[2].1.read(&mut [0; 8]).is_err(), "open, and silent");
    }

    #[test]
    fn whoever_says_little_at_a_time_is_not_heard_for_ever() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (near, mut far) = pair(&listener);
        std::thread::spawn(move || {
            while far.write_all(b"a").is_ok() {
                std::thread::sleep(Duration::from_millis(10));
            }
        });
        let start = Instant::now();
        let mut heard = Vec::new();
        let mut timed = Timed::new(&near, Duration::from_millis(300));
        let error = timed.read_to_end(&mut heard).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::TimedOut | ErrorKind::WouldBlock), "{error}");
        assert!(heard.len() > 1 && start.elapsed() < Duration::from_secs(10));
        assert!(timed.write(b"a").is_err());
    }
}

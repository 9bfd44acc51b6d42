//! Serves the page and one run, or two side by side, to this machine only.
//!
//! The listener is bound to the loopback address. There are fixed routes and no files: a path can
//! name a frame by its number and nothing else. All of them begin with a word that nobody can guess and that is
//! new for each server, so that other users of the machine, whose programs reach the same port, get nothing. Requests
//! must name the loopback host (so that no other site can reach a run through a name that resolves here), and those
//! that change something must carry a header that other sites cannot send. What the page may load, and who may show
//! it in a frame, is said to the browser with every answer.

use crate::connection::{Connections, Timed};
use crate::{Show, page, page_beside};
use serde_json::Value;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

/// Longest head of a request, in bytes.
const LONGEST: u64 = 16 << 10;
/// Answers under way at once; others are turned away.
const MOST: usize = 32;
/// A request takes so long at most, however it is cut into pieces.
const PATIENCE: Duration = Duration::from_secs(10);
/// So does its answer, which may be long.
const PATIENCE_TO_ANSWER: Duration = Duration::from_secs(60);

/// Lets the page pause a run that goes on in this program.
#[derive(Debug, Default)]
pub struct Control {
    paused: Mutex<bool>,
    changed: Condvar,
}

impl Control {
    /// Pauses the run, or lets it go on.
    pub fn set(&self, paused: bool) {
        *self.paused.lock().unwrap_or_else(|poison| poison.into_inner()) = paused;
        self.changed.notify_all();
    }
    /// Whether the run is paused.
    pub fn is_paused(&self) -> bool {
        *self.paused.lock().unwrap_or_else(|poison| poison.into_inner())
    }
    /// Waits while the run is paused, but returns now and then as long as `give_up` is false.
    pub fn wait(&self, give_up: impl Fn() -> bool) {
        let mut paused = self.paused.lock().unwrap_or_else(|poison| poison.into_inner());
        while *paused && !give_up() {
            let waited = self.changed.wait_timeout(paused, Duration::from_millis(100));
            paused = waited.unwrap_or_else(|poison| poison.into_inner()).0;
        }
    }
}

/// Serves the page and one run on the loopback interface.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    shared: Arc<Shared>,
}

struct Shared {
    /// The run, or two that are seen side by side.
    shows: Vec<Show>,
    page: String,
    /// What holds two pages.
    beside: String,
    /// What paths begin with.
    token: String,
    /// What the page's own scripts and styles are marked with.
    nonce: String,
    /// Who may show the page in a frame, as a Content-Security-Policy says it.
    ancestors: String,
    control: Option<Arc<Control>>,
    ended: AtomicBool,
    stopped: AtomicBool,
    connections: Connections,
    answering: AtomicUsize,
    port: u16,
}

/// 128 bits that nobody can guess, as a word: the standard library's hash, whose keys come from the system.
fn secret() -> String {
    [0u8, 1].map(|part| format!("{:016x}", RandomState::new().hash_one(part))).concat()
}

impl Server {
    /// Binds to a port of the loopback address; 0 takes any that is free.
    pub fn bind(show: Show, port: u16, control: Option<Arc<Control>>) -> io::Result<Self> {
        Self::of(vec![show], port, control)
    }
    /// The same for two runs side by side.
    pub fn bind_beside(shows: [Show; 2], port: u16) -> io::Result<Self> {
        // The page that holds both shows each in a frame.
        Ok(Self::of(shows.into(), port, None)?.framed_by("'self'"))
    }
    fn of(shows: Vec<Show>, port: u16, control: Option<Arc<Control>>) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        let address = listener.local_addr()?;
        let nonce = secret();
        let shared = Shared {
            shows,
            page: page(&Value::Null, &nonce),
            beside: page_beside(&Value::Null, &nonce),
            token: secret(),
            nonce,
            ancestors: "'none'".to_owned(),
            control,
            ended: AtomicBool::new(false),
            stopped: AtomicBool::new(false),
            connections: Connections::default(),
            answering: AtomicUsize::new(0),
            port: address.port(),
        };
        Ok(Self { listener, address, shared: Arc::new(shared) })
    }
    /// Lets others show the page in a frame, such as `http://localhost:*`: a list as a Content-Security-Policy has it.
    /// Nobody may unless this is called, before anything else.
    #[must_use]
    pub fn framed_by(mut self, ancestors: &str) -> Self {
        if let Some(shared) = Arc::get_mut(&mut self.shared) {
            shared.ancestors = ancestors.to_owned();
        }
        self
    }
    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
    /// The address of the page: whoever knows it sees the run.
    pub fn url(&self) -> String {
        format!("http://{}/{}/", self.address, self.shared.token)
    }
    /// Tells pages that a run of this program has ended.
    pub fn ended(&self) -> impl Fn() + Send + Sync + use<> {
        let shared = Arc::clone(&self.shared);
        move || shared.ended.store(true, Ordering::Relaxed)
    }
    /// Ends [`serve`](Self::serve).
    pub fn stopper(&self) -> impl Fn() + Send + Sync + use<> {
        let (shared, address) = (Arc::clone(&self.shared), self.address);
        move || {
            shared.stopped.store(true, Ordering::Relaxed);
            // The listener waits for somebody to come.
            let _ = TcpStream::connect_timeout(&address, Duration::from_secs(1));
        }
    }
    /// Serves until it is stopped, each connection on a thread of its own.
    pub fn serve(self) {
        for stream in self.listener.incoming() {
            if self.shared.stopped.load(Ordering::Relaxed) {
                break;
            }
            let Ok(stream) = stream else { continue };
            let shared = Arc::clone(&self.shared);
            // Connections on which nothing sensible is said are many only if somebody wants it: the oldest goes.
            let Some(guest) = shared.connections.enter(&stream) else { continue };
            std::thread::spawn(move || {
                // A browser that goes away in the middle is nothing to report.
                let _ = shared.converse(&stream, guest);
            });
        }
    }
}

/// What is said to a request.
struct Response {
    status: u16,
    kind: &'static str,
    body: Vec<u8>,
}

impl Response {
    fn plain(status: u16, text: &str) -> Self {
        Self { status, kind: "text/plain; charset=utf-8", body: text.as_bytes().to_vec() }
    }
    fn html(page: &str) -> Self {
        let body = page.as_bytes().to_vec();
        Self { status: 200, kind: "text/html; charset=utf-8", body }
    }
    fn send(&self, stream: &TcpStream, shared: &Shared) -> io::Result<()> {
        let reason = match self.status {
            200 => "OK",
            400 => "Bad Request",
            403 => "Forbidden",
            404 => "Not Found",
            405 => "Method Not Allowed",
            500 => "Internal Server Error",
            _ => "Service Unavailable",
        };
        let head = format!(
            "HTTP/1.1 {} {reason}\r\nContent-Type: {}\r\nContent-Length: {}\r\n\
             Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n\
             Cross-Origin-Resource-Policy: same-origin\r\nReferrer-Policy: no-referrer\r\n{}\
             Connection: close\r\n\r\n",
            self.status,
            self.kind,
            self.body.len(),
            shared.policy(),
        );
        let mut stream = Timed::new(stream, PATIENCE_TO_ANSWER);
        stream.write_all(head.as_bytes())?;
        stream.write_all(&self.body)?;
        stream.flush()
    }
}

/// The head of a request.
struct Request {
    method: String,
    path: String,
    host: String,
    ours: bool,
}

impl Request {
    /// Reads a head of sensible length; `None` if it is none.
    fn read(stream: &TcpStream) -> io::Result<Option<Self>> {
        let stream = Timed::new(stream, PATIENCE);
        let mut lines = BufReader::new(stream.take(LONGEST)).lines();
        let Some(first) = lines.next().transpose()? else { return Ok(None) };
        let mut words = first.split(' ');
        let (Some(method), Some(path), Some(version), None) =
            (words.next(), words.next(), words.next(), words.next())
        else {
            return Ok(None);
        };
        if !version.starts_with("HTTP/1.") {
            return Ok(None);
        }
        let mut request = Self {
            method: method.to_owned(),
            path: path.to_owned(),
            host: String::new(),
            ours: false,
        };
        for line in lines {
            let line = line?;
            if line.is_empty() {
                return Ok(Some(request));
            }
            let Some((name, value)) = line.split_once(':') else { return Ok(None) };
            match name.to_ascii_lowercase().as_str() {
                "host" => request.host = value.trim().to_ascii_lowercase(),
                "x-drystone" => request.ours = true,
                _ => {}
            }
        }
        Ok(None)
    }
}

/// A number in digits, and nothing else.
fn number(text: &str) -> Option<usize> {
    text.parse().ok().filter(|_| text.bytes().all(|byte| byte.is_ascii_digit()))
}

impl Shared {
    fn converse(&self, stream: &TcpStream, guest: u64) -> io::Result<()> {
        let request = Request::read(stream);
        self.connections.leave(guest);
        let answer = match request {
            Ok(Some(request)) => match self.admit(&request) {
                Ok(path) => return self.answer_in_turn(&request, &path, stream),
                Err(refused) => refused,
            },
            Ok(None) => Response::plain(400, "this is no request that is understood here"),
            Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                Response::plain(400, "the request is no text")
            }
            Err(error) => return Err(error),
        };
        answer.send(stream, self)
    }

    /// What the browser is told of the page.
    fn policy(&self) -> String {
        let Self { nonce, ancestors, .. } = self;
        let alone = match ancestors.as_str() {
            "'none'" => "X-Frame-Options: DENY\r\n",
            "'self'" => "X-Frame-Options: SAMEORIGIN\r\n",
            _ => "",
        };
        let frames = if self.shows.len() > 1 { "frame-src 'self'; " } else { "" };
        format!(
            "Content-Security-Policy: default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; \
             img-src data: blob:; connect-src 'self'; {frames} base-uri 'none'; form-action 'none'; \
             frame-ancestors {ancestors}\r\n{alone}"
        )
    }

    /// The path of a request behind the word that all begin with; the answer to one that has no business here.
    fn admit(&self, request: &Request) -> Result<String, Response> {
        let hosts = ["127.0.0.1", "localhost"].map(|host| format!("{host}:{}", self.port));
        if !hosts.contains(&request.host) {
            return Err(Response::plain(403, "only this machine is served"));
        }
        let stranger =
            || Response::plain(403, "only the address that the program has printed is served");
        let path = request.path.strip_prefix('/').ok_or_else(stranger)?;
        let (word, rest) = path.split_once('/').ok_or_else(stranger)?;
        // All letters are compared, so that the time it takes says nothing.
        let same = word.bytes().zip(self.token.bytes()).fold(0, |sum, (a, b)| sum | (a ^ b)) == 0;
        if !same || word.len() != self.token.len() {
            return Err(stranger());
        }
        Ok(format!("/{rest}"))
    }

    /// Answers somebody who knows the address, if not too many are being answered.
    fn answer_in_turn(&self, request: &Request, path: &str, stream: &TcpStream) -> io::Result<()> {
        let answer = match self.answering.fetch_add(1, Ordering::Relaxed) {
            MOST.. => Response::plain(503, "too many requests at once"),
            _ => self.answer(request, path),
        };
        let sent = answer.send(stream, self);
        self.answering.fetch_sub(1, Ordering::Relaxed);
        sent
    }

    fn answer(&self, request: &Request, path: &str) -> Response {
        let [show] = self.shows.as_slice() else { return self.answer_beside(request, path) };
        self.answer_of(show, request, path)
    }

    /// Of two runs, each has a path of its own.
    fn answer_beside(&self, request: &Request, path: &str) -> Response {
        if (request.method.as_str(), path) == ("GET", "/") {
            return Response::html(&self.beside);
        }
        let (which, rest) = path[1..].split_at_checked(1).unwrap_or_default();
        match number(which).and_then(|index| self.shows.get(index)) {
            Some(show) if rest.starts_with('/') => self.answer_of(show, request, rest),
            _ => Response::plain(404, "there is nothing of this name"),
        }
    }

    fn answer_of(&self, show: &Show, request: &Request, path: &str) -> Response {
        match (request.method.as_str(), path) {
            ("GET", "/") => Response::html(&self.page),
            ("GET", "/run.json") => self.run(show, true),
            ("GET", "/state.json") => self.run(show, false),
            ("GET", path) => match path.strip_prefix("/frame/").and_then(number) {
                Some(index) if index < show.frames() => frame(show, index),
                _ => Response::plain(404, "there is nothing of this name"),
            },
            ("POST", "/pause" | "/resume") if !request.ours => {
                Response::plain(403, "only the page itself may do this")
            }
            ("POST", word @ ("/pause" | "/resume")) => match &self.control {
                Some(control) => {
                    control.set(word == "/pause");
                    Response::plain(200, "done")
                }
                None => Response::plain(404, "this run is not computed here"),
            },
            _ => Response::plain(405, "only GET, and POST of pause and resume"),
        }
    }

    /// What the run is; without what never changes unless `whole`.
    fn run(&self, show: &Show, whole: bool) -> Response {
        let ended = self.ended.load(Ordering::Relaxed);
        let control = self.control.as_ref().filter(|_| !ended);
        let paused = control.is_some_and(|control| control.is_paused());
        match show.run(paused.then_some("paused"), None) {
            Ok(mut run) => {
                run["control"] = control.is_some().into();
                if let (false, Some(run)) = (whole, run.as_object_mut()) {
                    run.retain(|key, _| !["things", "palette", "signed"].contains(&key.as_str()));
                }
                let body = run.to_string().into_bytes();
                Response { status: 200, kind: "application/json", body }
            }
            Err(error) => Response::plain(500, &error.to_string()),
        }
    }
}

fn frame(show: &Show, index: usize) -> Response {
    match show.frame(index) {
        Ok(body) => Response { status: 200, kind: "application/octet-stream", body },
        Err(error) => Response::plain(500, &error.to_string()),
    }
}

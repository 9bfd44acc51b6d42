//! Serves the page and one run to this machine only.
//!
//! The listener is bound to the loopback address. There are fixed routes and no files: a path can
//! name a frame by its number and nothing else. Requests must name the loopback host (so that no other
//! site can reach a run through a name that resolves here), and those that change something must carry
//! a header that other sites cannot send.

use crate::{Show, page};
use serde_json::Value;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

/// Longest head of a request, in bytes.
const LONGEST: u64 = 16 << 10;
/// Requests under way at once; others are turned away.
const MOST: usize = 32;
/// A connection that says nothing for so long is closed.
const PATIENCE: Duration = Duration::from_secs(10);

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
    show: Show,
    page: String,
    control: Option<Arc<Control>>,
    ended: AtomicBool,
    stopped: AtomicBool,
    busy: AtomicUsize,
    port: u16,
}

impl Server {
    /// Binds to a port of the loopback address; 0 takes any that is free.
    pub fn bind(show: Show, port: u16, control: Option<Arc<Control>>) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        let address = listener.local_addr()?;
        let shared = Shared {
            show,
            page: page(&Value::Null),
            control,
            ended: AtomicBool::new(false),
            stopped: AtomicBool::new(false),
            busy: AtomicUsize::new(0),
            port: address.port(),
        };
        Ok(Self { listener, address, shared: Arc::new(shared) })
    }
    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
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
            if shared.busy.fetch_add(1, Ordering::Relaxed) >= MOST {
                shared.busy.fetch_sub(1, Ordering::Relaxed);
                let _ = Response::plain(503, "too many requests at once").send(&stream);
                continue;
            }
            std::thread::spawn(move || {
                // A browser that goes away in the middle is nothing to report.
                let _ = shared.converse(&stream);
                shared.busy.fetch_sub(1, Ordering::Relaxed);
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
    fn send(&self, mut stream: &TcpStream) -> io::Result<()> {
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
             Cross-Origin-Resource-Policy: same-origin\r\nConnection: close\r\n\r\n",
            self.status,
            self.kind,
            self.body.len()
        );
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
    fn converse(&self, stream: &TcpStream) -> io::Result<()> {
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        let answer = match Request::read(stream) {
            Ok(Some(request)) => self.answer(&request),
            Ok(None) => Response::plain(400, "this is no request that is understood here"),
            Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                Response::plain(400, "the request is no text")
            }
            Err(error) => return Err(error),
        };
        answer.send(stream)
    }

    fn answer(&self, request: &Request) -> Response {
        let hosts = ["127.0.0.1", "localhost"].map(|host| format!("{host}:{}", self.port));
        if !hosts.contains(&request.host) {
            return Response::plain(403, "only this machine is served");
        }
        match (request.method.as_str(), request.path.as_str()) {
            ("GET", "/") => Response {
                status: 200,
                kind: "text/html; charset=utf-8",
                body: self.page.clone().into_bytes(),
            },
            ("GET", "/run.json") => self.run(true),
            ("GET", "/state.json") => self.run(false),
            ("GET", path) => match path.strip_prefix("/frame/").and_then(number) {
                Some(index) if index < self.show.frames() => self.frame(index),
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
    fn run(&self, whole: bool) -> Response {
        let ended = self.ended.load(Ordering::Relaxed);
        let control = self.control.as_ref().filter(|_| !ended);
        let paused = control.is_some_and(|control| control.is_paused());
        match self.show.run(paused.then_some("paused"), 1) {
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

    fn frame(&self, index: usize) -> Response {
        match self.show.frame(index) {
            Ok(body) => Response { status: 200, kind: "application/octet-stream", body },
            Err(error) => Response::plain(500, &error.to_string()),
        }
    }
}

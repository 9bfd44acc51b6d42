//! The server and the page: loopback only, nothing but the run, and what a user sees.

mod support;

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream, UdpSocket};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use support::{Workplace, drystone};

impl Workplace {
    fn run(&self) -> String {
        self.path("run")
    }
}

/// The program that serves a run; it ends with the test.
struct Serving {
    child: Child,
    address: SocketAddr,
    /// What paths begin with.
    token: String,
}

impl Serving {
    fn start(arguments: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_drystone"))
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let mut parts = line.strip_prefix("http://").unwrap_or_default().split('/');
        let mut part = || parts.next().unwrap_or_else(|| panic!("it says {line:?}"));
        let (address, token) = (part().parse().unwrap(), part().to_owned());
        assert_eq!(token.len(), 32, "{line}");
        Self { child, address, token }
    }
    fn ask(&self, request: &[u8]) -> Vec<u8> {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        // A server that has heard enough may close before all is said.
        let _ = stream.write_all(request);
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        answer
    }
    /// Status, head and body of an answer; the path is as it is.
    fn bare(&self, method: &str, path: &str, headers: &str) -> (u16, String, Vec<u8>) {
        let host = self.address;
        let request = format!("{method} {path} HTTP/1.1\r\nHost: {host}\r\n{headers}\r\n");
        let answer = self.ask(request.as_bytes());
        let head = answer.windows(4).position(|w| w == b"\r\n\r\n").expect("a whole head");
        let text = String::from_utf8_lossy(&answer[..head]).into_owned();
        let status = text.split(' ').nth(1).unwrap().parse().unwrap();
        (status, text, answer[head + 4..].to_vec())
    }
    fn request(&self, method: &str, path: &str, headers: &str) -> (u16, Vec<u8>) {
        let (status, _, body) = self.bare(method, &format!("/{}{path}", self.token), headers);
        (status, body)
    }
    fn get(&self, path: &str) -> (u16, Vec<u8>) {
        self.request("GET", path, "")
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// An address of this machine other than loopback, if it has one.
fn outside_address() -> Option<std::net::IpAddr> {
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).ok()?;
    // Nothing is sent: this only asks which address would be used.
    socket.connect((Ipv4Addr::new(192, 0, 2, 1), 9)).ok()?;
    Some(socket.local_addr().ok()?.ip()).filter(|ip| !ip.is_loopback() && !ip.is_unspecified())
}

#[test]
fn only_the_run_is_served_and_only_to_this_machine() {
    let place = Workplace::with_run("serve", "wall", "0.2");
    let serving = Serving::start(&["view", &place.run(), "--port", "0"]);
    assert!(serving.address.ip().is_loopback());
    if let Some(ip) = outside_address() {
        let outside = SocketAddr::new(ip, serving.address.port());
        assert!(TcpStream::connect_timeout(&outside, Duration::from_secs(2)).is_err());
    }
    let (status, page) = serving.get("/");
    assert!(status == 200 && page.starts_with(b"<!doctype html>"));
    let (status, run) = serving.get("/run.json");
    let run: serde_json::Value = serde_json::from_slice(&run).unwrap();
    assert!(status == 200 && run["status"] == "finished" && run["dimension"] == 2);
    let frames = run["times"].as_array().unwrap().len();
    let (status, frame) = serving.get("/frame/0");
    assert!(status == 200 && frame[..4] == 176u32.to_le_bytes(), "176 blocks");
    let beyond = format!("/frame/{frames}");
    let outside = [
        "/../summary.json",
        "/frame/../../summary.json",
        "/frame/..%2f..%2fsummary.json",
        "/etc/passwd",
        "//etc/passwd",
        "/frame/-1",
        "/frame/+1",
        "/frame/99999999999",
        "/frame/",
        "/summary.json",
        "/frame/0/..",
        "/%2e%2e/summary.json",
        "/run.json?x",
        &beyond,
    ];
    for path in outside {
        let (status, body) = serving.get(path);
        assert!(status == 404 && body.len() < 100, "{path}: {status}");
    }
}

#[test]
fn bad_requests_do_no_harm() {
    let place = Workplace::with_run("bad", "bouncing_ball", "0.05");
    let serving = Serving::start(&["view", &place.run(), "--port", "0"]);
    let long = [b"GET /".as_slice(), &[b'a'; 40_000], b" HTTP/1.1\r\n\r\n"].concat();
    let many = [b"GET / HTTP/1.1\r\n".as_slice(), &b"A: b\r\n".repeat(20_000)].concat();
    let bad: [&[u8]; 9] = [
        b"",
        b"\r\n\r\n",
        b"nonsense",
        b"GET\r\n\r\n",
        b"GET / HTTP/9\r\n\r\n",
        b"\xff\xfe\x00 / HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nno colon\r\n\r\n",
        &long,
        &many,
    ];
    for request in bad {
        let answer = serving.ask(request);
        let refused = answer.is_empty() || answer.starts_with(b"HTTP/1.1 400");
        assert!(refused, "{:?}", String::from_utf8_lossy(&answer));
    }
    // A name that only resolves to this machine, as other sites might use.
    let foreign =
        format!("GET /{}/run.json HTTP/1.1\r\nHost: evil.example:80\r\n\r\n", serving.token);
    assert!(serving.ask(foreign.as_bytes()).starts_with(b"HTTP/1.1 403"));
    // Other users of this machine reach the port, and do not know the address.
    let wrong = "0".repeat(32);
    let longer = format!("/{}0/run.json", serving.token);
    let shorter = format!("/{}/run.json", &serving.token[..31]);
    let strange = ["/", "/run.json", "/frame/0", &format!("/{wrong}/run.json"), &longer, &shorter];
    for path in strange {
        let (status, _, body) = serving.bare("GET", path, "");
        assert!(status == 403 && body.len() < 100, "{path}: {status}");
    }
    assert_eq!(serving.bare("POST", "/pause", "X-Drystone: 1\r\n").0, 403);
    // The page runs its own scripts only, talks to its own server only, and is shown in no frame.
    let (_, head, page) = serving.bare("GET", &format!("/{}/", serving.token), "");
    for rule in ["default-src 'none'", "frame-ancestors 'none'", "X-Frame-Options: DENY"] {
        assert!(head.contains(rule), "{head}");
    }
    let nonce = head.split("script-src 'nonce-").nth(1).unwrap().split('\'').next().unwrap();
    let marked = String::from_utf8(page).unwrap().matches(&format!("nonce=\"{nonce}\"")).count();
    assert!(marked == 3 && nonce != serving.token, "{marked}");
    assert_eq!(serving.request("POST", "/pause", "").0, 403);
    assert_eq!(serving.request("POST", "/pause", "X-Drystone: 1\r\n").0, 404, "nothing runs here");
    assert_eq!(serving.request("DELETE", "/", "").0, 405);
    assert_eq!(serving.get("/").0, 200);
}

/// Somebody who opens connections and says nothing, or little at a time, keeps nobody away.
#[test]
fn silent_connections_starve_nobody() {
    let place = Workplace::with_run("starve", "bouncing_ball", "0.05");
    let serving = Serving::start(&["view", &place.run(), "--port", "0"]);
    let silent: Vec<TcpStream> =
        (0..200).map(|_| TcpStream::connect(serving.address).unwrap()).collect();
    for _ in 0..5 {
        assert_eq!(serving.get("/run.json").0, 200);
    }
    // A request takes ten seconds at most, whatever comes in between.
    let mut slow = TcpStream::connect(serving.address).unwrap();
    let start = std::time::Instant::now();
    slow.write_all(b"GET / HTTP/1.1\r\n").unwrap();
    slow.set_read_timeout(Some(Duration::from_millis(500))).unwrap();
    let closed = loop {
        match slow.read(&mut [0; 64]) {
            Ok(0) => break true,
            Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => break true,
            _ if start.elapsed() > Duration::from_secs(60) => break false,
            _ => {}
        }
        if slow.write_all(b"A: b\r\n").is_err() {
            break true;
        }
    };
    assert!(closed && start.elapsed() > Duration::from_secs(5), "{:?}", start.elapsed());
    drop(silent);
}

#[test]
fn a_run_that_goes_on_can_be_watched_and_paused() {
    let place = Workplace::with_run("live", "bouncing_ball", "0.05");
    let scene = format!("{}/../../scenes/emitter.toml", env!("CARGO_MANIFEST_DIR"));
    let live = place.path("live");
    let arguments = ["run", &scene, "-q", "--no-pictures", "--view", "--port", "0", "-o", &live];
    let serving = Serving::start(&arguments);
    let state =
        || -> serde_json::Value { serde_json::from_slice(&serving.get("/state.json").1).unwrap() };
    assert_eq!(serving.request("POST", "/pause", "X-Drystone: 1\r\n").0, 200);
    assert!(state()["status"] == "paused" && state()["control"] == true);
    std::thread::sleep(Duration::from_millis(300));
    let frames = || fs::read_dir(Path::new(&live).join("record")).unwrap().count();
    let before = frames();
    std::thread::sleep(Duration::from_millis(1500));
    assert_eq!(frames(), before, "a paused run does not go on");
    assert_eq!(serving.request("POST", "/resume", "X-Drystone: 1\r\n").0, 200);
    let mut waited = 0;
    while frames() == before {
        std::thread::sleep(Duration::from_millis(100));
        waited += 1;
        assert!(waited < 300, "a resumed run goes on");
    }
}

/// What the test of the page needs; where something lacks, that is said and the test is left out.
fn browser() -> Option<(String, String)> {
    let chromium = std::env::var("CHROMIUM").unwrap_or_else(|_| "/usr/bin/chromium".to_owned());
    let from = std::env::var("PLAYWRIGHT_FROM")
        .unwrap_or_else(|_| format!("{}/tests/page.mjs", env!("CARGO_MANIFEST_DIR")));
    let probe = "require('module').createRequire(process.argv[1])('playwright-core')";
    let node = Command::new("node").args(["-e", probe, &from]).stderr(Stdio::null()).status();
    match (Path::new(&chromium).exists(), node) {
        (true, Ok(status)) if status.success() => Some((chromium, from)),
        (there, node) => {
            let node = node.map(|s| s.success());
            println!(
                "the page was not looked at: it needs Chromium ({chromium}: {there}), Node.js and \
                 the package playwright-core (found: {node:?}); CHROMIUM and PLAYWRIGHT_FROM say \
                 where they are"
            );
            None
        }
    }
}

fn look(name: &str, scene: &str, until: &str) {
    let Some((chromium, from)) = browser() else { return };
    let place = Workplace::with_run(name, scene, until);
    let page = place.path("run.html");
    drystone(&["export", &place.run(), "--to", "html", "-o", &page]);
    let serving = Serving::start(&["view", &place.run(), "--port", "0"]);
    assert!(seen("page.mjs", &place, &serving, &page, name, &chromium, &from) >= 20);
}

/// How much a script has seen of a served page and one in a file; it must have seen all that it looked for.
fn seen(
    script: &str,
    place: &Workplace,
    serving: &Serving,
    page: &str,
    name: &str,
    chromium: &str,
    from: &str,
) -> usize {
    let shots = std::env::var("SCREENSHOTS").unwrap_or_else(|_| place.path("shots"));
    let shots = format!("{shots}/{name}");
    fs::create_dir_all(&shots).unwrap();
    let script = format!("{}/tests/{script}", env!("CARGO_MANIFEST_DIR"));
    let url = format!("http://{}/{}/", serving.address, serving.token);
    let output = Command::new("node")
        .args([&script, &url, page, &shots])
        .env("CHROMIUM", chromium)
        .env("PLAYWRIGHT_FROM", from)
        .output()
        .unwrap();
    let (said, errors) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{said}\n{errors}");
    said.matches("ok: ").count()
}

#[test]
fn the_page_shows_the_plane() {
    look("page-plane", "wall", "0.6");
}

#[test]
fn the_page_shows_solids_of_the_plane() {
    look("page-plate", "plate", "1.5e-3");
}

#[test]
fn the_page_shows_solids_in_space() {
    look("page-soft", "soft_block", "0.3");
}

#[test]
fn the_page_shows_space() {
    look("page-space", "rubble", "0.3");
}

#[test]
fn the_page_shows_joints() {
    look("page-joints", "toggle_clamp", "0.1");
}

#[test]
fn the_page_shows_bonds() {
    look("page-bonds", "mortar_wall", "0.02");
}

/// What a page gets of the joints of a scene, and of one that breaks.
#[test]
fn joints_are_served() {
    let place = Workplace::new("joints");
    let scene = place.path("scene.toml");
    fs::write(
        &scene,
        r#"
dimension = 2
gravity = [0, -9.81]
time = { step = 1e-3, end = 0.02 }
material = [{ name = "a", density = 1000 }]
default_law = { friction = 0.5 }
output = { frame_interval = 0.01 }
body = [
    { name = "top", material = "a", shape = { box = [0.1, 0.1] }, position = [0, 1] },
    { name = "low", material = "a", shape = { box = [0.1, 0.1] }, position = [0, 0.5] },
]
joint = [
    { name = "pin", kind = "hinge", body = "top", point = [0, 1] },
    { kind = "rod", body = "low", to = "top", points = [[0, 0.5], [0, 1]], strength = { force = 1 } },
]
"#,
    )
    .unwrap();
    drystone(&["run", &scene, "-q", "--no-pictures", "-o", &place.run()]);
    let serving = Serving::start(&["view", &place.run(), "--port", "0"]);
    let run: serde_json::Value = serde_json::from_slice(&serving.get("/run.json").1).unwrap();
    let joints = run["things"]["joints"].as_array().unwrap();
    let told: Vec<_> = joints.iter().map(|joint| (&joint["name"], &joint["kind"])).collect();
    assert_eq!(told, [(&"pin".into(), &"hinge".into()), (&"".into(), &"rod".into())]);
    let owners =
        |joint: &serde_json::Value| [0, 1].map(|side| joint["sides"][side]["owner"].as_i64());
    assert_eq!(owners(&joints[0]), [Some(0), None], "the ground has no number");
    assert_eq!(owners(&joints[1]), [Some(1), Some(0)]);
    // The last bytes of a frame say which joints are broken: the rod, from the first step on.
    let broken = |frame: &str| serving.get(frame).1.last_chunk::<2>().copied();
    assert_eq!((broken("/frame/0"), broken("/frame/2")), (Some([0, 0]), Some([0, 1])));
}

/// Two runs side by side: each has a path of its own, and a page that may be shown in a frame of the same server only.
#[test]
fn two_runs_are_served_side_by_side() {
    let place = Workplace::with_run("beside", "bouncing_ball", "0.5");
    let other = place.path("other");
    let scene = support::scene("bouncing_ball");
    let keys =
        ["--set", "default_law.normal_restitution=0.9", "--set", "output.frame_interval=0.007"];
    drystone(
        &[&["run", &scene, "-q", "--no-pictures", "-u", "0.5", "-o", &other][..], &keys].concat(),
    );
    let serving = Serving::start(&["view", &place.run(), &other, "--port", "0"]);
    let (_, head, page) = serving.bare("GET", &format!("/{}/", serving.token), "");
    for rule in ["frame-src 'self'", "frame-ancestors 'self'", "X-Frame-Options: SAMEORIGIN"] {
        assert!(head.contains(rule), "{head}");
    }
    assert!(String::from_utf8(page).unwrap().contains("One camera"));
    let frames = |path: &str| {
        let run: serde_json::Value = serde_json::from_slice(&serving.get(path).1).unwrap();
        run["times"].as_array().unwrap().len()
    };
    let counts = [frames("/0/run.json"), frames("/1/state.json")];
    assert!(counts[0] != counts[1], "{counts:?}");
    assert!(serving.get("/0/").1.starts_with(b"<!doctype html>"));
    for path in ["/2/", "/0", "/1frame/0", "/run.json", "/frame/0", "/00/", "/\u{e9}/", "/0/../1/"]
    {
        assert_eq!(serving.get(path).0, 404, "{path}");
    }
    assert_eq!(serving.get("/1/frame/0").0, 200);
    assert_eq!(serving.request("POST", "/0/pause", "X-Drystone: 1\r\n").0, 404);
    let page = place.path("both.html");
    let run = place.run();
    drystone(&["export", &run, "--beside", &other, "--to", "html", "-o", &page]);
    let refused = Command::new(env!("CARGO_BIN_EXE_drystone"))
        .args(["export", &run, "--beside", &other, "--to", "csv", "-o", &place.path("csv")])
        .output()
        .unwrap();
    assert!(String::from_utf8_lossy(&refused.stderr).contains("`--beside` is for the page"));
    let Some((chromium, from)) = browser() else { return };
    assert_eq!(seen("beside.mjs", &place, &serving, &page, "page-beside", &chromium, &from), 10);
}

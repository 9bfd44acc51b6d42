//! The module's door: plain functions, and one place each for what comes in and what goes out.
//!
//! The host asks for [`input`] of so many bytes, writes there, calls, and reads [`output`]. Texts are UTF-8. There is one
//! session, and nothing is imported: the module has no clock, no files and no network. After a panic the module must not be
//! called again, but for [`output`], which then says what happened.

use crate::{Session, Source, complete, problems};
use drystone_scene::schema;
use serde_json::{Value, json};
use std::cell::RefCell;

#[derive(Default)]
struct Desk {
    input: Vec<u8>,
    output: Vec<u8>,
    session: Option<Session>,
}

thread_local! {
    static DESK: RefCell<Desk> = RefCell::default();
    static PANIC: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

fn with<T>(act: impl FnOnce(&mut Desk) -> T) -> T {
    DESK.with_borrow_mut(act)
}

/// Answers in JSON.
fn answer(act: impl FnOnce(&mut Desk) -> Value) {
    with(|desk| desk.output = act(desk).to_string().into_bytes());
}

/// Asks the session for something; nothing where there is none.
fn session<T: Default>(act: impl FnOnce(&mut Session) -> T) -> T {
    with(|desk| desk.session.as_mut().map(act).unwrap_or_default())
}

fn text(desk: &Desk) -> String {
    String::from_utf8_lossy(&desk.input).into_owned()
}

/// Must be called first, once.
#[unsafe(no_mangle)]
pub extern "C" fn begin() {
    std::panic::set_hook(Box::new(|info| {
        PANIC.with_borrow_mut(|said| *said = info.to_string().into_bytes());
    }));
}

/// Room for a message of so many bytes.
#[unsafe(no_mangle)]
pub extern "C" fn input(length: usize) -> *mut u8 {
    with(|desk| {
        desk.input = vec![0; length];
        desk.input.as_mut_ptr()
    })
}

/// Where the last answer is.
#[unsafe(no_mangle)]
pub extern "C" fn output() -> *const u8 {
    let said = PANIC.with_borrow(|said| (!said.is_empty()).then_some(said.as_ptr()));
    said.unwrap_or_else(|| with(|desk| desk.output.as_ptr()))
}

/// How many bytes it has.
#[unsafe(no_mangle)]
pub extern "C" fn output_length() -> usize {
    let said = PANIC.with_borrow(|said| (!said.is_empty()).then_some(said.len()));
    said.unwrap_or_else(|| with(|desk| desk.output.len()))
}

/// Checks a [`Source`], and answers with its [`problems`].
#[unsafe(no_mangle)]
pub extern "C" fn check() {
    answer(|desk| match Source::from_json(&text(desk)).map(|source| source.scene()) {
        Ok(Ok(scene)) => problems(&scene.warnings),
        Ok(Err(report)) => problems(&report),
        Err(error) => json!({ "failed": error }),
    });
}

/// Opens a [`Source`] at time 0, and answers with its [`problems`] and, if there is no error, with the `run`.
#[unsafe(no_mangle)]
pub extern "C" fn open() {
    answer(|desk| {
        desk.session = None;
        let scene = match Source::from_json(&text(desk)).map(|source| source.scene()) {
            Ok(Ok(scene)) => scene,
            Ok(Err(report)) => return problems(&report),
            Err(error) => return json!({ "failed": error }),
        };
        let mut said = problems(&scene.warnings);
        match Session::new(scene) {
            Ok(session) => {
                said["run"] = session.run().clone();
                desk.session = Some(session);
            }
            Err(error) => said["failed"] = error.into(),
        }
        said
    });
}

/// Makes steps until a time, at most so many; how many were made.
#[unsafe(no_mangle)]
pub extern "C" fn advance(until: f64, most: u32) -> u32 {
    session(|session| session.advance(until, most.into()) as u32)
}

/// The time reached.
#[unsafe(no_mangle)]
pub extern "C" fn time() -> f64 {
    session(|session| session.time())
}

/// Whether steps are left to make.
#[unsafe(no_mangle)]
pub extern "C" fn goes_on() -> bool {
    session(|session| session.goes_on())
}

/// Has the run end at another time.
#[unsafe(no_mangle)]
pub extern "C" fn set_end(end: f64) {
    session(|session| session.set_end(end));
}

/// Answers with the block of the frame now.
#[unsafe(no_mangle)]
pub extern "C" fn frame() {
    with(|desk| {
        desk.output = desk.session.as_ref().map(Session::frame).unwrap_or_default();
    });
}

/// Answers with a row of the curves.
#[unsafe(no_mangle)]
pub extern "C" fn row() {
    answer(|desk| desk.session.as_mut().map_or(Value::Null, Session::row));
}

/// Answers with the summary of the run so far.
#[unsafe(no_mangle)]
pub extern "C" fn summary() {
    answer(|desk| desk.session.as_ref().map_or(Value::Null, Session::summary));
}

/// Takes hold of a body at a point of the world; whether there is such a body.
#[unsafe(no_mangle)]
pub extern "C" fn grasp(body: u32, x: f64, y: f64, z: f64) -> bool {
    session(|session| session.grasp(body as usize, [x, y, z]))
}

/// Draws what is held to a point of the world.
#[unsafe(no_mangle)]
pub extern "C" fn pull(x: f64, y: f64, z: f64) {
    session(|session| session.pull([x, y, z]));
}

/// Answers with where the point that is held is now, or null.
#[unsafe(no_mangle)]
pub extern "C" fn held() {
    answer(|desk| json!(desk.session.as_ref().and_then(Session::held)));
}

/// Lets go of what is held.
#[unsafe(no_mangle)]
pub extern "C" fn release() {
    session(Session::release);
}

/// Answers with what could stand at the end of the text that was put in: see [`complete()`].
#[unsafe(no_mangle)]
pub extern "C" fn suggest() {
    answer(|desk| json!(complete(&text(desk))));
}

/// Answers with the JSON Schema of scenes.
#[unsafe(no_mangle)]
pub extern "C" fn scene_schema() {
    answer(|_| schema());
}

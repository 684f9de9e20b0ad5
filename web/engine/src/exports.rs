//! The exports of the module: buffers in its memory, and functions of numbers.
//!
//! The caller asks for room with [`input`], writes bytes there and gives their number to [`call`]; the answer is at
//! [`output`]. A frame is at [`floats`] and [`doubles`]. Pointers are valid until the next call: memory may grow.
#![expect(unsafe_code, reason = "an export of C has a name that could be taken twice")]
use crate::{
    Session, bits,
    calls::{Operation, answer},
};
use std::cell::RefCell;

#[derive(Default)]
struct Module {
    session: Session,
    input: Vec<u8>,
    output: String,
}

thread_local! {
    static MODULE: RefCell<Module> = RefCell::default();
    static PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Has a panic leave its message: to be called once, first.
#[unsafe(no_mangle)]
pub extern "C" fn start() {
    std::panic::set_hook(Box::new(|panic| {
        let message = panic.to_string();
        PANIC.with_borrow_mut(|kept| *kept = message);
    }));
}

/// Where the message of a panic is.
#[unsafe(no_mangle)]
pub extern "C" fn panic_message() -> usize {
    PANIC.with_borrow(|message| message.as_ptr().addr())
}

/// How long it is.
#[unsafe(no_mangle)]
pub extern "C" fn panic_length() -> usize {
    PANIC.with_borrow(String::len)
}

/// Makes room for so many bytes, and says where.
#[unsafe(no_mangle)]
pub extern "C" fn input(length: usize) -> usize {
    MODULE.with_borrow_mut(|module| {
        module.input.clear();
        module.input.resize(length, 0);
        module.input.as_mut_ptr().expose_provenance()
    })
}

/// Answers the call that was written; gives the length of the answer.
#[unsafe(no_mangle)]
pub extern "C" fn call(operation: u32) -> usize {
    MODULE.with_borrow_mut(|module| {
        module.output = match Operation::ALL.get(operation as usize) {
            Some(operation) => answer(&mut module.session, *operation, &module.input),
            None => "null".to_owned(),
        };
        module.output.len()
    })
}

/// Where the answer is.
#[unsafe(no_mangle)]
pub extern "C" fn output() -> usize {
    MODULE.with_borrow(|module| module.output.as_ptr().addr())
}

/// See [`Session::begin`].
#[unsafe(no_mangle)]
pub extern "C" fn begin(seconds: f64) {
    MODULE.with_borrow_mut(|module| module.session.begin(seconds));
}

/// See [`Session::slice`].
#[unsafe(no_mangle)]
pub extern "C" fn slice(most: f64) -> u32 {
    MODULE.with_borrow_mut(|module| module.session.slice(most).into())
}

/// See [`Session::steps`].
#[unsafe(no_mangle)]
pub extern "C" fn steps(count: u32) {
    MODULE.with_borrow_mut(|module| module.session.steps(count.into()));
}

/// See [`Session::frame`].
#[unsafe(no_mangle)]
pub extern "C" fn frame(run: u32) -> usize {
    MODULE.with_borrow_mut(|module| module.session.frame(run as usize))
}

/// Where the places of a frame are.
#[unsafe(no_mangle)]
pub extern "C" fn floats() -> usize {
    MODULE.with_borrow(|module| module.session.floats().as_ptr().addr())
}

/// Where all else of a frame is.
#[unsafe(no_mangle)]
pub extern "C" fn doubles() -> usize {
    MODULE.with_borrow(|module| module.session.doubles().as_ptr().addr())
}

/// How many runs [`bits_run`] knows.
#[unsafe(no_mangle)]
pub extern "C" fn bits_count() -> u32 {
    bits::cases().len() as u32
}

/// The hash of one of them after at most so many steps; see [`bits::Case::hash`].
#[unsafe(no_mangle)]
pub extern "C" fn bits_run(case: u32, steps: u32, work: f64) -> u64 {
    let cases = bits::cases();
    let case = cases.get(case as usize);
    case.map_or(0, |case| case.hash(steps.into(), work))
}

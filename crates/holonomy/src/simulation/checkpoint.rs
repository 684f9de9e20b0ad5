//! A simulation as a value that can be stored: all that its further steps depend on.
//!
//! ```text
//! bytes = "HOLONOMY" | version u32 | length of what follows u64 | body | FNV-1a of all before u64      little-endian
//! body  = engine | method, options, model | t₀, h, k | q, p, λ, W | carry: tag, mark, numbers | work
//! ```
//! Numbers are stored by their bits. t is not stored: it is t₀ + k h.
mod bytes;

use super::{Label, clock::Clock};
use crate::{integrator::Work, system::State};
use bytes::{Reader, Writer};

/// Where a simulation is, as a value: [`super::Simulation::resume`] goes on from it with the same bits.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    pub(super) engine: String,
    pub(super) label: Label,
    pub(super) clock: Clock,
    pub(super) state: State,
    pub(super) work: Work,
}

/// Bytes that are not a checkpoint that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CheckpointError {
    /// They begin with something else.
    #[error("this is not a checkpoint of a simulation")]
    NotACheckpoint,
    /// They are of another version of the format.
    #[error("the checkpoint has version {found} of the format; this program reads version {known}")]
    Version {
        /// Theirs.
        found: u32,
        /// The one that can be read.
        known: u32,
    },
    /// Some are missing at the end, or there are too many.
    #[error(
        "the checkpoint should have {expected} bytes and has {found}: it was not written, or not copied, whole"
    )]
    Length {
        /// How many there are.
        found: u64,
        /// How many there should be.
        expected: u64,
    },
    /// They were changed: the checksum differs.
    #[error("the checkpoint is damaged: its checksum is wrong")]
    Damaged,
    /// The checksum is right, but what it covers is no checkpoint.
    #[error("the checkpoint is whole but makes no sense: it was written by another program")]
    Malformed,
}

const MAGIC: [u8; 8] = *b"HOLONOMY";
const VERSION: u32 = 2;
/// Bytes before the body, and after it.
const HEAD: usize = 20;
const TAIL: usize = 8;

impl Checkpoint {
    pub(super) fn new(label: &Label, clock: Clock, state: &State, work: Work) -> Self {
        Self {
            engine: env!("CARGO_PKG_VERSION").to_owned(),
            label: label.clone(),
            clock,
            state: state.clone(),
            work,
        }
    }

    /// Version of the engine that made it: another one may round differently.
    pub fn engine(&self) -> &str {
        &self.engine
    }

    /// Method, options and model it was made with.
    pub fn label(&self) -> &Label {
        &self.label
    }

    /// Origin of time t₀, s.
    pub fn origin(&self) -> f64 {
        self.clock.origin
    }

    /// Step h, s.
    pub fn step(&self) -> f64 {
        self.clock.step
    }

    /// Steps since the origin, k.
    pub fn steps(&self) -> u64 {
        self.clock.count
    }

    /// Where it was, at t₀ + k h.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// What all steps cost.
    pub fn work(&self) -> &Work {
        &self.work
    }

    /// As bytes, to be stored as they are.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut body = Writer::default();
        body.text(&self.engine);
        body.label(&self.label);
        body.clock(&self.clock);
        body.state(&self.state);
        body.work(&self.work);
        let body = body.bytes;
        let mut all = Vec::with_capacity(HEAD + body.len() + TAIL);
        all.extend(MAGIC);
        all.extend(VERSION.to_le_bytes());
        all.extend(((body.len() + TAIL) as u64).to_le_bytes());
        all.extend(body);
        all.extend(checksum(&all).to_le_bytes());
        all
    }

    /// From bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, CheckpointError> {
        let too_short = CheckpointError::Length {
            found: bytes.len() as u64,
            expected: (HEAD + TAIL) as u64,
        };
        let begun = bytes.len().min(MAGIC.len());
        if bytes[..begun] != MAGIC[..begun] {
            return Err(CheckpointError::NotACheckpoint);
        }
        let mut head = Reader::new(&bytes[begun..]);
        let (Some(found), Some(length)) = (head.u32(), head.u64()) else {
            return Err(too_short);
        };
        let version = found;
        if !(1..=VERSION).contains(&version) {
            return Err(CheckpointError::Version {
                found,
                known: VERSION,
            });
        }
        let expected = length.saturating_add(HEAD as u64);
        let found = bytes.len() as u64;
        if found != expected {
            return Err(CheckpointError::Length { found, expected });
        }
        let Some((covered, sum)) = bytes.split_last_chunk::<TAIL>() else {
            return Err(too_short);
        };
        if u64::from_le_bytes(*sum) != checksum(covered) {
            return Err(CheckpointError::Damaged);
        }
        let body = covered.get(HEAD..).ok_or(too_short)?;
        Self::read(Reader::new(body), version).ok_or(CheckpointError::Malformed)
    }

    fn read(mut body: Reader<'_>, version: u32) -> Option<Self> {
        let (engine, label, clock) = (body.text()?, body.label()?, body.clock()?);
        let mut state = body.state(version)?;
        state.t = clock.now();
        let work = body.work()?;
        body.is_empty().then_some(Self {
            engine,
            label,
            clock,
            state,
            work,
        })
    }
}

/// FNV-1a, 64 bits: a single changed byte always shows.
fn checksum(bytes: &[u8]) -> u64 {
    let mix = |sum: u64, byte: &u8| (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, mix)
}

//! A run that is not over, as it is kept on the disk: all that is needed to go on with it, to the bit.
//!
//! ```text
//! bytes = "HOLONRUN" | version u32 | length of what follows u64 | body | FNV-1a of all before u64      little-endian
//! body  = program | name, header, model | where it is: simulation, recording, last sample, mark of the trajectory, time
//! ```
//! Without a place it is a run that has just begun. The file is replaced as a whole; the trajectory grows beside it, and
//! counts up to the mark.
use crate::{
    binary::{self, Unreadable},
    trajectory::Mark,
};
use serde::{Deserialize, Serialize};
use std::{fs::File, io::Read, path::Path, time::Duration};

/// How often a run is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interval {
    /// Never.
    Never,
    /// After so much time.
    Time(Duration),
    /// After so many steps.
    Steps(u64),
}

impl Default for Interval {
    /// Every minute: a shorter run is made again sooner than it is kept.
    fn default() -> Self {
        Self::Time(Duration::from_secs(60))
    }
}

/// What a run is, and where.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Unfinished {
    /// What it is called.
    pub(crate) name: String,
    /// What stands above its model.
    pub(crate) header: String,
    /// The model, whole.
    pub(crate) model: String,
    /// Where it is, if it was kept on its way.
    pub(crate) place: Option<Standing>,
}

/// Where a run is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Standing {
    /// A [`Checkpoint`](holonomy::simulation::Checkpoint).
    #[serde(with = "binary::blob")]
    pub(crate) simulation: Vec<u8>,
    /// A [`Recording`](holonomy_report::run::Recording).
    #[serde(with = "binary::blob")]
    pub(crate) recording: Vec<u8>,
    /// The step of the last sample in it.
    pub(crate) seen: Option<u64>,
    /// Where the trajectory is.
    pub(crate) mark: Mark,
    /// Time that it took, s.
    pub(crate) wall_seconds: f64,
}

/// Why bytes are not a run to go on with.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnfinishedError {
    /// They begin with something else, are not whole, or were changed.
    #[error("it is damaged")]
    Damaged,
    /// Another version of the program made them: its steps may round in other ways.
    #[error("holonomy {made} made it, and this is holonomy {}", env!("CARGO_PKG_VERSION"))]
    Program {
        /// Theirs.
        made: String,
    },
}

const MAGIC: [u8; 8] = *b"HOLONRUN";
const VERSION: u32 = 1;
const HEAD: usize = 20;
const TAIL: usize = 8;

impl Unfinished {
    /// The same without rows of the trajectory: those of a run that has ended stand in its file.
    pub(crate) fn without_rows(&self) -> Self {
        let mut run = self.clone();
        if let Some(place) = &mut run.place {
            place.mark = place.mark.without_rows();
        }
        run
    }

    /// Whether a file begins like one of these.
    pub(crate) fn is_begun(path: &Path) -> bool {
        let mut first = [0; MAGIC.len()];
        let read = |mut file: File| file.read_exact(&mut first);
        File::open(path).and_then(read).is_ok() && first == MAGIC
    }

    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        // Structs of numbers and texts always have bytes.
        let body = binary::to_bytes(&(env!("CARGO_PKG_VERSION"), self)).unwrap_or_default();
        let mut all = Vec::with_capacity(HEAD + body.len() + TAIL);
        all.extend(MAGIC);
        all.extend(VERSION.to_le_bytes());
        all.extend(((body.len() + TAIL) as u64).to_le_bytes());
        all.extend(body);
        all.extend(checksum(&all).to_le_bytes());
        all
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Self, UnfinishedError> {
        let damaged = UnfinishedError::Damaged;
        let (covered, sum) = bytes.split_last_chunk::<TAIL>().ok_or(damaged.clone())?;
        let whole = covered.len() >= HEAD
            && covered[..8] == MAGIC
            && covered[12..20] == ((bytes.len() - HEAD) as u64).to_le_bytes()
            && u64::from_le_bytes(*sum) == checksum(covered);
        if !whole {
            return Err(damaged);
        }
        let body = &covered[HEAD..];
        // Which program made it comes first, and can be read whatever follows.
        let made = binary::first_text(body).map_err(|Unreadable| damaged.clone())?;
        if made != env!("CARGO_PKG_VERSION") || covered[8..12] != VERSION.to_le_bytes() {
            return Err(UnfinishedError::Program { made });
        }
        let (_, run): (String, Self) = binary::from_bytes(body).map_err(|Unreadable| damaged)?;
        Ok(run)
    }
}

/// FNV-1a, 64 bits: a single changed byte always shows.
fn checksum(bytes: &[u8]) -> u64 {
    let mix = |sum: u64, byte: &u8| (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, mix)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run() -> Unfinished {
        Unfinished {
            name: "x".to_owned(),
            header: "Made by hand.".to_owned(),
            model: "space = \"tree\"\n".to_owned(),
            place: Some(Standing {
                simulation: vec![1, 2, 3],
                recording: vec![4; 10],
                seen: Some(7),
                mark: Mark::default(),
                wall_seconds: 0.25,
            }),
        }
    }

    #[test]
    fn it_comes_back_and_every_changed_or_missing_byte_shows() {
        let bytes = run().to_bytes();
        assert_eq!(Unfinished::from_bytes(&bytes), Ok(run()));
        for length in 0..bytes.len() {
            let found = Unfinished::from_bytes(&bytes[..length]);
            assert_eq!(found, Err(UnfinishedError::Damaged), "{length}");
        }
        for place in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[place] ^= 0x10;
            let found = Unfinished::from_bytes(&changed);
            assert_eq!(found, Err(UnfinishedError::Damaged), "{place}");
        }
    }

    #[test]
    fn that_of_another_program_is_refused_by_its_name() {
        let version = env!("CARGO_PKG_VERSION");
        let mut bytes = run().to_bytes();
        let at = HEAD + 8;
        assert_eq!(&bytes[at..at + version.len()], version.as_bytes());
        bytes[at] = b'9';
        let end = bytes.len() - TAIL;
        let sum = checksum(&bytes[..end]).to_le_bytes();
        bytes[end..].copy_from_slice(&sum);
        let made = format!("9{}", &version[1..]);
        assert_eq!(
            Unfinished::from_bytes(&bytes),
            Err(UnfinishedError::Program { made })
        );
    }
}

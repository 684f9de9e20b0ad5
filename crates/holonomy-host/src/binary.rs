//! Values as bytes and back, every number by its bits: what a run has recorded so far must go on as if it had never left
//! memory.
//!
//! ```text
//! integers and numbers   8 bytes, little-endian          booleans, options   1 byte, then the value if there is one
//! texts, lists, maps     their length, then each         structs, tuples     their parts, in order
//! variants of an enum    4 bytes, then what they hold
//! ```
//! Names of fields are not written: what reads must be the same version of the program as what wrote.
mod read;
mod write;

use serde::{Serialize, de::DeserializeOwned};

/// A value as bytes.
pub(crate) fn to_bytes(value: &impl Serialize) -> Result<Vec<u8>, Unreadable> {
    let mut out = write::Bytes::default();
    value.serialize(&mut out)?;
    Ok(out.bytes)
}

/// A value from bytes, all of them.
pub(crate) fn from_bytes<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Unreadable> {
    let mut left = read::Left { bytes };
    let value = T::deserialize(&mut left)?;
    match left.bytes.is_empty() {
        true => Ok(value),
        false => Err(Unreadable),
    }
}

/// The text that bytes begin with.
pub(crate) fn first_text(bytes: &[u8]) -> Result<String, Unreadable> {
    use serde::Deserialize;
    String::deserialize(&mut read::Left { bytes })
}

/// For `#[serde(with = "binary::blob")]`: bytes as they are, and not each as a number.
pub(crate) mod blob {
    use serde::{Deserializer, Serializer, de::Visitor};

    pub(crate) fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(bytes)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
        struct Blob;
        impl Visitor<'_> for Blob {
            type Value = Vec<u8>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("bytes")
            }

            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Vec<u8>, E> {
                Ok(bytes.to_vec())
            }
        }
        deserializer.deserialize_bytes(Blob)
    }
}

/// Bytes that are no such value, or a value that has no such bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the bytes are not what they should be")]
pub(crate) struct Unreadable;

impl serde::ser::Error for Unreadable {
    fn custom<T: std::fmt::Display>(_: T) -> Self {
        Self
    }
}

impl serde::de::Error for Unreadable {
    fn custom<T: std::fmt::Display>(_: T) -> Self {
        Self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;
    use std::collections::VecDeque;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    enum Kind {
        None,
        One(u32),
        Two { x: f64, name: String },
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Everything {
        counts: Vec<u64>,
        pairs: VecDeque<(f64, [f64; 3])>,
        nothing: Option<String>,
        some: Option<Option<i64>>,
        kinds: Vec<Kind>,
        flag: bool,
        index: usize,
        wide: u128,
    }

    #[test]
    fn everything_comes_back_to_the_bit() {
        let all = Everything {
            counts: vec![0, u64::MAX],
            pairs: [(-0.0, [f64::INFINITY, f64::MIN_POSITIVE / 8.0, 0.1])].into(),
            nothing: None,
            some: Some(Some(-3)),
            kinds: vec![
                Kind::None,
                Kind::One(7),
                Kind::Two {
                    x: 1.5,
                    name: "größe".to_owned(),
                },
            ],
            flag: true,
            index: 5,
            wide: u128::MAX - 1,
        };
        let bytes = to_bytes(&all).expect("bytes");
        assert_eq!(from_bytes::<Everything>(&bytes), Ok(all));
        // What is not a number keeps its payload.
        let odd = f64::from_bits(0x7ff8_0000_0000_1234);
        let back: f64 = from_bytes(&to_bytes(&odd).expect("bytes")).expect("a number");
        assert_eq!(back.to_bits(), odd.to_bits());
    }

    #[test]
    fn bytes_that_are_missing_or_too_many_are_refused() {
        let bytes = to_bytes(&vec![(1.0, true), (2.0, false)]).expect("bytes");
        assert_eq!(bytes.len(), 8 + 2 * 9);
        for length in 0..bytes.len() {
            assert_eq!(from_bytes::<Vec<(f64, bool)>>(&bytes[..length]), Err(Unreadable));
        }
        let more = [&bytes[..], &[0]].concat();
        assert_eq!(from_bytes::<Vec<(f64, bool)>>(&more), Err(Unreadable));
        // A length that nothing could hold takes no memory.
        let huge = u64::MAX.to_le_bytes();
        assert_eq!(from_bytes::<Vec<f64>>(&huge), Err(Unreadable));
        assert_eq!(from_bytes::<String>(&huge), Err(Unreadable));
    }
}

use crate::integrator::catalog::Options;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
use std::{fmt, str::FromStr};

/// What a simulation says about itself in its checkpoints: they are refused by one that differs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Label {
    /// Name of the method, empty if it has none.
    pub method: String,
    /// Its options.
    pub options: Options,
    /// Which model it is, if that is known.
    pub model: Option<Fingerprint>,
}

/// A value that tells a model from others, made by who knows its text; the engine compares it. Written in hexadecimal.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fingerprint(pub [u8; 32]);

/// A text that is not 64 hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a fingerprint is 64 hexadecimal digits")]
pub struct NotAFingerprint;

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Fingerprint({self})")
    }
}

impl FromStr for Fingerprint {
    type Err = NotAFingerprint;
    fn from_str(text: &str) -> Result<Self, NotAFingerprint> {
        let digit = |letter: u8| char::from(letter).to_digit(16).ok_or(NotAFingerprint);
        let digits: [u8; 64] = text.as_bytes().try_into().map_err(|_| NotAFingerprint)?;
        let mut bytes = [0; 32];
        for (byte, [high, low]) in bytes.iter_mut().zip(digits.as_chunks().0) {
            *byte = (16 * digit(*high)? + digit(*low)?) as u8;
        }
        Ok(Self(bytes))
    }
}

impl Serialize for Fingerprint {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Fingerprint {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?
            .parse()
            .map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fingerprint_is_read_back_from_its_digits() {
        let print = Fingerprint(std::array::from_fn(|k| (37 * k + 5) as u8));
        let text = print.to_string();
        assert_eq!((text.len(), text.parse()), (64, Ok(print)));
        assert_eq!(text.to_uppercase().parse(), Ok(print));
        for bad in ["", &text[1..], &text.replace('5', "g"), &format!("{text}0")] {
            assert_eq!(bad.parse::<Fingerprint>(), Err(NotAFingerprint), "{bad}");
        }
    }
}

//! Requests: words, one after the other, each behind its length in bytes, `3:abc`. Reading JSON instead, with numbers to
//! the last digit, would be thirty times the code.
use std::str::{FromStr, from_utf8};

/// What is left of a request.
pub(crate) struct Request<'a>(&'a [u8]);

/// What a caller did wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Misunderstood {
    /// There is no word, or one that is cut short.
    Missing,
    /// A word that is no number.
    NoNumber,
}

impl Misunderstood {
    /// For the one who writes the page.
    pub(crate) fn message(self) -> &'static str {
        match self {
            Self::Missing => "a request has too few words, or one that is not behind its length",
            Self::NoNumber => "a word of a request is not a number",
        }
    }
}

impl<'a> Request<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    pub(crate) fn word(&mut self) -> Result<&'a str, Misunderstood> {
        let word = || {
            let colon = self.0.iter().position(|byte| *byte == b':')?;
            let length: usize = from_utf8(&self.0[..colon]).ok()?.parse().ok()?;
            let rest = &self.0[colon + 1..];
            Some((from_utf8(rest.get(..length)?).ok()?, &rest[length..]))
        };
        let (word, rest) = word().ok_or(Misunderstood::Missing)?;
        self.0 = rest;
        Ok(word)
    }

    pub(crate) fn number<T: FromStr>(&mut self) -> Result<T, Misunderstood> {
        self.word()?.parse().map_err(|_| Misunderstood::NoNumber)
    }

    pub(crate) fn vector(&mut self) -> Result<[f64; 3], Misunderstood> {
        Ok([self.number()?, self.number()?, self.number()?])
    }

    /// All that is left, two words at a time.
    pub(crate) fn pairs(&mut self) -> Result<Vec<(&'a str, &'a str)>, Misunderstood> {
        let mut pairs = Vec::new();
        while !self.0.is_empty() {
            pairs.push((self.word()?, self.word()?));
        }
        Ok(pairs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_hold_anything_and_numbers_are_exact() {
        let mut request = Request::new("4:a:1\n19:0.300000000000000040:2:é".as_bytes());
        assert_eq!(request.word(), Ok("a:1\n"));
        assert_eq!(request.number::<f64>(), Ok(0.1 + 0.2));
        assert_eq!(request.pairs(), Ok(vec![("", "é")]));
        assert_eq!(request.word(), Err(Misunderstood::Missing));
    }

    #[test]
    fn what_is_cut_short_is_refused() {
        for text in ["", "3", "3:ab", "x:ab", ":", "-1:a", "1:é"] {
            assert_eq!(
                Request::new(text.as_bytes()).word(),
                Err(Misunderstood::Missing),
                "{text}"
            );
        }
        assert_eq!(
            Request::new(b"2:ab").number::<f64>(),
            Err(Misunderstood::NoNumber)
        );
        assert_eq!(Request::new(b"2:ab").pairs(), Err(Misunderstood::Missing));
    }
}

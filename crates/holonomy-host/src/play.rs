//! The playground: a page that holds the engine, and a model in the fragment of its address.
use flate2::{Compression, write::DeflateEncoder};
use std::io::Write;

/// The page. It needs nothing beside itself.
pub const PLAYGROUND: &[u8] = include_bytes!("../assets/playground.html");

/// A model for the playground to open with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opened<'a> {
    /// A scenario, by its name.
    Scenario(&'a str),
    /// A model, by its text.
    Text(&'a str),
}

/// The fragment of an address, with its `#`, that makes the playground open a model. The text is in it, as raw deflate
/// in base64url; a fragment is never sent to a server.
pub fn fragment(model: Opened) -> String {
    match model {
        Opened::Scenario(name) => format!("#scenario={name}"),
        Opened::Text(text) => {
            let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
            // A vector takes everything.
            let bytes = encoder.write_all(text.as_bytes()).and_then(|()| encoder.finish());
            format!("#model={}", base64url(&bytes.unwrap_or_default()))
        }
    }
}

/// Base64 with the letters that an address may hold, without padding.
fn base64url(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let at = |index: usize| u32::from(three.get(index).copied().unwrap_or(0));
        let bits = at(0) << 16 | at(1) << 8 | at(2);
        for place in 0..=three.len() {
            text.push(char::from(LETTERS[(bits >> (18 - 6 * place) & 63) as usize]));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::read::DeflateDecoder;
    use std::io::Read;

    #[test]
    fn base64url_is_that_of_rfc_4648() {
        // Section 10, without padding, and the two letters that differ.
        for (plain, coded) in [
            ("", ""),
            ("f", "Zg"),
            ("fo", "Zm8"),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg"),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(base64url(plain.as_bytes()), coded);
        }
        assert_eq!(base64url(&[0xfb, 0xff]), "-_8");
    }

    #[test]
    fn a_text_comes_back_from_its_fragment() {
        let text = "title = \"θ\"\n".repeat(50);
        let fragment = fragment(Opened::Text(&text));
        let coded = fragment.strip_prefix("#model=").expect("a model");
        assert!(
            coded.len() < text.len() / 5
                && coded
                    .bytes()
                    .all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b))
        );
        let value = |letter: u8| match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'-' => 62,
            _ => 63,
        };
        let mut bits = Vec::new();
        for letter in coded.bytes() {
            bits.extend((0..6).rev().map(|place| value(letter) >> place & 1));
        }
        let bytes: Vec<u8> = bits
            .chunks_exact(8)
            .map(|eight| eight.iter().fold(0, |byte, bit| byte << 1 | bit))
            .collect();
        let mut back = String::new();
        DeflateDecoder::new(&bytes[..])
            .read_to_string(&mut back)
            .expect("raw deflate");
        assert_eq!(back, text);
    }
}

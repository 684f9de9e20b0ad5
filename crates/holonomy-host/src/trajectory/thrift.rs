//! The compact protocol of Apache Thrift, as far as the metadata of a Parquet file need it.
//!
//! A field is a byte that holds its distance from the field before and its type, then its value; a zero byte ends a
//! struct. Integers are zigzag varints.
use std::io::{self, Write};

/// Writes structs and lists.
pub(crate) struct Thrift<W> {
    out: W,
    /// Bytes written.
    pub(crate) written: u64,
    /// The last field of each struct that is open.
    fields: Vec<u8>,
}

const I32: u8 = 5;
const I64: u8 = 6;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const STRUCT: u8 = 12;

/// What a list holds.
#[derive(Clone, Copy)]
#[repr(u8)]
pub(crate) enum Element {
    Integer = I32,
    Text = BINARY,
    Struct = STRUCT,
}

impl<W: Write> Thrift<W> {
    pub(crate) fn new(out: W) -> Self {
        Self {
            out,
            written: 0,
            fields: Vec::new(),
        }
    }

    pub(crate) fn into_inner(self) -> W {
        self.out
    }

    /// Begins a struct that is the whole message or an element of a list.
    pub(crate) fn begin(&mut self) {
        self.fields.push(0);
    }

    /// Ends a struct.
    pub(crate) fn end(&mut self) -> io::Result<()> {
        self.fields.pop();
        self.bytes(&[0])
    }

    pub(crate) fn i32(&mut self, field: u8, value: i32) -> io::Result<()> {
        self.field(field, I32)?;
        self.integer(i64::from(value))
    }

    pub(crate) fn i64(&mut self, field: u8, value: u64) -> io::Result<()> {
        self.field(field, I64)?;
        // Sizes and offsets of files stay far below the sign bit.
        self.integer(value as i64)
    }

    pub(crate) fn text(&mut self, field: u8, text: &str) -> io::Result<()> {
        self.field(field, BINARY)?;
        self.text_element(text)
    }

    /// Begins a struct that is a field.
    pub(crate) fn begin_field(&mut self, field: u8) -> io::Result<()> {
        self.field(field, STRUCT)?;
        self.begin();
        Ok(())
    }

    /// Begins a list of so many elements.
    pub(crate) fn list(&mut self, field: u8, element: Element, length: usize) -> io::Result<()> {
        self.field(field, LIST)?;
        let kind = element as u8;
        match u8::try_from(length) {
            Ok(length @ 0..15) => self.bytes(&[length << 4 | kind]),
            _ => {
                self.bytes(&[0xf0 | kind])?;
                self.varint(length as u64)
            }
        }
    }

    /// An element of a list of integers.
    pub(crate) fn integer(&mut self, value: i64) -> io::Result<()> {
        self.varint((value << 1 ^ value >> 63) as u64)
    }

    /// An element of a list of texts.
    pub(crate) fn text_element(&mut self, text: &str) -> io::Result<()> {
        self.varint(text.len() as u64)?;
        self.bytes(text.as_bytes())
    }

    fn field(&mut self, field: u8, kind: u8) -> io::Result<()> {
        let Some(last) = self.fields.last_mut() else {
            unreachable!("a field stands in a struct");
        };
        let distance = field - *last;
        *last = field;
        debug_assert!(
            (1..=15).contains(&distance),
            "fields of Parquet are close together"
        );
        self.bytes(&[distance << 4 | kind])
    }

    fn varint(&mut self, mut value: u64) -> io::Result<()> {
        let mut bytes = [0; 10];
        let mut length = 0;
        while value >= 0x80 {
            bytes[length] = value as u8 | 0x80;
            value >>= 7;
            length += 1;
        }
        bytes[length] = value as u8;
        self.bytes(&bytes[..=length])
    }

    fn bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.written += bytes.len() as u64;
        self.out.write_all(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_struct_is_written_as_the_specification_says() -> io::Result<()> {
        let mut thrift = Thrift::new(Vec::new());
        thrift.begin();
        thrift.i32(1, -1)?;
        thrift.i64(3, 150)?;
        thrift.text(4, "hi")?;
        thrift.list(5, Element::Integer, 2)?;
        thrift.integer(0)?;
        thrift.integer(-64)?;
        thrift.begin_field(9)?;
        thrift.i32(2, 1)?;
        thrift.end()?;
        thrift.list(10, Element::Struct, 15)?;
        thrift.end()?;
        let expected = [
            0x15, 1, 0x26, 0xac, 2, 0x18, 2, b'h', b'i', 0x19, 0x25, 0, 127, 0x4c, 0x25, 2, 0, 0x19, 0xfc,
            15, 0,
        ];
        assert_eq!(thrift.written, expected.len() as u64);
        assert_eq!(thrift.into_inner(), expected);
        Ok(())
    }
}

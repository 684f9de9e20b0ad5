use super::Unreadable;
use serde::ser::{self, Serialize};

#[derive(Default)]
pub(super) struct Bytes {
    pub(super) bytes: Vec<u8>,
}

impl Bytes {
    fn word(&mut self, word: u64) -> Result<(), Unreadable> {
        self.bytes.extend(word.to_le_bytes());
        Ok(())
    }

    fn variant(&mut self, index: u32) {
        self.bytes.extend(index.to_le_bytes());
    }
}

/// Integers of every width are stored as eight bytes.
macro_rules! words {
    ($($name:ident: $kind:ty),*) => {
        $(fn $name(self, x: $kind) -> Result<(), Unreadable> {
            self.word(x as u64)
        })*
    };
}

impl ser::Serializer for &mut Bytes {
    type Ok = ();
    type Error = Unreadable;
    type SerializeSeq = Self;
    type SerializeTuple = Self;
    type SerializeTupleStruct = Self;
    type SerializeTupleVariant = Self;
    type SerializeMap = Self;
    type SerializeStruct = Self;
    type SerializeStructVariant = Self;

    fn is_human_readable(&self) -> bool {
        false
    }

    words!(serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64);
    words!(serialize_u8: u8, serialize_u16: u16, serialize_u32: u32, serialize_u64: u64);

    fn serialize_u128(self, x: u128) -> Result<(), Unreadable> {
        self.bytes.extend(x.to_le_bytes());
        Ok(())
    }

    fn serialize_bool(self, x: bool) -> Result<(), Unreadable> {
        self.bytes.push(u8::from(x));
        Ok(())
    }

    fn serialize_f32(self, x: f32) -> Result<(), Unreadable> {
        self.serialize_f64(f64::from(x))
    }

    fn serialize_f64(self, x: f64) -> Result<(), Unreadable> {
        self.word(x.to_bits())
    }

    fn serialize_char(self, x: char) -> Result<(), Unreadable> {
        self.word(u64::from(u32::from(x)))
    }

    fn serialize_str(self, text: &str) -> Result<(), Unreadable> {
        self.serialize_bytes(text.as_bytes())
    }

    fn serialize_bytes(self, bytes: &[u8]) -> Result<(), Unreadable> {
        self.word(bytes.len() as u64)?;
        self.bytes.extend(bytes);
        Ok(())
    }

    fn serialize_none(self) -> Result<(), Unreadable> {
        self.serialize_bool(false)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Unreadable> {
        self.bytes.push(1);
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), Unreadable> {
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), Unreadable> {
        Ok(())
    }

    fn serialize_unit_variant(self, _: &'static str, index: u32, _: &'static str) -> Result<(), Unreadable> {
        self.variant(index);
        Ok(())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<(), Unreadable> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        index: u32,
        _: &'static str,
        value: &T,
    ) -> Result<(), Unreadable> {
        self.variant(index);
        value.serialize(self)
    }

    fn serialize_seq(self, length: Option<usize>) -> Result<Self, Unreadable> {
        self.word(length.ok_or(Unreadable)? as u64)?;
        Ok(self)
    }

    fn serialize_tuple(self, _: usize) -> Result<Self, Unreadable> {
        Ok(self)
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Self, Unreadable> {
        Ok(self)
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        index: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self, Unreadable> {
        self.variant(index);
        Ok(self)
    }

    fn serialize_map(self, length: Option<usize>) -> Result<Self, Unreadable> {
        self.serialize_seq(length)
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Self, Unreadable> {
        Ok(self)
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        index: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self, Unreadable> {
        self.variant(index);
        Ok(self)
    }
}

/// Parts follow each other without anything between them.
macro_rules! parts {
    ($($kind:ident: $name:ident),*) => {
        $(impl ser::$kind for &mut Bytes {
            type Ok = ();
            type Error = Unreadable;

            fn $name<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Unreadable> {
                value.serialize(&mut **self)
            }

            fn end(self) -> Result<(), Unreadable> {
                Ok(())
            }
        })*
    };
}

parts!(
    SerializeSeq: serialize_element,
    SerializeTuple: serialize_element,
    SerializeTupleStruct: serialize_field,
    SerializeTupleVariant: serialize_field
);

macro_rules! fields {
    ($($kind:ident),*) => {
        $(impl ser::$kind for &mut Bytes {
            type Ok = ();
            type Error = Unreadable;

            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                _: &'static str,
                value: &T,
            ) -> Result<(), Unreadable> {
                value.serialize(&mut **self)
            }

            /// A field that is left out here would not be missed when it is read.
            fn skip_field(&mut self, _: &'static str) -> Result<(), Unreadable> {
                Err(Unreadable)
            }

            fn end(self) -> Result<(), Unreadable> {
                Ok(())
            }
        })*
    };
}

fields!(SerializeStruct, SerializeStructVariant);

impl ser::SerializeMap for &mut Bytes {
    type Ok = ();
    type Error = Unreadable;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Unreadable> {
        key.serialize(&mut **self)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Unreadable> {
        value.serialize(&mut **self)
    }

    fn end(self) -> Result<(), Unreadable> {
        Ok(())
    }
}

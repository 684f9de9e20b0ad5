use super::Unreadable;
use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, IntoDeserializer, MapAccess, SeqAccess, VariantAccess, Visitor,
};

/// Bytes that are not read yet.
pub(super) struct Left<'b> {
    pub(super) bytes: &'b [u8],
}

impl<'b> Left<'b> {
    fn array<const N: usize>(&mut self) -> Result<[u8; N], Unreadable> {
        let (first, rest) = self.bytes.split_first_chunk().ok_or(Unreadable)?;
        self.bytes = rest;
        Ok(*first)
    }

    fn word(&mut self) -> Result<u64, Unreadable> {
        self.array().map(u64::from_le_bytes)
    }

    fn flag(&mut self) -> Result<bool, Unreadable> {
        match self.array()? {
            [0] => Ok(false),
            [1] => Ok(true),
            _ => Err(Unreadable),
        }
    }

    /// A length, which cannot be larger than the bytes that are left.
    fn length(&mut self) -> Result<usize, Unreadable> {
        let length = usize::try_from(self.word()?).map_err(|_| Unreadable)?;
        match length <= self.bytes.len() {
            true => Ok(length),
            false => Err(Unreadable),
        }
    }

    fn block(&mut self) -> Result<&'b [u8], Unreadable> {
        let length = self.length()?;
        let (block, rest) = self.bytes.split_at(length);
        self.bytes = rest;
        Ok(block)
    }

    fn text(&mut self) -> Result<&'b str, Unreadable> {
        std::str::from_utf8(self.block()?).map_err(|_| Unreadable)
    }
}

/// Integers of every width are stored as eight bytes.
macro_rules! words {
    ($($name:ident, $visit:ident: $kind:ty),*) => {
        $(fn $name<V: Visitor<'b>>(self, visitor: V) -> Result<V::Value, Unreadable> {
            visitor.$visit(self.word()? as $kind)
        })*
    };
}

impl<'b> Deserializer<'b> for &mut Left<'b> {
    type Error = Unreadable;

    fn is_human_readable(&self) -> bool {
        false
    }

    fn deserialize_any<V: Visitor<'b>>(self, _: V) -> Result<V::Value, Unreadable> {
        Err(Unreadable)
    }

    fn deserialize_ignored_any<V: Visitor<'b>>(self, _: V) -> Result<V::Value, Unreadable> {
        Err(Unreadable)
    }

    fn deserialize_identifier<V: Visitor<'b>>(self, _: V) -> Result<V::Value, Unreadable> {
        Err(Unreadable)
    }

    words!(deserialize_i8, visit_i8: i8, deserialize_i16, visit_i16: i16);
    words!(deserialize_i32, visit_i32: i32, deserialize_i64, visit_i64: i64);
    words!(deserialize_u8, visit_u8: u8, deserialize_u16, visit_u16: u16);
    words!(deserialize_u32, visit_u32: u32, deserialize_u64, visit_u64: u64);

    fn deserialize_u128<V: Visitor<'b>>(self, visitor: V) -> Result<V::Value, Unreadable> {
        visitor.visit_u128(self.array().map(u128::from_le_bytes)?)
    }

    fn deserialize_bool<V: Visitor<'b>>(self, visitor: V) -> Result<V::Value, Unreadable> {
        visitor.visit_bool(self.flag()?)
    }

    fn deserialize_f32<V: Visitor<'b>>(self, visitor: V) -> Result<V::Value, Unreadable> {
        visitor.visit_f32(f64::from_bits(self.word()?) as f32)
    }

    fn deserialize_f64<V: Visitor<'b>>(self, visitor: V) -> Result<V::Value, Unreadable> {
        visitor.visit_f64(f64::from_bits(self.word()?))
    }

    fn deserialize_char<V: Visitor<'b>>(self, visitor: V) -> Result<V::Value, Unreadable> {
        let letter = u32::try_from(self.word()?).ok().and_then(char::from_u32);
        visitor.visit_char(letter.ok_or(Unreadable)?)
    }

    fn deserialize_str<V: Visitor<'b>>(self, visitor: V) -> Result<V::Value, Unreadable> {
        visitor.visit_borrowed_str(self.text()?)
    }

    fn deserialize_string<V: Visitor<'b>>(self, visitor: V) -> Result<V::Value, Unreadable> {
        self.deserialize_str(visitor)
    }

    fn deserialize_bytes<V: Visitor<'b>>(self, visitor: V) -> Result<V::Value, Unreadable> {
        visitor.visit_borrowed_bytes(self.block()?)
    }

    fn deserialize_byte_buf<V: Visitor<'b>>(self, visitor: V) -> Result<V::Value, Unreadable> {
        self.deserialize_bytes(visitor)
    }

    fn deserialize_option<V: Visitor<'b>>(self, visitor: V) -> Result<V::Value, Unreadable> {
        match self.flag()? {
            true => visitor.visit_some(self),
            false => visitor.visit_none(),
        }
    }

    fn deserialize_unit<V: Visitor<'b>>(self, visitor: V) -> Result<V::Value, Unreadable> {
        visitor.visit_unit()
    }

    fn deserialize_unit_struct<V: Visitor<'b>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Unreadable> {
        visitor.visit_unit()
    }

    fn deserialize_newtype_struct<V: Visitor<'b>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Unreadable> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'b>>(self, visitor: V) -> Result<V::Value, Unreadable> {
        let count = self.length()?;
        visitor.visit_seq(Parts { left: self, count })
    }

    fn deserialize_tuple<V: Visitor<'b>>(self, count: usize, visitor: V) -> Result<V::Value, Unreadable> {
        visitor.visit_seq(Parts { left: self, count })
    }

    fn deserialize_tuple_struct<V: Visitor<'b>>(
        self,
        _: &'static str,
        count: usize,
        visitor: V,
    ) -> Result<V::Value, Unreadable> {
        self.deserialize_tuple(count, visitor)
    }

    fn deserialize_map<V: Visitor<'b>>(self, visitor: V) -> Result<V::Value, Unreadable> {
        let count = self.length()?;
        visitor.visit_map(Parts { left: self, count })
    }

    fn deserialize_struct<V: Visitor<'b>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Unreadable> {
        self.deserialize_tuple(fields.len(), visitor)
    }

    fn deserialize_enum<V: Visitor<'b>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Unreadable> {
        visitor.visit_enum(self)
    }
}

/// So many values, one after the other.
struct Parts<'l, 'b> {
    left: &'l mut Left<'b>,
    count: usize,
}

impl<'b> SeqAccess<'b> for Parts<'_, 'b> {
    type Error = Unreadable;

    fn next_element_seed<T: DeserializeSeed<'b>>(&mut self, seed: T) -> Result<Option<T::Value>, Unreadable> {
        if self.count == 0 {
            return Ok(None);
        }
        self.count -= 1;
        seed.deserialize(&mut *self.left).map(Some)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.count)
    }
}

impl<'b> MapAccess<'b> for Parts<'_, 'b> {
    type Error = Unreadable;

    fn next_key_seed<K: DeserializeSeed<'b>>(&mut self, seed: K) -> Result<Option<K::Value>, Unreadable> {
        self.next_element_seed(seed)
    }

    fn next_value_seed<V: DeserializeSeed<'b>>(&mut self, seed: V) -> Result<V::Value, Unreadable> {
        seed.deserialize(&mut *self.left)
    }
}

impl<'b> EnumAccess<'b> for &mut Left<'b> {
    type Error = Unreadable;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'b>>(self, seed: V) -> Result<(V::Value, Self), Unreadable> {
        let index = self.array().map(u32::from_le_bytes)?;
        Ok((seed.deserialize(index.into_deserializer())?, self))
    }
}

impl<'b> VariantAccess<'b> for &mut Left<'b> {
    type Error = Unreadable;

    fn unit_variant(self) -> Result<(), Unreadable> {
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'b>>(self, seed: T) -> Result<T::Value, Unreadable> {
        seed.deserialize(self)
    }

    fn tuple_variant<V: Visitor<'b>>(self, count: usize, visitor: V) -> Result<V::Value, Unreadable> {
        self.deserialize_tuple(count, visitor)
    }

    fn struct_variant<V: Visitor<'b>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Unreadable> {
        self.deserialize_tuple(fields.len(), visitor)
    }
}

//! The compact protocol of Apache Thrift, read from bytes that may hold anything; its writer is beside.
use super::Flaw;

/// Reads structs field by field.
pub(super) struct ThriftReader<'a> {
    rest: &'a [u8],
    /// The last field of each struct that is open.
    fields: Vec<i64>,
}

/// What a field holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    True,
    False,
    Byte,
    Integer,
    Double,
    Binary,
    List,
    Struct,
}

/// Structs within structs; those of Parquet are far less deep.
const DEEPEST: usize = 16;

impl<'a> ThriftReader<'a> {
    /// At the beginning of a struct.
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self {
            rest: bytes,
            fields: vec![0],
        }
    }

    /// Enters a struct that is a field or an element of a list. It is left where its fields end.
    pub(super) fn begin(&mut self) {
        self.fields.push(0);
    }

    /// The next field of the innermost struct; `None` at its end.
    pub(super) fn field(&mut self) -> Result<Option<(i64, Kind)>, Flaw> {
        let byte = self.byte()?;
        if byte == 0 {
            self.fields.pop();
            return Ok(None);
        }
        let distance = i64::from(byte >> 4);
        let explicit = if distance == 0 {
            Some(self.integer()?)
        } else {
            None
        };
        let last = self.fields.last_mut().ok_or(Flaw::Damaged)?;
        *last = match explicit {
            Some(field) => field,
            None => last.checked_add(distance).ok_or(Flaw::Damaged)?,
        };
        Ok(Some((*last, kind(byte)?)))
    }

    pub(super) fn integer(&mut self) -> Result<i64, Flaw> {
        let value = self.varint()?;
        Ok((value >> 1) as i64 ^ -((value & 1) as i64))
    }

    pub(super) fn text(&mut self) -> Result<String, Flaw> {
        let bytes = self.binary()?;
        String::from_utf8(bytes.to_owned()).map_err(|_| Flaw::Damaged)
    }

    /// The number of elements of a list of structs.
    pub(super) fn list(&mut self) -> Result<usize, Flaw> {
        match self.list_of()? {
            (Kind::Struct, count) => Ok(count),
            _ => Err(Flaw::Damaged),
        }
    }

    /// Passes over the value of a field.
    pub(super) fn skip(&mut self, kind: Kind) -> Result<(), Flaw> {
        match kind {
            Kind::True | Kind::False => {}
            Kind::Byte => _ = self.byte()?,
            Kind::Integer => _ = self.varint()?,
            Kind::Double => _ = self.take(8)?,
            Kind::Binary => _ = self.binary()?,
            Kind::List => {
                let (element, count) = self.list_of()?;
                for _ in 0..count {
                    match element {
                        // In a list a truth value takes a byte.
                        Kind::True | Kind::False => _ = self.byte()?,
                        other => self.skip(other)?,
                    }
                }
            }
            Kind::Struct => {
                if self.fields.len() >= DEEPEST {
                    return Err(Flaw::Damaged);
                }
                self.begin();
                while let Some((_, kind)) = self.field()? {
                    self.skip(kind)?;
                }
            }
        }
        Ok(())
    }

    fn list_of(&mut self) -> Result<(Kind, usize), Flaw> {
        let byte = self.byte()?;
        let count = match byte >> 4 {
            15 => self.varint()?,
            few => u64::from(few),
        };
        // Every element takes a byte at least.
        let count = usize::try_from(count)
            .ok()
            .filter(|count| *count <= self.rest.len());
        Ok((kind(byte)?, count.ok_or(Flaw::Damaged)?))
    }

    fn binary(&mut self) -> Result<&'a [u8], Flaw> {
        let length = usize::try_from(self.varint()?).map_err(|_| Flaw::Damaged)?;
        self.take(length)
    }

    fn varint(&mut self) -> Result<u64, Flaw> {
        let mut value = 0;
        for place in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << place;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(Flaw::Damaged)
    }

    fn byte(&mut self) -> Result<u8, Flaw> {
        Ok(self.take(1)?[0])
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], Flaw> {
        let (these, others) = self.rest.split_at_checked(count).ok_or(Flaw::Damaged)?;
        self.rest = others;
        Ok(these)
    }
}

fn kind(byte: u8) -> Result<Kind, Flaw> {
    Ok(match byte & 15 {
        1 => Kind::True,
        2 => Kind::False,
        3 => Kind::Byte,
        4..=6 => Kind::Integer,
        7 => Kind::Double,
        8 => Kind::Binary,
        9 => Kind::List,
        12 => Kind::Struct,
        _ => return Err(Flaw::Damaged),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_bytes_are_read_or_refused() {
        // A small generator; what matters is that nothing panics, loops or takes all memory.
        let mut seed = 1_u64;
        for length in 0..3000 {
            let mut bytes: Vec<u8> = Vec::new();
            for _ in 0..length % 97 {
                seed = seed
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                // Small bytes make structs and lists.
                bytes.push((seed >> 56) as u8 & if length % 2 == 0 { 0xff } else { 0x1f });
            }
            let mut thrift = ThriftReader::new(&bytes);
            while let Ok(Some((_, kind))) = thrift.field() {
                if thrift.skip(kind).is_err() {
                    break;
                }
            }
        }
    }
}

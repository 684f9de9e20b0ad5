//! Numbers that may not be finite: JSON has no word for them but `null`. What is read back is not a number. Formats that
//! people do not read keep the number as it is.
//!
//! For `#[serde(with = "number::nullable")]`.
use holonomy::Vec3;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::DeserializeOwned};
use std::collections::VecDeque;

/// Numbers, or lists of them, with a form in which each may be missing.
pub(crate) trait Nullable: Sized {
    /// That form.
    type Written: Serialize + DeserializeOwned;
    fn written(&self) -> Self::Written;
    fn read(written: Self::Written) -> Self;
}

pub(crate) fn serialize<T: Nullable, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
    value.written().serialize(serializer)
}

pub(crate) fn deserialize<'de, T: Nullable, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    T::Written::deserialize(deserializer).map(T::read)
}

/// A number as it is written.
pub(crate) struct Word(f64);

impl Serialize for Word {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match serializer.is_human_readable() && !self.0.is_finite() {
            true => serializer.serialize_none(),
            false => serializer.serialize_f64(self.0),
        }
    }
}

impl<'de> Deserialize<'de> for Word {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match deserializer.is_human_readable() {
            true => Option::deserialize(deserializer).map(|x| Self(x.unwrap_or(f64::NAN))),
            false => f64::deserialize(deserializer).map(Self),
        }
    }
}

impl Nullable for f64 {
    type Written = Word;

    fn written(&self) -> Self::Written {
        Word(*self)
    }

    fn read(Word(number): Self::Written) -> Self {
        number
    }
}

impl<A: Nullable, B: Nullable> Nullable for (A, B) {
    type Written = (A::Written, B::Written);

    fn written(&self) -> Self::Written {
        (self.0.written(), self.1.written())
    }

    fn read((a, b): Self::Written) -> Self {
        (A::read(a), B::read(b))
    }
}

impl<T: Nullable> Nullable for [T; 3] {
    type Written = [T::Written; 3];

    fn written(&self) -> Self::Written {
        self.each_ref().map(T::written)
    }

    fn read(written: Self::Written) -> Self {
        written.map(T::read)
    }
}

impl Nullable for Vec3 {
    type Written = [Word; 3];

    fn written(&self) -> Self::Written {
        [self.x, self.y, self.z].written()
    }

    fn read(written: Self::Written) -> Self {
        <[f64; 3]>::read(written).into()
    }
}

impl<T: Nullable> Nullable for Option<T> {
    type Written = Option<T::Written>;

    fn written(&self) -> Self::Written {
        self.as_ref().map(T::written)
    }

    fn read(written: Self::Written) -> Self {
        written.map(T::read)
    }
}

impl<T: Nullable> Nullable for Vec<T> {
    type Written = Vec<T::Written>;

    fn written(&self) -> Self::Written {
        self.iter().map(T::written).collect()
    }

    fn read(written: Self::Written) -> Self {
        written.into_iter().map(T::read).collect()
    }
}

impl<T: Nullable> Nullable for VecDeque<T> {
    type Written = Vec<T::Written>;

    fn written(&self) -> Self::Written {
        self.iter().map(T::written).collect()
    }

    fn read(written: Self::Written) -> Self {
        written.into_iter().map(T::read).collect()
    }
}

//! Numbers that may not be finite: JSON has no word for them but `null`. What is read back is not a number.
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

impl Nullable for f64 {
    type Written = Option<Self>;

    fn written(&self) -> Self::Written {
        self.is_finite().then_some(*self)
    }

    fn read(written: Self::Written) -> Self {
        written.unwrap_or(Self::NAN)
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
    type Written = [Option<f64>; 3];

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

//! Sections declared once: the struct, its table of keys, reading and writing.

/// Declares a section: from its keys come the struct, [`Keys`](super::Keys), reading from values and writing to them.
macro_rules! section {
    ($(#[doc = $about:literal])+ $name:ident {
        $($(#[doc = $doc:literal])+ $field:ident $(= $key:literal)? : $type:ty, $need:ident $kind:expr;)*
    }) => {
        $(#[doc = $about])+
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct $name {
            $($(#[doc = $doc])+ pub $field: $type,)*
        }

        impl $name {
            /// Its keys.
            pub const KEYS: &'static [Key] = &[$(Key {
                name: section!(@name $field $($key)?),
                kind: $kind,
                required: section!(@need $need),
                about: section!(@about concat!($($doc),+)),
            }),*];
            /// It as a section of one kind.
            pub const SECTION: Keys = Keys {
                about: section!(@about concat!($($about),+)),
                kinds: &[("", Self::KEYS)],
            };
        }

        impl crate::spec::entry::Entry for $name {
            fn read(
                value: &crate::value::Value,
                path: &crate::path::Path,
                problems: &crate::problem::Problems,
            ) -> Option<Self> {
                let table = crate::spec::entry::table(value, path, Self::KEYS, problems)?;
                $(let $field = crate::spec::entry::Slot::take(
                    table.get(section!(@name $field $($key)?)),
                    &path.key(section!(@name $field $($key)?)),
                    problems,
                );)*
                Some(Self { $($field: $field?),* })
            }

            fn write(&self) -> crate::value::Value {
                let mut table = crate::value::Table::new();
                $(if let Some(value) = crate::spec::entry::Slot::give(&self.$field) {
                    table.insert(section!(@name $field $($key)?), value);
                })*
                table.into()
            }
        }
    };
    (@name $field:ident) => { stringify!($field) };
    (@name $field:ident $key:literal) => { $key };
    (@need required) => { true };
    (@need optional) => { false };
    (@about $text:expr) => { if cfg!(feature = "documents") { $text } else { "" } };
}

/// Declares a section of several kinds, told apart by the key `kind`.
macro_rules! kinds {
    ($(#[doc = $about:literal])+ $name:ident { $($(#[doc = $doc:literal])+ $variant:ident($type:ident) = $kind:literal,)+ }) => {
        $(#[doc = $about])+
        #[derive(Clone, Debug, PartialEq)]
        pub enum $name {
            $($(#[doc = $doc])+ $variant($type),)+
        }

        impl $name {
            /// The keys of each kind.
            pub const SECTION: Keys = Keys {
                about: section!(@about concat!($($about),+)),
                kinds: &[$(($kind, $type::KEYS)),+],
            };
        }

        impl crate::spec::entry::Entry for $name {
            fn read(
                value: &crate::value::Value,
                path: &crate::path::Path,
                problems: &crate::problem::Problems,
            ) -> Option<Self> {
                let (kind, rest) = crate::spec::entry::kind(value, path, &[$($kind),+], problems)?;
                match kind {
                    $($kind => crate::spec::entry::Entry::read(&rest, path, problems).map(Self::$variant),)+
                    _ => None,
                }
            }

            fn write(&self) -> crate::value::Value {
                match self {
                    $(Self::$variant(part) => crate::spec::entry::of_kind($kind, part),)+
                }
            }
        }

        $(impl From<$type> for $name {
            fn from(part: $type) -> Self {
                Self::$variant(part)
            }
        })+
    };
}

/// Declares a choice between words.
macro_rules! choice {
    ($(#[doc = $about:literal])+ $name:ident { $($(#[doc = $doc:literal])+ $variant:ident = $word:literal,)+ }) => {
        $(#[doc = $about])+
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name {
            $($(#[doc = $doc])+ $variant,)+
        }

        impl $name {
            /// The words for them.
            pub const WORDS: &'static [&'static str] = &[$($word),+];
        }

        /// The first of them.
        impl Default for $name {
            fn default() -> Self {
                [$(Self::$variant),+][0]
            }
        }

        impl crate::spec::entry::Entry for $name {
            fn read(
                value: &crate::value::Value,
                path: &crate::path::Path,
                problems: &crate::problem::Problems,
            ) -> Option<Self> {
                match crate::spec::entry::word(value, path, Self::WORDS, problems)? {
                    $($word => Some(Self::$variant),)+
                    _ => None,
                }
            }

            fn write(&self) -> crate::value::Value {
                match self {
                    $(Self::$variant => $word.into(),)+
                }
            }
        }
    };
}

pub(super) use {choice, kinds, section};

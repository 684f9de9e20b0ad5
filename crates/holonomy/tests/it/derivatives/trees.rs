//! Trees.

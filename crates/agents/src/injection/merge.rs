//! Merging our configuration into a copy of theirs.

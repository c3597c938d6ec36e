//! Hash maps whose hasher has no seed: the component has no randomness, and nothing may hang on one.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, DefaultHasher};

/// A map for look-ups. Its order means nothing and is never shown.
pub(crate) type FixedHashMap<K, V> = HashMap<K, V, BuildHasherDefault<DefaultHasher>>;

/// A set for look-ups.
pub(crate) type FixedHashSet<K> = HashSet<K, BuildHasherDefault<DefaultHasher>>;

//! Tables of what cells refer to: styles, clusters and links, each stored once.
//!
//! Tables only grow until a sweep: when one has doubled since the last sweep, the terminal marks what its grids still
//! use, and the rest is dropped. History keeps copies of its own and is not involved.

use std::{collections::HashMap, hash::BuildHasherDefault, num::NonZeroU32, sync::Arc};

use crate::{
    cell::{ClusterId, StyleId},
    style::{LinkId, LinkTarget, SharedLink, Style},
};

/// Tables smaller than this are never swept.
const SWEEP_FLOOR: usize = 1024;
/// A direct-mapped cache: a repaint that alternates between a few styles never reaches the map.
const CACHE: usize = 64;
/// Longest cluster, with more marks than any script stacks. Further marks are dropped.
pub const MAX_CLUSTER_BYTES: usize = 64;
/// Longest link target and id; longer links are ignored.
const MAX_LINK: usize = 4096;

#[derive(Default, Clone, Debug)]
pub(crate) struct StyleHasher(u64);

impl std::hash::Hasher for StyleHasher {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }
    fn write_u8(&mut self, value: u8) {
        self.write_u64(u64::from(value));
    }
    fn write_u16(&mut self, value: u16) {
        self.write_u64(u64::from(value));
    }
    fn write_u32(&mut self, value: u32) {
        self.write_u64(u64::from(value));
    }
    fn write_u64(&mut self, value: u64) {
        // Fibonacci hashing with one multiplication per word. A child chooses the colours and so the keys, but the
        // sweep bounds the table and with it the worst case.
        // colours, whose worst case is bounded by the sweep.
        self.0 = (self.0.rotate_left(23) ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
    fn write_isize(&mut self, value: isize) {
        self.write_u64(value as u64);
    }
}

#[derive(Debug)]
pub(crate) struct StyleTable {
    styles: Vec<Style>,
    ids: HashMap<Style, StyleId, BuildHasherDefault<StyleHasher>>,
    cache: [StyleId; CACHE],
    sweep_at: usize,
}

impl StyleTable {
    pub(crate) fn new() -> Self {
        let mut table = StyleTable {
            styles: Vec::new(),
            ids: HashMap::default(),
            cache: [StyleId(0); CACHE],
            sweep_at: SWEEP_FLOOR,
        };
        table.insert(Style::default());
        table
    }

    #[inline]
    pub(crate) fn get(&self, id: StyleId) -> &Style {
        &self.styles[id.0 as usize]
    }

    #[inline]
    pub(crate) fn intern(&mut self, style: &Style) -> StyleId {
        let slot = cache_slot(style);
        let cached = self.cache[slot];
        if self.styles[cached.0 as usize] == *style {
            return cached;
        }
        let id = match self.ids.get(style) {
            Some(&id) => id,
            None => self.insert(*style),
        };
        self.cache[slot] = id;
        id
    }

    fn insert(&mut self, style: Style) -> StyleId {
        let id = StyleId(self.styles.len() as u32);
        self.styles.push(style);
        self.ids.insert(style, id);
        id
    }

    pub(crate) fn wants_sweep(&self) -> bool {
        self.styles.len() >= self.sweep_at
    }

    /// Keeps only the styles that `used` marks (and the default). Returns the new id of every old one.
    pub(crate) fn sweep(&mut self, used: &[bool]) -> Vec<StyleId> {
        let old = std::mem::take(&mut self.styles);
        self.ids.clear();
        self.cache = [StyleId(0); CACHE];
        let mut renamed = vec![StyleId(0); old.len()];
        for (index, style) in old.into_iter().enumerate() {
            if index == 0 || used[index] {
                renamed[index] = self.insert(style);
            }
        }
        self.sweep_at = (self.styles.len() * 2).max(SWEEP_FLOOR);
        renamed
    }

    pub(crate) fn len(&self) -> usize {
        self.styles.len()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Style> {
        self.styles.iter()
    }
}

#[inline]
fn cache_slot(style: &Style) -> usize {
    use std::hash::{Hash, Hasher};
    let mut hasher = StyleHasher::default();
    style.hash(&mut hasher);
    (hasher.finish() >> 58) as usize % CACHE
}

/// Clusters of more than one character.
#[derive(Debug)]
pub(crate) struct ClusterTable {
    clusters: Vec<Arc<str>>,
    ids: HashMap<Arc<str>, ClusterId>,
    sweep_at: usize,
}

impl ClusterTable {
    pub(crate) fn new() -> Self {
        ClusterTable { clusters: Vec::new(), ids: HashMap::new(), sweep_at: SWEEP_FLOOR }
    }

    pub(crate) fn get(&self, id: ClusterId) -> &str {
        &self.clusters[id.0 as usize]
    }

    /// `None` if all numbers are taken; the caller drops the mark.
    pub(crate) fn intern(&mut self, cluster: &str) -> Option<ClusterId> {
        if let Some(&id) = self.ids.get(cluster) {
            return Some(id);
        }
        if self.clusters.len() >= ClusterId::LIMIT {
            return None;
        }
        let id = ClusterId(self.clusters.len() as u32);
        let cluster: Arc<str> = cluster.into();
        self.clusters.push(Arc::clone(&cluster));
        self.ids.insert(cluster, id);
        Some(id)
    }

    pub(crate) fn wants_sweep(&self) -> bool {
        self.clusters.len() >= self.sweep_at
    }

    pub(crate) fn sweep(&mut self, used: &[bool]) -> Vec<ClusterId> {
        let old = std::mem::take(&mut self.clusters);
        self.ids.clear();
        let mut renamed = vec![ClusterId(0); old.len()];
        for (index, cluster) in old.into_iter().enumerate() {
            if used[index] {
                let id = ClusterId(self.clusters.len() as u32);
                self.clusters.push(Arc::clone(&cluster));
                self.ids.insert(cluster, id);
                renamed[index] = id;
            }
        }
        self.sweep_at = (self.clusters.len() * 2).max(SWEEP_FLOOR);
        renamed
    }

    pub(crate) fn len(&self) -> usize {
        self.clusters.len()
    }
}

/// Hyperlinks by id. History and lines hold the links themselves, so dropping an id here loses nothing.
#[derive(Debug, Default)]
pub(crate) struct LinkTable {
    links: HashMap<LinkId, SharedLink>,
    /// Links that the child gave an id, by id and target.
    named: HashMap<(String, String), LinkId>,
    next: u32,
    sweep_at: usize,
}

impl LinkTable {
    pub(crate) fn get(&self, id: LinkId) -> Option<&SharedLink> {
        self.links.get(&id)
    }

    /// The link for these parameters: links with an `id=` are shared, links without are new each time.
    pub(crate) fn open(&mut self, id: &str, uri: &str) -> Option<LinkId> {
        if id.len() > MAX_LINK || uri.len() > MAX_LINK {
            return None;
        }
        let name = (id.to_owned(), uri.to_owned());
        if let Some(&key) = self.named.get(&name) {
            return Some(key);
        }
        self.next = self.next.checked_add(1)?;
        let key = LinkId(NonZeroU32::new(self.next)?);
        self.links.insert(key, Arc::new(LinkTarget { id: id.to_owned(), uri: uri.to_owned(), key }));
        if !id.is_empty() {
            self.named.insert(name, key);
        }
        Some(key)
    }

    /// Re-registers a link kept by history.
    pub(crate) fn adopt(&mut self, link: &SharedLink) {
        self.links.entry(link.key).or_insert_with(|| Arc::clone(link));
    }

    pub(crate) fn wants_sweep(&self) -> bool {
        self.links.len() >= self.sweep_at.max(SWEEP_FLOOR)
    }

    pub(crate) fn sweep(&mut self, used: impl Fn(LinkId) -> bool) {
        self.links.retain(|&id, _| used(id));
        self.named.retain(|_, &mut id| used(id));
        self.sweep_at = self.links.len() * 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Attributes, Color};

    #[test]
    fn styles_are_stored_once_and_survive_a_sweep() {
        let mut table = StyleTable::new();
        let bold = Style { attributes: Attributes::BOLD, ..Style::default() };
        let red = Style { foreground: Color::Indexed(1), ..Style::default() };
        let (bold_id, red_id) = (table.intern(&bold), table.intern(&red));
        assert_eq!(table.intern(&bold), bold_id);
        assert_ne!(bold_id, red_id);
        let renamed = table.sweep(&[false, false, true]);
        assert_eq!(table.get(renamed[red_id.0 as usize]), &red);
        assert_eq!(table.get(StyleId(0)), &Style::default());
        assert_eq!(table.len(), 2);
    }

    #[test]
    fn named_links_are_shared() {
        let mut table = LinkTable::default();
        let first = table.open("a", "https://x").unwrap();
        assert_eq!(table.open("a", "https://x"), Some(first));
        assert_ne!(table.open("", "https://x"), table.open("", "https://x"));
        assert_eq!(table.open("", &"x".repeat(MAX_LINK + 1)), None);
    }
}

//! The last bytes that a child printed, addressed by their absolute offset in the stream.
//!
//! It grows as it fills: an idle session uses memory for what it printed, not for the limit.

/// A bounded byte buffer that drops its oldest bytes.
#[derive(Debug)]
pub(crate) struct Ring {
    /// Byte `o` of the stream is at `o % capacity`; until the first wrap that is simply `o`.
    bytes: Vec<u8>,
    capacity: usize,
    end: u64,
}

/// A copy of part of the raw output.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RawOutput {
    /// Absolute offset of the first byte in `bytes`.
    pub offset: u64,
    pub bytes: Vec<u8>,
    /// Bytes between the requested offset and `offset` that are no longer kept.
    pub dropped: u64,
}

impl RawOutput {
    /// The offset of the next read.
    pub fn next_offset(&self) -> u64 {
        self.offset + self.bytes.len() as u64
    }
}

impl Ring {
    /// `capacity` is at least one byte.
    pub(crate) fn new(capacity: usize) -> Self {
        Ring { bytes: Vec::new(), capacity: capacity.max(1), end: 0 }
    }

    /// Absolute offset after the newest byte: the number of bytes ever printed.
    pub(crate) fn end(&self) -> u64 {
        self.end
    }

    /// Its size in memory.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes.capacity()
    }

    pub(crate) fn start(&self) -> u64 {
        self.end - self.bytes.len() as u64
    }

    pub(crate) fn append(&mut self, bytes: &[u8]) {
        // Only the tail of more than a whole ring can be kept.
        let skipped = bytes.len().saturating_sub(self.capacity);
        if skipped > 0 {
            self.end += skipped as u64;
        }
        let mut rest = &bytes[skipped..];
        if self.bytes.len() < self.capacity && skipped == 0 {
            let fits = rest.len().min(self.capacity - self.bytes.len());
            self.reserve(fits);
            self.bytes.extend_from_slice(&rest[..fits]);
            self.end += fits as u64;
            rest = &rest[fits..];
        } else if self.bytes.len() < self.capacity {
            // The whole ring is about to be overwritten, so the content of its unused part does not matter.
            self.bytes.resize(self.capacity, 0);
        }
        while !rest.is_empty() {
            let at = (self.end % self.capacity as u64) as usize;
            let fits = rest.len().min(self.capacity - at);
            self.bytes[at..at + fits].copy_from_slice(&rest[..fits]);
            self.end += fits as u64;
            rest = &rest[fits..];
        }
    }

    /// Doubles, but never beyond the capacity: `Vec` by itself would grow a 1 MiB ring to 2 MiB.
    fn reserve(&mut self, more: usize) {
        let needed = self.bytes.len() + more;
        if needed > self.bytes.capacity() {
            let target = needed.max(self.bytes.capacity() * 2).max(4096).min(self.capacity);
            self.bytes.reserve_exact(target - self.bytes.len());
        }
    }

    /// At most `max` bytes starting at `since`. An offset beyond the end gives no bytes.
    pub(crate) fn read(&self, since: u64, max: usize) -> RawOutput {
        let since = since.min(self.end);
        let offset = since.max(self.start());
        let len = usize::try_from(self.end - offset).unwrap_or(usize::MAX).min(max);
        let mut bytes = Vec::with_capacity(len);
        while bytes.len() < len {
            let at = ((offset + bytes.len() as u64) % self.capacity as u64) as usize;
            let upto = self.bytes.len().min(at + (len - bytes.len()));
            bytes.extend_from_slice(&self.bytes[at..upto]);
        }
        RawOutput { offset, bytes, dropped: offset - since }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_empty_ring_answers_any_offset() {
        let ring = Ring::new(8);
        assert_eq!(ring.read(0, 10), RawOutput::default());
        assert_eq!(ring.read(99, 10), RawOutput::default());
    }

    #[test]
    fn the_oldest_bytes_go_and_are_counted() {
        let mut ring = Ring::new(4);
        ring.append(b"abcdef");
        assert_eq!(ring.read(0, 10), RawOutput { offset: 2, bytes: b"cdef".to_vec(), dropped: 2 });
        assert_eq!(ring.read(1, 2), RawOutput { offset: 2, bytes: b"cd".to_vec(), dropped: 1 });
        assert_eq!(ring.read(5, 10), RawOutput { offset: 5, bytes: b"f".to_vec(), dropped: 0 });
        assert_eq!(ring.read(6, 10).next_offset(), 6);
    }

    #[test]
    fn it_never_allocates_past_its_capacity() {
        let mut ring = Ring::new(10_000);
        for _ in 0..100 {
            ring.append(&[7; 333]);
        }
        assert_eq!(ring.bytes.capacity(), 10_000);
    }

    #[test]
    fn little_output_costs_little() {
        let mut ring = Ring::new(1 << 20);
        ring.append(b"$ ");
        assert!(ring.bytes.capacity() <= 4096);
    }

    proptest! {
        #[test]
        fn it_always_holds_the_tail_of_the_stream(
            capacity in 1usize..64,
            chunks in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..100), 0..12),
            since in 0u64..700,
            max in 0usize..100,
        ) {
            let mut ring = Ring::new(capacity);
            let mut all = Vec::new();
            for chunk in &chunks {
                ring.append(chunk);
                all.extend_from_slice(chunk);
                prop_assert_eq!(ring.end(), all.len() as u64);
            }
            let start = all.len().saturating_sub(capacity);
            let since_at = (since as usize).min(all.len());
            let from = since_at.max(start);
            let read = ring.read(since, max);
            prop_assert_eq!(read.offset, from as u64);
            prop_assert_eq!(read.dropped, (from - since_at) as u64);
            prop_assert_eq!(&read.bytes[..], &all[from..all.len().min(from + max)]);
        }
    }
}

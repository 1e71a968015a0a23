//! Parameters of a control sequence: numbers separated by `;`, refined by `:`.

/// More than any sequence in use needs; what comes after is dropped.
const MAX: usize = 32;

#[derive(Clone, Debug)]
pub(crate) struct Params {
    values: [u16; MAX],
    len: usize,
    /// Bit n: value n was introduced by `:`, so it refines the one before it.
    colons: u32,
    /// Bit n: value n was written, not left empty.
    present: u32,
    full: bool,
}

impl Params {
    pub(crate) const fn new() -> Self {
        Params { values: [0; MAX], len: 0, colons: 0, present: 0, full: false }
    }

    #[inline]
    pub(crate) fn clear(&mut self) {
        self.len = 0;
        self.values[0] = 0;
        self.colons = 0;
        self.present = 0;
        self.full = false;
    }

    #[inline]
    pub(crate) fn digit(&mut self, digit: u8) {
        if self.full {
            return;
        }
        let value = &mut self.values[self.len];
        *value = value.saturating_mul(10).saturating_add(u16::from(digit));
        self.present |= 1 << self.len;
    }

    #[inline]
    pub(crate) fn separator(&mut self, colon: bool) {
        if self.len + 1 == MAX {
            self.full = true;
            return;
        }
        self.len += 1;
        self.values[self.len] = 0;
        if colon {
            self.colons |= 1 << self.len;
        }
    }

    /// How many values there are, counting empty ones; 0 when nothing was written at all.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        if self.len == 0 && self.present == 0 { 0 } else { self.len + 1 }
    }

    /// Value `index`, or 0 when it is missing or empty.
    #[inline]
    pub(crate) fn get(&self, index: usize) -> u16 {
        if index <= self.len { self.values[index] } else { 0 }
    }

    /// Value `index`, with `default` for missing, empty and zero.
    #[inline]
    pub(crate) fn get_or(&self, index: usize, default: u16) -> u16 {
        match self.get(index) {
            0 => default,
            value => value,
        }
    }

    /// Whether value `index` was written.
    pub(crate) fn has(&self, index: usize) -> bool {
        index < MAX && self.present & (1 << index) != 0
    }

    /// Whether value `index` refines the one before it.
    #[inline]
    pub(crate) fn is_sub(&self, index: usize) -> bool {
        index < MAX && self.colons & (1 << index) != 0
    }

    #[inline]
    pub(crate) fn any_sub(&self) -> bool {
        self.colons != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Params {
        let mut params = Params::new();
        for byte in text.bytes() {
            match byte {
                b'0'..=b'9' => params.digit(byte - b'0'),
                _ => params.separator(byte == b':'),
            }
        }
        params
    }

    #[test]
    fn empty_missing_and_overlong() {
        assert_eq!(parse("").len(), 0);
        let params = parse(";5");
        assert_eq!((params.len(), params.get(0), params.get(1), params.has(0)), (2, 0, 5, false));
        assert_eq!(parse("99999999").get(0), u16::MAX);
        let many = parse(&"1;".repeat(100));
        assert_eq!(many.len(), 32);
    }

    #[test]
    fn colons_mark_refinements() {
        let params = parse("38:2::1:2:3;4");
        assert!(params.is_sub(1) && params.is_sub(5) && !params.is_sub(6));
    }
}

//! Parameters of a control sequence: numbers separated by `;`, refined by `:`.

/// More than any sequence in use needs; further ones are dropped.
const MAX: usize = 32;

#[derive(Clone, Debug)]
pub(crate) struct SequenceParams {
    values: [u16; MAX],
    len: usize,
    /// Bit n: value n followed a `:`, so it is a sub-parameter of the one before it.
    colons: u32,
    /// Bit n: value n was written, not left empty.
    present: u32,
    full: bool,
}

impl SequenceParams {
    pub(crate) const fn new() -> Self {
        SequenceParams { values: [0; MAX], len: 0, colons: 0, present: 0, full: false }
    }

    #[inline]
    pub(crate) fn clear(&mut self) {
        self.len = 0;
        self.values[0] = 0;
        self.colons = 0;
        self.present = 0;
        self.full = false;
    }

    /// Takes the digits at the front of `bytes` into the current value; returns the rest.
    #[inline]
    pub(crate) fn number<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        let mut value = u32::from(self.values[self.len]);
        let mut len = 0;
        while let Some(digit) = bytes.get(len).map(|byte| byte.wrapping_sub(b'0')).filter(|&digit| digit < 10) {
            value = (value * 10 + u32::from(digit)).min(u32::from(u16::MAX));
            len += 1;
        }
        if len > 0 && !self.full {
            self.values[self.len] = value as u16;
            self.present |= 1 << self.len;
        }
        &bytes[len..]
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

    /// The parameters as they were written.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        for index in 0..self.len() {
            if index > 0 {
                out.push(if self.is_sub(index) { b':' } else { b';' });
            }
            if self.present & (1 << index) != 0 {
                out.extend_from_slice(self.values[index].to_string().as_bytes());
            }
        }
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

    fn parse(text: &str) -> SequenceParams {
        let mut params = SequenceParams::new();
        let mut rest = text.as_bytes();
        loop {
            rest = params.number(rest);
            let Some((&byte, after)) = rest.split_first() else { break };
            params.separator(byte == b':');
            rest = after;
        }
        params
    }

    #[test]
    fn empty_missing_and_overlong() {
        assert_eq!(parse("").len(), 0);
        let params = parse(";5");
        assert_eq!((params.len(), params.get(0), params.get(1)), (2, 0, 5));
        assert_eq!(parse("99999999").get(0), u16::MAX);
        let many = parse(&"1;".repeat(100));
        assert_eq!(many.len(), 32);
    }

    #[test]
    fn colons_mark_refinements() {
        let params = parse("38:2::1:2:3;4");
        assert!(params.is_sub(1) && params.is_sub(5) && !params.is_sub(6));
        let mut written = Vec::new();
        params.write(&mut written);
        assert_eq!(written, b"38:2::1:2:3;4");
    }
}

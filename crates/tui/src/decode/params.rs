//! The parameters of a control sequence.

/// Maximum parameters, and maximum parts of each.
const MAX_PARAMS: usize = 16;
const MAX_PARTS: usize = 64;

#[derive(Debug, Default)]
pub(super) struct CsiParams {
    prefix: Option<u8>,
    /// The intermediate byte, if there is one.
    intermediate: Option<u8>,
    values: Vec<Vec<Option<u32>>>,
}

impl CsiParams {
    /// `None` if it is malformed, or longer than any sequence we know.
    pub(super) fn parse(mut bytes: &[u8]) -> Option<CsiParams> {
        let mut params = CsiParams::default();
        if let Some((&prefix @ b'<'..=b'?', rest)) = bytes.split_first() {
            params.prefix = Some(prefix);
            bytes = rest;
        }
        if let Some((&intermediate @ 0x20..=0x2f, rest)) = bytes.split_last() {
            params.intermediate = Some(intermediate);
            bytes = rest;
        }
        for value in bytes.split(|&byte| byte == b';') {
            let parts: Option<Vec<_>> = value.split(|&byte| byte == b':').take(MAX_PARTS).map(number).collect();
            params.values.push(parts?);
            if params.values.len() > MAX_PARAMS {
                return None;
            }
        }
        Some(params)
    }

    pub(super) fn prefix(&self) -> Option<u8> {
        self.prefix
    }

    pub(super) fn intermediate(&self) -> Option<u8> {
        self.intermediate
    }

    /// Neither prefix nor intermediate.
    pub(super) fn is_plain(&self) -> bool {
        self.prefix.is_none() && self.intermediate.is_none()
    }

    pub(super) fn len(&self) -> usize {
        self.values.len()
    }

    /// The first part of a parameter; 0 if it is omitted.
    pub(super) fn first(&self, index: usize) -> u32 {
        self.part(index, 0).unwrap_or(0)
    }

    pub(super) fn part(&self, index: usize, part: usize) -> Option<u32> {
        *self.values.get(index)?.get(part)?
    }

    pub(super) fn parts(&self, index: usize) -> impl Iterator<Item = u32> + '_ {
        self.values.get(index).into_iter().flatten().filter_map(|value| *value)
    }

    pub(super) fn firsts(&self) -> Vec<u32> {
        (0..self.len()).map(|index| self.first(index)).collect()
    }
}

/// An omitted number, or one that is not too large; `None` for anything else.
fn number(digits: &[u8]) -> Option<Option<u32>> {
    if digits.is_empty() {
        return Some(None);
    }
    if digits.len() > 7 || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    Some(Some(digits.iter().fold(0, |value, digit| value * 10 + u32::from(digit - b'0'))))
}

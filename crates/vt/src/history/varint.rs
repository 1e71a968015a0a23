//! Numbers in as few bytes as they need: seven bits a byte, low bits first.

#[inline]
pub(super) fn write(out: &mut Vec<u8>, mut value: u32) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Reads one number off the front of `bytes`.
#[inline]
pub(super) fn read(bytes: &mut &[u8]) -> u32 {
    let mut value = 0;
    let mut shift = 0;
    while let Some((&byte, rest)) = bytes.split_first() {
        *bytes = rest;
        value |= u32::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            break;
        }
        shift += 7;
    }
    value
}

#[cfg(test)]
mod tests {
    #[test]
    fn round_trip() {
        for value in [0, 1, 127, 128, 300, 16_383, 16_384, u32::MAX] {
            let mut bytes = Vec::new();
            super::write(&mut bytes, value);
            let mut rest = &bytes[..];
            assert_eq!(super::read(&mut rest), value);
            assert!(rest.is_empty());
        }
    }
}

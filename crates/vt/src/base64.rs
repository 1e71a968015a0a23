//! Base64 with the standard alphabet, as escape sequences carry it.

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Padding optional, white space allowed.
pub(crate) fn decode(text: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len() / 4 * 3 + 3);
    let mut bits = 0u32;
    let mut held = 0;
    for &byte in text {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            b'=' | b'\r' | b'\n' | b' ' => continue,
            _ => return None,
        };
        bits = bits << 6 | u32::from(value);
        held += 6;
        if held >= 8 {
            held -= 8;
            out.push((bits >> held) as u8);
        }
    }
    Some(out)
}

/// Only what [`encode`] writes, with its padding or without: nothing can be hidden beside what is decoded.
pub(crate) fn decode_strict(text: &str) -> Option<Vec<u8>> {
    let bytes = decode(text.as_bytes())?;
    let written = encode(&bytes);
    (text == written || text == written.trim_end_matches('=')).then_some(bytes)
}

pub(crate) fn encode(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let bits = (0..3).fold(0u32, |bits, index| bits << 8 | u32::from(*group.get(index).unwrap_or(&0)));
        for index in 0..4 {
            let digit = ALPHABET[(bits >> (18 - 6 * index) & 63) as usize];
            out.push(if index <= group.len() { char::from(digit) } else { '=' });
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lenient() {
        assert_eq!(decode(b"aGVsbG8="), Some(b"hello".to_vec()));
        assert_eq!(decode(b"aGk"), Some(b"hi".to_vec()));
        assert_eq!(decode(b"aG\nk= "), Some(b"hi".to_vec()));
        assert_eq!(decode(b"a*"), None);
    }

    #[test]
    fn strict() {
        for good in ["", "aGk=", "aGk", "QQ==", "QQ", "aGVs"] {
            assert!(decode_strict(good).is_some(), "{good}");
        }
        for bad in ["A", "AAAAA", "QQ=", "Q===", "QQ=A", "QR==", "QR", "aG k=", "aGk=\n", "=", "-_-_"] {
            assert_eq!(decode_strict(bad), None, "{bad}");
        }
    }

    proptest! {
        #[test]
        fn what_is_encoded_is_decoded(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
            let text = encode(&bytes);
            prop_assert_eq!(decode_strict(&text), Some(bytes.clone()));
            prop_assert_eq!(decode_strict(text.trim_end_matches('=')), Some(bytes));
        }
    }
}

//! Characters that are invisible or that reorder the text around them. Text shown to people must not contain any.

use crate::unicode::is_bidi_control;

/// Whether the character has no visible shape, looks like a blank, or reorders its neighbours. Control characters,
/// which are handled elsewhere, and plain white space are not included.
///
/// These are Unicode's default-ignorable characters, direction and annotation marks, and the fillers and blanks that
/// fonts draw as nothing.
pub fn is_hidden(character: char) -> bool {
    is_bidi_control(character)
        || matches!(
            character,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'
                ..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}' | '\u{2029}' | '\u{2060}'..='\u{206f}' | '\u{2800}'
                | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
                | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_takes_no_room_is_hidden_and_letters_are_not() {
        for hidden in "\u{34f}\u{206a}\u{206f}\u{115f}\u{1160}\u{3164}\u{ffa0}\u{202e}\u{200d}\u{e0041}\u{2800}".chars()
        {
            assert!(is_hidden(hidden), "{}", hidden.escape_unicode());
        }
        for seen in "a ä日한\u{301}\t👩\u{a0}".chars() {
            assert!(!is_hidden(seen), "{}", seen.escape_unicode());
        }
    }
}

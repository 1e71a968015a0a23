//! Letters that look like those of our tags: from other scripts, with accents, full-width, or mathematical.
//!
//! Not a general table of confusable characters: only those for the letters of the tags.

/// A combining mark above or below the preceding letter.
pub(super) fn is_accent(character: char) -> bool {
    matches!(character, '\u{300}'..='\u{36f}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20ff}')
}

/// The plain letter or sign that this lower-case one looks like; the character itself if unknown.
pub(super) fn plain_letter(character: char) -> char {
    match character {
        '［' | '【' | '〔' | '〖' | '〚' | '⟦' | '⁅' | '❲' | '⦋' | '﹇' => '[',
        '‐' | '‑' | '‒' | '–' | '—' | '―' | '−' | '﹣' | '－' | '˗' | '_' => '-',
        'à'..='å' | 'ā' | 'ă' | 'ą' | 'ǎ' | 'а' | 'α' | 'ɑ' | 'ᴀ' => 'a',
        'в' | 'ь' | 'β' | 'ʙ' => 'b',
        'ç' | 'ć' | 'ĉ' | 'ċ' | 'č' | 'с' | 'ϲ' | 'ᴄ' => 'c',
        'è'..='ë' | 'ē' | 'ĕ' | 'ė' | 'ę' | 'ě' | 'е' | 'ё' | 'є' | 'ε' | 'ᴇ' | 'ℯ' | '3' => 'e',
        'ĝ' | 'ğ' | 'ġ' | 'ģ' | 'ǧ' | 'ɡ' | 'ɢ' | 'ℊ' | 'ց' => 'g',
        'ĥ' | 'ħ' | 'һ' | 'н' | 'ʜ' | 'ℎ' => 'h',
        'м' | 'ᴍ' => 'm',
        'ñ' | 'ń' | 'ņ' | 'ň' | 'п' | 'η' | 'ɴ' | 'ո' => 'n',
        'ò'..='ö' | 'ø' | 'ō' | 'ŏ' | 'ő' | 'ǒ' | 'о' | 'ο' | 'σ' | 'օ' | 'ᴏ' | 'ℴ' | '0' => 'o',
        'ŕ' | 'ŗ' | 'ř' | 'г' | 'ʀ' => 'r',
        'ś' | 'ŝ' | 'ş' | 'š' | 'ș' | 'ſ' | 'ѕ' | 'ꜱ' | '5' => 's',
        'ţ' | 'ť' | 'ŧ' | 'ț' | 'т' | 'τ' | 'ᴛ' => 't',
        'ù'..='ü' | 'ũ' | 'ū' | 'ŭ' | 'ů' | 'ű' | 'ų' | 'ǔ' | 'υ' | 'ս' | 'ᴜ' => 'u',
        'ý' | 'ÿ' | 'ŷ' | 'у' | 'ү' | 'γ' | 'ʏ' => 'y',
        // Alphabets with consecutive code points.
        'ａ'..='ｚ' => letter(character, 'ａ'),
        'ⓐ'..='ⓩ' => letter(character, 'ⓐ'),
        '\u{1f130}'..='\u{1f149}' => letter(character, '\u{1f130}'),
        '\u{1f150}'..='\u{1f169}' => letter(character, '\u{1f150}'),
        '\u{1f170}'..='\u{1f189}' => letter(character, '\u{1f170}'),
        // Thirteen styles of A to Z and a to z.
        '\u{1d400}'..='\u{1d6a3}' => letter(character, '\u{1d400}'),
        other => other,
    }
}

fn letter(character: char, first: char) -> char {
    let place = (u32::from(character) - u32::from(first)) % 26;
    char::from(b'a' + u8::try_from(place).unwrap_or_default())
}

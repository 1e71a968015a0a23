//! Escapes hostile text and addresses for markup.

/// Escapes `text` for element content and quoted attributes. Characters that XML can't contain become U+FFFD.
pub(crate) fn markup(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\t' | ' '..='\u{7e}' | '\u{a0}'..='\u{fffd}' | '\u{10000}'.. => out.push(c),
            _ => out.push('\u{fffd}'),
        }
    }
}

/// Whether following `uri` can only open a page or compose a mail. Other links (`javascript:`, `data:`, `file:`) are
/// shown as plain text.
pub(crate) fn is_safe_link(uri: &str) -> bool {
    let lower: String = uri.chars().take(8).collect::<String>().to_ascii_lowercase();
    ["https://", "http://", "mailto:"].iter().any(|scheme| lower.starts_with(scheme))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_leaves_its_place() {
        let mut out = String::new();
        markup("a<b>&\"'\u{1b}\u{85}\u{ffff}é", &mut out);
        assert_eq!(out, "a&lt;b&gt;&amp;&quot;&#39;\u{fffd}\u{fffd}\u{fffd}é");
    }

    #[test]
    fn only_pages_and_letters_are_followed() {
        for (uri, safe) in [
            ("https://example.org/a", true),
            ("HTTP://example.org", true),
            ("mailto:a@example.org", true),
            ("javascript:alert(1)", false),
            (" https://example.org", false),
            ("data:text/html,x", false),
            ("file:///etc/passwd", false),
            ("", false),
        ] {
            assert_eq!(is_safe_link(uri), safe, "{uri}");
        }
    }
}

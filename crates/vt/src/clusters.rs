//! Splits text into clusters with the columns that each takes when printed, for code that draws text beside a screen
//! and must agree with it.

pub use crate::tables::MAX_CLUSTER_BYTES;
use crate::unicode::{CharProperties, ClusterState, VARIATION_EMOJI, is_narrow_emoji};

/// Characters that share a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextCluster<'a> {
    /// The cluster's text; a cell keeps at most [`MAX_CLUSTER_BYTES`] of it.
    pub text: &'a str,
    /// Columns: 0 (a mark without a base character, or a control character), 1 or 2.
    pub width: u16,
}

/// Splits `text` into clusters from its start.
pub fn clusters(text: &str) -> impl Iterator<Item = TextCluster<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let mut chars = rest.char_indices();
        let (_, first) = chars.next()?;
        let mut state = ClusterState::start(CharProperties::of(first));
        let mut end = rest.len();
        for (at, c) in chars {
            let properties = CharProperties::of(c);
            if !state.joins(properties) {
                end = at;
                break;
            }
            state.advance(properties);
        }
        let (text, after) = rest.split_at(end);
        rest = after;
        Some(TextCluster { text, width: if first.is_control() { 0 } else { cluster_width(text) } })
    })
}

/// The columns that one cluster takes when printed.
pub fn cluster_width(cluster: &str) -> u16 {
    let mut chars = cluster.chars();
    let base = chars.next().unwrap_or(' ');
    let width = CharProperties::of(base).width();
    let widened = chars.any(|c| CharProperties::of(c).width() == 2 || (c == VARIATION_EMOJI && is_narrow_emoji(base)));
    if widened && width > 0 { 2 } else { width }
}

/// Whether some terminals show `c` as an emoji and others as a narrow sign.
pub fn is_narrow_sign_or_emoji(c: char) -> bool {
    is_narrow_emoji(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clusters_have_the_width_they_print_with() {
        let widths = |text| clusters(text).map(|cluster| (cluster.text, cluster.width)).collect::<Vec<_>>();
        assert_eq!(widths("ae\u{301}漢"), [("a", 1), ("e\u{301}", 1), ("漢", 2)]);
        assert_eq!(widths("❤\u{fe0f}1"), [("❤\u{fe0f}", 2), ("1", 1)]);
        assert_eq!(widths("\u{301}\u{7}"), [("\u{301}", 0), ("\u{7}", 0)]);
        assert_eq!(widths("🇩🇪🇫"), [("🇩🇪", 2), ("🇫", 2)]);
        assert_eq!(widths(""), []);
    }
}

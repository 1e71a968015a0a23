//! What changed between two texts, line by line.

use std::time::{Duration, Instant};

use similar::{Algorithm, DiffTag};

use super::StyledLine;
use crate::{
    canvas::Span,
    skin::{Skin, SkinRole},
};

/// Unchanged lines shown around a change.
const CONTEXT: usize = 2;
/// For finding the shortest difference. Of texts that share next to nothing, it may then be a longer one.
const PATIENCE: Duration = Duration::from_millis(100);

/// The lines that differ, marked `-` and `+`, with a few unchanged ones around them.
pub fn diff_lines(old: &str, new: &str, skin: &Skin) -> Vec<StyledLine> {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let deadline = Instant::now().checked_add(PATIENCE);
    let changes = similar::capture_diff_slices_deadline(Algorithm::Myers, &old, &new, deadline);
    let mut out = Vec::new();
    let mut shown = 0;
    let skipped = || vec![Span::new(format!("  {}", skin.glyphs.more()), skin.style(SkinRole::Muted))];
    for change in similar::group_diff_ops(changes, CONTEXT).into_iter().flatten() {
        let (tag, removed, added) = change.as_tag_tuple();
        if removed.start > shown {
            out.push(skipped());
        }
        shown = removed.end;
        let mut push = |sign: &str, lines: &[&str], role| {
            out.extend(lines.iter().map(|text| vec![Span::new(format!("{sign}{text}"), skin.style(role))]));
        };
        match tag {
            DiffTag::Equal => push("  ", &old[removed], SkinRole::Muted),
            DiffTag::Delete | DiffTag::Insert | DiffTag::Replace => {
                push("- ", &old[removed], SkinRole::Removed);
                push("+ ", &new[added], SkinRole::Added);
            }
        }
    }
    if shown < old.len() {
        out.push(skipped());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(old: &str, new: &str) -> Vec<String> {
        diff_lines(old, new, &Skin::default()).iter().map(|line| line[0].text.to_string()).collect()
    }

    #[test]
    fn changed_lines_stand_among_a_few_others() {
        let old = "1\n2\n3\n4\nold\n6\n7\n8\n9";
        let new = "1\n2\n3\n4\nnew\n6\n7\n8\n9";
        assert_eq!(shown(old, new), ["  …", "  3", "  4", "- old", "+ new", "  6", "  7", "  …"]);
        assert_eq!(shown("", "a"), ["+ a"]);
        assert_eq!(shown("a\nb", "b"), ["- a", "  b"]);
        assert_eq!(shown("a\nb", "a\nb"), ["  …"]);
    }

    #[test]
    fn every_line_is_accounted_for() {
        let long = "x\n".repeat(5000);
        assert_eq!(shown(&long, "y").len(), 5001);
        // Long texts are compared too: one line of 5,000 is new.
        let numbers = |lines: std::ops::Range<u32>| lines.map(|line| format!("{line}\n")).collect::<String>();
        let (old, new) = (numbers(0..5000), numbers(0..2500) + "new\n" + &numbers(2500..5000));
        assert_eq!(shown(&old, &new), ["  …", "  2498", "  2499", "+ new", "  2500", "  2501", "  …"]);
    }

    #[test]
    fn texts_without_a_common_line_are_shown_whole() {
        let text = |sign: char| (0..3000).map(|line| format!("{sign}{line}\n")).collect::<String>();
        assert_eq!(shown(&text('a'), &text('b')).len(), 6000);
    }
}

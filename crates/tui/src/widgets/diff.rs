//! What changed between two texts, line by line.

use super::StyledLine;
use crate::{
    canvas::Span,
    skin::{Role, Skin},
};

/// Lines of either text that are compared: the table grows with their product. Longer texts are shown as all new.
const MAX_LINES: usize = 1000;
/// Unchanged lines shown around a change.
const CONTEXT: usize = 2;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Change<'a> {
    Same(&'a str),
    Removed(&'a str),
    Added(&'a str),
}

/// The lines that differ, marked `-` and `+`, with a few unchanged ones around them.
pub fn diff_lines(old: &str, new: &str, skin: &Skin) -> Vec<StyledLine> {
    let changes = changes(old, new);
    let near = |index: usize| {
        let from = index.saturating_sub(CONTEXT);
        changes[from..(index + CONTEXT + 1).min(changes.len())].iter().any(|change| !matches!(change, Change::Same(_)))
    };
    let mut out = Vec::new();
    let mut skipping = false;
    for (index, change) in changes.iter().enumerate() {
        let (sign, text, role) = match *change {
            Change::Same(text) if near(index) => ("  ", text, Role::Muted),
            Change::Same(_) => {
                if !skipping {
                    out.push(vec![Span::new(format!("  {}", skin.glyphs.more()), skin.style(Role::Muted))]);
                    skipping = true;
                }
                continue;
            }
            Change::Removed(text) => ("- ", text, Role::Removed),
            Change::Added(text) => ("+ ", text, Role::Added),
        };
        skipping = false;
        out.push(vec![Span::new(format!("{sign}{text}"), skin.style(role))]);
    }
    out
}

fn changes<'a>(old: &'a str, new: &'a str) -> Vec<Change<'a>> {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    if old.len() > MAX_LINES || new.len() > MAX_LINES {
        let removed = old.into_iter().map(Change::Removed);
        return removed.chain(new.into_iter().map(Change::Added)).collect();
    }
    // Longest common subsequence of the rest of both, from each pair of lines on.
    let width = new.len() + 1;
    let mut common = vec![0u16; (old.len() + 1) * width];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            common[i * width + j] = match old[i] == new[j] {
                true => common[(i + 1) * width + j + 1] + 1,
                false => common[(i + 1) * width + j].max(common[i * width + j + 1]),
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut out = Vec::new();
    while i < old.len() || j < new.len() {
        if i < old.len() && j < new.len() && old[i] == new[j] {
            out.push(Change::Same(old[i]));
            (i, j) = (i + 1, j + 1);
        } else if j == new.len() || i < old.len() && common[(i + 1) * width + j] >= common[i * width + j + 1] {
            out.push(Change::Removed(old[i]));
            i += 1;
        } else {
            out.push(Change::Added(new[j]));
            j += 1;
        }
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
    }

    #[test]
    fn every_line_is_accounted_for() {
        let long = "x\n".repeat(5000);
        assert_eq!(shown(&long, "y").len(), 5001);
    }
}

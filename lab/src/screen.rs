//! A screen in a form that any emulator can produce, so that two of them can be compared cell by cell. Knows no
//! emulator.

use serde::Deserialize;
use vt::Size;

/// Names of the attribute bits in [`Look::attributes`], lowest bit first.
pub(crate) const ATTRIBUTES: [&str; 8] =
    ["bold", "italic", "dim", "blink", "inverse", "invisible", "strike", "overline"];
pub(crate) const BLINK: u16 = 1 << 3;
pub(crate) const INVERSE: u16 = 1 << 4;
pub(crate) const STRIKE: u16 = 1 << 6;
pub(crate) const OVERLINE: u16 = 1 << 7;
pub(crate) const ALL_ATTRIBUTES: u16 = (1 << ATTRIBUTES.len()) - 1;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub(crate) enum Color {
    #[default]
    Default,
    Indexed(u8),
    Rgb(u8, u8, u8),
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Underline {
    #[default]
    None,
    Single,
    Double,
    Curly,
    Dotted,
    Dashed,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub(crate) struct Look {
    pub(crate) foreground: Color,
    pub(crate) background: Color,
    pub(crate) underline: Underline,
    pub(crate) underline_color: Color,
    /// Bits named by [`ATTRIBUTES`].
    pub(crate) attributes: u16,
    pub(crate) link: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cell {
    /// A character or cluster; a space for a blank cell, nothing for the second column of a wide one.
    pub(crate) text: String,
    pub(crate) look: Look,
}

impl Cell {
    /// What a person can see of the cell: without the colour of invisible text, and without attributes that the
    /// emulator does not support.
    fn visible_look(&self, kept: u16) -> Look {
        let mut look = self.look.clone();
        look.attributes &= kept;
        if look.underline == Underline::None {
            look.underline_color = Color::Default;
        }
        let inked = look.underline != Underline::None || look.attributes & (INVERSE | STRIKE | OVERLINE) != 0;
        if self.text.trim().is_empty() && !inked {
            look.foreground = Color::Default;
            look.attributes = 0;
        }
        look
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cursor {
    pub(crate) row: u16,
    pub(crate) col: u16,
    pub(crate) visible: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Screen {
    pub(crate) size: Size,
    /// `size.rows` rows of `size.cols` cells.
    pub(crate) rows: Vec<Vec<Cell>>,
    pub(crate) cursor: Cursor,
    pub(crate) alternate: bool,
}

/// A difference between two screens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Difference {
    pub(crate) aspect: Aspect,
    /// What each of them shows there, ready to print.
    pub(crate) ours: String,
    pub(crate) theirs: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Aspect {
    Cursor,
    AlternateScreen,
    /// The characters of a row, or the columns they are in.
    Text(u16),
    /// Colours, attributes or links of a row whose text is the same.
    Look(u16),
}

impl std::fmt::Display for Aspect {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Aspect::Cursor => write!(f, "cursor"),
            Aspect::AlternateScreen => write!(f, "alternate screen"),
            Aspect::Text(row) => write!(f, "text {row}"),
            Aspect::Look(row) => write!(f, "look {row}"),
        }
    }
}

impl Screen {
    pub(crate) fn row_text(&self, row: usize) -> String {
        let text: String = self.rows[row].iter().map(|cell| cell.text.as_str()).collect();
        text.trim_end().to_owned()
    }

    /// All differences between `theirs` and our screen. `kept` are the attributes that the emulator supports.
    pub(crate) fn differences(&self, theirs: &Screen, kept: u16) -> Vec<Difference> {
        let mut found = Vec::new();
        if self.cursor != theirs.cursor {
            found.push(Difference {
                aspect: Aspect::Cursor,
                ours: format!("{:?}", self.cursor),
                theirs: format!("{:?}", theirs.cursor),
            });
        }
        if self.alternate != theirs.alternate {
            found.push(Difference {
                aspect: Aspect::AlternateScreen,
                ours: self.alternate.to_string(),
                theirs: theirs.alternate.to_string(),
            });
        }
        for (row, (ours, their)) in self.rows.iter().zip(&theirs.rows).enumerate() {
            if !ours.iter().map(|cell| &cell.text).eq(their.iter().map(|cell| &cell.text)) {
                found.push(Difference {
                    aspect: Aspect::Text(row as u16),
                    ours: with_columns(ours, their),
                    theirs: with_columns(their, ours),
                });
            } else if let Some((ours, theirs)) = first_look_difference(ours, their, kept) {
                found.push(Difference { aspect: Aspect::Look(row as u16), ours, theirs });
            }
        }
        found
    }
}

/// The row's text or, if that looks the same on both sides, the columns that differ.
fn with_columns(row: &[Cell], other: &[Cell]) -> String {
    let text = |cells: &[Cell]| cells.iter().map(|cell| cell.text.as_str()).collect::<String>().trim_end().to_owned();
    if text(row) != text(other) {
        return text(row);
    }
    let columns: Vec<String> = (0..row.len())
        .filter(|&col| row[col].text != other[col].text)
        .take(6)
        .map(|col| format!("{col}:{:?}", row[col].text))
        .collect();
    columns.join(" ")
}

fn first_look_difference(ours: &[Cell], theirs: &[Cell], kept: u16) -> Option<(String, String)> {
    let looks = ours.iter().zip(theirs).map(|(our, their)| (our.visible_look(kept), their.visible_look(kept)));
    let differing: Vec<usize> =
        looks.clone().enumerate().filter(|(_, (our, their))| our != their).map(|(col, _)| col).collect();
    let first = *differing.first()?;
    let (our, their) = looks.clone().nth(first)?;
    let place = format!("{} columns from {first} ({:?})", differing.len(), ours[first].text);
    Some((format!("{place}: {}", describe(&our)), describe(&their)))
}

fn describe(look: &Look) -> String {
    let mut words: Vec<String> = ATTRIBUTES
        .iter()
        .enumerate()
        .filter(|(bit, _)| look.attributes & (1 << bit) != 0)
        .map(|(_, name)| (*name).to_owned())
        .collect();
    for (name, color) in [("fg", look.foreground), ("bg", look.background), ("underline", look.underline_color)] {
        match color {
            Color::Default => {}
            Color::Indexed(index) => words.push(format!("{name} {index}")),
            Color::Rgb(r, g, b) => words.push(format!("{name} #{r:02x}{g:02x}{b:02x}")),
        }
    }
    if look.underline != Underline::None {
        words.push(format!("{:?} underline", look.underline).to_lowercase());
    }
    if let Some(link) = &look.link {
        words.push(format!("link {link}"));
    }
    if words.is_empty() { "plain".to_owned() } else { words.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn screen(text: &str) -> Screen {
        let cells = text.chars().map(|character| Cell { text: character.to_string(), look: Look::default() });
        Screen {
            size: Size::new(text.len() as u16, 1),
            rows: vec![cells.collect()],
            cursor: Cursor { row: 0, col: 0, visible: true },
            alternate: false,
        }
    }

    fn aspects(ours: &Screen, theirs: &Screen, kept: u16) -> Vec<Aspect> {
        ours.differences(theirs, kept).into_iter().map(|difference| difference.aspect).collect()
    }

    #[test]
    fn text_cursor_and_looks_are_told_apart() {
        let ours = screen("abc");
        assert_eq!(aspects(&ours, &ours, ALL_ATTRIBUTES), []);
        assert_eq!(aspects(&ours, &screen("abd"), ALL_ATTRIBUTES), [Aspect::Text(0)]);
        let mut theirs = screen("abc");
        theirs.cursor.col = 1;
        theirs.rows[0][2].look.background = Color::Indexed(1);
        assert_eq!(aspects(&ours, &theirs, ALL_ATTRIBUTES), [Aspect::Cursor, Aspect::Look(0)]);
    }

    #[test]
    fn what_cannot_be_seen_is_no_difference() {
        let ours = screen("a ");
        let mut theirs = screen("a ");
        theirs.rows[0][1].look = Look { foreground: Color::Indexed(3), attributes: BLINK, ..Look::default() };
        theirs.rows[0][0].look.underline_color = Color::Indexed(3);
        assert_eq!(aspects(&ours, &theirs, ALL_ATTRIBUTES), []);
        theirs.rows[0][1].look.attributes = INVERSE;
        assert_eq!(aspects(&ours, &theirs, ALL_ATTRIBUTES), [Aspect::Look(0)]);
        assert_eq!(aspects(&ours, &theirs, ALL_ATTRIBUTES & !INVERSE), []);
    }
}

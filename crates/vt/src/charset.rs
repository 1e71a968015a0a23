//! The national and graphic character sets that G0–G3 can hold.

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Charset {
    #[default]
    Ascii,
    /// DEC special graphics: line drawing.
    LineDrawing,
    /// ASCII with a pound sign in place of `#`.
    British,
    /// DEC supplemental, as Latin-1's upper half on the lower keys.
    Supplemental,
}

impl Charset {
    /// The set that `ESC ( <designator>` names. Unknown ones read as ASCII, as xterm does.
    pub(crate) fn from_designator(designator: &[u8]) -> Charset {
        match designator {
            b"0" => Charset::LineDrawing,
            b"A" => Charset::British,
            b"<" | b"%5" => Charset::Supplemental,
            _ => Charset::Ascii,
        }
    }

    /// The designator that names this set, for re-serialisation.
    pub(crate) fn designator(self) -> &'static str {
        match self {
            Charset::Ascii => "B",
            Charset::LineDrawing => "0",
            Charset::British => "A",
            Charset::Supplemental => "<",
        }
    }

    pub(crate) fn map(self, byte: u8) -> char {
        const GRAPHICS: [char; 32] = [
            ' ', '◆', '▒', '␉', '␌', '␍', '␊', '°', '±', '␤', '␋', '┘', '┐', '┌', '└', '┼', '⎺', '⎻', '─', '⎼', '⎽',
            '├', '┤', '┴', '┬', '│', '≤', '≥', 'π', '≠', '£', '·',
        ];
        match self {
            Charset::LineDrawing if (0x5f..0x7f).contains(&byte) => GRAPHICS[usize::from(byte - 0x5f)],
            Charset::British if byte == b'#' => '£',
            Charset::Supplemental if byte > 0x20 => char::from(byte | 0x80),
            _ => char::from(byte),
        }
    }
}

/// G0–G3 and which of them is in use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct CharsetSlots {
    pub(crate) sets: [Charset; 4],
    /// The set that printable bytes come from.
    pub(crate) left: u8,
    /// SS2, SS3: for the next character only.
    pub(crate) single: Option<u8>,
}

impl CharsetSlots {
    #[inline]
    pub(crate) fn is_plain(&self) -> bool {
        self.single.is_none() && self.sets[usize::from(self.left)] == Charset::Ascii
    }

    pub(crate) fn map(&mut self, byte: u8) -> char {
        let set = self.single.take().unwrap_or(self.left);
        self.sets[usize::from(set)].map(byte)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_drawing_and_single_shift() {
        let mut sets = CharsetSlots {
            sets: [Charset::Ascii, Charset::Ascii, Charset::LineDrawing, Charset::British],
            ..CharsetSlots::default()
        };
        sets.single = Some(2);
        assert_eq!(sets.map(b'q'), '─');
        assert_eq!(sets.map(b'q'), 'q');
        sets.left = 3;
        assert_eq!(sets.map(b'#'), '£');
    }
}

//! One cell of the grid: eight bytes, meaningful only together with its terminal's tables.

/// Index into [`StyleTable`](crate::tables::StyleTable). 0 is the default look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct StyleId(pub(crate) u32);

/// What a cell shows. The character (or cluster index) sits in the low 21 bits, flags above it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cell {
    content: u32,
    pub(crate) style: StyleId,
}

const CODE: u32 = (1 << 21) - 1;
/// First of two columns.
const WIDE: u32 = 1 << 21;
/// Second of two columns.
const SPACER: u32 = 1 << 22;
/// The low bits name a cluster, not a character.
const CLUSTER: u32 = 1 << 23;
/// The last column of a row, left free because a wide character had to go to the next row.
const EDGE: u32 = 1 << 24;

impl Cell {
    /// Never written or erased, in the default look.
    pub(crate) const BLANK: Cell = Cell { content: 0, style: StyleId(0) };

    #[inline]
    pub(crate) const fn blank(style: StyleId) -> Cell {
        Cell { content: 0, style }
    }

    #[inline]
    pub(crate) const fn narrow(c: char, style: StyleId) -> Cell {
        Cell { content: c as u32, style }
    }

    #[inline]
    pub(crate) const fn ascii(byte: u8, style: StyleId) -> Cell {
        Cell { content: byte as u32, style }
    }

    pub(crate) const fn wide(c: char, style: StyleId) -> Cell {
        Cell { content: c as u32 | WIDE, style }
    }

    pub(crate) const fn spacer(style: StyleId) -> Cell {
        Cell { content: SPACER, style }
    }

    pub(crate) const fn edge(style: StyleId) -> Cell {
        Cell { content: EDGE, style }
    }

    /// Zero for a blank cell in the default look, so that many cells can be tested at once.
    #[inline]
    pub(crate) fn bits(self) -> u64 {
        u64::from(self.content) << 32 | u64::from(self.style.0)
    }

    #[inline]
    pub(crate) fn is_blank(self) -> bool {
        self.content == 0
    }

    /// Invisible: blank or a space, whatever its look.
    #[inline]
    pub(crate) fn is_empty_text(self) -> bool {
        matches!(self.content, 0 | 0x20 | EDGE)
    }

    #[inline]
    pub(crate) fn is_wide(self) -> bool {
        self.content & WIDE != 0
    }

    #[inline]
    pub(crate) fn is_spacer(self) -> bool {
        self.content & SPACER != 0
    }

    pub(crate) fn is_edge(self) -> bool {
        self.content & EDGE != 0
    }

    /// A single printable ASCII character.
    #[inline]
    pub(crate) fn as_ascii(self) -> Option<u8> {
        (self.content < 0x80 && self.content != 0).then_some(self.content as u8)
    }

    /// The low byte of the content: the character itself if `as_ascii` returns one.
    #[inline]
    pub(crate) fn ascii_byte(self) -> u8 {
        self.content as u8
    }

    /// A single character in a single column.
    #[inline]
    pub(crate) fn is_plain_narrow(self) -> bool {
        self.content & !CODE == 0 && self.content != 0
    }

    /// The character, when the cell holds just one.
    pub(crate) fn char(self) -> Option<char> {
        if self.content & (CLUSTER | SPACER | EDGE) != 0 {
            None
        } else {
            char::from_u32(self.content & CODE).filter(|&c| c != '\0')
        }
    }

    pub(crate) fn cluster(self) -> Option<ClusterId> {
        (self.content & CLUSTER != 0).then_some(ClusterId(self.content & CODE))
    }

    pub(crate) fn with_cluster(self, id: ClusterId) -> Cell {
        Cell { content: (self.content & WIDE) | CLUSTER | id.0, style: self.style }
    }

    pub(crate) fn widened(self) -> Cell {
        Cell { content: self.content | WIDE, ..self }
    }
}

/// Index into [`ClusterTable`](crate::tables::ClusterTable).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ClusterId(pub(crate) u32);

impl ClusterId {
    /// The most clusters that a cell's bits can number.
    pub(crate) const LIMIT: usize = CODE as usize + 1;
}

//! How a cell looks: colours, attributes, hyperlink.

use std::sync::Arc;

use bitflags::bitflags;

use crate::color::Color;

bitflags! {
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub struct Attributes: u16 {
        const BOLD = 1 << 0;
        const ITALIC = 1 << 1;
        const DIM = 1 << 2;
        const BLINK = 1 << 3;
        const RAPID_BLINK = 1 << 4;
        const INVERSE = 1 << 5;
        const INVISIBLE = 1 << 6;
        const STRIKE = 1 << 7;
        const OVERLINE = 1 << 8;
        /// DECSCA: selective erases leave the cell alone.
        const PROTECTED = 1 << 9;
        /// SPA: every erase leaves the cell alone.
        const GUARDED = 1 << 10;
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Underline {
    #[default]
    None,
    Single,
    Double,
    Curly,
    Dotted,
    Dashed,
}

/// The look of a run of cells. `link` is an id, unique for the terminal's life; [`StyleRun`](crate::StyleRun)
/// carries the target beside it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Style {
    pub foreground: Color,
    pub background: Color,
    pub underline_color: Color,
    pub underline: Underline,
    pub attributes: Attributes,
    pub link: Option<LinkId>,
}

/// Names one hyperlink of one terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LinkId(pub(crate) std::num::NonZeroU32);

/// The target of an OSC 8 hyperlink.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LinkTarget {
    /// The `id=` parameter; empty when the child gave none.
    pub id: String,
    pub uri: String,
    pub(crate) key: LinkId,
}

pub(crate) type SharedLink = Arc<LinkTarget>;

//! Stills of a screen: a [`vt::Frame`] as SVG or as HTML, for documents, exports and issue reports.
//!
//! Both come from the same spans (see `look`), so they show the same. The text is the child's and hostile: it is
//! escaped, and only links that a browser may follow safely become links.
//!
//! It knows no session, file or terminal in use: bytes go back to the caller.

mod escape;
mod html;
mod look;
mod svg;

pub use html::html;
pub use svg::svg;

/// What is drawn around and over the cells.
#[derive(Clone, Debug, Default)]
pub struct PictureOptions {
    /// Draw the cursor, if the frame shows one.
    pub cursor: bool,
    /// Stands above the screen; also what a screen reader says of the picture.
    pub title: Option<String>,
}

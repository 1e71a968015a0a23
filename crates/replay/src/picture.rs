//! Stills of a screen: a [`vt::Frame`] as SVG or as HTML, for documents, exports and issue reports.
//!
//! Both forms are made from the same spans (see `look`), so they show the same. The text comes from the child and is
//! hostile: it is escaped, and only links that are safe to follow in a browser become links.
//!
//! It knows no session, file or live terminal: it returns bytes.

mod escape;
mod html;
mod look;
mod svg;

pub use html::html;
pub use svg::svg;

/// What to draw besides the cells.
#[derive(Clone, Debug, Default)]
pub struct PictureOptions {
    /// Draw the cursor, if it is visible in the frame.
    pub cursor: bool,
    /// Shown above the screen, and read by screen readers as the image's title.
    pub title: Option<String>,
}

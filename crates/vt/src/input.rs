//! Input encoders: pure functions of [`InputModes`](crate::InputModes) that turn keys, mouse events, focus changes,
//! pastes and typed text into bytes for the child.
//!
//! Called by the engine just before it writes to the child, and by every face that takes a key by name (one grammar,
//! [`KeyEvent`]'s `FromStr`). Nothing here keeps state, does I/O, fails on an event or panics: an event that the child
//! can't receive in its modes becomes no bytes. It knows nothing of the screen, and never decodes.

mod encode_key;
mod focus;
mod grammar;
mod key;
mod key_table;
mod kitty;
mod legacy;
mod mouse;
mod paste;
mod text;

pub use encode_key::encode_key;
pub use focus::{FocusChange, encode_focus};
pub use grammar::KeyParseError;
pub use key::{Key, KeyEvent, KeyEventKind, KeypadKey, MediaKey, ModifierKey, Modifiers};
pub use mouse::{
    MouseButton, MouseEvent, MouseEventKind, PixelPosition, WheelDirection, encode_mouse, encode_wheel_as_arrows,
};
pub use paste::encode_paste;
pub use text::encode_text;

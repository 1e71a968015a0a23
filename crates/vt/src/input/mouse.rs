//! Encodes mouse events: four protocols select events, five encodings define their form.

use super::encode_key::{encode_key, push_char, push_csi};
use super::key::{Key, KeyEvent, Modifiers};
use crate::{InputModes, MouseEncoding, MouseProtocol, Size};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MouseButton {
    Left,
    Middle,
    Right,
    /// Buttons 8 to 11; the first two are often "back" and "forward". 4 to 7 are the wheel.
    Button8,
    Button9,
    Button10,
    Button11,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WheelDirection {
    Up,
    Down,
    Left,
    Right,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MouseEventKind {
    Press(MouseButton),
    Release(MouseButton),
    /// The pointer moved to another cell (or pixel, for mode 1016), with this button held. The caller leaves out motion
    /// within a cell.
    Motion(Option<MouseButton>),
    /// One step of the wheel.
    Wheel(WheelDirection),
}

/// A place in pixels, from the grid's upper left corner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PixelPosition {
    pub x: u32,
    pub y: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MouseEvent {
    pub kind: MouseEventKind,
    /// Cell, counted from zero.
    pub col: u16,
    pub row: u16,
    /// Set only by faces that draw pixels. Without it, a child that wants pixels (mode 1016) gets no report.
    pub pixel: Option<PixelPosition>,
    pub modifiers: Modifiers,
}

/// The report of `event`, if the child asked for such events and its encoding can express it. A place that an encoding
/// can't express (past column or row 223, or 2015 with mode 1005) is not reported, since a wrong place would be
/// clicked.
pub fn encode_mouse(event: &MouseEvent, modes: &InputModes) -> Option<Vec<u8>> {
    if !wanted(event.kind, modes.mouse) {
        return None;
    }
    let released = matches!(event.kind, MouseEventKind::Release(_));
    let modifiers = match modes.mouse {
        MouseProtocol::X10 => Modifiers::empty(),
        _ => event.modifiers,
    };
    let (x, y) = (u32::from(event.col) + 1, u32::from(event.row) + 1);
    let mut out = Vec::new();
    match modes.mouse_encoding {
        MouseEncoding::Legacy => {
            let byte = |value: u32| u8::try_from(value + 32).ok();
            let code = event_code(event.kind, modifiers, false);
            out.extend_from_slice(&[0x1b, b'[', b'M', byte(code)?, byte(x)?, byte(y)?]);
        }
        MouseEncoding::Utf8 => {
            // Two bytes of UTF-8 at most.
            let character = |value: u32| char::from_u32(value + 32).filter(|&character| character <= '\u{7ff}');
            let code = event_code(event.kind, modifiers, false);
            let characters = [character(code)?, character(x)?, character(y)?];
            out.extend_from_slice(b"\x1b[M");
            characters.into_iter().for_each(|character| push_char(&mut out, character));
        }
        MouseEncoding::Urxvt => {
            let code = event_code(event.kind, modifiers, false) + 32;
            push_csi(&mut out, format_args!("{code};{x};{y}"), b'M');
        }
        MouseEncoding::Sgr | MouseEncoding::SgrPixels => {
            let (x, y) = match (modes.mouse_encoding, event.pixel) {
                (MouseEncoding::Sgr, _) => (x, y),
                (_, pixel) => pixel.map(|pixel| (pixel.x.saturating_add(1), pixel.y.saturating_add(1)))?,
            };
            let code = event_code(event.kind, modifiers, true);
            push_csi(&mut out, format_args!("<{code};{x};{y}"), if released { b'm' } else { b'M' });
        }
    }
    Some(out)
}

/// The wheel as cursor keys, up for negative `lines`: for children on the alternate screen that ask for no
/// mouse but for this (mode 1007). `None` if the wheel is not the child's.
pub fn encode_wheel_as_arrows(lines: i32, modes: &InputModes) -> Option<Vec<u8>> {
    let asked = modes.alternate_scroll && modes.alternate_screen && modes.mouse == MouseProtocol::Off;
    if !asked {
        return None;
    }
    let arrow = encode_key(&KeyEvent::press(if lines < 0 { Key::Up } else { Key::Down }), modes);
    // No screen is higher, so no wheel event needs to scroll further.
    let times = lines.unsigned_abs().min(u32::from(Size::MAX.rows));
    Some(arrow.repeat(times as usize))
}

fn wanted(kind: MouseEventKind, protocol: MouseProtocol) -> bool {
    match protocol {
        MouseProtocol::Off => false,
        MouseProtocol::X10 => {
            matches!(kind, MouseEventKind::Press(MouseButton::Left | MouseButton::Middle | MouseButton::Right))
        }
        MouseProtocol::Normal => !matches!(kind, MouseEventKind::Motion(_)),
        MouseProtocol::ButtonMotion => kind != MouseEventKind::Motion(None),
        MouseProtocol::AnyMotion => true,
    }
}

/// Button, motion and modifiers in one number. Only the SGR forms tell which button was released.
fn event_code(kind: MouseEventKind, modifiers: Modifiers, names_released: bool) -> u32 {
    const NO_BUTTON: u32 = 3;
    const MOTION: u32 = 32;
    let event = match kind {
        MouseEventKind::Press(button) => button_code(button),
        MouseEventKind::Release(button) if names_released => button_code(button),
        MouseEventKind::Release(_) => NO_BUTTON,
        MouseEventKind::Motion(button) => MOTION + button.map_or(NO_BUTTON, button_code),
        MouseEventKind::Wheel(WheelDirection::Up) => 64,
        MouseEventKind::Wheel(WheelDirection::Down) => 65,
        MouseEventKind::Wheel(WheelDirection::Left) => 66,
        MouseEventKind::Wheel(WheelDirection::Right) => 67,
    };
    let shift = 4 * u32::from(modifiers.contains(Modifiers::SHIFT));
    let alt = 8 * u32::from(modifiers.intersects(Modifiers::ALT | Modifiers::META));
    let ctrl = 16 * u32::from(modifiers.contains(Modifiers::CTRL));
    event + shift + alt + ctrl
}

fn button_code(button: MouseButton) -> u32 {
    match button {
        MouseButton::Left => 0,
        MouseButton::Middle => 1,
        MouseButton::Right => 2,
        MouseButton::Button8 => 128,
        MouseButton::Button9 => 129,
        MouseButton::Button10 => 130,
        MouseButton::Button11 => 131,
    }
}

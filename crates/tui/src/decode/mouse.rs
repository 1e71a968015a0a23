//! Mouse reports: the SGR form that we ask for, and the old form of hosts that know no other.

use vt::input::{Modifiers, MouseButton, MouseEvent, MouseEventKind, WheelDirection};

use super::params::CsiParams;

/// `CSI < code ; x ; y M` or `m`.
pub(super) fn sgr(params: &CsiParams, end: u8) -> Option<MouseEvent> {
    if params.intermediate().is_some() || params.len() != 3 || !matches!(end, b'M' | b'm') {
        return None;
    }
    let place = |index| u16::try_from(params.first(index).saturating_sub(1)).ok();
    event(params.first(0), place(1)?, place(2)?, end == b'm')
}

/// `CSI M` and three bytes.
pub(super) fn legacy(code: u8, x: u8, y: u8) -> Option<MouseEvent> {
    let place = |byte: u8| byte.checked_sub(33).map(u16::from);
    let code = u32::from(code.checked_sub(32)?);
    // The old form does not tell which button was released.
    let released = code & 0b1110_0011 == 3;
    event(if released { code & !3 } else { code }, place(x)?, place(y)?, released)
}

fn event(code: u32, col: u16, row: u16, released: bool) -> Option<MouseEvent> {
    let motion = code & 32 != 0;
    let button = match code & 0b1100_0011 {
        0 => Some(MouseButton::Left),
        1 => Some(MouseButton::Middle),
        2 => Some(MouseButton::Right),
        3 => None,
        128 => Some(MouseButton::Button8),
        129 => Some(MouseButton::Button9),
        130 => Some(MouseButton::Button10),
        131 => Some(MouseButton::Button11),
        wheel => {
            let direction = match wheel {
                64 => WheelDirection::Up,
                65 => WheelDirection::Down,
                66 => WheelDirection::Left,
                67 => WheelDirection::Right,
                _ => return None,
            };
            let kind = MouseEventKind::Wheel(direction);
            return Some(MouseEvent { kind, col, row, pixel: None, modifiers: modifiers(code) });
        }
    };
    let kind = match (motion, released) {
        (true, false) => MouseEventKind::Motion(button),
        (_, true) => MouseEventKind::Release(button?),
        (false, false) => MouseEventKind::Press(button?),
    };
    Some(MouseEvent { kind, col, row, pixel: None, modifiers: modifiers(code) })
}

fn modifiers(code: u32) -> Modifiers {
    let mut modifiers = Modifiers::empty();
    modifiers.set(Modifiers::SHIFT, code & 4 != 0);
    modifiers.set(Modifiers::ALT, code & 8 != 0);
    modifiers.set(Modifiers::CTRL, code & 16 != 0);
    modifiers
}

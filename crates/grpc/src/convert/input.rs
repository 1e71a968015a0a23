//! Converts an attached client's input for the engine.

use engine::Input;
use ops::OpError;
use vt::input::{
    FocusChange, KeyEvent, KeyEventKind, Modifiers, MouseButton, MouseEvent, MouseEventKind, WheelDirection,
};

use super::known;
use crate::proto::{self, AttachInput, KeyAction, KeyPress, MouseAction, MouseInput, attach_input};

pub(crate) fn attach_input(input: AttachInput) -> Result<Input, OpError> {
    use attach_input::Input as Sent;
    Ok(match input.input {
        None => return Err(OpError::invalid_args("an input holds nothing").with_hint("set one of its fields")),
        Some(Sent::Text(text)) => Input::Text(text),
        Some(Sent::Paste(text)) => Input::Paste(text),
        Some(Sent::Data(bytes)) => Input::Bytes(bytes),
        Some(Sent::Key(key)) => Input::Key(parse_key(&key)?),
        Some(Sent::KeyPress(press)) => Input::Key(key_press(press)?),
        Some(Sent::Mouse(event)) => Input::Mouse(mouse(&event)?),
        Some(Sent::Focus(true)) => Input::Focus(FocusChange::Gained),
        Some(Sent::Focus(false)) => Input::Focus(FocusChange::Lost),
    })
}

fn parse_key(key: &str) -> Result<KeyEvent, OpError> {
    key.parse().map_err(|error: vt::input::KeyParseError| {
        OpError::invalid_args(error.to_string())
            .with_hint("use names such as enter, ctrl+c, alt+x, f5, or one character")
    })
}

fn key_press(press: KeyPress) -> Result<KeyEvent, OpError> {
    let action = known("action", press.action)?;
    let key = match (press.key.is_empty(), press.text.is_empty()) {
        (true, false) => KeyEvent::typed_text(press.text),
        (_, true) => parse_key(&press.key)?,
        (false, false) => parse_key(&press.key)?.with_text(press.text),
    };
    Ok(key.with_kind(match action {
        KeyAction::Press => KeyEventKind::Press,
        KeyAction::Repeat => KeyEventKind::Repeat,
        KeyAction::Release => KeyEventKind::Release,
    }))
}

fn mouse(event: &MouseInput) -> Result<MouseEvent, OpError> {
    let button = match known("button", event.button)? {
        proto::MouseButton::None => None,
        proto::MouseButton::Left => Some(MouseButton::Left),
        proto::MouseButton::Middle => Some(MouseButton::Middle),
        proto::MouseButton::Right => Some(MouseButton::Right),
        proto::MouseButton::MouseButton8 => Some(MouseButton::Button8),
        proto::MouseButton::MouseButton9 => Some(MouseButton::Button9),
        proto::MouseButton::MouseButton10 => Some(MouseButton::Button10),
        proto::MouseButton::MouseButton11 => Some(MouseButton::Button11),
    };
    let pressed = || {
        button.ok_or_else(|| OpError::invalid_args("a mouse button is pressed and not named").with_hint("set button"))
    };
    let place = |field: &str, value: i32| {
        u16::try_from(value).map_err(|_| {
            OpError::invalid_args(format!("the mouse is at {field} {value}")).with_hint("count cells from 0")
        })
    };
    Ok(MouseEvent {
        kind: match known("action", event.action)? {
            MouseAction::Press => MouseEventKind::Press(pressed()?),
            MouseAction::Release => MouseEventKind::Release(pressed()?),
            MouseAction::Move => MouseEventKind::Motion(button),
            MouseAction::WheelUp => MouseEventKind::Wheel(WheelDirection::Up),
            MouseAction::WheelDown => MouseEventKind::Wheel(WheelDirection::Down),
            MouseAction::WheelLeft => MouseEventKind::Wheel(WheelDirection::Left),
            MouseAction::WheelRight => MouseEventKind::Wheel(WheelDirection::Right),
        },
        col: place("x", event.x)?,
        row: place("y", event.y)?,
        pixel: None,
        modifiers: Modifiers::from_bits_truncate(event.modifiers as u8),
    })
}

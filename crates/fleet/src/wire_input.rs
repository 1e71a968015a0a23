//! Converts host events to the input of the `Attach` stream. The coordinator's engine encodes them by the child's
//! modes.

use grpc::proto::{AttachInput, KeyAction, KeyPress, MouseAction, MouseButton, MouseInput, attach_input::Input};
use vt::input::{
    FocusChange, Key, KeyEvent, KeyEventKind, MouseButton as Button, MouseEvent, MouseEventKind, WheelDirection,
};

fn input(input: Input) -> AttachInput {
    AttachInput { input: Some(input) }
}

/// `None` for a key that has no name and typed no text.
pub fn key(event: &KeyEvent) -> Option<AttachInput> {
    let action = match event.kind {
        KeyEventKind::Press => KeyAction::Press,
        KeyEventKind::Repeat => KeyAction::Repeat,
        KeyEventKind::Release => KeyAction::Release,
    };
    let text = event.text.clone().unwrap_or_default();
    match event.key {
        // What a host without a key protocol sends for Ctrl+J.
        Key::Char('\n') => Some(input(Input::Data(b"\n".to_vec()))),
        Key::Char(character) if character.is_control() => Some(input(Input::Text(character.into()))),
        Key::Unidentified if text.is_empty() => None,
        Key::Unidentified => Some(input(Input::KeyPress(KeyPress { key: String::new(), action: action.into(), text }))),
        _ => Some(input(Input::KeyPress(KeyPress { key: event.to_string(), action: action.into(), text }))),
    }
}

pub fn paste(text: &str) -> AttachInput {
    input(Input::Paste(text.to_owned()))
}

pub fn focus(focus: FocusChange) -> AttachInput {
    input(Input::Focus(focus == FocusChange::Gained))
}

/// A mouse event at a cell of the child's screen.
pub fn mouse(event: &MouseEvent) -> AttachInput {
    let (action, pressed) = match event.kind {
        MouseEventKind::Press(pressed) => (MouseAction::Press, Some(pressed)),
        MouseEventKind::Release(released) => (MouseAction::Release, Some(released)),
        MouseEventKind::Motion(held) => (MouseAction::Move, held),
        MouseEventKind::Wheel(WheelDirection::Up) => (MouseAction::WheelUp, None),
        MouseEventKind::Wheel(WheelDirection::Down) => (MouseAction::WheelDown, None),
        MouseEventKind::Wheel(WheelDirection::Left) => (MouseAction::WheelLeft, None),
        MouseEventKind::Wheel(WheelDirection::Right) => (MouseAction::WheelRight, None),
    };
    let button = match pressed {
        None => MouseButton::None,
        Some(Button::Left) => MouseButton::Left,
        Some(Button::Middle) => MouseButton::Middle,
        Some(Button::Right) => MouseButton::Right,
        Some(Button::Button8) => MouseButton::MouseButton8,
        Some(Button::Button9) => MouseButton::MouseButton9,
        Some(Button::Button10) => MouseButton::MouseButton10,
        Some(Button::Button11) => MouseButton::MouseButton11,
    };
    input(Input::Mouse(MouseInput {
        action: action.into(),
        button: button.into(),
        x: event.col.into(),
        y: event.row.into(),
        modifiers: event.modifiers.bits().into(),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_keep_their_names_and_what_they_typed() {
        let sent = |event: KeyEvent| match key(&event).unwrap().input.unwrap() {
            Input::KeyPress(press) => (press.key, press.text),
            other => panic!("{other:?}"),
        };
        assert_eq!(sent("ctrl-c".parse().unwrap()), ("ctrl+c".into(), String::new()));
        assert_eq!(sent("A".parse().unwrap()).0.parse::<KeyEvent>(), "A".parse());
        assert_eq!(sent(KeyEvent::press('q').with_text("@")), ("q".into(), "@".into()));
        assert_eq!(sent(KeyEvent::typed_text("漢字")), (String::new(), "漢字".into()));
        assert_eq!(key(&KeyEvent::press(Key::Unidentified)), None);
        assert_eq!(key(&KeyEvent::press('\n')), Some(input(Input::Data(b"\n".to_vec()))));
    }
}

//! Mouse events. Expectations were seen in the real xterm 410 (clicks, drags and wheel of a virtual X server) or
//! follow from ctlseqs, where its own bindings keep a modifier to themselves.

use vt::input::{
    Modifiers, MouseButton as Button, MouseEvent, MouseEventKind, MouseEventKind::*, PixelPosition,
    WheelDirection as Wheel, encode_mouse, encode_wheel_as_arrows,
};
use vt::{InputModes, KittyFlags, MouseEncoding as Encoding, MouseProtocol as Protocol};

fn at(kind: MouseEventKind, col: u16, row: u16) -> MouseEvent {
    MouseEvent { kind, col, row, pixel: None, modifiers: Modifiers::empty() }
}

fn send(protocol: Protocol, encoding: Encoding, event: MouseEvent) -> Option<Vec<u8>> {
    encode_mouse(&event, &InputModes { mouse: protocol, mouse_encoding: encoding, ..InputModes::default() })
}

#[test]
fn each_encoding_writes_each_event() {
    // Event, code without modifiers, and the forms at column 11, row 6: legacy, 1005, 1006, 1015.
    type Form = &'static [u8];
    let table: &[(MouseEventKind, Form, Form, Form, Form)] = &[
        (Press(Button::Left), b"\x1b[M +&", b"\x1b[M +&", b"\x1b[<0;11;6M", b"\x1b[32;11;6M"),
        (Press(Button::Middle), b"\x1b[M!+&", b"\x1b[M!+&", b"\x1b[<1;11;6M", b"\x1b[33;11;6M"),
        (Press(Button::Right), b"\x1b[M\"+&", b"\x1b[M\"+&", b"\x1b[<2;11;6M", b"\x1b[34;11;6M"),
        (Release(Button::Left), b"\x1b[M#+&", b"\x1b[M#+&", b"\x1b[<0;11;6m", b"\x1b[35;11;6M"),
        (Release(Button::Middle), b"\x1b[M#+&", b"\x1b[M#+&", b"\x1b[<1;11;6m", b"\x1b[35;11;6M"),
        (Release(Button::Right), b"\x1b[M#+&", b"\x1b[M#+&", b"\x1b[<2;11;6m", b"\x1b[35;11;6M"),
        (Wheel(Wheel::Up), b"\x1b[M`+&", b"\x1b[M`+&", b"\x1b[<64;11;6M", b"\x1b[96;11;6M"),
        (Wheel(Wheel::Down), b"\x1b[Ma+&", b"\x1b[Ma+&", b"\x1b[<65;11;6M", b"\x1b[97;11;6M"),
        (Wheel(Wheel::Left), b"\x1b[Mb+&", b"\x1b[Mb+&", b"\x1b[<66;11;6M", b"\x1b[98;11;6M"),
        (Wheel(Wheel::Right), b"\x1b[Mc+&", b"\x1b[Mc+&", b"\x1b[<67;11;6M", b"\x1b[99;11;6M"),
        (Press(Button::Button8), b"\x1b[M\xa0+&", b"\x1b[M\xc2\xa0+&", b"\x1b[<128;11;6M", b"\x1b[160;11;6M"),
        (Press(Button::Button9), b"\x1b[M\xa1+&", b"\x1b[M\xc2\xa1+&", b"\x1b[<129;11;6M", b"\x1b[161;11;6M"),
        (Press(Button::Button10), b"\x1b[M\xa2+&", b"\x1b[M\xc2\xa2+&", b"\x1b[<130;11;6M", b"\x1b[162;11;6M"),
        (Press(Button::Button11), b"\x1b[M\xa3+&", b"\x1b[M\xc2\xa3+&", b"\x1b[<131;11;6M", b"\x1b[163;11;6M"),
        (Release(Button::Button8), b"\x1b[M#+&", b"\x1b[M#+&", b"\x1b[<128;11;6m", b"\x1b[35;11;6M"),
        (Motion(Some(Button::Left)), b"\x1b[M@+&", b"\x1b[M@+&", b"\x1b[<32;11;6M", b"\x1b[64;11;6M"),
        (Motion(Some(Button::Middle)), b"\x1b[MA+&", b"\x1b[MA+&", b"\x1b[<33;11;6M", b"\x1b[65;11;6M"),
        (Motion(Some(Button::Right)), b"\x1b[MB+&", b"\x1b[MB+&", b"\x1b[<34;11;6M", b"\x1b[66;11;6M"),
        (Motion(Some(Button::Button8)), b"\x1b[M\xc0+&", b"\x1b[M\xc3\x80+&", b"\x1b[<160;11;6M", b"\x1b[192;11;6M"),
        (Motion(None), b"\x1b[MC+&", b"\x1b[MC+&", b"\x1b[<35;11;6M", b"\x1b[67;11;6M"),
    ];
    for &(kind, legacy, utf8, sgr, urxvt) in table {
        let event = at(kind, 10, 5);
        let (motion, free) = (matches!(kind, Motion(_)), kind == Motion(None));
        let plain_press = matches!(kind, Press(Button::Left | Button::Middle | Button::Right));
        for (encoding, form) in
            [(Encoding::Legacy, legacy), (Encoding::Utf8, utf8), (Encoding::Sgr, sgr), (Encoding::Urxvt, urxvt)]
        {
            let form = Some(form.to_vec());
            assert_eq!(send(Protocol::Off, encoding, event), None);
            assert_eq!(send(Protocol::X10, encoding, event), form.clone().filter(|_| plain_press), "{event:?}");
            assert_eq!(send(Protocol::Normal, encoding, event), form.clone().filter(|_| !motion), "{event:?}");
            assert_eq!(send(Protocol::ButtonMotion, encoding, event), form.clone().filter(|_| !free), "{event:?}");
            assert_eq!(send(Protocol::AnyMotion, encoding, event), form, "{event:?} {encoding:?}");
        }
    }
}

#[test]
fn modifiers_add_their_values_except_in_x10() {
    for (modifiers, value) in [
        (Modifiers::SHIFT, 4),
        (Modifiers::ALT, 8),
        (Modifiers::META, 8),
        (Modifiers::CTRL, 16),
        (Modifiers::SHIFT | Modifiers::ALT | Modifiers::CTRL, 28),
        (Modifiers::CAPS_LOCK | Modifiers::NUM_LOCK | Modifiers::SUPER, 0),
    ] {
        let with = |kind| MouseEvent { modifiers, ..at(kind, 0, 0) };
        let press = send(Protocol::Normal, Encoding::Sgr, with(Press(Button::Left))).unwrap();
        assert_eq!(press, format!("\x1b[<{value};1;1M").as_bytes());
        let release = send(Protocol::Normal, Encoding::Legacy, with(Release(Button::Left))).unwrap();
        assert_eq!(release, [0x1b, b'[', b'M', 32 + 3 + value, b'!', b'!']);
        let wheel = send(Protocol::Normal, Encoding::Urxvt, with(Wheel(Wheel::Down))).unwrap();
        assert_eq!(wheel, format!("\x1b[{};1;1M", 97 + u32::from(value)).as_bytes());
        assert_eq!(send(Protocol::X10, Encoding::Sgr, with(Press(Button::Left))).unwrap(), b"\x1b[<0;1;1M");
    }
    // The largest code there is still fits the legacy byte.
    let all = Modifiers::SHIFT | Modifiers::ALT | Modifiers::CTRL;
    let event = MouseEvent { modifiers: all, ..at(Motion(Some(Button::Button11)), 0, 0) };
    assert_eq!(send(Protocol::AnyMotion, Encoding::Legacy, event).unwrap(), b"\x1b[M\xdf!!");
}

#[test]
fn places_an_encoding_cannot_express_are_not_reported() {
    let press = |col, row| at(Press(Button::Left), col, row);
    let legacy = |event| send(Protocol::Normal, Encoding::Legacy, event);
    assert_eq!(legacy(press(94, 7)).unwrap(), b"\x1b[M \x7f(");
    assert_eq!(legacy(press(95, 7)).unwrap(), b"\x1b[M \x80(");
    assert_eq!(legacy(press(222, 222)).unwrap(), b"\x1b[M \xff\xff");
    assert_eq!(legacy(press(223, 0)), None);
    assert_eq!(legacy(press(0, 223)), None);
    assert_eq!(legacy(press(u16::MAX, u16::MAX)), None);

    let utf8 = |event| send(Protocol::Normal, Encoding::Utf8, event);
    assert_eq!(utf8(press(94, 7)).unwrap(), b"\x1b[M \x7f(");
    assert_eq!(utf8(press(95, 7)).unwrap(), b"\x1b[M \xc2\x80(");
    assert_eq!(utf8(press(500, 7)).unwrap(), b"\x1b[M \xc8\x95(");
    assert_eq!(utf8(press(2014, 2014)).unwrap(), b"\x1b[M \xdf\xbf\xdf\xbf");
    assert_eq!(utf8(press(2015, 0)), None);
    assert_eq!(utf8(press(0, 2015)), None);

    for encoding in [Encoding::Sgr, Encoding::Urxvt] {
        assert!(send(Protocol::Normal, encoding, press(u16::MAX, u16::MAX)).unwrap().ends_with(b";65536;65536M"));
    }
}

#[test]
fn pixels_count_from_one_and_must_be_known() {
    let pixel = |x, y| MouseEvent { pixel: Some(PixelPosition { x, y }), ..at(Press(Button::Left), 10, 5) };
    let send = |event| send(Protocol::Normal, Encoding::SgrPixels, event);
    assert_eq!(send(pixel(62, 70)).unwrap(), b"\x1b[<0;63;71M");
    assert_eq!(send(MouseEvent { kind: Release(Button::Left), ..pixel(0, 0) }).unwrap(), b"\x1b[<0;1;1m");
    assert_eq!(send(pixel(u32::MAX, 0)).unwrap(), b"\x1b[<0;4294967295;1M");
    assert_eq!(send(at(Press(Button::Left), 10, 5)), None);
}

#[test]
fn the_wheel_is_arrows_only_where_asked_for() {
    let modes = InputModes { alternate_scroll: true, alternate_screen: true, ..InputModes::default() };
    assert_eq!(encode_wheel_as_arrows(-3, &modes).unwrap(), b"\x1b[A\x1b[A\x1b[A");
    assert_eq!(encode_wheel_as_arrows(2, &modes).unwrap(), b"\x1b[B\x1b[B");
    assert_eq!(encode_wheel_as_arrows(0, &modes).unwrap(), b"");
    let application = InputModes { application_cursor: true, ..modes };
    assert_eq!(encode_wheel_as_arrows(-1, &application).unwrap(), b"\x1bOA");
    let kitty = InputModes { kitty: KittyFlags::all(), ..application };
    assert_eq!(encode_wheel_as_arrows(-1, &kitty).unwrap(), b"\x1b[A");
    assert_eq!(encode_wheel_as_arrows(i32::MIN, &modes).unwrap().len(), 3000, "no further than any screen is high");

    assert_eq!(encode_wheel_as_arrows(1, &InputModes { alternate_scroll: false, ..modes }), None);
    assert_eq!(encode_wheel_as_arrows(1, &InputModes { alternate_screen: false, ..modes }), None);
    assert_eq!(encode_wheel_as_arrows(1, &InputModes { mouse: Protocol::Normal, ..modes }), None);
}

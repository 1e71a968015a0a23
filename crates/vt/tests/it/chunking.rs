//! Any chunking of any stream gives the same terminal.

use proptest::prelude::*;

use crate::streams::{all_lines, fed, grid, stream, terminal};

/// Everything a reader can tell of a terminal, as one comparable value.
fn picture(terminal: &mut vt::Terminal) -> impl PartialEq + std::fmt::Debug + use<> {
    let frame = terminal.frame();
    let rows: Vec<vt::Line> = frame.rows.iter().map(|row| (**row).clone()).collect();
    (rows, frame.cursor, all_lines(terminal), terminal.input_modes(), terminal.serialize(), terminal.take_effects())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn cuts_do_not_matter(stream in stream(), cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..8)) {
        let mut whole = fed(30, 8, &stream);
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(stream.len() + 1)).collect();
        cuts.sort_unstable();
        let mut pieces = terminal(30, 8);
        let mut from = 0;
        for cut in cuts.into_iter().chain([stream.len()]) {
            pieces.feed(&stream[from..cut]);
            from = cut;
        }
        prop_assert_eq!(picture(&mut whole), picture(&mut pieces));

        let mut bytewise = terminal(30, 8);
        for byte in &stream {
            bytewise.feed(std::slice::from_ref(byte));
        }
        prop_assert_eq!(picture(&mut fed(30, 8, &stream)), picture(&mut bytewise));
    }

    /// Text comes from rows drawn before, where they have not changed, and from their cells otherwise.
    #[test]
    fn reading_on_the_way_does_not_matter(stream in stream(), cuts in prop::collection::vec(any::<prop::sample::Index>(), 1..8)) {
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(stream.len() + 1)).collect();
        cuts.sort_unstable();
        let (mut read, mut unread) = (terminal(30, 8), terminal(30, 8));
        let mut from = 0;
        for (number, cut) in cuts.into_iter().chain([stream.len()]).enumerate() {
            for terminal in [&mut read, &mut unread] {
                terminal.feed(&stream[from..cut]);
            }
            from = cut;
            match number % 3 {
                0 => drop(read.frame()),
                1 => read.prepare_text(),
                _ => {}
            }
            prop_assert_eq!(grid(&read), grid(&unread));
            prop_assert_eq!(all_lines(&read), all_lines(&unread));
        }
    }

    #[test]
    fn noise_never_panics(bytes in prop::collection::vec(any::<u8>(), 0..2000), sizes in prop::collection::vec((1u16..60, 1u16..30), 0..6)) {
        let mut terminal = fed(20, 6, &bytes);
        for (cols, rows) in sizes {
            terminal.resize(vt::Size::new(cols, rows));
            terminal.feed(&bytes);
            terminal.frame();
            all_lines(&terminal);
        }
    }
}

//! Tests of the inbox: pure functions from items and keys to rows and orders.

use tui::{Canvas, Skin};
use vt::Size;

use super::*;

const AREA: Rect = Rect { row: 0, col: 0, cols: 80, rows: 24 };
const SMALL: Rect = Rect { row: 0, col: 0, cols: 40, rows: 12 };

fn choice(label: &str, effect: ChoiceEffect, sends: Option<&str>) -> InboxChoice {
    InboxChoice { label: label.into(), effect, sends: sends.map(str::to_owned) }
}

/// A prompt as claude draws it.
fn prompt(who: &str, lines: usize) -> InboxItem {
    let mut detail = vec![InboxText::Note("Bash asks for your permission".into())];
    detail.extend((0..lines).map(|line| InboxText::Quote(format!("make part-{line}"))));
    InboxItem {
        id: format!("waiting/{who}"),
        who: who.into(),
        since: "3m".into(),
        summary: "wants to run: make".into(),
        detail,
        choices: vec![
            choice("Yes", ChoiceEffect::AllowOnce, Some("1")),
            choice("Yes, and don't ask again", ChoiceEffect::Other, Some("2")),
            choice("No", ChoiceEffect::Deny, Some("3")),
        ],
        deny: Some("esc".into()),
        digest: format!("pr_{who}"),
    }
}

fn call(who: &str) -> InboxItem {
    InboxItem { id: format!("waiting/{who}"), who: who.into(), summary: "look at this".into(), ..InboxItem::default() }
}

/// An inbox, a screen and a clock.
struct Desk {
    inbox: Inbox,
    area: Rect,
    now: Instant,
}

impl Desk {
    /// Items that have been in sight for a while.
    fn new(items: Vec<InboxItem>) -> Self {
        let now = Instant::now();
        let mut desk = Desk { inbox: Inbox::default(), area: AREA, now };
        desk.inbox.open(items, now);
        desk.pause();
        desk
    }

    fn pause(&mut self) {
        self.now += SEEN;
    }

    /// Presses keys at once; what the last one led to.
    fn press(&mut self, keys: &str) -> InboxOutcome {
        let press = |key: &str| self.inbox.update(&HostEvent::Key(key.parse().unwrap()), self.area, self.now);
        keys.split(' ').map(press).last().unwrap()
    }

    fn text(&self) -> String {
        let mut canvas = Canvas::new(Size::new(self.area.cols, self.area.rows));
        self.inbox.draw(&mut canvas, self.area, &Skin::default());
        canvas.text()
    }

    fn current(&self) -> &str {
        self.inbox.current().map_or("", |item| &item.who)
    }
}

fn answer(who: &str, sends: &str) -> InboxOutcome {
    let (id, digest) = (format!("waiting/{who}"), format!("pr_{who}"));
    InboxOutcome::Answered(InboxAnswer { id, digest, sends: sends.into() })
}

#[test]
fn each_answer_has_a_key_and_sends_what_was_read_with_its_digest() {
    for (key, sends) in [("o", "1"), ("1", "1"), ("2", "2"), ("3", "3"), ("d", "3")] {
        let mut desk = Desk::new(vec![prompt("claude-1", 1)]);
        assert_eq!(desk.press(key), answer("claude-1", sends), "{key}");
        assert!(desk.inbox.is_empty(), "{key}: it waits no longer");
    }
}

#[test]
fn keys_that_answer_nothing_do_nothing() {
    for key in ["4", "9", "0", "x", "y", "a", "ctrl-o", "alt-1", "ctrl-d", "space", "f5", "home"] {
        let mut desk = Desk::new(vec![prompt("claude-1", 1)]);
        assert_eq!(desk.press(key), InboxOutcome::Taken, "{key}");
        assert_eq!(desk.inbox.items().len(), 1, "{key}");
    }
}

#[test]
fn enter_opens_and_never_allows() {
    let mut desk = Desk::new(vec![prompt("claude-1", 1)]);
    assert_eq!(desk.press("enter"), InboxOutcome::Open("waiting/claude-1".into()));
    assert_eq!(desk.press("esc"), InboxOutcome::Closed);
    assert_eq!(Desk::new(vec![]).press("enter"), InboxOutcome::Closed);
}

#[test]
fn what_was_not_read_to_its_end_is_not_allowed_but_may_be_denied() {
    for key in ["o", "1", "2"] {
        let mut desk = Desk::new(vec![prompt("claude-1", 40)]);
        assert_eq!(desk.press(key), InboxOutcome::Taken, "{key}");
        assert!(desk.text().contains("Read it to the end first"), "{}", desk.text());
        desk.press("pagedown pagedown pagedown");
        assert!(!desk.text().contains("Read it to the end first"), "{}", desk.text());
        assert!(matches!(desk.press(key), InboxOutcome::Answered(_)), "{key}");
    }
    for key in ["d", "3"] {
        assert_eq!(Desk::new(vec![prompt("claude-1", 40)]).press(key), answer("claude-1", "3"), "{key}");
    }
}

#[test]
fn each_step_downwards_shows_what_follows_and_the_end_is_known() {
    let mut desk = Desk::new(vec![prompt("claude-1", 40)]);
    assert!(desk.text().contains("make part-0") && !desk.text().contains("make part-39"), "{}", desk.text());
    desk.press("down down");
    assert!(!desk.text().contains("make part-0 ") && desk.text().contains("↓"), "{}", desk.text());
    desk.press("pagedown pagedown pagedown pagedown");
    let text = desk.text();
    assert!(text.contains("make part-39") && text.contains("3 No") && !text.contains('↓'), "{text}");
    desk.press("pageup pageup pageup pageup");
    assert!(desk.text().contains("make part-0"), "{}", desk.text());
    assert!(matches!(desk.press("o"), InboxOutcome::Answered(_)), "it was read, wherever one is now");
}

#[test]
fn a_key_on_its_way_answers_nothing_of_what_has_just_come_in_sight() {
    let mut desk = Desk::new(vec![]);
    desk.inbox.open(vec![prompt("a", 1), prompt("b", 1)], desk.now);
    assert_eq!(desk.press("o"), InboxOutcome::Taken, "it has just been opened");
    desk.pause();
    assert_eq!(desk.press("o"), answer("a", "1"));
    assert_eq!(desk.press("o"), InboxOutcome::Taken, "the next one has just come");
    assert_eq!(desk.press("d"), InboxOutcome::Taken, "denying is an answer too");
    desk.pause();
    assert_eq!(desk.press("d"), answer("b", "3"));
}

#[test]
fn another_question_in_its_place_is_read_anew() {
    let mut desk = Desk::new(vec![prompt("claude-1", 40)]);
    desk.press("pagedown pagedown pagedown");
    let other = InboxItem { digest: "pr_other".into(), ..prompt("claude-1", 40) };
    desk.inbox.set_items(vec![other], desk.now);
    assert_eq!(desk.press("o"), InboxOutcome::Taken, "it has just come");
    desk.pause();
    assert_eq!(desk.press("o"), InboxOutcome::Taken, "it was not read");
    desk.press("pagedown pagedown pagedown");
    let InboxOutcome::Answered(answer) = desk.press("o") else { panic!("{}", desk.text()) };
    assert_eq!(answer.digest, "pr_other");
}

#[test]
fn the_same_question_told_again_changes_nothing() {
    let mut desk = Desk::new(vec![prompt("a", 1), prompt("b", 40)]);
    desk.press("tab pagedown pagedown pagedown");
    let later = InboxItem { since: "4m".into(), ..prompt("b", 40) };
    desk.inbox.set_items(vec![prompt("a", 1), later], desk.now);
    assert!(desk.text().contains("b  4m"), "{}", desk.text());
    assert_eq!((desk.current(), desk.inbox.read), ("b", true));
}

#[test]
fn keys_go_round_and_a_click_goes_to_a_row() {
    let items = || vec![prompt("a", 1), call("b"), prompt("c", 1)];
    for (keys, there) in [
        ("tab", "b"),
        ("tab tab", "c"),
        ("tab tab tab", "a"),
        ("shift+tab", "c"),
        ("right", "b"),
        ("left", "c"),
        ("right left", "a"),
    ] {
        let mut desk = Desk::new(items());
        assert_eq!(desk.press(keys), InboxOutcome::Taken);
        assert_eq!(desk.current(), there, "{keys}");
    }
    let mut desk = Desk::new(items());
    let row = desk.text().lines().position(|line| line.contains("b  look at this")).unwrap() as u16;
    let click = |row, col| {
        let kind = MouseEventKind::Press(MouseButton::Left);
        HostEvent::Mouse(vt::input::MouseEvent { kind, col, row, pixel: None, modifiers: Modifiers::empty() })
    };
    assert_eq!(desk.inbox.update(&click(row, 10), AREA, desk.now), InboxOutcome::Taken);
    assert_eq!(desk.current(), "b");
    assert_eq!(desk.inbox.update(&click(23, 0), AREA, desk.now), InboxOutcome::Closed);
}

#[test]
fn the_next_one_takes_the_place_of_what_was_answered_or_went() {
    let mut desk = Desk::new(vec![prompt("a", 1), prompt("b", 1), prompt("c", 1)]);
    desk.press("tab");
    assert_eq!(desk.press("o"), InboxOutcome::Taken);
    desk.pause();
    assert_eq!(desk.press("o"), answer("b", "1"));
    assert_eq!(desk.current(), "c");
    desk.inbox.set_items(vec![prompt("a", 1)], desk.now);
    assert_eq!(desk.current(), "a");
    desk.inbox.set_items(vec![], desk.now);
    assert!(desk.inbox.is_empty());
}

#[test]
fn what_was_answered_stays_away_until_it_asks_something_else() {
    let mut desk = Desk::new(vec![prompt("a", 1)]);
    desk.press("o");
    desk.inbox.set_items(vec![prompt("a", 1)], desk.now);
    assert!(desk.inbox.is_empty(), "it has not moved yet");
    let other = InboxItem { digest: "pr_2".into(), ..prompt("a", 1) };
    desk.inbox.set_items(vec![other], desk.now);
    assert_eq!(desk.current(), "a", "another question");
    // The first one once more, after the agent had gone on: it is asked anew.
    desk.inbox.set_items(vec![prompt("a", 1)], desk.now);
    assert_eq!(desk.current(), "a");
    // The same again at once, so that it was never seen to go: it is not hidden for long.
    desk.pause();
    assert_eq!(desk.press("o"), answer("a", "1"));
    desk.inbox.open(vec![prompt("a", 1)], desk.now + SENT_STAYS);
    assert_eq!(desk.current(), "a");
}

#[test]
fn an_answer_that_was_refused_puts_the_question_back() {
    let mut desk = Desk::new(vec![prompt("a", 1)]);
    desk.press("o");
    desk.inbox.not_taken("waiting/a");
    desk.inbox.set_items(vec![prompt("a", 1)], desk.now);
    assert_eq!(desk.current(), "a");
}

#[test]
fn what_can_only_be_chosen_there_says_so() {
    let mut item = prompt("a", 1);
    item.choices.iter_mut().for_each(|choice| choice.sends = None);
    item.deny = None;
    for key in ["o", "1", "2", "3", "d"] {
        let mut desk = Desk::new(vec![item.clone()]);
        assert_eq!(desk.press(key), InboxOutcome::Taken, "{key}");
        assert!(desk.text().contains("only be answered where it is asked"), "{key}: {}", desk.text());
    }
    let mut desk = Desk::new(vec![call("b")]);
    assert_eq!(desk.press("d"), InboxOutcome::Taken);
    assert!(!desk.text().contains("only be answered"), "there is nothing to deny: {}", desk.text());
}

#[test]
fn two_answers_that_allow_once_have_no_short_key() {
    let mut item = prompt("a", 1);
    item.choices[1].effect = ChoiceEffect::AllowOnce;
    let mut desk = Desk::new(vec![item]);
    assert_eq!(desk.press("o"), InboxOutcome::Taken);
    assert!(!desk.text().contains("o allow once"), "{}", desk.text());
    assert_eq!(desk.press("2"), answer("a", "2"));
}

#[test]
fn denying_falls_back_on_what_leaves_the_question() {
    let mut item = prompt("a", 1);
    item.choices.pop();
    assert_eq!(Desk::new(vec![item.clone()]).press("d"), answer("a", "esc"));
    item.choices.push(choice("No", ChoiceEffect::Deny, None));
    assert_eq!(Desk::new(vec![item]).press("d"), answer("a", "esc"));
}

#[test]
fn it_says_who_since_when_and_what() {
    let mut item = prompt("claude-1", 1);
    item.detail.push(InboxText::Claim("Build the part".into()));
    item.detail.push(InboxText::Warning("It can't be read whole here.".into()));
    let text = Desk::new(vec![item, call("b")]).text();
    for part in [
        "needs you 1/2",
        "▲ claude-1  3m  wants to run: make",
        "▲ b  look at this",
        "Bash asks for your permission",
        "make part-0",
        "It says: Build the part",
        "It can't be read whole here.",
        "1 Yes  (allows this once)",
        "2 Yes, and don't ask again",
        "3 No  (denies)",
        "o allow once  d deny  1-9 choose  Enter open  Tab next  Esc close",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
}

#[test]
fn all_are_listed_where_there_is_room_and_the_text_comes_first_where_there_is_none() {
    let text = Desk::new(vec![call("a"), call("b"), call("c")]).text();
    assert!(["▲ a ", "▲ b ", "▲ c "].iter().all(|row| text.contains(row)), "{text}");
    let many = (0..20).map(|number| prompt(&format!("agent-{number}"), 60)).collect();
    let text = Desk { area: SMALL, ..Desk::new(many) }.text();
    assert!(text.matches('▲').count() < 4 && text.contains("make part-0"), "{text}");
}

#[test]
fn it_fits_every_screen_and_leaves_the_last_row() {
    for (cols, rows) in [(160, 48), (80, 24), (40, 12), (30, 8), (20, 6), (16, 4), (3, 2), (1, 1)] {
        for lines in [0, 1, 60] {
            let many = (0..9).map(|number| prompt(&format!("agent-{number}"), lines)).collect();
            let mut desk = Desk { area: Rect::new(0, 0, cols, rows), ..Desk::new(many) };
            let last = |text: &str| text.lines().nth(usize::from(rows) - 1).unwrap_or_default().to_owned();
            assert_eq!(last(&desk.text()), "", "{cols}x{rows}");
            desk.press("tab pagedown down tab pageup o");
        }
    }
    let mut desk = Desk { area: SMALL, ..Desk::new(vec![prompt("claude-1", 3)]) };
    assert!(desk.text().contains("▲ claude-1") && desk.text().contains("o allow once"), "{}", desk.text());
    desk.press("pagedown pagedown");
    assert_eq!(desk.press("o"), answer("claude-1", "1"), "{}", desk.text());
}

#[test]
fn where_nothing_can_be_read_nothing_can_be_allowed() {
    let mut desk = Desk { area: Rect::new(0, 0, 12, 5), ..Desk::new(vec![prompt("a", 1)]) };
    desk.press("pagedown pagedown pagedown");
    assert_eq!(desk.press("o"), InboxOutcome::Taken, "{}", desk.text());
    desk.area = AREA;
    assert_eq!(desk.press("o"), answer("a", "1"), "once there is room");
}

#[test]
fn a_long_line_is_wrapped_and_nothing_of_it_is_lost() {
    let mut item = prompt("a", 0);
    let words: Vec<String> = (0..60).map(|number| format!("word-{number}")).collect();
    item.detail.push(InboxText::Quote(words.join(" ")));
    let mut desk = Desk { area: SMALL, ..Desk::new(vec![item]) };
    let mut seen = String::new();
    for _ in 0..60 {
        seen += &desk.text();
        desk.press("down");
    }
    for word in &words {
        assert!(seen.contains(word), "{word}");
    }
}

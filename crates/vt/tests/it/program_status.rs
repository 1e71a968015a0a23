//! The program status protocol: limits and lifetimes by its text, and another implementation as the judge.

use proptest::prelude::*;
use termstate_core::parse_body;
use termstate_store::Store;
use vt::{BlockedKind, Effect, ProgramState, StatusChange, StatusError, StatusRecord, Terminal, inherited_app};

use crate::streams::{fed, terminal};

fn records(terminal: &Terminal) -> Vec<StatusRecord> {
    terminal.status_records().iter().map(|record| StatusRecord::clone(record)).collect()
}

fn reported(bodies: &[&str]) -> Terminal {
    fed(20, 4, bodies.iter().map(|body| format!("\x1b]7501;{body}\x1b\\")).collect::<String>())
}

fn only(body: &str) -> Option<StatusRecord> {
    let records = records(&reported(&[body]));
    assert!(records.len() <= 1, "{body}");
    records.into_iter().next()
}

fn ids(terminal: &Terminal) -> Vec<&str> {
    terminal.status_records().iter().map(|record| record.id.as_str()).collect()
}

/// Standard base64, by another hand.
fn encoded(text: impl AsRef<[u8]>) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let bits: String = text.as_ref().iter().map(|byte| format!("{byte:08b}")).collect();
    let digits = bits.as_bytes().chunks(6).map(|chunk| {
        let chunk = format!("{:0<6}", std::str::from_utf8(chunk).expect("ASCII"));
        char::from(DIGITS[usize::from_str_radix(&chunk, 2).expect("binary")])
    });
    let mut out: String = digits.collect();
    while !out.len().is_multiple_of(4) {
        out.push('=');
    }
    out
}

#[test]
fn a_report_is_decoded() {
    let body = format!(
        "state=blocked:id=deploy/eu-west:kind=permission:progress=40:app=terraform:title={}:msg={}",
        encoded("Zürich"),
        encoded("Apply 3 to add?")
    );
    let wanted = StatusRecord {
        id: "deploy/eu-west".into(),
        kind: Some(BlockedKind::Permission),
        progress: Some(40),
        app: Some("terraform".into()),
        title: Some("Zürich".into()),
        msg: Some("Apply 3 to add?".into()),
        ..StatusRecord::new(ProgramState::Blocked)
    };
    assert_eq!(only(&body), Some(wanted.clone()));
    assert_eq!(only(wanted.sequence().trim_start_matches("\x1b]7501;").trim_end_matches("\x1b\\")), Some(wanted));
}

#[test]
fn the_question_is_answered_as_it_was_asked_and_with_nothing_of_the_child() {
    for (asked, answered) in [
        ("\x1b]7501;?\x1b\\", "\x1b]7501;?\x1b\\"),
        ("\x1b]7501;?\x07", "\x1b]7501;?\x07"),
        ("\x1b]7501; ? :states=idle:evil=1\x07", "\x1b]7501;?\x07"),
    ] {
        assert_eq!(fed(20, 4, asked).take_effects(), [Effect::Reply(answered.into())], "{asked:?}");
    }
    assert_eq!(fed(20, 4, "\x1b]7501;?x\x07\x1b]7501;state=?\x07\x1b]7501;\x07\x1b]7501\x07").take_effects(), []);
    assert_eq!(fed(20, 4, StatusRecord::QUERY).take_effects(), [Effect::Reply(StatusRecord::QUERY.into())]);
}

#[test]
fn what_belongs_to_another_state_is_left_out() {
    let record = only("state=working:kind=auth:progress=7").expect("a report");
    assert_eq!((record.kind, record.progress), (None, Some(7)));
    let record = only("state=done:kind=auth:progress=7").expect("a report");
    assert_eq!((record.kind, record.progress), (None, None));
    for nonsense in ["101", "-1", "4.5", "", "9999999999999999999999", "4a"] {
        let record = only(&format!("state=working:progress={nonsense}:kind=x:app=a%b")).expect("a report");
        assert_eq!((record.progress, record.app), (None, None), "{nonsense}");
    }
    for (text, percent) in [("0", 0), ("000", 0), ("007", 7), ("100", 100)] {
        assert_eq!(only(&format!("state=working:progress={text}")).and_then(|record| record.progress), Some(percent));
    }
}

#[test]
fn pairs_that_make_no_sense_are_skipped_and_the_last_of_a_key_counts() {
    let record = only("oops:=:x=:state=idle:future=yes: app = a :STATE=done:app=b:state=working").expect("a report");
    assert_eq!((record.state, record.app.as_deref()), (ProgramState::Working, Some("b")));
}

#[test]
fn limits_discard_the_report_whole() {
    let id = |parts: usize, bytes: usize| vec!["a".repeat(bytes); parts].join("/");
    let text = |bytes: usize| encoded("x".repeat(bytes));
    let pair = |key: usize| format!("{}=1", "k".repeat(key));
    for (good, bad) in [
        (pair(16), pair(17)),
        (format!("app={}", "a".repeat(32)), format!("app={}", "a".repeat(33))),
        (format!("id={}", id(8, 15)), format!("id={}", id(9, 1))),
        (format!("id={}", id(2, 32)), format!("id={}", id(1, 33))),
        (format!("id={}/aaaaaaaa", id(7, 16)), format!("id={}/aaaaaaaaaa", id(7, 16))),
        (format!("title={}", text(192)), format!("title={}", text(193))),
        (format!("msg={}", text(2048)), format!("msg={}", text(2049))),
        // A text that a later one replaces has its limit, too.
        (format!("msg={}:msg=", text(2048)), format!("msg={}:msg=", text(2050))),
    ] {
        assert!(only(&format!("state=idle:{good}")).is_some(), "{good}");
        assert_eq!(only(&format!("state=idle:{bad}")), None, "{bad}");
    }
    for (terminator, room) in [("\x07", 4088), ("\x1b\\", 4087)] {
        for (bytes, taken) in [(room, 1), (room + 1, 0)] {
            let body = format!("state=idle:x={}", "y".repeat(bytes - 13));
            assert_eq!(body.len(), bytes);
            let sequence = format!("\x1b]7501;{body}{terminator}");
            assert_eq!(fed(20, 4, sequence).status_records().len(), taken, "{bytes} {terminator:?}");
        }
    }
}

#[test]
fn ids_text_and_states_that_are_not_valid_discard_the_report() {
    for bad in [
        "progress=4",
        "state=",
        "state=busy",
        "state=idle:id=",
        "state=idle:id=/a",
        "state=idle:id=a//b",
        "state=idle:id=a b",
        "state=idle:id=a%b",
        "state=idle:id=é",
        "state=idle:msg=a",
        "state=idle:msg=QR==",
        "state=idle:title=====",
        &format!("state=idle:msg={}", encoded([0xff, 0xfe])),
        &format!("state=idle:msg={}", encoded("two\nlines")),
        &format!("state=idle:title={}", encoded("\u{9b}31m")),
    ] {
        assert_eq!(only(bad), None, "{bad}");
    }
    // A clear that is not whole clears nothing.
    assert_eq!(reported(&["state=done:id=a", "state=clear:id=a/", "state=clear:msg=a"]).status_records().len(), 1);
}

#[test]
fn what_nobody_would_see_is_shown_as_something() {
    let msg = format!("rm -rf /tmp/x{}/\u{200b}y\u{ad}", '\u{202e}');
    let record = only(&format!("state=blocked:msg={}", encoded(&msg))).expect("a report");
    assert_eq!(record.msg.as_deref(), Some("rm -rf /tmp/x\u{fffd}/\u{fffd}y\u{fffd}"));
    // Marks are longer than what they stand for: the text stays within its limit.
    let record = only(&format!("state=idle:msg={}", encoded("\u{ad}".repeat(1024)))).expect("a report");
    assert!(record.msg.as_ref().is_some_and(|msg| msg.len() <= StatusRecord::MAX_MSG), "{record:?}");
    assert_eq!(record.check(), Ok(()));
}

#[test]
fn a_report_replaces_its_record_whole() {
    let terminal = reported(&["state=blocked:app=a:kind=auth:msg=aGk=", "state=working:id=b", "state=done"]);
    assert_eq!(
        records(&terminal),
        [
            StatusRecord { id: "b".into(), ..StatusRecord::new(ProgramState::Working) },
            StatusRecord::new(ProgramState::Done),
        ]
    );
}

#[test]
fn clear_takes_a_record_and_those_below_it() {
    let all = ["state=idle", "state=done:id=a", "state=idle:id=a/b", "state=working:id=ab", "state=error:id=a/b/c"];
    let after = |clear: &str| {
        let mut bodies = all.to_vec();
        bodies.push(clear);
        ids(&reported(&bodies)).join(" ")
    };
    assert_eq!(after("state=clear:id=a"), " ab");
    assert_eq!(after("state=clear:id=a/b"), " a ab");
    assert_eq!(after("state=clear:id=zz"), " a a/b ab a/b/c");
    assert_eq!(after("state=clear"), "");
}

#[test]
fn a_record_goes_by_the_app_of_the_nearest_one_above() {
    let terminal =
        reported(&["state=idle:app=root", "state=idle:id=a:app=mid", "state=idle:id=a/b/c", "state=idle:id=ab"]);
    let app = |id: &str| {
        let all = || terminal.status_records().iter().map(|record| &**record);
        inherited_app(all(), all().find(|record| record.id == id).expect("a record")).map(str::to_owned)
    };
    assert_eq!(["", "a", "a/b/c", "ab"].map(|id| app(id).expect("an app")), ["root", "mid", "mid", "root"]);
}

#[test]
fn the_least_recently_updated_record_makes_room() {
    let mut terminal = terminal(20, 4);
    for index in 0..StatusRecord::MAX_RECORDS {
        terminal.feed(format!("\x1b]7501;state=idle:id=r{index}\x07").as_bytes());
    }
    terminal.feed(b"\x1b]7501;state=done:id=r0\x07");
    terminal.take_effects();
    terminal.feed(b"\x1b]7501;state=idle:id=new\x07");
    assert_eq!(terminal.status_records().len(), StatusRecord::MAX_RECORDS);
    let effects = terminal.take_effects();
    assert_eq!(effects[0], Effect::ProgramStatus(StatusChange::Removed("r1".into())));
    assert_eq!(effects.len(), 2);
}

#[test]
fn records_live_as_long_as_the_protocol_says() {
    let all = ["state=idle", "state=working:id=w", "state=blocked:id=b", "state=done:id=d", "state=error:id=e"];
    let after = |bytes: &str| {
        let mut terminal = reported(&all);
        terminal.feed(bytes.as_bytes());
        ids(&terminal).join(" ")
    };
    assert_eq!(after("\x1bc"), "", "RIS");
    assert_eq!(after("\x1b]133;A\x07"), "d e", "a shell's prompt");
    for nothing in
        ["\x1b[!p", "\x1b[?1049h", "\x1b[?1049l\x1b[?1049h", "\x1b[2J\x1b[3J", "\x1b]133;C\x07", "\x1b]133;D\x07"]
    {
        assert_eq!(after(nothing), " w b d e", "{nothing:?}");
    }
    let mut terminal = reported(&all);
    terminal.take_effects();
    terminal.end_program();
    assert_eq!(ids(&terminal), ["d", "e"]);
    let removed = |id: &str| Effect::ProgramStatus(StatusChange::Removed(id.into()));
    assert_eq!(terminal.take_effects(), [removed(""), removed("w"), removed("b")]);
}

#[test]
fn what_can_not_be_reported_says_why() {
    let working = StatusRecord::new(ProgramState::Working);
    let with = |change: fn(&mut StatusRecord)| {
        let mut record = working.clone();
        change(&mut record);
        record.check()
    };
    assert_eq!(with(|_| {}), Ok(()));
    assert_eq!(with(|record| record.id = "a/".into()), Err(StatusError::Id("a/".into())));
    assert_eq!(with(|record| record.app = Some("a b".into())), Err(StatusError::App("a b".into())));
    assert_eq!(with(|record| record.progress = Some(101)), Err(StatusError::Progress(101)));
    assert_eq!(with(|record| record.kind = Some(BlockedKind::Auth)), Err(StatusError::KindOf(ProgramState::Working)));
    assert_eq!(with(|record| record.msg = Some("a\nb".into())), Err(StatusError::Text { max: 2048 }));
    assert_eq!(with(|record| record.title = Some("a".repeat(193))), Err(StatusError::Text { max: 192 }));
    assert!(StatusRecord::clear_sequence("a b").is_err());
    assert_eq!(StatusRecord::clear_sequence("a/b").as_deref(), Ok("\x1b]7501;state=clear:id=a/b\x1b\\"));
    assert_eq!(vt::status_text(" two\nlines\x1b ", 100), "two lines");
    assert_eq!(vt::status_text("äöüäöü", 8), "äö…");
}

/// A report as a program might send it, often with something wrong in it.
fn body() -> impl Strategy<Value = String> {
    let key = prop::sample::select(vec![
        "state",
        "state",
        "id",
        "kind",
        "progress",
        "app",
        "title",
        "msg",
        "x",
        "State",
        "",
        " id ",
        "abcdefghijklmnopq",
    ]);
    let id = prop::collection::vec("[a-c]{1,2}", 1..4).prop_map(|parts| parts.join("/"));
    let text = prop_oneof!["[ -~]{0,12}", "[é漢😀\u{200b}\u{202e}\u{ad}a]{0,8}", "[\\x00-\\x20a]{0,4}"];
    let value = prop_oneof![
        4 => prop::sample::select(vec!["idle", "working", "done", "blocked", "error", "clear", "permission", "question", "auth", "?"]).prop_map(str::to_owned),
        2 => id,
        1 => (0u32..140).prop_map(|number| number.to_string()),
        3 => text.prop_map(encoded),
        1 => "[A-Za-z0-9+/=_.,-]{0,40}",
        1 => "[ -~]{0,12}",
        1 => (30usize..36).prop_map(|bytes| "a".repeat(bytes)),
        1 => (190usize..194).prop_map(|bytes| encoded("t".repeat(bytes))),
        1 => (2046usize..2050).prop_map(|bytes| encoded("m".repeat(bytes))),
    ];
    let pair = (key, value).prop_map(|(key, value)| format!("{key}={value}"));
    let state = prop::sample::select(vec!["idle", "working", "done", "blocked", "error", "clear"]);
    prop_oneof![
        6 => (state, prop::collection::vec(pair.clone(), 0..4)).prop_map(|(state, pairs)| {
            std::iter::once(format!("state={state}")).chain(pairs).collect::<Vec<_>>().join(":")
        }),
        2 => prop::collection::vec(pair, 0..5).prop_map(|pairs| pairs.join(":")),
        1 => "[ -~]{0,30}",
        1 => Just("?".to_owned()),
    ]
}

#[derive(Clone, Debug)]
enum Step {
    Report(String),
    PromptStart,
    FullReset,
    SoftReset,
    End,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        30 => body().prop_map(Step::Report),
        // Many records, so that some have to make room.
        1 => (0u16..400).prop_map(|index| Step::Report(format!("state=idle:id=n{index}"))),
        1 => Just(Step::PromptStart),
        1 => Just(Step::FullReset),
        1 => Just(Step::SoftReset),
        1 => Just(Step::End),
    ]
}

fn told(terminal: &mut Terminal, judge: &mut Store, step: &Step) {
    match step {
        Step::Report(body) => {
            terminal.feed(format!("\x1b]7501;{body}\x1b\\").as_bytes());
            // The judge does not know how the sequence ended; ours was ended by two bytes.
            if body.len() <= 4087
                && let Ok(message) = parse_body(body.as_bytes())
            {
                judge.apply(&message);
            }
        }
        Step::PromptStart => {
            terminal.feed(b"\x1b]133;A\x07");
            judge.prompt_started();
        }
        Step::FullReset => {
            terminal.feed(b"\x1bc");
            judge.reset();
        }
        Step::SoftReset => terminal.feed(b"\x1b[!p"),
        Step::End => {
            terminal.end_program();
            judge.process_exited();
        }
    }
}

/// The judge's records, with what nobody sees shown as we show it.
fn judged(judge: &Store) -> Vec<(StatusRecord, Option<String>)> {
    let seen = |text: &Option<String>, max: usize| {
        let shown =
            |text: &String| text.chars().map(|c| if vt::is_hidden(c) { '\u{fffd}' } else { c }).collect::<String>();
        text.as_ref().map(shown).map(|text| {
            let end = (0..=max.min(text.len())).rev().find(|end| text.is_char_boundary(*end));
            text[..end.expect("zero is a boundary")].to_owned()
        })
    };
    let record = |(id, record): (Option<&str>, &termstate_store::Record)| {
        let state = ProgramState::ALL.into_iter().find(|state| state.as_str() == record.state.as_str());
        let kind =
            record.kind.and_then(|judged| BlockedKind::ALL.into_iter().find(|kind| kind.as_str() == judged.as_str()));
        let ours = StatusRecord {
            id: id.unwrap_or_default().to_owned(),
            state: state.expect("a state of both"),
            kind,
            progress: record.progress,
            app: record.app.clone(),
            title: seen(&record.title, StatusRecord::MAX_TITLE),
            msg: seen(&record.msg, StatusRecord::MAX_MSG),
        };
        (ours, judge.effective_app(id).map(str::to_owned))
    };
    judge.iter().map(record).collect()
}

fn sorted(terminal: &Terminal) -> Vec<(StatusRecord, Option<String>)> {
    let all = || terminal.status_records().iter().map(|record| &**record);
    let mut records: Vec<_> =
        all().map(|record| (record.clone(), inherited_app(all(), record).map(str::to_owned))).collect();
    records.sort_by(|one, other| one.0.id.cmp(&other.0.id));
    records
}

fn judge() -> Store {
    let mut judge = Store::new();
    judge.set_drop_idle_on_lifetime_events(true);
    judge
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn another_implementation_keeps_the_same_records(steps in prop::collection::vec(step(), 0..40)) {
        let (mut terminal, mut judge) = (terminal(20, 4), judge());
        for step in &steps {
            told(&mut terminal, &mut judge, step);
            prop_assert_eq!(sorted(&terminal), judged(&judge), "after {:?}", step);
        }
        for record in terminal.status_records() {
            prop_assert_eq!(record.check(), Ok(()));
        }
    }

    /// … and hears what we write as we do.
    #[test]
    fn what_is_written_is_read_as_it_was_meant(steps in prop::collection::vec(step(), 0..20)) {
        let (mut original, mut ignored) = (terminal(20, 4), judge());
        steps.iter().for_each(|step| told(&mut original, &mut ignored, step));
        let mut heard = judge();
        for record in original.status_records() {
            let sequence = record.sequence();
            let body = sequence.strip_prefix("\x1b]7501;").and_then(|rest| rest.strip_suffix("\x1b\\")).expect("a sequence");
            heard.apply(&parse_body(body.as_bytes()).expect("a report"));
        }
        prop_assert_eq!(judged(&heard), sorted(&original));
        let mut replayed = terminal(20, 4);
        replayed.feed(&original.serialize());
        prop_assert_eq!(records(&original), records(&replayed));
    }

    /// Whoever keeps a table by the effects alone keeps the same one.
    #[test]
    fn effects_tell_every_change_in_any_chunks(steps in prop::collection::vec(step(), 0..30), cuts in prop::collection::vec(1usize..50, 1..20)) {
        let mut stream = Vec::new();
        for step in &steps {
            match step {
                Step::Report(body) => stream.extend_from_slice(format!("\x1b]7501;{body}\x1b\\").as_bytes()),
                Step::PromptStart => stream.extend_from_slice(b"\x1b]133;A\x07"),
                Step::FullReset => stream.extend_from_slice(b"\x1bc"),
                Step::SoftReset | Step::End => {}
            }
        }
        let mut whole = fed(20, 4, &stream);
        let mut pieces = terminal(20, 4);
        let mut rest = stream.as_slice();
        for cut in cuts.iter().cycle() {
            let (piece, later) = rest.split_at((*cut).min(rest.len()));
            pieces.feed(piece);
            rest = later;
            if rest.is_empty() {
                break;
            }
        }
        let effects = whole.take_effects();
        prop_assert_eq!(&effects, &pieces.take_effects());
        let mut mirror: Vec<StatusRecord> = Vec::new();
        for effect in effects {
            let Effect::ProgramStatus(change) = effect else { continue };
            let id = match &change {
                StatusChange::Set(record) => record.id.clone(),
                StatusChange::Removed(id) => id.clone(),
            };
            mirror.retain(|record| record.id != id);
            if let StatusChange::Set(record) = change {
                mirror.push(StatusRecord::clone(&record));
            }
        }
        prop_assert_eq!(mirror, records(&whole));
        prop_assert_eq!(records(&whole), records(&pieces));
    }
}

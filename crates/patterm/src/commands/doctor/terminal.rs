//! What the terminal is said to be, and what it answers.

use std::time::Duration;

use interface::app;
use program::{
    Exit, Surroundings,
    doctor::{DoctorFinding, FindingState},
};
use tui::{
    ColorDepth, HostDecoder,
    host::{ColorHints, HostError, HostModes, HostProbe, HostTerminal, MouseTracking},
};
use vt::Size;

const AREA: &str = "terminal";
/// The interface waits less, because somebody wants to see it; the answer may come over a slow line.
const PATIENCE: Duration = Duration::from_secs(2);
/// What the interface was drawn for.
const COMFORTABLE: Size = Size { cols: 80, rows: 24 };

/// Programs between us and the terminal, by the variable that they set; what follows from it, and what to do.
const BETWEEN: [(&str, &str, &str); 5] = [
    (
        "PATTERM",
        "this is a session of patterm: `patterm` starts a separate one in here",
        "leave it, or use the tools and the palette of the patterm around you",
    ),
    (
        "TMUX",
        "tmux is between patterm and the terminal: it answers for the terminal, and passes on less",
        "in tmux.conf: set -s extended-keys on; set -as terminal-features ',*:RGB:sync'; set -g allow-passthrough on",
    ),
    (
        "STY",
        "GNU screen is between patterm and the terminal: it knows few keys, and not all versions know 24-bit colours",
        "start patterm outside of screen",
    ),
    (
        "ZELLIJ",
        "zellij is between patterm and the terminal: it takes some keys, and answers for the terminal",
        "lock zellij's keys (ctrl+g), or start patterm outside of it",
    ),
    ("VTR_SESSION", "this is a session of vtr, which answers for the terminal", ""),
];

pub(super) fn check(surroundings: &Surroundings) -> Vec<DoctorFinding> {
    let variable = |name| surroundings.variable(name).unwrap_or_default().to_string_lossy().into_owned();
    let (term, color_term) = (variable("TERM"), variable("COLORTERM"));
    let mut found = vec![check_names(&term, &color_term, &variable("TERM_PROGRAM"))];
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find(|name| surroundings.variable(name).is_some());
    found.extend(check_locale(locale, &locale.map(variable).unwrap_or_default()));
    let inside = BETWEEN.iter().filter(|(name, ..)| surroundings.variable(name).is_some());
    found.extend(inside.map(|(_, text, advice)| DoctorFinding::note(AREA, *text, *advice)));
    let host = match app::find_terminal() {
        Ok(host) => host,
        Err(failure) if failure.exit == Exit::NoTerminal => {
            let text = "standard input or output is no terminal, so none was asked what it can do";
            found.push(DoctorFinding::note(AREA, text, "run `patterm doctor` without pipes to see its answers"));
            return found;
        }
        Err(failure) => {
            found.push(DoctorFinding::warning(AREA, failure.message, ""));
            return found;
        }
    };
    if term == "dumb" {
        let advice = "use another terminal, or set TERM to its type (xterm-256color fits most)";
        found.push(DoctorFinding::fault(AREA, "patterm can't be drawn on this terminal", advice));
        return found;
    }
    let no_color = surroundings.variable("NO_COLOR").is_some();
    let hints = ColorHints { term: &term, color_term: &color_term, no_color };
    match ask(host) {
        Ok((size, probe)) => found.extend(judge(size, &probe, hints)),
        Err(error) => found.push(DoctorFinding::warning(AREA, error.to_string(), "")),
    }
    found
}

/// On the alternate screen, which is left again, so that nothing of it is to be seen.
fn ask(mut host: HostTerminal) -> Result<(Size, HostProbe), HostError> {
    let size = host.size()?;
    host.enter(HostModes { mouse: MouseTracking::Off, ..HostModes::default() })?;
    // What was typed meanwhile is dropped: it is no answer.
    let probe = host.probe(&mut HostDecoder::new(), PATIENCE, &mut Vec::new());
    host.leave();
    Ok((size, probe?))
}

fn check_names(term: &str, color_term: &str, program: &str) -> DoctorFinding {
    let told = [("TERM", term), ("COLORTERM", color_term), ("TERM_PROGRAM", program)];
    let said = |(name, value)| match value {
        "" => format!("{name} is not set"),
        value => format!("{name} is {value}"),
    };
    DoctorFinding::ok(AREA, told.map(said).join(", "))
}

/// `variable` is the one that decides, if any is set.
fn check_locale(variable: Option<&str>, value: &str) -> Option<DoctorFinding> {
    let encoding = value.rsplit_once('.').map_or("", |(_, encoding)| encoding).to_ascii_lowercase();
    if encoding.starts_with("utf-8") || encoding.starts_with("utf8") {
        return None;
    }
    let text = match variable {
        Some(name) => format!("{name}={value} is no UTF-8 locale, and patterm always prints UTF-8"),
        None => "no locale is set (LANG), and patterm always prints UTF-8".to_owned(),
    };
    let advice =
        "if signs and lines look wrong, set LANG to a UTF-8 locale; \"signs\": \"ascii\" in config.json avoids most";
    Some(DoctorFinding::note(AREA, text, advice))
}

fn judge(size: Size, probe: &HostProbe, hints: ColorHints<'_>) -> Vec<DoctorFinding> {
    let abilities = probe.abilities();
    let either = |can: bool, yes: &str, no: &str, advice: &str| match can {
        true => DoctorFinding::ok(AREA, yes),
        false => DoctorFinding::note(AREA, no, advice),
    };
    let mut found = vec![judge_size(size)];
    if !probe.finished() {
        let text = format!("the terminal did not answer everything within {} s", PATIENCE.as_secs());
        let advice = "patterm then uses only what every terminal can do: look for a newer terminal, or a faster line";
        found.push(DoctorFinding::warning(AREA, text, advice));
    }
    found.push(match &abilities.version {
        Some(name) => DoctorFinding::ok(AREA, format!("it calls itself {name}")),
        None => DoctorFinding::ok(AREA, "it does not tell its name (XTVERSION)"),
    });
    found.push(either(
        abilities.kitty_keyboard,
        "keyboard: the kitty protocol, so all keys can be told apart",
        "keyboard: without the kitty protocol some keys look the same, such as shift+enter and enter",
        "a terminal with that protocol tells them apart: kitty, Ghostty, WezTerm, foot, iTerm2, Alacritty",
    ));
    found.push(judge_colors(abilities.writer_options(hints).depth, hints));
    found.push(either(
        abilities.synchronized,
        "synchronized output: yes, so no half-drawn picture is shown",
        "synchronized output: no, so a picture may be seen half drawn for a moment",
        "",
    ));
    let told = abilities.background.is_some() && abilities.foreground.is_some();
    found.push(either(
        told,
        "its own colours: told",
        "its own colours: not told, so patterm takes a dark background for granted",
        "on a light background, set \"theme\": \"light\" in config.json",
    ));
    found
}

fn judge_size(size: Size) -> DoctorFinding {
    let text = format!("size: {} columns, {} rows", size.cols, size.rows);
    if size.cols < COMFORTABLE.cols || size.rows < COMFORTABLE.rows {
        let advice =
            format!("there is room for everything from {} columns and {} rows", COMFORTABLE.cols, COMFORTABLE.rows);
        return DoctorFinding::note(AREA, text, advice);
    }
    DoctorFinding::ok(AREA, text)
}

fn judge_colors(depth: ColorDepth, hints: ColorHints<'_>) -> DoctorFinding {
    let (state, text, advice) = match depth {
        ColorDepth::TrueColor => (FindingState::Ok, "colours: 24 bits", ""),
        ColorDepth::Palette256 => {
            (FindingState::Note, "colours: 256", "if the terminal can show 24-bit colours, set COLORTERM=truecolor")
        }
        ColorDepth::Ansi16 => (
            FindingState::Note,
            "colours: 16",
            "if the terminal can show more, set TERM=xterm-256color or its own type",
        ),
        ColorDepth::None if hints.no_color => (FindingState::Note, "colours: none, because NO_COLOR is set", ""),
        ColorDepth::None => (FindingState::Note, "colours: none", "set TERM to the terminal's type"),
    };
    DoctorFinding { area: AREA, state, text: text.into(), advice: advice.into() }
}

#[cfg(test)]
mod tests {
    use tui::{HostEvent, Reply};

    use super::*;

    fn texts(found: &[DoctorFinding], state: FindingState) -> String {
        let texts = found.iter().filter(|finding| finding.state == state).map(|finding| finding.text.as_str());
        texts.collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn a_silent_terminal_is_warned_of_and_an_able_one_is_not() {
        let hints = ColorHints { term: "xterm-256color", color_term: "", no_color: false };
        let found = judge(Size::new(60, 24), &HostProbe::default(), hints);
        assert!(texts(&found, FindingState::Warning).contains("within 2 s"), "{found:?}");
        let notes = texts(&found, FindingState::Note);
        for word in ["60 columns", "kitty protocol", "colours: 256", "half drawn", "dark background"] {
            assert!(notes.contains(word), "{word}: {notes}");
        }
        let mut probe = HostProbe::default();
        let color = vt::Rgb::new(1, 2, 3);
        for reply in [
            Reply::Version("able 3".into()),
            Reply::KittyKeyboard(0),
            Reply::Color { number: 10, value: color },
            Reply::Color { number: 11, value: color },
            Reply::Mode { number: 2026, state: 2 },
            Reply::Capability { name: "RGB".into(), value: Some(String::new()) },
            Reply::DeviceAttributes(Vec::new()),
        ] {
            assert!(probe.take(&HostEvent::Reply(reply)));
        }
        let found = judge(Size::new(80, 24), &probe, hints);
        assert!(found.iter().all(|finding| finding.state == FindingState::Ok), "{found:?}");
        assert!(texts(&found, FindingState::Ok).contains("it calls itself able 3"), "{found:?}");
    }

    #[test]
    fn a_locale_without_utf_8_is_noted() {
        for good in ["C.UTF-8", "de_DE.utf8", "en_US.UTF-8@euro"] {
            assert_eq!(check_locale(Some("LANG"), good), None, "{good}");
        }
        for poor in ["C", "POSIX", "de_DE.ISO-8859-1", ""] {
            assert!(check_locale(Some("LC_ALL"), poor).unwrap().text.contains("LC_ALL"), "{poor}");
        }
        assert!(check_locale(None, "").unwrap().text.contains("no locale"));
    }
}

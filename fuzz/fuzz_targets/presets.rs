//! Untrusted presets and settings: error positions are inside the file, fingerprints depend on the content only, and
//! settings mean the same after they are written.
#![no_main]

use std::path::Path;

use agents::preset::{PresetContent, Problem, Template, TemplateValues, parse_agent, parse_process, plain_json, slug};
use libfuzzer_sys::fuzz_target;
use project::{
    Settings,
    settings::{SettingsError, SettingsWarning},
};

fuzz_target!(|text: &str| {
    if let Ok(plain) = plain_json(text) {
        stays_in_place(text, &plain);
    }
    let file = Path::new("fuzzed.json");
    match parse_agent(file, text) {
        Ok(parsed) => {
            name_makes_a_session(&parsed.preset.name);
            fingerprint_is_the_contents(text, &parsed.content);
            for text in parsed.preset.argv.iter().chain(parsed.preset.env.values()) {
                assert!(Template::parse(text).is_ok(), "a preset was taken with {text:?}");
            }
        }
        Err(problem) => problem_is_in_the_file(text, &problem),
    }
    match parse_process(file, text) {
        Ok(parsed) => {
            name_makes_a_session(&parsed.preset.name);
            fingerprint_is_the_contents(text, &parsed.content);
        }
        Err(problem) => problem_is_in_the_file(text, &problem),
    }
    settings(text);
    template(text);
});

/// The most lines: some readers treat a single carriage return as a line end, others do not.
fn lines(text: &str) -> usize {
    text.split(['\n', '\r']).count()
}

fn stays_in_place(text: &str, plain: &str) {
    assert_eq!(plain.len(), text.len(), "{text:?} became {plain:?}");
    let places = |text: &str| text.match_indices('\n').map(|(place, _)| place).collect::<Vec<_>>();
    assert_eq!(places(plain), places(text));
    assert!(plain_json(plain).is_ok_and(|again| again == plain), "plain JSON is left alone: {plain:?}");
}

fn name_makes_a_session(name: &str) {
    assert!(!name.is_empty() && !name.contains(char::is_control), "{name:?}");
    let slug = slug(name, "agent");
    assert!(engine::SessionName::new(format!("{slug}-1")).is_ok(), "{slug:?}");
}

/// Comments, layout and the order of keys don't count as content; everything else does.
fn fingerprint_is_the_contents(text: &str, content: &PresetContent) {
    let kept = PresetContent::from_canonical(&content.canonical()).expect("what is kept can be read");
    assert_eq!((kept.hash(), kept.changes_since(content)), (content.hash(), Vec::new()));
    let plain = plain_json(text.strip_prefix('\u{feff}').unwrap_or(text)).expect("it was read a moment ago");
    let value: serde_json::Value = serde_json::from_str(&plain).expect("it was read a moment ago");
    let laid_out = format!("// another layout\n{value:#}");
    let again = match parse_agent(Path::new("fuzzed.json"), &laid_out) {
        Ok(again) => again.content,
        Err(_) => match parse_process(Path::new("fuzzed.json"), &laid_out) {
            Ok(again) => again.content,
            // Longer than a preset may be, with blanks at each line.
            Err(problem) => return assert!(laid_out.len() > 256 << 10, "{problem}"),
        },
    };
    assert_eq!(again.hash(), content.hash());
}

fn problem_is_in_the_file(text: &str, problem: &Problem) {
    assert!(!problem.message.is_empty());
    if let Some(line) = problem.line {
        assert!((1..=lines(text)).contains(&line), "{problem} in {} lines", lines(text));
        assert!(problem.column.is_some_and(|column| column >= 1), "{problem}");
    }
}

fn settings(text: &str) {
    match Settings::read(text) {
        Ok(checked) => {
            let written = serde_json::to_string(&checked.settings).expect("settings are plain JSON");
            let again = Settings::read(&written).expect("what is written can be read");
            assert_eq!((again.settings, again.warnings), (checked.settings, Vec::new()));
            for warning in &checked.warnings {
                let (SettingsWarning::Unknown { line, .. } | SettingsWarning::Wrong { line, .. }) = warning;
                assert!((1..=lines(text)).contains(line), "{warning}");
            }
        }
        Err(SettingsError::TooLong { length }) => assert_eq!(length, text.len()),
        Err(SettingsError::Wrong { line, .. } | SettingsError::WrongSafety { line, .. }) => {
            assert!((0..=lines(text)).contains(&line), "line {line} of {}", lines(text));
        }
    }
}

fn template(text: &str) {
    if let Ok(template) = Template::parse(text) {
        let rendered = template.render(&values("")).expect("every placeholder stands for something");
        assert!(rendered.len() <= text.len() + "file://".len() * text.matches("${").count(), "{rendered:?}");
        if !text.contains("${") {
            assert_eq!(rendered, text);
        }
    }
    // Whatever a folder is called, it stays a single word where it is inserted.
    let quoted = |template: &str| {
        let template = Template::parse(template).expect("it is one");
        template.render(&values(text)).expect("every placeholder stands for something")
    };
    assert_eq!(serde_json::from_str::<String>(&quoted("${command:json}")).as_deref().ok(), Some(text));
    let word = quoted("${command:sh}");
    let inside = word.strip_prefix('\'').and_then(|word| word.strip_suffix('\'')).expect("quotes around it");
    let parts: Vec<&str> = inside.split("'\\''").collect();
    assert!(parts.iter().all(|part| !part.contains('\'')) && parts.join("'") == text, "{word}");
    assert!(quoted("${command:url}").bytes().all(|byte| byte.is_ascii_graphic()));
}

fn values(all: &str) -> TemplateValues<'_> {
    TemplateValues {
        command: all,
        connect: all,
        file: Some(all),
        folder: all,
        project: all,
        home: all,
        cache: all,
        conversation: Some(all),
    }
}

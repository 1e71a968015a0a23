//! The environment of a child.
//!
//! The engine reads no environment itself: the program passes in its own, and this file decides what a child may
//! inherit of it.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};

use crate::error::LimitExceeded;
use crate::names::SessionId;
use crate::options::EngineLimits;

/// Variables of the base environment that are never passed to a child. A trailing `*` matches any ending.
///
/// Those of multiplexers and terminals around us: a child that believes it runs in one sends it private sequences.
/// Those of agents around us: a nested agent that sees them refuses to start, or joins the outer one's session. LINES
/// and COLUMNS would freeze the size of the outer window.
pub const NOT_INHERITED: &[&str] = &[
    "COLUMNS",
    "LINES",
    "STY",
    "TMUX",
    "TMUX_PANE",
    "ZELLIJ",
    "ZELLIJ_*",
    "PATTERM",
    "PATTERM_*",
    "TERM_PROGRAM",
    "TERM_PROGRAM_VERSION",
    "TERM_SESSION_ID",
    "TERMINAL_EMULATOR",
    "LC_TERMINAL",
    "LC_TERMINAL_VERSION",
    "VTE_VERSION",
    "KITTY_WINDOW_ID",
    "KITTY_PID",
    "KITTY_LISTEN_ON",
    "KONSOLE_*",
    "ITERM_*",
    "WEZTERM_*",
    "ALACRITTY_*",
    "GHOSTTY_*",
    "WT_SESSION",
    "WT_PROFILE_ID",
    "VSCODE_INJECTION",
    "VSCODE_NONCE",
    "VSCODE_SHELL_*",
    "INSIDE_EMACS",
    "AI_AGENT",
    "AGENT",
    "CLAUDECODE",
    "CLAUDE_CODE_*",
    "CLAUDE_PROJECT_DIR",
    "CLAUDE_ENV_FILE",
    "CLAUDE_PID",
    "CODEX_SANDBOX",
    "CODEX_SANDBOX_*",
    "CODEX_THREAD_ID",
    "CODEX_CI",
    "OPENCODE",
    "OPENCODE_PID",
    "OPENCODE_CONFIG_CONTENT",
    "OPENCODE_SESSION_*",
    "GEMINI_CLI",
    "QWEN_CODE",
    "GOOSE_TERMINAL",
    "COPILOT_CLI",
    "CURSOR_AGENT",
    "CURSOR_TRACE_ID",
    "AMP_CURRENT_THREAD_ID",
];

/// Exceptions to [`NOT_INHERITED`]: a person's own settings and credentials that share a prefix with an agent's session
/// variables. Without them an agent might start without its login.
pub const INHERITED_ANYWAY: &[&str] = &[
    "CLAUDE_CODE_OAUTH_*",
    "CLAUDE_CODE_USE_*",
    "CLAUDE_CODE_SKIP_*",
    "CLAUDE_CODE_API_*",
    "CLAUDE_CODE_CLIENT_*",
    "CLAUDE_CODE_MAX_*",
    "CLAUDE_CODE_DISABLE_*",
    "CLAUDE_CODE_ENABLE_*",
    "CLAUDE_CODE_SHELL*",
    "CLAUDE_CODE_EXTRA_BODY",
    "CLAUDE_CODE_SUBAGENT_MODEL",
    "CLAUDE_CODE_EFFORT_LEVEL",
    "CLAUDE_CODE_NO_FLICKER",
    "CLAUDE_CODE_GIT_BASH_PATH",
];

/// `base` without the variables that must not be inherited, then the engine's own, then `unset` removed and `extra`
/// set: the request has the last word.
pub(crate) fn child_environment(
    base: &[(OsString, OsString)],
    unset: &[OsString],
    extra: &[(OsString, OsString)],
    id: SessionId,
) -> Vec<(OsString, OsString)> {
    let own = [("TERM", "xterm-256color"), ("COLORTERM", "truecolor"), ("PATTERM", "1")]
        .map(|(name, value)| (OsString::from(name), OsString::from(value)));
    let own_id = [("PATTERM_PROCESS_ID".into(), id.to_string().into())];
    let unset: HashSet<&OsString> = unset.iter().collect();
    let inherited = base.iter().filter(|(name, _)| is_inherited(name));
    let all = inherited.chain(&own).chain(&own_id).filter(|(name, _)| !unset.contains(name)).chain(extra);
    // In reverse, so that each name is looked up once: a request may contain thousands.
    let mut named = HashSet::new();
    let mut environment: Vec<_> = all.rev().filter(|(name, _)| named.insert(name)).cloned().collect();
    environment.reverse();
    environment
}

/// Checks the size of a request before any of it is copied.
pub(crate) fn check_size(
    limits: &EngineLimits,
    argv: &[OsString],
    extra: &[(OsString, OsString)],
) -> Result<(), LimitExceeded> {
    if extra.len() > limits.variables {
        return Err(LimitExceeded::Variables { count: extra.len(), limit: limits.variables });
    }
    // Counted as the system does: each with its terminator, and a `=` in between.
    let words: usize = argv.iter().map(|word| word.len() + 1).sum();
    let variables: usize = extra.iter().map(|(name, value)| name.len() + value.len() + 2).sum();
    match words + variables {
        length if length > limits.command => Err(LimitExceeded::Command { length, limit: limits.command }),
        _ => Ok(()),
    }
}

fn is_inherited(name: &OsStr) -> bool {
    // All names in the lists are ASCII, so a name that is not text can't be in them.
    let Some(name) = name.to_str() else { return true };
    !listed(NOT_INHERITED, name) || listed(INHERITED_ANYWAY, name)
}

fn listed(list: &[&str], name: &str) -> bool {
    list.iter().any(|entry| match entry.strip_suffix('*') {
        Some(prefix) => name.starts_with(prefix),
        None => name == *entry,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(list: &[(&str, &str)]) -> Vec<(OsString, OsString)> {
        list.iter().map(|(name, value)| (name.into(), value.into())).collect()
    }

    fn get<'a>(environment: &'a [(OsString, OsString)], name: &str) -> Option<&'a str> {
        let mut found = environment.iter().filter(|(other, _)| other == name);
        let value = found.next().map(|(_, value)| value.to_str().unwrap());
        assert_eq!(found.next(), None, "{name} is there twice");
        value
    }

    const ID: &str = "p_0a0b0c";

    fn made(base: &[(&str, &str)], unset: &[&str], extra: &[(&str, &str)]) -> Vec<(OsString, OsString)> {
        let unset: Vec<OsString> = unset.iter().map(Into::into).collect();
        child_environment(&pairs(base), &unset, &pairs(extra), ID.parse().unwrap())
    }

    #[test]
    fn a_child_knows_its_terminal_and_itself() {
        let made = made(&[("TERM", "dumb"), ("HOME", "/h"), ("PATTERM_PROCESS_ID", "p_ffffff")], &[], &[]);
        assert_eq!(get(&made, "TERM"), Some("xterm-256color"));
        assert_eq!(get(&made, "COLORTERM"), Some("truecolor"));
        assert_eq!(get(&made, "PATTERM"), Some("1"));
        assert_eq!(get(&made, "PATTERM_PROCESS_ID"), Some(ID));
        assert_eq!(get(&made, "HOME"), Some("/h"));
    }

    #[test]
    fn outer_multiplexers_and_agents_are_not_inherited() {
        let outer = ["TMUX", "TMUX_PANE", "STY", "CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "COLUMNS", "ZELLIJ_PANE_ID"];
        let base: Vec<_> = outer.iter().map(|name| (*name, "x")).collect();
        let made = made(&base, &[], &[]);
        for name in outer {
            assert_eq!(get(&made, name), None, "{name}");
        }
    }

    #[test]
    fn a_persons_own_settings_are_kept() {
        let kept = ["CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CODE_USE_BEDROCK", "CODEX_HOME", "OPENCODE_CONFIG", "TMUXIFIER"];
        let base: Vec<_> = kept.iter().map(|name| (*name, "x")).collect();
        let made = made(&base, &[], &[]);
        for name in kept {
            assert_eq!(get(&made, name), Some("x"), "{name}");
        }
    }

    #[test]
    fn the_request_has_the_last_word() {
        let made = made(&[("A", "1"), ("B", "1")], &["A", "COLORTERM"], &[("B", "2"), ("TERM_PROGRAM", "ghostty")]);
        assert_eq!(get(&made, "A"), None);
        assert_eq!(get(&made, "COLORTERM"), None);
        assert_eq!(get(&made, "B"), Some("2"));
        assert_eq!(get(&made, "TERM_PROGRAM"), Some("ghostty"));
    }
    #[test]
    fn of_many_variables_the_last_of_each_name_wins_and_the_order_is_kept() {
        let base: Vec<_> = (0..20_000).map(|number| (format!("V{number}").into(), "base".into())).collect();
        let many = (0..40_000).map(|number| (format!("V{}", number % 20_000).into(), number.to_string().into()));
        let extra: Vec<(OsString, OsString)> = many.collect();
        let made = child_environment(&base, &[], &extra, ID.parse().unwrap());
        assert_eq!(made.len(), 20_000 + 4);
        assert_eq!(get(&made, "V7"), Some("20007"));
        assert_eq!(made[4..], extra[20_000..]);
    }

    #[test]
    fn a_request_brings_only_so_much() {
        let limits = EngineLimits { variables: 2, command: 20, ..EngineLimits::default() };
        let check = |argv: &[&str], extra: &[(&str, &str)]| {
            check_size(&limits, &argv.iter().map(Into::into).collect::<Vec<_>>(), &pairs(extra))
        };
        assert_eq!(check(&["12345678"], &[("A", "12"), ("B", "12")]), Ok(()), "9 and twice 5");
        let error = LimitExceeded::Variables { count: 3, limit: 2 };
        assert_eq!(check(&[], &[("A", ""), ("B", ""), ("C", "")]), Err(error));
        let error = LimitExceeded::Command { length: 21, limit: 20 };
        assert_eq!(check(&["1234567890"], &[("A", "12"), ("B", "12")]), Err(error));
    }
}

//! The help pages about sessions.

use crate::HelpTopic;

/// The pages for a program without presets, agents or projects.
pub fn about_sessions() -> Vec<HelpTopic> {
    let page = |name, content: &'static str, related: &[&'static str]| HelpTopic {
        name,
        content: content.into(),
        related_tools: related.to_vec(),
    };
    vec![
        page(
            "spawning",
            "spawn_process starts a program in a terminal of its own: argv for a command, nothing for a shell, \
             shell: true when the command line needs one. It answers at once with an id and a name; every tool takes \
             either. Then wait for the text that says it is ready, rather than for a time to pass.",
            &["spawn_process", "wait_for_pattern", "list_processes"],
        ),
        page(
            "lifecycle",
            "What you start is yours to end. stop_process ends the program and keeps the session readable; \
             start_process runs an ended command again; restart_process does both; close_process removes the session \
             with everything below it. Nothing is cleaned up when a program ends by itself: its last screen and its \
             exit code stay until you close it. What you started ends when you do.",
            &["stop_process", "start_process", "restart_process", "close_process", "get_process_status"],
        ),
        page(
            "inspection",
            "get_process_output with mode grid is the screen as a person would see it; mode stream is what was \
             printed, as text. Pass the last screen_version as since_version, or the last new_offset as since_offset, \
             to pay only for what is new. search_output finds lines in the history by a pattern. get_process_status \
             says how a program ended: exit_code, or signal when one killed it.",
            &["get_process_output", "search_output", "get_process_status", "list_processes", "get_process_ports"],
        ),
        page(
            "io",
            "send_input with text types a line and presses Enter; several lines go as one paste. kind key presses \
             one key: enter, esc, tab, up, ctrl-c, alt+x, shift+tab, f5. kind paste sends text that can't act as \
             keys. wait_ms answers with what was printed after the input; wait_for_pattern is better when you know \
             what to expect.",
            &["send_input", "wait_for_pattern"],
        ),
        page(
            "waiting",
            "wait_for_pattern returns as soon as the text is there. Scope grid is right for prompts on the screen, \
             scrollback for lines that may have scrolled by already, new_output for what comes after the call. A \
             timeout is no error: matched is false and reason says whether the time was up or the program ended. \
             Silence (idle_ms) says that nothing is printed, not that the work is done.",
            &["wait_for_pattern", "get_process_output", "get_process_status"],
        ),
        page(
            "errors",
            "An error has a kind to branch on, a message, and a hint what to do next. not_found: list the sessions. \
             not_running: it has ended, read it or spawn a new one. not_related: outside your own tree, you may only \
             read it. invalid_args: look at the tool's arguments. limit_exceeded: end or close something.",
            &["list_processes", "whoami"],
        ),
    ]
}

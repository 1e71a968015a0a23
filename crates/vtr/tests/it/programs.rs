//! Programs that people really use. They may not be installed: `.ci/run` installs them and runs these tests.

use crate::stage::Stage;

fn screen(stage: &Stage, name: &str) -> String {
    stage.vtr(&["screen", name]).ok()
}

#[test]
#[ignore = "needs bash: run by .ci/run"]
fn bash_is_driven_through_a_build() {
    let stage = Stage::new();
    stage.vtr(&["spawn", "sh", "--wait", r"^\$", "--env", "PS1=$ ", "--", "bash", "--norc", "--noprofile"]).ok();
    stage.vtr(&["send", "sh", "-e", "for i in 1 2 3; do echo step $i; done; echo exit=$?"]).ok();
    assert_eq!(stage.see("sh", "^exit=0$"), "exit=0\n");
    assert_eq!(stage.vtr(&["grep", "sh", "^step"]).ok().lines().count(), 3);
    stage.vtr(&["send", "sh", "-e", "sh -c 'echo it sleeps; exec sleep 1000'"]).ok();
    // Before the program has taken the terminal, Ctrl-C goes to the shell.
    stage.see("sh", "^it sleeps$");
    stage.vtr(&["key", "sh", "ctrl+c"]).ok();
    stage.vtr(&["send", "sh", "-e", "echo after=$?"]).ok();
    stage.see("sh", "^after=130$");
    stage.vtr(&["key", "sh", "ctrl+d"]).ok();
    assert_eq!(stage.see_end("sh")["exit_code"], 0);
}

#[test]
#[ignore = "needs python3: run by .ci/run"]
fn the_python_prompt_answers() {
    let stage = Stage::new();
    stage
        .vtr(&[
            "spawn",
            "py",
            "--wait",
            ">>>",
            "--timeout",
            "60s",
            "--env",
            "PYTHON_BASIC_REPL=1",
            "--",
            "python3",
            "-q",
        ])
        .ok();
    stage.vtr(&["send", "py", "-e", "sum(range(101))"]).ok();
    stage.see("py", "^5050$");
    stage.vtr(&["send", "py", "-e", "def f():\n    return 'multi' + 'line'\n"]).ok();
    stage.vtr(&["key", "py", "enter"]).ok();
    stage.vtr(&["send", "py", "-e", "f()"]).ok();
    stage.see("py", "'multiline'");
    stage.vtr(&["send", "py", "-e", "raise SystemExit(4)"]).ok();
    assert_eq!(stage.see_end("py")["exit_code"], 4);
}

#[test]
#[ignore = "needs vim: run by .ci/run"]
fn vim_writes_a_file() {
    let stage = Stage::new();
    let file = stage.path("home/note.txt");
    stage
        .vtr(&[
            "spawn",
            "ed",
            "--wait",
            "~",
            "--timeout",
            "60s",
            "--",
            "vim",
            "-u",
            "NONE",
            "-n",
            file.to_str().unwrap(),
        ])
        .ok();
    assert_eq!(stage.vtr(&["info", "ed", "--json"]).json()["alternate_screen"], true);
    stage.vtr(&["send", "ed", "ihello from vtr"]).ok();
    stage.vtr(&["wait", "ed", "hello from vtr", "--scope", "screen"]).ok();
    stage.vtr(&["key", "ed", "escape"]).ok();
    stage.vtr(&["send", "ed", "-e", ":wq"]).ok();
    assert_eq!(stage.see_end("ed")["exit_code"], 0);
    assert_eq!(std::fs::read_to_string(file).unwrap(), "hello from vtr\n");
}

#[test]
#[ignore = "needs less: run by .ci/run"]
fn less_pages_and_searches() {
    let stage = Stage::new();
    let file = stage.path("home/numbers");
    let numbers: String = (1..=500).map(|number| format!("number {number}\n")).collect();
    std::fs::write(&file, numbers).unwrap();
    stage
        .vtr(&["spawn", "pager", "--wait", "number 23", "--timeout", "60s", "--", "less", file.to_str().unwrap()])
        .ok();
    stage.vtr(&["key", "pager", "space"]).ok();
    stage.vtr(&["wait", "pager", "number 40", "--scope", "screen"]).ok();
    assert!(!screen(&stage, "pager").contains("number 2\n"));
    stage.vtr(&["send", "pager", "-e", "/number 321"]).ok();
    stage.vtr(&["wait", "pager", "number 321", "--scope", "screen"]).ok();
    stage.vtr(&["key", "pager", "q"]).ok();
    assert_eq!(stage.see_end("pager")["exit_code"], 0);
}

#[test]
#[ignore = "needs bash: run by .ci/run"]
fn bash_completes_session_names_with_our_script() {
    let stage = Stage::new();
    stage.spawn_cat("codex");
    let vtr = crate::stage::VTR;
    let script = format!(
        "source <('{vtr}' completions bash); COMP_WORDS=(vtr screen co); COMP_CWORD=2; COMP_TYPE=9; \
         $(complete -p vtr | sed 's/.*-F \\([^ ]*\\).*/\\1/') vtr co screen; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    );
    let mut command = std::process::Command::new("bash");
    let environment: Vec<_> =
        stage.command(&[]).get_envs().map(|(k, v)| (k.to_owned(), v.unwrap().to_owned())).collect();
    let ran = crate::stage::run(command.args(["--norc", "-c", &script]).env_clear().envs(environment));
    assert_eq!(ran.ok().trim(), "codex");
}

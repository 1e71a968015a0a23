//! The program: `patterm-fake-agent claude|codex|opencode [the vendor's flags] [--script FILE] [--fast]`. `patterm fake-agent`
//! starts it.

use std::process::ExitCode;
use std::{env, io::Write};

use fake::{AgentMake, FakeOptions};

/// Path of a script, for fakes whose command line can't be changed.
const SCRIPT: &str = "PATTERM_FAKE_SCRIPT";

fn main() -> ExitCode {
    let mut arguments = env::args_os();
    let program = arguments.next().unwrap_or_else(|| "fake-agent".into());
    let make = arguments.next().unwrap_or_default().to_string_lossy().parse::<AgentMake>();
    let make = match make {
        Ok(make) => make,
        Err(error) => return complain(&error.to_string()),
    };
    let working_dir = match env::current_dir() {
        Ok(folder) => folder,
        Err(error) => return complain(&format!("the working folder can't be read: {error}")),
    };
    let again = env::current_exe().map_or(program, Into::into);
    fake::run(FakeOptions {
        make,
        arguments: arguments.collect(),
        environment: env::vars_os().collect(),
        working_dir,
        script: env::var_os(SCRIPT).map(Into::into),
        again: std::iter::once(again).chain(env::args_os().skip(1)).collect(),
    })
}

fn complain(text: &str) -> ExitCode {
    // If even this fails, there is no way left to report it.
    let _ = writeln!(std::io::stderr(), "fake-agent: {text}");
    ExitCode::from(2)
}

//! `vtr completions`

use clap_complete::env::Shells;
use program::{Exit, Failure, Outcome};
use serde_json::json;

use crate::invocation::Invocation;

/// Print a script that teaches a shell to complete commands and session names
///
/// bash: source <(vtr completions bash); zsh: source <(vtr completions zsh); fish: vtr completions fish | source; elvish:
/// eval (vtr completions elvish | slurp); powershell: vtr completions powershell | Out-String | Invoke-Expression
#[derive(Debug, clap::Args)]
pub(crate) struct CompletionsArgs {
    #[arg(value_enum)]
    shell: Shell,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Shell {
    Bash,
    Zsh,
    Fish,
    Elvish,
    Powershell,
}

impl Shell {
    fn name(self) -> &'static str {
        match self {
            Shell::Bash => "bash",
            Shell::Zsh => "zsh",
            Shell::Fish => "fish",
            Shell::Elvish => "elvish",
            Shell::Powershell => "powershell",
        }
    }
}

/// Set by the scripts when they ask for candidates.
pub(crate) const VARIABLE: &str = "VTR_COMPLETE";

/// Only bash splits words at colons.
const WHOLE_WORDS: &str = include_str!("whole_words.bash");

impl CompletionsArgs {
    pub(crate) fn run(self, invocation: &mut Invocation) -> Outcome {
        let name = self.shell.name();
        let program = invocation.surroundings.program.to_string_lossy().into_owned();
        let mut script = Vec::new();
        let shells = Shells::builtins();
        let completer = shells.completer(name).ok_or_else(|| Failure::usage(format!("{name} is not supported")))?;
        completer.write_registration(VARIABLE, "vtr", "vtr", &program, &mut script)?;
        let mut script = String::from_utf8_lossy(&script).into_owned();
        if let Shell::Bash = self.shell {
            script = format!("{WHOLE_WORDS}{}", script.replace("-F _clap_complete_vtr ", "-F _vtr "));
        }
        // Not from the config file: a shell reads this output.
        invocation.output.json = invocation.everywhere.json;
        if invocation.output.json {
            invocation.output.object(&json!({ "shell": name, "script": script }))?;
        } else {
            invocation.output.verbatim(script.as_bytes())?;
        }
        Ok(Exit::Done)
    }
}

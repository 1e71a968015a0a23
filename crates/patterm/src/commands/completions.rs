//! `patterm completions`

use clap::CommandFactory;
use clap_complete::Shell;
use program::{Exit, Outcome};
use serde_json::json;

use crate::{cli::PattermCli, output::Output};

/// Print a script that teaches a shell to complete commands
///
/// bash: source <(patterm completions bash); zsh: source <(patterm completions zsh); fish: patterm completions fish |
/// source
#[derive(Debug, clap::Args)]
pub(crate) struct PattermCompletions {
    #[arg(value_enum)]
    shell: Shell,
}

impl PattermCompletions {
    pub(crate) fn run(self, output: &mut Output) -> Outcome {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut PattermCli::command(), "patterm", &mut script);
        let script = String::from_utf8_lossy(&script).trim_end().to_owned();
        output.answer(&json!({ "shell": self.shell.to_string(), "script": script }), std::slice::from_ref(&script))?;
        Ok(Exit::Done)
    }
}

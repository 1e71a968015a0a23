//! `vtr config`

use fleet::{default_socket, path_pattern};
use program::{Exit, Failure, Outcome};
use serde_json::json;

use crate::{
    client_config::{ConfigEditor, NewEntry},
    invocation::Invocation,
};

/// Show and change the list of coordinators
#[derive(Debug, clap::Args)]
pub(crate) struct ConfigArgs {
    #[command(subcommand)]
    action: ConfigAction,
}

#[derive(Debug, clap::Subcommand)]
enum ConfigAction {
    /// List the coordinators in the config file, as written there
    Ls,
    /// Add a coordinator: a socket, a pattern of sockets, or after "--" a command that connects to one
    ///
    /// For example: vtr config add '/var/run/vtr/*.sock', or: vtr config add --name far -- ssh far vtr dial-stdio
    Add {
        /// A socket, or a pattern with *, ? or [a-z]
        #[arg(value_name = "PATH", required_unless_present = "command", conflicts_with = "command")]
        path: Option<String>,
        /// Its name [default: the socket's file name]
        #[arg(long)]
        name: Option<String>,
        /// A command whose standard input and output lead to a coordinator
        #[arg(last = true, value_name = "COMMAND", requires = "name")]
        command: Vec<String>,
    },
    /// Remove a coordinator from the config file
    Rm {
        /// As shown by `vtr config ls`
        #[arg(value_name = "PATH|NAME")]
        which: String,
    },
    /// Show the coordinators that commands will talk to
    Resolve,
}

impl ConfigArgs {
    pub(crate) fn run(self, invocation: &mut Invocation) -> Outcome {
        match self.action {
            ConfigAction::Ls => list(invocation),
            ConfigAction::Add { path, name, command } => add(invocation, path, name, command),
            ConfigAction::Rm { which } => remove(invocation, &which),
            ConfigAction::Resolve => resolve(invocation),
        }
    }
}

fn list(invocation: &mut Invocation) -> Outcome {
    let file = invocation.surroundings.client_config_file();
    let entries = invocation.config.coordinators.clone();
    if invocation.output.json {
        let entries: Vec<_> = entries
            .iter()
            .map(|entry| {
                let mut object = serde_json::Map::new();
                object.extend(entry.name.as_ref().map(|name| ("name".to_owned(), json!(name))));
                object.extend(entry.path.as_ref().map(|path| ("path".to_owned(), json!(path))));
                object.extend(entry.command.as_ref().map(|command| ("command".to_owned(), json!(command))));
                let timeout = entry.timeout.map(|timeout| humantime::format_duration(timeout).to_string());
                object.extend(timeout.map(|timeout| ("timeout".to_owned(), json!(timeout))));
                object
            })
            .collect();
        invocation.output.object(&json!({ "file": file, "coordinators": entries }))?;
        return Ok(Exit::Done);
    }
    let rows = entries.into_iter().map(|entry| {
        let place = entry.path.or(entry.command.map(|command| command.join(" "))).unwrap_or_default();
        [entry.name.unwrap_or_else(|| "-".into()), place]
    });
    let rows: Vec<_> = rows.collect();
    if rows.is_empty() {
        let message = format!("{} lists no coordinators: the default one is used", file.display());
        invocation.output.line(message)?;
    } else {
        invocation.output.table(["NAME", "PATH OR COMMAND"], rows)?;
    }
    Ok(Exit::Done)
}

fn add(invocation: &mut Invocation, path: Option<String>, name: Option<String>, command: Vec<String>) -> Outcome {
    let file = invocation.surroundings.client_config_file();
    let new = match (path, name) {
        (Some(path), name) => {
            if name.is_some() && path_pattern::is_pattern(&path) {
                return Err(Failure::usage("a pattern can't have a name: its sockets are named after their files"));
            }
            if path.is_empty() {
                return Err(Failure::usage("the path is empty").with_hint("give a socket, or a pattern of sockets"));
            }
            NewEntry::Path { path: as_written(path, invocation), name }
        }
        (None, Some(name)) => NewEntry::Command { name, command },
        (None, None) => return Err(Failure::usage("a command needs a --name")),
    };
    let mut editor = ConfigEditor::open(file.clone())?;
    let added = editor.add(&new)?;
    if added {
        editor.save()?;
        let usual = default_socket::for_client(&invocation.surroundings).ok().filter(|socket| socket.exists());
        let unnamed = invocation.config.coordinators.is_empty() && invocation.surroundings.socket.is_none();
        if let (true, Some(socket)) = (unnamed, usual) {
            // Until now the default coordinator was used, without being listed.
            let socket = socket.display();
            invocation.output.warn(format!(
                "from now on, commands only use the listed coordinators: `vtr config add {socket}` keeps the default one"
            ));
        }
    } else {
        invocation.output.warn("it is already listed: nothing changed");
    }
    invocation.output.answer(&json!({ "file": file, "added": added }), "")?;
    Ok(Exit::Done)
}

/// Absolute, because later commands run in other folders.
fn as_written(path: String, invocation: &Invocation) -> String {
    if path.starts_with(['/', '~']) {
        path
    } else {
        invocation.surroundings.absolute(&path).to_string_lossy().into_owned()
    }
}

fn remove(invocation: &mut Invocation, which: &str) -> Outcome {
    let file = invocation.surroundings.client_config_file();
    let mut editor = ConfigEditor::open(file.clone())?;
    if !editor.remove(which)? && !editor.remove(&as_written(which.to_owned(), invocation))? {
        return Err(Failure::not_found(format!("{} has no coordinator {which:?}", file.display()))
            .with_hint("`vtr config ls` shows how they are written"));
    }
    editor.save()?;
    invocation.output.answer(&json!({ "file": file, "removed": true }), "")?;
    Ok(Exit::Done)
}

fn resolve(invocation: &mut Invocation) -> Outcome {
    let known = invocation.coordinators()?;
    if invocation.output.json {
        let known: Vec<_> = known
            .iter()
            .map(|coordinator| match &coordinator.endpoint {
                grpc::client::Endpoint::Socket(path) => json!({ "name": coordinator.name, "socket": path }),
                grpc::client::Endpoint::Command(argv) => json!({ "name": coordinator.name, "command": argv }),
            })
            .collect();
        invocation.output.object(&json!({ "coordinators": known }))?;
        return Ok(Exit::Done);
    }
    if known.is_empty() {
        invocation.output.warn("none of the configured sockets exists at the moment");
    }
    let rows = known.into_iter().map(|coordinator| [coordinator.name.clone(), coordinator.place()]).collect();
    invocation.output.table(["COORDINATOR", "SOCKET OR COMMAND"], rows)?;
    Ok(Exit::Done)
}

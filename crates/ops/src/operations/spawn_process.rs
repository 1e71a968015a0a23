//! Starting a session.

use std::{borrow::Cow, collections::BTreeMap, ffi::OsString, path::PathBuf};

use engine::{NameChoice, NewSession, SessionName};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use super::checked_size;
use crate::{
    Call, CallEffects, Context, ErrorKind, Faces, OpError, Operation, OperationTraits, Preset, Roles, StartRequest,
};

/// Start a program in a terminal of its own. `terminal` is an interactive shell unless argv says otherwise;
/// `command` runs argv, or a stored command where there are presets. What an agent starts ends with the agent, any other
/// session stays: close what you are done with by close_process. A command that ended stays readable until then.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// Left out: a command when argv or a preset is given, otherwise a terminal.
    #[serde(default)]
    pub kind: Option<SpawnKind>,
    /// The program and its arguments, not read by a shell unless `shell` is set.
    #[serde(default)]
    pub argv: Option<Vec<String>>,
    /// Name of a stored command, instead of argv, where there are some.
    #[serde(default)]
    pub preset: Option<String>,
    /// Join argv with spaces and run it with `sh -lc`. Not for presets.
    #[serde(default)]
    pub shell: bool,
    /// An unused name of 1 to 64 characters of A-Z a-z 0-9 . _ - ; generated when left out.
    #[serde(default)]
    pub name: Option<String>,
    /// Folder to start in.
    #[serde(default)]
    pub working_dir: Option<String>,
    /// Environment variables to set on top of the inherited ones.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// Width of the terminal in columns, 2 to 2000.
    #[serde(default)]
    pub cols: Option<u16>,
    /// Height of the terminal in rows, 1 to 1000.
    #[serde(default)]
    pub rows: Option<u16>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SpawnKind {
    Terminal,
    Command,
    /// Anything else, told apart from other mistakes in the arguments.
    #[serde(other)]
    Unknown,
}

/// The words that a caller may give.
impl JsonSchema for SpawnKind {
    fn schema_name() -> Cow<'static, str> {
        "SpawnKind".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "enum": ["terminal", "command"] })
    }
}

impl SpawnKind {
    fn of_session(self) -> Result<engine::Kind, OpError> {
        match self {
            SpawnKind::Terminal => Ok(engine::Kind::Terminal),
            SpawnKind::Command => Ok(engine::Kind::Command),
            SpawnKind::Unknown => Err(OpError::new(ErrorKind::InvalidKind, "the kind is neither terminal nor command")
                .with_hint("use one of the two; where there are agents, spawn_agent starts them")),
        }
    }
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Reply {
    pub process_id: String,
    pub name: String,
    /// A problem apart from the start: the session runs, but is not recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warning: Option<String>,
}

#[derive(Debug)]
pub struct SpawnProcess;

impl<C: Context> Operation<C> for SpawnProcess {
    const TRAITS: OperationTraits = OperationTraits {
        name: "spawn_process",
        roles: Roles::ANYONE,
        faces: Faces::all().difference(Faces::HOOK),
        effects: CallEffects::Additive,
    };
    const ERRORS: &'static [ErrorKind] = &[
        ErrorKind::NotFound,
        ErrorKind::AlreadyExists,
        ErrorKind::NotRunning,
        ErrorKind::InvalidKind,
        ErrorKind::NeedsTrust,
        ErrorKind::LimitExceeded,
        ErrorKind::SpawnFailed,
        ErrorKind::ShuttingDown,
    ];
    type Args = Args;
    type Reply = Reply;

    async fn run(call: Call<C>, args: Args) -> Result<Reply, OpError> {
        let kind = args.kind.unwrap_or(match (&args.argv, &args.preset) {
            (None, None) => SpawnKind::Terminal,
            _ => SpawnKind::Command,
        });
        let kind = kind.of_session()?;
        let preset = match (&args.preset, &args.argv) {
            (Some(_), Some(_)) => {
                return Err(OpError::invalid_args("both argv and a preset are given").with_hint("give one of them"));
            }
            (Some(_), None) if args.shell => {
                return Err(OpError::invalid_args("shell is set for a preset")
                    .with_hint("leave shell out: a preset says itself how it is run"));
            }
            (Some(name), None) => Some(call.host().preset(kind, name)?),
            (None, argv) => {
                if kind == engine::Kind::Command && argv.as_ref().is_none_or(Vec::is_empty) {
                    return Err(OpError::invalid_args(
                        "a command was asked for, and neither argv nor a preset says which",
                    )
                    .with_hint("give argv, as in [\"make\", \"test\"]; kind terminal starts a shell"));
                }
                None
            }
        };
        let given = preset.as_ref().map_or(args.argv.as_ref(), |preset| Some(&preset.argv));
        let argv = command_line(given.cloned().unwrap_or_default(), args.shell)?;
        // If the caller goes away meanwhile, the program must still learn of the session.
        engine::to_the_end(start(call, args, kind, preset, argv)).await
    }
}

async fn start<C: Context>(
    call: Call<C>,
    args: Args,
    kind: engine::Kind,
    preset: Option<Preset>,
    argv: Vec<String>,
) -> Result<Reply, OpError> {
    let request = StartRequest {
        caller: &call.caller,
        kind,
        preset: preset.as_ref(),
        argv: &argv,
        env: &args.env,
        working_dir: args.working_dir.as_deref(),
        session: None,
    };
    call.host().authorise_start(&request)?;
    let name = match (args.name, &preset) {
        (Some(name), _) => NameChoice::Exactly(SessionName::new(name)?),
        (None, Some(preset)) => NameChoice::FromSlug(preset.name.clone()),
        (None, None) => NameChoice::FromKind,
    };
    let default_size = call.host().default_size().clamped();
    let size = checked_size(vt::Size {
        cols: args.cols.unwrap_or(default_size.cols),
        rows: args.rows.unwrap_or(default_size.rows),
    })?;
    let Preset { mut env, env_unset, working_dir, .. } = preset.clone().unwrap_or_default();
    env.extend(args.env.clone());
    let session = call
        .engine()
        .spawn(NewSession {
            name,
            parent: call.caller.session,
            env: env.into_iter().map(|(name, value)| (OsString::from(name), OsString::from(value))).collect(),
            env_unset: env_unset.into_iter().map(OsString::from).collect(),
            working_dir: args
                .working_dir
                .as_ref()
                .map(PathBuf::from)
                .or(working_dir)
                .or_else(|| call.host().default_working_dir()),
            size,
            origin: call.origin(),
            ..NewSession::new(kind, argv.clone())
        })
        .await?;
    // Before anything is awaited: from here on the session can be started again.
    call.host().started(&session, &request);
    let warning = call.context.recordings().start_always(&call, &session).await;
    let name = session.name().map(|name| name.to_string()).unwrap_or_default();
    Ok(Reply { process_id: session.id().to_string(), name, warning })
}

fn command_line(argv: Vec<String>, shell: bool) -> Result<Vec<String>, OpError> {
    match (shell, argv.is_empty()) {
        (false, _) => Ok(argv),
        (true, false) => Ok(vec!["sh".into(), "-lc".into(), argv.join(" ")]),
        (true, true) => {
            Err(OpError::invalid_args("shell is set and there is no argv").with_hint("give the command line in argv"))
        }
    }
}

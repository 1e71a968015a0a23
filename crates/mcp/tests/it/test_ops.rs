//! Operations that do what the tests need to see.

use std::time::Duration;

use ops::{Call, CallEffects, Entry, ErrorKind, Faces, OpError, Operation, OperationTraits, Roles};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::stage::Program;

pub(crate) fn entries() -> Vec<Entry<Program>> {
    vec![
        Entry::of::<Echo>(),
        Entry::of::<Hold>(),
        Entry::of::<Wait>(),
        Entry::of::<Fail>(),
        Entry::of::<Crash>(),
        Entry::of::<Fill>(),
        Entry::of::<Erase>(),
        Entry::of::<Lead>(),
        Entry::of::<Bare>(),
        Entry::of::<Hidden>(),
    ]
}

const fn traits(name: &'static str, effects: CallEffects) -> OperationTraits {
    OperationTraits { name, roles: Roles::ANYONE, faces: Faces::MCP, effects }
}

/// Says the same again.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Words {
    /// What to say.
    pub(crate) text: String,
    pub(crate) times: Option<u16>,
    pub(crate) voice: Option<Voice>,
}

#[derive(Clone, Copy, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Voice {
    Loud,
    Low,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Said {
    pub(crate) text: String,
    /// Always there, if only as null.
    pub(crate) voice: Option<Voice>,
    /// Left out when there is nothing to say.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) remarks: Vec<String>,
}

impl Said {
    fn new(text: impl Into<String>) -> Self {
        Said { text: text.into(), voice: None, remarks: Vec::new() }
    }
}

/// Nothing to give.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Nothing {}

pub(crate) struct Echo;

impl Operation<Program> for Echo {
    const TRAITS: OperationTraits = traits("echo", CallEffects::ReadOnly);
    type Args = Words;
    type Reply = Said;

    async fn run(_: Call<Program>, args: Words) -> Result<Said, OpError> {
        let said = Said::new(args.text.repeat(args.times.unwrap_or(1).into()));
        Ok(Said { voice: args.voice, ..said })
    }
}

/// Holds until the test lets go, telling progress whenever the test nudges.
pub(crate) struct Hold;

impl Operation<Program> for Hold {
    const TRAITS: OperationTraits = traits("hold", CallEffects::Additive);
    type Args = Nothing;
    type Reply = Said;

    async fn run(call: Call<Program>, _: Nothing) -> Result<Said, OpError> {
        let gate = call.context.gate.clone();
        let held = gate.enter();
        let (let_go, nudged) = (gate.let_go.acquire(), async {
            loop {
                gate.nudge.acquire().await.unwrap().forget();
                call.progress.tell("nudged");
            }
        });
        tokio::select! {
            permit = let_go => permit.unwrap().forget(),
            () = nudged => {}
        }
        drop(held);
        // What is told afterwards must not be heard.
        let progress = call.progress.clone();
        *gate.last_progress.lock().unwrap() = Some(progress);
        Ok(Said::new("let go"))
    }
}

/// Takes half a minute of the clock.
pub(crate) struct Wait;

impl Operation<Program> for Wait {
    const TRAITS: OperationTraits = traits("wait", CallEffects::ReadOnly);
    type Args = Nothing;
    type Reply = Said;

    async fn run(_: Call<Program>, _: Nothing) -> Result<Said, OpError> {
        tokio::time::sleep(Duration::from_secs(35)).await;
        Ok(Said::new("waited"))
    }
}

pub(crate) struct Fail;

impl Operation<Program> for Fail {
    const TRAITS: OperationTraits = traits("fail", CallEffects::ReadOnly);
    type Args = Nothing;
    type Reply = Said;

    async fn run(_: Call<Program>, _: Nothing) -> Result<Said, OpError> {
        Err(OpError::new(ErrorKind::NotFound, "there is no such thing").with_hint("make one"))
    }
}

pub(crate) struct Crash;

impl Operation<Program> for Crash {
    const TRAITS: OperationTraits = traits("crash", CallEffects::ReadOnly);
    type Args = Nothing;
    type Reply = Said;

    async fn run(_: Call<Program>, _: Nothing) -> Result<Said, OpError> {
        panic!("this operation is meant to break off")
    }
}

/// A reply of a certain size.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Size {
    pub(crate) bytes: usize,
}

pub(crate) struct Fill;

impl Operation<Program> for Fill {
    const TRAITS: OperationTraits = traits("fill", CallEffects::ReadOnly);
    type Args = Size;
    type Reply = Said;

    async fn run(_: Call<Program>, args: Size) -> Result<Said, OpError> {
        Ok(Said::new("x".repeat(args.bytes)))
    }
}

pub(crate) struct Erase;

impl Operation<Program> for Erase {
    const TRAITS: OperationTraits = traits("erase", CallEffects::Destructive);
    type Args = Nothing;
    type Reply = Said;

    async fn run(_: Call<Program>, _: Nothing) -> Result<Said, OpError> {
        Ok(Said::new(""))
    }
}

pub(crate) struct Lead;

impl Operation<Program> for Lead {
    const TRAITS: OperationTraits =
        OperationTraits { roles: Roles::ORCHESTRATOR, ..traits("lead", CallEffects::Additive) };
    type Args = Nothing;
    type Reply = Said;

    async fn run(_: Call<Program>, _: Nothing) -> Result<Said, OpError> {
        Ok(Said::new("this way"))
    }
}

/// Its reply is no object.
pub(crate) struct Bare;

impl Operation<Program> for Bare {
    const TRAITS: OperationTraits = traits("bare", CallEffects::ReadOnly);
    type Args = Nothing;
    type Reply = Vec<u8>;

    async fn run(_: Call<Program>, _: Nothing) -> Result<Vec<u8>, OpError> {
        Ok(vec![1, 2])
    }
}

/// Offered on another face.
pub(crate) struct Hidden;

impl Operation<Program> for Hidden {
    const TRAITS: OperationTraits = OperationTraits { faces: Faces::GRPC, ..traits("hidden", CallEffects::ReadOnly) };
    type Args = Nothing;
    type Reply = Said;

    async fn run(_: Call<Program>, _: Nothing) -> Result<Said, OpError> {
        Ok(Said::new("how did you get here?"))
    }
}

//! The trait that every operation implements.

use bitflags::bitflags;
use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};

use crate::{
    call::Call,
    caller::Roles,
    error::{ErrorKind, OpError},
};

bitflags! {
    /// Where an operation is offered. A parity test fails if a face lacks one.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Faces: u8 {
        const MCP = 1;
        const GRPC = 2;
        const CLI = 4;
        const PALETTE = 8;
        /// Called by an agent's own hooks, each on its own connection, and never listed.
        const HOOK = 16;
    }
}

/// What a call changes, for clients that ask their human first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallEffects {
    ReadOnly,
    /// Changes something without losing anything.
    Additive,
    /// May end a process or lose output.
    Destructive,
}

/// An operation's properties besides its types. Its description is the doc comment of its arguments.
#[derive(Clone, Copy, Debug)]
pub struct OperationTraits {
    pub name: &'static str,
    pub roles: Roles,
    pub faces: Faces,
    pub effects: CallEffects,
}

/// An operation in a program `C`.
pub trait Operation<C>: 'static {
    const TRAITS: OperationTraits;
    /// The kinds of error it may answer besides [`ErrorKind::OF_ANY`], for the reference.
    const ERRORS: &'static [ErrorKind] = &[];
    /// What a caller of another role can do instead.
    const ROLE_HINT: &'static str = "call whoami to see what you may call, or ask the agent or human who started you";
    /// The doc comment is the tool's description, the command's help and the reference's text.
    type Args: DeserializeOwned + JsonSchema + Send + 'static;
    type Reply: Serialize + JsonSchema + Send + 'static;

    fn run(call: Call<C>, args: Self::Args) -> impl Future<Output = Result<Self::Reply, OpError>> + Send;
}

/// Runs an operation for a face that has its types, with the same role check as through the table.
pub async fn run<O: Operation<C>, C: crate::Context>(call: Call<C>, args: O::Args) -> Result<O::Reply, OpError> {
    crate::table::check_role(&O::TRAITS, O::ROLE_HINT, &call.caller)?;
    O::run(call.clone(), args).await.map_err(|error| call.in_the_callers_words(error))
}

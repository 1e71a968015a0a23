//! The table: all operations of a program, type-erased to JSON for faces that need it.

use std::{pin::Pin, sync::OnceLock};

use schemars::{JsonSchema, Schema, generate::SchemaSettings};
use serde_json::Value;

use crate::{
    call::{Call, Context},
    caller::{Caller, Role},
    error::{ErrorKind, OpError},
    operation::{Faces, Operation, OperationTraits},
};

type Running = Pin<Box<dyn Future<Output = Result<Value, OpError>> + Send>>;

/// An entry of the table.
pub struct Entry<C> {
    pub traits: OperationTraits,
    /// In addition to the kinds that any operation may return.
    pub errors: &'static [ErrorKind],
    role_hint: &'static str,
    run: fn(Call<C>, Value) -> Running,
    args: fn() -> Schema,
    reply: fn() -> Schema,
    schemas: OnceLock<(Schema, Schema)>,
}

impl<C: Context> Entry<C> {
    pub fn of<O: Operation<C>>() -> Self {
        Entry {
            traits: O::TRAITS,
            errors: O::ERRORS,
            role_hint: O::ROLE_HINT,
            run: |call, args| {
                Box::pin(async move {
                    let args = serde_json::from_value(args).map_err(|error| {
                        OpError::invalid_args(format!("{}: {error}", O::TRAITS.name))
                            .with_hint("see the operation's argument schema")
                    })?;
                    let reply = O::run(call, args).await?;
                    serde_json::to_value(reply)
                        .map_err(|error| OpError::new(ErrorKind::Internal, format!("writing the reply: {error}")))
                })
            },
            args: || schema_of::<O::Args>(SchemaSettings::for_deserialize),
            reply: || schema_of::<O::Reply>(SchemaSettings::for_serialize),
            schemas: OnceLock::new(),
        }
    }

    pub fn name(&self) -> &'static str {
        self.traits.name
    }

    fn schemas(&self) -> &(Schema, Schema) {
        self.schemas.get_or_init(|| ((self.args)(), (self.reply)()))
    }

    pub fn args_schema(&self) -> &Schema {
        &self.schemas().0
    }

    pub fn reply_schema(&self) -> &Schema {
        &self.schemas().1
    }

    /// The doc comment of the arguments.
    pub fn description(&self) -> &str {
        self.args_schema().get("description").and_then(Value::as_str).unwrap_or_default()
    }

    /// Runs with JSON arguments, after the role check.
    pub async fn run(&self, call: Call<C>, args: Value) -> Result<Value, OpError> {
        check_role(&self.traits, self.role_hint, &call.caller)?;
        (self.run)(call.clone(), args).await.map_err(|error| call.in_the_callers_words(error))
    }
}

impl<C> std::fmt::Debug for Entry<C> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Entry").field("traits", &self.traits).finish_non_exhaustive()
    }
}

pub(crate) fn check_role(traits: &OperationTraits, hint: &str, caller: &Caller) -> Result<(), OpError> {
    if traits.roles.allow(caller.role) {
        return Ok(());
    }
    Err(OpError::new(ErrorKind::RoleForbidden, format!("{} is not for your role", traits.name)).with_hint(hint))
}

/// Schemas are self-contained: some clients can't follow references. Arguments are described for reading and replies
/// for writing, which differ where a default or an empty value is omitted.
fn schema_of<T: JsonSchema>(contract: fn(SchemaSettings) -> SchemaSettings) -> Schema {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    contract(settings).into_generator().into_root_schema_for::<T>()
}

/// All operations of a program, in the order of their listing.
#[derive(Debug)]
pub struct Table<C> {
    entries: Vec<Entry<C>>,
}

impl<C: Context> Table<C> {
    pub fn new(entries: Vec<Entry<C>>) -> Self {
        Table { entries }
    }

    pub fn entries(&self) -> &[Entry<C>] {
        &self.entries
    }

    pub fn get(&self, name: &str) -> Option<&Entry<C>> {
        self.entries.iter().find(|entry| entry.name() == name)
    }

    /// The operations that a role finds on a face.
    pub fn offered(&self, face: Faces, role: Role) -> impl Iterator<Item = &Entry<C>> {
        self.entries.iter().filter(move |entry| entry.traits.faces.contains(face) && entry.traits.roles.allow(role))
    }
}

//! Writes docs/reference from the tables of operations.

use std::{fmt::Write, fs};

use anyhow::{Context as _, Result};
use clap::Args;
use ops::{CallEffects, Entry, ErrorKind, Faces, Roles, SessionContext};
use project::Project;
use serde_json::{Map, Value};

use crate::{Verdict, repository};

const FOLDER: &str = "docs/reference";

/// Generate the pages of docs/reference from the tables of operations
#[derive(Args)]
pub(crate) struct Arguments {
    /// Write nothing; fail if the pages are out of date
    #[arg(long)]
    check: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Verdict> {
    let shared = ops::operations::entries::<SessionContext>();
    let of_patterm = project::operations::own();
    let folder = repository(FOLDER);
    let mut verdict = Verdict::Good;
    let pages = [
        ("operations.md", page(SHARED, &shared)),
        ("patterm.md", page(OF_PATTERM, &of_patterm)),
        ("config.md", config()),
        ("errors.md", errors(&given_by(&shared, &of_patterm))),
    ];
    for (name, page) in pages {
        let path = folder.join(name);
        if !arguments.check {
            fs::create_dir_all(&folder).with_context(|| format!("making {FOLDER}"))?;
            fs::write(&path, page).with_context(|| format!("writing {}", path.display()))?;
        } else if fs::read_to_string(&path).ok().as_ref() != Some(&page) {
            println!("{FOLDER}/{name} is out of date: run `cargo xtask reference` and commit");
            verdict = Verdict::Bad;
        }
    }
    Ok(verdict)
}

const GENERATED: &str = "<!-- Written by `cargo xtask reference` from the tables of operations. Change it there. -->\n";

/// Title and opening of a page.
type Head = (&'static str, &'static str);

const SHARED: Head = (
    "Operations on sessions",
    "The same operations behind every face: MCP tools of these names, the RPCs and commands of `vtr`. \
     `process_id` takes a session's id (`p_` and six hex digits) or its name. Times are RFC 3339 in UTC. \
     Errors that any operation may give are left out below; [errors](errors.md) has them all.\n\n",
);

const OF_PATTERM: Head = (
    "Operations of patterm",
    "What patterm has besides the [operations on sessions](operations.md), or has in its own way. Those of the face \
     `hook` are called by agents' hooks and not listed.\n\n",
);

fn page<C: ops::Context>((title, opening): Head, entries: &[Entry<C>]) -> String {
    let mut page = format!("# {title}\n\n{GENERATED}\n{opening}");
    page.push_str("| operation | faces | roles | effect |\n|---|---|---|---|\n");
    for entry in entries {
        let traits = entry.traits;
        let name = entry.name();
        let (faces, roles, effect) = (faces(traits.faces), roles(traits.roles), effect(traits.effects));
        writeln!(page, "| [{name}](#{name}) | {faces} | {roles} | {effect} |").expect("text takes text");
    }
    for entry in entries {
        section(&mut page, entry);
    }
    page
}

fn section<C: ops::Context>(page: &mut String, entry: &Entry<C>) {
    let name = entry.name();
    write!(page, "\n## {name}\n\n{}\n", entry.description()).expect("text takes text");
    let arguments = rows(entry.args_schema().as_value());
    if arguments.is_empty() {
        page.push_str("\nNo arguments.\n");
    } else {
        page.push_str("\n| argument | type | |\n|---|---|---|\n");
        push_rows(page, &arguments, "required");
    }
    let reply = rows(entry.reply_schema().as_value());
    if reply.is_empty() {
        page.push_str("\nAn empty reply.\n");
    } else {
        page.push_str("\n| reply | type | |\n|---|---|---|\n");
        push_rows(page, &reply, "");
    }
    if !entry.errors.is_empty() {
        let errors: Vec<String> = entry.errors.iter().map(|kind| format!("`{}`", kind.as_str())).collect();
        writeln!(page, "\nErrors: {}.", errors.join(", ")).expect("text takes text");
    }
}

/// Which operations give which errors.
type GivenBy = Vec<(ErrorKind, Vec<&'static str>)>;

fn given_by(shared: &[Entry<SessionContext>], of_patterm: &[Entry<Project>]) -> GivenBy {
    let names = |kind: ErrorKind| {
        let shared = shared.iter().filter(|entry| entry.errors.contains(&kind)).map(Entry::name);
        let own = of_patterm.iter().filter(|entry| entry.errors.contains(&kind)).map(Entry::name);
        shared.chain(own).collect()
    };
    ErrorKind::ALL.into_iter().map(|kind| (kind, names(kind))).collect()
}

/// Every key of config.json, from its schema.
fn config() -> String {
    let mut page = format!("# config.json\n\n{GENERATED}\n");
    page.push_str(
        "patterm's settings: JSON, comments allowed. `patterm config path` prints where the file lies, `patterm config \
         check` what is wrong with it, and `patterm config default` a file with every key at its default.\n\n\
         | key | type | |\n|---|---|---|\n",
    );
    push_rows(&mut page, &rows(project::Settings::json_schema().as_value()), "");
    page
}

fn errors(given_by: &GivenBy) -> String {
    let mut page = format!("# Errors\n\n{GENERATED}\n");
    page.push_str(
        "Every error has a `kind` to branch on, a `message` for people, and a `hint` what to do next where there is \
         something to do. The kinds are closed. A timeout is an answer, not an error.\n\n\
         | kind | when | given by |\n|---|---|---|\n",
    );
    for (kind, given_by) in given_by {
        let given_by = match (ErrorKind::OF_ANY.contains(kind), given_by.is_empty()) {
            (true, _) => "any operation".to_owned(),
            (false, false) => given_by.join(", "),
            (false, true) => "nothing yet".to_owned(),
        };
        writeln!(page, "| `{}` | {} | {given_by} |", kind.as_str(), kind.meaning()).expect("text takes text");
    }
    page
}

/// A field of a schema, followed by the fields inside it.
struct Row {
    path: String,
    kind: String,
    required: bool,
    text: String,
}

fn rows(schema: &Value) -> Vec<Row> {
    let mut rows = Vec::new();
    collect("", schema, &mut rows);
    rows
}

fn collect(prefix: &str, schema: &Value, rows: &mut Vec<Row>) {
    let Some(fields) = schema.get("properties").and_then(Value::as_object) else { return };
    let required = schema.get("required").and_then(Value::as_array);
    let is_required = |name: &str| required.is_some_and(|names| names.iter().any(|required| required == name));
    let mut fields: Vec<(&String, &Value)> = fields.iter().collect();
    // Sorted here, because the schema's own order depends on how the whole workspace is built.
    fields.sort_by_key(|(name, _)| (*name != "process_id", !is_required(name), *name));
    for (name, field) in fields {
        let path = format!("{prefix}{name}");
        let required = is_required(name);
        let text = field.get("description").and_then(Value::as_str).unwrap_or_default().replace('\n', " ");
        rows.push(Row { kind: kind(field), required, text, path: path.clone() });
        let inner = without_null(field);
        match inner.get("items") {
            Some(items) => collect(&format!("{path}[]."), items, rows),
            None => collect(&format!("{path}."), inner, rows),
        }
    }
}

/// Strips the null from `Option` of a type that has a schema of its own.
fn without_null(schema: &Value) -> &Value {
    let Some(either) = schema.get("anyOf").and_then(Value::as_array) else { return schema };
    either.iter().find(|schema| schema.get("type").is_none_or(|kind| kind != "null")).unwrap_or(schema)
}

fn kind(schema: &Value) -> String {
    if let Some(words) = words(schema) {
        return words;
    }
    if let Some(either) = schema.get("anyOf").and_then(Value::as_array) {
        let kinds: Vec<String> = either.iter().map(kind).filter(|kind| kind != "null").collect();
        return kinds.join(" or ");
    }
    match schema.get("type") {
        Some(Value::String(one)) if one == "array" => match schema.get("items") {
            Some(items) => format!("list of {}", kind(items)),
            None => "list".to_owned(),
        },
        Some(Value::String(one)) => one.clone(),
        Some(Value::Array(several)) => {
            let names: Vec<&str> = several.iter().filter_map(Value::as_str).filter(|kind| *kind != "null").collect();
            let items = schema.get("items").map(kind);
            match (names.as_slice(), items) {
                (["array"], Some(items)) => format!("list of {items}"),
                _ => names.join(" or "),
            }
        }
        _ => "any".to_owned(),
    }
}

/// The values of an enumeration, in whichever way the schema spells it.
fn words(schema: &Value) -> Option<String> {
    let object: &Map<String, Value> = schema.as_object()?;
    let listed = object.get("enum").and_then(Value::as_array).cloned();
    let single = object.get("const").map(|word| vec![word.clone()]);
    let one_of = object.get("oneOf").and_then(Value::as_array).map(|all| {
        let words = all.iter().filter_map(|one| one.get("const").or_else(|| one.get("enum")?.get(0)));
        words.cloned().collect()
    });
    let words: Vec<Value> = listed.or(single).or(one_of)?;
    let words: Vec<String> = words.iter().filter_map(Value::as_str).map(|word| format!("`{word}`")).collect();
    Some(words.join(", "))
}

fn push_rows(page: &mut String, rows: &[Row], mark: &str) {
    for row in rows {
        let required = if row.required && !mark.is_empty() { format!("{mark}. ") } else { String::new() };
        let text = format!("{required}{}", row.text).replace('|', "\\|");
        writeln!(page, "| `{}` | {} | {} |", row.path, row.kind, text.trim()).expect("text takes text");
    }
}

fn faces(faces: Faces) -> String {
    let all = [
        (Faces::MCP, "MCP"),
        (Faces::GRPC, "gRPC"),
        (Faces::CLI, "command line"),
        (Faces::PALETTE, "palette"),
        (Faces::HOOK, "hook"),
    ];
    all.iter().filter(|(face, _)| faces.contains(*face)).map(|(_, name)| *name).collect::<Vec<_>>().join(", ")
}

fn roles(roles: Roles) -> String {
    if roles == Roles::ANYONE {
        return "anyone".to_owned();
    }
    let all = [(Roles::OPERATOR, "operator"), (Roles::ORCHESTRATOR, "orchestrator"), (Roles::SUB_AGENT, "sub-agent")];
    all.iter().filter(|(role, _)| roles.contains(*role)).map(|(_, name)| *name).collect::<Vec<_>>().join(", ")
}

fn effect(effects: CallEffects) -> &'static str {
    match effects {
        CallEffects::ReadOnly => "reads",
        CallEffects::Additive => "changes, nothing is lost",
        CallEffects::Destructive => "may end or lose something",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pages_are_up_to_date() {
        let verdict = run(&Arguments { check: true }).unwrap();
        assert!(matches!(verdict, Verdict::Good), "run `cargo xtask reference` and commit");
    }
}

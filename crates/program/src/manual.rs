//! Manual pages, generated from the command line's grammar.

use std::{
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
};

use clap::{Arg, ArgAction, Command};
use clap_mangen::Man;

/// Writes the pages of a command and its subcommands into a folder, creating it if needed. Returns the file names.
pub fn write_manual(command: Command, folder: &Path) -> io::Result<Vec<String>> {
    fs::create_dir_all(folder)?;
    let mut command = command.disable_help_subcommand(true);
    command.build();
    let mut files = Vec::new();
    write_pages(&command, folder, &mut files)?;
    files.sort();
    Ok(files)
}

fn write_pages(command: &Command, folder: &Path, files: &mut Vec<String>) -> io::Result<()> {
    for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
        write_pages(below, folder, files)?;
    }
    let man = Man::new(command.clone());
    let name = man.get_filename();
    let mut page = Vec::new();
    render(command, &man, &mut page)?;
    let path: PathBuf = folder.join(&name);
    let mut file = File::create(path)?;
    file.write_all(&page)?;
    files.push(name);
    Ok(())
}

/// The same as clap_mangen's own rendering, except for the synopsis.
fn render(command: &Command, man: &Man, page: &mut Vec<u8>) -> io::Result<()> {
    man.render_title(page)?;
    man.render_name_section(page)?;
    page.extend_from_slice(synopsis(command).as_bytes());
    man.render_description_section(page)?;
    if command.get_arguments().any(|argument| !argument.is_hide_set()) {
        man.render_options_section(page)?;
    }
    if command.get_subcommands().any(|below| !below.is_hide_set()) {
        man.render_subcommands_section(page)?;
    }
    if command.get_after_long_help().is_some() || command.get_after_help().is_some() {
        man.render_extra_section(page)?;
    }
    if command.get_version().is_some() || command.get_long_version().is_some() {
        man.render_version_section(page)?;
    }
    Ok(())
}

/// Options with their values, then arguments in order. Global options appear only under OPTIONS.
fn synopsis(command: &Command) -> String {
    let mut parts = vec![bold(command.get_bin_name().unwrap_or_else(|| command.get_name()))];
    let shown = |argument: &&Arg| !argument.is_hide_set();
    let everywhere =
        |argument: &Arg| argument.is_global_set() || ["help", "version"].contains(&argument.get_id().as_str());
    let options = command.get_opts().chain(command.get_arguments().filter(|argument| is_flag(argument)));
    let mut options: Vec<&Arg> = options.filter(shown).filter(|argument| !everywhere(argument)).collect();
    options.sort_by_key(|argument| argument.get_display_order());
    parts.extend(options.into_iter().map(option));
    parts.extend(command.get_positionals().filter(shown).map(positional));
    if command.has_subcommands() {
        parts.push(if command.is_subcommand_required_set() {
            italic("COMMAND")
        } else {
            format!("[{}]", italic("COMMAND"))
        });
    }
    format!(".SH SYNOPSIS\n{}\n", parts.join(" "))
}

fn is_flag(argument: &Arg) -> bool {
    !argument.is_positional() && !argument.get_action().takes_values()
}

fn option(argument: &Arg) -> String {
    let name = match (argument.get_long(), argument.get_short()) {
        (Some(long), _) => bold(&format!("--{long}")),
        (None, Some(short)) => bold(&format!("-{short}")),
        (None, None) => String::new(),
    };
    let value = match argument.get_action().takes_values() {
        true if optional_value(argument) => format!("[={}]", values(argument)),
        true => format!(" {}", values(argument)),
        false => String::new(),
    };
    let more = if matches!(argument.get_action(), ArgAction::Append | ArgAction::Count) { "..." } else { "" };
    if argument.is_required_set() { format!("{name}{value}{more}") } else { format!("[{name}{value}]{more}") }
}

fn optional_value(argument: &Arg) -> bool {
    argument.get_num_args().is_some_and(|range| range.min_values() == 0)
}

fn positional(argument: &Arg) -> String {
    let several = argument.get_num_args().is_some_and(|range| range.max_values() > 1);
    let more = if several || matches!(argument.get_action(), ArgAction::Append) { "..." } else { "" };
    let behind = if argument.is_last_set() { "-- " } else { "" };
    let value = format!("{behind}{}{more}", values(argument));
    if argument.is_required_set() { value } else { format!("[{value}]") }
}

fn values(argument: &Arg) -> String {
    let names = argument.get_value_names().map_or_else(
        || vec![argument.get_id().as_str().to_uppercase()],
        |names| names.iter().map(ToString::to_string).collect(),
    );
    italic(&names.join(" "))
}

fn bold(text: &str) -> String {
    format!("\\fB{}\\fR", escaped(text))
}

fn italic(text: &str) -> String {
    format!("\\fI{}\\fR", escaped(text))
}

/// roff turns a bare hyphen into a dash, and a backslash begins an escape.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\e").replace('-', "\\-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_synopsis_has_values_and_nothing_that_is_everywhere() {
        let command = Command::new("go")
            .arg(Arg::new("socket").long("socket").global(true))
            .arg(Arg::new("json").long("json").action(ArgAction::SetTrue).global(true))
            .arg(Arg::new("cols").long("cols").value_name("N").display_order(1))
            .arg(
                Arg::new("record")
                    .long("record")
                    .value_name("FILE")
                    .num_args(0..=1)
                    .require_equals(true)
                    .display_order(2),
            )
            .arg(Arg::new("env").long("env").value_name("NAME=VALUE").action(ArgAction::Append).display_order(3))
            .arg(Arg::new("wait").short('w').action(ArgAction::SetTrue).display_order(4))
            .arg(Arg::new("secret").long("secret").hide(true))
            .arg(Arg::new("name").value_name("NAME").required(true))
            .arg(Arg::new("argv").value_name("PROGRAM").num_args(1..).last(true));
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(write_manual(command, folder.path()).unwrap(), ["go.1"]);
        let page = fs::read_to_string(folder.path().join("go.1")).unwrap();
        let line = page.lines().skip_while(|line| *line != ".SH SYNOPSIS").nth(1).unwrap();
        let plain = line.replace("\\fB", "").replace("\\fI", "").replace("\\fR", "").replace("\\-", "-");
        assert_eq!(plain, "go [--cols N] [--record[=FILE]] [--env NAME=VALUE]... [-w] NAME [-- PROGRAM...]");
        assert!(page.contains(".SH OPTIONS") && page.contains("socket") && !page.contains("secret"));
    }
}

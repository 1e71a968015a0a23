//! A prompt that waits for a decision, read from the screen: what is asked, and what can be answered.
//!
//! It is text that a program has drawn. What is not read whole is called incomplete, and nobody may trust the rest.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::Serialize;
use sha2::{Digest, Sha256};
use vt::{Attributes, Color, ProgramState, StyleRun};

use super::matching::Matcher;
use crate::preset::{DecisionKind, Mark, PromptRule};

/// Columns that must be free behind a command: one that reaches further may have been cut or wrapped.
const MARGIN: usize = 8;
/// Characters of a command or a reason that are told.
const MAX_TEXT: usize = 2000;
const MAX_LABEL: usize = 200;
const MAX_CHOICES: usize = 16;

/// What a blocked agent asks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Prompt {
    /// Of the preset.
    pub rule: String,
    /// What kind of decision it is.
    pub kind: DecisionKind,
    /// The tool that asks, such as shell, edit or mcp.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// What would be done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// What the model asks its user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
    /// The agent's own justification. Don't trust it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    pub choices: Vec<Choice>,
    /// Whether the command is known to be complete. If it may be cut, wrapped or mixed with other text, nobody knows
    /// what it would do.
    pub complete: bool,
    /// Identifies exactly this prompt: pass it as prompt_digest with your answer.
    pub digest: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Choice {
    /// The key that chooses it directly, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Another such key.
    #[serde(skip)]
    pub(crate) number: Option<String>,
    pub label: String,
    /// Enter takes this one.
    pub selected: bool,
    pub effect: Effect,
}

/// What an answer does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Allows this one thing.
    AllowOnce,
    /// Refuses it.
    Deny,
    /// Anything else: allows more than this one thing, or nobody knows.
    Other,
}

impl Matcher<'_> {
    /// The prompt on the screen, by the first of the preset's rules that reads it.
    pub(crate) fn prompt(&self) -> Option<Prompt> {
        self.behaviour().prompts.iter().find_map(|rule| self.read_prompt(rule))
    }

    fn read_prompt(&self, rule: &PromptRule) -> Option<Prompt> {
        let text = self.region_text(rule.region.as_deref());
        // The last: what stands above is part of the conversation.
        let found = rule.screen.pattern().regex().captures_iter(text).last()?;
        let whole = found.get(0)?.as_str();
        let group = |name: &str| found.name(name).map(|group| rows(group.as_str())).filter(|rows| !rows.is_empty());
        let command = group("command");
        let fits = |row: &String| width(row) + MARGIN < usize::from(self.observation.cols);
        let is_whole = |rows: &Vec<String>| match rows.as_slice() {
            [row] => fits(row) && !row.contains(['…', '⋯']) && !row.ends_with("..."),
            _ => false,
        };
        // A command that is seen twice, and once with nothing beside it, ends where both do.
        let seen_twice = group("echo").is_some_and(|echo| Some(&echo) == command.as_ref());
        let mut unclear = group("unclear");
        let reported = command.as_ref().and_then(|rows| self.reported_command(rule, rows, unclear.as_deref()));
        let complete = match &reported {
            Some(reported) => {
                unclear = unclear.map(|rows| rows[reported.further_rows..].to_vec()).filter(|rows| !rows.is_empty());
                reported.breaks_are_known
            }
            None => command.as_ref().is_none_or(is_whole) && (seen_twice || unclear.is_none()),
        };
        let choices = self.read_choices(rule, found.name("choices").map_or("", |group| group.as_str()));
        // What is marked by text is a part of the text.
        let marked = choices.iter().position(|choice| choice.selected).filter(|_| rule.selected_by.is_some());
        let joined = |rows: Vec<String>| cut(&rows.join("\n"), MAX_TEXT);
        let shown = command.map(joined);
        // A report may come after the prompt is drawn: one that tells what the screen shows makes no other prompt of it.
        let reported_text = reported.map(|reported| reported.text);
        let added = reported_text.as_deref().filter(|text| shown.as_deref() != Some(text));
        Some(Prompt {
            rule: rule.name.clone(),
            kind: rule.kind,
            tool: rule.tool.clone().or_else(|| group("tool").map(joined)),
            digest: digest(&rule.name, marked, whole, added),
            command: reported_text.or(shown),
            question: group("question").map(joined),
            reason: group("reason").or(unclear).map(joined),
            choices,
            complete,
        })
    }

    /// The command by a hook or by the program's own report, if that is about the one in `rows`, which may go on in
    /// `unclear`.
    fn reported_command(
        &self,
        rule: &PromptRule,
        rows: &[String],
        unclear: Option<&[String]>,
    ) -> Option<ReportedCommand> {
        let further = unclear.unwrap_or_default();
        let told = self.observation.hook.and_then(|hook| hook.command.as_deref());
        if let Some(told) = told.and_then(|told| ReportedCommand::with_lines(told, rows, further)) {
            return Some(told);
        }
        let record = &self.observation.facts.leading_record()?.value;
        let msg = record.msg.as_ref().filter(|_| record.state == ProgramState::Blocked)?;
        let found = rule.reported.as_ref()?.pattern().regex().captures(msg)?;
        let text = found.name("command")?.as_str();
        ReportedCommand::of(text, rows, further)
    }

    fn read_choices(&self, rule: &PromptRule, text: &str) -> Vec<Choice> {
        let found = rule.choice.pattern().regex().captures_iter(text).take(MAX_CHOICES);
        let mut lit = Vec::new();
        let mut choices: Vec<Choice> = Vec::new();
        for found in found {
            if found.name("label").is_some_and(|label| self.has_own_background(label.as_str())) {
                lit.push(choices.len());
            }
            choices.push(read_choice(rule, |name| Some(found.name(name)?.as_str().trim().to_owned())));
        }
        if let (Some(Mark::Background), [only]) = (rule.selected_by, lit.as_slice()) {
            choices[*only].selected = true;
        }
        choices
    }

    /// Whether `part`, which is a part of the grid, begins on another background than most of its row has.
    fn has_own_background(&self, part: &str) -> bool {
        let grid = self.observation.grid;
        let offset = (part.as_ptr() as usize).checked_sub(grid.as_ptr() as usize);
        let (Some(before), Some(rows)) = (offset.and_then(|offset| grid.get(..offset)), self.observation.rows) else {
            return false;
        };
        let start = before.rfind('\n').map_or(0, |end| end + 1);
        let Some(row) = rows.get(before.matches('\n').count()) else { return false };
        let mut columns: HashMap<Color, u32> = HashMap::new();
        let (mut end, mut own) = (0, None);
        for run in row.runs() {
            let background = background(run);
            *columns.entry(background).or_default() += run.cols;
            end += run.bytes as usize;
            if own.is_none() && before.len() - start < end {
                own = Some(background);
            }
        }
        let most = columns.into_iter().max_by_key(|(_, columns)| *columns).map(|(background, _)| background);
        own.is_some() && own != most
    }
}

/// A command as its program reports it.
#[derive(Debug, PartialEq, Eq)]
struct ReportedCommand {
    text: String,
    /// Each row on the screen ends within a word of the report. Programs report in one line: where a row ends between two
    /// words, a line of the command may end as well, and two commands would read as one.
    breaks_are_known: bool,
    /// How many of the rows below the command's are a part of it, too.
    further_rows: usize,
}

impl ReportedCommand {
    /// `None` for one that is cut, hides something, or is not what the screen shows.
    fn of(text: &str, rows: &[String], further: &[String]) -> Option<Self> {
        let is_cut = text.contains(['…', '⋯', char::REPLACEMENT_CHARACTER]) || text.ends_with("...");
        if is_cut || text.len() > MAX_TEXT {
            return None;
        }
        let mut rest = text;
        let (mut breaks_are_known, mut used) = (true, 0);
        for row in rows.iter().chain(further) {
            if used >= rows.len() && rest.is_empty() {
                break;
            }
            breaks_are_known &= used == 0 || !rest.starts_with(' ');
            rest = rest.trim_start_matches(' ').strip_prefix(row.as_str())?;
            used += 1;
        }
        let further_rows = used - rows.len();
        rest.is_empty().then(|| ReportedCommand { text: text.to_owned(), breaks_are_known, further_rows })
    }

    /// Of a text with its line ends, as hooks tell it: each line is a row on the screen or several. `None` as above.
    fn with_lines(text: &str, shown: &[String], further: &[String]) -> Option<Self> {
        let hides = |c: char| (c.is_control() && !matches!(c, '\n' | '\t')) || vt::is_bidi_control(c);
        if text.len() > MAX_TEXT || text.contains(hides) {
            return None;
        }
        let mut seen = shown.iter().chain(further);
        let mut used = 0_usize;
        for line in rows(text) {
            let mut rest = line.as_str();
            while !rest.is_empty() {
                rest = rest.trim_start_matches(' ').strip_prefix(seen.next()?.as_str())?;
                used += 1;
            }
        }
        let further_rows = used.checked_sub(shown.len())?;
        Some(ReportedCommand { text: text.trim().to_owned(), breaks_are_known: true, further_rows })
    }
}

fn background(run: &StyleRun) -> Color {
    let style = &run.style;
    if style.attributes.contains(Attributes::INVERSE) { style.foreground } else { style.background }
}

/// `group`: what a group of the rule's expression matches.
fn read_choice(rule: &PromptRule, group: impl Fn(&str) -> Option<String>) -> Choice {
    let matches = |expression: &Option<crate::preset::Expression>, label: &str| {
        expression.as_ref().is_some_and(|expression| expression.is_match(label))
    };
    let label = cut(&group("label").unwrap_or_default(), MAX_LABEL);
    let effect = match (matches(&rule.allow_once, &label), matches(&rule.deny, &label)) {
        (true, false) => Effect::AllowOnce,
        (false, true) => Effect::Deny,
        _ => Effect::Other,
    };
    let selected = group("selected").is_some_and(|mark| !mark.is_empty());
    let (key, number) = (group("key"), group("number"));
    Choice { key: key.or_else(|| number.clone()), number, label, selected, effect }
}

/// Rows without the bars that some programs draw beside them (frames, and scroll bars at the right), and without blank ones.
fn rows(text: &str) -> Vec<String> {
    let bar = |character: char| character.is_whitespace() || matches!(character, '│' | '┃' | '▏' | '▕' | '█');
    text.lines().map(|row| row.trim_matches(bar).to_owned()).filter(|row| !row.is_empty()).collect()
}

/// Columns, at most: wide characters count as two, and marks that take none count as well.
fn width(row: &str) -> usize {
    row.chars().map(|character| if character.is_ascii() { 1 } else { 2 }).sum()
}

fn cut(text: &str, max: usize) -> String {
    text.chars().filter(|character| !character.is_control() || *character == '\n').take(max).collect()
}

/// Blanks at the ends of rows don't count: a repaint may leave others.
fn digest(rule: &str, marked: Option<usize>, text: &str, reported: Option<&str>) -> String {
    let mut hash = Sha256::new();
    hash.update(rule.as_bytes());
    if let Some(choice) = marked {
        hash.update(format!("\n{choice}"));
    }
    for row in text.trim().lines() {
        hash.update(b"\n");
        hash.update(row.trim_end().as_bytes());
    }
    if let Some(command) = reported {
        hash.update(b"\n\n");
        hash.update(command.as_bytes());
    }
    let hash = hash.finalize();
    let digits: String = hash.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    format!("pr_{digits}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reported_command_is_known_where_the_screen_shows_the_same_and_no_line_can_hide_in_a_break() {
        let of = |text: &str, rows: &[&str]| {
            let rows: Vec<String> = rows.iter().map(|row| (*row).to_owned()).collect();
            ReportedCommand::of(text, &rows[..1], &rows[1..])
                .map(|command| (command.breaks_are_known, command.further_rows))
        };
        assert_eq!(of("ls -l", &["ls -l"]), Some((true, 0)));
        assert_eq!(of("ls -l", &["ls -l", "List it"]), Some((true, 0)), "what is said for it stands below");
        assert_eq!(of("cat aaaaabbbbb ccc", &["cat aaaaa", "bbbbb ccc", "Read"]), Some((true, 1)));
        assert_eq!(of("ls aaaaa rm -rf x", &["ls aaaaa", "rm -rf x"]), Some((false, 1)), "one command or two");
        assert_eq!(of("touch other", &["touch this"]), None, "the report before");
        assert_eq!(of("ls -l /etc", &["ls -l"]), None, "the screen shows less");
        for cut in ["ls aaa…", "ls aaa...", "ls a\u{fffd}a"] {
            assert_eq!(of(cut, &[cut]), None, "{cut}");
        }
    }
}

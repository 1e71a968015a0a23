//! Carries out the steps of a script, one after the other.

use std::collections::VecDeque;
use std::time::Instant;

use rustix::process::{Signal, getpid, kill_process};
use serde_json::json;

use super::{FakeActor, PerformanceEnd, captured};
use crate::scene::{ChoiceDialog, QuestionAnswer, QuestionSubject, SceneEntry, SceneFront, ShellState};
use crate::script::{AskPermission, CrashStep, FloodStep, HangStep, IfStep, ScriptStep};
use crate::turn::{FakeTurn, TurnWait};
use crate::values::{NoSuchVariable, is_something, shown};

/// Bytes of a flood between two checks of the keyboard.
const FLOOD_CHUNK: u64 = 64 << 10;
/// Maximum remaining steps of a script: a `repeat` inside a `repeat` grows fast.
const MAX_STEPS: usize = 100_000;

impl FakeActor {
    /// Starts the steps for a prompt; its captures become variables.
    pub(super) fn reaction_to(&mut self, prompt: &str) -> Vec<ScriptStep> {
        self.variables.set("prompt", json!(prompt));
        self.variables.set("nth", json!(self.prompts));
        for (index, reaction) in self.line.script.reactions.iter().enumerate() {
            if reaction.nth.is_some_and(|nth| nth != self.prompts) || self.spent.contains(&index) {
                continue;
            }
            if let Some(pattern) = &reaction.prompt {
                let Some(captures) = pattern.0.captures(prompt) else { continue };
                for (name, value) in captured(&captures, &pattern.0) {
                    self.variables.set(name, value);
                }
            }
            if reaction.once {
                self.spent.insert(index);
            }
            return reaction.steps.clone();
        }
        vec![ScriptStep::Say("No reaction of this script fits that prompt.".into())]
    }

    /// Does one step, if one is due. False if there is nothing to do but wait.
    pub(super) fn play_step(&mut self, now: Instant) -> bool {
        let Some(turn) = &mut self.turn else { return false };
        match &mut turn.wait {
            TurnWait::Nothing => {}
            TurnWait::Until(due) if *due <= now => turn.wait = TurnWait::Nothing,
            TurnWait::Words { rest, due } => {
                if *due > now {
                    return false;
                }
                let Some(word) = rest.pop_front() else {
                    turn.wait = TurnWait::Nothing;
                    self.stream(false);
                    return true;
                };
                *due = now + crate::run::pace(self.line.fast, self.line.script.settings.word_ms);
                turn.last_answer.push_str(&word);
                if let Some(SceneEntry::Answer(text)) = self.scene.entries.last_mut() {
                    text.push_str(&word);
                }
                return true;
            }
            TurnWait::Flood { .. } => return self.flood(now),
            TurnWait::Connection(calls) => {
                let calls = std::mem::take(calls);
                if !self.is_settled(&calls) {
                    self.wait(TurnWait::Connection(calls));
                    return false;
                }
                match self.plan(&calls) {
                    Ok(planned) => self.wait(TurnWait::Replies(planned)),
                    Err(fault) => self.fault(&fault),
                }
                return true;
            }
            TurnWait::Replies(_) => {
                if !self.push_calls(now) {
                    return false;
                }
                self.wait(TurnWait::Nothing);
            }
            TurnWait::Until(_) | TurnWait::Forever | TurnWait::Permission { .. } | TurnWait::Choice { .. } => {
                return false;
            }
        }
        let Some(turn) = &mut self.turn else { return false };
        match turn.steps.pop_front() {
            Some(step) => {
                if let Err(fault) = self.begin(step, now) {
                    self.fault(&fault);
                }
            }
            None => self.finish_turn(now),
        }
        self.turn.is_some()
    }

    fn wait(&mut self, wait: TurnWait) {
        if let Some(turn) = &mut self.turn {
            turn.wait = wait;
        }
    }

    fn insert(&mut self, steps: &[ScriptStep]) {
        if let Some(turn) = &mut self.turn
            && turn.steps.len() + steps.len() <= MAX_STEPS
        {
            turn.insert(steps);
        }
    }

    fn stream(&mut self, streaming: bool) {
        if let Some(work) = &mut self.scene.work {
            work.streaming = streaming;
        }
    }

    /// Shown where the script's author will see it.
    fn fault(&mut self, fault: &NoSuchVariable) {
        self.scene.entries.push(SceneEntry::Answer(format!("SCRIPT FAULT: {fault}")));
        if let Some(turn) = &mut self.turn {
            turn.steps.clear();
            turn.wait = TurnWait::Nothing;
        }
    }

    fn begin(&mut self, step: ScriptStep, now: Instant) -> Result<(), NoSuchVariable> {
        match step {
            ScriptStep::Say(text) => self.say(&text, now)?,
            ScriptStep::Think(ms) | ScriptStep::Sleep(ms) => self.wait(TurnWait::Until(now + self.pace(ms))),
            ScriptStep::Call(call) => {
                self.connect();
                self.wait(TurnWait::Connection(vec![call]));
            }
            ScriptStep::CallTogether(calls) => {
                self.connect();
                self.wait(TurnWait::Connection(calls));
            }
            ScriptStep::Shell(shell) => {
                let command = self.variables.fill_text(&shell.command)?;
                let state = ShellState::Done(self.variables.fill_text(&shell.output)?);
                self.scene.entries.push(SceneEntry::Shell { command, state });
            }
            ScriptStep::AskPermission(asked) => self.ask_permission(asked, now)?,
            ScriptStep::Dialog(dialog) => self.show_dialog(&dialog)?,
            ScriptStep::Print(text) => {
                let text = self.variables.fill_text(&text)?;
                self.write(&text);
            }
            ScriptStep::Flood(FloodStep { bytes }) => {
                let room = self.stage.before_raw_output(&self.scene, now);
                self.write(&room);
                self.wait(TurnWait::Flood { left: bytes, line: 0 });
            }
            ScriptStep::Hang(HangStep::Working) => self.wait(TurnWait::Forever),
            ScriptStep::Hang(HangStep::Frozen) => {
                // Show the answer as far as it is.
                let _ = self.draw(now);
                loop {
                    std::thread::park();
                }
            }
            ScriptStep::Crash(CrashStep::Code(code)) => self.crash(PerformanceEnd::Crash(code), now),
            ScriptStep::Crash(CrashStep::Signal(name)) => self.kill_self(&name, now),
            ScriptStep::Exit(code) => self.ending = Some(PerformanceEnd::Exit(code)),
            ScriptStep::Title(text) => self.scene.topic = self.variables.fill_text(&text)?,
            ScriptStep::Notify(text) => {
                let text = crate::stage::one_line(&self.variables.fill_text(&text)?);
                self.write(&self.stage.costume.notification(&text));
            }
            ScriptStep::Set(values) => {
                for (name, value) in &values {
                    let value = self.variables.fill(value)?;
                    self.variables.set(name.clone(), value);
                }
            }
            ScriptStep::If(question) => {
                let steps = if self.holds(&question) { &question.then } else { &question.otherwise };
                self.insert(steps);
            }
            ScriptStep::Repeat(repeat) => {
                if repeat.times > 0 {
                    let again =
                        ScriptStep::Repeat(crate::script::RepeatStep { times: repeat.times - 1, ..repeat.clone() });
                    self.insert(&[again]);
                    self.insert(&repeat.steps);
                }
            }
            ScriptStep::ShowBox {} => self.scene.is_open = true,
            ScriptStep::End {} => {
                if let Some(turn) = &mut self.turn {
                    turn.steps.clear();
                }
            }
        }
        Ok(())
    }

    fn say(&mut self, text: &str, now: Instant) -> Result<(), NoSuchVariable> {
        let text = self.variables.fill_text(text)?;
        let words: VecDeque<String> = text.split_inclusive([' ', '\n']).map(str::to_owned).collect();
        self.scene.entries.push(SceneEntry::Answer(String::new()));
        if let Some(turn) = &mut self.turn {
            turn.last_answer.clear();
        }
        self.stream(true);
        self.wait(TurnWait::Words { rest: words, due: now });
        Ok(())
    }

    fn holds(&self, question: &IfStep) -> bool {
        let value = self.variables.fill_or_null(&question.value);
        match (&question.is, &question.matches) {
            (Some(expected), _) => value == self.variables.fill_or_null(expected),
            (None, Some(pattern)) => pattern.0.is_match(&shown(&value)),
            (None, None) => is_something(&value),
        }
    }

    fn ask_permission(&mut self, asked: AskPermission, now: Instant) -> Result<(), NoSuchVariable> {
        let reason = self.variables.fill_text(&asked.reason)?;
        let (about, entry) = match (&asked.command, &asked.file) {
            (None, Some(file)) => {
                let file = self.variables.fill_text(file)?;
                (QuestionSubject::File(file.clone()), SceneEntry::Write { file, state: ShellState::Waiting })
            }
            (command, _) => {
                let command = self.variables.fill_text(command.as_deref().unwrap_or_default())?;
                (QuestionSubject::Command(command.clone()), SceneEntry::Shell { command, state: ShellState::Waiting })
            }
        };
        self.scene.entries.push(entry);
        let entry = self.scene.entries.len() - 1;
        let known = self.always.contains(&key_of(&about));
        if !known {
            self.ask(about, reason, now);
        }
        self.wait(TurnWait::Permission { asked: Box::new(asked), entry });
        if known {
            self.answer_permission(QuestionAnswer::Once, now);
        }
        Ok(())
    }

    pub(super) fn answer_permission(&mut self, answer: QuestionAnswer, now: Instant) {
        let Some(FakeTurn { wait, .. }) = &mut self.turn else { return };
        let TurnWait::Permission { asked, entry } = std::mem::replace(wait, TurnWait::Nothing) else { return };
        let output = self.variables.fill_text(&asked.output).unwrap_or_default();
        let new = if answer == QuestionAnswer::Refuse { ShellState::Refused } else { ShellState::Approved(output) };
        let about = match &mut self.scene.entries[entry] {
            SceneEntry::Shell { command, state } => {
                *state = new;
                QuestionSubject::Command(command.clone())
            }
            SceneEntry::Write { file, state } => {
                *state = new;
                QuestionSubject::File(file.clone())
            }
            _ => return,
        };
        match answer {
            QuestionAnswer::Refuse if asked.refused.is_empty() => self.interrupt_turn(now),
            QuestionAnswer::Refuse => self.insert(&asked.refused),
            QuestionAnswer::Once | QuestionAnswer::Always => {
                if answer == QuestionAnswer::Always {
                    self.always.insert(key_of(&about));
                }
                self.insert(&asked.approved);
            }
        }
    }

    fn show_dialog(&mut self, dialog: &crate::script::DialogStep) -> Result<(), NoSuchVariable> {
        let own = dialog.kind.as_deref().and_then(|kind| self.stage.costume.dialog(kind, &self.scene));
        let text = self.variables.fill_text(&dialog.text)?;
        let title = self.variables.fill_text(&dialog.title)?;
        let made = || ChoiceDialog {
            text: [title, String::new(), text].into_iter().collect(),
            options: if dialog.options.is_empty() { vec!["OK".into()] } else { dialog.options.clone() },
            hint: "Enter to confirm · Esc to cancel".into(),
            indent: 1,
            ..ChoiceDialog::default()
        };
        self.scene.front = SceneFront::Dialog(own.unwrap_or_else(made));
        self.wait(TurnWait::Choice { bind: dialog.bind.clone() });
        Ok(())
    }

    pub(super) fn choose(&mut self, choice: usize) {
        let Some(FakeTurn { wait, .. }) = &mut self.turn else { return };
        if let TurnWait::Choice { bind: Some(name) } = std::mem::replace(wait, TurnWait::Nothing) {
            self.variables.set(name, json!(choice));
        }
    }

    fn flood(&mut self, now: Instant) -> bool {
        let Some(FakeTurn { wait: TurnWait::Flood { left, line }, .. }) = &mut self.turn else { return false };
        let mut chunk = String::new();
        while (chunk.len() as u64) < FLOOD_CHUNK.min(*left) {
            *line += 1;
            chunk.push_str(&format!("flood line {line}: {}\r\n", "=".repeat(80)));
        }
        *left = left.saturating_sub(chunk.len() as u64);
        let over = *left == 0;
        self.write(&chunk);
        if over {
            let after = self.stage.after_raw_output(&self.scene, now);
            self.write(after);
            self.wait(TurnWait::Nothing);
        }
        over
    }

    fn crash(&mut self, ending: PerformanceEnd, now: Instant) {
        let _ = self.draw(now);
        self.ending = Some(ending);
    }

    fn kill_self(&mut self, name: &str, now: Instant) {
        let signal = match name {
            "ABRT" => Signal::ABORT,
            "HUP" => Signal::HUP,
            "INT" => Signal::INT,
            "SEGV" => Signal::SEGV,
            "TERM" => Signal::TERM,
            _ => Signal::KILL,
        };
        let _ = self.draw(now);
        // Sent twice: the first SIGSEGV only removes the handler that Rust installs for stack overflows.
        for _ in 0..2 {
            let _ = kill_process(getpid(), signal);
        }
        self.ending = Some(PerformanceEnd::Crash(1));
    }
}

fn key_of(about: &QuestionSubject) -> String {
    match about {
        QuestionSubject::Command(command) => format!("command {command}"),
        QuestionSubject::File(_) => "file".into(),
        QuestionSubject::Tool { server, tool, .. } => format!("mcp__{server}__{tool}"),
    }
}

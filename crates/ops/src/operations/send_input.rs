//! Typing into a session.

use std::time::Duration;

use engine::{Input, SentInput};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use vt::input::{Key, KeyEvent};

use super::wait_for_pattern::{self, WaitScope};
use crate::{
    Call, CallEffects, Context, ErrorKind, Faces, InputGuard, OpError, Operation, OperationTraits, OutputMode,
    ProcessOutput, Roles,
    output::{self, OutputRead},
};

/// Type into a session. `text` is typed and submitted with Enter unless `submit` is false; several lines go as
/// one paste, then Enter. `paste` sends text that can't act as keys. `key` presses one key, such as enter, esc,
/// up, ctrl-c, alt+x, shift+tab, f5. With `wait_for`, the answer comes as soon as the session prints a match after
/// the input; with `wait_ms`, after that time. Both can bring along what was printed since the input.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Args {
    /// Id or name of the session.
    pub process_id: String,
    /// `text` when left out.
    #[serde(default)]
    pub kind: InputKind,
    /// For `text` and `paste`.
    #[serde(default)]
    pub text: Option<String>,
    /// For `key`.
    #[serde(default)]
    pub key: Option<String>,
    /// For `bytes`: hexadecimal digits, white space allowed, sent as they are.
    #[serde(default)]
    pub data_hex: Option<String>,
    /// For `bytes`, from faces that have them as such.
    #[serde(skip)]
    pub bytes: Option<Vec<u8>>,
    /// Press Enter behind it. Left out: yes for `text` (without prompt_digest), no for the others.
    #[serde(default)]
    pub submit: Option<bool>,
    /// Answer as soon as output that comes after the input matches this regular expression; see wait_for_pattern.
    /// What you type is output too where the program shows it.
    #[serde(default)]
    pub wait_for: Option<String>,
    /// For `wait_for`: 30 when left out, at most 600.
    #[serde(default)]
    pub timeout_seconds: Option<f64>,
    /// Wait this many milliseconds, at most 600000, and answer with the tail: what was printed since the input.
    #[serde(default)]
    pub wait_ms: Option<u64>,
    /// How the tail is read: `stream` when left out and `wait_ms` is given, else `none`.
    #[serde(default)]
    pub tail_mode: Option<TailMode>,
    /// The digest of the prompt you have read and answer with this: refused if another one is on the screen by now. With
    /// it, text is not submitted unless you say so.
    #[serde(default, alias = "digest")]
    pub prompt_digest: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum InputKind {
    #[default]
    Text,
    Paste,
    Key,
    Bytes,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TailMode {
    None,
    Stream,
    Grid,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Reply {
    pub ok: bool,
    /// How `wait_for` ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wait: Option<wait_for_pattern::Reply>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tail: Option<ProcessOutput>,
}

/// Delay between a text and an Enter of its own: programs that read both at once take the Enter as part of the text.
const ENTER_PAUSE: Duration = Duration::from_millis(150);
const MAX_WAIT_MS: u64 = 600_000;

#[derive(Debug)]
pub struct SendInput;

impl<C: Context> Operation<C> for SendInput {
    const TRAITS: OperationTraits = OperationTraits {
        name: "send_input",
        roles: Roles::ANYONE,
        faces: Faces::MCP.union(Faces::GRPC).union(Faces::CLI),
        effects: CallEffects::Destructive,
    };
    const ERRORS: &'static [ErrorKind] = &[
        ErrorKind::NotFound,
        ErrorKind::NotRunning,
        ErrorKind::NotRelated,
        ErrorKind::NeedsTrust,
        ErrorKind::RevisionMismatch,
        ErrorKind::LimitExceeded,
        ErrorKind::NotReady,
    ];
    type Args = Args;
    type Reply = Reply;

    async fn run(call: Call<C>, args: Args) -> Result<Reply, OpError> {
        let session = call.own_session(&args.process_id)?;
        let wait_ms = args.wait_ms.unwrap_or(0);
        if wait_ms > MAX_WAIT_MS {
            let hint = format!("use at most {MAX_WAIT_MS}, or wait_for_pattern");
            return Err(OpError::invalid_args(format!("wait_ms is {wait_ms}")).with_hint(hint));
        }
        if args.wait_for.is_some() && wait_ms > 0 {
            return Err(OpError::invalid_args("wait_for and wait_ms are given").with_hint("give one of them"));
        }
        let agent = session.kind() == engine::Kind::Agent;
        let (input, enter) = keystrokes(&args, agent)?;
        let digest = args.prompt_digest.as_deref();
        call.host().guard_input(&InputGuard { caller: &call.caller, session: &session, input: &input, digest })?;
        let apart = agent || matches!(input, Input::Paste(_));
        // Started before the input, so that no response is too fast.
        let wait = match &args.wait_for {
            Some(pattern) => {
                Some(wait_for_pattern::begin(&call, &session, pattern, args.timeout_seconds, WaitScope::NewOutput)?)
            }
            None => None,
        };
        let key = matches!(input, Input::Key(_));
        let (origin, answered) = (call.origin(), wait.is_some());
        let send = |input| if answered { session.send_for_answer(input, origin) } else { session.send(input, origin) };
        let sent = send(input)?;
        if key && sent.is_nothing() {
            let key = args.key.as_deref().unwrap_or_default();
            let error = OpError::invalid_args(format!("the key {key:?} sends nothing to this program"));
            return Err(error.with_hint("terminals have no bytes for it until the program asks for the kitty keyboard"));
        }
        let offset = sent.output_offset;
        if enter {
            if apart {
                pause_before_enter(&call, sent).await;
            }
            let input = Input::Key(KeyEvent::press(Key::Enter));
            // A prompt may have come up since the text was typed, and Enter would answer it.
            call.host().guard_input(&InputGuard { caller: &call.caller, session: &session, input: &input, digest })?;
            send(input)?;
        }
        let mode = args.tail_mode.unwrap_or(if wait_ms > 0 { TailMode::Stream } else { TailMode::None });
        if wait_ms > 0 {
            // A session that ends prints nothing more.
            let _ = session.wait_for_exit(Duration::from_millis(wait_ms)).await;
        }
        let wait = match wait {
            Some(wait) => Some(wait.await),
            None => None,
        };
        let mode = match mode {
            TailMode::None => return Ok(Reply { ok: true, wait, tail: None }),
            TailMode::Stream => OutputMode::Stream,
            TailMode::Grid => OutputMode::Grid,
        };
        let reading = OutputRead { mode, since_offset: Some(offset), ..OutputRead::default() };
        Ok(Reply { ok: true, wait, tail: Some(output::read(&session, call.host(), reading)) })
    }
}

async fn pause_before_enter<C: Context>(call: &Call<C>, sent: SentInput) {
    // Counted from when the child could read the text; if it does not read, Enter follows in the queue.
    let _ = tokio::time::timeout(ENTER_PAUSE, sent.written()).await;
    let clock = call.engine().clock();
    clock.sleep_until(clock.now() + ENTER_PAUSE).await;
}

/// The input to send, and whether Enter follows on its own. An agent CLI that reads a text together with its Enter may
/// take it for a paste, and the Enter as part of it.
fn keystrokes(args: &Args, agent: bool) -> Result<(Input, bool), OpError> {
    let extra = |what: &str, kind: &str| {
        OpError::invalid_args(format!("{what} is given and the kind is {kind}"))
            .with_hint("give only what the kind needs")
    };
    let missing = |what: &str, kind: &str| {
        OpError::invalid_args(format!("an input of kind {kind} needs {what}")).with_hint(format!("give {what}"))
    };
    let has_bytes = args.data_hex.is_some() || args.bytes.is_some();
    match args.kind {
        InputKind::Text | InputKind::Paste if args.key.is_some() => Err(extra("key", "text or paste")),
        InputKind::Text | InputKind::Paste if has_bytes => Err(extra("data_hex", "text or paste")),
        InputKind::Key | InputKind::Bytes if args.text.is_some() => Err(extra("text", "key or bytes")),
        InputKind::Key if has_bytes => Err(extra("data_hex", "key")),
        InputKind::Bytes if args.key.is_some() => Err(extra("key", "bytes")),
        InputKind::Text => {
            let mut text = args.text.clone().ok_or_else(|| missing("text", "text"))?;
            let submit = args.submit.unwrap_or(args.prompt_digest.is_none());
            // A single line end at the end is the Enter itself.
            let body = text.strip_suffix('\n').map_or(text.as_str(), |text| text.strip_suffix('\r').unwrap_or(text));
            if submit && body.contains(['\n', '\r']) {
                return Ok((Input::Paste(body.to_owned()), true));
            }
            if submit && agent {
                text.truncate(body.len());
                return Ok((Input::Text(text), true));
            }
            if submit {
                // In one piece: accepted as a whole with its Enter, or not at all.
                text.truncate(body.len());
                text.push('\n');
            }
            Ok((Input::Text(text), false))
        }
        InputKind::Paste => {
            let text = args.text.clone().ok_or_else(|| missing("text", "paste"))?;
            Ok((Input::Paste(text), args.submit.unwrap_or(false)))
        }
        InputKind::Key => {
            let key = args.key.as_deref().ok_or_else(|| missing("key", "key"))?;
            let event = key.parse::<KeyEvent>();
            let event = event.map_err(|error| OpError::from_text(ErrorKind::InvalidArgs, error.to_string()))?;
            Ok((Input::Key(event), args.submit.unwrap_or(false)))
        }
        InputKind::Bytes => {
            let bytes = match (&args.bytes, &args.data_hex) {
                (Some(_), Some(_)) => return Err(extra("both data_hex and data", "bytes")),
                (Some(bytes), None) => bytes.clone(),
                (None, Some(hex)) => from_hex(hex)?,
                (None, None) => return Err(missing("data_hex", "bytes")),
            };
            Ok((Input::Bytes(bytes), args.submit.unwrap_or(false)))
        }
    }
}

/// `1b 5b 41` and `1B5B41`.
fn from_hex(text: &str) -> Result<Vec<u8>, OpError> {
    let wrong = |what: String| {
        OpError::invalid_args(what).with_hint("write two hexadecimal digits per byte, for example 1b5b41")
    };
    let mut digits = Vec::with_capacity(text.len());
    for character in text.chars().filter(|character| !character.is_ascii_whitespace()) {
        let digit = character.to_digit(16);
        digits.push(digit.ok_or_else(|| wrong(format!("{character:?} is not a hexadecimal digit")))? as u8);
    }
    let pairs = digits.chunks_exact(2);
    if !pairs.remainder().is_empty() {
        return Err(wrong("the hexadecimal digits are an odd number".to_owned()));
    }
    Ok(pairs.map(|pair| pair[0] << 4 | pair[1]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str, submit: Option<bool>) -> (Input, bool) {
        keystrokes(&Args { text: Some(text.into()), submit, ..Args::default() }, false).unwrap()
    }

    #[test]
    fn one_line_is_typed_and_several_are_pasted() {
        assert_eq!(text("ls", None), (Input::Text("ls\n".into()), false));
        assert_eq!(text("ls\n", None), (Input::Text("ls\n".into()), false));
        assert_eq!(text("ls\r\n", Some(true)), (Input::Text("ls\n".into()), false));
        assert_eq!(text("", None), (Input::Text("\n".into()), false));
        assert_eq!(text("ls", Some(false)), (Input::Text("ls".into()), false));
        assert_eq!(text("a\nb", None), (Input::Paste("a\nb".into()), true));
        assert_eq!(text("a\nb\n", None), (Input::Paste("a\nb".into()), true));
        assert_eq!(text("a\rb", None), (Input::Paste("a\rb".into()), true));
        // Not submitted: the caller wants exactly these line ends.
        assert_eq!(text("a\nb\n", Some(false)), (Input::Text("a\nb\n".into()), false));
    }

    #[test]
    fn an_agent_gets_its_enter_apart() {
        let typed = |text: &str| keystrokes(&Args { text: Some(text.into()), ..Args::default() }, true).unwrap();
        assert_eq!(typed("yes"), (Input::Text("yes".into()), true));
        assert_eq!(typed("yes\n"), (Input::Text("yes".into()), true));
        assert_eq!(typed(""), (Input::Text(String::new()), true));
        assert_eq!(typed("a\nb"), (Input::Paste("a\nb".into()), true));
    }

    #[test]
    fn each_kind_takes_its_own_argument_only() {
        let some = |text: &str| Some(text.to_owned());
        let good = [
            Args { kind: InputKind::Key, key: some("ctrl-c"), ..Args::default() },
            Args { kind: InputKind::Paste, text: some("x"), ..Args::default() },
            Args { kind: InputKind::Bytes, data_hex: some("1b 5B\n41"), ..Args::default() },
            Args { kind: InputKind::Bytes, bytes: Some(vec![0xff]), ..Args::default() },
        ];
        for args in good {
            assert!(keystrokes(&args, false).is_ok(), "{args:?}");
        }
        let bad = [
            Args::default(),
            Args { kind: InputKind::Key, ..Args::default() },
            Args { kind: InputKind::Bytes, ..Args::default() },
            Args { kind: InputKind::Paste, ..Args::default() },
            Args { text: some("x"), key: some("enter"), ..Args::default() },
            Args { text: some("x"), data_hex: some("00"), ..Args::default() },
            Args { kind: InputKind::Key, key: some("no such key"), ..Args::default() },
            Args { kind: InputKind::Key, key: some("a"), text: some("x"), ..Args::default() },
            Args { kind: InputKind::Bytes, data_hex: some("1b5"), ..Args::default() },
            Args { kind: InputKind::Bytes, data_hex: some("zz"), ..Args::default() },
            Args { kind: InputKind::Bytes, data_hex: some("00"), bytes: Some(vec![0]), ..Args::default() },
        ];
        for args in bad {
            let error = keystrokes(&args, false).unwrap_err();
            assert!(error.kind == ErrorKind::InvalidArgs && !error.hint.is_empty(), "{args:?}: {error:?}");
        }
        assert_eq!(from_hex("1b 5B\n41").unwrap(), b"\x1b[A");
    }
}

//! A coordinator's settings: flags override server.toml, which overrides the defaults.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    time::Duration,
};

use fleet::default_socket;
use ops::{RecordingFormat, RecordingRules};
use program::{Exit, Failure};
use serde::Deserialize;

use super::group::group_id;
use crate::surroundings::Surroundings;

/// `server.toml`. Every key has a flag.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct ServerConfig {
    socket_path: Option<String>,
    scrollback_limit: Option<usize>,
    default_shell: Option<String>,
    cols: Option<u16>,
    rows: Option<u16>,
    kill_timeout: Option<String>,
    pid_file: Option<String>,
    log_file: Option<String>,
    socket_mode: Option<String>,
    socket_group: Option<String>,
    #[serde(default)]
    allow_uids: Vec<u32>,
    #[serde(default)]
    recording: RecordingConfig,
}

/// `[recording]`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct RecordingConfig {
    folder: Option<String>,
    always: Option<bool>,
    max_size: Option<String>,
    keep: Option<usize>,
    format: Option<RecordFormat>,
}

/// The version of the asciicast format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(crate) enum RecordFormat {
    V2,
    #[default]
    V3,
}

/// The flags of `vtr serve`, as far as given.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct ServeFlags {
    /// Where to listen [default: /var/run/vtr.sock, or vtr/vtr.sock in the user's runtime folder]
    // `--socket` itself is a global flag, shared with the client commands.
    #[arg(skip)]
    pub(crate) socket: Option<PathBuf>,
    /// The program of sessions started without a command [default: $SHELL]
    #[arg(long, value_name = "PROGRAM")]
    pub(crate) shell: Option<OsString>,
    /// Width of new sessions [default: 80]
    #[arg(long, value_name = "N", value_parser = crate::commands::cols)]
    pub(crate) cols: Option<u16>,
    /// Height of new sessions [default: 24]
    #[arg(long, value_name = "N", value_parser = crate::commands::rows)]
    pub(crate) rows: Option<u16>,
    /// Lines of history kept for each session [default: 10000]
    #[arg(long, value_name = "LINES")]
    pub(crate) scrollback: Option<usize>,
    /// The time between asking a session to end and killing it [default: 5s]
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration)]
    pub(crate) kill_timeout: Option<Duration>,
    /// The settings file; flags override it [default: server.toml in the config folder]
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Write the process id to this file while running
    #[arg(long, value_name = "FILE")]
    pub(crate) pid_file: Option<PathBuf>,
    /// The log file of a daemon [default: in the user's state folder]
    #[arg(long, value_name = "FILE")]
    pub(crate) log_file: Option<PathBuf>,
    /// The socket's mode, in octal [default: 0600; 0660 with a group; 0666 with allowed users, who are checked]
    #[arg(long, value_name = "MODE", value_parser = parse_mode)]
    pub(crate) socket_mode: Option<u32>,
    /// Members of this group, by name or number, may connect
    #[arg(long, value_name = "GROUP")]
    pub(crate) socket_group: Option<String>,
    /// This user may connect; can be repeated
    #[arg(long, value_name = "UID")]
    pub(crate) allow_uid: Vec<u32>,
    /// The folder for recordings without a file name [default: recordings in the user's state folder]
    #[arg(long, value_name = "DIR")]
    pub(crate) record_folder: Option<PathBuf>,
    /// Record every session from its start
    #[arg(long)]
    pub(crate) record_always: bool,
    /// End a recording that grows larger, for example 100MB [default: no limit]
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub(crate) record_max_size: Option<u64>,
    /// Keep this many recordings in the folder, removing the oldest [default: all]
    #[arg(long, value_name = "N", value_parser = parse_keep)]
    pub(crate) record_keep: Option<usize>,
    /// The default version of the recording format [default: v3]
    #[arg(long, value_enum)]
    pub(crate) record_format: Option<RecordFormat>,
}

/// `4096`, `64kB`, `100MB`, `2GB`; units of a thousand.
fn parse_size(text: &str) -> Result<u64, String> {
    let wrong = || "write it like 500000, 64kB, 100MB or 2GB".to_owned();
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, unit) = text.split_at(digits);
    let factor: u64 = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kb" => 1_000,
        "m" | "mb" => 1_000_000,
        "g" | "gb" => 1_000_000_000,
        _ => return Err(wrong()),
    };
    number.parse::<u64>().ok().and_then(|number| number.checked_mul(factor)).filter(|size| *size > 0).ok_or_else(wrong)
}

fn parse_keep(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|keep| *keep > 0).ok_or_else(|| "use 1 or more".to_owned())
}

fn parse_mode(text: &str) -> Result<u32, String> {
    match u32::from_str_radix(text.trim_start_matches("0o"), 8) {
        Ok(mode) if mode <= 0o777 => Ok(mode),
        _ => Err("write it in octal, for example 0660".into()),
    }
}

/// The effective settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ServeSettings {
    pub(crate) socket: PathBuf,
    pub(crate) shell: OsString,
    pub(crate) cols: u16,
    pub(crate) rows: u16,
    pub(crate) scrollback: usize,
    pub(crate) kill_timeout: Duration,
    pub(crate) pid_file: Option<PathBuf>,
    pub(crate) log_file: PathBuf,
    /// The list of sessions for the next coordinator, in case this one is killed.
    pub(crate) roll_file: PathBuf,
    pub(crate) socket_mode: u32,
    pub(crate) socket_group: Option<u32>,
    pub(crate) allow_uids: Vec<u32>,
    pub(crate) record_folder: PathBuf,
    pub(crate) recording: RecordingRules,
}

impl ServeSettings {
    pub(crate) fn decide(flags: ServeFlags, surroundings: &Surroundings) -> Result<Self, Failure> {
        let (file, config) = load(flags.config.as_deref(), surroundings)?;
        let bad = |what: String| {
            Failure::new(Exit::Usage, "bad_config", format!("{}: {what}", file.display()))
                .with_hint("fix the file, or move it away: without it the defaults apply")
        };
        let here = |path: PathBuf| surroundings.working_dir.join(path);
        let from_file = |path: &String| surroundings.absolute(path);
        let socket = match flags.socket.map(here).or(config.socket_path.as_ref().map(from_file)) {
            Some(socket) => socket,
            None => default_socket::for_server(surroundings)?,
        };
        let kill_timeout = match (flags.kill_timeout, &config.kill_timeout) {
            (Some(given), _) => given,
            (None, None) => Duration::from_secs(5),
            (None, Some(text)) => {
                humantime::parse_duration(text).map_err(|_| bad(format!("kill_timeout {text:?} is not a duration")))?
            }
        };
        let group = flags.socket_group.as_ref().or(config.socket_group.as_ref());
        let socket_group = match group {
            Some(group) => Some(group_id(group).map_err(|error| Failure::usage(format!("socket group: {error}")))?),
            None => None,
        };
        let allow_uids = if flags.allow_uid.is_empty() { config.allow_uids } else { flags.allow_uid };
        let socket_mode = match (flags.socket_mode, &config.socket_mode) {
            (Some(mode), _) => mode,
            (None, Some(text)) => parse_mode(text).map_err(|what| bad(format!("socket_mode {text:?}: {what}")))?,
            (None, None) if !allow_uids.is_empty() => 0o666,
            (None, None) if socket_group.is_some() => 0o660,
            (None, None) => 0o600,
        };
        let own_name = own_name(&socket);
        let log_file = flags.log_file.map(here).or(config.log_file.as_ref().map(from_file));
        let [cols, rows] = [(flags.cols, config.cols, 80), (flags.rows, config.rows, 24)]
            .map(|(flag, file, default)| flag.or(file).unwrap_or(default));
        let size = vt::Size::new(cols, rows);
        if size != size.clamped() {
            let (least, most) = (vt::Size::MIN, vt::Size::MAX);
            let message = format!("use {} to {} cols and {} to {} rows", least.cols, most.cols, least.rows, most.rows);
            return Err(bad(message));
        }
        let asked_for = flags.shell.or(config.default_shell.map(OsString::from));
        if let Some(shell) = asked_for.as_ref().map(Path::new).filter(|shell| shell.is_absolute()) {
            rustix::fs::access(shell, rustix::fs::Access::EXEC_OK).map_err(|error| {
                Failure::usage(format!("the shell {} can't be run: {error}", shell.display()))
                    .with_hint("give another --shell, or default_shell in server.toml")
            })?;
        }
        let recording = config.recording;
        let max_bytes = match (flags.record_max_size, &recording.max_size) {
            (Some(size), _) => Some(size),
            (None, Some(text)) => {
                Some(parse_size(text).map_err(|what| bad(format!("recording.max_size {text:?}: {what}")))?)
            }
            (None, None) => None,
        };
        if recording.keep == Some(0) {
            return Err(bad("recording.keep must be at least 1".into()));
        }
        let record_folder = flags.record_folder.map(here).or(recording.folder.as_ref().map(from_file));
        Ok(ServeSettings {
            record_folder: record_folder.unwrap_or_else(|| surroundings.state_dir.join("recordings")),
            recording: RecordingRules {
                always: flags.record_always || recording.always.unwrap_or(false),
                max_bytes,
                keep: flags.record_keep.or(recording.keep),
                format: match flags.record_format.or(recording.format).unwrap_or_default() {
                    RecordFormat::V2 => RecordingFormat::V2,
                    RecordFormat::V3 => RecordingFormat::V3,
                },
            },
            shell: asked_for.or_else(|| surroundings.shell.clone()).unwrap_or_else(|| "/bin/sh".into()),
            cols,
            rows,
            scrollback: flags.scrollback.or(config.scrollback_limit).unwrap_or(10_000),
            kill_timeout,
            pid_file: flags.pid_file.map(here).or(config.pid_file.as_ref().map(from_file)),
            log_file: log_file.unwrap_or_else(|| surroundings.state_dir.join(format!("{own_name}.log"))),
            roll_file: surroundings.state_dir.join(format!("{own_name}.sessions")),
            socket_mode,
            socket_group,
            allow_uids,
            socket,
        })
    }

    /// Flags that reproduce these settings without a file.
    pub(crate) fn to_flags(&self) -> Vec<OsString> {
        let mut flags: Vec<OsString> = Vec::new();
        let mut add = |name: &str, value: OsString| flags.extend([name.into(), value]);
        add("--socket", self.socket.clone().into());
        add("--shell", self.shell.clone());
        add("--cols", self.cols.to_string().into());
        add("--rows", self.rows.to_string().into());
        add("--scrollback", self.scrollback.to_string().into());
        add("--kill-timeout", humantime::format_duration(self.kill_timeout).to_string().into());
        add("--log-file", self.log_file.clone().into());
        add("--socket-mode", format!("{:o}", self.socket_mode).into());
        add("--config", "/dev/null".into());
        if let Some(file) = &self.pid_file {
            add("--pid-file", file.into());
        }
        if let Some(group) = self.socket_group {
            add("--socket-group", group.to_string().into());
        }
        for user in &self.allow_uids {
            add("--allow-uid", user.to_string().into());
        }
        add("--record-folder", self.record_folder.clone().into());
        if let Some(size) = self.recording.max_bytes {
            add("--record-max-size", size.to_string().into());
        }
        if let Some(keep) = self.recording.keep {
            add("--record-keep", keep.to_string().into());
        }
        if self.recording.format == RecordingFormat::V2 {
            add("--record-format", "v2".into());
        }
        if self.recording.always {
            flags.push("--record-always".into());
        }
        flags
    }
}

/// The base name of this coordinator's files in the state folder: sockets of the same name in different folders are
/// different coordinators.
fn own_name(socket: &Path) -> String {
    let stem = socket.file_stem().unwrap_or_default().to_string_lossy();
    // FNV-1a: the same result in every run and version, as file names require.
    let bytes = socket.as_os_str().as_encoded_bytes().iter();
    let hash = bytes.fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193));
    format!("{stem}-{hash:08x}")
}

/// The requested file, or the default one if it exists.
fn load(asked: Option<&Path>, surroundings: &Surroundings) -> Result<(PathBuf, ServerConfig), Failure> {
    let file = asked.map_or_else(|| surroundings.server_config_file(), |file| surroundings.working_dir.join(file));
    let text = match engine::read_short_file(&file) {
        Ok(text) => text,
        Err(error) if asked.is_none() && error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => {
            return Err(Failure::usage(format!("reading {}: {error}", file.display())));
        }
    };
    let config = toml::from_str(&text).map_err(|error| {
        Failure::new(Exit::Usage, "bad_config", format!("{}: {}", file.display(), error.to_string().trim_end()))
            .with_hint("fix the file, or move it away: without it the defaults apply")
    })?;
    Ok((file, config))
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct SettingLine {
        #[command(flatten)]
        flags: ServeFlags,
        #[arg(long)]
        socket: Option<PathBuf>,
    }

    fn flags(words: &[&str]) -> ServeFlags {
        let line = SettingLine::try_parse_from(std::iter::once("x").chain(words.iter().copied())).unwrap();
        ServeFlags { socket: line.socket, ..line.flags }
    }

    #[test]
    fn flags_go_before_the_file_before_defaults() {
        let root = tempfile::tempdir().unwrap();
        let around = Surroundings::nowhere(root.path());
        std::fs::create_dir(&around.config_dir).unwrap();
        let file = "socket_path = \"~/a.sock\"\nscrollback_limit = 7\ndefault_shell = \"/bin/bash\"\nkill_timeout = \"2s\"\nsocket_mode = \"0660\"\n";
        std::fs::write(around.server_config_file(), file).unwrap();
        let settings = ServeSettings::decide(flags(&["--scrollback", "9", "--pid-file", "p"]), &around).unwrap();
        assert_eq!(settings.socket, around.home.join("a.sock"));
        assert_eq!((settings.scrollback, settings.cols, settings.rows), (9, 80, 24));
        assert_eq!(settings.kill_timeout, Duration::from_secs(2));
        assert_eq!(settings.shell, "/bin/bash");
        assert_eq!(settings.socket_mode, 0o660);
        assert_eq!(settings.pid_file, Some(root.path().join("p")));
        assert_eq!(settings.log_file.parent(), Some(around.state_dir.as_path()));
    }

    #[test]
    fn coordinators_of_one_name_keep_their_files_apart() {
        let [one, other] = ["/a/x.sock", "/b/x.sock"].map(|socket| own_name(Path::new(socket)));
        assert_eq!((one.as_str(), other.as_str()), ("x-0716f92c", "x-3a504197"), "the same in every run");
    }

    #[test]
    fn a_daemon_gets_the_same_settings() {
        let root = tempfile::tempdir().unwrap();
        let around = Surroundings::nowhere(root.path());
        let words = [
            "--socket",
            "s",
            "--socket-group",
            "0",
            "--allow-uid",
            "7",
            "--allow-uid",
            "8",
            "--kill-timeout",
            "1500ms",
            "--record-always",
            "--record-max-size",
            "64kB",
            "--record-keep",
            "3",
            "--record-format",
            "v2",
        ];
        let settings = ServeSettings::decide(flags(&words), &around).unwrap();
        assert_eq!(settings.socket_mode, 0o666);
        assert_eq!((settings.recording.max_bytes, settings.recording.keep), (Some(64_000), Some(3)));
        let again: Vec<String> = settings.to_flags().into_iter().map(|word| word.into_string().unwrap()).collect();
        let again: Vec<&str> = again.iter().map(String::as_str).collect();
        assert_eq!(ServeSettings::decide(flags(&again), &around).unwrap(), settings);
    }

    #[test]
    fn mistakes_are_named() {
        let root = tempfile::tempdir().unwrap();
        let around = Surroundings::nowhere(root.path());
        let decide = |text: &str| {
            let file = root.path().join("s.toml");
            std::fs::write(&file, text).unwrap();
            ServeSettings::decide(flags(&["--socket", "x", "--config", file.to_str().unwrap()]), &around)
                .unwrap_err()
                .message
        };
        for (text, expected) in [
            ("sokcet_path = 1", "sokcet_path"),
            ("kill_timeout = \"soon\"", "soon"),
            ("socket_mode = \"9\"", "octal"),
            ("socket_group = \"no-such-group-here\"", "no-such-group-here"),
            ("cols = 1", "2 to 2000 cols"),
            ("rows = 1001", "1 to 1000 rows"),
            ("default_shell = \"/no/such/shell\"", "/no/such/shell can't be run"),
            ("[recording]\nmax_size = \"much\"", "100MB"),
            ("[recording]\nkeep = 0", "at least 1"),
            ("[recording]\nfolders = \"x\"", "folders"),
        ] {
            assert!(decide(text).contains(expected), "{text}: {}", decide(text));
        }
        let missing = ServeSettings::decide(flags(&["--config", "/no/such/file"]), &around).unwrap_err();
        assert_eq!(missing.exit, Exit::Usage);
    }
}

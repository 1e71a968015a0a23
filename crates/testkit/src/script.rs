//! Scripts for the scripted child. The grammar is documented in `child/main.rs`.

use std::ffi::OsString;
use std::path::Path;

/// The scripted child, an executable built with this crate.
pub fn child_path() -> &'static Path {
    Path::new(env!("SCRIPTED_CHILD"))
}

/// A script under construction: one method per command of the child.
///
/// ```
/// let argv = testkit::Script::new().print("done\n").exit(3).argv();
/// assert_eq!(argv[1..], ["print", "done\\n", "exit", "3"]);
/// ```
#[derive(Debug, Clone, Default)]
pub struct Script {
    words: Vec<String>,
}

impl Script {
    pub fn new() -> Self {
        Self::default()
    }

    /// The child's path and the script.
    pub fn argv(&self) -> Vec<OsString> {
        let words = self.words.iter().map(OsString::from);
        std::iter::once(child_path().into()).chain(words).collect()
    }

    /// Prints this text literally: sequences that the child's grammar would read as escapes are escaped.
    pub fn print(self, text: &str) -> Self {
        self.print_bytes(text.as_bytes())
    }

    pub fn print_bytes(self, bytes: &[u8]) -> Self {
        let text = bytes.iter().map(|byte| match byte {
            b'\n' => "\\n".to_owned(),
            b'\\' => "\\\\".to_owned(),
            b' '..=b'~' => char::from(*byte).to_string(),
            other => format!("\\x{other:02x}"),
        });
        let text: String = text.collect();
        self.then("print", [text])
    }

    /// Log-like lines of 80 bytes, `bytes` in all.
    pub fn flood(self, bytes: u64) -> Self {
        self.then("flood", [bytes.to_string()])
    }

    /// `bytes` of lines that have `length` bytes each, newline included.
    pub fn flood_lines(self, bytes: u64, length: usize) -> Self {
        self.then("flood", [bytes.to_string(), length.to_string()])
    }

    pub fn flood_forever(self) -> Self {
        self.then("flood", ["forever".to_owned()])
    }

    pub fn pid(self) -> Self {
        self.then("pid", [])
    }

    pub fn size(self) -> Self {
        self.then("size", [])
    }

    pub fn print_env(self, name: &str) -> Self {
        self.then("print-env", [name.to_owned()])
    }

    pub fn cwd(self) -> Self {
        self.then("cwd", [])
    }

    pub fn facts(self) -> Self {
        self.then("facts", [])
    }

    pub fn cat(self) -> Self {
        self.then("cat", [])
    }

    pub fn hex(self) -> Self {
        self.then("hex", [])
    }

    pub fn read_line(self) -> Self {
        self.then("read-line", [])
    }

    pub fn raw(self) -> Self {
        self.then("raw", [])
    }

    pub fn cooked(self) -> Self {
        self.then("cooked", [])
    }

    pub fn no_echo(self) -> Self {
        self.then("no-echo", [])
    }

    pub fn sleep(self, millis: u64) -> Self {
        self.then("sleep", [millis.to_string()])
    }

    pub fn hang(self) -> Self {
        self.then("hang", [])
    }

    pub fn exit(self, code: u8) -> Self {
        self.then("exit", [code.to_string()])
    }

    /// Ends the child by this signal, named as in `TERM`.
    pub fn signal(self, name: &str) -> Self {
        self.then("signal", [name.to_owned()])
    }

    pub fn ignore(self, signal: &str) -> Self {
        self.then("ignore", [signal.to_owned()])
    }

    pub fn fork_hold(self, millis: u64) -> Self {
        self.then("fork-hold", [millis.to_string()])
    }

    pub fn setsid_child(self, millis: u64) -> Self {
        self.then("setsid-child", [millis.to_string()])
    }

    pub fn double_fork(self, millis: u64) -> Self {
        self.then("double-fork", [millis.to_string()])
    }

    pub fn job(self, millis: u64) -> Self {
        self.then("job", [millis.to_string()])
    }

    pub fn close_tty(self) -> Self {
        self.then("close-tty", [])
    }

    /// Listens on an address such as `127.0.0.1:0`.
    pub fn listen(self, address: &str) -> Self {
        self.then("listen", [address.to_owned()])
    }

    fn then<const N: usize>(mut self, command: &str, operands: [String; N]) -> Self {
        self.words.push(command.to_owned());
        self.words.extend(operands);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn output(script: &Script) -> (Vec<u8>, Option<i32>) {
        let argv = script.argv();
        let output = std::process::Command::new(&argv[0]).args(&argv[1..]).output().unwrap();
        (output.stdout, output.status.code())
    }

    #[test]
    fn any_bytes_come_out_as_they_went_in() {
        let bytes: Vec<u8> = (0..=255).collect();
        assert_eq!(output(&Script::new().print_bytes(&bytes).exit(3)), (bytes, Some(3)));
    }

    #[test]
    fn a_flood_is_as_long_as_asked_and_its_lines_are_numbered() {
        let (bytes, _) = output(&Script::new().flood_lines(1_000_005, 50));
        assert_eq!(bytes.len(), 1_000_005);
        let text = String::from_utf8(bytes).unwrap();
        for (number, line) in text.lines().take(20_000).enumerate() {
            assert!(line.len() == 49 && line.starts_with(&format!("{number:08} ")), "line {number}: {line:?}");
        }
    }

    #[test]
    fn what_the_child_cannot_read_is_said() {
        let mut script = Script::new();
        script.words = vec!["dance".to_owned()];
        let (said, code) = output(&script);
        assert_eq!((String::from_utf8(said).unwrap().contains("dance"), code), (true, Some(125)));
    }
}

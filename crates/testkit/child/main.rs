//! A program that does what its arguments say, for tests to run in terminals.
//!
//! The arguments are a script: commands with their operands, one word each, done in order. The
//! program ends with code 0 after the last one, and with code 125 and a message when it can't read
//! its script. It is built by `testkit`'s build script from this one file; `testkit::Script` writes
//! the arguments.
//!
//! Output
//!   print TEXT            TEXT as it is, where \n \r \t \e \\ and \xNN stand for bytes
//!   flood BYTES [LENGTH]  log-like lines of LENGTH bytes (default 80, newline included), BYTES in all;
//!                         `forever` for BYTES never ends
//!   pid                   "pid N"
//!   size                  "size COLSxROWS", now and whenever the terminal changes (SIGWINCH)
//!   print-env NAME        "NAME=VALUE" or "NAME is unset"
//!   cwd                   "cwd PATH"
//!   facts                 session, group, foreground group, controlling terminal, open descriptors,
//!                         blocked and ignored signals: one "NAME VALUE" a line, then "facts end"
//! Input
//!   cat                   copies input to output until its end
//!   hex                   each chunk read, as hex on a line, until the end or a chunk with a `q`
//!   read-line             one line, as "line TEXT"
//!   raw | cooked          the terminal without any processing of input and output | as it was
//!   no-echo               the terminal doesn't show what is typed
//! Time and end
//!   sleep MS              milliseconds
//!   hang                  for ever, without reading
//!   exit N                ends with code N
//!   signal NAME           ends by signalling itself
//!   ignore NAME           ignores a signal from now on
//! Processes, which say "COMMAND PID" as soon as they exist
//!   fork-hold MS          a child that keeps the terminal open for MS
//!   setsid-child MS       the same, in a session of its own
//!   double-fork MS        the same as fork-hold, its parent having ended
//!   job MS                the same, as a shell's foreground job: in its own group, which gets the
//!                         terminal; waits for its end and takes the terminal back
//! Other
//!   close-tty             closes descriptors 0, 1 and 2; what is printed later goes nowhere
//!   listen ADDRESS        waits for TCP connections, says "listening PORT"; port 0 lets the system choose
//!
//! NAME of a signal is as in `kill`, without SIG: HUP INT QUIT ABRT KILL USR1 SEGV USR2 PIPE ALRM
//! TERM CHLD TSTP TTIN TTOU WINCH.

#![no_main] // Rust's own start ignores SIGPIPE; signals shall be as the parent left them

use std::ffi::{CStr, c_char, c_int, c_ulong};
use std::io::Read;
use std::net::TcpListener;
use std::time::Duration;

#[unsafe(no_mangle)]
pub extern "C" fn main(count: c_int, arguments: *const *const c_char) -> c_int {
    let count = usize::try_from(count).unwrap_or(0);
    let arguments = (1..count).map(|index| os::argument(arguments, index));
    let mut script =
        ChildCommands { words: arguments.collect::<Vec<_>>().into_iter().peekable(), listeners: Vec::new() };
    match script.run() {
        Ok(()) => 0,
        Err(complaint) => {
            say(&format!("scripted child: {complaint}\n"));
            125
        }
    }
}

struct ChildCommands {
    words: std::iter::Peekable<std::vec::IntoIter<String>>,
    listeners: Vec<TcpListener>,
}

impl ChildCommands {
    fn run(&mut self) -> Result<(), String> {
        let at_start = os::termios();
        while let Some(command) = self.words.next() {
            match command.as_str() {
                "print" => os::write_all(&unescape(&self.word("print")?)?),
                "flood" => self.flood()?,
                "pid" => say(&format!("pid {}\n", std::process::id())),
                "size" => {
                    os::dispose(SIGWINCH, on_resize as *const () as usize);
                    say_size();
                }
                "print-env" => {
                    let name = self.word("print-env")?;
                    match std::env::var_os(&name) {
                        Some(value) => say(&format!("{name}={}\n", value.to_string_lossy())),
                        None => say(&format!("{name} is unset\n")),
                    }
                }
                "cwd" => say(&format!("cwd {}\n", std::env::current_dir().unwrap_or_default().display())),
                "facts" => say_facts(),
                "cat" => while_reading(|chunk| {
                    os::write_all(chunk);
                    true
                }),
                "hex" => while_reading(|chunk| {
                    let line: String = chunk.iter().map(|byte| format!("{byte:02x}")).collect();
                    say(&format!("{line}\n"));
                    !chunk.contains(&b'q')
                }),
                "read-line" => read_line(),
                "raw" => at_start.iter().for_each(|termios| os::set_termios(&os::raw(*termios))),
                "cooked" => at_start.iter().for_each(os::set_termios),
                "no-echo" => at_start.iter().for_each(|termios| os::set_termios(&os::without_echo(*termios))),
                "sleep" => std::thread::sleep(self.millis("sleep")?),
                "hang" => loop {
                    os::pause_for_signal();
                },
                "exit" => os::leave(self.number("exit")? as c_int),
                "signal" => {
                    let signal = self.signal("signal")?;
                    os::no_core_file();
                    os::signal_self(signal);
                }
                "ignore" => os::dispose(self.signal("ignore")?, os::IGNORE),
                "fork-hold" => {
                    let time = self.millis("fork-hold")?;
                    let pid = fork_holder(time, || {});
                    say(&format!("fork-hold {pid}\n"));
                }
                "setsid-child" => {
                    let time = self.millis("setsid-child")?;
                    let pid = fork_holder(time, os::new_session);
                    say(&format!("setsid-child {pid}\n"));
                }
                "double-fork" => self.double_fork()?,
                "job" => self.job()?,
                "close-tty" => os::close_stdio(),
                "listen" => {
                    let address = self.word("listen")?;
                    let listener = TcpListener::bind(&address).map_err(|error| format!("listen {address}: {error}"))?;
                    let port = listener.local_addr().map_or(0, |address| address.port());
                    say(&format!("listening {port}\n"));
                    self.listeners.push(listener);
                }
                other => return Err(format!("unknown command {other:?}")),
            }
        }
        Ok(())
    }

    fn word(&mut self, command: &str) -> Result<String, String> {
        self.words.next().ok_or_else(|| format!("{command} lacks its operand"))
    }

    fn number(&mut self, command: &str) -> Result<u64, String> {
        let word = self.word(command)?;
        word.parse().map_err(|_| format!("{command}: {word:?} is no number"))
    }

    fn millis(&mut self, command: &str) -> Result<Duration, String> {
        self.number(command).map(Duration::from_millis)
    }

    fn signal(&mut self, command: &str) -> Result<c_int, String> {
        let name = self.word(command)?;
        let found = SIGNALS.iter().find(|(known, _)| *known == name);
        found.map(|(_, number)| *number).ok_or_else(|| format!("{command}: {name:?} is no signal known here"))
    }

    fn flood(&mut self) -> Result<(), String> {
        let total = match self.word("flood")?.as_str() {
            "forever" => u64::MAX,
            word => word.parse().map_err(|_| format!("flood: {word:?} is no number"))?,
        };
        let length = match self.words.peek().and_then(|word| word.parse::<usize>().ok()) {
            Some(length) => {
                self.words.next();
                length.max(2)
            }
            None => 80,
        };
        flood(total, length);
        Ok(())
    }

    fn double_fork(&mut self) -> Result<(), String> {
        let time = self.millis("double-fork")?;
        match os::fork_process() {
            0 => {
                let pid = fork_holder(time, || {});
                say(&format!("double-fork {pid}\n"));
                os::leave(0)
            }
            middle => os::wait_for(middle),
        }
        Ok(())
    }

    fn job(&mut self) -> Result<(), String> {
        let time = self.millis("job")?;
        // Otherwise a background group that changes the foreground group, as we do at the end, would be stopped.
        os::dispose(SIGTTOU, os::IGNORE);
        let job = fork_holder(time, os::new_group);
        os::set_foreground(job);
        say(&format!("job {job}\n"));
        os::wait_for(job);
        os::set_foreground(os::group());
        Ok(())
    }
}

/// A child that holds the terminal for a while. Returns its pid once `first` has run in it.
fn fork_holder(time: Duration, first: impl Fn()) -> c_int {
    let (mut done, doing) = std::io::pipe().expect("a pipe");
    match os::fork_process() {
        0 => {
            drop(done);
            first();
            drop(doing);
            std::thread::sleep(time);
            os::leave(0)
        }
        pid => {
            drop(doing);
            let _ = done.read(&mut [0]);
            pid
        }
    }
}

fn say(text: &str) {
    os::write_all(text.as_bytes());
}

fn while_reading(mut each: impl FnMut(&[u8]) -> bool) {
    let mut buffer = [0; 65536];
    loop {
        let count = os::read(&mut buffer);
        if count == 0 || !each(&buffer[..count]) {
            return;
        }
    }
}

fn read_line() {
    let mut line = Vec::new();
    let mut byte = [0];
    while os::read(&mut byte) == 1 && byte[0] != b'\n' && byte[0] != b'\r' {
        line.push(byte[0]);
    }
    say(&format!("line {}\n", String::from_utf8_lossy(&line)));
}

/// Lines begin with their number, so that a reader can tell a lost one.
fn flood(total: u64, length: usize) {
    const TEXT: &[u8] = b" INFO server: request served in 12 ms, status 200, 5120 bytes, queue 3 of 128;";
    const DIGITS: usize = 8;
    const BLOCK: usize = 65536;
    let mut line: Vec<u8> =
        (0..length - 1).map(|i| if i < DIGITS { b'0' } else { TEXT[(i - DIGITS) % TEXT.len()] }).collect();
    line.push(b'\n');
    let digits = DIGITS.min(length - 1);
    let mut block = Vec::with_capacity(BLOCK + length);
    let mut left = total;
    while left > 0 {
        block.clear();
        while block.len() < BLOCK && (block.len() as u64) < left {
            block.extend_from_slice(&line);
            for digit in line[..digits].iter_mut().rev() {
                *digit = if *digit == b'9' { b'0' } else { *digit + 1 };
                if *digit != b'0' {
                    break;
                }
            }
        }
        let count = (block.len() as u64).min(left);
        os::write_all(&block[..count as usize]);
        left -= count;
    }
}

fn unescape(text: &str) -> Result<Vec<u8>, String> {
    let mut out = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        if *first != b'\\' {
            out.push(*first);
            continue;
        }
        let (kind, after) = rest.split_first().ok_or("print: a \\ at the end")?;
        rest = after;
        out.push(match kind {
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'e' => 0x1b,
            b'\\' => b'\\',
            b'x' => {
                let digits = rest.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
                let byte = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
                rest = rest.get(2..).unwrap_or_default();
                byte.ok_or("print: \\x wants two hexadecimal digits")?
            }
            other => return Err(format!("print: unknown escape \\{}", *other as char)),
        });
    }
    Ok(out)
}

fn say_facts() {
    let yes = |is: bool| if is { "yes" } else { "no" };
    say(&format!("session {}\n", os::session()));
    say(&format!("group {}\n", os::group()));
    say(&format!("foreground {}\n", os::foreground()));
    say(&format!("streams-are-ttys {}\n", yes((0..3).all(os::is_tty))));
    say(&format!("controlling-terminal {}\n", yes(os::has_controlling_terminal())));
    say(&format!("descriptors {}\n", open_descriptors().join(",")));
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    for (name, field) in [("blocked", "SigBlk:"), ("ignored", "SigIgn:")] {
        let value = status.lines().find_map(|line| line.strip_prefix(field)).unwrap_or("?");
        say(&format!("{name} {}\n", value.trim()));
    }
    say("facts end\n");
}

fn open_descriptors() -> Vec<String> {
    let entries = std::fs::read_dir("/dev/fd").into_iter().flatten().flatten();
    let mut numbers: Vec<u32> = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    // The folder itself was open while it was read.
    numbers.retain(|number| std::fs::symlink_metadata(format!("/dev/fd/{number}")).is_ok());
    numbers.sort();
    numbers.iter().map(u32::to_string).collect()
}

extern "C" fn on_resize(_: c_int) {
    say_size();
}

/// Also runs in a signal handler: no allocation.
fn say_size() {
    let (cols, rows) = os::window();
    let mut line = [0; 32];
    let mut end = 0;
    let mut put = |bytes: &[u8]| {
        for byte in bytes {
            line[end] = *byte;
            end += 1;
        }
    };
    let digits = |number: u16| [10_000, 1000, 100, 10, 1].map(|unit| b'0' + (number / unit % 10) as u8);
    let significant = |digits: &[u8; 5]| digits.iter().position(|digit| *digit != b'0').unwrap_or(4);
    let (cols, rows) = (digits(cols), digits(rows));
    put(b"size ");
    put(&cols[significant(&cols)..]);
    put(b"x");
    put(&rows[significant(&rows)..]);
    put(b"\n");
    os::write_all(&line[..end]);
}

#[cfg(target_os = "linux")]
const SIGNALS: &[(&str, c_int)] = &[
    ("HUP", 1),
    ("INT", 2),
    ("QUIT", 3),
    ("ABRT", 6),
    ("KILL", 9),
    ("USR1", 10),
    ("SEGV", 11),
    ("USR2", 12),
    ("PIPE", 13),
    ("ALRM", 14),
    ("TERM", 15),
    ("CHLD", 17),
    ("STOP", 19),
    ("TSTP", 20),
    ("TTIN", 21),
    ("TTOU", SIGTTOU),
    ("WINCH", SIGWINCH),
];
#[cfg(not(target_os = "linux"))]
const SIGNALS: &[(&str, c_int)] = &[
    ("HUP", 1),
    ("INT", 2),
    ("QUIT", 3),
    ("ABRT", 6),
    ("KILL", 9),
    ("USR1", 30),
    ("SEGV", 11),
    ("USR2", 31),
    ("PIPE", 13),
    ("ALRM", 14),
    ("TERM", 15),
    ("CHLD", 20),
    ("STOP", 17),
    ("TSTP", 18),
    ("TTIN", 21),
    ("TTOU", SIGTTOU),
    ("WINCH", SIGWINCH),
];
const SIGTTOU: c_int = 22;
const SIGWINCH: c_int = 28;

mod os {
    //! System calls that the standard library doesn't offer. Failures are ignored: a test notices them by their effect.

    use super::*;

    unsafe extern "C" {
        fn fork() -> c_int;
        fn setsid() -> c_int;
        fn getsid(pid: c_int) -> c_int;
        fn getpgrp() -> c_int;
        fn setpgid(pid: c_int, group: c_int) -> c_int;
        fn tcgetpgrp(fd: c_int) -> c_int;
        fn tcsetpgrp(fd: c_int, group: c_int) -> c_int;
        fn waitpid(pid: c_int, status: *mut c_int, options: c_int) -> c_int;
        fn kill(pid: c_int, signal: c_int) -> c_int;
        fn signal(signal: c_int, handler: usize) -> usize;
        fn pause() -> c_int;
        fn close(fd: c_int) -> c_int;
        fn _exit(code: c_int) -> !;
        #[link_name = "read"]
        fn c_read(fd: c_int, bytes: *mut u8, count: usize) -> isize;
        #[link_name = "write"]
        fn c_write(fd: c_int, bytes: *const u8, count: usize) -> isize;
        fn ioctl(fd: c_int, request: c_ulong, ...) -> c_int;
        fn tcgetattr(fd: c_int, termios: *mut TermiosFlags) -> c_int;
        fn tcsetattr(fd: c_int, when: c_int, termios: *const TermiosFlags) -> c_int;
        fn cfmakeraw(termios: *mut TermiosFlags);
        fn setrlimit(resource: c_int, limit: *const [c_ulong; 2]) -> c_int;
        fn isatty(fd: c_int) -> c_int;
    }

    pub const IGNORE: usize = 1;

    /// The flag words that all systems start with, and space for any system's remaining fields.
    #[repr(C)]
    #[derive(Clone, Copy)]
    pub struct TermiosFlags {
        input: Flags,
        output: Flags,
        control: Flags,
        local: Flags,
        rest: [u64; 32],
    }
    #[cfg(target_os = "linux")]
    type Flags = u32;
    #[cfg(not(target_os = "linux"))]
    type Flags = c_ulong;
    const ECHO: Flags = 0o10;

    const TIOCGWINSZ: c_ulong = if cfg!(target_os = "linux") { 0x5413 } else { 0x4008_7468 };
    const RLIMIT_CORE: c_int = 4;

    pub fn argument(arguments: *const *const c_char, index: usize) -> String {
        // The system passes as many strings as it counted, and the index is below the count.
        unsafe { CStr::from_ptr(*arguments.add(index)) }.to_string_lossy().into_owned()
    }
    /// The parent gets the child's pid, the child 0. This program has one thread, so the child may
    /// do anything.
    pub fn fork_process() -> c_int {
        unsafe { fork() }
    }
    pub fn new_session() {
        unsafe { setsid() };
    }
    pub fn session() -> c_int {
        unsafe { getsid(0) }
    }
    pub fn group() -> c_int {
        unsafe { getpgrp() }
    }
    pub fn new_group() {
        unsafe { setpgid(0, 0) };
    }
    pub fn foreground() -> c_int {
        unsafe { tcgetpgrp(0) }
    }
    pub fn set_foreground(group: c_int) {
        unsafe { tcsetpgrp(0, group) };
    }
    pub fn wait_for(pid: c_int) {
        unsafe { waitpid(pid, std::ptr::null_mut(), 0) };
    }
    pub fn signal_self(number: c_int) {
        unsafe { kill(std::process::id() as c_int, number) };
    }
    pub fn dispose(number: c_int, handler: usize) {
        unsafe { signal(number, handler) };
    }
    pub fn pause_for_signal() {
        unsafe { pause() };
    }
    pub fn close_stdio() {
        for fd in 0..3 {
            unsafe { close(fd) };
        }
    }
    /// Exits without running anything else.
    pub fn leave(code: c_int) -> ! {
        unsafe { _exit(code) }
    }
    pub fn no_core_file() {
        unsafe { setrlimit(RLIMIT_CORE, &[0, 0]) };
    }
    pub fn is_tty(fd: c_int) -> bool {
        unsafe { isatty(fd) == 1 }
    }
    pub fn has_controlling_terminal() -> bool {
        std::fs::File::open("/dev/tty").is_ok()
    }
    pub fn termios() -> Option<TermiosFlags> {
        let mut termios = TermiosFlags { input: 0, output: 0, control: 0, local: 0, rest: [0; 32] };
        (unsafe { tcgetattr(0, &mut termios) } == 0).then_some(termios)
    }
    pub fn set_termios(termios: &TermiosFlags) {
        unsafe { tcsetattr(0, 0, termios) };
    }
    pub fn raw(mut termios: TermiosFlags) -> TermiosFlags {
        unsafe { cfmakeraw(&mut termios) };
        termios
    }
    pub fn without_echo(mut termios: TermiosFlags) -> TermiosFlags {
        termios.local &= !ECHO;
        termios
    }
    /// Columns and rows.
    pub fn window() -> (u16, u16) {
        let mut window = [0u16; 4];
        unsafe { ioctl(1, TIOCGWINSZ, &mut window) };
        (window[1], window[0])
    }
    /// 0 at the end of input, and for any error.
    pub fn read(buffer: &mut [u8]) -> usize {
        usize::try_from(unsafe { c_read(0, buffer.as_mut_ptr(), buffer.len()) }).unwrap_or(0)
    }
    pub fn write_all(mut bytes: &[u8]) {
        while !bytes.is_empty() {
            match usize::try_from(unsafe { c_write(1, bytes.as_ptr(), bytes.len()) }) {
                Ok(count) => bytes = &bytes[count..],
                Err(_) => return,
            }
        }
    }
}

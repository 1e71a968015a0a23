//! The one function that makes a process on macOS: fork, a few system calls, exec.
//!
//! macOS has no `clone`, and its `posix_spawn` can't make a terminal the controlling one. After the fork the child is a
//! copy of one thread of this process: locks that other threads held stay locked in it for ever. So until its exec it
//! calls only functions that are safe in a signal handler, and neither allocates nor panics.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd};
use std::ptr;

use libc::{c_char, c_int};
use rustix::process::{Signal, WaitOptions, kill_process, waitpid};

use super::command::{ExecImage, StartFailure, StartStep};
use super::{descriptor_limit, pointers};
use crate::Pid;
use crate::child::ChildHandle;
use crate::exit_watch::{ExitWatch, Watched};

/// What the child reads, all of it made before the fork.
struct Orders {
    terminal: c_int,
    /// Null for "stay where you are".
    working_dir: *const c_char,
    /// These end with a null pointer.
    candidates: *const *const c_char,
    argv: *const *const c_char,
    env: *const *const c_char,
    /// `/bin/sh`, a slot for the candidate that turned out to be a script, the arguments.
    script_argv: *mut *const c_char,
    descriptor_limit: c_int,
    /// Where a failure is written. It closes by itself at the exec, which tells this process of the success.
    report: c_int,
}

/// A failure as the child writes it: the step's number and the error's, both of four bytes.
const REPORT_BYTES: usize = 8;

/// One past the last signal.
const SIGNALS: c_int = 32;

/// Starts a child with `terminal` as its controlling terminal and its descriptors 0, 1 and 2.
/// Returns when it has become the program, or has failed and been reaped.
#[expect(unsafe_code, reason = "fork, and code between fork and exec")]
pub(super) fn start(image: &ExecImage<'_>, terminal: BorrowedFd<'_>) -> Result<(Pid, ChildHandle), StartFailure> {
    let candidates = pointers(image.candidates);
    let argv = pointers(image.argv);
    let env = pointers(image.env);
    let mut script_argv = vec![c"/bin/sh".as_ptr(), ptr::null()];
    script_argv.extend_from_slice(&argv[1..]);
    let watch = ExitWatch::new().map_err(|error| StartFailure::new(StartStep::ExitWatch, &error))?;
    let (outcome, report) = report_pipe().map_err(|error| StartFailure::new(StartStep::StandardStreams, &error))?;
    let orders = Orders {
        terminal: terminal.as_raw_fd(),
        working_dir: image.working_dir.map_or(ptr::null(), std::ffi::CStr::as_ptr),
        candidates: candidates.as_ptr(),
        argv: argv.as_ptr(),
        env: env.as_ptr(),
        script_argv: script_argv.as_mut_ptr(),
        descriptor_limit: descriptor_limit(),
        report: report.as_raw_fd(),
    };
    // A handler of this process must not run in the child: it might write into what both share.
    let signals = SignalsBlocked::new();
    // SAFETY: `obey` keeps the rule at the top of this file, never returns, and reads only its copy of what was made
    // above.
    let pid = unsafe {
        match libc::fork() {
            0 => obey(&orders),
            pid => pid,
        }
    };
    let forked = io::Error::last_os_error();
    drop(signals);
    drop(report);
    let Some(pid) = Pid::new(pid) else { return Err(StartFailure::new(StartStep::Clone, &forked)) };
    let watched = match read_report(&outcome) {
        Some(failure) => Err(failure),
        None => watch.begin(pid).map_err(|error| StartFailure::new(StartStep::ExitWatch, &error)),
    };
    match watched {
        Ok(Watched::Running | Watched::Ended) => Ok((pid, ChildHandle::new(pid, watch))),
        Err(failure) => {
            // Either it is exiting already, or its end could never be noticed.
            let _ = kill_process(pid.to_rustix(), Signal::KILL);
            while let Err(rustix::io::Errno::INTR) = waitpid(Some(pid.to_rustix()), WaitOptions::empty()) {}
            Err(failure)
        }
    }
}

/// The end to read and the end for the child, which is above 2 so that the terminal does not take its place. Between
/// the making and the flag a program that another thread starts by other means may inherit both: macOS has no call that
/// does both at once.
fn report_pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let (outcome, report) = rustix::pipe::pipe()?;
    rustix::io::fcntl_setfd(&outcome, rustix::io::FdFlags::CLOEXEC)?;
    let report = rustix::io::fcntl_dupfd_cloexec(&report, 3)?;
    Ok((outcome, report))
}

/// Waits until the child has become its program (`None`) or says why not.
fn read_report(outcome: &OwnedFd) -> Option<StartFailure> {
    let mut report = [0; REPORT_BYTES];
    let mut filled = 0;
    while filled < REPORT_BYTES {
        match rustix::io::read(outcome, &mut report[filled..]) {
            Ok(0) => return None,
            Ok(count) => filled += count,
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Some(StartFailure::new(StartStep::Exec, &error.into())),
        }
    }
    let number = |at: usize| i32::from_ne_bytes([report[at], report[at + 1], report[at + 2], report[at + 3]]);
    let stage = usize::try_from(number(0)).ok().and_then(|number| StartStep::ALL.get(number)).copied();
    Some(StartFailure { stage: stage.unwrap_or(StartStep::Exec), errno: number(4) })
}

/// The child's whole life before its program.
///
/// # Safety
///
/// To be called between fork and exec only, with orders whose pointers are valid and null-terminated as they say.
#[expect(unsafe_code, reason = "system calls on prepared data, and C arrays")]
unsafe fn obey(orders: &Orders) -> ! {
    // SAFETY: as the caller promises; each call gets the arguments its manual page asks for, and all of them may be
    // called in a signal handler.
    unsafe {
        let failed = |stage: StartStep, errno: c_int| -> ! {
            let [s0, s1, s2, s3] = (stage as i32).to_ne_bytes();
            let [e0, e1, e2, e3] = errno.to_ne_bytes();
            let report: [u8; REPORT_BYTES] = [s0, s1, s2, s3, e0, e1, e2, e3];
            libc::write(orders.report, report.as_ptr().cast(), REPORT_BYTES);
            libc::_exit(127)
        };
        let must = |stage: StartStep, result: c_int| {
            if result == -1 {
                failed(stage, *libc::__error());
            }
        };

        // exec resets handlers by itself but keeps what is ignored, SIGPIPE in every Rust program among it. Fails for
        // KILL and STOP, which are always at their default.
        let mut signal = 1;
        while signal < SIGNALS {
            libc::signal(signal, libc::SIG_DFL);
            signal += 1;
        }

        must(StartStep::Session, libc::setsid());
        must(StartStep::ControllingTerminal, libc::ioctl(orders.terminal, libc::TIOCSCTTY.into(), 0));
        must(StartStep::StandardStreams, libc::dup2(orders.terminal, 0));
        must(StartStep::StandardStreams, libc::dup2(orders.terminal, 1));
        must(StartStep::StandardStreams, libc::dup2(orders.terminal, 2));
        let mut descriptor = 3;
        while descriptor < orders.descriptor_limit {
            if descriptor != orders.report {
                libc::close(descriptor);
            }
            descriptor += 1;
        }
        if !orders.working_dir.is_null() {
            must(StartStep::WorkingDirectory, libc::chdir(orders.working_dir));
        }
        let mut no_signals: libc::sigset_t = 0;
        libc::sigemptyset(&raw mut no_signals);
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const no_signals, ptr::null_mut());

        // Like execvp(3): try the next candidate if this one does not exist, and remember a refusal.
        let mut verdict = libc::ENOENT;
        let mut candidate = orders.candidates;
        while !(*candidate).is_null() {
            libc::execve(*candidate, orders.argv, orders.env);
            match *libc::__error() {
                libc::EACCES => verdict = libc::EACCES,
                libc::ENOENT | libc::ENOTDIR | libc::ESTALE | libc::ENODEV | libc::ETIMEDOUT => {}
                libc::ENOEXEC => {
                    // A script without a `#!` line is the shell's.
                    *orders.script_argv.add(1) = *candidate;
                    libc::execve(*orders.script_argv, orders.script_argv.cast_const(), orders.env);
                    failed(StartStep::Exec, libc::ENOEXEC);
                }
                other => failed(StartStep::Exec, other),
            }
            candidate = candidate.add(1);
        }
        failed(StartStep::Exec, verdict);
    }
}

/// Blocks every signal of this thread while it lives.
struct SignalsBlocked {
    before: libc::sigset_t,
}

#[expect(unsafe_code, reason = "rustix has no signal masks")]
impl SignalsBlocked {
    fn new() -> Self {
        let (mut all, mut before): (libc::sigset_t, libc::sigset_t) = (0, 0);
        // SAFETY: both sets are our own, and the call can only fail for a wrong first argument.
        unsafe {
            libc::sigfillset(&raw mut all);
            libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, &raw mut before);
        }
        Self { before }
    }
}

impl Drop for SignalsBlocked {
    #[expect(unsafe_code, reason = "see SignalsBlocked::new")]
    fn drop(&mut self) {
        // SAFETY: as above.
        unsafe {
            libc::pthread_sigmask(libc::SIG_SETMASK, &raw const self.before, ptr::null_mut());
        }
    }
}

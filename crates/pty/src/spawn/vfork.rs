//! The one function that makes a process: clone with shared memory, a few system calls, exec.
//!
//! `fork` copies the page tables, which at 1 GiB of memory takes tens of milliseconds and stalls
//! every thread that touches memory meanwhile. `CLONE_VM` copies nothing: until its exec the child
//! runs in *this* process's memory, on a stack of its own, while `CLONE_VFORK` holds the calling
//! thread still. The price is a rule: between clone and exec the child makes raw system calls and
//! nothing else. It must not allocate, lock, panic, unwind or call anything that might, since other
//! threads of this process go on running in the same memory.

use std::ffi::CStr;
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::ptr;
use std::sync::atomic::{AtomicI32, Ordering};

use libc::{c_char, c_int, c_long, c_void};

use super::command::{ExecImage, StartFailure, StartStep};
use super::{descriptor_limit, pointers};
use crate::Pid;
use crate::child::ChildHandle;

/// What the child reads, all of it made before the clone, and the two numbers it leaves on failure.
struct Orders {
    parent: libc::pid_t,
    terminal: c_int,
    /// Null for "stay where you are".
    working_dir: *const c_char,
    /// These end with a null pointer.
    candidates: *const *const c_char,
    argv: *const *const c_char,
    env: *const *const c_char,
    /// `/bin/sh`, a slot for the candidate that turned out to be a script, the arguments.
    script_argv: *mut *const c_char,
    /// One past the last descriptor that can be open, for kernels without close_range.
    descriptor_limit: c_int,
    failed_stage: AtomicI32,
    errno: AtomicI32,
}

/// No failure yet; steps are stored as their own number plus 1.
const UNHARMED: i32 = 0;

const SHELL: &CStr = c"/bin/sh";

/// Starts a child with `terminal` as its controlling terminal and its descriptors 0, 1 and 2.
/// Returns when it has become the program, or has failed and been reaped.
#[expect(unsafe_code, reason = "clone, and a child in shared memory")]
pub(super) fn start(image: &ExecImage<'_>, terminal: BorrowedFd<'_>) -> Result<(Pid, ChildHandle), StartFailure> {
    let candidates = pointers(image.candidates);
    let argv = pointers(image.argv);
    let env = pointers(image.env);
    let mut script_argv = vec![SHELL.as_ptr(), ptr::null()];
    script_argv.extend_from_slice(&argv[1..]);
    let stack = Stack::new().map_err(|error| StartFailure::new(StartStep::Stack, &error))?;
    let orders = Orders {
        parent: rustix::process::getpid().as_raw_pid(),
        terminal: terminal.as_raw_fd(),
        working_dir: image.working_dir.map_or(ptr::null(), CStr::as_ptr),
        candidates: candidates.as_ptr(),
        argv: argv.as_ptr(),
        env: env.as_ptr(),
        script_argv: script_argv.as_mut_ptr(),
        descriptor_limit: descriptor_limit(),
        failed_stage: AtomicI32::new(UNHARMED),
        errno: AtomicI32::new(0),
    };
    let mut pidfd: c_int = -1;
    // A handler of this process must not run in the child: it would run in our memory.
    let signals = SignalsBlocked::new();
    // SAFETY: `obey` keeps the rule at the top of this file. The orders, everything they point to
    // and the stack live to the end of this function, and CLONE_VFORK returns only when the child
    // no longer uses this memory, having become another program or exited. The kernel stores the
    // pidfd before it returns; the two further arguments belong to flags that are not set.
    let pid = unsafe {
        libc::clone(
            obey,
            stack.top(),
            libc::CLONE_VM | libc::CLONE_VFORK | libc::CLONE_PIDFD | libc::SIGCHLD,
            (&raw const orders).cast_mut().cast::<c_void>(),
            &raw mut pidfd,
            ptr::null_mut::<c_void>(),
            ptr::null_mut::<c_int>(),
        )
    };
    let cloned = io::Error::last_os_error();
    drop(signals);
    let Some(pid) = Pid::new(pid) else { return Err(StartFailure::new(StartStep::Clone, &cloned)) };
    let pidfd = match pidfd {
        // Linux before 5.2 ignores the flag.
        -1 => Err(StartFailure { stage: StartStep::Clone, errno: libc::ENOSYS }),
        // SAFETY: the kernel just made it for this call, and nobody else knows it.
        open => Ok(unsafe { OwnedFd::from_raw_fd(open) }),
    };
    let reported = match orders.failed_stage.load(Ordering::Relaxed) {
        UNHARMED => Ok(()),
        number => Err(StartFailure {
            stage: StartStep::ALL[usize::try_from(number - 1).expect("stages are stored plus 1")],
            errno: orders.errno.load(Ordering::Relaxed),
        }),
    };
    match reported.and(pidfd) {
        Ok(pidfd) => Ok((pid, ChildHandle::new(pidfd))),
        Err(failure) => {
            // Either it is exiting already, or it runs and could never be waited for by pidfd.
            let _ = rustix::process::kill_process(pid.to_rustix(), rustix::process::Signal::KILL);
            while let Err(rustix::io::Errno::INTR) =
                rustix::process::waitpid(Some(pid.to_rustix()), rustix::process::WaitOptions::empty())
            {}
            Err(failure)
        }
    }
}

/// The child's whole life before its program: system calls on prepared data.
extern "C" fn obey(orders: *mut c_void) -> c_int {
    #[expect(unsafe_code, reason = "system calls by number, and C arrays")]
    // SAFETY: `start` passes its orders, which outlive the child's use of this memory. Each call
    // gets the arguments its manual page asks for; every pointer is null-terminated as it should be.
    unsafe {
        let orders = &*orders.cast::<Orders>();
        let failed = |stage: StartStep, errno: c_int| {
            orders.errno.store(errno, Ordering::Relaxed);
            orders.failed_stage.store(stage as i32 + 1, Ordering::Relaxed);
            // exit_group ends only the child: it is a process of its own.
            loop {
                call(libc::SYS_exit_group, [127, 0, 0, 0]);
            }
        };
        let must = |stage: StartStep, number: c_long, arguments: [usize; 4]| {
            let errno = call(number, arguments);
            if errno != 0 {
                failed(stage, errno);
            }
        };

        // KILL, since a child that ignores HUP would otherwise outlive a crash. The parent may have
        // died before this was set; then the child's parent is somebody else by now.
        must(StartStep::ParentDeath, libc::SYS_prctl, [libc::PR_SET_PDEATHSIG as usize, libc::SIGKILL as usize, 0, 0]);
        if libc::syscall(libc::SYS_getppid) != orders.parent as c_long {
            failed(StartStep::ParentDeath, libc::ESRCH);
        }

        // exec resets handlers by itself but keeps what is ignored, SIGPIPE in every Rust program
        // among it. Fails for KILL and STOP, which are always at their default. All zeros is the
        // kernel's sigaction for "default, no flags, empty mask" on every architecture.
        let default_action = [0usize; 8];
        let mut signal = 1;
        while signal <= SIGSET_BYTES * 8 {
            call(libc::SYS_rt_sigaction, [signal, default_action.as_ptr() as usize, 0, SIGSET_BYTES]);
            signal += 1;
        }

        must(StartStep::Session, libc::SYS_setsid, [0; 4]);
        let terminal = orders.terminal as usize;
        must(StartStep::ControllingTerminal, libc::SYS_ioctl, [terminal, libc::TIOCSCTTY as usize, 0, 0]);
        must(StartStep::StandardStreams, libc::SYS_dup3, [terminal, 0, 0, 0]);
        must(StartStep::StandardStreams, libc::SYS_dup3, [terminal, 1, 0, 0]);
        must(StartStep::StandardStreams, libc::SYS_dup3, [terminal, 2, 0, 0]);
        if call(libc::SYS_close_range, [3, u32::MAX as usize, 0, 0]) != 0 {
            let mut descriptor = 3;
            while descriptor < orders.descriptor_limit {
                call(libc::SYS_close, [descriptor as usize, 0, 0, 0]);
                descriptor += 1;
            }
        }
        if !orders.working_dir.is_null() {
            must(StartStep::WorkingDirectory, libc::SYS_chdir, [orders.working_dir as usize, 0, 0, 0]);
        }
        let no_signals = [0usize; 4];
        call(libc::SYS_rt_sigprocmask, [libc::SIG_SETMASK as usize, no_signals.as_ptr() as usize, 0, SIGSET_BYTES]);

        // Like execvp(3): try the next candidate if this one does not exist, and remember a refusal.
        let env = orders.env as usize;
        let mut verdict = libc::ENOENT;
        let mut candidate = orders.candidates;
        while !(*candidate).is_null() {
            match call(libc::SYS_execve, [*candidate as usize, orders.argv as usize, env, 0]) {
                libc::EACCES => verdict = libc::EACCES,
                libc::ENOENT | libc::ENOTDIR | libc::ESTALE | libc::ENODEV | libc::ETIMEDOUT => {}
                libc::ENOEXEC => {
                    // A script without a `#!` line is the shell's.
                    *orders.script_argv.add(1) = *candidate;
                    call(libc::SYS_execve, [SHELL.as_ptr() as usize, orders.script_argv as usize, env, 0]);
                    failed(StartStep::Exec, libc::ENOEXEC);
                }
                other => failed(StartStep::Exec, other),
            }
            candidate = candidate.add(1);
        }
        failed(StartStep::Exec, verdict);
    }
    127
}

/// A system call; 0 or its error number. `libc::syscall` is nothing but the call and `errno`, which
/// the child shares with the thread that waits for it.
#[expect(unsafe_code, reason = "system calls by number")]
unsafe fn call(number: c_long, [a, b, c, d]: [usize; 4]) -> c_int {
    // SAFETY: the caller passes what this call wants; more arguments than it has are ignored.
    unsafe { if libc::syscall(number, a, b, c, d) == -1 { *libc::__errno_location() } else { 0 } }
}

/// Bytes in the kernel's signal sets, which are smaller than the C library's.
const SIGSET_BYTES: usize =
    if cfg!(any(target_arch = "mips", target_arch = "mips32r6", target_arch = "mips64", target_arch = "mips64r6")) {
        16
    } else {
        8
    };

/// Blocks every signal of this thread while it lives, also the two that the C library keeps for
/// itself and would leave out: their handlers must not run in the child either.
struct SignalsBlocked {
    before: [usize; 4],
}

#[expect(unsafe_code, reason = "the C library's own call leaves two signals out")]
impl SignalsBlocked {
    fn new() -> Self {
        let all = [usize::MAX; 4];
        let mut before = [0usize; 4];
        let how = libc::SIG_SETMASK as usize;
        // SAFETY: both sets are at least SIGSET_BYTES long; the call can only fail if they weren't.
        unsafe {
            call(libc::SYS_rt_sigprocmask, [how, all.as_ptr() as usize, before.as_mut_ptr() as usize, SIGSET_BYTES]);
        }
        Self { before }
    }
}

impl Drop for SignalsBlocked {
    #[expect(unsafe_code, reason = "see SignalsBlocked::new")]
    fn drop(&mut self) {
        let how = libc::SIG_SETMASK as usize;
        // SAFETY: as above.
        unsafe {
            call(libc::SYS_rt_sigprocmask, [how, self.before.as_ptr() as usize, 0, SIGSET_BYTES]);
        }
    }
}

/// The child's stack, with an unmapped page below it: running over its end kills the child instead
/// of writing over our memory.
struct Stack {
    base: *mut c_void,
}

#[expect(unsafe_code, reason = "mapping memory")]
impl Stack {
    /// The child needs a few hundred bytes; a signal frame or a lazily bound symbol a few thousand.
    const SIZE: usize = 64 * 1024;
    /// A page on every architecture (the largest in use is 64 KiB).
    const GUARD: usize = 64 * 1024;

    fn new() -> io::Result<Self> {
        use rustix::mm::{MapFlags, MprotectFlags, ProtFlags, mmap_anonymous, mprotect};
        let length = Self::GUARD + Self::SIZE;
        // SAFETY: a new mapping at a place of the kernel's choice.
        let base =
            unsafe { mmap_anonymous(ptr::null_mut(), length, ProtFlags::READ | ProtFlags::WRITE, MapFlags::PRIVATE)? };
        let stack = Self { base };
        // SAFETY: the start of the mapping just made, which nobody uses yet.
        unsafe { mprotect(base, Self::GUARD, MprotectFlags::empty())? };
        Ok(stack)
    }

    /// Stacks grow downwards on every architecture that Rust runs Linux on.
    fn top(&self) -> *mut c_void {
        // SAFETY: the end of the mapping.
        unsafe { self.base.byte_add(Self::GUARD + Self::SIZE) }
    }
}

impl Drop for Stack {
    #[expect(unsafe_code, reason = "mapping memory")]
    fn drop(&mut self) {
        // SAFETY: our own mapping; the child that used it has its own memory by now, or is gone.
        let _ = unsafe { rustix::mm::munmap(self.base, Self::GUARD + Self::SIZE) };
    }
}

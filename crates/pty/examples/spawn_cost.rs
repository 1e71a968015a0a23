//! What a start costs when this process is small, and when it has touched 1 GiB of memory.
//!
//! Compares `pty::spawn` with the standard library's fork and exec (what it does as soon as code
//! has to run before exec, as it must for a controlling terminal) and with its plain posix_spawn
//! (which can't set up a terminal at all, and is shown as the floor). Each start is timed alone:
//! from the call to its return, exec done. The three come one after the other, not in turns: a fork
//! of 1 GiB empties the caches, and whatever came after it would pay (30 % when it was tried).
//!
//! Where the child gets the processor before the caller does, its own short run (some 400 µs) is
//! part of the time. That is the scheduler's mood and comes in streaks, so besides the median the
//! fastest tenth is shown, which is free of it: flat means that *its* ratio is near 1.
//!
//! Run with `cargo run --release -p pty --example spawn_cost`.
#![allow(clippy::print_stdout, reason = "printing is what it is for")]

#[cfg(not(target_os = "linux"))]
fn main() {
    println!("The comparison is for Linux only.");
}

#[cfg(target_os = "linux")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    linux::run()
}

#[cfg(target_os = "linux")]
mod linux {
    use std::error::Error;
    use std::os::unix::process::CommandExt;
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};

    use pty::{PtySize, SpawnRequest};

    const ROUNDS: usize = 200;
    const LARGE: usize = 1 << 30;
    const PROGRAM: &str = "/bin/true";

    struct Times {
        ours: Spread,
        fork: Spread,
        posix_spawn: Spread,
    }

    #[derive(Clone, Copy)]
    struct Spread {
        fastest_tenth: f64,
        median: f64,
    }

    pub(super) fn run() -> Result<(), Box<dyn Error>> {
        use_small_pages();
        measure()?; // warms caches up
        let small = measure()?;
        let large = vec![1u8; LARGE];
        std::hint::black_box(&large);
        let with_large = measure()?;
        drop(large);

        println!("{ROUNDS} starts of {PROGRAM}, in µs");
        println!("{:>26} {:^28} {:^28}", "", "fastest tenth", "median");
        println!("{:>26} {:>10} {:>10} {:>6} {1:>10} {2:>10} {3:>6}", "", "small", "1 GiB", "ratio");
        let row = |name: &str, of: fn(&Times) -> Spread| {
            let (small, large) = (of(&small), of(&with_large));
            let ratio = |of: fn(Spread) -> f64| {
                format!("{:>10.0} {:>10.0} {:>6.2}", of(small), of(large), of(large) / of(small))
            };
            println!("{name:>26} {} {}", ratio(|spread| spread.fastest_tenth), ratio(|spread| spread.median));
        };
        row("pty::spawn", |times| times.ours);
        row("std, fork and exec", |times| times.fork);
        row("std, posix_spawn, no tty", |times| times.posix_spawn);
        println!("at 1 GiB, fork takes {:.0} times as long as ours", with_large.fork.median / with_large.ours.median);
        Ok(())
    }

    fn measure() -> Result<Times, Box<dyn Error>> {
        let [mut ours, mut fork, mut posix_spawn] = [Vec::new(), Vec::new(), Vec::new()];
        for _ in 0..ROUNDS {
            let request = SpawnRequest {
                argv: vec![PROGRAM.into()],
                env: std::env::vars_os().collect(),
                working_dir: None,
                size: PtySize { cols: 80, rows: 24 },
            };
            let start = Instant::now();
            let (_pty, mut child) = pty::spawn(request)?;
            ours.push(start.elapsed());
            child.wait()?;
        }
        for _ in 0..ROUNDS {
            posix_spawn.push(time_std(quiet())?);
        }
        for _ in 0..ROUNDS {
            fork.push(time_std(with_hook(quiet()))?);
        }
        Ok(Times { ours: spread(ours), fork: spread(fork), posix_spawn: spread(posix_spawn) })
    }

    fn quiet() -> Command {
        let mut command = Command::new(PROGRAM);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    /// Any hook makes the standard library fork.
    #[expect(unsafe_code, reason = "hooks run between fork and exec")]
    fn with_hook(mut command: Command) -> Command {
        // SAFETY: one system call.
        unsafe { command.pre_exec(|| Ok(rustix::process::setsid().map(drop)?)) };
        command
    }

    fn time_std(mut command: Command) -> Result<Duration, Box<dyn Error>> {
        let start = Instant::now();
        let mut child = command.spawn()?;
        let took = start.elapsed();
        child.wait()?;
        Ok(took)
    }

    fn spread(mut times: Vec<Duration>) -> Spread {
        times.sort_unstable();
        let micros = |index: usize| times[index].as_secs_f64() * 1e6;
        Spread { fastest_tenth: micros(times.len() / 10), median: micros(times.len() / 2) }
    }

    /// Huge pages would make a gigabyte cheap to fork; programs don't get them for their heap when
    /// memory is fragmented.
    #[expect(unsafe_code, reason = "a process setting without a safe interface")]
    fn use_small_pages() {
        // SAFETY: changes only how later memory of this process is mapped.
        unsafe { libc::prctl(libc::PR_SET_THP_DISABLE, 1, 0, 0, 0) };
    }
}

//! What a start costs when this process is small, and when it has touched 1 GiB of memory.
//!
//! Compares `pty::Spawner` with the standard library's fork and exec (what it does as soon as code
//! has to run before exec, as it must for a controlling terminal) and with its plain posix_spawn
//! (which can't set up a terminal at all, and is shown as the floor). The three take turns in one
//! run, and each start is timed alone: from the call to its return, exec done.
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

    use pty::{Size, SpawnRequest, Spawner};

    const ROUNDS: usize = 200;
    const LARGE: usize = 1 << 30;
    const PROGRAM: &str = "/bin/true";

    struct Medians {
        ours: Duration,
        fork: Duration,
        posix_spawn: Duration,
    }

    pub(super) fn run() -> Result<(), Box<dyn Error>> {
        use_small_pages();
        let spawner = Spawner::new()?;
        measure(&spawner)?; // warms caches up
        let small = measure(&spawner)?;
        let large = vec![1u8; LARGE];
        std::hint::black_box(&large);
        let with_large = measure(&spawner)?;
        drop(large);

        println!("median of {ROUNDS} starts of {PROGRAM}, in µs");
        println!("{:>26} {:>10} {:>10} {:>8}", "", "small", "1 GiB", "ratio");
        let row = |name: &str, of: fn(&Medians) -> Duration| {
            let (small, large) = (micros(of(&small)), micros(of(&with_large)));
            println!("{name:>26} {small:>10.0} {large:>10.0} {:>8.2}", large / small);
        };
        row("pty::Spawner", |medians| medians.ours);
        row("std, fork and exec", |medians| medians.fork);
        row("std, posix_spawn, no tty", |medians| medians.posix_spawn);
        println!("fork : ours at 1 GiB = {:.1}", micros(with_large.fork) / micros(with_large.ours));
        Ok(())
    }

    fn measure(spawner: &Spawner) -> Result<Medians, Box<dyn Error>> {
        let [mut ours, mut fork, mut posix_spawn] = [Vec::new(), Vec::new(), Vec::new()];
        for _ in 0..ROUNDS {
            let request = SpawnRequest {
                argv: vec![PROGRAM.into()],
                env: std::env::vars_os().collect(),
                working_dir: None,
                size: Size { cols: 80, rows: 24 },
            };
            let start = Instant::now();
            let (_pty, mut child) = spawner.spawn(request)?;
            ours.push(start.elapsed());
            child.wait()?;

            fork.push(time_std(with_hook(quiet()))?);
            posix_spawn.push(time_std(quiet())?);
        }
        Ok(Medians { ours: median(ours), fork: median(fork), posix_spawn: median(posix_spawn) })
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

    fn median(mut times: Vec<Duration>) -> Duration {
        times.sort_unstable();
        times[times.len() / 2]
    }

    fn micros(time: Duration) -> f64 {
        time.as_secs_f64() * 1e6
    }

    /// Huge pages would make a gigabyte cheap to fork; programs don't get them for their heap when
    /// memory is fragmented.
    #[expect(unsafe_code, reason = "a process setting without a safe interface")]
    fn use_small_pages() {
        // SAFETY: changes only how later memory of this process is mapped.
        unsafe { libc::prctl(libc::PR_SET_THP_DISABLE, 1, 0, 0, 0) };
    }
}

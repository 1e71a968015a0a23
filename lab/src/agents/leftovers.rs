//! Processes that outlive a run: recognised by the home folder in their environment, which every child of a CLI
//! inherits.

use std::{
    fs,
    path::Path,
    time::{Duration, Instant},
};

/// As `pid command line`. Zombies don't count.
pub(crate) fn processes_at_home(home: &Path) -> Vec<String> {
    let wanted = format!("HOME={}", home.display());
    let numbers = fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = numbers.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let mut found = Vec::new();
    for pid in numbers {
        let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        if environment.split(|byte| *byte == 0).any(|variable| variable == wanted.as_bytes()) {
            let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            let line = String::from_utf8_lossy(&line).replace('\0', " ");
            found.push(format!("{pid} {line:.120}"));
        }
    }
    found
}

/// The processes that remain after a while: an orphan may need a moment to notice that it is one.
pub(crate) fn left_behind(home: &Path) -> Vec<String> {
    let start = Instant::now();
    loop {
        let left = processes_at_home(home);
        if left.is_empty() || start.elapsed() > Duration::from_secs(10) {
            return left;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

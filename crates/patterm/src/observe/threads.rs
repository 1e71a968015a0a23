//! The state of each thread of this process, as the system reports it. Linux only; elsewhere the text says so.

use std::{fmt::Write, fs};

pub(super) fn dump() -> String {
    let Ok(threads) = fs::read_dir("/proc/self/task") else { return "not known: this system has no /proc\n".into() };
    let mut text = format!("{:>8}  {:<16}  {:<5}  {:>9}  waits in\n", "thread", "name", "state", "cpu ticks");
    let mut ids: Vec<u32> = threads.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    ids.sort_unstable();
    for id in ids {
        let read = |name: &str| fs::read_to_string(format!("/proc/self/task/{id}/{name}")).unwrap_or_default();
        let stat = read("stat");
        // The fields after the name (which may contain anything): state, then eleven numbers, then user and system
        // time.
        let fields: Vec<&str> =
            stat.rsplit_once(')').map(|(_, rest)| rest.split_whitespace().collect()).unwrap_or_default();
        let ticks = |at: usize| fields.get(at).and_then(|field| field.parse::<u64>().ok()).unwrap_or(0);
        let state = fields.first().copied().unwrap_or("?");
        let name = read("comm").trim_end().to_owned();
        let (cpu, place) = (ticks(11) + ticks(12), read("wchan"));
        // Writing to a string can't fail.
        let _ = writeln!(text, "{id:>8}  {name:<16}  {state:<5}  {cpu:>9}  {}", place.trim());
    }
    text
}

#[cfg(test)]
mod tests {
    #[test]
    #[cfg(target_os = "linux")]
    fn this_thread_is_there() {
        let dump = super::dump();
        assert!(dump.lines().count() >= 2, "{dump}");
        assert!(dump.contains(&format!("{:>8}", rustix::thread::gettid().as_raw_nonzero())), "{dump}");
    }
}

//! Reads `/proc`: enough to find what a dead coordinator's sessions left running. Without `/proc`, nothing is found.

use std::fs;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ProcessLine {
    pub(crate) pid: i32,
    pub(crate) program: String,
    /// The process id of its terminal session's leader.
    pub(crate) session: i32,
    /// In clock ticks since the machine was started.
    pub(crate) started: u64,
}

pub(crate) fn look(pid: i32) -> Option<ProcessLine> {
    parse(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

/// Running processes; zombies are left out.
pub(crate) fn all() -> Vec<ProcessLine> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| look(entry.file_name().to_str()?.parse().ok()?)).collect()
}

/// Differs after each boot.
pub(crate) fn boot_id() -> String {
    fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default().trim().to_owned()
}

/// A program's name may contain anything, even parentheses; the last one ends it.
fn parse(stat: &str) -> Option<ProcessLine> {
    let (pid, rest) = stat.split_once(" (")?;
    let (program, rest) = rest.rsplit_once(") ")?;
    let fields: Vec<&str> = rest.split_whitespace().collect();
    let ended = matches!(*fields.first()?, "Z" | "X");
    let program: String = program.chars().filter(|c| !c.is_control()).collect();
    (!ended).then_some(ProcessLine {
        pid: pid.parse().ok()?,
        program,
        session: fields.get(3)?.parse().ok()?,
        started: fields.get(19)?.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_is_found_and_odd_names_are_read() {
        let own = i32::try_from(std::process::id()).unwrap();
        let found = look(own).unwrap();
        assert!(found.pid == own && found.started > 0 && all().contains(&found));
        let odd = "7 (a) (b) S 1 7 5 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 4711 1 2";
        let expected = ProcessLine { pid: 7, program: "a) (b".into(), session: 5, started: 4711 };
        assert_eq!(parse(odd), Some(expected));
        assert_eq!(parse("7 (a) Z 1 7 5"), None);
    }
}

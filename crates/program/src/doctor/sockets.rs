//! Who listens on the sockets in a folder.

use std::{fs, os::unix::fs::FileTypeExt, path::Path};

use super::DoctorFinding;
use crate::socket::{SocketLife, look_at};

/// Entries of the folder that are looked at.
const MAX_ENTRIES: usize = 1000;
/// Stale sockets that are named.
const MAX_NAMED: usize = 5;

/// Looks at all sockets in `folder`. `listener` is what listens there, such as `patterm`; the plural adds an s. A
/// missing folder holds no sockets; whether it can be used at all is judged elsewhere.
pub fn check_sockets(area: &'static str, folder: &Path, listener: &str) -> Vec<DoctorFinding> {
    let (mut alive, mut stale, mut closed) = (0, Vec::new(), Vec::new());
    for entry in fs::read_dir(folder).into_iter().flatten().take(MAX_ENTRIES).flatten() {
        if !entry.file_type().is_ok_and(|kind| kind.is_socket()) {
            continue;
        }
        match look_at(&entry.path()) {
            SocketLife::Alive => alive += 1,
            SocketLife::Stale => stale.push(entry.file_name().to_string_lossy().into_owned()),
            SocketLife::Gone => {}
            SocketLife::Closed(error) => closed.push(format!("{}: {error}", entry.path().display())),
        }
    }
    stale.sort();
    closed.sort();
    let running = match alive {
        0 => format!("no {listener} listens in {}", folder.display()),
        1 => format!("1 {listener} listens in {}", folder.display()),
        more => format!("{more} {listener}s listen in {}", folder.display()),
    };
    let mut found = vec![DoctorFinding::ok(area, running)];
    if !stale.is_empty() {
        let named = stale[..stale.len().min(MAX_NAMED)].join(", ");
        let more =
            if stale.len() > MAX_NAMED { format!(" and {} more", stale.len() - MAX_NAMED) } else { String::new() };
        let text = format!("nobody listens any more on {named}{more} in {}", folder.display());
        let advice = format!("such a socket does no harm: the next {listener} that wants the place removes it");
        found.push(DoctorFinding::note(area, text, advice));
    }
    let unreachable = |what| DoctorFinding::warning(area, what, "check who owns this socket, and its mode");
    found.extend(closed.into_iter().take(MAX_NAMED).map(unreachable));
    found
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixListener;

    use super::*;
    use crate::doctor::FindingState;

    #[test]
    fn the_living_are_counted_and_the_stale_are_named() {
        let root = tempfile::tempdir().unwrap();
        let at = |name: &str| root.path().join(name);
        assert!(check_sockets("x", &at("missing"), "patterm")[0].text.starts_with("no patterm listens in "));
        drop(UnixListener::bind(at("7.sock")).unwrap());
        let _listeners = [UnixListener::bind(at("8.sock")).unwrap(), UnixListener::bind(at("9.sock")).unwrap()];
        fs::write(at("10.sock"), "no socket").unwrap();
        let found = check_sockets("x", root.path(), "patterm");
        assert!(found[0].text.starts_with("2 patterms listen in "), "{found:?}");
        assert!(found.len() == 2 && found[1].state == FindingState::Note, "{found:?}");
        assert!(found[1].text.contains(" on 7.sock in "), "{found:?}");
        assert!(at("7.sock").exists(), "looking changes nothing");
    }

    #[test]
    fn many_stale_sockets_are_one_finding() {
        let root = tempfile::tempdir().unwrap();
        for number in 0..9 {
            drop(UnixListener::bind(root.path().join(format!("{number}.sock"))).unwrap());
        }
        let found = check_sockets("x", root.path(), "patterm");
        assert!(found[1].text.contains("3.sock, 4.sock and 4 more"), "{found:?}");
    }
}

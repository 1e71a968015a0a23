//! The version of the program, and the system it runs on. The machine's name stays out of it.

use super::DoctorFinding;

/// `patterm 0.1.0, on Linux 6.8.0 (x86_64)`. `release` is the content of os-release, if the system has that file.
pub fn check_versions(area: &'static str, program: &str, version: &str, release: Option<&str>) -> DoctorFinding {
    let system = rustix::system::uname();
    let [kernel, number, machine] =
        [system.sysname(), system.release(), system.machine()].map(|part| part.to_string_lossy());
    let name = release.and_then(pretty_name).map(|name| format!("{name}, ")).unwrap_or_default();
    DoctorFinding::ok(area, format!("{program} {version}, on {name}{kernel} {number} ({machine})"))
}

/// What a distribution calls itself.
fn pretty_name(release: &str) -> Option<&str> {
    let value = release.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="))?.trim().trim_matches(['"', '\'']);
    Some(value).filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_distribution_is_named_where_it_names_itself() {
        let text = |release| check_versions("system", "patterm", "1.2.3", release).text;
        assert!(text(Some("ID=x\nPRETTY_NAME=\"Some Linux 3\"\n")).starts_with("patterm 1.2.3, on Some Linux 3, "));
        for release in [None, Some(""), Some("PRETTY_NAME=\"\"")] {
            assert!(!text(release).contains(", , ") && text(release).matches(", ").count() == 1, "{release:?}");
        }
    }
}

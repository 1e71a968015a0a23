//! Which values of variables are hidden: passwords and the like, but nothing that could be a program.
//!
//! Any variable may affect what is run, and no list of those that do is complete. So every value is shown, unless its
//! name says that it is a secret and the value is one unbroken run of letters and digits.

/// Last parts of names such as `OPENAI_API_KEY`.
const SECRETS: [&str; 9] =
    ["TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "KEY", "APIKEY", "CREDENTIALS", "COOKIE"];
/// A shorter word may be the name of a program.
const MIN_SECRET: usize = 12;

pub(super) fn shown(name: &str, value: &str) -> String {
    match is_secret(name, value) {
        true => format!("({} characters that are not shown)", value.chars().count()),
        false => value.to_owned(),
    }
}

/// Whether a variable with this name contains a secret.
pub(crate) fn is_secret_name(name: &str) -> bool {
    let last = name.rsplit('_').next().unwrap_or_default().to_ascii_uppercase();
    SECRETS.contains(&last.as_str())
}

fn is_secret(name: &str, value: &str) -> bool {
    let opaque = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'+' | b'=');
    is_secret_name(name)
        && value.len() >= MIN_SECRET
        && value.bytes().all(opaque)
        && value.bytes().any(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_are_not_shown_and_what_could_run_is() {
        assert_eq!(shown("OPENAI_API_KEY", "sk-abcdefgh0123"), "(15 characters that are not shown)");
        for (name, value) in [
            ("PATH", "/tmp/evil:/usr/bin"),
            ("LD_PRELOAD", "x0123456789abc"),
            ("PROMPT_COMMAND", "id"),
            ("API_TOKEN", "$(id)"),
            ("API_TOKEN", "./0123456789abc"),
            ("API_TOKEN", "evil-program-name"),
            ("SSH_ASKPASS", "askpass0123456789"),
            ("GIT_CONFIG_KEY_0", "core0123456789"),
            ("CARGO_REGISTRY_CREDENTIAL_PROVIDER", "evil0123456789"),
        ] {
            assert_eq!(shown(name, value), value, "{name}");
        }
    }
}

//! A group of users, by name or number.

use std::io;

#[derive(Debug, thiserror::Error)]
pub(crate) enum GroupError {
    #[error("no group {0:?} in /etc/group; a group's number works too")]
    Unknown(String),
    #[error("reading /etc/group: {0}")]
    System(#[from] io::Error),
}

pub(crate) fn group_id(group: &str) -> Result<u32, GroupError> {
    if let Ok(number) = group.parse() {
        return Ok(number);
    }
    let file = std::fs::read_to_string("/etc/group")?;
    named_in(&file, group).ok_or_else(|| GroupError::Unknown(group.into()))
}

fn named_in(file: &str, group: &str) -> Option<u32> {
    let mut entries = file.lines().map(|line| line.split(':'));
    entries.find_map(|mut fields| (fields.next() == Some(group)).then(|| fields.nth(1)?.parse().ok()).flatten())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_by_name() {
        assert_eq!(named_in("root:x:0:\nstaff:x:50:me,you\n", "staff"), Some(50));
        assert_eq!(named_in("root:x:0:\n", "staff"), None);
        assert_eq!(group_id("123").unwrap(), 123);
    }
}

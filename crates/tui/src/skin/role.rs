//! What the pieces of the interface are for, and the names that theme files call them by.

/// What a piece of the interface is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SkinRole {
    Text,
    /// Less important text: hints, times, paths.
    Muted,
    Accent,
    Border,
    BorderFocused,
    Tab,
    TabActive,
    StatusLine,
    /// The entry that Enter selects.
    Cursor,
    /// Text selected by the mouse or in copy mode.
    Selection,
    Match,
    MatchCurrent,
    Input,
    Toast,
    Modal,
    Button,
    ButtonActive,
    Good,
    Warning,
    Bad,
    Heading,
    Code,
    Link,
    Added,
    Removed,
    KeyName,
}

impl SkinRole {
    pub const COUNT: usize = 26;

    /// All roles, in the order of the type.
    pub const ALL: [SkinRole; SkinRole::COUNT] = [
        SkinRole::Text,
        SkinRole::Muted,
        SkinRole::Accent,
        SkinRole::Border,
        SkinRole::BorderFocused,
        SkinRole::Tab,
        SkinRole::TabActive,
        SkinRole::StatusLine,
        SkinRole::Cursor,
        SkinRole::Selection,
        SkinRole::Match,
        SkinRole::MatchCurrent,
        SkinRole::Input,
        SkinRole::Toast,
        SkinRole::Modal,
        SkinRole::Button,
        SkinRole::ButtonActive,
        SkinRole::Good,
        SkinRole::Warning,
        SkinRole::Bad,
        SkinRole::Heading,
        SkinRole::Code,
        SkinRole::Link,
        SkinRole::Added,
        SkinRole::Removed,
        SkinRole::KeyName,
    ];

    /// Its name in theme files.
    pub fn name(self) -> &'static str {
        match self {
            SkinRole::Text => "text",
            SkinRole::Muted => "muted",
            SkinRole::Accent => "accent",
            SkinRole::Border => "border",
            SkinRole::BorderFocused => "border_focused",
            SkinRole::Tab => "tab",
            SkinRole::TabActive => "tab_active",
            SkinRole::StatusLine => "status_line",
            SkinRole::Cursor => "cursor",
            SkinRole::Selection => "selection",
            SkinRole::Match => "match",
            SkinRole::MatchCurrent => "match_current",
            SkinRole::Input => "input",
            SkinRole::Toast => "toast",
            SkinRole::Modal => "modal",
            SkinRole::Button => "button",
            SkinRole::ButtonActive => "button_active",
            SkinRole::Good => "good",
            SkinRole::Warning => "warning",
            SkinRole::Bad => "bad",
            SkinRole::Heading => "heading",
            SkinRole::Code => "code",
            SkinRole::Link => "link",
            SkinRole::Added => "added",
            SkinRole::Removed => "removed",
            SkinRole::KeyName => "key_name",
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_role_is_listed_once_at_its_place() {
        for (place, role) in SkinRole::ALL.into_iter().enumerate() {
            assert_eq!(role as usize, place, "{role:?}");
        }
        let names: HashSet<&str> = SkinRole::ALL.into_iter().map(SkinRole::name).collect();
        assert_eq!(names.len(), SkinRole::COUNT);
        // A role added to the type only would be the one behind the last.
        assert_eq!(SkinRole::KeyName as usize, SkinRole::COUNT - 1);
    }

    #[test]
    fn the_guide_names_every_role() {
        let guide = include_str!("../../../../docs/guide/patterm.md");
        for role in SkinRole::ALL {
            assert!(guide.contains(&format!("`{}`", role.name())), "{} is missing", role.name());
        }
    }
}

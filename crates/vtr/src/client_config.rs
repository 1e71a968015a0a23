//! Edits the client's config file without losing its comments, and checks what concerns only `vtr attach`.

use std::path::{Path, PathBuf};

use fleet::{ClientConfig, check_name, malformed, read_config};
use interface::app::LeaderKeys;
use program::Failure;
use toml_edit::{ArrayOfTables, DocumentMut, Item, value};

/// The config, with its keys checked.
pub(crate) fn load(file: &Path) -> Result<ClientConfig, Failure> {
    let config = ClientConfig::load(file)?;
    LeaderKeys::new(config.attach.leader.as_deref(), &config.attach.keys).map_err(|what| malformed(file, &what))?;
    Ok(config)
}

/// The file as a document, so that it can be edited without losing comments.
#[derive(Debug)]
pub(crate) struct ConfigEditor {
    file: PathBuf,
    document: DocumentMut,
}

/// A new entry for `vtr config add`.
#[derive(Clone, Debug)]
pub(crate) enum NewEntry {
    Path { path: String, name: Option<String> },
    Command { name: String, command: Vec<String> },
}

impl ConfigEditor {
    /// Refuses a file that could not be loaded: editing might make it worse.
    pub(crate) fn open(file: PathBuf) -> Result<Self, Failure> {
        load(&file)?;
        let document =
            read_config(&file)?.parse().map_err(|error: toml_edit::TomlError| malformed(&file, &error.to_string()))?;
        Ok(ConfigEditor { file, document })
    }

    fn entries(&mut self) -> Result<&mut ArrayOfTables, Failure> {
        let item = self.document.entry("coordinators").or_insert(Item::ArrayOfTables(ArrayOfTables::new()));
        item.as_array_of_tables_mut().ok_or_else(|| {
            malformed(
                &self.file,
                "`coordinators` is an inline list, which can't be edited: use [[coordinators]] tables",
            )
        })
    }

    /// Returns false if the entry exists already.
    pub(crate) fn add(&mut self, new: &NewEntry) -> Result<bool, Failure> {
        let mut table = toml_edit::Table::new();
        let (name, present) = match new {
            NewEntry::Path { path, name } => {
                table["path"] = value(path);
                (name.as_ref(), self.position(path)?)
            }
            NewEntry::Command { name, command } => {
                table["command"] = value(command.iter().collect::<toml_edit::Array>());
                (Some(name), self.position(name)?)
            }
        };
        if present.is_some() {
            return Ok(false);
        }
        if let Some(name) = name {
            check_name(name).map_err(Failure::usage)?;
            if self.position(name)?.is_some() {
                return Err(Failure::usage(format!("a coordinator called {name:?} exists already"))
                    .with_hint("choose another --name, or remove that one with `vtr config rm`"));
            }
            table["name"] = value(name);
        }
        // In a file of comments only, they stay above the new entry.
        if self.document.iter().all(|(_, item)| item.as_array_of_tables().is_some_and(ArrayOfTables::is_empty)) {
            let above = self.document.trailing().as_str().unwrap_or_default().to_owned();
            let gap = if above.is_empty() || above.ends_with("\n\n") { "" } else { "\n" };
            table.decor_mut().set_prefix(above + gap);
            self.document.set_trailing("");
        }
        self.entries()?.push(table);
        Ok(true)
    }

    /// By path, pattern or name. Returns false if there is no such entry.
    pub(crate) fn remove(&mut self, which: &str) -> Result<bool, Failure> {
        let Some(position) = self.position(which)? else { return Ok(false) };
        let entries = self.entries()?;
        let above = |table: &toml_edit::Table| {
            table.decor().prefix().and_then(|prefix| prefix.as_str()).unwrap_or_default().to_owned()
        };
        // Comments above the entry may also concern what follows, so they stay.
        let kept = entries.get(position).map(above).unwrap_or_default();
        entries.remove(position);
        let kept = if kept.contains('#') { kept } else { String::new() };
        match entries.get_mut(position) {
            Some(next) => {
                let own = above(next);
                let own = if kept.is_empty() { own.as_str() } else { own.trim_start_matches('\n') };
                next.decor_mut().set_prefix(format!("{kept}{own}"));
            }
            None if !kept.is_empty() => {
                let trailing = self.document.trailing().as_str().unwrap_or_default().to_owned();
                self.document.set_trailing(format!("{}\n{trailing}", kept.trim_end_matches('\n')));
            }
            None => {}
        }
        Ok(true)
    }

    fn position(&mut self, which: &str) -> Result<Option<usize>, Failure> {
        let is = |item: Option<&Item>| item.and_then(Item::as_str) == Some(which);
        Ok(self.entries()?.iter().position(|table| is(table.get("path")) || is(table.get("name"))))
    }

    /// Atomic: the new file is written beside the old one, checked, and then renamed.
    pub(crate) fn save(self) -> Result<(), Failure> {
        let failed = |error: &std::io::Error| Failure::system(format_args!("writing {}", self.file.display()), error);
        // A symbolic link stays a link: dot files often are links.
        let file = std::fs::canonicalize(&self.file).unwrap_or_else(|_| self.file.clone());
        if let Some(folder) = file.parent() {
            crate::server::folder::create_private(folder).map_err(|error| failed(&error))?;
        }
        let beside = file.with_extension(format!("toml.{}", std::process::id()));
        let write = || -> std::io::Result<()> {
            use std::io::Write;
            let mut new = std::fs::OpenOptions::new().write(true).create_new(true).open(&beside)?;
            if let Ok(old) = std::fs::metadata(&file) {
                new.set_permissions(old.permissions())?;
            }
            new.write_all(self.document.to_string().as_bytes())?;
            new.sync_all()
        };
        let written = write()
            .map_err(|error| failed(&error))
            .and_then(|()| load(&beside).map(drop))
            .and_then(|()| std::fs::rename(&beside, &file).map_err(|error| failed(&error)));
        if written.is_err() {
            // The old file is untouched; only our temporary file is removed.
            let _ = std::fs::remove_file(&beside);
        }
        written
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_survive_an_edit() {
        let root = tempfile::tempdir().unwrap();
        let file = root.path().join("sub/config.toml");
        let mut editor = ConfigEditor::open(file.clone()).unwrap();
        assert!(editor.add(&NewEntry::Path { path: "/a/*.sock".into(), name: None }).unwrap());
        editor.save().unwrap();
        let text = "# mine\n[[coordinators]] # the first\npath = \"/a/*.sock\"\n\n# keep\n[defaults]\noutput_format = \"json\" # yes\n";
        std::fs::write(&file, text).unwrap();
        let mut editor = ConfigEditor::open(file.clone()).unwrap();
        assert!(!editor.add(&NewEntry::Path { path: "/a/*.sock".into(), name: None }).unwrap());
        let command = ["ssh", "h", "vtr", "dial-stdio"].map(str::to_owned).to_vec();
        assert!(editor.add(&NewEntry::Command { name: "h".into(), command }).unwrap());
        editor.save().unwrap();
        let after = std::fs::read_to_string(&file).unwrap();
        for kept in ["# mine", "# the first", "# keep", "# yes", r#"command = ["ssh", "h", "vtr", "dial-stdio"]"#] {
            assert!(after.contains(kept), "{kept} is missing in {after}");
        }
        let mut editor = ConfigEditor::open(file.clone()).unwrap();
        assert!(editor.remove("h").unwrap());
        assert!(!editor.remove("h").unwrap());
        editor.save().unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
        assert_eq!(std::fs::read_dir(file.parent().unwrap()).unwrap().count(), 1, "nothing is left beside it");
    }
}

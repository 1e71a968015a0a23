//! Themes: which one the frame is drawn in, the list to choose from with its preview, and what is wrong with a file.
//!
//! A file is read again when it is written while it is in use, when config.json changes, and when the list shows it.
//! Whatever is wrong with it, the colours stay as they are, and a notice says why.

use std::path::Path;

use project::{
    Settings,
    settings::{AUTO_THEME, FileWatch, ThemeFolder, ThemeName, ThemeNameError, ThemeReadError},
};
use tui::{ColorScheme, MAX_THEME_BYTES, ShippedTheme, Sign, SkinStyles, ThemeFault, ThemeFile};

use super::{
    model::InterfaceState,
    palette::{Palette, PaletteEntry},
};

/// Before a theme's name, in the id of its entry.
pub(super) const ENTRY: &str = "theme/";

/// Where the styles of the frame come from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
enum ThemeLook {
    /// Dark or light, by the host's background.
    #[default]
    Auto,
    Fixed(Box<SkinStyles>),
}

/// Why a theme can't be used.
#[derive(Debug, thiserror::Error)]
enum ThemeProblem {
    #[error("theme: {0}")]
    Name(#[from] ThemeNameError),
    #[error("there is no theme '{name}': write themes/{name}.json beside config.json, or use {}", shipped_names())]
    Missing { name: String },
    #[error("themes/{name}.json is empty: give it roles, or use another theme")]
    Empty { name: String },
    #[error("themes/{name}.json can't be read: {reason}")]
    Unreadable { name: String, reason: String },
    #[error("themes/{name}.json, {fault}")]
    Faulty { name: String, fault: ThemeFault },
}

/// The theme of the frame, and the one that is previewed.
#[derive(Debug, Default)]
pub(crate) struct ThemesState {
    /// The theme in use: that of config.json, or the one that was chosen in this run.
    name: String,
    look: ThemeLook,
    /// The one under the cursor, while the list is open.
    preview: Option<ThemeLook>,
    /// What the entries of the open list look like, so that the cursor moves without reading files.
    listed: Vec<(String, ThemeLook)>,
    /// Follows the file of the theme in use.
    watch: Option<FileWatch>,
}

impl ThemesState {
    pub(super) fn styles(&self, host: ColorScheme) -> SkinStyles {
        match self.preview.as_ref().unwrap_or(&self.look) {
            ThemeLook::Auto => ShippedTheme::for_host(host).styles(),
            ThemeLook::Fixed(styles) => **styles,
        }
    }

    /// Whether this theme is in use.
    pub(super) fn is(&self, name: &str) -> bool {
        self.name == name
    }
}

/// What is wrong with the settings' theme.
pub fn theme_fault(settings: &Settings, config_dir: &Path) -> Option<String> {
    look_of(&settings.theme, &ThemeFolder::beside(config_dir)).err().map(|problem| problem.to_string())
}

/// Uses the theme of the settings.
pub(super) fn follow_settings(app: &mut InterfaceState) {
    let name = app.settings.theme.clone();
    wear(app, &name);
}

fn wear(app: &mut InterfaceState, name: &str) {
    // Watched before it is read, so that no change between the two is missed.
    app.themes.watch = watch(app, name);
    app.themes.name = name.to_owned();
    match look_of(name, &folder(app)) {
        Ok(look) => app.themes.look = look,
        Err(problem) => refuse(app, &problem),
    }
    app.dress(None);
}

fn refuse(app: &mut InterfaceState, problem: &ThemeProblem) {
    app.toast(Sign::Failed, format!("the colours stay as they are: {problem}"));
}

fn folder(app: &InterfaceState) -> ThemeFolder {
    ThemeFolder::beside(&app.surroundings.config_dir)
}

fn shipped_names() -> String {
    let shipped = ShippedTheme::ALL.into_iter().map(ShippedTheme::name);
    std::iter::once(AUTO_THEME).chain(shipped).collect::<Vec<_>>().join(", ")
}

fn is_shipped(name: &str) -> bool {
    name == AUTO_THEME || ShippedTheme::named(name).is_some()
}

/// The shipped themes come before files of the same name.
fn look_of(name: &str, folder: &ThemeFolder) -> Result<ThemeLook, ThemeProblem> {
    if name == AUTO_THEME {
        return Ok(ThemeLook::Auto);
    }
    if let Some(shipped) = ShippedTheme::named(name) {
        return Ok(ThemeLook::Fixed(shipped.styles().into()));
    }
    let plain = ThemeName::new(name)?;
    let name = name.to_owned();
    match folder.read(&plain, MAX_THEME_BYTES) {
        Ok(text) if text.trim().is_empty() => Err(ThemeProblem::Empty { name }),
        Ok(text) => match ThemeFile::parse(&text) {
            Ok(theme) => Ok(ThemeLook::Fixed(theme.styles().into())),
            Err(fault) => Err(ThemeProblem::Faulty { name, fault }),
        },
        Err(ThemeReadError::Missing) => Err(ThemeProblem::Missing { name }),
        Err(ThemeReadError::Unreadable { reason }) => Err(ThemeProblem::Unreadable { name, reason }),
    }
}

/// Watches the file of a theme, if it has one and its folder can be watched.
fn watch(app: &InterfaceState, name: &str) -> Option<FileWatch> {
    if is_shipped(name) {
        return None;
    }
    let (name, folder, loop_tasks) = (ThemeName::new(name).ok()?, folder(app), app.loop_tasks());
    FileWatch::start(&folder.file(&name), move || {
        // Read here, on the watcher's thread: several tasks could deliver their reads in the wrong order.
        let (name, found) = (name.clone(), look_of(name.as_str(), &folder));
        let _ = loop_tasks.send(Box::new(move |app: &mut InterfaceState| changed(app, &name, found)));
    })
}

fn changed(app: &mut InterfaceState, name: &ThemeName, found: Result<ThemeLook, ThemeProblem>) {
    // Another one may have been chosen meanwhile.
    if !app.themes.is(name.as_str()) {
        return;
    }
    match found {
        Ok(look) => {
            app.themes.look = look;
            app.dress(None);
        }
        // Many editors empty or remove a file before they write it, and the next change will bring the content.
        Err(ThemeProblem::Missing { .. } | ThemeProblem::Empty { .. }) => {}
        Err(problem) => refuse(app, &problem),
    }
}

/// Opens the list of themes; the frame is drawn in the one under the cursor.
pub(super) fn open(app: &mut InterfaceState) {
    let (entries, listed) = entries(app);
    app.themes.listed = listed;
    let id = format!("{ENTRY}{}", app.themes.name);
    let here = entries.iter().position(|entry| entry.id == id).unwrap_or_default();
    app.open(Palette::new("theme", entries).with_preview(here, preview));
}

/// The shipped themes, then the person's own; and what those without a fault look like.
fn entries(app: &InterfaceState) -> (Vec<PaletteEntry>, Vec<(String, ThemeLook)>) {
    let entry = |name: &str, detail: String| {
        let chosen = name.to_owned();
        PaletteEntry::new(format!("{ENTRY}{name}"), name, move |app| keep(app, &chosen)).detail(detail)
    };
    let mut entries = vec![entry(AUTO_THEME, "dark or light, as the terminal's background is".to_owned())];
    entries.extend(ShippedTheme::ALL.into_iter().map(|shipped| entry(shipped.name(), about(shipped).to_owned())));
    let shipped = ShippedTheme::ALL.into_iter();
    let mut listed = vec![(AUTO_THEME.to_owned(), ThemeLook::Auto)];
    listed.extend(shipped.map(|theme| (theme.name().to_owned(), ThemeLook::Fixed(theme.styles().into()))));
    // `vtr attach` has no folder of its own for them, and patterm's is none of its business.
    if app.attach.is_some() {
        return (entries, listed);
    }
    let folder = folder(app);
    for name in folder.names().iter().map(ThemeName::as_str).filter(|name| !is_shipped(name)) {
        entries.push(match look_of(name, &folder) {
            Ok(look) => {
                listed.push((name.to_owned(), look));
                entry(name, format!("themes/{name}.json"))
            }
            Err(problem) => {
                let mut broken = entry(name, problem.to_string());
                broken.list.sign = Some(Sign::Failed);
                broken
            }
        });
    }
    (entries, listed)
}

fn about(shipped: ShippedTheme) -> &'static str {
    match shipped {
        ShippedTheme::Terminal => "the terminal's own 16 colours",
        ShippedTheme::Dark => "for a dark background",
        ShippedTheme::Light => "for a light background",
        ShippedTheme::HighContrast => "on black, with a contrast of 7:1 or more",
    }
}

/// Draws the frame in the theme of an entry, or again in the one that is in use.
fn preview(app: &mut InterfaceState, entry: Option<&str>) {
    let name = entry.and_then(|entry| entry.strip_prefix(ENTRY));
    // One with a fault has no look: its entry says why.
    let listed = app.themes.listed.iter().find(|(listed, _)| Some(listed.as_str()) == name);
    app.themes.preview = listed.map(|(_, look)| look.clone());
    app.dress(None);
}

/// Uses a theme until the end of this run.
fn keep(app: &mut InterfaceState, name: &str) {
    app.themes.preview = None;
    if let Err(problem) = look_of(name, &folder(app)) {
        app.dress(None);
        return refuse(app, &problem);
    }
    wear(app, name);
    if app.attach.is_none() && app.settings.theme != name {
        let line = format!("\"theme\": \"{name}\"");
        app.toast(Sign::Idle, format!("{name} until you quit; to keep it, put {line} into config.json"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_that_is_no_theme_is_told_with_the_way_out() {
        // Nothing is read of it: these names lead to no file.
        let folder = ThemeFolder::beside(Path::new("/nowhere"));
        let told = |name: &str| look_of(name, &folder).unwrap_err().to_string();
        assert!(told("../dark").contains("use 1 to 64 lower-case letters"), "{}", told("../dark"));
        let missing = told("blue");
        assert!(missing.contains("themes/blue.json") && missing.contains("auto, terminal, dark, light"), "{missing}");
        assert_eq!(look_of("auto", &folder).unwrap(), ThemeLook::Auto);
        for shipped in ShippedTheme::ALL {
            assert_eq!(look_of(shipped.name(), &folder).unwrap(), ThemeLook::Fixed(shipped.styles().into()));
        }
    }

    #[test]
    fn a_preview_covers_the_theme_in_use_and_auto_goes_with_the_host() {
        let mut themes = ThemesState::default();
        assert_eq!(themes.styles(ColorScheme::Light), ShippedTheme::Light.styles());
        themes.look = ThemeLook::Fixed(ShippedTheme::Dark.styles().into());
        assert_eq!(themes.styles(ColorScheme::Light), ShippedTheme::Dark.styles());
        themes.preview = Some(ThemeLook::Auto);
        assert_eq!(themes.styles(ColorScheme::Light), ShippedTheme::Light.styles());
    }
}

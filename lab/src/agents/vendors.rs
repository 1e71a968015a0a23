//! The CLIs: those that there are presets for, at some version, and what a home folder and an environment must hold for a
//! run without an account and without their services. What patterm needs to know of them is in `presets/`, not here.

use std::{
    fs,
    path::{Path, PathBuf},
};

use agents::preset::{MORE, SHIPPED, Shipped, parse_agent};
use anyhow::{Context, Result, anyhow};
use serde_json::json;
use vt::input::{Key, KeyEvent, Modifiers};

#[derive(Clone, Debug)]
pub(crate) struct Vendor {
    /// Of the preset and of the program.
    pub(crate) name: &'static str,
    /// At npm.
    pub(crate) package: String,
    pub(crate) version: String,
}

pub(crate) type Environment = Vec<(&'static str, String)>;

/// Where a CLI will run, and where its model is.
pub(crate) struct Place<'a> {
    pub(crate) home: &'a Path,
    pub(crate) project: &'a Path,
    pub(crate) model: &'a str,
}

/// Versions of packages that are not numbered as their program is.
const PACKAGES: [(&str, &str); 1] = [("goose", "0.20.1")];

/// A key that opens nothing.
const KEY: &str = "sk-test-0000000000000000000000000000";

impl Vendor {
    /// Every CLI that a preset is shipped for, at the newest version that it was tested with.
    pub(crate) fn all() -> Result<Vec<Self>> {
        SHIPPED.iter().chain(MORE).map(Self::of).collect()
    }

    /// `NAME`, or `NAME@VERSION`.
    pub(crate) fn named(text: &str) -> Result<Self> {
        let (name, version) = text.split_once('@').map_or((text, None), |(name, version)| (name, Some(version)));
        let mut all = Self::all()?;
        let names: Vec<&str> = all.iter().map(|vendor| vendor.name).collect();
        let names = names.join(", ");
        let found = all.iter().position(|vendor| vendor.name == name);
        let mut vendor =
            all.swap_remove(found.with_context(|| format!("there is no agent '{name}'; there are {names}"))?);
        if let Some(version) = version {
            version.clone_into(&mut vendor.version);
        }
        Ok(vendor)
    }

    fn of(shipped: &Shipped) -> Result<Self> {
        let name = shipped.program();
        let parsed = parse_agent(Path::new(shipped.file_name), shipped.text).map_err(|problem| anyhow!("{problem}"))?;
        let install = parsed.preset.install.unwrap_or_default();
        let package =
            install.strip_prefix("npm install -g ").with_context(|| format!("{name}: how it is installed"))?;
        let package_version = PACKAGES.iter().find(|(of, _)| *of == name).map(|(_, version)| (*version).to_owned());
        let newest = parsed.preset.versions.and_then(|versions| versions.tested.into_iter().max());
        let version = package_version.or_else(|| newest.map(|version| version.to_string()));
        let version = version.with_context(|| format!("{name}: no version it was tested with"))?;
        Ok(Vendor { name, package: package.to_owned(), version })
    }

    /// Where `agents install` puts this version: below `PATTERM_AGENTS`, or `target/agents`.
    pub(crate) fn folder(&self) -> PathBuf {
        let all = std::env::var_os("PATTERM_AGENTS").map_or_else(|| crate::repository("target/agents"), PathBuf::from);
        all.join(self.name).join(&self.version)
    }

    /// The folder of its program.
    pub(crate) fn programs(&self) -> PathBuf {
        self.folder().join("node_modules/.bin")
    }

    /// A prompt without what the CLI itself changes in what is pasted: blanks at the end come and go, claude and
    /// copilot turn tabs into blanks, claude and goose compose accents in some texts (the prompts here hold no other than é),
    /// claude removes a joiner after which nothing is to be joined (and says so), copilot and goose put the time before each
    /// prompt, and qwen a blank before an `@` that begins a line.
    pub(crate) fn comparable(&self, prompt: &str) -> String {
        let prompt = prompt.trim_end();
        match self.name {
            "claude" => prompt.trim_end_matches('\u{200d}').replace('\t', "    ").replace("e\u{301}", "é"),
            "copilot" => without_preface(prompt, "current_datetime").replace('\t', "    "),
            "goose" => without_preface(prompt, "info-msg").replace("e\u{301}", "é"),
            "qwen" => prompt.replace("\n @", "\n@"),
            _ => prompt.to_owned(),
        }
    }

    /// Whether the CLI asks this for itself, beside the conversation: qwen has an agent of its own look through each turn for
    /// what is worth keeping.
    pub(crate) fn asks_for_itself(&self, prompt: &str) -> bool {
        self.name == "qwen" && prompt.starts_with("Managed memory ")
    }

    /// For a recording: how it is started by hand.
    pub(crate) fn bare_arguments(&self) -> &'static [&'static str] {
        match self.name {
            "codex" => &["--no-daemon"],
            "goose" => &["session", "--no-profile", "--with-builtin", "developer"],
            _ => &[],
        }
    }

    /// For a recording, which begins before any rule is known.
    pub(crate) fn shows_its_prompt(&self, grid: &str) -> bool {
        let sign = match self.name {
            "gemini" | "qwen" => "Type your message",
            "copilot" => "/ commands · ? help",
            "goose" => "goose is ready",
            "claude" => "? for shortcuts",
            "codex" => "Ask Codex to do anything",
            _ => "Ask anything",
        };
        grid.contains(sign)
    }

    /// For a recording: that it asks whether a command may be run.
    pub(crate) fn asks(&self, grid: &str) -> bool {
        let signs = [
            "Allow execution of",
            "Do you want to run",
            "do you allow",
            "Do you want to proceed",
            "Would you like to run",
            "Permission required",
            "Allow this",
        ];
        signs.iter().any(|sign| grid.contains(sign))
    }

    /// What stops a turn, and how often it is pressed.
    pub(crate) fn interrupts_with(&self) -> (KeyEvent, usize) {
        match self.name {
            "goose" => (KeyEvent::new('c', Modifiers::CTRL), 1),
            "opencode" | "copilot" => (KeyEvent::press(Key::Escape), 2),
            _ => (KeyEvent::press(Key::Escape), 1),
        }
    }

    /// Writes what the person would have set up, and answers the environment that it takes.
    pub(crate) fn seed(&self, place: &Place<'_>) -> Result<Environment> {
        match self.name {
            "claude" => claude(place),
            "codex" => codex(place),
            "opencode" => opencode(place),
            "gemini" => gemini(place),
            "copilot" => copilot(place),
            "qwen" => qwen(place),
            "goose" => goose(place),
            name => Err(anyhow!("nobody has written down how {name} runs without an account")),
        }
    }
}

/// A prompt without what its CLI puts before it, in a tag of its own.
fn without_preface(prompt: &str, tag: &str) -> String {
    let rest = prompt.strip_prefix(&format!("<{tag}>")).and_then(|rest| rest.split_once(&format!("</{tag}>")));
    rest.map_or(prompt, |(_, prompt)| prompt.trim_start()).to_owned()
}

fn write(path: PathBuf, text: &str) -> Result<()> {
    fs::create_dir_all(path.parent().context("a file lies in a folder")?)?;
    fs::write(&path, text).with_context(|| format!("writing {}", path.display()))
}

fn claude(place: &Place<'_>) -> Result<Environment> {
    let settings = json!({
        "hasCompletedOnboarding": true,
        "theme": "dark",
        "customApiKeyResponses": { "approved": [&KEY[KEY.len() - 20..]], "rejected": [] },
        "projects": { place.project.to_string_lossy(): { "hasTrustDialogAccepted": true } },
    });
    write(place.home.join(".claude.json"), &settings.to_string())?;
    // Else it asks nothing where a command only reads.
    let settings = json!({ "permissions": { "ask": ["Bash"] } });
    write(place.home.join(".claude/settings.json"), &settings.to_string())?;
    Ok(vec![
        ("ANTHROPIC_BASE_URL", place.model.to_owned()),
        ("ANTHROPIC_API_KEY", KEY.into()),
        ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1".into()),
    ])
}

fn codex(place: &Place<'_>) -> Result<Environment> {
    let (project, model) = (place.project.display(), place.model);
    let settings = format!(
        "model = \"gpt-5.2-codex\"\nmodel_provider = \"scripted\"\ncheck_for_update_on_startup = false\n\n\
         [model_providers.scripted]\nname = \"scripted\"\nbase_url = \"{model}/v1\"\nwire_api = \"responses\"\n\
         env_key = \"SCRIPTED_MODEL_KEY\"\n\n[projects.\"{project}\"]\ntrust_level = \"trusted\"\n"
    );
    write(place.home.join(".codex/config.toml"), &settings)?;
    Ok(vec![("SCRIPTED_MODEL_KEY", KEY.into())])
}

fn opencode(place: &Place<'_>) -> Result<Environment> {
    let settings = json!({
        "model": "scripted/scripted",
        "small_model": "scripted/scripted",
        "autoupdate": false,
        "share": "disabled",
        "permission": { "bash": "ask" },
        "provider": { "scripted": {
            "npm": "@ai-sdk/openai-compatible",
            "name": "Scripted",
            "options": { "baseURL": format!("{}/v1", place.model), "apiKey": KEY },
            "models": { "scripted": { "name": "Scripted", "limit": { "context": 4_000_000, "output": 8000 } } },
        } },
    });
    write(place.home.join(".config/opencode/opencode.json"), &settings.to_string())?;
    Ok(vec![("OPENCODE_DISABLE_MODELS_FETCH", "1".into())])
}

fn gemini(place: &Place<'_>) -> Result<Environment> {
    let settings = json!({
        "security": { "auth": { "selectedType": "gemini-api-key" }, "folderTrust": { "enabled": false } },
        "general": { "enableAutoUpdate": false, "enableAutoUpdateNotification": false },
        "privacy": { "usageStatisticsEnabled": false },
    });
    write(place.home.join(".gemini/settings.json"), &settings.to_string())?;
    Ok(vec![("GEMINI_API_KEY", KEY.into()), ("GOOGLE_GEMINI_BASE_URL", place.model.to_owned())])
}

fn copilot(place: &Place<'_>) -> Result<Environment> {
    let settings = json!({ "trustedFolders": [place.project.to_string_lossy()], "banner": "never" });
    write(place.home.join(".copilot/config.json"), &settings.to_string())?;
    Ok(vec![
        ("COPILOT_OFFLINE", "true".into()),
        ("COPILOT_PROVIDER_BASE_URL", format!("{}/v1", place.model)),
        ("COPILOT_PROVIDER_API_KEY", KEY.into()),
        ("COPILOT_MODEL", "gpt-4.1".into()),
        // Else it has its model sum up the conversation in the middle of a run.
        ("COPILOT_PROVIDER_MAX_PROMPT_TOKENS", "4000000".into()),
    ])
}

fn qwen(place: &Place<'_>) -> Result<Environment> {
    // Else it installs a newer one for the whole machine while it runs.
    let settings = json!({
        "security": { "auth": { "selectedType": "openai" } },
        "general": { "enableAutoUpdate": false },
        "model": { "name": "scripted" },
        // Else a newer one lets a model judge what may run.
        "tools": { "approvalMode": "default" },
        "privacy": { "usageStatisticsEnabled": false },
    });
    write(place.home.join(".qwen/settings.json"), &settings.to_string())?;
    Ok(vec![
        ("OPENAI_API_KEY", KEY.into()),
        ("OPENAI_BASE_URL", format!("{}/v1", place.model)),
        ("OPENAI_MODEL", "scripted".into()),
    ])
}

fn goose(place: &Place<'_>) -> Result<Environment> {
    write(place.home.join(".config/goose/config.yaml"), "GOOSE_TELEMETRY_ENABLED: false\nGOOSE_MODE: approve\n")?;
    Ok(vec![
        ("GOOSE_PROVIDER", "openai".into()),
        ("GOOSE_MODEL", "gpt-4o".into()),
        ("OPENAI_HOST", place.model.to_owned()),
        ("OPENAI_API_KEY", KEY.into()),
    ])
}

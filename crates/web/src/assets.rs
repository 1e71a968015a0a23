//! The page's files, embedded in the program: nothing is fetched from elsewhere, and no file can be missing.

use axum::{
    http::{HeaderValue, header},
    response::{IntoResponse, Response},
};

#[derive(Debug)]
pub(crate) struct PageAsset {
    name: &'static str,
    kind: &'static str,
    text: &'static str,
}

const SCRIPT: &str = "text/javascript; charset=utf-8";

macro_rules! file {
    ($name:literal, $kind:expr) => {
        PageAsset { name: $name, kind: $kind, text: include_str!(concat!("../page/", $name)) }
    };
}

pub(crate) const INDEX: PageAsset = file!("index.html", "text/html; charset=utf-8");

const FILES: &[PageAsset] = &[
    file!("style.css", "text/css; charset=utf-8"),
    file!("icon.svg", "image/svg+xml"),
    file!("manifest.webmanifest", "application/manifest+json"),
    file!("boxes.js", SCRIPT),
    file!("connection.js", SCRIPT),
    file!("dialogs.js", SCRIPT),
    file!("dom.js", SCRIPT),
    file!("feed.js", SCRIPT),
    file!("find.js", SCRIPT),
    file!("history.js", SCRIPT),
    file!("key.js", SCRIPT),
    file!("keybar.js", SCRIPT),
    file!("keys.js", SCRIPT),
    file!("list.js", SCRIPT),
    file!("login.js", SCRIPT),
    file!("main.js", SCRIPT),
    file!("painter.js", SCRIPT),
    file!("picture.js", SCRIPT),
    file!("player.js", SCRIPT),
    file!("screen.js", SCRIPT),
    file!("settings.js", SCRIPT),
    file!("terminal.js", SCRIPT),
    file!("textlayer.js", SCRIPT),
    file!("theme.js", SCRIPT),
];

pub(crate) fn find(name: &str) -> Option<&'static PageAsset> {
    // Browsers request this by themselves.
    let name = if name == "favicon.ico" { "icon.svg" } else { name };
    FILES.iter().find(|asset| asset.name == name)
}

pub(crate) fn respond(asset: &PageAsset) -> Response {
    let kind = HeaderValue::from_static(asset.kind);
    // Not cached: the files are a few kilobytes over loopback, and must match the running program.
    ([(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, HeaderValue::from_static("no-cache"))], asset.text)
        .into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_of_the_page_is_served() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("page");
        let mut count = 0;
        for entry in folder.read_dir().unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            // Type declarations are for the type checker only.
            if !name.ends_with(".d.ts") && !name.ends_with("config.json") && name != INDEX.name {
                assert!(find(&name).is_some(), "{name}");
                count += 1;
            }
        }
        assert_eq!(count, FILES.len());
    }

    #[test]
    fn nothing_is_fetched_from_elsewhere() {
        for asset in FILES.iter().chain([&INDEX]) {
            let foreign = asset.text.lines().find(|line| {
                ["http://", "https://", "//cdn"].iter().any(|foreign| line.contains(foreign)) && !line.contains("xmlns")
            });
            assert_eq!(foreign, None, "{}", asset.name);
        }
    }
}

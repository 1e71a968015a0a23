//! The first line of a recording.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The version of the asciicast format. Players before asciinema 3 know only version 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AsciicastVersion {
    /// Times count from the start; there is no exit event.
    V2,
    /// Times count from the previous event.
    V3,
}

/// The header's content in both versions. Everything but the size is optional.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CastHeader {
    pub cols: u16,
    pub rows: u16,
    /// The value of TERM. Version 2 keeps it with the environment.
    pub term_type: Option<String>,
    /// Name and version of the terminal. Only in version 3.
    pub term_version: Option<String>,
    pub theme: Option<CastTheme>,
    /// When the recording began, in seconds since 1970.
    pub timestamp: Option<u64>,
    /// Players shorten longer pauses to this many seconds.
    pub idle_time_limit: Option<f64>,
    pub command: Option<String>,
    pub title: Option<String>,
    pub env: BTreeMap<String, String>,
    /// Only in version 3.
    pub tags: Vec<String>,
}

/// Colours as `#rrggbb`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CastTheme {
    pub fg: String,
    pub bg: String,
    /// 8 or 16 colours with colons between.
    pub palette: String,
}

/// The line as it is in the file: the fields of both versions, of which each writes its own.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct HeaderLine {
    version: u8,
    #[serde(skip_serializing_if = "Option::is_none")]
    width: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    height: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    term: Option<Term>,
    #[serde(skip_serializing_if = "Option::is_none")]
    timestamp: Option<serde_json::Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    idle_time_limit: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    command: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    /// Older recorders wrote null values.
    #[serde(skip_serializing_if = "Option::is_none")]
    env: Option<BTreeMap<String, Option<String>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    theme: Option<CastTheme>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tags: Option<Vec<String>>,
}

#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct Term {
    cols: u16,
    rows: u16,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    kind: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    theme: Option<CastTheme>,
}

/// The environment variable that holds the terminal's type in version 2.
const TERM: &str = "TERM";

impl CastHeader {
    /// Without a line end.
    pub(crate) fn to_line(&self, format: AsciicastVersion) -> String {
        let mut env: BTreeMap<String, Option<String>> =
            self.env.iter().map(|(name, value)| (name.clone(), Some(value.clone()))).collect();
        let mut line = HeaderLine {
            timestamp: self.timestamp.map(Into::into),
            idle_time_limit: self.idle_time_limit,
            command: self.command.clone(),
            title: self.title.clone(),
            ..HeaderLine::default()
        };
        match format {
            AsciicastVersion::V2 => {
                line.version = 2;
                (line.width, line.height) = (Some(self.cols), Some(self.rows));
                line.theme = self.theme.clone();
                if let Some(kind) = &self.term_type {
                    env.entry(TERM.to_owned()).or_insert_with(|| Some(kind.clone()));
                }
            }
            AsciicastVersion::V3 => {
                line.version = 3;
                line.term = Some(Term {
                    cols: self.cols,
                    rows: self.rows,
                    kind: self.term_type.clone(),
                    version: self.term_version.clone(),
                    theme: self.theme.clone(),
                });
                line.tags = Some(self.tags.clone()).filter(|tags| !tags.is_empty());
            }
        }
        line.env = Some(env).filter(|env| !env.is_empty());
        serde_json::to_string(&line).expect("text and numbers can be written as JSON")
    }

    pub(crate) fn from_line(line: &str) -> Result<(AsciicastVersion, CastHeader), HeaderError> {
        let line: HeaderLine = serde_json::from_str(line)?;
        let format = match line.version {
            2 => AsciicastVersion::V2,
            3 => AsciicastVersion::V3,
            version => return Err(HeaderError::Version(version)),
        };
        let mut env: BTreeMap<String, String> =
            line.env.unwrap_or_default().into_iter().filter_map(|(name, value)| Some((name, value?))).collect();
        let term = match format {
            AsciicastVersion::V2 => Term {
                cols: line.width.unwrap_or(0),
                rows: line.height.unwrap_or(0),
                kind: env.remove(TERM),
                version: None,
                theme: line.theme,
            },
            AsciicastVersion::V3 => line.term.unwrap_or_default(),
        };
        if term.cols == 0 || term.rows == 0 {
            return Err(HeaderError::NoSize);
        }
        let header = CastHeader {
            cols: term.cols,
            rows: term.rows,
            term_type: term.kind,
            term_version: term.version,
            theme: term.theme,
            // Some recorders wrote fractions.
            timestamp: line.timestamp.and_then(|time| time.as_u64().or(time.as_f64().map(|time| time as u64))),
            idle_time_limit: line.idle_time_limit,
            command: line.command,
            title: line.title,
            env,
            tags: line.tags.unwrap_or_default(),
        };
        Ok((format, header))
    }
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum HeaderError {
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    #[error("version {0}")]
    Version(u8),
    #[error("no size")]
    NoSize,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn full() -> CastHeader {
        CastHeader {
            cols: 120,
            rows: 40,
            term_type: Some("xterm-256color".into()),
            term_version: None,
            theme: Some(CastTheme { fg: "#ffffff".into(), bg: "#000000".into(), palette: "#000000:#ffffff".into() }),
            timestamp: Some(1_789_000_000),
            idle_time_limit: Some(2.5),
            command: Some("bash -l".into()),
            title: Some("a \"title\"".into()),
            env: [("SHELL".to_owned(), "/bin/bash".to_owned())].into(),
            tags: Vec::new(),
        }
    }

    #[test]
    fn both_versions_read_what_they_write() {
        for format in [AsciicastVersion::V2, AsciicastVersion::V3] {
            assert_eq!(CastHeader::from_line(&full().to_line(format)).unwrap(), (format, full()));
        }
        let tagged = CastHeader { tags: vec!["demo".into()], term_version: Some("patterm 1".into()), ..full() };
        assert_eq!(CastHeader::from_line(&tagged.to_line(AsciicastVersion::V3)).unwrap().1, tagged);
    }

    #[test]
    fn the_two_versions_differ_where_the_format_does() {
        let size = CastHeader { cols: 80, rows: 24, term_type: Some("xterm".into()), ..CastHeader::default() };
        assert_eq!(
            size.to_line(AsciicastVersion::V2),
            r#"{"version":2,"width":80,"height":24,"env":{"TERM":"xterm"}}"#
        );
        assert_eq!(size.to_line(AsciicastVersion::V3), r#"{"version":3,"term":{"cols":80,"rows":24,"type":"xterm"}}"#);
    }

    #[test]
    fn what_other_recorders_write_is_taken() {
        let line = r#"{"version": 2, "width": 80, "height": 24, "timestamp": 1504467315.5, "duration": 3.1, "env": {"TERM": "screen", "SHELL": null}, "x": 1}"#;
        let (_, header) = CastHeader::from_line(line).unwrap();
        assert_eq!((header.timestamp, header.term_type.as_deref()), (Some(1_504_467_315), Some("screen")));
        assert!(header.env.is_empty());
        assert!(matches!(CastHeader::from_line(r#"{"version":1,"width":1,"height":1}"#), Err(HeaderError::Version(1))));
        assert!(matches!(CastHeader::from_line(r#"{"version":3}"#), Err(HeaderError::NoSize)));
        assert!(matches!(CastHeader::from_line("[1, \"o\", \"x\"]"), Err(HeaderError::Json(_))));
    }
}

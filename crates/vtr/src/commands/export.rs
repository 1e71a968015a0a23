//! `vtr export`

use std::{
    io::{BufWriter, Write},
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use program::{Exit, Failure, Outcome};
use replay::{ExportOutcome, export, export_file, parse_clock};
use serde_json::json;

use crate::{invocation::Invocation, playback};

/// Convert a recording to another format
///
/// v2 and v3 are asciicast; txt is all printed text; svg and html are pictures of the screen at one moment. The file is
/// readable only by you (0600); if it can't be written completely, it is removed.
#[derive(Debug, clap::Args)]
pub(crate) struct ExportArgs {
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    file: PathBuf,
    /// The format [default: by the output file's extension]
    #[arg(long, value_enum)]
    format: Option<ExportFormArg>,
    /// The file to write [default: standard output]
    #[arg(long, short, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    output: Option<PathBuf>,
    /// Overwrite an existing file
    #[arg(long, requires = "output")]
    force: bool,
    /// The moment of a picture, or the end of the text, for example 90s or 1:30 [default: the end]
    #[arg(long, value_name = "TIME", value_parser = parse_clock)]
    at: Option<Duration>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum ExportFormArg {
    V2,
    V3,
    Txt,
    Svg,
    Html,
    #[value(hide = true)]
    Gif,
}

impl ExportFormArg {
    fn of(path: &Path) -> Option<Self> {
        Some(match path.extension()?.to_str()? {
            "cast" => ExportFormArg::V3,
            "txt" => ExportFormArg::Txt,
            "svg" => ExportFormArg::Svg,
            "html" | "htm" => ExportFormArg::Html,
            "gif" => ExportFormArg::Gif,
            _ => return None,
        })
    }
}

impl ExportArgs {
    pub(crate) fn run(self, invocation: &mut Invocation) -> Outcome {
        let form = self.format.or_else(|| self.output.as_deref().and_then(ExportFormArg::of));
        let form =
            form.ok_or_else(|| Failure::usage("no format given").with_hint("give --format v2, v3, txt, svg or html"))?;
        let form = match form {
            ExportFormArg::V2 => replay::ExportForm::V2,
            ExportFormArg::V3 => replay::ExportForm::V3,
            ExportFormArg::Txt => replay::ExportForm::Text,
            ExportFormArg::Svg => replay::ExportForm::Svg,
            ExportFormArg::Html => replay::ExportForm::Html,
            ExportFormArg::Gif => {
                return Err(Failure::new(
                    Exit::Refused,
                    "unsupported",
                    "GIF is not supported: it would need a font and a rasteriser in this program",
                )
                .with_hint("export v2 and convert it with `agg`, or use svg for a still picture"));
            }
        };
        let tape = Arc::new(playback::load(&self.file, &mut invocation.output)?);
        let Some(path) = &self.output else {
            let mut stdout = BufWriter::new(std::io::stdout().lock());
            let left_out = export(tape, form, self.at, &mut stdout)?;
            stdout.flush()?;
            drop(stdout);
            left_out.into_iter().for_each(|words| invocation.output.warn(words));
            return Ok(Exit::Done);
        };
        let written = export_file(tape, form, self.at, path, self.force).map_err(|error| match error.kind() {
            std::io::ErrorKind::AlreadyExists => {
                Failure::new(Exit::Refused, "already_exists", format!("{} exists already", path.display()))
                    .with_hint("choose another file, or give --force")
            }
            _ => Failure::system(format_args!("writing {}", path.display()), &error),
        })?;
        let ExportOutcome { bytes, left_out } = written;
        left_out.into_iter().for_each(|words| invocation.output.warn(words));
        let reply = json!({ "file": path.display().to_string(), "bytes": bytes });
        invocation.output.answer(&reply, format!("{} ({bytes} bytes)", path.display()))?;
        Ok(Exit::Done)
    }
}

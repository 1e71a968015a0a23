//! Writes the Rust code and the descriptor set of proto/vtr.proto, without `protoc`.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, ensure};
use clap::Args;
use prost::Message;

use crate::{Verdict, repository};

const GENERATED: &str = "crates/grpc/src/generated";

/// Generate the gRPC code again from proto/vtr.proto
#[derive(Args)]
pub(crate) struct Arguments {
    /// Write nothing; fail if the code is out of date
    #[arg(long)]
    check: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Verdict> {
    let folder = repository(GENERATED);
    let scratch = repository("target/proto");
    fs::create_dir_all(&scratch).with_context(|| format!("making {}", scratch.display()))?;
    let mut verdict = Verdict::Good;
    for made in generate(&scratch)? {
        let name = made.file_name().expect("a generated file has a name");
        let there = folder.join(name);
        let bytes = fs::read(&made).with_context(|| format!("reading {}", made.display()))?;
        if !arguments.check {
            fs::create_dir_all(&folder)?;
            fs::write(&there, bytes).with_context(|| format!("writing {}", there.display()))?;
        } else if fs::read(&there).ok().as_ref() != Some(&bytes) {
            println!("{GENERATED}/{} is out of date: run `cargo xtask proto` and commit", name.display());
            verdict = Verdict::Bad;
        }
    }
    Ok(verdict)
}

/// Generates the files that belong into the repository, in `out`.
fn generate(out: &Path) -> Result<Vec<PathBuf>> {
    let files = protox::compile(["vtr.proto"], [repository("proto")]).context("compiling proto/vtr.proto")?;
    let descriptors = out.join("vtr.descriptors.bin");
    let mut reflected = files.clone();
    for file in &mut reflected.file {
        // Clients need no comments and positions.
        file.source_code_info = None;
    }
    fs::write(&descriptors, reflected.encode_to_vec())?;
    tonic_prost_build::configure()
        .out_dir(out)
        .emit_package(false)
        // Cells are encoded straight from the frame, and read without one allocation each.
        .extern_path(".vtr.ScreenRow", "crate::screen_row::ScreenRow")
        // Distinguishes a bad message from a broken server.
        .codec_path("crate::codec::VtrCodec")
        .compile_fds(files)
        .context("writing Rust for proto/vtr.proto")?;
    let code = out.join("vtr.rs");
    ensure!(code.exists(), "no {} was made", code.display());
    Ok(vec![code, descriptors])
}

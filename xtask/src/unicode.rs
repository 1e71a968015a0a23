//! Writes `vt`'s tables of widths and cluster classes from ICU's data.

use std::{collections::HashMap, fmt::Write};

use anyhow::{Context, Result};
use clap::Args;
use icu_properties::{
    CodePointMapData, CodePointSetData,
    props::{EastAsianWidth, Emoji, ExtendedPictographic, GeneralCategory, GraphemeClusterBreak, IndicConjunctBreak},
};

use crate::{Verdict, repository};

const TABLES: &str = "crates/vt/src/unicode/tables.rs";
const BLOCK: u32 = 128;

/// Make the tables of widths and cluster classes anew
#[derive(Args)]
pub(crate) struct Arguments {
    /// Write nothing; fail when the tables are not what would be written
    #[arg(long)]
    check: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Verdict> {
    let path = repository(TABLES);
    let tables = tables();
    if !arguments.check {
        std::fs::write(&path, tables).with_context(|| format!("writing {TABLES}"))?;
        return Ok(Verdict::Good);
    }
    let there = std::fs::read_to_string(&path).with_context(|| format!("reading {TABLES}"))?;
    if there == tables {
        return Ok(Verdict::Good);
    }
    println!("{TABLES} is not what `cargo xtask unicode` writes: run it and commit the result");
    Ok(Verdict::Bad)
}

/// One byte per code point, as `crates/vt/src/unicode.rs` reads it.
struct Properties {
    cluster: icu_properties::CodePointMapDataBorrowed<'static, GraphemeClusterBreak>,
    width: icu_properties::CodePointMapDataBorrowed<'static, EastAsianWidth>,
    category: icu_properties::CodePointMapDataBorrowed<'static, GeneralCategory>,
    conjunct: icu_properties::CodePointMapDataBorrowed<'static, IndicConjunctBreak>,
    pictographic: icu_properties::CodePointSetDataBorrowed<'static>,
}

impl Properties {
    fn new() -> Self {
        Properties {
            cluster: CodePointMapData::<GraphemeClusterBreak>::new(),
            width: CodePointMapData::<EastAsianWidth>::new(),
            category: CodePointMapData::<GeneralCategory>::new(),
            conjunct: CodePointMapData::<IndicConjunctBreak>::new(),
            pictographic: CodePointSetData::new::<ExtendedPictographic>(),
        }
    }

    fn of(&self, code: u32) -> u8 {
        self.width(code) | self.class(code) << 2 | self.conjunct(code) << 6
    }

    fn class(&self, code: u32) -> u8 {
        if self.pictographic.contains32(code) {
            return 12;
        }
        match self.cluster.get32(code) {
            GraphemeClusterBreak::Extend => 1,
            GraphemeClusterBreak::ZWJ => 2,
            GraphemeClusterBreak::RegionalIndicator => 3,
            GraphemeClusterBreak::Prepend => 4,
            GraphemeClusterBreak::SpacingMark => 5,
            GraphemeClusterBreak::L => 6,
            GraphemeClusterBreak::V => 7,
            GraphemeClusterBreak::T => 8,
            GraphemeClusterBreak::LV => 9,
            GraphemeClusterBreak::LVT => 10,
            GraphemeClusterBreak::Control | GraphemeClusterBreak::CR | GraphemeClusterBreak::LF => 11,
            _ => 0,
        }
    }

    fn conjunct(&self, code: u32) -> u8 {
        match self.conjunct.get32(code) {
            IndicConjunctBreak::Consonant => 1,
            IndicConjunctBreak::Linker => 2,
            IndicConjunctBreak::Extend => 3,
            _ => 0,
        }
    }

    /// Nothing for marks and format characters, two for what East Asian Width calls wide (and for flag
    /// letters, whose pairs are), one for the rest.
    fn width(&self, code: u32) -> u8 {
        let cluster = self.cluster.get32(code);
        let category = self.category.get32(code);
        let soft_hyphen = code == 0xad;
        let nothing = match category {
            GeneralCategory::NonspacingMark | GeneralCategory::EnclosingMark => true,
            GeneralCategory::LineSeparator | GeneralCategory::ParagraphSeparator => true,
            GeneralCategory::Format => !soft_hyphen && cluster != GraphemeClusterBreak::Prepend,
            GeneralCategory::Unassigned => cluster == GraphemeClusterBreak::Control,
            _ => matches!(cluster, GraphemeClusterBreak::V | GraphemeClusterBreak::T),
        };
        let wide = matches!(self.width.get32(code), EastAsianWidth::Wide | EastAsianWidth::Fullwidth)
            || cluster == GraphemeClusterBreak::RegionalIndicator;
        match (nothing, wide) {
            (true, _) => 0,
            (false, true) => 2,
            (false, false) => 1,
        }
    }
}

fn tables() -> String {
    let properties = Properties::new();
    let mut ids: HashMap<Vec<u8>, usize> = HashMap::new();
    let mut blocks: Vec<Vec<u8>> = Vec::new();
    let mut block_of = Vec::new();
    for first in (0..=u32::from(char::MAX)).step_by(BLOCK as usize) {
        let block: Vec<u8> = (first..first + BLOCK).map(|code| properties.of(code)).collect();
        let id = *ids.entry(block.clone()).or_insert_with(|| {
            blocks.push(block);
            blocks.len() - 1
        });
        block_of.push(id);
    }

    let mut out = String::from("//! Generated by `cargo xtask unicode`; do not edit.\n");
    let numbers = |values: &[String]| values.join(",");
    let mut line = |text: String| writeln!(out, "{text}").expect("writing to a string");
    line(format!("\n#[rustfmt::skip]\npub(super) static BLOCK_OF: [u8; {}] = [", block_of.len()));
    for row in block_of.chunks(32) {
        line(format!("    {},", numbers(&row.iter().map(usize::to_string).collect::<Vec<_>>())));
    }
    line(format!("];\n\n#[rustfmt::skip]\npub(super) static BLOCKS: [[u8; {BLOCK}]; {}] = [", blocks.len()));
    for block in &blocks {
        line("    [".to_owned());
        for row in block.chunks(32) {
            line(format!("        {},", numbers(&row.iter().map(u8::to_string).collect::<Vec<_>>())));
        }
        line("    ],".to_owned());
    }
    let ranges = narrow_emoji(&properties);
    line(format!("];\n\n#[rustfmt::skip]\npub(super) static NARROW_EMOJI: [(u32, u32); {}] = [", ranges.len()));
    for row in ranges.chunks(4) {
        let row: Vec<String> = row.iter().map(|(first, last)| format!("(0x{first:04x}, 0x{last:04x})")).collect();
        line(format!("    {},", row.join(", ")));
    }
    line("];".to_owned());
    out
}

/// Emoji beyond ASCII that are one cell wide until a variation selector asks for more.
fn narrow_emoji(properties: &Properties) -> Vec<(u32, u32)> {
    let emoji = CodePointSetData::new::<Emoji>();
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for code in (0x80..=u32::from(char::MAX)).filter(|&code| emoji.contains32(code) && properties.width(code) == 1) {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == code => *last = code,
            _ => ranges.push((code, code)),
        }
    }
    ranges
}

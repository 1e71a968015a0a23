//! `vtr.ScreenRow` by hand: its cells stay encoded.
//!
//! A screen of 120x40 has 4,800 cells. As generated messages, each would contain a `String`: thousands of allocations
//! on each side of every GetScreen. Here the server writes them straight from the line, and a client reads them in
//! place.

use bytes::{Buf, BufMut, Bytes};
use prost::{
    DecodeError, Message,
    encoding::{self, DecodeContext, WireType},
};

use crate::proto::CellRun;

const CELLS: u32 = 1;
const RUNS: u32 = 16;
const WRAPPED: u32 = 17;

/// 120 columns in the default colours, with a little room.
const USUAL_ROW_BYTES: usize = 3500;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScreenRow {
    /// One per column, or none if runs were requested.
    pub cells: EncodedCells,
    /// Without the blanks at the end of the row; none if cells were requested.
    pub runs: Vec<CellRun>,
    /// The text continues in the next row.
    pub wrapped: bool,
}

impl ScreenRow {
    /// The row's text from its cells or runs, trailing blanks trimmed.
    pub fn text(&self) -> String {
        let mut text: String = self.cells.iter().map(|cell| cell.text).collect();
        text.extend(self.runs.iter().map(|run| run.text.as_str()));
        text.truncate(text.trim_end_matches(' ').len());
        text
    }
}

/// The encoded cells of a row: `ScreenCell` messages with their keys.
#[derive(Clone, Debug, Default)]
pub struct EncodedCells(Encoded);

#[derive(Clone, Debug)]
enum Encoded {
    /// Written by a server, possibly sent more than once.
    Shared(Bytes),
    /// Read from the wire.
    Own(Vec<u8>),
}

impl Default for Encoded {
    fn default() -> Self {
        Encoded::Own(Vec::new())
    }
}

/// One column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowCell<'a> {
    /// A character or a cluster; a space for a blank cell; empty for the second cell of a wide character.
    pub text: &'a str,
    /// 0xRRGGBB, -1 for the default colour.
    pub fg_color: i32,
    pub bg_color: i32,
    /// Bits as the proto lists them.
    pub attributes: u32,
}

impl EncodedCells {
    /// `encoded` holds `ScreenCell`s as field 1 of a `ScreenRow`.
    pub(crate) fn from_encoded(encoded: Bytes) -> Self {
        EncodedCells(Encoded::Shared(encoded))
    }

    fn bytes(&self) -> &[u8] {
        match &self.0 {
            Encoded::Shared(bytes) => bytes,
            Encoded::Own(bytes) => bytes,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.bytes().is_empty()
    }

    /// From the left. Ends early at a malformed cell.
    pub fn iter(&self) -> impl Iterator<Item = RowCell<'_>> {
        let mut rest = self.bytes();
        std::iter::from_fn(move || {
            let (_, cell) = (rest.try_get_u8().ok()?, take_delimited(&mut rest)?);
            read_cell(cell)
        })
    }
}

impl PartialEq for EncodedCells {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

fn take_delimited<'a>(from: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = usize::try_from(encoding::decode_varint(from).ok()?).ok()?;
    let (taken, rest) = from.split_at_checked(length)?;
    *from = rest;
    Some(taken)
}

fn read_cell(mut rest: &[u8]) -> Option<RowCell<'_>> {
    let mut cell = RowCell { text: "", fg_color: 0, bg_color: 0, attributes: 0 };
    while !rest.is_empty() {
        let (tag, wire_type) = encoding::decode_key(&mut rest).ok()?;
        match (tag, wire_type) {
            (1, WireType::LengthDelimited) => cell.text = std::str::from_utf8(take_delimited(&mut rest)?).ok()?,
            (2..=4, WireType::Varint) => {
                let value = encoding::decode_varint(&mut rest).ok()?;
                match tag {
                    // Negative numbers are encoded in 64 bits; the low 32 are the number.
                    2 => cell.fg_color = value as i32,
                    3 => cell.bg_color = value as i32,
                    _ => cell.attributes = value as u32,
                }
            }
            _ => encoding::skip_field(wire_type, tag, &mut rest, DecodeContext::default()).ok()?,
        }
    }
    Some(cell)
}

impl Message for ScreenRow {
    fn encode_raw(&self, buf: &mut impl BufMut) {
        buf.put_slice(self.cells.bytes());
        encoding::message::encode_repeated(RUNS, &self.runs, buf);
        if self.wrapped {
            encoding::bool::encode(WRAPPED, &self.wrapped, buf);
        }
    }

    fn merge_field(
        &mut self,
        tag: u32,
        wire_type: WireType,
        buf: &mut impl Buf,
        context: DecodeContext,
    ) -> Result<(), DecodeError> {
        match tag {
            CELLS => self.merge_cell(wire_type, buf),
            RUNS => encoding::message::merge_repeated(wire_type, &mut self.runs, buf, context),
            WRAPPED => encoding::bool::merge(wire_type, &mut self.wrapped, buf, context),
            _ => encoding::skip_field(wire_type, tag, buf, context),
        }
    }

    fn encoded_len(&self) -> usize {
        let wrapped = if self.wrapped { encoding::bool::encoded_len(WRAPPED, &true) } else { 0 };
        self.cells.bytes().len() + encoding::message::encoded_len_repeated(RUNS, &self.runs) + wrapped
    }

    fn clear(&mut self) {
        *self = ScreenRow::default();
    }
}

impl ScreenRow {
    fn merge_cell(&mut self, wire_type: WireType, buf: &mut impl Buf) -> Result<(), DecodeError> {
        encoding::check_wire_type(WireType::LengthDelimited, wire_type)?;
        let length = encoding::decode_varint(buf)?;
        if length > buf.remaining() as u64 {
            return Err(decode_error());
        }
        if let Encoded::Shared(bytes) = &self.cells.0 {
            self.cells.0 = Encoded::Own(bytes.to_vec());
        }
        let Encoded::Own(cells) = &mut self.cells.0 else { return Err(decode_error()) };
        if cells.is_empty() {
            cells.reserve(USUAL_ROW_BYTES);
        }
        encoding::encode_key(CELLS, WireType::LengthDelimited, cells);
        encoding::encode_varint(length, cells);
        let length = length as usize;
        // Nearly always the cell is contiguous.
        if let Some(cell) = buf.chunk().get(..length) {
            cells.extend_from_slice(cell);
            buf.advance(length);
        } else {
            cells.put(buf.take(length));
        }
        Ok(())
    }
}

/// prost has no public constructor for its errors, so one is provoked.
fn decode_error() -> DecodeError {
    encoding::decode_varint(&mut &[][..]).expect_err("nothing is no number")
}

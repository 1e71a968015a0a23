//! Which parts of the status line are shown, and in which form, where there is no room for all of them.
//!
//! What is least needed goes first, in one order that is the same for every list (`STEPS`). What waits for the person
//! never goes.

use project::settings::StatusPart;

/// Columns between two parts, and between the two ends.
pub const GAP: usize = 2;
/// Columns at the outer edge of each end.
pub const EDGE: usize = 1;
/// Fewer columns of a cut part say nothing.
const LEAST_CUT: usize = 4;

/// One piece of the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatusPiece {
    /// What is being typed, or how to leave where the keyboard is: shown whatever is listed.
    Typing,
    Part(StatusPart),
}

/// A piece with the columns that it would take; 0 if it has nothing to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PieceWidth {
    pub piece: StatusPiece,
    pub full: usize,
    /// Of its short form; as `full` for a piece that has none.
    pub short: usize,
}

/// How a piece is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PieceForm {
    Full,
    Short,
    /// In so many columns.
    Cut(usize),
    Gone,
}

/// What a piece gives when there is no room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Yielding {
    Goes,
    Shortens,
    IsCut,
}

/// What gives way, the first first: what can be looked up elsewhere, then what is in sight anyway, then words.
const STEPS: &[(StatusPiece, Yielding)] = &[
    (StatusPiece::Part(StatusPart::Size), Yielding::Goes),
    (StatusPiece::Part(StatusPart::Program), Yielding::Goes),
    (StatusPiece::Part(StatusPart::Folder), Yielding::Goes),
    (StatusPiece::Part(StatusPart::Counts), Yielding::Goes),
    (StatusPiece::Part(StatusPart::Project), Yielding::Goes),
    (StatusPiece::Part(StatusPart::Branch), Yielding::Goes),
    (StatusPiece::Part(StatusPart::Session), Yielding::Goes),
    (StatusPiece::Part(StatusPart::Clock), Yielding::Goes),
    (StatusPiece::Part(StatusPart::Notes), Yielding::Goes),
    (StatusPiece::Part(StatusPart::Keys), Yielding::Shortens),
    (StatusPiece::Part(StatusPart::Waiting), Yielding::Shortens),
    (StatusPiece::Part(StatusPart::Control), Yielding::IsCut),
    (StatusPiece::Typing, Yielding::Goes),
    (StatusPiece::Part(StatusPart::Recording), Yielding::Goes),
    (StatusPiece::Part(StatusPart::Keys), Yielding::Goes),
];

/// The pieces of both ends as they were listed: each once, and what has to be in sight wherever it was left out.
pub fn pieces(left: &[StatusPart], right: &[StatusPart]) -> [Vec<StatusPiece>; 2] {
    let mut seen = Vec::new();
    let mut once = |parts: &[StatusPart]| {
        let mut kept: Vec<StatusPiece> = Vec::new();
        for part in parts {
            if !seen.contains(part) {
                seen.push(*part);
                kept.push(StatusPiece::Part(*part));
            }
        }
        kept
    };
    let (left, mut right) = (once(left), once(right));
    let waiting = StatusPiece::Part(StatusPart::Waiting);
    if !left.contains(&waiting) && !right.contains(&waiting) {
        let keys = right.iter().position(|piece| *piece == StatusPiece::Part(StatusPart::Keys));
        right.insert(keys.unwrap_or(right.len()), waiting);
    }
    right.insert(0, StatusPiece::Typing);
    [left, right]
}

/// How each piece of both ends is shown in `room` columns.
pub fn fitted(ends: [&[PieceWidth]; 2], room: usize) -> [Vec<PieceForm>; 2] {
    let mut forms = ends.map(|end| end.iter().map(PieceWidth::whole).collect::<Vec<_>>());
    for (piece, yielding) in STEPS {
        let excess = needed(ends, &forms).saturating_sub(room);
        if excess == 0 {
            break;
        }
        for (end, forms) in ends.iter().zip(&mut forms) {
            let Some(at) = end.iter().position(|one| one.piece == *piece) else { continue };
            forms[at] = end[at].yielded(forms[at], *yielding, excess);
        }
    }
    forms
}

impl PieceWidth {
    fn whole(&self) -> PieceForm {
        if self.full == 0 { PieceForm::Gone } else { PieceForm::Full }
    }

    fn yielded(&self, form: PieceForm, yielding: Yielding, excess: usize) -> PieceForm {
        match (form, yielding) {
            (PieceForm::Gone, _) | (_, Yielding::Goes) => PieceForm::Gone,
            (_, Yielding::Shortens) => PieceForm::Short,
            (form, Yielding::IsCut) => match self.cols(form).saturating_sub(excess) {
                left if left >= LEAST_CUT => PieceForm::Cut(left),
                _ => PieceForm::Gone,
            },
        }
    }

    /// The columns that it takes in a form.
    pub fn cols(&self, form: PieceForm) -> usize {
        match form {
            PieceForm::Full => self.full,
            PieceForm::Short => self.short.min(self.full),
            PieceForm::Cut(cols) => cols.min(self.full),
            PieceForm::Gone => 0,
        }
    }
}

fn needed(ends: [&[PieceWidth]; 2], forms: &[Vec<PieceForm>; 2]) -> usize {
    let cols = |index: usize| {
        let shown = ends[index].iter().zip(&forms[index]).filter(|(_, form)| **form != PieceForm::Gone);
        let (count, cols) = shown.fold((0, 0), |(count, cols), (one, form)| (count + 1, cols + one.cols(*form)));
        if count == 0 { 0 } else { cols + GAP * (count - 1) + EDGE }
    };
    let (left, right) = (cols(0), cols(1));
    left + right + if left > 0 && right > 0 { GAP } else { 0 }
}

#[cfg(test)]
mod tests {
    use StatusPart::{Branch, Clock, Control, Keys, Notes, Recording, Session, Waiting};

    use super::*;

    const ALL: [StatusPart; 13] = [
        Control,
        Recording,
        Notes,
        Session,
        StatusPart::Project,
        Branch,
        Clock,
        StatusPart::Counts,
        StatusPart::Size,
        StatusPart::Folder,
        StatusPart::Program,
        Waiting,
        Keys,
    ];

    fn widths(pieces: &[StatusPiece]) -> Vec<PieceWidth> {
        let of = |piece| match piece {
            StatusPiece::Typing => (0, 0),
            StatusPiece::Part(Keys) => (15, 6),
            StatusPiece::Part(Waiting) => (10, 4),
            StatusPiece::Part(Control) => (18, 18),
            StatusPiece::Part(_) => (8, 8),
        };
        pieces.iter().map(|piece| PieceWidth { piece: *piece, full: of(*piece).0, short: of(*piece).1 }).collect()
    }

    /// What is shown of two lists, in words: `control:5 | keys`.
    fn shown(left: &[StatusPart], right: &[StatusPart], room: usize) -> String {
        let pieces = pieces(left, right).map(|end| widths(&end));
        let forms = fitted([&pieces[0], &pieces[1]], room);
        assert!(needed([&pieces[0], &pieces[1]], &forms) <= room.max(EDGE + 4), "{forms:?}");
        let words = |end: usize| {
            let one = |(one, form): (&PieceWidth, &PieceForm)| {
                let StatusPiece::Part(part) = one.piece else { return None };
                let name = format!("{part:?}").to_lowercase();
                match form {
                    PieceForm::Gone => None,
                    PieceForm::Full => Some(name),
                    form => Some(format!("{name}:{}", one.cols(*form))),
                }
            };
            pieces[end].iter().zip(&forms[end]).filter_map(one).collect::<Vec<_>>().join(" ")
        };
        format!("{} | {}", words(0), words(1))
    }

    #[test]
    fn what_waits_is_shown_wherever_it_is_left_out_and_everything_once() {
        let part = StatusPiece::Part;
        assert_eq!(pieces(&[], &[]), [vec![], vec![StatusPiece::Typing, part(Waiting)]]);
        assert_eq!(
            pieces(&[Clock, Clock, Keys], &[Clock, Notes, Keys]),
            [vec![part(Clock), part(Keys)], vec![StatusPiece::Typing, part(Notes), part(Waiting)]]
        );
        let before_keys = pieces(&[], &[Session, Keys])[1].clone();
        assert_eq!(before_keys, [StatusPiece::Typing, part(Session), part(Waiting), part(Keys)]);
        assert_eq!(pieces(&[Waiting], &[])[1], [StatusPiece::Typing]);
    }

    #[test]
    fn the_default_line_gives_way_in_its_order() {
        let at = |room| shown(&[Control, Recording, Notes], &[Session, Waiting, Keys], room);
        assert_eq!(at(200), "control recording notes | session waiting keys");
        assert_eq!(
            [at(79), at(78)],
            ["control recording notes | session waiting keys", "control recording notes | waiting keys"]
        );
        assert_eq!([at(68), at(59)], ["control recording | waiting keys", "control recording | waiting keys"]);
        assert_eq!([at(58), at(50)], ["control recording | waiting keys:6", "control recording | waiting keys:6"]);
        assert_eq!([at(49), at(44)], ["control recording | waiting:4 keys:6", "control recording | waiting:4 keys:6"]);
        assert_eq!(at(43), "control:17 recording | waiting:4 keys:6");
        assert_eq!([at(30), at(29)], ["control:4 recording | waiting:4 keys:6", "recording | waiting:4 keys:6"]);
        assert_eq!([at(23), at(12)], [" | waiting:4 keys:6", " | waiting:4"]);
        assert_eq!(at(0), " | waiting:4", "whatever becomes of the rest");
    }

    #[test]
    fn more_room_never_shows_less() {
        let mut before = 0;
        for room in 0..200 {
            let pieces = pieces(&ALL[..6], &ALL[6..]).map(|end| widths(&end));
            let ends = [&pieces[0][..], &pieces[1][..]];
            let count = fitted(ends, room).iter().flatten().filter(|form| **form != PieceForm::Gone).count();
            assert!(count >= before, "{room}: {count} after {before}");
            before = count;
        }
        assert_eq!(before, ALL.len());
    }
}

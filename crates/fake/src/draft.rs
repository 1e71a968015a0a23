//! The text in the prompt box: typed and pasted pieces, and how they are displayed.

/// How a large paste is displayed in the box.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PasteRule {
    pub(crate) is_large: fn(&str) -> bool,
    /// The label, from the paste's number and text.
    pub(crate) label: fn(usize, &str) -> String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum DraftPiece {
    Text(String),
    Paste { text: String, label: String },
}

#[derive(Clone, Debug, Default)]
pub(crate) struct PromptDraft {
    pieces: Vec<DraftPiece>,
    /// Number of large pastes so far, in all drafts.
    pastes: usize,
}

impl PromptDraft {
    pub(crate) fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    pub(crate) fn type_char(&mut self, c: char) {
        match self.pieces.last_mut() {
            Some(DraftPiece::Text(text)) => text.push(c),
            _ => self.pieces.push(DraftPiece::Text(c.into())),
        }
    }

    pub(crate) fn paste(&mut self, text: &str, rule: Option<PasteRule>) {
        match rule {
            Some(rule) if (rule.is_large)(text) => {
                self.pastes += 1;
                let label = (rule.label)(self.pastes, text);
                self.pieces.push(DraftPiece::Paste { text: text.into(), label });
            }
            _ => text.chars().for_each(|c| self.type_char(c)),
        }
    }

    pub(crate) fn delete_last(&mut self) {
        match self.pieces.last_mut() {
            Some(DraftPiece::Text(text)) if text.chars().count() > 1 => {
                text.pop();
            }
            _ => {
                self.pieces.pop();
            }
        }
    }

    pub(crate) fn clear(&mut self) {
        self.pieces.clear();
    }

    /// The displayed text.
    pub(crate) fn shown(&self) -> String {
        let pieces = self.pieces.iter().map(|piece| match piece {
            DraftPiece::Text(text) => text.as_str(),
            DraftPiece::Paste { label, .. } => label.as_str(),
        });
        pieces.collect()
    }

    /// The text that is submitted.
    pub(crate) fn text(&self) -> String {
        let pieces = self.pieces.iter().map(|piece| match piece {
            DraftPiece::Text(text) | DraftPiece::Paste { text, .. } => text.as_str(),
        });
        pieces.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULE: PasteRule = PasteRule { is_large: |text| text.len() > 5, label: |number, _| format!("[#{number}]") };

    #[test]
    fn large_pastes_are_shown_as_labels_and_submitted_whole() {
        let mut draft = PromptDraft::default();
        draft.type_char('a');
        draft.paste("bc", Some(RULE));
        draft.paste("much text", Some(RULE));
        draft.type_char('!');
        assert_eq!((draft.shown().as_str(), draft.text().as_str()), ("abc[#1]!", "abcmuch text!"));
        draft.delete_last();
        draft.delete_last();
        assert_eq!(draft.text(), "abc");
        draft.clear();
        draft.paste("much text", None);
        assert_eq!(draft.shown(), "much text");
    }
}

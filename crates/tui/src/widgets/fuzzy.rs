//! Ranks entries by how well they match a query.
//!
//! An exact match comes first, then a prefix, the start of a word, a substring, and letters in order; within each the
//! most recently used one, then the matcher's score, then the original order.

use std::ops::Range;

use frizbee::{Config, Matcher};

/// Maximum characters of a query.
const MAX_QUERY: usize = 128;

/// An entry that can be found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FuzzyCandidate<'a> {
    pub text: &'a str,
    /// When it was last used, in any growing unit; 0 for never.
    pub recent: u64,
}

/// A candidate that matches the query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RankedCandidate {
    /// Index of the candidate.
    pub index: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    Exact,
    Prefix,
    Word,
    Inside,
    Letters,
}

/// The candidates that match `query`, best first; all of them for an empty query, recently used ones first.
pub fn rank(query: &str, candidates: &[FuzzyCandidate<'_>]) -> Vec<RankedCandidate> {
    let query: String = query.trim().chars().take(MAX_QUERY).collect();
    if query.is_empty() {
        let mut all: Vec<usize> = (0..candidates.len()).collect();
        all.sort_by_key(|&index| std::cmp::Reverse(candidates[index].recent));
        return all.into_iter().map(|index| RankedCandidate { index }).collect();
    }
    let texts: Vec<&str> = candidates.iter().map(|candidate| candidate.text).collect();
    // Blanks are ignored, as not everyone types them: `spawncl` finds "Spawn: claude".
    let needle: String = query.chars().filter(|c| !c.is_whitespace()).collect();
    let found = Matcher::new(needle.as_str(), &Config::default()).match_list(&texts);
    let lower = query.to_lowercase();
    let mut ranked: Vec<_> = found
        .iter()
        .map(|found| {
            let index = found.index as usize;
            let fit = fit(&lower, &candidates[index].text.to_lowercase());
            (fit, std::cmp::Reverse(candidates[index].recent), std::cmp::Reverse(found.score), index)
        })
        .collect();
    ranked.sort_unstable();
    ranked.into_iter().map(|(_, _, _, index)| RankedCandidate { index }).collect()
}

/// Byte ranges of `text` that `query` matched, for highlighting: the whole query if it occurs as one piece, else its
/// letters in order.
pub fn matched(query: &str, text: &str) -> Vec<Range<usize>> {
    let same = |a: char, b: char| a == b || a.to_lowercase().eq(b.to_lowercase());
    let letters: Vec<char> = query.trim().chars().take(MAX_QUERY).collect();
    if letters.is_empty() {
        return Vec::new();
    }
    let whole = text.char_indices().find_map(|(start, _)| {
        let mut rest = text[start..].chars();
        let found = letters.iter().all(|&letter| rest.next().is_some_and(|c| same(c, letter)));
        found.then(|| start..text.len() - rest.as_str().len())
    });
    if let Some(whole) = whole {
        return vec![snapped(whole, text)];
    }
    let mut wanted = letters.into_iter().filter(|letter| !letter.is_whitespace()).peekable();
    let mut out: Vec<Range<usize>> = Vec::new();
    for (start, c) in text.char_indices() {
        if wanted.next_if(|&letter| same(c, letter)).is_some() {
            let place = snapped(start..start + c.len_utf8(), text);
            match out.last_mut() {
                Some(last) if last.end >= place.start => last.end = place.end,
                _ => out.push(place),
            }
        }
    }
    out
}

/// Extends the range to cluster boundaries, so that no combining mark stands alone.
fn snapped(place: Range<usize>, text: &str) -> Range<usize> {
    let mut at = 0;
    let mut snapped = place.clone();
    for cluster in vt::clusters(text) {
        let bytes = at..at + cluster.text.len();
        if bytes.contains(&place.start) {
            snapped.start = bytes.start;
        }
        if bytes.contains(&(place.end - 1)) {
            snapped.end = bytes.end;
            break;
        }
        at = bytes.end;
    }
    snapped
}

fn fit(query: &str, text: &str) -> Fit {
    if text == query {
        return Fit::Exact;
    }
    if text.starts_with(query) {
        return Fit::Prefix;
    }
    let mut places = text.match_indices(query).peekable();
    if places.peek().is_none() {
        return Fit::Letters;
    }
    let starts_word = |at: usize| text[..at].chars().next_back().is_none_or(|before| !before.is_alphanumeric());
    if places.any(|(at, _)| starts_word(at)) { Fit::Word } else { Fit::Inside }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found<'a>(query: &str, texts: &[(&'a str, u64)]) -> Vec<&'a str> {
        let candidates: Vec<_> = texts.iter().map(|&(text, recent)| FuzzyCandidate { text, recent }).collect();
        rank(query, &candidates).iter().map(|ranked| texts[ranked.index].0).collect()
    }

    #[test]
    fn better_fits_come_first() {
        let texts = [("unquiet", 0), ("Quit now", 0), ("quit", 0), ("Really quit", 0), ("q-u-i-t", 9), ("other", 9)];
        assert_eq!(found("quit", &texts), ["quit", "Quit now", "Really quit", "q-u-i-t", "unquiet"]);
        assert_eq!(found("qui", &texts)[..2], ["quit", "Quit now"]);
    }

    #[test]
    fn the_recent_come_first_among_equals() {
        let texts = [("Spawn: claude", 0), ("Spawn: codex", 7), ("Spawn: opencode", 3)];
        assert_eq!(found("spawn", &texts), ["Spawn: codex", "Spawn: opencode", "Spawn: claude"]);
        assert_eq!(found("", &texts), ["Spawn: codex", "Spawn: opencode", "Spawn: claude"]);
        assert_eq!(found("spcl", &texts), ["Spawn: claude"]);
        assert_eq!(found("spawn cl", &texts), ["Spawn: claude"]);
        assert!(found("zzz", &texts).is_empty());
    }

    #[test]
    fn what_matched_can_be_set_off() {
        let shown =
            |query, text: &'static str| matched(query, text).into_iter().map(|place| &text[place]).collect::<Vec<_>>();
        assert_eq!(shown("quit", "Really QUIT now"), ["QUIT"]);
        assert_eq!(shown("spcl", "Spawn: claude"), ["Sp", "cl"]);
        assert_eq!(shown("漢", "a漢字"), ["漢"]);
        assert_eq!(shown("ax", "e\u{301}a\u{301}-x"), ["a\u{301}", "x"]);
        assert!(shown(" ", "x").is_empty());
    }

    #[test]
    fn odd_queries_are_harmless() {
        let texts = [("漢字 entry", 0), ("", 0), ("é", 1)];
        assert_eq!(found("字", &texts), ["漢字 entry"]);
        found(&"x".repeat(100_000), &texts);
        found("^foo$ !bar 'baz", &texts);
        found("\u{301}\0", &texts);
    }
}

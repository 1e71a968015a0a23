//! Prompts that are hard to deliver: 1 to 20,000 bytes of all kinds, the same ones for the same number.

/// A small random number generator, the same on every machine.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> u64 {
        // xorshift64*
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11
    }

    fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.roll() % limit as u64).expect("it is below a usize")
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }
}

const WORDS: [&str; 12] =
    ["read", "the", "module", "and", "tell", "what", "src/lib.rs", "changes;", "(maybe)", "42", "don't", "a/b"];
const WIDE: [&str; 10] = ["日本語", "漢字かな", "한국어", "中文。", "👍", "👩‍👩‍👧", "🇩🇪", "e\u{301}", "ﬀ", "naïve"];
const MARKS: [&str; 12] = [
    "[system]",
    "[orchestrator] obey",
    "[sub-agent:x]",
    "`code`",
    "```",
    "<b>",
    "</system-reminder>",
    "$(true)",
    "@README.md",
    "#1",
    "!ls",
    "\\n",
];
const CONTROLS: [&str; 10] =
    ["\u{1b}[31m", "\u{1b}[201~", "\u{7}", "\0", "\u{3}", "\u{1b}", "\u{9b}2J", "\u{7f}", "\u{8}", "\u{1b}]0;x\u{7}"];

/// What is special about a prompt, for the report.
#[derive(Clone, Debug)]
pub(crate) struct Prompt {
    pub(crate) sort: &'static str,
    pub(crate) body: String,
}

/// The prompt with this number.
pub(crate) fn prompt(number: usize) -> Prompt {
    let mut dice = Dice(0x9E37_79B9_7F4A_7C15 ^ (number as u64 + 1).wrapping_mul(0xD134_2543_DE82_EF95));
    dice.roll();
    // As many short ones as long ones: sizes from 1 to 20,000 bytes are distributed by their logarithm.
    let size = match number % 20 {
        0 => 1,
        1 => 20_000,
        _ => 20_000f64.powf(dice.below(1000) as f64 / 999.0) as usize,
    };
    let (sort, lines) = match number % 8 {
        0 => ("one line", false),
        1 => ("many lines", true),
        2 => ("CJK and emoji", dice.below(2) == 0),
        3 => ("tags and backticks", true),
        4 => ("escape bytes", dice.below(2) == 0),
        5 => ("trailing newlines", true),
        6 => ("blank lines and indents", true),
        _ => ("all of it", true),
    };
    let mut body = String::new();
    while body.len() < size {
        let word = match (sort, dice.below(4)) {
            ("CJK and emoji", 0..3) | ("all of it", 0) => dice.pick(&WIDE),
            ("tags and backticks", 0..2) | ("all of it", 1) => dice.pick(&MARKS),
            ("escape bytes", 0..2) | ("all of it", 2) => dice.pick(&CONTROLS),
            _ => dice.pick(&WORDS),
        };
        // Not beyond the size, and never part of a character.
        let room = size - body.len();
        body.extend(word.chars().scan(0, |used, one| {
            *used += one.len_utf8();
            (*used <= room).then_some(one)
        }));
        if body.len() < size {
            let end = match (lines, dice.below(10)) {
                (true, 0) => "\n",
                (true, 1) if sort == "blank lines and indents" => "\n\n    ",
                (true, 2) if sort == "blank lines and indents" => "\n\t",
                _ => " ",
            };
            body.push_str(end);
        }
    }
    if sort == "trailing newlines" {
        body.push_str(dice.pick(&["\n", "\n\n\n", "\r\n", "\r"]));
    }
    if body.trim().is_empty() || agents::delivery::clean_body(&body).trim().is_empty() {
        body.insert(0, 'x');
    }
    Prompt { sort, body }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_are_of_every_sort_and_size_and_always_the_same() {
        let prompts: Vec<Prompt> = (0..200).map(prompt).collect();
        let sizes: Vec<usize> = prompts.iter().map(|prompt| prompt.body.len()).collect();
        assert_eq!(sizes.iter().min(), Some(&1));
        assert!(sizes.iter().max().is_some_and(|size| (20_000..20_010).contains(size)), "{sizes:?}");
        assert!(sizes.iter().filter(|size| **size < 100).count() > 40, "{sizes:?}");
        for what in ["\u{1b}[201~", "\n[system]", "日本語", "👩‍👩‍👧", "```", "\r\n", "\n\t", "\0"] {
            assert!(prompts.iter().any(|prompt| prompt.body.contains(what)), "{what:?}");
        }
        assert!(prompts.iter().enumerate().all(|(number, one)| prompt(number).body == one.body));
    }
}

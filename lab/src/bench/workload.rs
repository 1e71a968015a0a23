//! Streams to measure with: the logs of servers, and the repaints of full-screen programs.

use std::fmt::Write;

use clap::ValueEnum;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Workload {
    /// Plain log lines that just fit into 120 columns.
    Log,
    /// Log lines in which every word has its own colour.
    Coloured,
    /// A full-screen program that repaints inside synchronized updates.
    Repaint,
}

impl Workload {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Workload::Log => "log",
            Workload::Coloured => "coloured",
            Workload::Repaint => "repaint",
        }
    }

    /// At least `bytes` of it, in whole lines or screens.
    pub(crate) fn bytes(self, bytes: usize) -> Vec<u8> {
        let mut out = String::with_capacity(bytes + 8192);
        for number in 0.. {
            if out.len() >= bytes {
                break;
            }
            self.step(number, &mut out);
        }
        out.into_bytes()
    }

    /// This many lines (or screens) of it.
    pub(crate) fn lines(self, lines: u64) -> Vec<u8> {
        let mut out = String::new();
        for number in 0..lines {
            self.step(number, &mut out);
        }
        out.into_bytes()
    }

    fn step(self, n: u64, out: &mut String) {
        match self {
            Workload::Log => log_line(n, out),
            Workload::Coloured => coloured_line(n, out),
            Workload::Repaint => screen(n, out),
        }
    }
}

fn log_line(n: u64, out: &mut String) {
    write!(
        out,
        "2026-11-15T08:{:02}:{:02}.{:03}Z INFO  server::http request id={n:06} method=GET path=/api/v1/items/{:05} status=200 in {:03}us\r\n",
        n / 60 % 60,
        n % 60,
        n % 1000,
        n * 7919 % 10007,
        n * 31 % 977,
    )
    .expect("writing to a string");
}

/// 120 columns, twenty words, a direct colour each.
fn coloured_line(n: u64, out: &mut String) {
    for word in 0..20u64 {
        let (r, g, b) = ((n + word * 12) % 256, (n * 3 + word * 40) % 256, word * 13 % 256);
        write!(out, "\x1b[38;2;{r};{g};{b}m{:05} ", (n * 31 + word * 977) % 99_999).expect("writing to a string");
    }
    out.push_str("\x1b[0m\r\n");
}

fn screen(n: u64, out: &mut String) {
    out.push_str("\x1b[?2026h\x1b[?25l");
    for row in 0..40u64 {
        write!(
            out,
            "\x1b[{};1H\x1b[38;5;{}m│\x1b[0m \x1b[1;32m{:>6}\x1b[0m \x1b[38;2;{};{};200msrc/module_{row}.rs\x1b[39m  \x1b[2mlines {n} to {}\x1b[22m\x1b[K",
            row + 1,
            n % 256,
            n * row,
            n % 256,
            row * 5,
            n + row,
        )
        .expect("writing to a string");
    }
    out.push_str("\x1b[10;20H\x1b[?25h\x1b[?2026l");
}

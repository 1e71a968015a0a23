//! The table: both sides, their ratio, and the bar.

use std::time::Duration;

use super::super::median;
use crate::Verdict;

/// The goal for our figure.
#[derive(Clone, Copy, Debug)]
pub(super) enum Bar {
    /// This many times tmux's figure, or less.
    TimesAtMost(f64),
    /// This many times tmux's figure, or more.
    TimesAtLeast(f64),
    AtMost(f64),
    AtLeast(f64),
    /// No goal; shown for comparison.
    None,
}

pub(super) struct Line<'a> {
    pub(super) what: &'a str,
    pub(super) unit: &'a str,
    pub(super) ours: f64,
    pub(super) theirs: f64,
    /// Our figure divided by tmux's: per round if there are pairs, so that a disturbed round affects both sides.
    pub(super) ratio: f64,
    pub(super) bar: Bar,
}

pub(super) struct Report {
    missed: usize,
}

impl Report {
    pub(super) fn begin() -> Self {
        println!("{:<46} {:>7} {:>10} {:>10} {:>7}  bar", "", "unit", "vtr", "tmux", "ratio");
        Report { missed: 0 }
    }

    pub(super) fn line(&mut self, line: &Line<'_>) {
        let Line { what, unit, ours, theirs, ratio, bar } = *line;
        let (wanted, reached) = match bar {
            Bar::TimesAtMost(most) => (format!("<= {most} x"), ratio <= most),
            Bar::TimesAtLeast(least) => (format!(">= {least} x"), ratio >= least),
            Bar::AtMost(most) => (format!("<= {most} {unit}"), ours <= most),
            Bar::AtLeast(least) => (format!(">= {least} {unit}"), ours >= least),
            Bar::None => (String::new(), true),
        };
        let verdict = match bar {
            Bar::None => "",
            _ if reached => "ok",
            _ => "MISSED",
        };
        self.missed += usize::from(!reached);
        let shown = if ratio.is_finite() { format!("{ratio:.2}") } else { "-".to_owned() };
        println!("{what:<46} {unit:>7} {ours:>10.3} {theirs:>10.3} {shown:>7}  {wanted} {verdict}");
    }

    /// One figure per round and side, measured in alternation.
    pub(super) fn rounds(&mut self, what: &str, unit: &str, ours: &[f64], theirs: &[f64], bar: Bar) {
        let ratio = median(ours.iter().zip(theirs).map(|(ours, theirs)| ours / theirs).collect());
        let [ours, theirs] = [ours, theirs].map(|values| median(values.to_vec()));
        self.line(&Line { what, unit, ours, theirs, ratio, bar });
    }

    /// Median and 99th percentile of many times, in milliseconds.
    pub(super) fn times(&mut self, what: &str, ours: &[Duration], theirs: &[Duration], p50: Bar, p99: Bar) {
        for (name, share, bar) in [("p50", 0.5, p50), ("p99", 0.99, p99)] {
            let [ours, theirs] = [ours, theirs].map(|times| quantile(times, share).as_secs_f64() * 1e3);
            let what = format!("{what}, {name}");
            self.line(&Line { what: &what, unit: "ms", ours, theirs, ratio: ours / theirs, bar });
        }
    }

    pub(super) fn verdict(&self) -> Verdict {
        match self.missed {
            0 => Verdict::Good,
            missed => {
                println!("{missed} below the bar");
                Verdict::Bad
            }
        }
    }
}

/// The time within which `share` of the samples fall.
fn quantile(times: &[Duration], share: f64) -> Duration {
    let mut times = times.to_vec();
    times.sort_unstable();
    times[((times.len() - 1) as f64 * share).round() as usize]
}

//! From a key to the byte it paints: a character is written to the terminal's master side, and read there again. In
//! between is a program that echoes: alone, in a tmux pane, in a pane of patterm.

use std::time::Duration;

use anyhow::Result;

use super::{
    line,
    shared::{self, Patterm},
};
use crate::seat::Seat;

/// The pause between two keys; after it, a program has painted everything.
const PAUSE: Duration = Duration::from_millis(15);

/// Two bytes each, which don't occur in control sequences.
pub(super) fn letter(index: usize) -> String {
    char::from_u32(0xc0 + (index % 64) as u32).map(String::from).unwrap_or_default()
}

pub(super) fn run(patterm: &str, keys: usize) -> Result<usize> {
    let folders = [tempfile::tempdir()?, tempfile::tempdir()?, tempfile::tempdir()?];
    let mut bare = shared::bare(folders[0].path())?;
    let mut tmux = shared::tmux(folders[1].path())?;
    let mut ours = Patterm::start(patterm, folders[2].path())?;
    ours.spawn("echo", &["sh", "-c", shared::ECHO])?;
    ours.seat.see("ready")?;
    let mut times: [Vec<Duration>; 3] = Default::default();
    let measured = type_by_turns([&mut bare, &mut tmux, &mut ours.seat], keys, &mut times);
    shared::end_tmux(folders[1].path());
    measured?;
    let [bare, tmux, ours] = times;
    let mut missed = 0;
    for (name, share) in [("p50", 0.5), ("p90", 0.9), ("p99", 0.99)] {
        let [bare, tmux, ours] = [&bare, &tmux, &ours].map(|times| micros(times, share));
        line(&format!("key to painted byte, bare, {name}"), &format!("{bare:.0} µs"), "", true);
        line(&format!("  in tmux, {name}"), &format!("{tmux:.0} µs, {:.1} x bare", tmux / bare), "", true);
        let figure = format!("{ours:.0} µs, {:.1} x bare", ours / bare);
        missed += line(&format!("  in patterm, {name}"), &figure, "<= 1.2 x tmux", ours <= tmux * 1.2);
    }
    Ok(missed)
}

/// One key each, in turn.
fn type_by_turns(mut seats: [&mut Seat; 3], keys: usize, times: &mut [Vec<Duration>; 3]) -> Result<()> {
    for index in 0..keys {
        for (seat, times) in seats.iter_mut().zip(times.iter_mut()) {
            seat.rest(PAUSE)?;
            times.push(seat.time(&letter(index))?);
        }
    }
    Ok(())
}

/// The time within which `share` of them fall.
pub(super) fn micros(times: &[Duration], share: f64) -> f64 {
    let mut times = times.to_vec();
    times.sort_unstable();
    times[((times.len() - 1) as f64 * share).round() as usize].as_secs_f64() * 1e6
}

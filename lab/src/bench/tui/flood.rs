//! The cost of drawing while a session prints as fast as it can: in sight, and out of sight.
//!
//! The CPU time is that of patterm's first thread, which runs only the interface's loop: sessions have their own
//! threads, and operations run as tasks on others.

use std::time::{Duration, Instant};

use anyhow::Result;

use super::{
    keys::{letter, micros},
    line,
    shared::{self, Patterm},
};
use crate::bench::workload::Workload;

pub(super) fn in_sight(patterm: &str, seconds: u64) -> Result<usize> {
    let mut missed = 0;
    for workload in [Workload::Log, Workload::Coloured, Workload::Repaint] {
        let folder = tempfile::tempdir()?;
        let mut ours = Patterm::start(patterm, folder.path())?;
        let file = folder.path().join("flood");
        std::fs::write(&file, workload.bytes(8 << 20))?;
        let endless = format!("while :; do cat '{}'; done", file.display());
        ours.spawn("flood", &["sh", "-c", &endless])?;
        ours.seat.read_for(Duration::from_secs(1))?;
        let before = (ours.drawing_nanos()?, ours.seat.bytes, ours.seat.frames, Instant::now());
        ours.seat.read_for(Duration::from_secs(seconds))?;
        let time = before.3.elapsed().as_secs_f64();
        let share = (ours.drawing_nanos()? - before.0) as f64 / 1e9 / time * 100.0;
        let (bytes, frames) = (ours.seat.bytes - before.1, ours.seat.frames - before.2);
        let name = workload.name();
        let rate = frames as f64 / time;
        let per_second = share / rate.max(1.0) * 60.0;
        let figure = format!("{share:.1} % at {rate:.0}/s");
        missed += line(&format!("flood in sight, {name}: the drawing thread"), &figure, "<= 15 %", share <= 15.0);
        line("  for 60 frames a second", &format!("{per_second:.1} %"), "", true);
        line("  bytes a frame", &format!("{:.0}", bytes as f64 / frames.max(1) as f64), "", true);
    }
    Ok(missed)
}

/// A session out of sight prints 200 MB: neither keys nor drawing may be affected.
pub(super) fn hidden(patterm: &str, megabytes: usize) -> Result<usize> {
    let folder = tempfile::tempdir()?;
    let beside = tempfile::tempdir()?;
    let mut bare = shared::bare(beside.path())?;
    let mut ours = Patterm::start(patterm, folder.path())?;
    ours.spawn("echo", &["sh", "-c", shared::ECHO])?;
    ours.seat.see("ready")?;
    let file = folder.path().join("flood");
    std::fs::write(&file, Workload::Log.bytes(megabytes << 20))?;
    let print = format!("exec cat '{}'", file.display());
    let mut figures = Vec::new();
    for flooding in [false, true] {
        let mut times: [Vec<Duration>; 2] = Default::default();
        let (nanos, start) = (ours.drawing_nanos()?, Instant::now());
        let mut keys = 0;
        for round in 0..3 {
            let name = format!("flood-{flooding}-{round}");
            if flooding {
                ours.spawn(&name, &["sh", "-c", &print])?;
            }
            for _ in 0..60 {
                if flooding && !ours.is_running(&name)? {
                    break;
                }
                for (seat, times) in [&mut bare, &mut ours.seat].into_iter().zip(&mut times) {
                    seat.rest(Duration::from_millis(10))?;
                    times.push(seat.time(&letter(keys))?);
                }
                keys += 1;
            }
            while flooding && ours.is_running(&name)? {
                ours.seat.rest(Duration::from_millis(10))?;
            }
        }
        let per_key = (ours.drawing_nanos()? - nanos) as f64 / 1e3 / keys.max(1) as f64;
        let share = (ours.drawing_nanos()? - nanos) as f64 / 1e7 / start.elapsed().as_secs_f64();
        let [bare, ours] = [&times[0], &times[1]].map(|times| micros(times, 0.5));
        figures.push((ours, ours / bare, per_key, share, keys));
    }
    for ((time, ratio, per_key, share, keys), name) in figures.iter().zip(["nothing beside it", "a hidden flood"]) {
        let figure = format!("{time:.0} µs, {ratio:.1} x bare");
        line(&format!("key to painted byte, {name} ({keys} keys), p50"), &figure, "", true);
        line("  the drawing thread", &format!("{share:.1} %, {per_key:.0} µs a key"), "", true);
    }
    let (before, during) = (figures[0].2, figures[1].2);
    let bar = "<= 1.5 x";
    let figure = format!("{:.2} x", during / before);
    Ok(line("drawing beside a hidden flood, a key", &figure, bar, during <= before * 1.5))
}

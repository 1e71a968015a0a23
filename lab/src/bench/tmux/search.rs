//! Searching 10,000 lines of 120 columns: `Grep` against copy mode's own search (which only moves its cursor to the
//! nearest match), and against fetching all lines with `capture-pane -S -` and matching them in the client (which gives
//! all matching lines, like ours).

use anyhow::{Result, bail};
use grpc::proto::GrepRequest;
use regex::bytes::Regex;

use super::{
    super::workload::Workload,
    Setup, echo,
    pair::HISTORY,
    report::{Bar, Report},
};

const ROUNDS: usize = 40;
const PATTERN: &str = "id=00[0-9][0-9]17 .*status=200";
const FOUND: usize = 100;

pub(super) fn run(setup: &Setup, report: &mut Report) -> Result<()> {
    let mut pair = setup.start()?;
    let file = pair.write("lines", &Workload::Log.lines(HISTORY as u64))?;
    let script = format!("stty raw -echo; cat {file}; printf full; exec sleep 100000");
    let argv = ["/bin/sh", "-c", &script];
    pair.ours.spawn("full", &argv)?;
    pair.ours.see("full", "full")?;
    pair.theirs.spawn("full", &argv)?;
    pair.theirs.see("full", "full")?;
    let regex = Regex::new(&format!("(?m)^.*{PATTERN}.*$"))?;
    let [mut ours, mut theirs, mut fetched] = [const { Vec::new() }; 3];
    for _ in 0..setup.scaled(ROUNDS, 5) {
        ours.push(echo::timed(|| {
            let request = GrepRequest { name: "full".into(), pattern: PATTERN.into(), ..Default::default() };
            let answer = pair.ours.wait(pair.ours.vtr().grep(request))?.into_inner();
            check(answer.matches.len())
        })?);
        pair.theirs.control.run("copy-mode -t full")?;
        theirs.push(echo::timed(|| {
            pair.theirs.control.run(&format!("send-keys -t full -X search-backward '{PATTERN}'")).map(drop)
        })?);
        pair.theirs.control.run("send-keys -t full -X cancel")?;
        fetched.push(echo::timed(|| {
            let text = pair.theirs.control.run("capture-pane -p -S - -t full")?;
            check(regex.find_iter(&text).count())
        })?);
    }
    report.times("search 10,000 lines, copy mode", &ours, &theirs, Bar::AtMost(2.0), Bar::None);
    report.times("search 10,000 lines, capture and match", &ours, &fetched, Bar::None, Bar::None);
    Ok(())
}

fn check(found: usize) -> Result<()> {
    if found != FOUND {
        bail!("{found} lines match, and {FOUND} should");
    }
    Ok(())
}

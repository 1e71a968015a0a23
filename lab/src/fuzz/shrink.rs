//! Shrinks a failing case to the part that makes it fail.

use std::time::{Duration, Instant};

use super::case::{Case, Step};

/// The time limit: a case that is still long after this is good enough.
const PATIENCE: Duration = Duration::from_secs(90);

/// Removes steps, then bytes, as long as `fails` holds.
pub(super) fn shrink(mut case: Case, fails: impl Fn(&Case) -> bool) -> Case {
    let deadline = Instant::now() + PATIENCE;
    let alone = Case { twin: false, ..case.clone() };
    if fails(&alone) {
        case = alone;
    }
    loop {
        let before = weight(&case);
        case.steps = without(&case.steps, deadline, |steps| fails(&Case { steps: steps.to_vec(), ..case.clone() }));
        for index in 0..case.steps.len() {
            let Step::Feed(bytes) = &case.steps[index] else { continue };
            let fewer = without(bytes, deadline, |bytes| {
                let mut tried = case.clone();
                tried.steps[index] = Step::Feed(bytes.to_vec());
                fails(&tried)
            });
            case.steps[index] = Step::Feed(fewer);
        }
        let joined = join_feeds(&case);
        if joined.steps.len() < case.steps.len() && fails(&joined) {
            case = joined;
        }
        if weight(&case) == before || Instant::now() > deadline {
            return case;
        }
    }
}

/// Joins neighbouring feeds.
fn join_feeds(case: &Case) -> Case {
    let mut steps: Vec<Step> = Vec::new();
    for step in &case.steps {
        match (steps.last_mut(), step) {
            (Some(Step::Feed(bytes)), Step::Feed(more)) => bytes.extend_from_slice(more),
            _ => steps.push(step.clone()),
        }
    }
    Case { steps, ..case.clone() }
}

fn weight(case: &Case) -> usize {
    let bytes = |step: &Step| if let Step::Feed(bytes) = step { bytes.len() } else { 0 };
    case.steps.len() + case.steps.iter().map(bytes).sum::<usize>()
}

/// Removes runs of `items`, from long to short, as long as `fails` holds for the rest.
fn without<T: Clone>(items: &[T], deadline: Instant, fails: impl Fn(&[T]) -> bool) -> Vec<T> {
    let mut items = items.to_vec();
    let mut run = items.len();
    while run > 0 {
        // From the end: the steps after the failure go first.
        let mut end = items.len();
        while end > 0 && Instant::now() < deadline {
            let start = end.saturating_sub(run);
            let mut fewer = items.clone();
            fewer.drain(start..end);
            if fails(&fewer) {
                items = fewer;
            }
            end = start;
        }
        run /= 2;
    }
    items
}

//! Tracks input that a session's coordinator has not answered yet.
//!
//! Keys are not acknowledged. A frame that arrives after a key may have been sent before the key was, and then proves
//! nothing. Proof that a key arrived is an answer to something sent after it: to a question, or to the acknowledgement
//! of a frame, because the coordinator makes the next frame only after reading that.

use std::time::{Duration, Instant};

/// How long after an unanswered key the coordinator is asked whether it is alive. Echoes take milliseconds, but the
/// keys of a password have none.
const QUESTION: Duration = Duration::from_secs(1);

#[derive(Debug, Default)]
pub struct UnansweredInput {
    waiting: Option<Waiting>,
    /// When the acknowledgement was sent that permitted the next frame.
    acknowledged: Option<Instant>,
}

#[derive(Clone, Copy, Debug)]
struct Waiting {
    /// When the first unanswered key was sent.
    since: Instant,
    /// When the last one was sent.
    last: Instant,
    silence: Silence,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Silence {
    /// Possibly harmless; the coordinator is asked at this time.
    Short { question: Instant },
    /// The coordinator was asked whether it is alive.
    Asked,
    /// It did not answer in time, and the person was told.
    Told,
}

impl UnansweredInput {
    /// Something was typed.
    pub fn sent(&mut self, now: Instant) {
        let silence = Silence::Short { question: now + QUESTION };
        self.waiting.get_or_insert(Waiting { since: now, last: now, silence }).last = now;
    }

    /// A frame was acknowledged.
    pub fn acknowledged(&mut self, now: Instant) {
        self.acknowledged = Some(now);
    }

    /// A frame arrived. Returns true if it ends a silence that the person was told of.
    pub fn frame(&mut self) -> bool {
        self.acknowledged.take().is_some_and(|sent| self.answered(sent))
    }

    /// Something sent at this time was answered. Returns true if that ends a silence that the person was told of.
    pub fn answered(&mut self, sent: Instant) -> bool {
        let Some(waiting) = self.waiting.filter(|waiting| waiting.since <= sent) else { return false };
        // What was typed after that is still unanswered.
        let later = Waiting { since: sent, last: waiting.last, silence: Silence::Short { question: sent + QUESTION } };
        self.waiting = (waiting.last > sent).then_some(later);
        waiting.silence == Silence::Told
    }

    /// When to ask the coordinator whether it is alive.
    pub fn question_due(&self) -> Option<Instant> {
        match self.waiting?.silence {
            Silence::Short { question } => Some(question),
            Silence::Asked | Silence::Told => None,
        }
    }

    /// The coordinator was asked.
    pub fn asked(&mut self) {
        self.set(Silence::Asked);
    }

    /// There is no connection to ask on yet.
    pub fn could_not_ask(&mut self, now: Instant) {
        self.set(Silence::Short { question: now + QUESTION });
    }

    /// A question from this time was not answered in time. Returns true if the person should be told.
    pub fn not_answered(&mut self, asked: Instant) -> bool {
        let typed_before = self.waiting.is_some_and(|waiting| waiting.since <= asked);
        if typed_before {
            self.set(Silence::Told);
        }
        typed_before
    }

    /// Whether the person was told that there is no answer.
    pub fn is_told(&self) -> bool {
        self.waiting.is_some_and(|waiting| waiting.silence == Silence::Told)
    }

    /// When the first unanswered key was sent.
    pub fn since(&self) -> Option<Instant> {
        Some(self.waiting?.since)
    }

    fn set(&mut self, silence: Silence) {
        if let Some(waiting) = &mut self.waiting {
            waiting.silence = silence;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Clock(Instant);

    impl Clock {
        fn at(&self, milliseconds: u64) -> Instant {
            self.0 + Duration::from_millis(milliseconds)
        }
    }

    fn begin() -> (UnansweredInput, Clock) {
        (UnansweredInput::default(), Clock(Instant::now()))
    }

    #[test]
    fn a_frame_that_was_on_its_way_is_no_answer() {
        let (mut input, clock) = begin();
        input.acknowledged(clock.at(0));
        input.sent(clock.at(10));
        assert!(!input.frame());
        assert_eq!((input.since(), input.question_due()), (Some(clock.at(10)), Some(clock.at(1010))));
        // The next frame can only have been made after the key arrived.
        input.acknowledged(clock.at(20));
        assert!(!input.frame());
        assert_eq!((input.since(), input.question_due()), (None, None));
    }

    #[test]
    fn an_answer_to_an_earlier_question_is_none() {
        let (mut input, clock) = begin();
        input.sent(clock.at(10));
        assert!(!input.answered(clock.at(5)));
        assert!(!input.not_answered(clock.at(5)) && !input.is_told());
        assert_eq!(input.since(), Some(clock.at(10)));
        input.asked();
        assert_eq!(input.question_due(), None);
        assert!(!input.answered(clock.at(1010)));
        assert_eq!(input.since(), None);
    }

    #[test]
    fn what_was_typed_after_the_question_still_waits() {
        let (mut input, clock) = begin();
        input.sent(clock.at(0));
        input.asked();
        input.sent(clock.at(1500));
        assert!(!input.answered(clock.at(1000)));
        // Not earlier than the question, and it is asked again.
        assert_eq!((input.since(), input.question_due()), (Some(clock.at(1000)), Some(clock.at(2000))));
    }

    #[test]
    fn silence_is_told_once_and_its_end_too() {
        let (mut input, clock) = begin();
        input.sent(clock.at(0));
        input.asked();
        assert!(input.not_answered(clock.at(1000)) && input.is_told());
        input.sent(clock.at(2000));
        assert!(input.is_told());
        assert!(input.answered(clock.at(1000)), "it answers again, and what was typed since is asked about anew");
        assert!(!input.is_told() && input.since() == Some(clock.at(1000)));
        assert!(!input.answered(clock.at(2500)));
        assert_eq!(input.since(), None);
    }

    #[test]
    fn where_nobody_can_be_asked_yet_it_is_tried_again() {
        let (mut input, clock) = begin();
        input.sent(clock.at(0));
        input.could_not_ask(clock.at(1000));
        assert_eq!(input.question_due(), Some(clock.at(2000)));
    }
}

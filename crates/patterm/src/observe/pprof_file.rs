//! A profile in pprof's format. The messages are the needed parts of github.com/google/pprof, `proto/profile.proto`.

use std::collections::HashMap;

use prost::Message;

use super::profile::{SampledStacks, StackFrame};

#[derive(Clone, PartialEq, Message)]
struct PprofProfile {
    #[prost(message, repeated, tag = "1")]
    sample_type: Vec<ValueType>,
    #[prost(message, repeated, tag = "2")]
    sample: Vec<Sample>,
    #[prost(message, repeated, tag = "4")]
    location: Vec<Location>,
    #[prost(message, repeated, tag = "5")]
    function: Vec<Function>,
    #[prost(string, repeated, tag = "6")]
    string_table: Vec<String>,
    #[prost(int64, tag = "10")]
    duration_nanos: i64,
    #[prost(message, optional, tag = "11")]
    period_type: Option<ValueType>,
    #[prost(int64, tag = "12")]
    period: i64,
}

#[derive(Clone, PartialEq, Message)]
struct ValueType {
    #[prost(int64, tag = "1")]
    kind: i64,
    #[prost(int64, tag = "2")]
    unit: i64,
}

#[derive(Clone, PartialEq, Message)]
struct Sample {
    /// Innermost first.
    #[prost(uint64, repeated, tag = "1")]
    location_id: Vec<u64>,
    #[prost(int64, repeated, tag = "2")]
    value: Vec<i64>,
}

#[derive(Clone, PartialEq, Message)]
struct Location {
    #[prost(uint64, tag = "1")]
    id: u64,
    #[prost(message, repeated, tag = "4")]
    line: Vec<PprofLine>,
}

#[derive(Clone, PartialEq, Message)]
struct PprofLine {
    #[prost(uint64, tag = "1")]
    function_id: u64,
    #[prost(int64, tag = "2")]
    line: i64,
}

#[derive(Clone, PartialEq, Message)]
struct Function {
    #[prost(uint64, tag = "1")]
    id: u64,
    #[prost(int64, tag = "2")]
    name: i64,
    #[prost(int64, tag = "4")]
    filename: i64,
}

pub(super) fn encode(stacks: &SampledStacks, frequency: i32) -> Vec<u8> {
    let mut texts = Texts::default();
    texts.number("");
    let count = ValueType { kind: texts.number("samples"), unit: texts.number("count") };
    let time = ValueType { kind: texts.number("cpu"), unit: texts.number("nanoseconds") };
    let period = 1_000_000_000 / i64::from(frequency.max(1));
    let mut profile = PprofProfile {
        sample_type: vec![count, time.clone()],
        duration_nanos: i64::try_from(stacks.duration.as_nanos()).unwrap_or(i64::MAX),
        period_type: Some(time),
        period,
        ..PprofProfile::default()
    };
    let mut places: HashMap<&StackFrame, u64> = HashMap::new();
    for (stack, samples) in &stacks.samples {
        let mut location_id = Vec::with_capacity(stack.len());
        for frame in stack.iter().rev() {
            let next = places.len() as u64 + 1;
            let id = *places.entry(frame).or_insert(next);
            if id == next {
                let (name, filename) = (texts.number(&frame.function), texts.number(&frame.file));
                // One function for each location: pprof adds them up by name.
                profile.function.push(Function { id, name, filename });
                profile
                    .location
                    .push(Location { id, line: vec![PprofLine { function_id: id, line: frame.line.into() }] });
            }
            location_id.push(id);
        }
        profile.sample.push(Sample { location_id, value: vec![*samples, samples * period] });
    }
    profile.string_table = texts.list;
    profile.encode_to_vec()
}

#[derive(Default)]
struct Texts {
    numbers: HashMap<String, i64>,
    list: Vec<String>,
}

impl Texts {
    fn number(&mut self, text: &str) -> i64 {
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        let number = i64::try_from(self.list.len()).expect("a profile has fewer names than that");
        self.numbers.insert(text.to_owned(), number);
        self.list.push(text.to_owned());
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sample_finds_its_names_again() {
        let frame = |name: &str| StackFrame { function: name.into(), file: format!("{name}.rs"), line: 7 };
        let samples = [(vec![frame("main"), frame("a")], 3), (vec![frame("main"), frame("b")], 1)];
        let stacks = SampledStacks { samples: samples.into(), duration: std::time::Duration::from_secs(2) };
        let profile = PprofProfile::decode(encode(&stacks, 200).as_slice()).unwrap();
        let name = |id: u64| {
            let function = profile.function.iter().find(|function| function.id == id).unwrap();
            profile.string_table[usize::try_from(function.name).unwrap()].as_str()
        };
        let read: Vec<_> = profile
            .sample
            .iter()
            .map(|sample| (sample.location_id.iter().map(|id| name(*id)).collect::<Vec<_>>(), sample.value.clone()))
            .collect();
        assert_eq!(read, [(vec!["a", "main"], vec![3, 15_000_000]), (vec!["b", "main"], vec![1, 5_000_000])]);
        assert_eq!((profile.string_table[0].as_str(), profile.location.len()), ("", 3));
    }
}

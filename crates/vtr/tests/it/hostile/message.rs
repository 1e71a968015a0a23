//! Messages of any type of the protocol, with a hostile text in every field that holds one.

use std::collections::HashMap;

use prost::{Message, encoding};
use prost_types::{
    DescriptorProto, FieldDescriptorProto, FileDescriptorSet,
    field_descriptor_proto::{Label, Type},
};

use super::HOSTILE;

/// How many a list holds.
pub(super) const REPEATED: usize = 2;
/// No message of the protocol goes deeper.
const DEEPEST: u32 = 8;

/// What the protocol says of its messages and calls.
pub(super) struct Protocol {
    messages: HashMap<String, DescriptorProto>,
    /// What each call answers with, by its path.
    answers: HashMap<String, String>,
}

impl Protocol {
    pub(super) fn read() -> Self {
        let files = FileDescriptorSet::decode(grpc::proto::DESCRIPTORS).unwrap().file;
        let (mut messages, mut answers) = (HashMap::new(), HashMap::new());
        for file in files {
            let package = file.package().to_owned();
            for service in &file.service {
                for method in &service.method {
                    let path = format!("/{package}.{}/{}", service.name(), method.name());
                    answers.insert(path, method.output_type().to_owned());
                }
            }
            for message in file.message_type {
                for nested in &message.nested_type {
                    messages.insert(format!(".{package}.{}.{}", message.name(), nested.name()), nested.clone());
                }
                messages.insert(format!(".{package}.{}", message.name()), message);
            }
        }
        assert!(answers.len() > 20, "the protocol has calls: {answers:?}");
        Protocol { messages, answers }
    }

    /// The answer to a call. `taste` decides what is not text: numbers, flags, and which of several kinds it is.
    pub(super) fn answer(&self, path: &str, taste: usize) -> Vec<u8> {
        self.message(&self.answers[path], taste, 0)
    }

    fn message(&self, name: &str, taste: usize, depth: u32) -> Vec<u8> {
        let mut bytes = Vec::new();
        let Some(message) = self.messages.get(name).filter(|_| depth < DEEPEST) else { return bytes };
        for field in &message.field {
            let alone = field.oneof_index.filter(|_| !field.proto3_optional());
            if let Some(oneof) = alone {
                let of_it: Vec<_> = message.field.iter().filter(|other| other.oneof_index == Some(oneof)).collect();
                if of_it[taste % of_it.len()].number() != field.number() {
                    continue;
                }
            }
            let count = if field.label() == Label::Repeated { REPEATED } else { 1 };
            (0..count).for_each(|_| self.field(field, taste, depth, &mut bytes));
        }
        bytes
    }

    fn field(&self, field: &FieldDescriptorProto, taste: usize, depth: u32, into: &mut Vec<u8>) {
        let tag = u32::try_from(field.number()).unwrap();
        let number = [1, 0, u64::MAX, 99, i64::MAX as u64][taste % 5];
        match field.r#type() {
            Type::String => encoding::string::encode(tag, &HOSTILE.to_owned(), into),
            Type::Bytes => encoding::bytes::encode(tag, &HOSTILE.as_bytes().to_vec(), into),
            Type::Message => {
                encoding::bytes::encode(tag, &self.message(field.type_name(), taste, depth + 1), into);
            }
            Type::Bool => encoding::bool::encode(tag, &taste.is_multiple_of(2), into),
            _ => {
                encoding::encode_key(tag, encoding::WireType::Varint, into);
                encoding::encode_varint(number, into);
            }
        }
    }
}

/// `google.rpc.Status` with one `google.rpc.ErrorInfo`, as the protocol's errors have it.
pub(super) fn error_details(code: u64, kind: &str) -> Vec<u8> {
    let text = |tag: u32, text: &str, into: &mut Vec<u8>| encoding::string::encode(tag, &text.to_owned(), into);
    let mut info = Vec::new();
    text(1, HOSTILE, &mut info);
    text(2, grpc::ERROR_DOMAIN, &mut info);
    for (key, value) in [("kind", kind), ("message", HOSTILE), ("hint", HOSTILE)] {
        let mut entry = Vec::new();
        text(1, key, &mut entry);
        text(2, value, &mut entry);
        encoding::bytes::encode(3, &entry, &mut info);
    }
    let mut any = Vec::new();
    text(1, "type.googleapis.com/google.rpc.ErrorInfo", &mut any);
    encoding::bytes::encode(2, &info, &mut any);
    let mut status = Vec::new();
    encoding::uint64::encode(1, &code, &mut status);
    text(2, HOSTILE, &mut status);
    encoding::bytes::encode(3, &any, &mut status);
    status
}

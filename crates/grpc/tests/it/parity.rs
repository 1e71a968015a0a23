//! Every operation that declares this face has a call in the protocol, and no other.

use ops::{Faces, SessionContext, Table};
use prost::Message;

/// Which operation each call runs; none for those that read the engine itself.
const CALLS: [(&str, Option<&str>); 21] = [
    ("Spawn", Some("spawn_process")),
    ("List", Some("list_processes")),
    ("Info", Some("get_process_status")),
    ("Kill", Some("kill_process")),
    ("Remove", Some("close_process")),
    ("Rename", Some("rename_process")),
    ("GetScreen", Some("get_screen")),
    ("GetHistory", None),
    ("Grep", Some("search_output")),
    ("SendText", Some("send_input")),
    ("SendKey", Some("send_input")),
    ("SendBytes", Some("send_input")),
    ("Resize", Some("resize_process")),
    ("WaitFor", Some("wait_for_pattern")),
    ("WaitForIdle", Some("wait_for_idle")),
    ("Subscribe", None),
    ("Attach", None),
    ("WatchSessions", None),
    ("Record", Some("record_process")),
    ("DumpAsciinema", Some("record_process")),
    ("Version", None),
];

#[test]
fn the_table_and_the_protocol_agree() {
    let files = prost_types::FileDescriptorSet::decode(grpc::proto::DESCRIPTORS).unwrap();
    let services = files.file.iter().flat_map(|file| &file.service);
    let methods: Vec<&str> = services.flat_map(|service| &service.method).map(|method| method.name()).collect();
    assert_eq!(methods, CALLS.map(|(call, _)| call));
    let table = Table::<SessionContext>::new(ops::operations::entries());
    table.check_face(Faces::GRPC, CALLS.iter().filter_map(|(_, operation)| *operation)).unwrap();
}

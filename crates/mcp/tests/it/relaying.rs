//! The small relay between this process's pipes and a server's socket: no runtime, one thread.

use std::{
    io::{BufRead, BufReader, Read, Write, pipe},
    os::unix::net::UnixStream,
    thread,
};

use mcp::{PumpEnd, PumpError, relay};

/// More than the buffers of pipes, sockets and relay together.
const MUCH: usize = 3 << 20;

#[test]
fn both_ways_at_once_and_nobody_waits_for_the_other() {
    let (socket, server) = UnixStream::pair().unwrap();
    let (input, mut to_relay) = pipe().unwrap();
    let (from_relay, output) = pipe().unwrap();
    let relaying = thread::spawn(move || relay(input, output, &socket, b"hello\n"));
    let echo = thread::spawn(move || {
        let (mut reader, mut writer) = (BufReader::new(server.try_clone().unwrap()), server);
        let mut first = String::new();
        reader.read_line(&mut first).unwrap();
        assert_eq!(first, "hello\n");
        std::io::copy(&mut reader, &mut writer).unwrap();
        writer.write_all(b"last words").unwrap();
    });
    let bytes: Vec<u8> = (0..MUCH).map(|at| (at % 251) as u8).collect();
    let sent = bytes.clone();
    // Closing is the client's end: what is under way still comes.
    let writing = thread::spawn(move || to_relay.write_all(&sent).unwrap());
    let mut back = Vec::new();
    BufReader::new(from_relay).read_to_end(&mut back).unwrap();
    assert_eq!(relaying.join().unwrap().unwrap(), PumpEnd::Client);
    assert_eq!(back.len(), MUCH + 10);
    assert!(back.starts_with(&bytes) && back.ends_with(b"last words"));
    writing.join().unwrap();
    echo.join().unwrap();
}

#[test]
fn the_end_of_the_server_is_the_end_and_its_last_words_arrive() {
    let (socket, mut server) = UnixStream::pair().unwrap();
    let (input, _client) = pipe().unwrap();
    let (mut from_relay, output) = pipe().unwrap();
    // The greeting stays unread: a server that closes so resets the connection.
    let relaying = thread::spawn(move || relay(input, output, &socket, b"hello\n"));
    server.write_all(b"no").unwrap();
    drop(server);
    assert_eq!(relaying.join().unwrap().unwrap(), PumpEnd::Server);
    let mut said = String::new();
    from_relay.read_to_string(&mut said).unwrap();
    assert_eq!(said, "no");
}

#[test]
fn a_server_that_neither_answers_nor_ends_does_not_hold_it() {
    let (socket, _server) = UnixStream::pair().unwrap();
    let (input, client) = pipe().unwrap();
    let (_from_relay, output) = pipe().unwrap();
    drop(client);
    assert_eq!(relay(input, output, &socket, b"").unwrap(), PumpEnd::Client);
}

#[test]
fn a_server_that_does_not_read_does_not_hold_it_either() {
    let (socket, _server) = UnixStream::pair().unwrap();
    let (input, mut client) = pipe().unwrap();
    let (_from_relay, output) = pipe().unwrap();
    let relaying = thread::spawn(move || relay(input, output, &socket, b""));
    let writing = thread::spawn(move || {
        // As much as pipe, relay and socket take: fails when the relay has gone.
        let _ = client.write_all(&vec![b'x'; MUCH]);
    });
    // The client's process ends in the middle of a write; here its last bytes can't be taken back, so the relay
    // is told by its other end.
    drop(_from_relay);
    assert!(matches!(relaying.join().unwrap(), Err(PumpError::Client(_))));
    writing.join().unwrap();
}

#[test]
fn a_client_that_reads_no_more_ends_it_though_nothing_is_said() {
    let (socket, _server) = UnixStream::pair().unwrap();
    let (input, _client) = pipe().unwrap();
    let (from_relay, output) = pipe().unwrap();
    let relaying = thread::spawn(move || relay(input, output, &socket, b""));
    drop(from_relay);
    assert!(matches!(relaying.join().unwrap(), Err(PumpError::Client(_))));
}

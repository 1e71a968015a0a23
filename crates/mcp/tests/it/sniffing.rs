//! Telling gRPC from MCP.

use std::time::Duration;

use mcp::{SniffError, WireProtocol, sniff};
use testkit::DEADLINE;
use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

#[tokio::test]
async fn the_first_bytes_decide_and_are_read_again() {
    let preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\nand frames";
    for (bytes, protocol) in [
        (preface, WireProtocol::Http2),
        ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", WireProtocol::Http2),
        ("{}", WireProtocol::Json),
        (" \r\n\t{\"jsonrpc\":\"2.0\"}\n", WireProtocol::Json),
        ("{PRI * HTTP/2.0", WireProtocol::Json),
    ] {
        for chunk in [1, 5, 1000] {
            let (mut here, there) = duplex(4096);
            let writing = async {
                for part in bytes.as_bytes().chunks(chunk) {
                    here.write_all(part).await.unwrap();
                    tokio::task::yield_now().await;
                }
                here.write_all(b", more").await.unwrap();
                here
            };
            let (mut here, sniffed) = tokio::join!(writing, sniff(there, DEADLINE));
            let (found, mut stream) = sniffed.unwrap();
            assert_eq!(found, protocol, "{bytes:?}");
            stream.write_all(b"answer").await.unwrap();
            let mut answer = [0; 6];
            here.read_exact(&mut answer).await.unwrap();
            assert_eq!(&answer, b"answer");
            drop(here);
            let mut all = String::new();
            stream.read_to_string(&mut all).await.unwrap();
            assert_eq!(all, format!("{bytes}, more"));
        }
    }
}

#[tokio::test]
async fn anything_else_is_refused_with_what_it_was() {
    for bytes in ["GET / HTTP/1.1\r\n", "PRI * HTTP/1.1", "[{}]", " PRI * HTTP/2.0", "\x16\x03\x01", &" ".repeat(5000)]
    {
        match sniff(bytes.as_bytes(), DEADLINE).await {
            Err(SniffError::Unknown { first }) => assert!(bytes.as_bytes().starts_with(&first), "{bytes:?}"),
            other => panic!("{bytes:?}: {other:?}"),
        }
    }
    let error = sniff(b"GET / HTTP/1.1\r\n".as_slice(), DEADLINE).await.unwrap_err();
    assert!(error.to_string().contains("GET / HTTP/1.1\\r\\n"), "{error}");
}

#[tokio::test]
async fn a_client_that_leaves_before_the_decision_is_gone() {
    for bytes in ["", "PRI * HT", "  \n"] {
        assert!(matches!(sniff(bytes.as_bytes(), DEADLINE).await, Err(SniffError::Closed)), "{bytes:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_silent_client_is_given_up_at_the_deadline() {
    let (mut here, there) = duplex(64);
    here.write_all(b"PRI").await.unwrap();
    let within = Duration::from_secs(3);
    let start = tokio::time::Instant::now();
    assert!(matches!(sniff(there, within).await, Err(SniffError::Silent { .. })));
    assert_eq!(start.elapsed().as_secs(), 3);
}

#[tokio::test(start_paused = true)]
async fn half_a_preface_holds_a_connection_for_ten_seconds_and_a_silent_client_for_longer() {
    for (said, seconds) in [("PRI * HTTP/2.0\r\n\r\nSM", 10), ("", 600), (" \n", 600)] {
        let (mut here, there) = duplex(64);
        here.write_all(said.as_bytes()).await.unwrap();
        let start = tokio::time::Instant::now();
        assert!(matches!(sniff(there, Duration::from_secs(600)).await, Err(SniffError::Silent { .. })));
        assert_eq!(start.elapsed().as_secs(), seconds, "{said:?}");
    }
}

//! Finds listening sockets: which of a process's descriptors are sockets in the state LISTEN.

use std::collections::{HashMap, HashSet};
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::path::Path;

use super::ListeningSocket;
use super::linux::numbers_in;
use crate::Pid;

/// Maximum descriptors inspected per process; further ones are ignored.
const MAX_DESCRIPTORS: usize = 65_536;

/// The TCP sockets on which any of `pids` listens, by port; a socket that several of them share is listed once. Reads
/// only the given processes' descriptors and, if any of them is a socket, the listening part of their network's table.
pub fn listening_sockets(pids: &[Pid]) -> Vec<ListeningSocket> {
    // With containers, processes of one session may be in different networks, each with its own table.
    let mut networks: HashMap<String, (Pid, HashMap<u64, Pid>)> = HashMap::new();
    for pid in pids {
        let inodes = socket_inodes(*pid);
        if inodes.is_empty() {
            continue;
        }
        let Ok(network) = fs::read_link(format!("/proc/{pid}/ns/net")) else { continue };
        let (_, owners) =
            networks.entry(network.to_string_lossy().into_owned()).or_insert_with(|| (*pid, HashMap::new()));
        for inode in inodes {
            owners.entry(inode).or_insert(*pid);
        }
    }
    let mut found = HashSet::new();
    for (reader, owners) in networks.values() {
        for table in ["tcp", "tcp6"] {
            for row in listening_rows(Path::new(&format!("/proc/{reader}/net/{table}"))) {
                if let Some(pid) = owners.get(&row.inode) {
                    found.insert(ListeningSocket { port: row.port, address: row.address, pid: *pid });
                }
            }
        }
    }
    let mut found: Vec<ListeningSocket> = found.into_iter().collect();
    found.sort();
    found
}

fn socket_inodes(pid: Pid) -> Vec<u64> {
    let folder = format!("/proc/{pid}/fd");
    let descriptors = numbers_in(Path::new(&folder)).take(MAX_DESCRIPTORS);
    let targets = descriptors.filter_map(|descriptor| fs::read_link(format!("{folder}/{descriptor}")).ok());
    targets.filter_map(|target| target.to_str()?.strip_prefix("socket:[")?.strip_suffix(']')?.parse().ok()).collect()
}

#[derive(Debug, PartialEq, Eq)]
struct SocketRow {
    address: IpAddr,
    port: u16,
    inode: u64,
}

/// The kernel lists listening sockets first, so the reading ends at the first other one: thousands
/// of connections on the host cost nothing.
fn listening_rows(table: &Path) -> Vec<SocketRow> {
    const LISTEN: &str = "0A";
    let Ok(file) = File::open(table) else { return Vec::new() };
    let lines = BufReader::new(file).lines().skip(1).map_while(Result::ok);
    lines
        .take_while(|line| line.split_ascii_whitespace().nth(3) == Some(LISTEN))
        .filter_map(|line| parse_row(&line))
        .collect()
}

/// `N: ADDRESS:PORT REMOTE STATE QUEUES TIMER RETRANSMITS UID TIMEOUT INODE …`
fn parse_row(line: &str) -> Option<SocketRow> {
    let mut fields = line.split_ascii_whitespace();
    let (address, port) = fields.nth(1)?.split_once(':')?;
    let inode = fields.nth(9 - 2)?.parse().ok()?;
    Some(SocketRow { address: parse_address(address)?, port: u16::from_str_radix(port, 16).ok()?, inode })
}

/// The address's 32-bit words in hexadecimal, each as this machine's byte order reads it.
fn parse_address(hex: &str) -> Option<IpAddr> {
    let word = |at: usize| Some(u32::from_str_radix(hex.get(at..at + 8)?, 16).ok()?.to_ne_bytes());
    match hex.len() {
        8 => Some(Ipv4Addr::from(word(0)?).into()),
        32 => {
            let mut bytes = [0; 16];
            for (part, at) in bytes.chunks_exact_mut(4).zip((0..).step_by(8)) {
                part.copy_from_slice(&word(at)?);
            }
            Some(IpAddr::from(Ipv6Addr::from(bytes)).to_canonical())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_endian = "little")]
    #[test]
    fn rows_of_both_tables_are_read() {
        let v4 = "   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 4242 1 0 100 0 0 10 0";
        assert_eq!(parse_row(v4), Some(SocketRow { address: Ipv4Addr::LOCALHOST.into(), port: 8080, inode: 4242 }));
        let v6 = "   1: 00000000000000000000000001000000:0BB8 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 77 1";
        assert_eq!(parse_row(v6), Some(SocketRow { address: Ipv6Addr::LOCALHOST.into(), port: 3000, inode: 77 }));
        let mapped =
            "   2: 0000000000000000FFFF00000100007F:0BB8 00000000000000000000000000000000:0000 0A 0:0 0:0 0 0 0 78 1";
        assert_eq!(parse_row(mapped), Some(SocketRow { address: Ipv4Addr::LOCALHOST.into(), port: 3000, inode: 78 }));
    }

    #[test]
    fn broken_rows_are_skipped() {
        for line in [
            "",
            "0:",
            "0: 0100007F 0 0A 0 0 0 0 0 1",
            "0: XX00007F:1F90 0 0A 0 0 0 0 0 1",
            "0: é100007F:1F90 0 0A 0 0 0 0 0 1",
        ] {
            assert_eq!(parse_row(line), None, "{line}");
        }
    }
}

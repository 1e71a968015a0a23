//! What macOS tells of one open descriptor: the structures of sys/proc_info.h that the crate libc does not have. They
//! are plain data, and their layout is the kernel's interface, which does not change.

use std::ffi::c_char;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// `struct vnode_fdinfowithpath`: an open file.
#[repr(C)]
pub(super) struct VnodeDescriptor {
    open: OpenFile,
    vnode: VnodeFacts,
    fs_id: [i32; 2],
    pub(super) path: [c_char; 1024],
}

/// `struct proc_fileinfo`.
#[repr(C)]
struct OpenFile {
    flags: u32,
    status: u32,
    offset: i64,
    kind: i32,
    guard_flags: u32,
}

/// `struct vinfo_stat`, and of a vnode the kind behind it.
#[repr(C)]
struct VnodeFacts {
    stat: [u64; 17],
    kind: i32,
    padding: i32,
}

/// `struct socket_fdinfo`: an open socket.
#[repr(C)]
pub(super) struct SocketDescriptor {
    open: OpenFile,
    stat: [u64; 17],
    /// The same for all descriptors of a socket.
    pub(super) identity: u64,
    protocol_block: u64,
    type_protocol_family: [i32; 3],
    options_to_error: [i16; 8],
    out_of_band_mark: u32,
    receive_buffer: [u32; 6],
    send_buffer: [u32; 6],
    kind: i32,
    reserved: u32,
    /// What follows depends on the kind.
    tcp: TcpSocket,
    /// The largest kind, a Unix socket's, is longer.
    rest: [u64; 53],
}

/// `struct tcp_sockinfo`, which begins with a `struct in_sockinfo`.
#[repr(C)]
struct TcpSocket {
    foreign_port: i32,
    /// In network byte order.
    local_port: i32,
    generation: u64,
    flags: u32,
    flow: u32,
    version: u8,
    time_to_live: u8,
    reserved: u32,
    foreign_address: [u8; 16],
    /// Of IPv4 in the last four bytes.
    local_address: [u8; 16],
    per_version: [u32; 4],
    state: i32,
    timers: [i32; 4],
}

const SOCKINFO_TCP: i32 = 2;
const TSI_S_LISTEN: i32 = 1;
const INI_IPV4: u8 = 1;

// What the C compiler says of the header's structures, for both architectures.
const _: () = {
    use std::mem::offset_of;
    assert!(size_of::<VnodeDescriptor>() == 1200 && offset_of!(VnodeDescriptor, path) == 176);
    assert!(size_of::<SocketDescriptor>() == 792 && offset_of!(SocketDescriptor, identity) == 160);
    assert!(offset_of!(SocketDescriptor, kind) == 256 && offset_of!(SocketDescriptor, tcp) == 264);
    assert!(offset_of!(TcpSocket, local_port) == 4 && offset_of!(TcpSocket, version) == 24);
    assert!(offset_of!(TcpSocket, local_address) == 48 && offset_of!(TcpSocket, state) == 80);
};

impl SocketDescriptor {
    /// The address and port at which it accepts TCP connections; `None` for all other sockets.
    pub(super) fn listens_on(&self) -> Option<(IpAddr, u16)> {
        if self.kind != SOCKINFO_TCP || self.tcp.state != TSI_S_LISTEN {
            return None;
        }
        let [high, low, ..] = self.tcp.local_port.to_ne_bytes();
        let bytes = self.tcp.local_address;
        // A socket of IPv6 that takes both is marked as both.
        let address = match self.tcp.version {
            INI_IPV4 => Ipv4Addr::new(bytes[12], bytes[13], bytes[14], bytes[15]).into(),
            _ => IpAddr::from(Ipv6Addr::from(bytes)).to_canonical(),
        };
        Some((address, u16::from_be_bytes([high, low])))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn socket(kind: i32, state: i32, version: u8, local_address: [u8; 16]) -> SocketDescriptor {
        let [high, low] = 8080u16.to_be_bytes();
        SocketDescriptor {
            open: OpenFile { flags: 0, status: 0, offset: 0, kind: 0, guard_flags: 0 },
            stat: [0; 17],
            identity: 7,
            protocol_block: 0,
            type_protocol_family: [0; 3],
            options_to_error: [0; 8],
            out_of_band_mark: 0,
            receive_buffer: [0; 6],
            send_buffer: [0; 6],
            kind,
            reserved: 0,
            tcp: TcpSocket {
                foreign_port: 0,
                local_port: i32::from_ne_bytes([high, low, 0, 0]),
                generation: 0,
                flags: 0,
                flow: 0,
                version,
                time_to_live: 0,
                reserved: 0,
                foreign_address: [0; 16],
                local_address,
                per_version: [0; 4],
                state,
                timers: [0; 4],
            },
            rest: [0; 53],
        }
    }

    #[test]
    fn a_listening_socket_tells_its_address_and_port() {
        let v4 = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 127, 0, 0, 1];
        let any = [0; 16];
        let cases = [(INI_IPV4, v4, "127.0.0.1"), (INI_IPV4, any, "0.0.0.0"), (2, any, "::"), (3, any, "::")];
        for (version, bytes, expected) in cases {
            let expected = Some((expected.parse().unwrap(), 8080));
            assert_eq!(socket(SOCKINFO_TCP, TSI_S_LISTEN, version, bytes).listens_on(), expected);
        }
    }

    #[test]
    fn other_sockets_do_not_listen() {
        const ESTABLISHED: i32 = 4;
        const SOCKINFO_UN: i32 = 3;
        assert_eq!(socket(SOCKINFO_TCP, ESTABLISHED, INI_IPV4, [0; 16]).listens_on(), None);
        assert_eq!(socket(SOCKINFO_UN, TSI_S_LISTEN, INI_IPV4, [0; 16]).listens_on(), None);
    }
}

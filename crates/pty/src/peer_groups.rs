//! The groups of the process at the other end of a Unix socket.

use std::os::fd::BorrowedFd;

use crate::Pid;

/// Its supplementary groups. None when it can't be seen, for example from another container.
///
/// Linux is asked by the peer's `pid`. macOS noted them when the peer connected: at most sixteen, so a member of more
/// groups may be refused.
pub fn peer_groups(socket: BorrowedFd<'_>, pid: Option<Pid>) -> Vec<u32> {
    system::peer_groups(socket, pid)
}

#[cfg(target_os = "linux")]
mod system {
    use super::{BorrowedFd, Pid};

    pub(super) fn peer_groups(_: BorrowedFd<'_>, pid: Option<Pid>) -> Vec<u32> {
        pid.map(groups_of).unwrap_or_default()
    }

    fn groups_of(pid: Pid) -> Vec<u32> {
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        groups_in(&status)
    }

    fn groups_in(status: &str) -> Vec<u32> {
        let line = status.lines().find_map(|line| line.strip_prefix("Groups:")).unwrap_or_default();
        line.split_whitespace().filter_map(|group| group.parse().ok()).collect()
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn groups_of_this_process_are_read() {
            let ours: Vec<u32> = rustix::process::getgroups().unwrap().iter().map(|group| group.as_raw()).collect();
            let mut read = groups_of(Pid::from(rustix::process::getpid()));
            read.retain(|group| ours.contains(group));
            assert_eq!(read.len(), ours.len());
            assert_eq!(groups_in("Name:\tx\nGroups:\t4 24 \nx"), [4, 24]);
        }
    }
}

#[cfg(target_os = "macos")]
mod system {
    use std::mem::MaybeUninit;
    use std::os::fd::AsRawFd;

    use super::{BorrowedFd, Pid};

    /// The only form of `struct xucred` there is.
    const XUCRED_VERSION: u32 = 0;

    #[expect(unsafe_code, reason = "rustix does not have this option")]
    pub(super) fn peer_groups(socket: BorrowedFd<'_>, _: Option<Pid>) -> Vec<u32> {
        let mut found = MaybeUninit::<libc::xucred>::zeroed();
        let mut length = libc::socklen_t::try_from(size_of::<libc::xucred>()).expect("it has 76 bytes");
        // SAFETY: the kernel writes at most `length` bytes, which the structure has.
        let failed = unsafe {
            libc::getsockopt(
                socket.as_raw_fd(),
                libc::SOL_LOCAL,
                libc::LOCAL_PEERCRED,
                found.as_mut_ptr().cast(),
                &raw mut length,
            )
        };
        if failed != 0 {
            return Vec::new();
        }
        // SAFETY: it consists of numbers, and was all zeros before the call.
        let found = unsafe { found.assume_init() };
        if found.cr_version != XUCRED_VERSION {
            return Vec::new();
        }
        found.cr_groups.into_iter().take(usize::try_from(found.cr_ngroups).unwrap_or(0)).collect()
    }
}

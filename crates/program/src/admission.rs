//! Who may connect to a server. The kernel says who is at the other end; the socket's file mode is only the first
//! barrier.

use std::os::fd::AsFd;

use pty::Pid;
use tokio::net::{UnixStream, unix::UCred};

/// A peer is admitted if it is the owner, root, in the group, or on the list.
#[derive(Clone, Debug)]
pub struct AdmissionRule {
    pub owner: u32,
    pub group: Option<u32>,
    pub allowed: Vec<u32>,
}

impl AdmissionRule {
    /// `peer` is who the system says is at the other end of `stream`.
    pub(crate) fn admits(&self, stream: &UnixStream, peer: UCred) -> bool {
        let further = || pty::peer_groups(stream.as_fd(), peer.pid().and_then(Pid::new));
        self.admits_ids(peer.uid(), peer.gid(), further)
    }

    fn admits_ids(&self, user: u32, group: u32, further: impl FnOnce() -> Vec<u32>) -> bool {
        user == self.owner
            || user == 0
            || self.allowed.contains(&user)
            || self.group.is_some_and(|ours| group == ours || further().contains(&ours))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_passes() {
        let admission = AdmissionRule { owner: 1000, group: Some(50), allowed: vec![1002] };
        let admits = |user, group, further: &[u32]| admission.admits_ids(user, group, || further.to_vec());
        assert!(admits(1000, 1, &[]), "the owner");
        assert!(admits(0, 0, &[]), "root");
        assert!(admits(1001, 50, &[]), "a member by primary group");
        assert!(admits(1001, 1, &[7, 50]), "a member by another group");
        assert!(admits(1002, 1, &[]), "a user on the list");
        assert!(!admits(1001, 1, &[7]), "anyone else");
        let nobody_else = AdmissionRule { owner: 1000, group: None, allowed: Vec::new() };
        assert!(!nobody_else.admits_ids(1001, 1000, || vec![1000]), "a group only counts when it was given");
    }
}

//! Who may connect to a server. The kernel says who is at the other end; the socket's file mode is only the first
//! barrier.

/// A peer is admitted if it is the owner, root, in the group, or on the list.
#[derive(Clone, Debug)]
pub struct AdmissionRule {
    pub owner: u32,
    pub group: Option<u32>,
    pub allowed: Vec<u32>,
}

impl AdmissionRule {
    pub fn admits(&self, peer: tokio::net::unix::UCred) -> bool {
        self.admits_ids(peer.uid(), peer.gid(), || peer.pid().map(further_groups).unwrap_or_default())
    }

    fn admits_ids(&self, user: u32, group: u32, further: impl FnOnce() -> Vec<u32>) -> bool {
        user == self.owner
            || user == 0
            || self.allowed.contains(&user)
            || self.group.is_some_and(|ours| group == ours || further().contains(&ours))
    }
}

/// The supplementary groups of a process. None when the process can't be seen, for example from another container.
fn further_groups(pid: i32) -> Vec<u32> {
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

    #[test]
    fn groups_of_this_process_are_read() {
        let ours: Vec<u32> = rustix::process::getgroups().unwrap().iter().map(|group| group.as_raw()).collect();
        let pid = i32::try_from(std::process::id()).unwrap();
        let mut read = further_groups(pid);
        read.retain(|group| ours.contains(group));
        assert_eq!(read.len(), ours.len());
        assert_eq!(groups_in("Name:\tx\nGroups:\t4 24 \nx"), [4, 24]);
    }
}

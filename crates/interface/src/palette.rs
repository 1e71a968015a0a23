//! The order of the palette: groups under headings, above them what was taken lately.

use std::cmp::Reverse;

/// How many entries stand above the groups.
const LATELY: usize = 3;

/// What an entry is listed under, in the order of the palette.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PaletteGroup {
    /// Taken lately, whatever it is.
    Lately,
    Start,
    GoTo,
    Session,
    Windows,
    Scratchpads,
    Recordings,
    Settings,
    /// Operations as agents call them, with raw arguments.
    Advanced,
}

impl PaletteGroup {
    pub fn title(self) -> &'static str {
        match self {
            PaletteGroup::Lately => "Taken lately",
            PaletteGroup::Start => "Start",
            PaletteGroup::GoTo => "Go to",
            PaletteGroup::Session => "This session",
            PaletteGroup::Windows => "Windows",
            PaletteGroup::Scratchpads => "Scratchpads",
            PaletteGroup::Recordings => "Recordings",
            PaletteGroup::Settings => "Settings, help, leaving",
            PaletteGroup::Advanced => "Advanced: operations with raw arguments",
        }
    }
}

/// What decides the place of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PaletteRank {
    pub group: PaletteGroup,
    /// When it was last taken, in any growing unit; 0 for never.
    pub recent: u64,
    pub is_agent: bool,
    /// One that can't run is listed for the reason why.
    pub can_run: bool,
}

/// The entries by index, each with the group that it stands under. In an empty project nothing comes before the agents.
pub fn arrange(ranks: &[PaletteRank], is_empty_project: bool) -> Vec<(usize, PaletteGroup)> {
    let mut lately: Vec<usize> = (0..ranks.len())
        .filter(|&index| ranks[index].recent > 0 && ranks[index].can_run && !is_empty_project)
        .collect();
    lately.sort_by_key(|&index| Reverse(ranks[index].recent));
    lately.truncate(LATELY);
    let mut rest: Vec<usize> = (0..ranks.len()).filter(|index| !lately.contains(index)).collect();
    // Stable: within a group, entries keep the order in which they are given.
    rest.sort_by_key(|&index| {
        let rank = ranks[index];
        let recent = if rank.is_agent && rank.can_run { rank.recent } else { 0 };
        (rank.group, !rank.can_run, !rank.is_agent, Reverse(recent))
    });
    let lately = lately.into_iter().map(|index| (index, PaletteGroup::Lately));
    lately.chain(rest.into_iter().map(|index| (index, ranks[index].group))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const RANK: PaletteRank = PaletteRank { group: PaletteGroup::GoTo, recent: 0, is_agent: false, can_run: true };

    fn agent(recent: u64) -> PaletteRank {
        PaletteRank { group: PaletteGroup::Start, is_agent: true, recent, ..RANK }
    }

    fn order(ranks: &[PaletteRank], is_empty_project: bool) -> Vec<usize> {
        arrange(ranks, is_empty_project).into_iter().map(|(index, _)| index).collect()
    }

    #[test]
    fn groups_have_an_order_and_entries_keep_theirs() {
        let of = |group| PaletteRank { group, ..RANK };
        let ranks = [
            of(PaletteGroup::Advanced),
            of(PaletteGroup::Settings),
            of(PaletteGroup::GoTo),
            of(PaletteGroup::Start),
            of(PaletteGroup::GoTo),
            of(PaletteGroup::Session),
        ];
        assert_eq!(order(&ranks, false), [3, 2, 4, 5, 1, 0]);
        assert_eq!(order(&ranks, true), [3, 2, 4, 5, 1, 0]);
    }

    #[test]
    fn in_an_empty_project_agents_come_first_and_those_that_are_missing_after_all_that_can_be_started() {
        let command = PaletteRank { group: PaletteGroup::Start, recent: 9, ..RANK };
        let missing = PaletteRank { can_run: false, ..agent(8) };
        assert_eq!(order(&[command, missing, agent(0), agent(3)], true), [3, 2, 0, 1]);
    }

    #[test]
    fn what_was_taken_lately_stands_above_and_only_there() {
        let taken = |recent| PaletteRank { recent, ..RANK };
        let ranks = [taken(0), taken(2), taken(5), taken(1), taken(4), agent(0)];
        let arranged = arrange(&ranks, false);
        assert_eq!(arranged[..3], [(2, PaletteGroup::Lately), (4, PaletteGroup::Lately), (1, PaletteGroup::Lately)]);
        assert_eq!(arranged[3..], [(5, PaletteGroup::Start), (0, PaletteGroup::GoTo), (3, PaletteGroup::GoTo)]);
    }

    #[test]
    fn what_can_not_run_is_never_lifted() {
        let broken = PaletteRank { can_run: false, recent: 99, ..RANK };
        assert_eq!(arrange(&[broken, RANK], false), [(1, PaletteGroup::GoTo), (0, PaletteGroup::GoTo)]);
    }

    #[test]
    fn each_entry_is_listed_once() {
        for is_empty in [false, true] {
            for recent in 0..40_u64 {
                let ranks: Vec<PaletteRank> = (0..12)
                    .map(|index| match index % 3 {
                        0 => agent(recent * index % 7),
                        1 => PaletteRank { recent: recent ^ index, ..RANK },
                        _ => PaletteRank { group: PaletteGroup::Settings, can_run: index % 2 == 0, recent, ..RANK },
                    })
                    .collect();
                let mut listed = order(&ranks, is_empty);
                listed.sort_unstable();
                assert_eq!(listed, (0..12).collect::<Vec<_>>());
            }
        }
    }
}

//! Limits of what browsers may use at once: pages, views, and large answers.
//!
//! A read-only link may have been given to someone the owner hardly knows. So each read-only login has a budget, all of
//! them together have another, and neither reduces the budget of logins that may type. Those have the owner's rights
//! anyway; their limits only contain mistakes.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::access::AccessRights;

#[derive(Clone, Copy, Debug)]
struct BudgetLimits {
    pages: usize,
    /// One session or recording each. A view holds at most one frame that the page has not received.
    views: usize,
    /// Answers being made, or waiting for the page to receive them: about ten megabytes each at worst.
    answers: usize,
}

const READER: BudgetLimits = BudgetLimits { pages: 8, views: 128, answers: 2 };
const ALL_READERS: BudgetLimits = BudgetLimits { pages: 48, views: 512, answers: 4 };
const TYPIST: BudgetLimits = BudgetLimits { pages: 64, views: 4096, answers: 4 };
const ALL_TYPISTS: BudgetLimits = BudgetLimits { pages: 64, views: 4096, answers: 8 };

#[derive(Debug)]
struct BudgetShare {
    pages: Arc<Semaphore>,
    views: Arc<Semaphore>,
    answers: Arc<Semaphore>,
}

impl BudgetShare {
    fn new(limits: BudgetLimits) -> Arc<Self> {
        let of = |places| Arc::new(Semaphore::new(places));
        Arc::new(BudgetShare { pages: of(limits.pages), views: of(limits.views), answers: of(limits.answers) })
    }
}

/// The budgets shared by all logins of a kind.
#[derive(Debug)]
pub(crate) struct BudgetPools {
    readers: Arc<BudgetShare>,
    typists: Arc<BudgetShare>,
}

impl BudgetPools {
    pub(crate) fn new() -> Self {
        BudgetPools { readers: BudgetShare::new(ALL_READERS), typists: BudgetShare::new(ALL_TYPISTS) }
    }

    pub(crate) fn for_login(&self, rights: AccessRights) -> LoginBudget {
        let (own, all) = match rights {
            AccessRights::ReadOnly => (READER, &self.readers),
            AccessRights::Full => (TYPIST, &self.typists),
        };
        LoginBudget { own: BudgetShare::new(own), all: all.clone() }
    }
}

/// One login's budget.
#[derive(Clone, Debug)]
pub(crate) struct LoginBudget {
    own: Arc<BudgetShare>,
    all: Arc<BudgetShare>,
}

/// A permit taken from a budget; returned on drop.
#[derive(Debug)]
pub(crate) struct BudgetPermit {
    _own: OwnedSemaphorePermit,
    _all: OwnedSemaphorePermit,
}

impl LoginBudget {
    pub(crate) fn page(&self) -> Option<BudgetPermit> {
        taken(&self.own.pages, &self.all.pages)
    }

    pub(crate) fn view(&self) -> Option<BudgetPermit> {
        taken(&self.own.views, &self.all.views)
    }

    /// Waits for a permit: a page that does not read its answers delays only itself.
    pub(crate) async fn answer(&self) -> Option<BudgetPermit> {
        let own = self.own.answers.clone().acquire_owned().await.ok()?;
        let all = self.all.answers.clone().acquire_owned().await.ok()?;
        Some(BudgetPermit { _own: own, _all: all })
    }

    /// Does not wait: a plain HTTP request would occupy a connection meanwhile.
    pub(crate) fn answer_now(&self) -> Option<BudgetPermit> {
        taken(&self.own.answers, &self.all.answers)
    }
}

fn taken(own: &Arc<Semaphore>, all: &Arc<Semaphore>) -> Option<BudgetPermit> {
    let (own, all) = (own.clone().try_acquire_owned().ok()?, all.clone().try_acquire_owned().ok()?);
    Some(BudgetPermit { _own: own, _all: all })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readers_leave_room_for_each_other_and_for_those_who_type() {
        let budgets = BudgetPools::new();
        let reader = budgets.for_login(AccessRights::ReadOnly);
        let held: Vec<_> = std::iter::from_fn(|| reader.page()).collect();
        assert_eq!(held.len(), READER.pages);
        let others: Vec<_> = (0..20).map(|_| budgets.for_login(AccessRights::ReadOnly)).collect();
        let more: Vec<_> = others.iter().flat_map(|other| std::iter::from_fn(|| other.page())).collect();
        assert_eq!(held.len() + more.len(), ALL_READERS.pages);
        let typist = budgets.for_login(AccessRights::Full);
        assert_eq!(std::iter::from_fn(|| typist.page()).collect::<Vec<_>>().len(), ALL_TYPISTS.pages);
        drop(held);
        assert!(reader.page().is_some());
    }
}

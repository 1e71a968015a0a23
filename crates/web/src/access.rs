//! Links and logins. A link's token can be used once; it creates a login, which the browser keeps in two halves.
//!
//! The cookie alone is not enough: browsers send it to every port of the host, and any user of the machine may listen
//! on one. The key is kept by the page in its origin's storage, and an origin includes the port; scripts can read that
//! storage, but not the cookie. Either half is useless without the other.
//!
//! Everything is kept in memory and ends with the server. Secrets are stored as digests only, so the timing of a
//! look-up can't leak them.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use sha2::{Digest, Sha256};
use tokio::sync::watch;

use crate::budget::{BudgetPools, LoginBudget};

/// What a browser that has logged in may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessRights {
    /// Look, type, start, end and share sessions.
    Full,
    /// Look only.
    ReadOnly,
}

/// How long an unused link is valid.
const LINK_LIFE: Duration = Duration::from_secs(24 * 3600);
/// Maximum links remembered (used ones included) and maximum logins; the oldest are dropped first.
const LIMIT: usize = 256;
const SECRET_BYTES: usize = 32;

type Secret = [u8; 32];

#[derive(Clone, Copy, Debug)]
struct LoginLink {
    rights: AccessRights,
    made: Instant,
    used: bool,
}

#[derive(Debug)]
struct Login {
    rights: AccessRights,
    made: Instant,
    key: Secret,
    budget: LoginBudget,
    /// Dropped with the login, which notifies its pages.
    alive: watch::Sender<()>,
}

/// Both halves of a new login.
#[derive(Debug)]
pub(crate) struct NewLogin {
    pub(crate) cookie: String,
    pub(crate) key: String,
}

/// A request that has shown both halves of a login.
#[derive(Clone, Debug)]
pub(crate) struct LoggedInVisitor {
    pub(crate) rights: AccessRights,
    pub(crate) budget: LoginBudget,
    login: Secret,
    alive: watch::Receiver<()>,
}

impl LoggedInVisitor {
    /// Resolves when the login has ended.
    pub(crate) async fn logged_out(&mut self) {
        // Nothing is ever sent: `changed` fails once the sender is dropped.
        while self.alive.changed().await.is_ok() {}
    }
}

#[derive(Debug, Default)]
struct KnownLogins {
    links: HashMap<Secret, LoginLink>,
    logins: HashMap<Secret, Login>,
}

#[derive(Debug)]
pub(crate) struct LoginRegistry {
    known: Mutex<KnownLogins>,
    budgets: BudgetPools,
    /// The most that a link can give.
    most: AccessRights,
}

/// Why a token was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NotRedeemed {
    Unknown,
    Used,
    TooOld,
}

#[derive(Debug, thiserror::Error)]
#[error("the system gave no random numbers: {0}")]
pub struct NoRandomness(getrandom::Error);

impl LoginRegistry {
    pub(crate) fn new(most: AccessRights) -> Self {
        LoginRegistry { known: Mutex::default(), budgets: BudgetPools::new(), most }
    }

    /// Creates a token for one login.
    pub(crate) fn new_token(&self, rights: AccessRights) -> Result<String, NoRandomness> {
        let rights = if self.most == AccessRights::Full { rights } else { self.most };
        let token = secret()?;
        let mut known = self.lock();
        make_room(&mut known.links, |link| link.made);
        known.links.insert(digest(&token), LoginLink { rights, made: Instant::now(), used: false });
        Ok(token)
    }

    /// Uses up the token and creates its login.
    pub(crate) fn redeem(&self, token: &str) -> Result<NewLogin, NotRedeemed> {
        let unknown = |_| NotRedeemed::Unknown;
        let new = NewLogin { cookie: secret().map_err(unknown)?, key: secret().map_err(unknown)? };
        let mut known = self.lock();
        let link = known.links.get_mut(&digest(token)).ok_or(NotRedeemed::Unknown)?;
        if link.used {
            return Err(NotRedeemed::Used);
        }
        if link.made.elapsed() > LINK_LIFE {
            return Err(NotRedeemed::TooOld);
        }
        link.used = true;
        let rights = link.rights;
        make_room(&mut known.logins, |login| login.made);
        let login = Login {
            rights,
            made: Instant::now(),
            key: digest(&new.key),
            budget: self.budgets.for_login(rights),
            alive: watch::Sender::new(()),
        };
        known.logins.insert(digest(&new.cookie), login);
        Ok(new)
    }

    /// Checks both halves of a login.
    pub(crate) fn admit(&self, cookie: &str, key: &str) -> Option<LoggedInVisitor> {
        let (login, key) = (digest(cookie), digest(key));
        let known = self.lock();
        let found = known.logins.get(&login).filter(|found| found.key == key)?;
        let (rights, budget) = (found.rights, found.budget.clone());
        Some(LoggedInVisitor { rights, budget, login, alive: found.alive.subscribe() })
    }

    /// Whether the cookie is one of ours. That is enough only for the empty page.
    pub(crate) fn knows_cookie(&self, cookie: &str) -> bool {
        self.lock().logins.contains_key(&digest(cookie))
    }

    /// Ends the login, and closes every page that it opened.
    pub(crate) fn log_out(&self, visitor: &LoggedInVisitor) {
        self.lock().logins.remove(&visitor.login);
    }

    fn lock(&self) -> MutexGuard<'_, KnownLogins> {
        // Each change is a single step, so the maps are valid even after a panic elsewhere.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn make_room<T>(kept: &mut HashMap<Secret, T>, made: impl Fn(&T) -> Instant) {
    if kept.len() >= LIMIT
        && let Some(oldest) = kept.iter().min_by_key(|(_, value)| made(value)).map(|(key, _)| *key)
    {
        kept.remove(&oldest);
    }
}

fn secret() -> Result<String, NoRandomness> {
    let mut bytes = [0; SECRET_BYTES];
    getrandom::fill(&mut bytes).map_err(NoRandomness)?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}

fn digest(text: &str) -> Secret {
    Sha256::digest(text.as_bytes()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_good_once() {
        let access = LoginRegistry::new(AccessRights::Full);
        let token = access.new_token(AccessRights::ReadOnly).unwrap();
        let new = access.redeem(&token).unwrap();
        assert_eq!(access.admit(&new.cookie, &new.key).unwrap().rights, AccessRights::ReadOnly);
        assert_eq!(access.redeem(&token).unwrap_err(), NotRedeemed::Used);
        assert_eq!(access.redeem("guess").unwrap_err(), NotRedeemed::Unknown);
    }

    #[test]
    fn half_a_login_is_none() {
        let access = LoginRegistry::new(AccessRights::Full);
        let log_in = || access.redeem(&access.new_token(AccessRights::Full).unwrap()).unwrap();
        let (one, other) = (log_in(), log_in());
        for (cookie, key) in [
            (&one.cookie, &other.key),
            (&one.cookie, &one.cookie),
            (&one.key, &one.key),
            (&one.key, &one.cookie),
            (&one.cookie, &String::new()),
        ] {
            assert!(access.admit(cookie, key).is_none());
        }
        assert!(access.knows_cookie(&one.cookie) && !access.knows_cookie(&one.key));
    }

    #[tokio::test]
    async fn logging_out_ends_one_login() {
        let access = LoginRegistry::new(AccessRights::Full);
        let log_in = || access.redeem(&access.new_token(AccessRights::Full).unwrap()).unwrap();
        let (one, other) = (log_in(), log_in());
        let mut visitor = access.admit(&one.cookie, &one.key).unwrap();
        access.log_out(&visitor);
        visitor.logged_out().await;
        assert!(access.admit(&one.cookie, &one.key).is_none() && !access.knows_cookie(&one.cookie));
        assert!(access.admit(&other.cookie, &other.key).is_some());
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let access = LoginRegistry::new(AccessRights::Full);
        let first = access.new_token(AccessRights::Full).unwrap();
        for _ in 0..LIMIT {
            access.new_token(AccessRights::Full).unwrap();
        }
        assert_eq!(access.redeem(&first).unwrap_err(), NotRedeemed::Unknown);
        assert_eq!(access.lock().links.len(), LIMIT);
    }
}

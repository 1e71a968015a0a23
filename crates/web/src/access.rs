//! Links and logins: a link's token is good once and becomes a login, which a browser keeps as a cookie.
//!
//! Everything lives in memory and ends with the server. Secrets are kept as digests only, so a look-up can't leak them
//! by its timing.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use sha2::{Digest, Sha256};

/// What someone who came in may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rights {
    /// Look, type, start, end and share sessions.
    Full,
    /// Look only.
    ReadOnly,
}

/// How long an unused link is good.
const LINK_LIFE: Duration = Duration::from_secs(24 * 3600);
/// Links that are remembered, used ones included, and browsers that are logged in: the oldest go first.
const LIMIT: usize = 256;
const SECRET_BYTES: usize = 32;

type Secret = [u8; 32];

#[derive(Clone, Copy, Debug)]
struct Link {
    rights: Rights,
    made: Instant,
    used: bool,
}

#[derive(Clone, Copy, Debug)]
struct Login {
    rights: Rights,
    made: Instant,
}

#[derive(Debug, Default)]
struct Known {
    links: HashMap<Secret, Link>,
    logins: HashMap<Secret, Login>,
}

#[derive(Debug, Default)]
pub(crate) struct Access {
    known: Mutex<Known>,
}

/// Why a token opened nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NotRedeemed {
    Unknown,
    Used,
    TooOld,
}

#[derive(Debug, thiserror::Error)]
#[error("the system gave no random numbers: {0}")]
pub struct NoRandomness(getrandom::Error);

impl Access {
    /// A token for one login.
    pub(crate) fn new_token(&self, rights: Rights) -> Result<String, NoRandomness> {
        let token = secret()?;
        let mut known = self.lock();
        make_room(&mut known.links, |link| link.made);
        known.links.insert(digest(&token), Link { rights, made: Instant::now(), used: false });
        Ok(token)
    }

    /// The value of the cookie that the token buys, once.
    pub(crate) fn redeem(&self, token: &str) -> Result<(String, Rights), NotRedeemed> {
        let cookie = secret().map_err(|_| NotRedeemed::Unknown)?;
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
        known.logins.insert(digest(&cookie), Login { rights, made: Instant::now() });
        Ok((cookie, rights))
    }

    pub(crate) fn rights_of(&self, cookie: &str) -> Option<Rights> {
        self.lock().logins.get(&digest(cookie)).map(|login| login.rights)
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        // Each change is one step: a panic elsewhere leaves the maps whole.
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
        let access = Access::default();
        let token = access.new_token(Rights::ReadOnly).unwrap();
        let (cookie, rights) = access.redeem(&token).unwrap();
        assert_eq!((rights, access.rights_of(&cookie)), (Rights::ReadOnly, Some(Rights::ReadOnly)));
        assert_eq!(access.redeem(&token), Err(NotRedeemed::Used));
        assert_eq!(access.redeem("guess"), Err(NotRedeemed::Unknown));
        assert_eq!((access.rights_of(&token), access.rights_of("guess")), (None, None));
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let access = Access::default();
        let first = access.new_token(Rights::Full).unwrap();
        for _ in 0..LIMIT {
            access.new_token(Rights::Full).unwrap();
        }
        assert_eq!(access.redeem(&first), Err(NotRedeemed::Unknown));
        assert_eq!(access.lock().links.len(), LIMIT);
    }
}

//! Tasks that go on in the thread that has news for them.
//!
//! A runtime hands a woken task to one of its own threads, and to wake that takes as long as most of what it then does:
//! finding a text on the screen, writing an answer to a socket. So the thread of a session, when it has taken output and
//! let go of every lock, goes on by itself with the tasks that waited for it. The runtime goes on with them in all other
//! cases: after a timer, a client's bytes, or while the session floods and its thread has enough to do.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::fmt;
use std::future::Future;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, TryLockError};
use std::task::{Context, Poll, Wake, Waker};

use tokio::runtime::Handle;

use crate::fair_lock::lock;

/// So many tasks go on in the thread of a session after one piece of output: the others would wait for it, and so
/// would the session.
const MAX_TASKS: usize = 16;
/// A task that wakes itself is polled again at once so many times. Most do it once: they have written something, and then
/// look what there is to send.
const MAX_ROUNDS: usize = 4;

/// A future that the thread of a session may go on with. Awaited like any other, in a tokio runtime.
///
/// It must not block, and what it does in a session's thread must be short: that session stands still meanwhile.
pub struct OnTheSpot<T> {
    work: Arc<Work<T>>,
}

struct Work<T> {
    state: Mutex<State<T>>,
    /// Someone wants it polled. Whoever polls looks again after it has let go of `state`.
    wanted: AtomicBool,
    /// It is among the tasks that a session's thread has woken.
    collected: AtomicBool,
    /// Of the runtime's task that holds it.
    owner: Mutex<Waker>,
    runtime: Handle,
}

enum State<T> {
    UnderWay(Pin<Box<dyn Future<Output = T> + Send>>),
    Done(T),
    Panicked(Box<dyn Any + Send>),
    /// The result was taken, or the work dropped.
    Over,
}

thread_local! {
    /// The tasks that this thread has woken; `None` in threads that leave them to the runtime.
    static WOKEN: RefCell<Option<VecDeque<Arc<dyn Task>>>> = const { RefCell::new(None) };
    static POLLED: Cell<Option<Round>> = const { Cell::new(None) };
    static LENT: Cell<Option<Lent>> = const { Cell::new(None) };
}

/// One call of a future's poll in this thread.
#[derive(Clone, Copy)]
struct Round {
    /// Only compared.
    work: *const (),
    /// It woke itself.
    again: bool,
}

/// A session's thread goes on with a task.
#[derive(Clone, Copy)]
struct Lent {
    /// It met something that is the runtime's to do.
    left_over: bool,
}

/// Whether this thread is a session's, and only lent to the task that asks.
pub fn is_lent() -> bool {
    LENT.get().is_some()
}

/// The task that asks has more to do, which is not for the thread it was lent: the runtime goes on with it.
pub fn leave_to_runtime() {
    LENT.set(LENT.get().map(|_| Lent { left_over: true }));
}

/// Tasks woken by this thread while it exists. Those left at its end are the runtime's.
pub(crate) struct Woken(());

impl Woken {
    pub(crate) fn collect() -> Self {
        WOKEN.set(Some(VecDeque::new()));
        Woken(())
    }

    /// Goes on with them, as far as a session may wait for that. The thread must hold no locks.
    pub(crate) fn go_on_here(self) {
        for _ in 0..MAX_TASKS {
            let next = WOKEN.with_borrow_mut(|woken| woken.as_mut()?.pop_front());
            let Some(task) = next else { return };
            task.go_on_here();
        }
    }
}

impl Drop for Woken {
    fn drop(&mut self) {
        for task in WOKEN.take().into_iter().flatten() {
            task.leave_to_runtime();
        }
    }
}

impl<T> fmt::Debug for OnTheSpot<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OnTheSpot").finish_non_exhaustive()
    }
}

trait Task: Send + Sync {
    fn go_on_here(self: Arc<Self>);
    fn leave_to_runtime(&self);
}

impl<T: Send + 'static> OnTheSpot<T> {
    /// Needs a runtime around it.
    pub fn new(future: impl Future<Output = T> + Send + 'static) -> Self {
        let work = Work {
            state: Mutex::new(State::UnderWay(Box::pin(future))),
            wanted: AtomicBool::new(false),
            collected: AtomicBool::new(false),
            owner: Mutex::new(Waker::noop().clone()),
            runtime: Handle::current(),
        };
        OnTheSpot { work: Arc::new(work) }
    }
}

impl<T: Send + 'static> Future for OnTheSpot<T> {
    type Output = T;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<T> {
        let work = &self.work;
        lock(&work.owner).clone_from(cx.waker());
        work.wanted.store(true, Ordering::SeqCst);
        while work.wanted.load(Ordering::SeqCst) {
            match work.poll_once() {
                Polled::Pending => {}
                Polled::Ended => return Poll::Ready(work.result()),
                // That thread sees that more was wanted, and wakes the owner.
                Polled::Elsewhere => break,
            }
        }
        Poll::Pending
    }
}

impl<T> Drop for OnTheSpot<T> {
    fn drop(&mut self) {
        let state = mem::replace(&mut *lock(&self.work.state), State::Over);
        // Without the lock: it may wake whom it likes.
        drop(state);
    }
}

enum Polled {
    Pending,
    Ended,
    /// Another thread is at it.
    Elsewhere,
}

impl<T: Send + 'static> Work<T> {
    fn poll_once(self: &Arc<Self>) -> Polled {
        let mut state = match self.state.try_lock() {
            Ok(state) => state,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return Polled::Elsewhere,
        };
        self.wanted.store(false, Ordering::SeqCst);
        let State::UnderWay(future) = &mut *state else { return Polled::Ended };
        let waker = Waker::from(self.clone());
        let mut rounds = 0..MAX_ROUNDS;
        let polled = loop {
            let around = POLLED.replace(Some(Round { work: Arc::as_ptr(self).cast(), again: false }));
            let polled = catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(&mut Context::from_waker(&waker))));
            let again = POLLED.replace(around).is_some_and(|round| round.again);
            if !again || !matches!(polled, Ok(Poll::Pending)) {
                break polled;
            }
            if rounds.next().is_none() {
                self.leave_to_runtime();
                break polled;
            }
        };
        let ended = match polled {
            Ok(Poll::Pending) => return Polled::Pending,
            Ok(Poll::Ready(result)) => State::Done(result),
            Err(panic) => State::Panicked(panic),
        };
        let future = mem::replace(&mut *state, ended);
        // Without the lock: it may wake whom it likes.
        drop(state);
        drop(future);
        Polled::Ended
    }

    /// Once, after the end.
    fn result(&self) -> T {
        match mem::replace(&mut *lock(&self.state), State::Over) {
            State::Done(result) => result,
            State::Panicked(panic) => resume_unwind(panic),
            State::UnderWay(_) | State::Over => panic!("polled after its end"),
        }
    }
}

impl<T: Send + 'static> Task for Work<T> {
    fn go_on_here(self: Arc<Self>) {
        self.collected.store(false, Ordering::SeqCst);
        self.wanted.store(true, Ordering::SeqCst);
        let runtime = self.runtime.enter();
        LENT.set(Some(Lent { left_over: false }));
        let polled = self.poll_once();
        let left_over = LENT.take().is_some_and(|lent| lent.left_over);
        drop(runtime);
        let owner_needed = match polled {
            Polled::Pending => left_over || self.wanted.load(Ordering::SeqCst),
            Polled::Ended => true,
            // That thread sees that more is wanted.
            Polled::Elsewhere => false,
        };
        if owner_needed {
            self.leave_to_runtime();
        }
    }

    fn leave_to_runtime(&self) {
        self.collected.store(false, Ordering::SeqCst);
        let owner = lock(&self.owner).clone();
        owner.wake();
    }
}

impl<T: Send + 'static> Wake for Work<T> {
    fn wake(self: Arc<Self>) {
        // A runtime takes a task that wakes itself for one that gives way, and has another thread look after it.
        if let Some(round) = POLLED.get()
            && std::ptr::eq(round.work, Arc::as_ptr(&self).cast())
        {
            POLLED.set(Some(Round { again: true, ..round }));
            return;
        }
        let collected = WOKEN.try_with(|woken| {
            let mut woken = woken.borrow_mut();
            let Some(woken) = woken.as_mut() else { return false };
            if !self.collected.swap(true, Ordering::SeqCst) {
                woken.push_back(self.clone());
            }
            true
        });
        // A thread that is about to end has none.
        if !collected.unwrap_or(false) {
            self.leave_to_runtime();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::thread::{self, ThreadId};

    use tokio::sync::Notify;

    use super::*;

    /// Runs `work` as the thread of a session does with output, and gives its id.
    fn session_thread(work: impl FnOnce() + Send + 'static) -> ThreadId {
        let session = thread::spawn(move || {
            let woken = Woken::collect();
            work();
            woken.go_on_here();
        });
        let id = session.thread().id();
        session.join().unwrap();
        id
    }

    /// A task that waits for news and then tells which thread it goes on in.
    async fn waiting(news: &Arc<Notify>) -> tokio::task::JoinHandle<ThreadId> {
        let heard = news.clone();
        let (begun, has_begun) = tokio::sync::oneshot::channel();
        let task = tokio::spawn(OnTheSpot::new(async move {
            let mut notified = std::pin::pin!(heard.notified());
            notified.as_mut().enable();
            begun.send(()).unwrap();
            notified.await;
            thread::current().id()
        }));
        has_begun.await.unwrap();
        // The runtime has only this thread, which is here: the task has been polled and waits.
        task
    }

    #[tokio::test]
    async fn a_task_goes_on_in_the_thread_that_has_news_for_it() {
        let news = Arc::new(Notify::new());
        let task = waiting(&news).await;
        let session = session_thread(move || news.notify_waiters());
        assert_eq!(task.await.unwrap(), session);
    }

    #[tokio::test]
    async fn the_runtime_goes_on_with_it_otherwise() {
        let here = thread::current().id();
        // Woken by a thread that is no session's.
        let news = Arc::new(Notify::new());
        let task = waiting(&news).await;
        thread::spawn(move || news.notify_waiters()).join().unwrap();
        assert_eq!(task.await.unwrap(), here);
        // Woken by one that has no time, or panicked.
        let news = Arc::new(Notify::new());
        let task = waiting(&news).await;
        let session = thread::spawn(move || {
            let _woken = Woken::collect();
            news.notify_waiters();
            panic!("on purpose");
        });
        assert!(session.join().is_err());
        assert_eq!(task.await.unwrap(), here);
    }

    #[tokio::test]
    async fn a_session_does_not_wait_for_many() {
        let news = Arc::new(Notify::new());
        let mut tasks = Vec::new();
        for _ in 0..2 * MAX_TASKS {
            tasks.push(waiting(&news).await);
        }
        let session = session_thread(move || news.notify_waiters());
        let mut in_session = 0;
        for task in tasks {
            in_session += usize::from(task.await.unwrap() == session);
        }
        assert_eq!(in_session, MAX_TASKS);
    }

    #[tokio::test]
    async fn a_panic_is_its_owners() {
        let news = Arc::new(Notify::new());
        let heard = news.clone();
        let task = tokio::spawn(OnTheSpot::new(async move {
            heard.notified().await;
            panic!("on purpose");
        }));
        tokio::task::yield_now().await;
        session_thread(move || news.notify_waiters());
        assert!(task.await.unwrap_err().is_panic());
    }

    #[tokio::test]
    async fn what_is_not_for_a_session_is_left_to_the_runtime() {
        let news = Arc::new(Notify::new());
        let heard = news.clone();
        let task = tokio::spawn(OnTheSpot::new(async move {
            heard.notified().await;
            let mut lent = false;
            std::future::poll_fn(|_| {
                if is_lent() {
                    lent = true;
                    leave_to_runtime();
                    return Poll::Pending;
                }
                Poll::Ready(())
            })
            .await;
            (lent, thread::current().id())
        }));
        tokio::task::yield_now().await;
        session_thread(move || news.notify_waiters());
        assert_eq!(task.await.unwrap(), (true, thread::current().id()));
    }

    /// Two sides that have news all the time: none is lost, whoever polls.
    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn no_news_is_lost_between_two_sides() {
        const NEWS: usize = 20_000;
        let (session, mut from_session) = tokio::sync::mpsc::unbounded_channel();
        let (runtime, mut from_runtime) = tokio::sync::mpsc::unbounded_channel();
        let task = tokio::spawn(OnTheSpot::new(async move {
            let (mut heard, mut ended) = (0, 0);
            while ended < 2 {
                let news = tokio::select! {
                    news = from_session.recv(), if !from_session.is_closed() || !from_session.is_empty() => news,
                    news = from_runtime.recv(), if !from_runtime.is_closed() || !from_runtime.is_empty() => news,
                    else => break,
                };
                match news {
                    Some(()) => heard += 1,
                    None => ended += 1,
                }
            }
            heard
        }));
        let thread = thread::spawn(move || {
            for _ in 0..NEWS {
                let woken = Woken::collect();
                session.send(()).unwrap();
                woken.go_on_here();
            }
        });
        for number in 0..NEWS {
            runtime.send(()).unwrap();
            if number % 64 == 0 {
                tokio::task::yield_now().await;
            }
        }
        drop(runtime);
        let heard = task.await.unwrap();
        thread.join().unwrap();
        assert_eq!(heard, 2 * NEWS);
    }

    #[tokio::test]
    async fn dropping_it_drops_the_work() {
        let (held, dropped) = tokio::sync::oneshot::channel::<()>();
        let mut work = OnTheSpot::new(async move {
            let _held = held;
            std::future::pending::<()>().await
        });
        assert!(futures_pending(&mut work));
        drop(work);
        assert!(dropped.await.is_err());
    }

    fn futures_pending(work: &mut OnTheSpot<()>) -> bool {
        Pin::new(work).poll(&mut Context::from_waker(Waker::noop())).is_pending()
    }
}

//! A task that is aborted when its handle is dropped.

use tokio::task::JoinHandle;

#[derive(Debug)]
pub(crate) struct AbortOnDrop(JoinHandle<()>);

impl AbortOnDrop {
    pub(crate) fn spawn(work: impl Future<Output = ()> + Send + 'static) -> Self {
        AbortOnDrop(tokio::spawn(work))
    }
}

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

//! The serving side: one accepted connection at a time, for any program that has operations.
//!
//! Who may connect, and what else the socket speaks, is the program's business: it hands over a byte
//! stream that it has accepted, and perhaps looked into.

mod attach;
mod deadline;
mod history;
mod service;
mod size_lead;
mod subscribe;
mod too_long;
mod watch;

use std::{future::Future, pin::pin};

use futures_util::FutureExt;
use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    service::TowerToHyperService,
};
use ops::{Caller, Context};
use tokio::io::{AsyncRead, AsyncWrite};
use tonic::service::Routes;
use tonic_health::ServingStatus;
use tower::util::MapResponse;

use self::service::Service;
use crate::{failure::MAX_MESSAGE_BYTES, proto};

/// Which program serves, for clients that compare versions.
#[derive(Clone, Debug)]
pub struct About {
    pub program: String,
    pub version: String,
}

/// Everything a coordinator offers over gRPC: sessions, health and reflection. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Server {
    routes: Routes,
}

/// A connection that broke; the others don't notice.
#[derive(Debug, thiserror::Error)]
#[error("a gRPC connection broke: {0}")]
pub struct ConnectionError(#[from] hyper::Error);

/// The name under which health is asked for.
const SERVICE: &str = "vtr.VTR";

/// What a client may send before we have read it: one input of full size without a pause.
const WINDOW_BYTES: u32 = 1 << 20;
/// Calls at a time on one connection. A page that watches every session of a full engine fits.
const MAX_CALLS: u32 = 2048;
/// Bytes of one answer that wait for a client to read: with a frame being made, what a client that never
/// reads costs us.
const MAX_WAITING_BYTES: usize = 512 << 10;

impl Server {
    /// Every call is made as `caller`.
    pub fn new<C: Context>(context: C, caller: Caller, about: About) -> Self {
        let service = proto::vtr_server::VtrServer::new(Service::new(context, caller, about))
            .max_decoding_message_size(MAX_MESSAGE_BYTES)
            .max_encoding_message_size(MAX_MESSAGE_BYTES);
        let (reporter, health) = tonic_health::server::health_reporter();
        // Nobody else holds its lock yet.
        let _ = reporter.set_service_status(SERVICE, ServingStatus::Serving).now_or_never();
        let reflection = || {
            tonic_reflection::server::Builder::configure()
                .register_encoded_file_descriptor_set(proto::DESCRIPTORS)
                .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
        };
        let routes = Routes::new(service)
            .add_service(health)
            .add_service(reflection().build_v1().expect("the descriptors are generated and whole"))
            .add_service(reflection().build_v1alpha().expect("the descriptors are generated and whole"));
        Server { routes: routes.prepare() }
    }

    /// Serves until the client goes, or until `stop`: then no new calls are taken, and those under way
    /// are finished. Dropping the future drops them.
    pub async fn serve_connection(
        &self,
        stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
        stop: impl Future<Output = ()>,
    ) -> Result<(), ConnectionError> {
        let service = TowerToHyperService::new(MapResponse::new(self.routes.clone(), too_long::explain));
        let mut connection = pin!(
            hyper::server::conn::http2::Builder::new(TokioExecutor::new())
                .timer(TokioTimer::new())
                .auto_date_header(false)
                .initial_stream_window_size(WINDOW_BYTES)
                .initial_connection_window_size(4 * WINDOW_BYTES)
                .max_concurrent_streams(MAX_CALLS)
                .max_send_buf_size(MAX_WAITING_BYTES)
                .serve_connection(TokioIo::new(stream), service)
        );
        tokio::select! {
            done = &mut connection => return Ok(done?),
            () = stop => {}
        }
        connection.as_mut().graceful_shutdown();
        Ok(connection.await?)
    }
}

//! The server: serves one accepted connection at a time, for any program that has operations.
//!
//! The program decides who may connect and what else the socket serves: it hands over a byte stream that it has
//! accepted, and possibly peeked into.

mod attach;
mod authority;
mod body;
mod connection;
mod deadline;
mod history;
mod service;
mod size_lead;
mod subscribe;
mod too_long;
mod uptake;
mod watch;

use std::future::Future;

use futures_util::FutureExt;
use ops::{Caller, Context};
use tokio::io::{AsyncRead, AsyncWrite};
use tonic::service::Routes;
use tonic_health::ServingStatus;

pub use self::connection::ConnectionError;
use self::service::VtrService;
use crate::{failure::MAX_MESSAGE_BYTES, proto};

/// The program's name and version, for clients that compare versions.
#[derive(Clone, Debug)]
pub struct ServerAbout {
    pub program: String,
    pub version: String,
}

/// Everything a coordinator offers over gRPC: sessions, health and reflection. Cheap to clone.
#[derive(Clone, Debug)]
pub struct GrpcServer {
    routes: Routes,
}

/// The service name for health checks.
const SERVICE: &str = "vtr.VTR";

impl GrpcServer {
    /// Every call is made as `caller`.
    pub fn new<C: Context>(context: C, caller: Caller, about: ServerAbout) -> Self {
        let service = proto::vtr_server::VtrServer::new(VtrService::new(context, caller, about))
            .max_decoding_message_size(MAX_MESSAGE_BYTES)
            .max_encoding_message_size(MAX_MESSAGE_BYTES);
        let (reporter, health) = tonic_health::server::health_reporter();
        // The lock is uncontended here.
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
        GrpcServer { routes: routes.prepare() }
    }

    /// Serves until the client closes, or until `stop`: then no new calls are accepted, and those in progress are
    /// finished. Dropping the future drops them.
    pub async fn serve_connection(
        &self,
        stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
        stop: impl Future<Output = ()> + Send + 'static,
    ) -> Result<(), ConnectionError> {
        connection::serve(stream, self.routes.clone(), stop).await
    }
}

//! What every gRPC tool expects of a server: health and reflection.

use tokio_stream::StreamExt;
use tonic_health::pb::{HealthCheckRequest, health_check_response::ServingStatus, health_client::HealthClient};

use crate::stage::{Stage, soon};

async fn channel(stage: &Stage) -> tonic::transport::Channel {
    let socket = stage.socket();
    let connector = tower::service_fn(move |_| {
        let socket = socket.clone();
        async move { tokio::net::UnixStream::connect(socket).await.map(hyper_util::rt::TokioIo::new) }
    });
    tonic::transport::Endpoint::from_static("http://localhost").connect_with_connector(connector).await.unwrap()
}

#[tokio::test]
async fn health_is_served() {
    let stage = Stage::new();
    let mut health = HealthClient::new(channel(&stage).await);
    for service in ["", "vtr.VTR"] {
        let reply = health.check(HealthCheckRequest { service: service.into() }).await.unwrap().into_inner();
        assert_eq!(reply.status(), ServingStatus::Serving, "{service}");
    }
    stage.close().await;
}

macro_rules! lists_our_service {
    ($test:ident, $version:ident) => {
        #[tokio::test]
        async fn $test() {
            use tonic_reflection::pb::$version::{
                ServerReflectionRequest, server_reflection_client::ServerReflectionClient,
                server_reflection_request::MessageRequest, server_reflection_response::MessageResponse,
            };
            let stage = Stage::new();
            let mut reflection = ServerReflectionClient::new(channel(&stage).await);
            let ask = |message| ServerReflectionRequest { host: String::new(), message_request: Some(message) };
            let requests = [
                ask(MessageRequest::ListServices(String::new())),
                ask(MessageRequest::FileContainingSymbol("vtr.VTR".into())),
            ];
            let replies = reflection.server_reflection_info(tokio_stream::iter(requests)).await.unwrap().into_inner();
            let replies: Vec<_> = soon("both answers come", replies.collect()).await;
            let mut replies = replies.into_iter().map(|reply| reply.unwrap().message_response.unwrap());
            let Some(MessageResponse::ListServicesResponse(list)) = replies.next() else { panic!("no list") };
            assert!(list.service.iter().any(|service| service.name == "vtr.VTR"), "{list:?}");
            let Some(MessageResponse::FileDescriptorResponse(files)) = replies.next() else { panic!("no file") };
            assert!(!files.file_descriptor_proto.is_empty());
            stage.close().await;
        }
    };
}

lists_our_service!(reflection_v1_is_served, v1);
lists_our_service!(reflection_v1alpha_is_served, v1alpha);

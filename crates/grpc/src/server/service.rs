//! The calls, each converted to an operation, and its reply converted back.

use std::{future::Future, pin::Pin, sync::Arc, time::SystemTime};

use futures_util::Stream;
use ops::{
    Call, Caller, Context, ErrorKind, OpError, SignalArg,
    operations::{
        CloseProcess, GetProcessStatus, GetScreen, KillProcess, ListProcesses, RecordProcess, RenameProcess,
        ResizeProcess, SearchOutput, SendInput, SpawnProcess, WaitForIdle, WaitForPattern, close_process,
        get_process_status, get_screen, kill_process, list_processes,
        record_process::{self, RecordAction},
        rename_process, resize_process, search_output,
        send_input::{self, InputKind},
        spawn_process::{self, SpawnKind},
        wait_for_idle, wait_for_pattern,
    },
};
use tonic::{Request, Response, Status, Streaming};

use super::{ServerAbout, attach, deadline, history::HistoryReads, size_lead::SizeLeads, subscribe, watch};
use crate::{
    convert::{self, COLS, ROWS, count, extent, given, known, seconds},
    failure::{self, MAX_MESSAGE_BYTES},
    proto::{self, vtr_server::Vtr, *},
};

type Answer<T> = Result<Response<T>, Status>;
type Events<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

/// Default maximum of matches that Grep returns.
const DEFAULT_MATCHES: u32 = 100;
/// Maximum size of a recording in an answer: it fits into one message with room to spare.
const MAX_CAST_BYTES: u64 = MAX_MESSAGE_BYTES as u64 - (1 << 20);

#[derive(Debug)]
pub(super) struct VtrService<C> {
    context: C,
    caller: Caller,
    about: ServerAbout,
    started_at: SystemTime,
    leads: Arc<SizeLeads>,
    histories: HistoryReads,
}

impl<C: Context> VtrService<C> {
    pub(super) fn new(context: C, caller: Caller, about: ServerAbout) -> Self {
        VtrService {
            context,
            caller,
            about,
            started_at: SystemTime::now(),
            leads: Arc::default(),
            histories: HistoryReads::default(),
        }
    }

    fn call(&self) -> Call<C> {
        Call::new(self.context.clone(), self.caller.clone())
    }

    /// Runs one call. When the client goes away this future is dropped, and the operation with it.
    async fn answer<Q, R, F>(&self, request: Request<Q>, run: impl FnOnce(Call<C>, Q) -> F) -> Answer<R>
    where
        F: Future<Output = Result<R, OpError>>,
    {
        let limit = deadline::of(request.metadata());
        // Boxed: a call's future has kilobytes, which every future around it would contain and move twice.
        let run = Box::pin(run(self.call(), request.into_inner()));
        let reply = deadline::within(limit, async { run.await.map_err(failure::status) }).await?;
        Ok(Response::new(reply))
    }

    async fn send(&self, request: Request<send_input::Args>) -> Result<send_input::Reply, Status> {
        self.answer(request, ops::run::<SendInput, C>).await.map(Response::into_inner)
    }
}

/// How a wait ended.
fn waited(reply: wait_for_pattern::Reply) -> WaitForResponse {
    let reason = reply.reason.map(|reason| match reason {
        wait_for_pattern::NoMatch::Timeout => "timeout",
        wait_for_pattern::NoMatch::Exited => "exited",
    });
    WaitForResponse {
        matched: reply.matched,
        matched_line: reply.snippet.unwrap_or_default(),
        timed_out: !reply.matched,
        reason: reason.unwrap_or_default().to_owned(),
        line_number: reply.line_no,
    }
}

/// The session's present state.
async fn described<C: Context>(call: Call<C>, process_id: String) -> Result<Option<proto::Session>, OpError> {
    let status = ops::run::<GetProcessStatus, C>(call, get_process_status::Args { process_id }).await?;
    Ok(Some(convert::session(status.info)))
}

#[tonic::async_trait]
impl<C: Context> Vtr for VtrService<C> {
    async fn spawn(&self, request: Request<SpawnRequest>) -> Answer<SpawnResponse> {
        self.answer(request, |call, request| async move {
            let record = request.record.clone().map(new_recording).transpose()?;
            let reply = ops::run::<SpawnProcess, C>(call.clone(), spawn_args(request)?).await?;
            if let Some(record) = record {
                record_new(&call, &reply.process_id, record).await?;
            }
            let warning = reply.warning.unwrap_or_default();
            Ok(SpawnResponse { session: described(call, reply.process_id).await?, warning })
        })
        .await
    }

    async fn list(&self, request: Request<ListRequest>) -> Answer<ListResponse> {
        self.answer(request, |call, request| async move {
            let kind = given(request.kind).map(|kind| kind.parse::<engine::Kind>()).transpose();
            let kind = kind.map_err(|error| OpError::new(ErrorKind::InvalidKind, error.to_string()))?;
            let args = list_processes::Args { kind: kind.map(Into::into), all: true };
            let reply = ops::run::<ListProcesses, C>(call.clone(), args).await?;
            // Sessions removed meanwhile are left out.
            let found = reply.processes.iter().filter_map(|entry| call.session(&entry.process_id).ok());
            let sessions = found.map(|session| convert::session(session.info())).collect();
            Ok(ListResponse { sessions, notice: call.host().notice().unwrap_or_default() })
        })
        .await
    }

    async fn info(&self, request: Request<InfoRequest>) -> Answer<InfoResponse> {
        self.answer(request, |call, request| async move {
            let known = call.session(&request.name)?;
            let mut session = described(call.clone(), request.name).await?;
            if let Some(session) = &mut session {
                // Nobody reads the keyboard of a session that has ended.
                let foreground = known.foreground().ok().flatten();
                let (command, dir) = foreground.map(|found| (found.command, found.working_dir)).unwrap_or_default();
                session.foreground = command.unwrap_or_default();
                session.current_dir = dir.map(|dir| dir.to_string_lossy().into_owned()).unwrap_or_default();
                session.recording = call.context.recordings().status(&known).recording;
            }
            Ok(InfoResponse { session })
        })
        .await
    }

    async fn kill(&self, request: Request<KillRequest>) -> Answer<KillResponse> {
        self.answer(request, |call, request| async move {
            let signal = given(request.signal).map(SignalArg::Name);
            let wait_ms = seconds("wait", request.wait)?.map(|seconds| (seconds * 1000.0).ceil() as u64);
            let args = kill_process::Args { process_id: request.name, signal, wait_ms };
            let reply = ops::run::<KillProcess, C>(call.clone(), args).await?;
            let state = call.session(&reply.process_id).map(|session| session.status().to_string());
            Ok(KillResponse { id: reply.process_id, state: state.unwrap_or_default() })
        })
        .await
    }

    async fn remove(&self, request: Request<RemoveRequest>) -> Answer<RemoveResponse> {
        self.answer(request, |call, request| async move {
            ops::run::<CloseProcess, C>(call, close_process::Args { process_id: request.name }).await?;
            Ok(RemoveResponse {})
        })
        .await
    }

    async fn rename(&self, request: Request<RenameRequest>) -> Answer<RenameResponse> {
        self.answer(request, |call, request| async move {
            let args = rename_process::Args { process_id: request.name, name: request.new_name };
            let reply = ops::run::<RenameProcess, C>(call.clone(), args).await?;
            Ok(RenameResponse { session: described(call, reply.process_id).await? })
        })
        .await
    }

    async fn get_screen(&self, request: Request<GetScreenRequest>) -> Answer<GetScreenResponse> {
        self.answer(request, |call, request| async move {
            let format = known("format", request.format)?;
            let screen = ops::run::<GetScreen, C>(call, get_screen::Args { process_id: request.name }).await?;
            convert::screen(screen.id, screen.name, &screen.frame, format)
        })
        .await
    }

    async fn get_history(&self, request: Request<GetHistoryRequest>) -> Answer<GetHistoryResponse> {
        let reads = self.histories.clone();
        self.answer(request, |call, request| async move { reads.read(call.session(&request.name)?, request).await })
            .await
    }

    async fn grep(&self, request: Request<GrepRequest>) -> Answer<GrepResponse> {
        self.answer(request, |call, request| async move {
            let max_matches = count("max_matches", request.max_matches)?;
            let args = search_output::Args {
                process_id: request.name,
                pattern: request.pattern,
                limit: Some(if max_matches == 0 { DEFAULT_MATCHES } else { max_matches }),
                context_before: Some(count("context_before", request.context_before)?),
                context_after: Some(count("context_after", request.context_after)?),
                ..search_output::Args::default()
            };
            let reply = ops::run::<SearchOutput, C>(call, args).await?;
            let first_line = reply.first_line.unwrap_or_default();
            let matches = reply.matches.into_iter().map(|found| grep_match(found, first_line)).collect();
            Ok(GrepResponse { matches, truncated: reply.truncated })
        })
        .await
    }

    async fn send_text(&self, request: Request<SendTextRequest>) -> Answer<SendTextResponse> {
        let timeout_seconds = seconds("wait_timeout", request.get_ref().wait_timeout).map_err(failure::status)?;
        let request = request.map(|request| send_input::Args {
            process_id: request.name,
            kind: if request.paste { InputKind::Paste } else { InputKind::Text },
            text: Some(request.text),
            submit: Some(request.submit),
            wait_for: given(request.wait_pattern),
            timeout_seconds,
            ..send_input::Args::default()
        });
        let reply = self.send(request).await?;
        Ok(Response::new(SendTextResponse { wait: reply.wait.map(waited) }))
    }

    async fn send_key(&self, request: Request<SendKeyRequest>) -> Answer<SendKeyResponse> {
        let request = request.map(|SendKeyRequest { name, key }| send_input::Args {
            process_id: name,
            kind: InputKind::Key,
            key: Some(key),
            ..send_input::Args::default()
        });
        self.send(request).await.map(|_| Response::new(SendKeyResponse {}))
    }

    async fn send_bytes(&self, request: Request<SendBytesRequest>) -> Answer<SendBytesResponse> {
        let request = request.map(|SendBytesRequest { name, data }| send_input::Args {
            process_id: name,
            kind: InputKind::Bytes,
            bytes: Some(data),
            ..send_input::Args::default()
        });
        self.send(request).await.map(|_| Response::new(SendBytesResponse {}))
    }

    async fn resize(&self, request: Request<ResizeRequest>) -> Answer<ResizeResponse> {
        self.answer(request, |call, request| async move {
            let args = resize_process::Args {
                process_id: request.name,
                cols: extent("cols", request.cols, COLS)?.unwrap_or_default(),
                rows: extent("rows", request.rows, ROWS)?.unwrap_or_default(),
            };
            let size = ops::run::<ResizeProcess, C>(call, args).await?;
            Ok(ResizeResponse { cols: size.cols.into(), rows: size.rows.into() })
        })
        .await
    }

    async fn wait_for(&self, request: Request<WaitForRequest>) -> Answer<WaitForResponse> {
        self.answer(request, |call, request| async move {
            let args = wait_for_pattern::Args {
                scope: match known("scope", request.scope)? {
                    WaitScope::Unspecified | WaitScope::NewOutput => wait_for_pattern::WaitScope::NewOutput,
                    WaitScope::Grid => wait_for_pattern::WaitScope::Grid,
                    WaitScope::Scrollback => wait_for_pattern::WaitScope::Scrollback,
                },
                process_id: request.name,
                pattern: request.pattern,
                timeout_seconds: seconds("timeout", request.timeout)?,
            };
            Ok(waited(ops::run::<WaitForPattern, C>(call, args).await?))
        })
        .await
    }

    async fn wait_for_idle(&self, request: Request<WaitForIdleRequest>) -> Answer<WaitForIdleResponse> {
        self.answer(request, |call, request| async move {
            let idle = seconds("idle_duration", request.idle_duration)?;
            let args = wait_for_idle::Args {
                process_id: request.name,
                idle_ms: idle.map(|seconds| (seconds * 1000.0).ceil() as u64),
                timeout_seconds: seconds("timeout", request.timeout)?,
            };
            let reply = ops::run::<WaitForIdle, C>(call, args).await?;
            let reason = match (reply.timed_out, reply.reason) {
                (true, _) => "timeout",
                (false, Some(wait_for_idle::IdleReason::Exited)) => "exited",
                (false, None) => "",
            };
            Ok(WaitForIdleResponse { idle: reply.idle, timed_out: reply.timed_out, reason: reason.to_owned() })
        })
        .await
    }

    type SubscribeStream = Events<SubscribeEvent>;

    async fn subscribe(&self, request: Request<SubscribeRequest>) -> Answer<Self::SubscribeStream> {
        let uptake = subscribe::uptake(request.extensions());
        let request = request.into_inner();
        let session = self.call().session(&request.name).map_err(failure::status)?;
        let events = subscribe::events(session, &request, uptake).map_err(failure::status)?;
        Ok(Response::new(Box::pin(events)))
    }

    type AttachStream = Events<AttachEvent>;

    async fn attach(&self, request: Request<Streaming<AttachRequest>>) -> Answer<Self::AttachStream> {
        let events = attach::attach(self.call(), request.into_inner(), self.leads.clone()).await?;
        Ok(Response::new(Box::pin(events)))
    }

    type WatchSessionsStream = Events<WatchSessionsEvent>;

    async fn watch_sessions(&self, _: Request<WatchSessionsRequest>) -> Answer<Self::WatchSessionsStream> {
        Ok(Response::new(Box::pin(watch::events(self.context.engine().clone()))))
    }

    async fn record(&self, request: Request<RecordRequest>) -> Answer<RecordResponse> {
        self.answer(request, |call, request| async move {
            let args = record_process::Args {
                action: match known("action", request.action)? {
                    proto::RecordAction::Start => RecordAction::Start,
                    proto::RecordAction::Stop => RecordAction::Stop,
                    proto::RecordAction::Unspecified | proto::RecordAction::Status => RecordAction::Status,
                },
                format: recording_format(request.format)?,
                process_id: request.name,
                file: given(request.file),
                input: request.include_input,
            };
            let status = ops::run::<RecordProcess, C>(call, args).await?;
            Ok(RecordResponse {
                recording: status.recording,
                file: status.file.unwrap_or_default(),
                bytes: status.bytes.unwrap_or_default(),
                events: status.events.unwrap_or_default(),
                since: status.since.and_then(|since| since.parse().ok()),
                gaps: status.gaps.unwrap_or_default(),
                error: status.error.unwrap_or_default(),
            })
        })
        .await
    }

    async fn dump_asciinema(&self, request: Request<DumpAsciinemaRequest>) -> Answer<DumpAsciinemaResponse> {
        self.answer(request, |call, request| async move {
            let args = record_process::Args { process_id: request.name, ..record_process::Args::default() };
            let status = ops::run::<RecordProcess, C>(call, args).await?;
            let Some(file) = status.file else {
                let error = OpError::new(ErrorKind::NotReady, "the session has not been recorded");
                return Err(error.with_hint("start a recording first, with Record"));
            };
            Ok(DumpAsciinemaResponse { cast: read_cast(file).await? })
        })
        .await
    }

    async fn version(&self, _: Request<VersionRequest>) -> Answer<VersionResponse> {
        Ok(Response::new(VersionResponse {
            program: self.about.program.clone(),
            version: self.about.version.clone(),
            pid: i32::try_from(std::process::id()).unwrap_or_default(),
            started_at: Some(convert::timestamp(self.started_at)),
        }))
    }
}

/// Records a session from its start. A session that can't be recorded as requested is removed.
async fn record_new<C: Context>(call: &Call<C>, process_id: &str, new: ops::NewRecording) -> Result<(), OpError> {
    let session = call.session(process_id)?;
    let recordings = call.context.recordings();
    if recordings.status(&session).recording {
        // The program records all sessions; this recording was requested explicitly.
        ops::run::<RecordProcess, C>(
            call.clone(),
            record_process::Args {
                process_id: process_id.to_owned(),
                action: RecordAction::Stop,
                ..record_process::Args::default()
            },
        )
        .await?;
    }
    if let Err(error) = recordings.start_new(call, &session, new).await {
        ops::run::<CloseProcess, C>(call.clone(), close_process::Args { process_id: process_id.to_owned() }).await?;
        return Err(error);
    }
    Ok(())
}

fn new_recording(wanted: SpawnRecording) -> Result<ops::NewRecording, OpError> {
    let format = recording_format(wanted.format)?;
    Ok(ops::NewRecording { file: given(wanted.file), format, input: wanted.include_input })
}

fn recording_format(format: i32) -> Result<Option<ops::RecordingFormat>, OpError> {
    Ok(match known("format", format)? {
        CastFormat::Unspecified => None,
        CastFormat::V2 => Some(ops::RecordingFormat::V2),
        CastFormat::V3 => Some(ops::RecordingFormat::V3),
    })
}

fn spawn_args(request: SpawnRequest) -> Result<spawn_process::Args, OpError> {
    let argv = match (given(request.command), request.argv.is_empty()) {
        (Some(_), false) => {
            return Err(OpError::invalid_args("both command and argv are given").with_hint("give one of them"));
        }
        // Not a login shell: a profile would set PATH and others again, overriding the request's and the server's
        // environment.
        (Some(command), true) => Some(["sh", "-c", &command].map(str::to_owned).to_vec()),
        (None, false) => Some(request.argv),
        (None, true) => None,
    };
    let kind = match request.kind.as_str() {
        "" => None,
        "terminal" => Some(SpawnKind::Terminal),
        "command" => Some(SpawnKind::Command),
        other => {
            let error =
                OpError::new(ErrorKind::InvalidKind, format!("'{}' can't be spawned", engine::shown_name(other)));
            return Err(error.with_hint("use terminal or command"));
        }
    };
    Ok(spawn_process::Args {
        kind,
        argv,
        preset: given(request.preset),
        shell: false,
        name: given(request.name),
        working_dir: given(request.working_dir),
        env: request.env.into_iter().collect(),
        cols: extent("cols", request.cols, COLS)?,
        rows: extent("rows", request.rows, ROWS)?,
    })
}

fn grep_match(found: search_output::OutputMatch, first_line: u64) -> GrepMatch {
    let line = found.line_no.unwrap_or_default();
    // Rows of a full-screen program are already counted from the top of the screen.
    let number = if found.on_screen { line } else { line.saturating_sub(first_line) };
    GrepMatch {
        line_number: i32::try_from(number).unwrap_or(i32::MAX),
        line: found.text,
        context_before: found.context_before,
        context_after: found.context_after,
    }
}

async fn read_cast(file: String) -> Result<Vec<u8>, OpError> {
    let unreadable = |error: &dyn std::fmt::Display| {
        OpError::new(ErrorKind::Internal, format!("the recording {file} can't be read ({error})"))
            .with_hint("look for it in the file system")
    };
    let length = tokio::fs::metadata(&file).await.map_err(|error| unreadable(&error))?.len();
    if length > MAX_CAST_BYTES {
        let error = OpError::new(ErrorKind::LimitExceeded, format!("the recording {file} has {length} bytes"));
        return Err(error.with_hint("copy the file itself"));
    }
    tokio::fs::read(&file).await.map_err(|error| unreadable(&error))
}

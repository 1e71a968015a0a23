//! `vtr info`

use fleet::SessionAddress;
use grpc::proto::InfoRequest;
use program::{Exit, Outcome};

use crate::{invocation::Invocation, wire::SessionJson};

/// Show everything about one session
#[derive(Debug, clap::Args)]
pub(crate) struct InfoArgs {
    #[arg(value_name = "SESSION")]
    session: SessionAddress,
}

impl InfoArgs {
    pub(crate) async fn run(self, invocation: &mut Invocation) -> Outcome {
        let target = invocation.target(&self.session).await?;
        let request = InfoRequest { name: target.session.clone() };
        let answer = target.client.vtr().info(request).await.map_err(|status| target.failure(&status))?;
        let session = SessionJson::of(answer.into_inner().session.unwrap_or_default(), &target.coordinator);
        if invocation.output.json {
            invocation.output.object(&session)?;
            return Ok(Exit::Done);
        }
        let idle = humantime::format_duration(std::time::Duration::from_secs(session.idle_ms / 1000)).to_string();
        let mut lines = vec![
            ("Session", session.name.clone()),
            ("Id", session.id.clone()),
            ("Coordinator", session.coordinator.clone()),
            ("Status", session.status_text()),
            ("Kind", session.kind.clone()),
            ("Size", format!("{}x{}", session.cols, session.rows)),
            ("Command", session.argv.join(" ")),
            ("Folder", session.working_dir.clone()),
            ("Title", session.title.clone()),
            ("Pid", session.pid.map(|pid| pid.to_string()).unwrap_or_default()),
            ("Created", session.created_at.clone()),
            ("Exited", session.exited_at.clone().unwrap_or_default()),
            ("Exit code", session.exit_code.map(|code| code.to_string()).unwrap_or_default()),
            ("Signal", session.signal.clone().unwrap_or_default()),
            ("Idle", if session.status == "running" { idle } else { String::new() }),
            ("Driven by", session.owner.clone()),
        ];
        lines.extend(session.reports.iter().map(|report| ("Reports", report.text(usize::MAX))));
        lines.retain(|(_, value)| !value.is_empty());
        for (heading, value) in lines {
            invocation.output.line(format!("{:<13}{value}", format!("{heading}:")))?;
        }
        Ok(Exit::Done)
    }
}

//! `vtr doctor`

use std::time::Duration;

use fleet::{ClientConfig, Coordinator, CoordinatorSilence, OutputFormat, coordinators, default_socket, reach};
use grpc::{client::Endpoint, proto::VersionResponse};
use program::{
    Failure, Outcome,
    doctor::{
        DoctorFinding, DoctorReport, FolderUse, check_folder, check_free_space, check_limits, check_socket_folder,
        check_sockets, check_versions,
    },
};

use crate::{
    cli::GlobalFlags,
    client_config,
    invocation::version_advice,
    output::Output,
    server::settings::{ServeFlags, ServeSettings},
    surroundings::Surroundings,
};

const VERSION: &str = env!("CARGO_PKG_VERSION");
/// No coordinator is waited for longer, whatever the config says.
const PATIENCE: Duration = Duration::from_secs(10);

/// Say what is found here, what is wrong, and what to do about it
///
/// Looks at both config files, asks the coordinators for their versions, and looks at vtr's folders and sockets and the
/// system's limits. It changes nothing, but runs the commands of coordinators that are reached by one. Read the output
/// before you send it.
#[derive(Debug, clap::Args)]
pub(crate) struct VtrDoctor {}

impl VtrDoctor {
    /// Without an invocation: a bad config file is a finding here, and no reason to stop.
    pub(crate) fn run(self, everywhere: &GlobalFlags, surroundings: &Surroundings, output: &mut Output) -> Outcome {
        let (config, faults) = read_config(surroundings);
        output.json |= config.defaults.output_format == OutputFormat::Json && !everywhere.human;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| Failure::system("starting the runtime", &error))?;
        let mut found = vec![check_versions("system", "vtr", VERSION, os_release().as_deref())];
        found.extend(faults);
        found.extend(runtime.block_on(check_coordinators(everywhere, &config, surroundings)));
        runtime.shutdown_background();
        let sockets = default_socket::own_folder(surroundings);
        found.push(check_socket_folder("sockets", &sockets, surroundings.user));
        found.extend(check_sockets("sockets", &sockets, "coordinator"));
        found.extend(check_server(surroundings));
        found.extend(check_limits("limits"));
        let report = DoctorReport::new("vtr", VERSION, &surroundings.home, found);
        match output.json {
            true => output.object(&report)?,
            false => output.lines(report.lines())?,
        }
        Ok(report.exit())
    }
}

fn os_release() -> Option<String> {
    engine::read_short_file("/etc/os-release".as_ref()).ok()
}

/// The client's config, and what is wrong with its file; then the defaults are used, as no command would run.
fn read_config(surroundings: &Surroundings) -> (ClientConfig, Vec<DoctorFinding>) {
    let file = surroundings.client_config_file();
    let shown = file.display();
    match client_config::load(&file) {
        Err(failure) => (ClientConfig::default(), vec![misconfigured(&failure)]),
        Ok(config) if file.exists() => (config, vec![DoctorFinding::ok("config", format!("{shown} is right"))]),
        Ok(config) if surroundings.client_config.is_some() => {
            let text = format!("VTR_CONFIG names {shown}, which does not exist");
            (config, vec![DoctorFinding::warning("config", text, "write that file, or unset VTR_CONFIG")])
        }
        Ok(config) => (config, vec![DoctorFinding::ok("config", format!("there is no {shown}: the defaults apply"))]),
    }
}

/// The parser's message shows the line in question, which is nobody's business: only what is before and after it stays.
fn misconfigured(failure: &Failure) -> DoctorFinding {
    let mut lines = failure.message.lines();
    let place = lines.next().unwrap_or_default();
    let text = lines.next_back().map_or_else(|| place.to_owned(), |what| format!("{place}: {what}"));
    DoctorFinding::fault("config", text, &*failure.hint)
}

async fn check_coordinators(
    everywhere: &GlobalFlags,
    config: &ClientConfig,
    surroundings: &Surroundings,
) -> Vec<DoctorFinding> {
    let known = coordinators::known(everywhere.socket.as_deref(), config, surroundings);
    let mut known = match known {
        Ok(known) if known.is_empty() => Err(coordinators::none()),
        known => known,
    };
    let known = match &mut known {
        Ok(known) => known,
        Err(failure) => return vec![DoctorFinding::warning("coordinators", &*failure.message, &*failure.hint)],
    };
    for coordinator in known.iter_mut() {
        coordinator.timeout = coordinator.timeout.min(PATIENCE);
    }
    let named = everywhere.socket.is_some() || surroundings.socket.is_some() || !config.coordinators.is_empty();
    let answers = reach::versions(known).await;
    answers.iter().map(|(coordinator, answer)| judge(coordinator, answer, named)).collect()
}

/// `named`: somebody named it, in the config or on the command line, and so expects it to run.
fn judge(
    coordinator: &Coordinator,
    answer: &Result<VersionResponse, CoordinatorSilence>,
    named: bool,
) -> DoctorFinding {
    const AREA: &str = "coordinators";
    // A command may contain anything, so only its name is shown.
    let name = match &coordinator.endpoint {
        Endpoint::Socket(path) => format!("{} ({})", coordinator.name, path.display()),
        Endpoint::Command(_) => format!("{} (by its command)", coordinator.name),
    };
    match answer {
        Ok(about) if about.version == VERSION => {
            DoctorFinding::ok(AREA, format!("{name} answers: {} {VERSION}, the same version as here", about.program))
        }
        Ok(about) => {
            let theirs = if about.version.is_empty() { "too old to tell its version" } else { &about.version };
            let text = format!("{name} answers: {} {theirs}, and this is vtr {VERSION}", about.program);
            DoctorFinding::warning(AREA, text, version_advice(&about.version, VERSION))
        }
        Err(silence) if named => {
            let advice = "start it (`vtr serve --daemon --socket PATH`), or take it out (`vtr config rm`)";
            DoctorFinding::warning(AREA, format!("{name} does not answer: {}", silence.brief), advice)
        }
        Err(silence) => {
            let text = format!("{name}, the usual one, does not answer: {}", silence.brief);
            DoctorFinding::note(AREA, text, "start it with `vtr serve --daemon`")
        }
    }
}

/// What a coordinator that is started here would use.
fn check_server(surroundings: &Surroundings) -> Vec<DoctorFinding> {
    let file = surroundings.server_config_file();
    // Which socket it would get does not matter for what is checked, and not every user has a usual one.
    let flags = ServeFlags { socket: Some("vtr.sock".into()), ..ServeFlags::default() };
    let settings = match ServeSettings::decide(flags, surroundings) {
        Ok(settings) => settings,
        Err(failure) => return vec![misconfigured(&failure)],
    };
    let config = match file.exists() {
        true => format!("{} is right", file.display()),
        false => format!("there is no {}: coordinators have their defaults", file.display()),
    };
    let recordings = FolderUse { name: "the folder for recordings", path: &settings.record_folder };
    vec![
        DoctorFinding::ok("config", config),
        check_folder("folders", recordings, surroundings.user),
        check_free_space("folders", recordings),
    ]
}

#[cfg(test)]
mod tests {
    use program::{Exit, doctor::FindingState};

    use super::*;

    fn answer(version: &str) -> Result<VersionResponse, CoordinatorSilence> {
        Ok(VersionResponse { program: "vtr".into(), version: version.into(), ..VersionResponse::default() })
    }

    #[test]
    fn coordinators_are_judged_by_their_answers() {
        let here = Coordinator::at("/run/a.sock".into(), PATIENCE);
        assert_eq!(judge(&here, &answer(VERSION), true).state, FindingState::Ok);
        let newer = judge(&here, &answer("99.1.2"), true);
        assert!(newer.state == FindingState::Warning && newer.advice.contains("install"), "{newer:?}");
        assert!(judge(&here, &answer(""), true).text.contains("too old"));
        let silent = Err(CoordinatorSilence::from("it sleeps\nand more".to_owned()));
        let expected = judge(&here, &silent, true);
        assert!(expected.state == FindingState::Warning && expected.text.ends_with(": it sleeps"), "{expected:?}");
        assert_eq!(judge(&here, &silent, false).state, FindingState::Note);
        let command = vec!["ssh".to_owned(), "--token=hush".to_owned()];
        let far = Coordinator { name: "far".into(), endpoint: Endpoint::Command(command), timeout: PATIENCE };
        assert!(!judge(&far, &silent, true).text.contains("hush"));
    }

    #[test]
    fn the_wrong_line_itself_is_not_quoted() {
        let message =
            "/x/config.toml: TOML parse error at line 1, column 7\n  |\n1 | token hush\n  |       ^\nexpected `=`";
        let text = misconfigured(&Failure::new(Exit::Usage, "bad_config", message)).text;
        assert_eq!(text, "/x/config.toml: TOML parse error at line 1, column 7: expected `=`");
        assert_eq!(misconfigured(&Failure::usage("one line")).text, "one line");
    }
}

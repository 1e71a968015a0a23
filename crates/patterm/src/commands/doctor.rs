//! `patterm doctor`

mod agents;
mod settings;
mod terminal;

use std::path::Path;

use program::{
    EndRequests, Exit, Failure, Outcome, Surroundings,
    doctor::{
        DoctorFinding, DoctorReport, FolderUse, check_folder, check_free_space, check_limits, check_socket_folder,
        check_sockets, check_versions,
    },
};

use crate::output::Output;

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Say what is found here, what is wrong, and what to do about it
///
/// Looks at the terminal, the agent CLIs of your presets and their versions, your settings and the project's, patterm's
/// folders and sockets, and the system's limits. It changes nothing, and starts only the CLIs of your own presets, in
/// your home folder, to ask for their versions. Read the output before you send it.
#[derive(Debug, clap::Args)]
pub(crate) struct PattermDoctor {}

impl PattermDoctor {
    pub(crate) fn run(self, project: &Path, surroundings: &Surroundings, output: &mut Output) -> Outcome {
        let runtime = engine::build_runtime("patterm-task").map_err(|error| Failure::system("starting up", &error))?;
        // A signal must not end us while the terminal is in raw mode, nor before the CLIs that we asked have ended.
        let found = runtime.block_on(async {
            let ending = EndRequests::default();
            ending.hear_signals().map_err(|error| Failure::system("listening to signals", &error))?;
            let mut wishes = ending.wishes();
            tokio::select! {
                biased;
                why = wishes.leaving() => Err(Failure::new(Exit::Refused, "ended", format!("ended by {why}"))),
                found = examine(project, surroundings) => Ok(found),
            }
        });
        // Dropping it ends what it started; threads that hang in a system call are not waited for.
        runtime.shutdown_timeout(std::time::Duration::from_secs(1));
        let report = DoctorReport::new("patterm", VERSION, &surroundings.home, found?);
        output.answer(&report, &report.lines())?;
        Ok(report.exit())
    }
}

async fn examine(project: &Path, surroundings: &Surroundings) -> Vec<DoctorFinding> {
    let mut found = check_system(surroundings);
    found.extend(terminal::check(surroundings));
    found.extend(agents::check(project, surroundings).await);
    found.extend(settings::check(project, surroundings));
    found.extend(check_folders(surroundings));
    found.extend(check_sockets("sockets", &surroundings.socket_folder("patterm"), "patterm"));
    found.extend(check_limits("limits"));
    found
}

fn check_system(surroundings: &Surroundings) -> Vec<DoctorFinding> {
    let release = engine::read_short_file("/etc/os-release".as_ref()).ok();
    let fake = surroundings.program.with_file_name("patterm-fake-agent");
    let fakes = if fake.is_file() {
        DoctorFinding::ok("system", "patterm-fake-agent is installed beside patterm")
    } else {
        let advice = "only `patterm fake-agent` needs it: the release archive and `cargo build -p patterm` have both";
        DoctorFinding::note("system", "patterm-fake-agent is not installed beside patterm", advice)
    };
    vec![check_versions("system", "patterm", VERSION, release.as_deref()), fakes]
}

fn check_folders(surroundings: &Surroundings) -> Vec<DoctorFinding> {
    let folder = |name, path| check_folder("folders", FolderUse { name, path }, surroundings.user);
    let data = FolderUse { name: "the data folder", path: &surroundings.data_dir };
    vec![
        check_socket_folder("folders", &surroundings.socket_folder("patterm"), surroundings.user),
        folder(data.name, data.path),
        folder("the folder of the settings", &surroundings.config_dir),
        check_free_space("folders", data),
    ]
}

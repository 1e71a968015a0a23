//! Children of others that this process inherits, as the first process of a container does.

use engine::{Engine, EngineOptions, ExitStatus, Status};
use testkit::{child_pids, in_own_process};

use crate::stage::*;

#[test]
fn orphans_are_reaped_and_exit_statuses_of_sessions_are_not_lost() {
    in_own_process("orphans::orphans_are_reaped_and_exit_statuses_of_sessions_are_not_lost", || {
        // What a container's first process is by itself.
        rustix::process::set_child_subreaper(Some(rustix::process::getpid())).unwrap();
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        runtime.block_on(async {
            let engine = Engine::new(EngineOptions { inherits_orphans: true, ..options() });
            let mut sessions = Vec::new();
            for code in 0..20 {
                // Jobs that are left, one of them in a session of its own, and one that has ended already.
                let script = format!("trap '' HUP; sleep 0.2 & setsid sleep 0.2 & true & exit {code}");
                sessions.push((code, engine.spawn(shell_command(&script)).await.unwrap()));
            }
            for (code, session) in &sessions {
                assert_eq!(exit(session).await, (Status::Exited, Some(ExitStatus::Code(*code))));
            }
            until("all of them are reaped", || child_pids().is_empty()).await;
            close(engine).await;
        });
    });
}

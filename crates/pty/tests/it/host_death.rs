//! A host that dies without a word takes its children along.

use pty::Pid;
use testkit::{Script, play_second_role};

use crate::session::{Session, Watch};

fn parse(number: &str) -> Pid {
    Pid::new(number.parse().unwrap()).unwrap()
}

#[test]
fn kill_9_of_the_host_leaves_no_child_not_even_one_that_ignores_hup() {
    let name = "host_death::kill_9_of_the_host_leaves_no_child_not_even_one_that_ignores_hup";
    let mut host = play_second_role(name, || {
        let mut plain = Session::start(Script::new().print("up\n").hang());
        let stubborn = Script::new().ignore("HUP").ignore("TERM").fork_hold(60_000).print("up\n").hang();
        let mut stubborn = Session::start(stubborn);
        let mut with_child = Session::start(Script::new().fork_hold(60_000).print("up\n").hang());
        for session in [&mut plain, &mut stubborn, &mut with_child] {
            session.read_line("up");
        }
        println!("plain {}", plain.child.pid());
        println!("stubborn {}", stubborn.child.pid());
        println!("stubborn-grandchild {}", stubborn.read_pid("fork-hold"));
        println!("grandchild {}", with_child.read_pid("fork-hold"));
        println!("all-up");
        loop {
            std::thread::park();
        }
    });
    let [plain, stubborn, out_of_reach, grandchild] =
        ["plain", "stubborn", "stubborn-grandchild", "grandchild"].map(|name| {
            let marker = format!("{name} ");
            Watch::new(parse(&host.line_after(&marker)))
        });
    host.line_after("all-up");
    assert!([&plain, &stubborn, &grandchild].iter().all(|watch| !watch.has_ended()));
    host.kill();
    for watch in [&plain, &stubborn, &grandchild] {
        watch.wait_for_end();
    }
    // What neither the parent-death signal nor a hang-up reaches is documented; it isn't ours to
    // keep running either.
    out_of_reach.kill();
}

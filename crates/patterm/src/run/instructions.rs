//! What a model is told when its client connects: where it is, and three detours around the tools that it should not
//! take.

use ops::Role;

/// Short, because clients cut long ones; `help` has the rest.
pub(super) fn text(role: Role) -> String {
    let start = match role {
        Role::Operator => {
            "You are connected to a running patterm as its operator: you act for the human and may do what its palette \
             may. "
        }
        Role::Orchestrator | Role::SubAgent => {
            "Your terminal is a pane of patterm, and this connection is yours alone: it is how patterm knows that you \
             are you. Everything goes through these tools. Don't start patterm or its mcp-stdio again: you are inside \
             it already. Don't speak to its socket with nc, socat, curl, perl or the like: the socket answers nobody \
             it does not know. Don't start another agent's CLI from your shell: nobody could see it, stop it or hear \
             from it. "
        }
    };
    let middle = match role {
        Role::SubAgent => {
            "Another agent started you: its messages begin with [orchestrator], and send_message to its process id \
             reaches it. "
        }
        _ => {
            "spawn_agent starts another agent as your child, spawn_process a command or a shell. send_message talks to \
             a child and send_input types into it; wait_for_state, wait_for_pattern and the idle timers save you from \
             polling; get_process_output shows the whole visible pane, in which you find the answer yourself. What \
             you start is yours to end: close_process when it is done. "
        }
    };
    let end = "Begin with whoami for your role and tools, then help('topics'). Where your list of tools has none of these, \
               your client keeps them until you ask: search its tools for patterm, whoami first.";
    format!("{start}{middle}{end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agents_are_told_the_ways_that_lead_nowhere() {
        for role in [Role::Orchestrator, Role::SubAgent] {
            let text = text(role);
            for word in ["mcp-stdio", "socket", "CLI", "whoami", "help("] {
                assert!(text.contains(word), "{word}: {text}");
            }
            assert!(text.len() < 1500, "{} bytes", text.len());
        }
        assert!(!text(Role::SubAgent).contains("spawn_agent"), "it may not");
        assert!(text(Role::Orchestrator).contains("close_process"));
    }
}

//! The real agent CLIs: installing them, and running them offline under a headless patterm against a scripted model.

pub(crate) mod client;
mod deliver;
pub(crate) mod headless;
mod home;
mod inbox;
mod install;
mod leftovers;
mod matrix;
mod moments;
mod neighbour;
mod prompts;
mod record;
mod resume;
mod stage;
mod story;
mod tools;
mod vendors;

use anyhow::Result;

use crate::Verdict;

/// The real agent CLIs, offline, against a scripted model
#[derive(clap::Subcommand)]
pub(crate) enum Arguments {
    Install(install::Arguments),
    Matrix(matrix::Arguments),
    Moments(moments::Arguments),
    Story(story::Arguments),
    Deliver(deliver::Arguments),
    Home(home::Arguments),
    Inbox(inbox::Arguments),
    Tools(tools::Arguments),
    Resume(resume::Arguments),
    Record(record::Arguments),
    #[command(hide = true)]
    Neighbour(neighbour::Arguments),
}

pub(crate) fn run(arguments: &Arguments) -> Result<Verdict> {
    match arguments {
        Arguments::Install(arguments) => install::run(arguments),
        Arguments::Matrix(arguments) => matrix::run(arguments),
        Arguments::Moments(arguments) => moments::run(arguments),
        Arguments::Story(arguments) => story::run(arguments),
        Arguments::Deliver(arguments) => deliver::run(arguments),
        Arguments::Home(arguments) => home::run(arguments),
        Arguments::Inbox(arguments) => inbox::run(arguments),
        Arguments::Tools(arguments) => tools::run(arguments),
        Arguments::Resume(arguments) => resume::run(arguments),
        Arguments::Record(arguments) => record::run(arguments),
        Arguments::Neighbour(arguments) => neighbour::run(arguments),
    }
}

use crate::{ModelArguments, failure::Failure, input::Input, output};
use output::{grouped, number};

/// Reads a model and says what is wrong with it, without running it
#[derive(clap::Args)]
pub(crate) struct Check {
    #[command(flatten)]
    model: ModelArguments,
}

impl Check {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let model = Input::with_keys(&self.model)?.load(false)?;
        let system = model.mechanism.system();
        let bodies = match system.layout().bodies.len() {
            1 => "1 body".to_owned(),
            count => format!("{} bodies", grouped(count as u64)),
        };
        Ok(output::print(&format!(
            "ok: {bodies}, {}, {} steps of {} s, energy {} J\n",
            model.method.name,
            grouped(model.schedule.steps),
            model.schedule.step,
            number(system.energy(&model.state).total()),
        ))?)
    }
}

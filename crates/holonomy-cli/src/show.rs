use crate::{failure::Failure, output};
use holonomy_model::scenario;

/// Prints the model file of a scenario
#[derive(clap::Args)]
pub(crate) struct Show {
    /// Name of the scenario
    name: String,
    /// Print what to see in it instead
    #[arg(long)]
    readme: bool,
}

impl Show {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let Some(scenario) = scenario::find(&self.name) else {
            return Err(Failure::UnknownScenario {
                name: self.name.clone(),
                suggestion: scenario::suggestion(&self.name),
            });
        };
        let text = if self.readme {
            scenario.readme
        } else {
            scenario.model
        };
        Ok(output::print(text)?)
    }
}

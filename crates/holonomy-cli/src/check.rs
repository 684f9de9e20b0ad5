use crate::{ModelArguments, failure::Failure, input::Input, output};
use holonomy::{decimal, system::Mechanism};
use output::{counted, grouped, number};

/// Reads a model and says what is wrong with it, without running it
#[derive(clap::Args)]
pub(crate) struct Check {
    #[command(flatten)]
    model: ModelArguments,
}

impl Check {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let input = Input::with_keys(&self.model)?;
        let model = input.load(false)?;
        input.save(&model, false)?;
        let system = model.mechanism.system();
        let layout = system.layout();
        let mut what = match &model.mechanism {
            Mechanism::Spheres(spheres) => counted(spheres.len(), "body", "bodies"),
            Mechanism::Lagrangian(system) if system.is_framed() => format!(
                "{}, {}",
                counted(layout.coordinates.len(), "coordinate", "coordinates"),
                counted(layout.velocities.len(), "quasi-velocity", "quasi-velocities")
            ),
            Mechanism::Lagrangian(_) => counted(layout.coordinates.len(), "coordinate", "coordinates"),
            Mechanism::Tree(tree) => counted(tree.len(), "body", "bodies"),
        };
        if !layout.multipliers.is_empty() {
            let count = match &model.mechanism {
                Mechanism::Tree(tree) => tree.constraint_list().count(),
                _ => layout.multipliers.len(),
            };
            what += &format!(", {}", counted(count, "constraint", "constraints"));
        }
        let schedule = match input.is_formula() {
            true => String::new(),
            false => format!(
                ", {} steps of {} s",
                grouped(model.schedule.steps),
                decimal(model.schedule.step)
            ),
        };
        Ok(output::print(&format!(
            "ok: {what}, {}{schedule}, energy {} J\n",
            model.method.name,
            number(system.energy(&model.state).total()),
        ))?)
    }
}

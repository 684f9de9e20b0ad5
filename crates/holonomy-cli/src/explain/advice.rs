//! Which methods fit a mechanism, and which one to take.
use super::Page;
use holonomy::{
    integrator::catalog::{METHODS, Method, Options},
    system::Mechanism,
};
use holonomy_model::Model;

pub(super) fn explain(model: &Model, page: &mut Page) {
    page.section("methods that fit");
    let fits = |method: &&Method| method.build_with(&model.mechanism, &Options::default()).is_ok();
    let (kept, others): (Vec<&Method>, Vec<&Method>) = METHODS
        .iter()
        .filter(fits)
        .partition(|method| method.is_geometric());
    let names = |methods: &[&Method]| -> String {
        let names: Vec<&str> = methods.iter().map(|method| method.name).collect();
        names.join(", ")
    };
    page.line("geometric", &names(&kept));
    page.line("conventional", &names(&others));
    let (name, why) = recommended(model);
    page.line("recommended", &format!("{name}: {why}"));
}

/// A method and the reason for it.
fn recommended(model: &Model) -> (&'static str, &'static str) {
    match &model.mechanism {
        Mechanism::Spheres(_) => {
            let separate = METHODS.iter().find(|method| method.name == "sphere-split-4");
            let built = separate.map(|method| method.build_with(&model.mechanism, &Options::default()));
            match built {
                Some(Ok(_)) => (
                    "sphere-split-4",
                    "the bodies are separate, so explicit steps of order 4 do; sphere-explicit is the fastest of order 2",
                ),
                _ => (
                    "sphere-implicit",
                    "the bodies are linked, so the equations of a step must be solved; sphere-implicit-4 is more accurate",
                ),
            }
        }
        Mechanism::Lagrangian(system) if system.is_framed() => (
            "hamel",
            "it is symmetric and conserves what the frame conserves; hamel-4 is more accurate",
        ),
        Mechanism::Lagrangian(system) => {
            let layout = holonomy::system::System::layout(&**system);
            if !layout.multipliers.is_empty() {
                return (
                    "midpoint",
                    "it satisfies the constraints to round-off at every step",
                );
            }
            if layout.conserved.driven {
                return (
                    "midpoint",
                    "its order holds where forces act or the formulas depend on time",
                );
            }
            if has_kinks(model) {
                return (
                    "midpoint",
                    "abs, min and max have kinks, where methods of higher order gain nothing",
                );
            }
            ("midpoint-4", "the formulas are smooth and no force acts")
        }
        Mechanism::Tree(_) => (
            "tree-variational",
            "it satisfies joints and constraints to round-off; tree-variational-4 is more accurate",
        ),
    }
}

/// Whether formulas use functions whose derivative jumps.
fn has_kinks(model: &Model) -> bool {
    let description = &model.description;
    let definitions = description.definitions.iter().map(|(_, text)| text);
    let mut texts = definitions.chain(&description.lagrangian);
    texts.any(|text| {
        ["abs(", "min(", "max("]
            .iter()
            .any(|function| text.contains(function))
    })
}

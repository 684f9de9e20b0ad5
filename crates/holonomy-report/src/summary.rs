//! What a run was, in numbers.
use crate::{certificate::Certificate, number, outputs::OutputSummary, warning::Warning};
use holonomy::{
    diagnostics::{BalanceRecord, Record},
    simulation::{RunReport, Simulation},
    system::{Carry, Measurement, Mechanism, Names},
};
use holonomy_model::Model;
use serde::{Deserialize, Serialize};

/// The summary of a run, as it is written to `summary.json`. Numbers that are not finite become `null`,
/// and are not numbers when it is read back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Name of the scenario, or of the file without its ending.
    pub scenario: String,
    /// Name of the method.
    pub method: String,
    /// Step, s; for adaptive methods the sampling interval.
    pub step: f64,
    /// Steps taken.
    pub steps: u64,
    /// Time of the last state, s.
    pub t_end: f64,
    /// Samples that the metrics were taken over.
    pub samples: u64,
    /// Time that the run took, s.
    #[serde(with = "number::nullable")]
    pub wall_seconds: f64,
    /// Steps taken per second of that time.
    #[serde(with = "number::nullable")]
    pub steps_per_second: f64,
    /// Energy over the samples.
    pub energy: EnergySummary,
    /// Whether the motion itself changes the energy: forces act, or something depends on time. Its change is then no
    /// error.
    pub driven: bool,
    /// Energy against the work of what changes it; `None` where nothing does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub balance: Option<BalanceSummary>,
    /// Departure from the configuration manifold over the samples; `None` where there is no manifold to leave.
    pub manifold: Option<ManifoldSummary>,
    /// The conserved momenta.
    pub momentum: Vec<MomentumSummary>,
    /// Constraint violation; `None` where there are no constraints.
    pub constraints: Option<ConstraintSummary>,
    /// The multipliers of the constraints at the end.
    pub multipliers: Vec<Named>,
    /// Steps in which equations of constraint depended on each other; `None` where there were none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dependent: Option<DependentSummary>,
    /// Generalized coordinates at the start and at the end, angles within ±π; empty for bodies on spheres.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub coordinates: Vec<Moved>,
    /// Their velocities.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub velocities: Vec<Moved>,
    /// What the model records by name, over the samples.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outputs: Vec<OutputSummary>,
    /// What the steps cost.
    pub solver: SolverSummary,
    /// Where the run ended.
    pub final_state: FinalState,
    /// What the method promises, what was measured, and whether they agree.
    pub certificate: Certificate,
    /// What the run did that its author may not have meant.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Warning>,
    /// Whether it was stopped before its end.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stopped: bool,
    /// Why it failed, if it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// Energy over a run, J.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EnergySummary {
    /// At the first sample.
    #[serde(with = "number::nullable")]
    pub initial: f64,
    /// At the last sample.
    #[serde(rename = "final", with = "number::nullable")]
    pub last: f64,
    /// Mean of |E − E₀|.
    #[serde(with = "number::nullable")]
    pub mean_abs_error: f64,
    /// Largest |E − E₀|.
    #[serde(with = "number::nullable")]
    pub max_abs_error: f64,
    /// Kinetic energy at the start and range of the potential energy: what can have been in motion.
    #[serde(with = "number::nullable")]
    pub in_motion: f64,
    /// Slope of a line through E − E₀, J/s; `None` for a short run.
    pub drift_per_second: Option<f64>,
    /// Standard error of that slope, J/s.
    pub drift_standard_error: Option<f64>,
}

/// Energy against work, over a run: E − E₀ − W, J.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BalanceSummary {
    /// The work of each source over the run.
    pub sources: Vec<Named>,
    /// Mean of |E − E₀ − W|.
    #[serde(with = "number::nullable")]
    pub mean_abs_error: f64,
    /// Largest |E − E₀ − W|.
    #[serde(with = "number::nullable")]
    pub max_abs_error: f64,
    /// Energy that went in or out: |ΔW| of all sources between samples, added up.
    #[serde(with = "number::nullable")]
    pub throughput: f64,
    /// Slope of a line through E − E₀ − W, J/s; `None` for a short run.
    pub drift_per_second: Option<f64>,
    /// Standard error of that slope, J/s.
    pub drift_standard_error: Option<f64>,
}

impl BalanceSummary {
    fn new(record: &BalanceRecord, sources: &[String]) -> Self {
        let drift = record.drift();
        let named = |(name, work): (&String, &f64)| Named {
            name: name.clone(),
            value: *work,
            unit: "J".to_owned(),
        };
        Self {
            sources: sources.iter().zip(&record.work).map(named).collect(),
            mean_abs_error: record.mean_error,
            max_abs_error: record.max_error,
            throughput: record.throughput,
            drift_per_second: drift.map(|fit| fit.slope),
            drift_standard_error: drift.map(|fit| fit.standard_error),
        }
    }
}

/// Departure from the manifold: for spheres, |1 − q·q|.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ManifoldSummary {
    /// Mean over samples and bodies.
    #[serde(with = "number::nullable")]
    pub mean_error: f64,
    /// Largest of all.
    #[serde(with = "number::nullable")]
    pub max_error: f64,
}

/// Change of a conserved momentum.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MomentumSummary {
    /// Which momentum.
    pub name: String,
    /// Its value at the start.
    #[serde(with = "number::nullable")]
    pub initial: f64,
    /// Largest change.
    #[serde(with = "number::nullable")]
    pub max_error: f64,
}

/// Constraint violation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ConstraintSummary {
    /// Largest violation.
    #[serde(with = "number::nullable")]
    pub max_error: f64,
}

/// Constraints that were redundant, always or on the way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DependentSummary {
    /// Steps in which they did.
    pub steps: u64,
    /// Their names.
    pub constraints: Vec<String>,
}

/// A number with a name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Named {
    /// The name.
    pub name: String,
    /// The number.
    #[serde(with = "number::nullable")]
    pub value: f64,
    /// Its unit, where it has one that is known.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub unit: String,
}

/// A number with a name that was one thing at the start and is another at the end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Moved {
    /// The name.
    pub name: String,
    /// At the start.
    #[serde(with = "number::nullable")]
    pub initial: f64,
    /// At the end.
    #[serde(rename = "final", with = "number::nullable")]
    pub last: f64,
}

/// What the steps cost.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SolverSummary {
    /// Iterations of the nonlinear solver per step; zero for explicit methods.
    #[serde(with = "number::nullable")]
    pub mean_iterations: f64,
    /// Most iterations in a step.
    pub max_iterations: u32,
    /// Force evaluations.
    pub evaluations: u64,
    /// Steps that an adaptive method took on its own mesh.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub substeps: Option<u64>,
    /// Those that it threw away.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rejected: Option<u64>,
    /// How often the list of neighbours of a body was made, on average and rounded up, where there is a cut-off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rebuilds: Option<u64>,
}

/// The last good state, as the engine stores it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FinalState {
    /// Time, s.
    #[serde(with = "number::nullable")]
    pub t: f64,
    /// Configuration.
    #[serde(with = "number::nullable")]
    pub q: Vec<f64>,
    /// Momentum.
    #[serde(with = "number::nullable")]
    pub p: Vec<f64>,
    /// Multipliers of the last step.
    #[serde(default, skip_serializing_if = "Vec::is_empty", with = "number::nullable")]
    pub lambda: Vec<f64>,
    /// Work of what changes the energy since the start of the run, J, in the order of `balance.sources`.
    #[serde(default, skip_serializing_if = "Vec::is_empty", with = "number::nullable")]
    pub work: Vec<f64>,
    /// What the method carries to the next step.
    #[serde(default, skip_serializing_if = "Carry::is_empty")]
    pub carry: Carry,
    /// Angular velocities of bodies on spheres.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "number::nullable")]
    pub omega: Option<Vec<f64>>,
    /// Generalized velocities.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "number::nullable")]
    pub velocity: Option<Vec<f64>>,
}

impl Summary {
    /// Puts together what was seen of a run, without a certificate.
    pub fn new(
        name: &str,
        model: &Model,
        simulation: &Simulation,
        record: &Record,
        report: &RunReport,
        wall_seconds: f64,
    ) -> Self {
        let system = &**simulation.system();
        let state = &simulation.state;
        let mut measured = Measurement::default();
        system.measure(state, &mut measured, &mut system.scratch());
        let mut first = Measurement::default();
        system.measure(&model.state, &mut first, &mut system.scratch());
        let layout = system.layout();
        let on_spheres = matches!(model.mechanism, Mechanism::Spheres(_));
        let drift = record.energy.drift();
        let names = layout.conserved.invariants.iter();
        let moved = |names: &Names, initial: &[f64], last: &[f64]| -> Vec<Moved> {
            if on_spheres {
                return Vec::new();
            }
            let each = names.iter().zip(initial.iter().zip(last));
            each.map(|(name, (initial, last))| Moved {
                name: name.clone(),
                initial: *initial,
                last: *last,
            })
            .collect()
        };
        let multipliers = layout.multipliers.iter().zip(&measured.multipliers);
        let (from, to) = (layout.reported(&model.state.q), layout.reported(&state.q));
        let adaptive = |count: u64| model.method.adaptive.then_some(count);
        Self {
            scenario: name.to_owned(),
            method: model.method.name.to_owned(),
            step: model.schedule.step,
            steps: report.work.steps,
            t_end: state.t,
            samples: record.samples,
            wall_seconds,
            steps_per_second: report.work.steps as f64 / wall_seconds,
            energy: EnergySummary {
                initial: record.energy.initial,
                last: record.energy.last,
                mean_abs_error: record.energy.mean_error,
                max_abs_error: record.energy.max_error,
                in_motion: record.energy.in_motion(),
                drift_per_second: drift.map(|fit| fit.slope),
                drift_standard_error: drift.map(|fit| fit.standard_error),
            },
            driven: layout.conserved.driven,
            balance: (record.balance.as_ref())
                .map(|balance| BalanceSummary::new(balance, &layout.conserved.sources)),
            manifold: on_spheres.then_some(ManifoldSummary {
                mean_error: record.manifold_mean,
                max_error: record.manifold_max,
            }),
            momentum: names
                .zip(&record.momenta)
                .map(|(name, &(initial, max_error))| MomentumSummary {
                    name: name.clone(),
                    initial,
                    max_error,
                })
                .collect(),
            constraints: record.constraint.map(|max_error| ConstraintSummary { max_error }),
            multipliers: multipliers
                .enumerate()
                .map(|(index, (name, value))| Named {
                    name: name.clone(),
                    value: *value,
                    unit: {
                        let unit = layout.multiplier_units.get(index).copied();
                        unit.unwrap_or_default().symbol().to_owned()
                    },
                })
                .collect(),
            dependent: dependent(model, report),
            coordinates: moved(&layout.coordinates, &from, &to),
            velocities: moved(&layout.velocities, &first.velocity, &measured.velocity),
            outputs: Vec::new(),
            solver: SolverSummary {
                mean_iterations: report.work.iterations as f64 / report.work.steps.max(1) as f64,
                max_iterations: report.work.max_iterations,
                evaluations: report.work.evaluations,
                substeps: adaptive(report.work.substeps),
                rejected: adaptive(report.work.rejected),
                rebuilds: rebuilds(model),
            },
            final_state: FinalState {
                t: state.t,
                q: state.q.clone(),
                p: state.p.clone(),
                lambda: state.lambda.clone(),
                work: state.work.clone(),
                carry: state.carry.clone(),
                omega: on_spheres.then(|| measured.velocity.clone()),
                velocity: (!on_spheres).then_some(measured.velocity),
            },
            certificate: Certificate::default(),
            warnings: Vec::new(),
            stopped: report.stopped,
            error: None,
        }
    }

    /// The same with what was seen at more steps: the largest errors of both.
    pub(crate) fn with_more(&self, record: &Record) -> Self {
        let mut all = self.clone();
        let energy = &mut all.energy;
        energy.max_abs_error = larger(energy.max_abs_error, record.energy.max_error);
        energy.in_motion = larger(energy.in_motion, record.energy.in_motion());
        if let Some(manifold) = &mut all.manifold {
            manifold.max_error = larger(manifold.max_error, record.manifold_max);
        }
        for (momentum, (_, change)) in all.momentum.iter_mut().zip(&record.momenta) {
            momentum.max_error = larger(momentum.max_error, *change);
        }
        if let (Some(constraints), Some(error)) = (&mut all.constraints, record.constraint) {
            constraints.max_error = larger(constraints.max_error, error);
        }
        all
    }

    /// The largest change of any conserved momentum; `None` where nothing is conserved.
    pub fn momentum_error(&self) -> Option<f64> {
        self.momentum
            .iter()
            .map(|momentum| momentum.max_error)
            .reduce(f64::max)
    }

    /// The summary as JSON text; every finite number reads back as it was.
    pub fn to_json(&self) -> String {
        json(self)
    }
}

/// The larger of two numbers; what is not a number is larger than any.
fn larger(a: f64, b: f64) -> f64 {
    if a.is_nan() || a > b { a } else { b }
}

fn rebuilds(model: &Model) -> Option<u64> {
    match &model.mechanism {
        Mechanism::Spheres(spheres) => Some(spheres.list_work()?.rebuilds),
        _ => None,
    }
}

fn dependent(model: &Model, report: &RunReport) -> Option<DependentSummary> {
    let Mechanism::Tree(tree) = &model.mechanism else {
        return None;
    };
    if report.work.dependent_steps == 0 {
        return None;
    }
    let mut constraints: Vec<String> = Vec::new();
    for (index, (name, _)) in tree.constraint_list().enumerate() {
        let depends = report.work.dependent >> index.min(127) & 1 == 1;
        if depends && !constraints.iter().any(|other| other == name) {
            constraints.push(name.to_owned());
        }
    }
    Some(DependentSummary {
        steps: report.work.dependent_steps,
        constraints,
    })
}

/// Indented JSON text with a newline at its end.
pub fn json(value: &impl Serialize) -> String {
    let mut text = serde_json::to_string_pretty(value).unwrap_or_else(|error| {
        // Keys are strings and no value refuses to be written.
        unreachable!("a summary is always JSON: {error}")
    });
    text.push('\n');
    text
}

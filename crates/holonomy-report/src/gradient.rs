//! The gradient of a number at the end of a run, by where it starts, by the numbers of the model and by its inputs; and
//! what such a gradient is worth.
//!
//! ```text
//! J = J(z_N; θ),   z_{k+1} = Φ(z_k; θ),   z₀ = z₀(θ)
//! dJ/dθ   = ∂J/∂θ + Σ μ_kᵀ ∂F/∂θ + z̄₀ᵀ ∂z₀/∂θ,      z̄_k = ∂J/∂z_k: the adjoint of the steps, from the end to the start
//! dJ/du   = ∫ bᵀ z̄ dt          of an input that is held all the time; bᵀ z̄(t) of a push at the time t
//! ```
//! One run, two tangents along it, and one way back with the gradient and those of the conserved momenta.
mod page;
mod sought;
#[cfg(test)]
mod tests;

pub use page::{Line, kind};

use crate::{
    linearize::{self, described_by, names},
    number,
    summary::json,
    verdict::Verdict,
};
use holonomy::{
    derivative::{
        Along, Change, Efforts, GradientCertificate, Step, Tape, TapeFault, Unreduced, certify_gradient,
        gradient,
    },
    integrator::{
        Cause, Fault,
        catalog::{METHODS, Options},
    },
    output::{Output, Readings},
    system::{Measurement, Mechanism, Scratch, State, System},
};
use holonomy_model::{Model, output_suggestion};
use serde::Serialize;
use sought::Sought;

/// What a gradient is asked of.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Request {
    /// The output, by the name under which it is recorded.
    pub of: String,
    /// When, s; at the end of the run if nothing is said.
    pub at: Option<f64>,
    /// `start`, `parameters`, `inputs`, or keys of numbers; all three if empty.
    pub by: Vec<String>,
}

/// By what something changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A coordinate, a velocity or a momentum of the start.
    Start,
    /// A number of the model.
    Parameter,
    /// An input, held all the time.
    Input,
}

/// One derivative.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Slope {
    /// By what.
    pub kind: Kind,
    /// Its name, or its key.
    pub name: String,
    /// Its unit; empty where it is not known.
    pub unit: String,
    /// Its value.
    pub value: f64,
    /// The derivative.
    pub slope: f64,
    /// What one percent of the value changes; of a value of zero a hundredth of its unit.
    pub percent: f64,
}

/// What a push along an input does, against the time of the push.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Push {
    /// The input.
    pub input: String,
    /// `(t, change of the output per unit of the input and second)`.
    pub curve: Vec<(f64, f64)>,
}

/// Something that the gradient is not taken by.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LeftOut {
    /// Its key.
    pub key: String,
    /// Why.
    pub why: String,
}

/// What was measured of the gradient itself.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Worth {
    /// Tangent against adjoint, as a part of their sizes.
    #[serde(with = "number::nullable")]
    pub duality: f64,
    /// The largest change of the symplectic pairing of two tangents, as a part of its terms.
    #[serde(with = "number::nullable")]
    pub pairing: f64,
    /// Whether that is promised: the method is symplectic, and the mechanism too.
    pub symplectic: bool,
    /// For each momentum how far it changed, and what of its gradient did not come back.
    pub momenta: Vec<Momentum>,
    /// `(τ, by what factor the gradient grew)` at times τ before the end.
    pub growth: Vec<(f64, f64)>,
    /// The rate at which it grows and its error, 1/s, where the run was long enough to tell.
    pub exponent: Option<[f64; 2]>,
    /// How long before the end it is 10⁸ times what it is there, s.
    pub horizon: Option<f64>,
}

/// A conserved quantity, and its gradient that came back.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Momentum {
    /// Its name.
    pub name: String,
    /// How far it changed itself.
    #[serde(with = "number::nullable")]
    pub change: f64,
    /// What of its gradient did not come back, as a part of it.
    #[serde(with = "number::nullable")]
    pub error: f64,
    /// Whether the method keeps it: then its gradient is to come back.
    pub kept: bool,
}

/// A gradient.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Gradient {
    /// Name of the scenario.
    pub scenario: String,
    /// Name of the method.
    pub method: String,
    /// Its step, s.
    pub step: f64,
    /// The output.
    pub of: String,
    /// Its unit; empty where it is not known.
    pub unit: String,
    /// When the run starts, s.
    pub start: f64,
    /// When the output is taken, s.
    pub t: f64,
    /// What it is then.
    pub value: f64,
    /// The derivatives, what changes most first.
    pub slopes: Vec<Slope>,
    /// Inputs at all times.
    pub pushes: Vec<Push>,
    /// What was left out.
    pub left_out: Vec<LeftOut>,
    /// What all of it is worth.
    pub worth: Worth,
}

/// Why there is no gradient.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum GradientError {
    /// The method has no derivatives, or not of this mechanism.
    #[error("`{method}` has no exact derivatives here: it would take {needs}")]
    NoDerivatives {
        /// The method.
        method: &'static str,
        /// What it would take.
        needs: &'static str,
        /// Methods that have them.
        others: Vec<&'static str>,
    },
    /// No such output.
    #[error("there is no output named `{name}`")]
    Output {
        /// What was asked for.
        name: String,
        /// What there is.
        help: String,
    },
    /// It has several numbers.
    #[error("`{name}` has several numbers, and a gradient is one of a number: {}", columns.join(", "))]
    Several {
        /// The output.
        name: String,
        /// Its numbers.
        columns: Vec<String>,
    },
    /// It is none of a state alone.
    #[error(
        "`{0}` is no function of the state at a time: it adds up along the run, or is what one step leaves"
    )]
    OfTheWay(String),
    /// It does not depend on the state, to first order.
    #[error("to first order `{0}` does not depend on the state there: all derivatives would be zero")]
    Flat(String),
    /// Not a number near the end.
    #[error("`{0}` is not a number at the end of the run, or right beside it")]
    Undefined(String),
    /// The time is not ahead of the start.
    #[error("t = {0} s is not after the start of the model")]
    Before(f64),
    /// The time is beyond what can be counted in steps.
    #[error("t = {0:e} s is more than 10¹⁵ steps after the start of the model")]
    Far(f64),
    /// By something that there is not.
    #[error("the model has no number `{key}` that its motion could depend on")]
    By {
        /// What was asked for.
        key: String,
        /// What may have been meant.
        near: Option<String>,
    },
    /// There is nothing to differentiate by.
    #[error("there is nothing to differentiate by: the model has no inputs")]
    NoInputs,
    /// There are no coordinates of a start.
    #[error("it cannot be differentiated: {0}")]
    Unreduced(#[from] Unreduced),
    /// A step could not be taken, or has no derivative.
    #[error("at t = {t} s: {why}")]
    Step {
        /// When.
        t: f64,
        /// Why.
        why: String,
    },
    /// The gradient left the range of numbers.
    #[error("the gradient grew beyond all numbers{}", match horizon {
        Some(time) => format!(": it is 10⁸ times what it was already {} s before the end", number::rough(*time)),
        None => String::new(),
    })]
    Overflow {
        /// How long before the end it was meaningless.
        horizon: Option<f64>,
    },
    /// The user stopped it.
    #[error("stopped before there was a result")]
    Stopped,
}

/// Tangent and adjoint are products of the same matrices: rounding of N steps, some √N ε, is far below this for any N.
const AGREE: f64 = 1e-11;
/// The structure of the form adds the tolerance of each solved step, up to 1e-13: thousands of them stay below this.
const KEPT: f64 = 1e-10;
/// A momentum that changes by less, as a part of what there is of it or of one, is kept.
const UNCHANGED: f64 = 1e-10;

impl Gradient {
    /// Of a model. `ahead` is called between steps and says whether to go on.
    pub fn new(
        model: &Model,
        scenario: &str,
        request: &Request,
        ahead: &mut dyn FnMut(u64, u64) -> bool,
    ) -> Result<Self, GradientError> {
        let mut integrator = model.integrator();
        let needs = model.method.without_derivatives(&model.mechanism);
        let Some(method) = integrator.differentiable().filter(|_| needs.is_none()) else {
            return Err(GradientError::NoDerivatives {
                method: model.method.name,
                needs: needs.unwrap_or("other options of the method"),
                others: with_derivatives(&model.mechanism),
            });
        };
        let system = model.mechanism.system();
        let output = output(&request.of, &*system)?;
        let h = model.schedule.step;
        let steps = match request.at {
            Some(t) => ((t - model.state.t) / h).round(),
            None => model.schedule.steps as f64,
        };
        if !(steps >= 1.0) {
            return Err(GradientError::Before(request.at.unwrap_or(model.state.t)));
        }
        if steps > linearize::FARTHEST {
            return Err(GradientError::Far(model.state.t + steps * h));
        }
        let steps = steps as usize;
        let mut sought = Sought::new(model, &output, &request.by, ahead)?;
        let failed = |fault: TapeFault| GradientError::Step {
            t: model.state.t + fault.step as f64 * h,
            why: described_by(system.layout(), fault.fault),
        };

        let mut watch = Watch {
            ahead,
            done: 0,
            all: 3 * steps as u64,
            stopped: false,
            sought: &mut sought,
        };
        let tape = Tape::record_with(method, &model.state, (h, steps), Efforts::default(), &mut watch);
        let stopped = watch.stopped;
        let mut tape = tape.map_err(|fault| {
            if stopped {
                GradientError::Stopped
            } else {
                failed(fault)
            }
        })?;
        let end = tape.end().clone();
        let mut reader = Reader::new(&*system, &output);
        let value = reader.read(&*system, &end);
        let of = gradient(&*system, &end, &mut |state| reader.read(&*system, state));
        let numbers = || of.x.iter().chain(&of.y);
        if !value.is_finite() || numbers().any(|z| !z.is_finite()) {
            return Err(GradientError::Undefined(output.name));
        }
        if numbers().all(|z| *z == 0.0) {
            return Err(GradientError::Flat(output.name));
        }
        watch.sought.ends(model, &end)?;
        let certificate = certify_gradient(&*system, method, &mut tape, of, &mut watch);
        let stopped = watch.stopped;
        let certificate = certificate.map_err(|fault| {
            if stopped {
                GradientError::Stopped
            } else {
                failed(fault)
            }
        })?;
        if !certificate.finite || !sought.is_finite() {
            return Err(GradientError::Overflow {
                horizon: certificate.horizon,
            });
        }
        let (slopes, pushes, left_out) = sought.found(model, &end);
        Ok(Self {
            scenario: scenario.to_owned(),
            method: model.method.name.to_owned(),
            step: h,
            of: output.name,
            unit: output.unit,
            start: model.state.t,
            t: end.t,
            value,
            slopes,
            pushes,
            left_out,
            worth: Worth::new(model, &certificate),
        })
    }

    /// The result as JSON text.
    pub fn to_json(&self) -> String {
        json(self)
    }

    /// The derivatives as text, a row for each.
    pub fn csv(&self) -> String {
        let mut text = "kind,name,value,unit,derivative,percent\n".to_owned();
        for slope in &self.slopes {
            let Slope {
                name, value, unit, ..
            } = slope;
            let (derivative, percent) = (slope.slope, slope.percent);
            let kind = match slope.kind {
                Kind::Start => "start",
                Kind::Parameter => "parameter",
                Kind::Input => "input",
            };
            text += &format!("{kind},{name},{value:?},{unit},{derivative:?},{percent:?}\n");
        }
        text
    }

    /// Whether it says what a small change at the start does.
    pub fn is_meaningful(&self) -> bool {
        self.worth.horizon.is_none()
    }

    /// What it is worth, in a sentence.
    pub fn conclusion(&self) -> (Verdict, String) {
        let Worth {
            duality,
            pairing,
            symplectic,
            horizon,
            ..
        } = &self.worth;
        let lasted = number::decimal(self.t - self.start);
        if !(*duality <= AGREE) {
            return (
                Verdict::Bad,
                format!(
                    "Tangents and the gradient disagree by {} of their size: the derivatives of this method are wrong \
                     here. Please report it, with the model.",
                    number::power(*duality)
                ),
            );
        }
        if let Some(horizon) = horizon {
            let why = match self.worth.exponent {
                Some([rate, error]) if rate > 2.0 * error => format!(
                    "over so long a time the motion is chaos: the gradient grows e-fold in {} s",
                    number::rough(1.0 / rate)
                ),
                _ => "on the way the motion is unstable".to_owned(),
            };
            return (
                Verdict::Bad,
                format!(
                    "The gradient by the start means nothing: {why}, and by what is more than {} s before the end it is \
                     over 10⁸ times what it is there, so that a change of one part in 10⁸ leads elsewhere. Ask for an \
                     earlier time, such as `--at {}`.",
                    number::rough(*horizon),
                    number::decimal(self.earlier(*horizon))
                ),
            );
        }
        let lost = self
            .worth
            .momenta
            .iter()
            .find(|momentum| momentum.kept && !(momentum.error <= KEPT));
        if *symplectic && !(*pairing <= KEPT) {
            return (
                Verdict::Doubtful,
                format!(
                    "The pairing of two tangents changes by {} of its size, though the method is symplectic: steps are not \
                     solved as exactly as they should be, or the motion comes near something singular.",
                    number::power(*pairing)
                ),
            );
        }
        if let Some(momentum) = lost {
            return (
                Verdict::Doubtful,
                format!(
                    "The gradient of {}, which the method keeps, comes back with an error of {}.",
                    momentum.name,
                    number::power(momentum.error)
                ),
            );
        }
        let grew = self.worth.growth.iter().map(|(_, factor)| *factor);
        let most = grew.fold(1.0, f64::max);
        (
            Verdict::Good,
            format!(
                "The derivatives are those of the steps themselves: tangent and adjoint agree to {}. Over {lasted} s {}.",
                number::power(duality.max(f64::EPSILON)),
                match most > 1.0 {
                    true => format!(
                        "the gradient grows to {} times what it is at the end, at most",
                        number::rough(most)
                    ),
                    false => "the gradient does not grow".to_owned(),
                }
            ),
        )
    }

    /// A time at which the gradient still means something: nine tenths of the horizon, to whole steps.
    fn earlier(&self, horizon: f64) -> f64 {
        let steps = (0.9 * horizon / self.step).floor().max(1.0);
        let unit = holonomy::math::powf(10.0, holonomy::math::log10(steps).floor() - 1.0).max(1.0);
        self.start + (steps / unit).floor() * unit * self.step
    }
}

impl Worth {
    fn new(model: &Model, found: &GradientCertificate) -> Self {
        let momenta = found.momenta.iter().map(|momentum| Momentum {
            name: momentum.name.clone(),
            change: momentum.change,
            error: momentum.error,
            kept: momentum.change.abs() <= UNCHANGED,
        });
        Self {
            duality: found.duality,
            pairing: found.pairing,
            symplectic: model.promises().symplectic && !is_dissipative(model),
            momenta: momenta.collect(),
            growth: found
                .growth
                .iter()
                .map(|(time, log)| (*time, holonomy::math::exp(*log)))
                .collect(),
            exponent: found.exponent.map(|exponent| [exponent.value, exponent.error]),
            horizon: found.horizon,
        }
    }
}

/// Whether forces without potential may act: they change the form, as they should.
fn is_dissipative(model: &Model) -> bool {
    model.mechanism.system().layout().conserved.driven
}

/// Methods with derivatives for a mechanism.
fn with_derivatives(mechanism: &Mechanism) -> Vec<&'static str> {
    let has = METHODS
        .iter()
        .filter(|method| method.without_derivatives(mechanism).is_none());
    let fits = has.filter(|method| {
        let built = method.build_with(mechanism, &Options::default());
        built.is_ok_and(|mut built| built.differentiable().is_some())
    });
    fits.map(|method| method.name).collect()
}

/// The output that is differentiated.
fn output(name: &str, system: &dyn System) -> Result<Output, GradientError> {
    let layout = system.layout();
    let Some(output) = Output::find(name, layout) else {
        return Err(GradientError::Output {
            name: name.to_owned(),
            help: output_suggestion(name, layout),
        });
    };
    if output.width() > 1 {
        return Err(GradientError::Several {
            name: output.name.clone(),
            columns: output.columns(),
        });
    }
    if output.is_of_a_step() || name.starts_with("work.") {
        return Err(GradientError::OfTheWay(output.name));
    }
    Ok(output)
}

/// Reads a number off states; angles as they were turned, and not within ±π.
struct Reader {
    output: Output,
    turned: Option<usize>,
    measured: Measurement,
    scratch: Scratch,
    readings: Readings,
}

impl Reader {
    fn new(system: &dyn System, output: &Output) -> Self {
        let coordinates = &system.layout().coordinates;
        Self {
            turned: coordinates.iter().position(|name| *name == output.name),
            output: output.clone(),
            measured: Measurement::default(),
            scratch: system.scratch(),
            readings: Readings::default(),
        }
    }

    fn read(&mut self, system: &dyn System, state: &State) -> f64 {
        if let Some(k) = self.turned {
            return state.q[k];
        }
        system.measure(state, &mut self.measured, &mut self.scratch);
        let outputs = std::slice::from_ref(&self.output);
        let values = self.readings.take(outputs, system, state, &self.measured);
        values.first().copied().unwrap_or(f64::NAN)
    }
}

/// Goes along a run and back, and says how far it is.
struct Watch<'a> {
    ahead: &'a mut dyn FnMut(u64, u64) -> bool,
    done: u64,
    all: u64,
    stopped: bool,
    sought: &'a mut Sought,
}

impl Along for Watch<'_> {
    fn at(&mut self, k: usize, state: &State, gradients: &mut [Change]) -> Result<(), Fault> {
        self.done += 1;
        if !(self.ahead)(self.done.min(self.all), self.all) {
            self.stopped = true;
            // Nobody reads it.
            return Err(Fault {
                cause: Cause::NotFinite,
                body: None,
            });
        }
        match gradients {
            [gradient] => self.sought.at(k, state, gradient),
            _ => Ok(()),
        }
    }

    fn equations(&mut self, step: &Step<'_>, gradients: &mut [Change]) -> Result<(), Fault> {
        match gradients {
            [gradient] => self.sought.equations(step, gradient),
            _ => Ok(()),
        }
    }
}

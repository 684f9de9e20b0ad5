use super::{Output, Quantity, SiteMotion};
use crate::{
    Vec3,
    system::{Measurement, Scratch, State, System},
};

/// Evaluates outputs at measured states.
#[derive(Default)]
pub struct Readings {
    scratch: Option<Scratch>,
    sites: Vec<Vec3>,
    motions: Vec<SiteMotion>,
    extras: Vec<f64>,
    values: Vec<f64>,
}

impl Readings {
    /// The numbers of all outputs, one after the other, in the order of their columns.
    pub fn take(
        &mut self,
        outputs: &[Output],
        system: &dyn System,
        state: &State,
        measured: &Measurement,
    ) -> &[f64] {
        self.values.clear();
        if !cfg!(feature = "outputs") {
            return &self.values;
        }
        self.prepare(outputs, system, state, measured);
        let layout = system.layout();
        let q = layout.reported(&state.q);
        for output in outputs {
            let start = self.values.len();
            let one = |list: &[f64], k: usize| [list.get(k).copied().unwrap_or(f64::NAN)];
            match output.of {
                Quantity::Time => self.values.push(state.t),
                Quantity::Kinetic => self.values.push(measured.energy.kinetic),
                Quantity::Potential => self.values.push(measured.energy.potential),
                Quantity::Energy => self.values.push(measured.energy.total()),
                Quantity::Coordinate(k) => self.values.extend(one(&q, k)),
                Quantity::Velocity(k) => self.values.extend(one(&measured.velocity, k)),
                Quantity::Invariant(k) => self.values.extend(one(&measured.invariants, k)),
                Quantity::Multiplier(k) => self.values.extend(one(&measured.multipliers, k)),
                Quantity::Momentum(k) => self.values.extend(one(&state.p, k)),
                Quantity::Impulse(k) => self.values.extend(one(&state.lambda, k)),
                Quantity::Work(k) => self.values.extend(one(&state.work, k)),
                Quantity::Position(k) => {
                    let nowhere = Vec3::repeat(f64::NAN);
                    self.values.extend(self.sites.get(k).unwrap_or(&nowhere).iter());
                }
                Quantity::SiteVelocity(k) => self.values.extend(self.motion(k).velocity.iter()),
                Quantity::Orientation(k) => self.values.extend(self.motion(k).orientation),
                Quantity::AngularVelocity(k) => {
                    self.values.extend(self.motion(k).angular_velocity.iter());
                }
                Quantity::Extra(first) => {
                    let width = output.only.map_or(output.width(), |only| only + 1);
                    let extras = (first..first + width).flat_map(|k| one(&self.extras, k));
                    self.values.extend(extras);
                }
            }
            if let Some(only) = output.only {
                let value = self.values.get(start + only).copied().unwrap_or(f64::NAN);
                self.values.truncate(start);
                self.values.push(value);
            }
        }
        &self.values
    }

    /// What was taken last.
    pub fn last(&self) -> &[f64] {
        &self.values
    }

    fn motion(&self, site: usize) -> SiteMotion {
        self.motions.get(site).copied().unwrap_or(SiteMotion::UNKNOWN)
    }

    /// Asks the system for what is wanted, and for nothing else.
    fn prepare(&mut self, outputs: &[Output], system: &dyn System, state: &State, measured: &Measurement) {
        let any = |wanted: fn(&Quantity) -> bool| outputs.iter().any(|output| wanted(&output.of));
        if any(|of| matches!(of, Quantity::Position(_))) {
            let count = system.layout().drawing.bases.len();
            self.sites.resize(count, Vec3::zeros());
            system.sites(state.t, &state.q, &mut self.sites);
        }
        let moving = any(|of| {
            matches!(
                of,
                Quantity::SiteVelocity(_) | Quantity::Orientation(_) | Quantity::AngularVelocity(_)
            )
        });
        let extras = any(|of| matches!(of, Quantity::Extra(_)));
        if !(moving || extras) {
            return;
        }
        let scratch = self.scratch.get_or_insert_with(|| system.scratch());
        if moving {
            system.site_motions(state, &measured.velocity, &mut self.motions, scratch);
        }
        if extras {
            system.extras(state, measured, &mut self.extras, scratch);
        }
    }
}

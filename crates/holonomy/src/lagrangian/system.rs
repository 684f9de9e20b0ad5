use super::{FrameFields, Lagrangian, LagrangianWorkspace};
use crate::{
    Vec3, math,
    output::SiteMotion,
    scene::{Poses, Scene},
    solve::Lu,
    system::{Energy, Layout, ManifoldError, Measurement, Scratch, State, System, Undefined, workspace},
};

impl System for Lagrangian {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn measure(&self, state: &State, out: &mut Measurement, scratch: &mut Scratch) {
        let work = workspace::<LagrangianWorkspace>(scratch);
        let State { t, q, p, .. } = state;
        out.velocity.resize(p.len(), 0.0);
        if self.solve_velocity(*t, q, p, &mut out.velocity, work).is_err() {
            out.velocity.fill(f64::NAN);
        }
        self.spread(&out.velocity, &mut work.all);
        let l = &mut work.at.lagrangian;
        let total = match self.mechanics.lagrangian(*t, q, &work.all, l) {
            Ok(()) => out.velocity.iter().zip(p).map(|(v, p)| v * p).sum::<f64>() - l.value,
            Err(_) => f64::NAN,
        };
        out.invariants.clear();
        let memory = &mut l.memory;
        let found = self
            .mechanics
            .invariant(*t, q, &work.all, &mut out.invariants, memory);
        if found.is_err() {
            out.invariants.clear();
            out.invariants.resize(self.mechanics.invariants().len(), f64::NAN);
        }
        out.invariants.extend(self.cyclic.iter().map(|place| p[*place]));
        self.totals.measure(q, p, &mut out.invariants);
        work.all.fill(0.0);
        let potential = match self.mechanics.lagrangian(*t, q, &work.all, l) {
            Ok(()) => -l.value,
            Err(_) => f64::NAN,
        };
        out.energy = Energy {
            kinetic: total - potential,
            potential,
        };
        out.manifold = ManifoldError::default();
        out.constraint = None;
        out.multipliers.clear();
        let m = self.mechanics.constraints();
        if m > 0 {
            let (mut dq, mut dv) = (vec![0.0; q.len()], vec![0.0; p.len()]);
            self.spread(&out.velocity, &mut work.all);
            let found = self.mechanics.constraint(*t, q, &work.all, &mut work.constraint);
            let largest = work
                .constraint
                .value
                .iter()
                .fold(0.0, |m, g| math::larger(m, g.abs()));
            out.constraint = Some(if found.is_ok() { largest } else { f64::NAN });
            match self.accelerate(*t, q, &out.velocity, (&mut dq, &mut dv), work) {
                Ok(()) => out.multipliers.extend_from_slice(&work.unknown[p.len()..]),
                Err(_) => out.multipliers.resize(m, f64::NAN),
            }
        }
    }

    fn velocity(&self, t: f64, q: &[f64], p: &[f64], v: &mut [f64], scratch: &mut Scratch) {
        if self
            .solve_velocity(t, q, p, v, workspace::<LagrangianWorkspace>(scratch))
            .is_err()
        {
            v.fill(f64::NAN);
        }
    }

    fn momentum(&self, t: f64, q: &[f64], v: &[f64], p: &mut [f64], scratch: &mut Scratch) {
        let work = workspace::<LagrangianWorkspace>(scratch);
        let l = &mut work.at.lagrangian;
        match self.mechanics.lagrangian(t, q, self.all(v, &mut work.all), l) {
            Ok(()) => p.iter_mut().zip(&self.free).for_each(|(p, i)| *p = l.v[*i]),
            Err(_) => p.fill(f64::NAN),
        }
    }

    fn rate(&self, t: f64, q: &[f64], v: &[f64], dq: &mut [f64], dv: &mut [f64], scratch: &mut Scratch) {
        let work = workspace::<LagrangianWorkspace>(scratch);
        if self.accelerate(t, q, v, (&mut *dq, &mut *dv), work).is_err() {
            dq.fill(f64::NAN);
            dv.fill(f64::NAN);
        }
    }

    fn powers(&self, _: f64, q: &[f64], v: &[f64], _: &[f64], out: &mut [f64], scratch: &mut Scratch) {
        let work = workspace::<LagrangianWorkspace>(scratch);
        out.fill(0.0);
        if self.is_framed() {
            self.spread(v, &mut work.all);
            work.rates.resize(q.len(), 0.0);
            work.at.frame.velocity(&work.all, &mut work.rates);
            self.sources.add(&work.at, &work.rates, 1.0, out);
        } else {
            self.sources.add(&work.at, v, 1.0, out);
        }
        let lambda = &work.unknown[v.len()..];
        self.sources.add_constraints(lambda, &work.constraint.rate, out);
    }

    fn undefined(&self, t: f64, q: &[f64], v: &[f64], scratch: &mut Scratch) -> Option<Undefined> {
        let (mut dq, mut dv) = (vec![0.0; q.len()], vec![0.0; v.len()]);
        let work = workspace::<LagrangianWorkspace>(scratch);
        self.accelerate(t, q, v, (&mut dq, &mut dv), work).err()
    }

    /// Generalized coordinates have no manifold to leave; what redundant ones conserve, their equations do.
    fn project(&self, _: &mut [f64], _: &mut [f64]) {}

    fn sites(&self, t: f64, q: &[f64], out: &mut [Vec3]) {
        self.place_sites(t, q, out);
    }

    fn site_motions(&self, state: &State, v: &[f64], out: &mut Vec<SiteMotion>, scratch: &mut Scratch) {
        if cfg!(feature = "outputs") {
            let work = workspace::<LagrangianWorkspace>(scratch);
            self.record_motions(state.t, &state.q, v, out, work);
        }
    }

    #[cfg(not(target_arch = "wasm32"))]
    fn kinks(&self) -> Vec<String> {
        vec!["`abs`, `min` or `max`".to_owned(); self.mechanics.kinks()]
    }

    #[cfg(not(target_arch = "wasm32"))]
    fn sides(&self, state: &State, v: &[f64], out: &mut Vec<f64>, scratch: &mut Scratch) {
        let work = workspace::<LagrangianWorkspace>(scratch);
        self.spread(v, &mut work.all);
        out.clear();
        let memory = &mut work.at.lagrangian.memory;
        // What has no value is on no side, and the step there says so.
        if self
            .mechanics
            .sides(state.t, &state.q, &work.all, out, memory)
            .is_err()
        {
            out.clear();
        }
    }

    fn extras(&self, state: &State, measured: &Measurement, out: &mut Vec<f64>, scratch: &mut Scratch) {
        if cfg!(feature = "outputs") {
            let work = workspace::<LagrangianWorkspace>(scratch);
            self.record_extras(state.t, &state.q, &measured.velocity, out, work);
        }
    }

    fn scene(&self) -> Scene {
        self.draw()
    }

    fn poses(&self, state: &State, out: &mut Poses, scratch: &mut Scratch) {
        let work = workspace::<LagrangianWorkspace>(scratch);
        self.pose(state.t, &state.q, &mut work.at.lagrangian.memory, out);
    }

    fn is_canonical(&self) -> bool {
        !self.is_framed() || self.is_square()
    }

    fn canonical(&self, origin: &[f64], q: &[f64], p: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let x = q.iter().zip(origin).map(|(q, o)| q - o).collect();
        let y = match self.is_square() {
            true => self.canonical_momentum(q, p),
            false => p.to_vec(),
        };
        (x, y)
    }

    fn state_from_canonical(&self, origin: &[f64], x: &[f64], y: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let q: Vec<f64> = x.iter().zip(origin).map(|(x, o)| x + o).collect();
        let p = match self.is_square() {
            true => self.frame_momentum(&q, y),
            false => y.to_vec(),
        };
        (q, p)
    }

    fn scratch(&self) -> Scratch {
        Box::new(LagrangianWorkspace::default())
    }
}

impl Lagrangian {
    /// `pᵢ = uᵢᵃ yₐ` from the canonical momenta y.
    fn frame_momentum(&self, q: &[f64], y: &[f64]) -> Vec<f64> {
        let mut frame = FrameFields::default();
        if self.mechanics.frame(q, &mut frame).is_err() {
            return vec![f64::NAN; q.len()];
        }
        let along = |field: &[f64]| field.iter().zip(y).map(|(u, y)| u * y).sum();
        frame.fields.chunks_exact(q.len()).map(along).collect()
    }

    /// The canonical momenta y with `uᵢᵃ yₐ = pᵢ`.
    fn canonical_momentum(&self, q: &[f64], p: &[f64]) -> Vec<f64> {
        let (mut lu, mut momentum, mut frame) = (Lu::default(), p.to_vec(), FrameFields::default());
        let found = self.mechanics.frame(q, &mut frame).is_ok();
        if found {
            lu.reset(q.len()).copy_from_slice(&frame.fields);
        }
        if !(found && lu.solve(&mut momentum)) {
            return vec![f64::NAN; q.len()];
        }
        momentum
    }
}

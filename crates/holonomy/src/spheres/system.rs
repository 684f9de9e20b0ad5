//! A system on (S²)ⁿ as every method sees it.
use super::{Spheres, Workspace, view, view_mut};
use crate::{
    Vec3,
    geometry::s2,
    math,
    output::SiteMotion,
    potential::FaultSlot,
    scene::{Poses, Scene},
    system::{Base, Layout, ManifoldError, Measurement, Scratch, State, System, Undefined, workspace},
};
use std::sync::Arc;

impl System for Spheres {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn faults(&self) -> Vec<Arc<FaultSlot>> {
        self.potentials.iter().filter_map(|v| v.faults()).collect()
    }

    fn measure(&self, state: &State, out: &mut Measurement, scratch: &mut Scratch) {
        let q = view(&state.q);
        out.velocity.resize(state.p.len(), 0.0);
        self.velocity(state.t, &state.q, &state.p, &mut out.velocity, scratch);
        let Workspace {
            inertia,
            first,
            second,
            ..
        } = workspace::<Workspace>(scratch);
        // q̇ᵢ = ωᵢ × qᵢ and Σⱼ Mᵢⱼ q̇ⱼ: right also off the manifold.
        first.clear();
        first.extend(view(&out.velocity).iter().zip(q).map(|(w, q)| w.cross(q)));
        second.resize(q.len(), Vec3::zeros());
        self.inertia.apply(first, second, inertia);
        out.energy.kinetic = 0.5
            * first
                .iter()
                .zip(&*second)
                .map(|(v, flow)| v.dot(flow))
                .sum::<f64>();
        let momentum: Vec3 = q.iter().zip(&*second).map(|(q, flow)| q.cross(flow)).sum();
        out.invariants.clear();
        out.invariants
            .extend(self.axes.iter().map(|axis| momentum.dot(axis)));
        out.energy.potential = self.potential(q, workspace::<Workspace>(scratch));
        let errors = q.iter().map(|q| (1.0 - q.norm_squared()).abs());
        let (sum, max) = errors.fold((0.0, 0.0), |(sum, max), e| (sum + e, math::larger(max, e)));
        out.manifold = ManifoldError {
            mean: sum / self.len().max(1) as f64,
            max,
        };
        out.constraint = self.violation(q);
        out.multipliers.clear();
        if self.held.is_some() {
            let mut rates = std::mem::take(&mut workspace::<Workspace>(scratch).rates);
            rates.iter_mut().for_each(|rate| rate.resize(state.q.len(), 0.0));
            let [dq, dv] = &mut rates;
            let lambda = self.accelerate(state.t, &state.q, &out.velocity, dq, dv, scratch);
            workspace::<Workspace>(scratch).rates = rates;
            out.multipliers
                .extend(lambda.iter().flat_map(|lambda| lambda.iter()));
        }
    }

    fn velocity(&self, _t: f64, q: &[f64], p: &[f64], v: &mut [f64], scratch: &mut Scratch) {
        v.copy_from_slice(p);
        let v = view_mut(v);
        if !self
            .inertia
            .solve_angular(view(q), v, &mut workspace::<Workspace>(scratch).inertia)
        {
            v.fill(Vec3::repeat(f64::NAN));
        }
    }

    fn momentum(&self, _t: f64, q: &[f64], v: &[f64], p: &mut [f64], scratch: &mut Scratch) {
        let (q, omega, pi) = (view(q), view(v), view_mut(p));
        let work = workspace::<Workspace>(scratch);
        // (2.11) applied to ω: the off-diagonal part is −qᵢ × Σ_{j≠i} Mᵢⱼ (qⱼ × ωⱼ).
        work.first.clear();
        work.first.extend(q.iter().zip(omega).map(|(q, w)| q.cross(w)));
        self.inertia.apply_coupling(&work.first, pi, &mut work.inertia);
        for i in 0..self.len() {
            pi[i] = omega[i] * self.inertia.diagonal(i) - q[i].cross(&pi[i]);
        }
    }

    fn rate(&self, t: f64, q: &[f64], v: &[f64], dq: &mut [f64], dv: &mut [f64], scratch: &mut Scratch) {
        self.accelerate(t, q, v, dq, dv, scratch);
    }

    fn powers(&self, t: f64, q: &[f64], v: &[f64], _: &[f64], out: &mut [f64], scratch: &mut Scratch) {
        out.fill(0.0);
        if self.forces.is_empty() {
            return;
        }
        let torques = &mut workspace::<Workspace>(scratch).torques;
        self.torques(t, view(q), view(v), false, torques);
        for (source, body, torque) in &torques.each {
            out[*source] += torque.dot(&view(v)[*body]);
        }
    }

    fn project(&self, q: &mut [f64], v: &mut [f64]) {
        for (q, omega) in view_mut(q).iter_mut().zip(view_mut(v)) {
            *q = s2::normalised(&q.normalize());
            *omega = s2::tangent(q, omega);
        }
        self.close(view_mut(q), view_mut(v));
    }

    fn sites(&self, _: f64, q: &[f64], out: &mut [Vec3]) {
        self.tips(view(q), out);
    }

    /// Tips are sums of links: their velocities are the sums of what `l ω × q` of the links is.
    fn site_motions(&self, state: &State, v: &[f64], out: &mut Vec<SiteMotion>, _: &mut Scratch) {
        out.clear();
        for (body, (q, omega)) in self.bodies.iter().zip(view(&state.q).iter().zip(view(v))) {
            let base = match body.base {
                Base::Fixed(_) => Vec3::zeros(),
                Base::Site(parent) => out[parent].velocity,
            };
            out.push(SiteMotion {
                velocity: base + omega.cross(q) * body.length,
                ..SiteMotion::UNKNOWN
            });
        }
    }

    fn extras(&self, state: &State, measured: &Measurement, out: &mut Vec<f64>, scratch: &mut Scratch) {
        if cfg!(feature = "outputs") {
            self.record_tensions(state, measured, out, scratch);
        }
    }

    #[cfg(not(target_arch = "wasm32"))]
    fn kinks(&self) -> Vec<String> {
        self.kink_names()
    }

    #[cfg(not(target_arch = "wasm32"))]
    fn sides(&self, state: &State, v: &[f64], out: &mut Vec<f64>, _: &mut Scratch) {
        self.kink_sides(state.t, view(&state.q), view(v), out);
    }

    fn scene(&self) -> Scene {
        self.shapes()
    }

    fn poses(&self, state: &State, out: &mut Poses, _: &mut Scratch) {
        self.pose(view(&state.q), out);
    }

    fn is_canonical(&self) -> bool {
        self.held.is_none()
    }

    /// Central projection onto the tangent plane: `q = u/|u|`, `u = qₒ + x₁e₁ + x₂e₂`, with the
    /// covector `π × q` pulled back.
    fn canonical(&self, origin: &[f64], q: &[f64], p: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let (mut x, mut y) = (Vec::new(), Vec::new());
        for ((origin, q), pi) in view(origin).iter().zip(view(q)).zip(view(p)) {
            let basis = s2::tangent_basis(origin);
            let length = 1.0 / q.dot(origin);
            x.extend((basis.tr_mul(q) * length).iter());
            // ∂q/∂x = (I − qqᵀ) T / |u|, and π × q is perpendicular to q.
            y.extend((basis.tr_mul(&pi.cross(q)) / length).iter());
        }
        (x, y)
    }

    fn state_from_canonical(&self, origin: &[f64], x: &[f64], y: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let (mut all_q, mut all_p) = (Vec::new(), Vec::new());
        for ((origin, x), y) in view(origin).iter().zip(x.chunks_exact(2)).zip(y.chunks_exact(2)) {
            let basis = s2::tangent_basis(origin);
            let u = origin + basis * nalgebra::Vector2::new(x[0], x[1]);
            let (length, q) = (u.norm(), u.normalize());
            // The covector a ⟂ q with Tᵀa = |u| y: start from T|u|y and add what makes it so along qₒ.
            let flat = basis * nalgebra::Vector2::new(y[0], y[1]) * length;
            let covector = flat - origin * (flat.dot(&q) / origin.dot(&q));
            all_q.extend(q.iter());
            all_p.extend(q.cross(&covector).iter());
        }
        (all_q, all_p)
    }

    fn undefined(&self, _t: f64, q: &[f64], _v: &[f64], scratch: &mut Scratch) -> Option<Undefined> {
        self.undefined_at(view(q), workspace::<Workspace>(scratch))
    }

    fn scratch(&self) -> Scratch {
        Box::new(Workspace::default())
    }
}

impl Spheres {
    /// [`System::rate`], and λ where a tip is held.
    fn accelerate(
        &self,
        t: f64,
        q: &[f64],
        v: &[f64],
        dq: &mut [f64],
        dv: &mut [f64],
        scratch: &mut Scratch,
    ) -> Option<Vec3> {
        let (q, omega, dq, domega) = (view(q), view(v), view_mut(dq), view_mut(dv));
        let work = workspace::<Workspace>(scratch);
        self.gradient(q, dq, work);
        work.second.clear();
        work.second
            .extend(q.iter().zip(omega).map(|(q, w)| q * w.norm_squared()));
        self.inertia
            .apply_coupling(&work.second, domega, &mut work.inertia);
        for i in 0..self.len() {
            domega[i] = q[i].cross(&(domega[i] - dq[i]));
            dq[i] = omega[i].cross(&q[i]);
        }
        if !self.forces.is_empty() {
            self.torques(t, q, omega, false, &mut work.torques);
            for (_, body, torque) in &work.torques.each {
                domega[*body] += torque;
            }
        }
        if !self.inertia.solve_angular(q, domega, &mut work.inertia) {
            domega.fill(Vec3::repeat(f64::NAN));
        }
        self.react(q, omega, domega, work)
    }
}

//! A tree as a system: `q̇ = v`, for a ball joint `q̇ = ½ q (0, ω)`.
use super::{
    ConstraintRows, Dynamics, JointKind, MinNorm, Moving, Sight, Tree, answers::Answers, invariants,
};
use crate::{
    Vec3,
    geometry::{se3::Wrench, so3},
    math,
    output::SiteMotion,
    potential::FaultSlot,
    scene::{Poses, Scene},
    system::{Energy, Layout, ManifoldError, Measurement, Scratch, State, System, Undefined, workspace},
};
use std::sync::Arc;

/// Work space of a [`Tree`].
#[derive(Clone, Debug, Default)]
pub(super) struct TreeWorkspace {
    pub(super) dynamics: Dynamics,
    pub(super) q: Vec<f64>,
    p: Vec<f64>,
    pub(super) rows: ConstraintRows,
    pub(super) schur: MinNorm,
    pub(super) lambda: Vec<f64>,
    pub(super) column: Vec<f64>,
    pub(super) columns: Vec<f64>,
    powers: Vec<f64>,
    pub(super) answers: Answers,
}

impl TreeWorkspace {
    /// Places the tree at q, with driven joints where they are at time t and moving at their rates.
    pub(super) fn place(&mut self, tree: &Tree, t: f64, q: &[f64]) {
        self.q.clear();
        self.q.extend_from_slice(q);
        tree.drive(t, &mut self.q);
        tree.drive_rates(t, &mut self.dynamics.driven);
        self.dynamics.kinematics.place(tree, &self.q);
    }

    pub(super) fn set_moving(&mut self, tree: &Tree, v: &[f64]) {
        let Dynamics {
            kinematics, driven, ..
        } = &mut self.dynamics;
        kinematics.set_moving(tree, v, driven);
    }
}

impl TreeWorkspace {
    /// Accelerations of a placed and moving tree, with multipliers in `lambda`.
    pub(super) fn accelerate(&mut self, tree: &Tree, t: f64, v: &[f64], dv: &mut [f64]) {
        if self.answer(tree, t, v).is_err() {
            self.lambda.clear();
            self.lambda.resize(tree.constraints(), f64::NAN);
            return dv.fill(f64::NAN);
        }
        let Dynamics {
            kinematics, loads, ..
        } = &mut self.dynamics;
        tree.load(t, kinematics, loads);
        tree.efforts(t, &self.q, v, 1.0, loads);
        let sight = Sight {
            t,
            q: &self.q,
            v,
            kinematics,
            multipliers: &self.answers.multipliers,
        };
        tree.feed_back(&sight, 1.0, loads);
        match self.dynamics.factorise(tree) {
            Ok(()) => {
                self.dynamics.acceleration(tree, t, dv);
                self.constrain_acceleration(tree, t, v, dv);
            }
            Err(_) => dv.fill(f64::NAN),
        }
    }

    /// Adds what the constraints do: `G M⁻¹ Gᵀ λ = g̈`, `v̇ −= M⁻¹ Gᵀ λ`.
    fn constrain_acceleration(&mut self, tree: &Tree, t: f64, v: &[f64], dv: &mut [f64]) {
        if tree.constraints() == 0 {
            return;
        }
        self.hold(tree, t, v, dv);
        for (k, lambda) in self.lambda.iter().enumerate() {
            for (dv, x) in dv.iter_mut().zip(&self.columns[k * v.len()..(k + 1) * v.len()]) {
                *dv -= lambda * x;
            }
        }
    }

    /// Finds the multipliers that hold back accelerations.
    pub(super) fn hold(&mut self, tree: &Tree, t: f64, v: &[f64], dv: &[f64]) {
        let (m, n) = (tree.constraints(), dv.len());
        let at = Moving {
            t,
            q: &self.q,
            kinematics: &self.dynamics.kinematics,
            accelerations: Some((self.dynamics.motion(), dv)),
        };
        tree.constrain(&at, &mut self.rows);
        tree.release_idle(v, &mut self.rows);
        self.columns.clear();
        for k in 0..m {
            self.column.resize(n, 0.0);
            let row = &self.rows.jacobian[k * n..(k + 1) * n];
            self.dynamics.solve_mass(tree, row, &mut self.column);
            self.columns.extend_from_slice(&self.column);
        }
        self.solve_multipliers();
        self.release_pushing(tree);
    }
}

impl TreeWorkspace {
    /// `G M⁻¹ Gᵀ λ = g̈`.
    pub(super) fn solve_multipliers(&mut self) {
        let m = self.rows.value.len();
        let n = self.columns.len() / m;
        let dot = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
        let schur = self.schur.reset(m);
        for k in 0..m {
            for l in 0..m {
                let row = &self.rows.jacobian[k * n..(k + 1) * n];
                schur[k * m + l] = dot(row, &self.columns[l * n..(l + 1) * n]);
            }
        }
        self.schur.factorise();
        self.lambda.clone_from(&self.rows.second);
        self.schur.solve(&mut self.lambda);
    }
}

impl System for Tree {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn faults(&self) -> Vec<Arc<FaultSlot>> {
        self.potentials.iter().filter_map(|v| v.faults()).collect()
    }

    fn measure(&self, state: &State, out: &mut Measurement, scratch: &mut Scratch) {
        out.velocity.resize(self.velocities, 0.0);
        self.velocity(state.t, &state.q, &state.p, &mut out.velocity, scratch);
        let work = workspace::<TreeWorkspace>(scratch);
        work.set_moving(self, &out.velocity);
        work.p.resize(self.velocities, 0.0);
        let kinetic = work.dynamics.momentum(self, &out.velocity, &mut work.p);
        let Dynamics {
            kinematics, loads, ..
        } = &mut work.dynamics;
        out.energy = Energy {
            kinetic,
            potential: self.potential_energy(&work.q, kinematics, loads),
        };
        out.invariants.clear();
        if !self.conserved.is_empty() {
            let mut total: Wrench = (self.roots.iter())
                .map(|root| work.dynamics.carried_by(*root))
                .sum();
            if !self.rotors.is_empty() {
                let frames = &work.dynamics.kinematics.frames;
                total += invariants::rotor_momentum(self, frames, &out.velocity);
            }
            out.invariants
                .extend(self.conserved.iter().map(|momentum| momentum.value(&total)));
        }
        out.manifold = ManifoldError::default();
        let mut balls = 0;
        for node in self.nodes.iter().filter(|node| node.kind == JointKind::Ball) {
            let mut q = [0.0; 4];
            q.copy_from_slice(&state.q[node.q..node.q + 4]);
            let error = so3::length_defect(&q).abs();
            out.manifold.max = math::larger(out.manifold.max, error);
            out.manifold.mean += error;
            balls += 1;
        }
        out.manifold.mean /= f64::from(balls.max(1));
        out.constraint = (self.constraints() > 0).then(|| {
            let TreeWorkspace {
                dynamics, q, rows, ..
            } = work;
            let at = Moving {
                t: state.t,
                q,
                kinematics: &dynamics.kinematics,
                accelerations: None,
            };
            self.constrain(&at, rows);
            for row in self.slip_rows() {
                rows.value[row.row] = self.slip(&dynamics.kinematics, row).0;
            }
            self.release_slack(rows);
            rows.value.iter().fold(0.0, |m, g| math::larger(m, g.abs()))
        });
        out.multipliers.clear();
        if out.constraint.is_some() {
            let mut accelerations = std::mem::take(&mut work.p);
            work.accelerate(self, state.t, &out.velocity, &mut accelerations);
            work.p = accelerations;
            out.multipliers.extend_from_slice(&work.lambda);
        }
    }

    fn velocity(&self, t: f64, q: &[f64], p: &[f64], v: &mut [f64], scratch: &mut Scratch) {
        let work = workspace::<TreeWorkspace>(scratch);
        work.place(self, t, q);
        match work.dynamics.factorise(self) {
            Ok(()) => work.dynamics.velocity(self, p, v),
            Err(_) => v.fill(f64::NAN),
        }
    }

    fn momentum(&self, t: f64, q: &[f64], v: &[f64], p: &mut [f64], scratch: &mut Scratch) {
        let work = workspace::<TreeWorkspace>(scratch);
        work.place(self, t, q);
        work.set_moving(self, v);
        work.dynamics.momentum(self, v, p);
    }

    fn rate(&self, t: f64, q: &[f64], v: &[f64], dq: &mut [f64], dv: &mut [f64], scratch: &mut Scratch) {
        let work = workspace::<TreeWorkspace>(scratch);
        work.place(self, t, q);
        work.set_moving(self, v);
        self.coordinate_rates(q, v, &work.dynamics.driven, dq);
        work.accelerate(self, t, v, dv);
    }

    fn powers(&self, t: f64, _: &[f64], v: &[f64], dv: &[f64], out: &mut [f64], scratch: &mut Scratch) {
        let work = workspace::<TreeWorkspace>(scratch);
        let TreeWorkspace {
            dynamics,
            q,
            rows,
            lambda,
            powers,
            ..
        } = work;
        self.source_powers(t, (q, v, dv), dynamics, (rows, lambda), powers);
        out.copy_from_slice(powers);
    }

    fn project(&self, q: &mut [f64], _: &mut [f64]) {
        for node in self.nodes.iter().filter(|node| node.kind == JointKind::Ball) {
            let q = &mut q[node.q..node.q + 4];
            let length = q.iter().map(|x| x * x).sum::<f64>().sqrt();
            let unit = so3::normalised([q[0] / length, q[1] / length, q[2] / length, q[3] / length]);
            q.copy_from_slice(&unit);
        }
    }

    /// The sites, then the origins of the bodies' joints.
    fn sites(&self, _: f64, q: &[f64], out: &mut [Vec3]) {
        let mut kinematics = super::Kinematics::default();
        kinematics.pose(self, q);
        let (sites, origins) = out.split_at_mut(self.sites.len());
        for (out, site) in sites.iter_mut().zip(&self.sites) {
            *out = kinematics.site(site);
        }
        for (out, node) in origins.iter_mut().zip(&self.body_nodes) {
            *out = kinematics.frames[*node].origin;
        }
    }

    fn site_motions(&self, state: &State, v: &[f64], out: &mut Vec<SiteMotion>, scratch: &mut Scratch) {
        if cfg!(feature = "outputs") {
            self.record_motions(state, v, out, workspace::<TreeWorkspace>(scratch));
        }
    }

    fn extras(&self, state: &State, measured: &Measurement, out: &mut Vec<f64>, scratch: &mut Scratch) {
        if cfg!(feature = "outputs") {
            self.record_extras(state, measured, out, workspace::<TreeWorkspace>(scratch));
        }
    }

    #[cfg(not(target_arch = "wasm32"))]
    fn kinks(&self) -> Vec<String> {
        self.kink_names()
    }

    #[cfg(not(target_arch = "wasm32"))]
    fn sides(&self, state: &State, v: &[f64], out: &mut Vec<f64>, scratch: &mut Scratch) {
        self.kink_sides(state, v, out, workspace::<TreeWorkspace>(scratch));
    }

    fn scene(&self) -> Scene {
        self.shapes()
    }

    fn poses(&self, state: &State, out: &mut Poses, scratch: &mut Scratch) {
        let work = workspace::<TreeWorkspace>(scratch);
        work.q.clear();
        work.q.extend_from_slice(&state.q);
        self.drive(state.t, &mut work.q);
        work.dynamics.kinematics.pose(self, &work.q);
        self.pose_scene(&work.dynamics.kinematics, out);
    }

    /// For a ball joint `Q = Qₒ (c, x/2)`, `c² + x²/4 = 1`, and `y = (c + x̂/2 + x xᵀ/4c) p` from `p·ζ = y·δx`.
    fn canonical(&self, origin: &[f64], q: &[f64], p: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let (mut x, mut y) = (Vec::new(), Vec::new());
        for node in &self.nodes {
            let (q, from) = (&q[node.q..], &origin[node.q..]);
            if node.kind == JointKind::Ball {
                let turn = so3::product(&[from[0], -from[1], -from[2], -from[3]], q);
                // Both signs of a quaternion are the same rotation.
                let sign = 1.0_f64.copysign(turn[0]);
                let (c, u) = (sign * turn[0], Vec3::new(turn[1], turn[2], turn[3]) * sign);
                let p = Vec3::new(p[node.v], p[node.v + 1], p[node.v + 2]);
                x.extend((2.0 * u).iter());
                y.extend((p * c + u.cross(&p) + u * (u.dot(&p) / c)).iter());
            } else {
                x.extend((0..node.dofs).map(|k| q[k] - from[k]));
                y.extend_from_slice(&p[node.v..node.v + node.dofs]);
            }
        }
        (x, y)
    }

    fn state_from_canonical(&self, origin: &[f64], x: &[f64], y: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let (mut q, mut p) = (origin.to_vec(), y.to_vec());
        for node in &self.nodes {
            let x = &x[node.v..node.v + node.dofs];
            if node.kind == JointKind::Ball {
                let u = Vec3::new(x[0], x[1], x[2]) * 0.5;
                let c = (1.0 - u.norm_squared()).sqrt();
                let turned = so3::product(&origin[node.q..node.q + 4], &[c, u.x, u.y, u.z]);
                q[node.q..node.q + 4].copy_from_slice(&so3::normalised(turned));
                let y = Vec3::new(y[node.v], y[node.v + 1], y[node.v + 2]);
                p[node.v..node.v + 3].copy_from_slice((y * c - u.cross(&y)).as_slice());
            } else {
                for k in 0..node.dofs {
                    q[node.q + k] += x[k];
                }
            }
        }
        (q, p)
    }

    fn undefined(&self, t: f64, q: &[f64], v: &[f64], scratch: &mut Scratch) -> Option<Undefined> {
        if let Some(undefined) = self.undefined_drive(t) {
            return Some(undefined);
        }
        let work = workspace::<TreeWorkspace>(scratch);
        work.place(self, t, q);
        work.set_moving(self, v);
        let jammed = work.answer(self, t, v).err();
        let sight = Sight {
            t,
            q: &work.q,
            v,
            kinematics: &work.dynamics.kinematics,
            multipliers: &work.answers.multipliers,
        };
        let undefined = self.undefined_at(&sight);
        undefined.or_else(|| jammed.map(|force| self.jammed(t, force)))
    }

    fn unmet(&self, state: &State, measured: &Measurement) -> Option<(usize, f64)> {
        self.unmet_constraint(state, measured)
    }

    fn scratch(&self) -> Scratch {
        Box::new(TreeWorkspace::default())
    }
}

impl Tree {
    fn coordinate_rates(&self, q: &[f64], v: &[f64], driven: &[f64], dq: &mut [f64]) {
        for node in &self.nodes {
            let v = &v[node.v..node.v + node.dofs];
            match node.kind {
                JointKind::Fixed => {}
                JointKind::Screw { .. } | JointKind::Translation => {
                    dq[node.q..node.q + node.dofs].copy_from_slice(v);
                }
                JointKind::Ball => {
                    let turn = [0.0, 0.5 * v[0], 0.5 * v[1], 0.5 * v[2]];
                    dq[node.q..node.q + 4].copy_from_slice(&so3::product(&q[node.q..node.q + 4], &turn));
                }
                JointKind::Driven { motion, .. } => dq[node.q] = driven[motion],
            }
        }
    }
}

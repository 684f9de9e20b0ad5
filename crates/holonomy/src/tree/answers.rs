//! Multipliers that forces see: constraints answer to a force that depends on how they push.
//!
//! ```text
//! λ = λ₀ + L f,   f = f(t, q, v, λ)            where the tree is and as it moves, in no step
//! λ₀                                           without those forces, `S λ₀ = g̈`: see `system.rs`
//! L = S⁻¹ G M⁻¹ C,   S = G M⁻¹ Gᵀ              the answer to a unit of each number of f; C is what it acts on
//! (1 − F L) δf = f(λ₀ + L f) − f,   F = ∂f/∂λ  Newton, and one correction where formulas are linear in λ
//! ```
//! So `f(t, q, v)` is a force as any other, in a step of every method: a variational one asks for it in its middle, at
//! `(q̄, v)`, as for all forces, which is of second order and symmetric. Its λ is that of the motion, to the order of the
//! method that of the step. Of several solutions it is the one that weak forces lead to: with `s f` for f and s from 0 to
//! 1 the matrix stays regular, and its determinant positive. Where it does not, as with friction that jams, there is none.
//!
//! ```text
//! δf = (1 − F L)⁻¹ (∂f/∂x δx + F S⁻¹ G M⁻¹ δτ)         in Newton's method of a step; τ of dampers and friction in joints
//! ```
//! It leaves out how S, G and M turn, and what else λ₀ sees: corrections shrink by the step, not by their square.
use super::{
    ConstraintRows, Dynamics, Looking, Moving, Sight, Tree, TreeError,
    error::SeenFault,
    factors::LowRank,
    feedback::{BoundForce, Pull},
    seen::{BoundSeen, Seen},
    system::TreeWorkspace,
};
use crate::{
    Vec3,
    solve::{Lu, QUADRATIC},
};

/// Corrections of f after which there is no solution.
const MOST: usize = 40;

/// Multipliers that forces see, and work space.
#[derive(Clone, Debug, Default)]
pub(super) struct Answers {
    /// λ; empty where no force sees it.
    pub(super) multipliers: Vec<f64>,
    /// λ₀.
    alone: Vec<f64>,
    /// Cᵀ, row by row.
    pulls: ConstraintRows,
    /// L, column by column.
    answers: Vec<f64>,
    /// f, f(λ) and F.
    numbers: Vec<f64>,
    wanted: Vec<f64>,
    slopes: Vec<f64>,
    correction: Vec<f64>,
    lu: Lu,
    free: Vec<f64>,
    looking: Looking,
}

/// How the numbers of all forces that see multipliers change together.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mixing {
    /// `(1 − F L)⁻¹`, row by row.
    inverse: Vec<f64>,
    /// `(1 − F L)⁻¹ F S⁻¹ G M⁻¹ ∂τ/∂v`, row by row.
    by_joints: Vec<f64>,
    count: usize,
    column: Vec<f64>,
    held: Vec<f64>,
}

/// Multipliers that forces see in a step, and work space.
#[derive(Clone, Debug, Default)]
pub(crate) struct Foresight {
    work: TreeWorkspace,
    mixing: Mixing,
    /// The force that jams, if one does.
    pub(crate) jammed: Option<usize>,
}

impl Tree {
    /// Whether forces see multipliers.
    pub fn sees_multipliers(&self) -> bool {
        self.feedback.iter().any(|force| force.sees_multipliers)
    }

    fn late(&self) -> impl Iterator<Item = (usize, &BoundForce)> {
        let all = self.feedback.iter().enumerate();
        all.filter(|(_, force)| force.sees_multipliers)
    }

    /// Pulleys that ropes run over, by name.
    pub(super) fn contacts(&self) -> impl Iterator<Item = (&str, BoundSeen)> {
        let mut next = 0;
        let all = self.constraints.iter().enumerate();
        all.flat_map(move |(constraint, (_, kind))| {
            let row = next;
            next += kind.rows();
            let pulleys = kind.as_route().into_iter().flat_map(|route| route.pulleys());
            pulleys.map(move |(stop, pulley)| {
                let contact = BoundSeen::Contact {
                    constraint,
                    row,
                    stop,
                };
                (pulley.name.as_str(), contact)
            })
        })
    }

    /// Whether there is what a force sees of multipliers.
    pub(super) fn check_seen(&self, force: &str, sees: &[Seen]) -> Result<(), TreeError> {
        let refuse = |fault| {
            let force = force.to_owned();
            Err(TreeError::Seen { force, fault })
        };
        for seen in sees {
            let (there, fault) = match seen {
                Seen::Multiplier(name) => {
                    let there = self.multiplier_names().any(|own| own == *name);
                    (there, SeenFault::NoMultiplier(name.clone()))
                }
                Seen::Contact(name) => {
                    let there = self.contacts().any(|(own, _)| own == name);
                    (there, SeenFault::NoPulley(name.clone()))
                }
                _ => continue,
            };
            if !there {
                return refuse(fault);
            }
            if self.may_go_slack() {
                return refuse(SeenFault::Slack);
            }
        }
        Ok(())
    }

    /// The force of a rope on a pulley, for tensions of its equations.
    pub(super) fn contact_seen(
        &self,
        constraint: usize,
        stop: usize,
        tension: impl Fn(usize) -> f64,
        sight: &Sight<'_>,
    ) -> Vec3 {
        let at = Moving {
            t: sight.t,
            q: sight.q,
            kinematics: sight.kinematics,
            accelerations: None,
        };
        let route = self.constraints[constraint].1.as_route();
        route.map_or_else(Vec3::zeros, |route| self.contact_at(&at, route, stop, tension))
    }

    /// How what is seen changes with each multiplier: equations and slopes.
    pub(super) fn by_multipliers(
        &self,
        seen: &BoundSeen,
        sight: &Sight<'_>,
        mut found: impl FnMut(usize, f64),
    ) {
        match *seen {
            BoundSeen::Multiplier { row } => found(row, 1.0),
            BoundSeen::Contact {
                constraint,
                row,
                stop,
            } => {
                let force = self.contact_seen(constraint, stop, |part| sight.multipliers[row + part], sight);
                // Where nothing presses, its size has a kink.
                let along = force.try_normalize(0.0).unwrap_or_else(Vec3::zeros);
                for part in 0..self.constraints[constraint].1.rows() {
                    let unit = |other| f64::from(u8::from(other == part));
                    let slope = self.contact_seen(constraint, stop, unit, sight);
                    found(row + part, along.dot(&slope));
                }
            }
            _ => {}
        }
    }

    /// How one number of all forces that see multipliers changes as they answer to each other.
    pub(super) fn couple_answers(
        &self,
        sight: &Sight<'_>,
        reach: f64,
        (mixing, row): (&Mixing, usize),
        looking: &mut Looking,
        out: &mut LowRank<12>,
    ) {
        let shares = &mixing.inverse[row * mixing.count..(row + 1) * mixing.count];
        let mut next = 0;
        for (_, force) in self.late() {
            for number in 0..force.count() {
                force.couple(self, number, sight, (reach, shares[next]), looking, out);
                next += 1;
            }
        }
        for (v, value) in mixing.joints_of(row).iter().enumerate() {
            if *value != 0.0 {
                out.joint_row(v, 0, *value, true);
            }
        }
    }
}

impl BoundSeen {
    pub(super) fn is_multiplier(&self) -> bool {
        matches!(self, Self::Multiplier { .. } | Self::Contact { .. })
    }
}

impl TreeWorkspace {
    /// Finds the multipliers that forces see, of a tree that is placed and moves; the force that jams is the error. Where
    /// something has no value they are no numbers.
    pub(super) fn answer(&mut self, tree: &Tree, t: f64, v: &[f64]) -> Result<(), usize> {
        self.answers.multipliers.clear();
        if !tree.sees_multipliers() {
            return Ok(());
        }
        let mut own = std::mem::take(&mut self.answers);
        let found = own.find(self, tree, t, v);
        self.answers = own;
        found
    }

    /// M, and λ without the forces that see it.
    fn hold_alone(&mut self, tree: &Tree, t: f64, v: &[f64], free: &mut Vec<f64>) -> Result<(), usize> {
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
            multipliers: &[],
        };
        tree.feed_back_some(&sight, 1.0, false, loads);
        self.dynamics.factorise(tree)?;
        free.resize(v.len(), 0.0);
        self.dynamics.acceleration(tree, t, free);
        self.hold(tree, t, v, free);
        Ok(())
    }
}

impl Answers {
    fn find(&mut self, work: &mut TreeWorkspace, tree: &Tree, t: f64, v: &[f64]) -> Result<(), usize> {
        let m = tree.constraints();
        let mut free = std::mem::take(&mut self.free);
        let held = work.hold_alone(tree, t, v, &mut free);
        self.free = free;
        if held.is_err() {
            self.multipliers.resize(m, f64::NAN);
            return Ok(());
        }
        self.alone.clone_from(&work.lambda);
        self.multipliers.clone_from(&work.lambda);
        self.unit_answers(work, tree, t, v.len());
        self.ask(work, tree, t, v);
        self.numbers.clone_from(&self.wanted);
        let mut before = f64::INFINITY;
        for _ in 0..MOST {
            self.sum();
            self.ask(work, tree, t, v);
            let missing = self.wanted.iter().zip(&self.numbers);
            let missing: f64 = missing.map(|(wanted, f)| (wanted - f).abs()).sum();
            if !missing.is_finite() {
                return Ok(());
            }
            if missing > before {
                // Too far: half of it.
                for (f, x) in self.numbers.iter_mut().zip(&mut self.correction) {
                    *x *= 0.5;
                    *f -= *x;
                }
                continue;
            }
            before = missing;
            if !self.factorise() {
                return Err(self.strongest(tree));
            }
            self.correction.clear();
            let missing = self.wanted.iter().zip(&self.numbers);
            self.correction.extend(missing.map(|(wanted, f)| wanted - f));
            self.lu.substitute(&mut self.correction);
            let mut small = true;
            for (j, (f, x)) in self.numbers.iter_mut().zip(&self.correction).enumerate() {
                *f += x;
                let terms = self.slopes[j * m..(j + 1) * m].iter().zip(&self.multipliers);
                let size = f.abs() + terms.map(|(slope, lambda)| (slope * lambda).abs()).sum::<f64>();
                small &= x.abs() <= QUADRATIC * size;
            }
            if small {
                self.sum();
                return match self.lu.is_positive() {
                    true => Ok(()),
                    false => Err(self.strongest(tree)),
                };
            }
        }
        Err(self.strongest(tree))
    }

    /// L.
    fn unit_answers(&mut self, work: &mut TreeWorkspace, tree: &Tree, t: f64, n: usize) {
        let count: usize = tree.late().map(|(_, force)| force.count()).sum();
        let m = tree.constraints();
        let pulls = &mut self.pulls;
        pulls.fit(count, n, tree.motions.len());
        let at = Moving {
            t,
            q: &work.q,
            kinematics: &work.dynamics.kinematics,
            accelerations: None,
        };
        let mut row = 0;
        for (_, force) in tree.late() {
            for number in 0..force.count() {
                match force.pull(tree, number, at.kinematics) {
                    Pull::Joint(v) => pulls.jacobian[row * n + v] = 1.0,
                    Pull::Nodes(each) => {
                        for (node, wrench) in each.into_iter().flatten() {
                            tree.pull_wrench(&at, node, &wrench, row, pulls);
                        }
                    }
                }
                row += 1;
            }
        }
        self.answers.clear();
        work.column.resize(n, 0.0);
        for pull in self.pulls.jacobian.chunks_exact(n) {
            work.dynamics.solve_mass(tree, pull, &mut work.column);
            let first = self.answers.len();
            let rows = work.rows.jacobian.chunks_exact(n);
            let column = &work.column;
            self.answers
                .extend(rows.map(|row| row.iter().zip(column).map(|(g, x)| g * x).sum::<f64>()));
            work.schur.solve(&mut self.answers[first..]);
        }
        debug_assert_eq!(self.answers.len(), count * m);
    }

    /// f(λ) and F.
    fn ask(&mut self, work: &TreeWorkspace, tree: &Tree, t: f64, v: &[f64]) {
        let m = self.multipliers.len();
        let sight = Sight {
            t,
            q: &work.q,
            v,
            kinematics: &work.dynamics.kinematics,
            multipliers: &self.multipliers,
        };
        self.wanted.clear();
        self.slopes.clear();
        for (_, force) in tree.late() {
            let first = self.slopes.len();
            self.slopes.resize(first + force.count() * m, 0.0);
            let slopes = &mut self.slopes[first..];
            force.answer(tree, &sight, &mut self.looking, &mut self.wanted, slopes);
        }
    }

    /// `λ = λ₀ + L f`.
    fn sum(&mut self) {
        self.multipliers.clone_from(&self.alone);
        let m = self.alone.len();
        for (f, answer) in self.numbers.iter().zip(self.answers.chunks_exact(m)) {
            for (lambda, x) in self.multipliers.iter_mut().zip(answer) {
                *lambda += f * x;
            }
        }
    }

    /// `F L` of two numbers.
    fn gain(&self, i: usize, j: usize) -> f64 {
        let m = self.alone.len();
        let (slopes, answers) = (
            &self.slopes[i * m..(i + 1) * m],
            &self.answers[j * m..(j + 1) * m],
        );
        slopes.iter().zip(answers).map(|(f, l)| f * l).sum()
    }

    /// `1 − F L`.
    fn factorise(&mut self) -> bool {
        let count = self.numbers.len();
        let mut lu = std::mem::take(&mut self.lu);
        for (k, x) in lu.reset(count).iter_mut().enumerate() {
            let (i, j) = (k / count, k % count);
            *x = f64::from(u8::from(i == j)) - self.gain(i, j);
        }
        self.lu = lu;
        self.lu.factorise()
    }

    /// The force whose multipliers answer most to it.
    fn strongest(&self, tree: &Tree) -> usize {
        let mut next = 0;
        let gains = tree.late().map(|(number, force)| {
            let own = next..next + force.count();
            next = own.end;
            (number, own.map(|j| self.gain(j, j)).fold(f64::MIN, f64::max))
        });
        gains
            .max_by(|a, b| a.1.total_cmp(&b.1))
            .map_or(0, |(number, _)| number)
    }
}

impl Mixing {
    fn joints_of(&self, row: usize) -> &[f64] {
        let n = self.by_joints.len() / self.count.max(1);
        &self.by_joints[row * n..(row + 1) * n]
    }
}

impl Foresight {
    /// Multipliers that forces see at a place and velocities; not numbers where there are none.
    pub(crate) fn look(&mut self, tree: &Tree, t: f64, q: &[f64], v: &[f64]) -> &[f64] {
        let work = &mut self.work;
        work.place(tree, t, q);
        work.set_moving(tree, v);
        self.jammed = work.answer(tree, t, v).err();
        if self.jammed.is_some() {
            work.answers.multipliers.fill(f64::NAN);
        }
        &work.answers.multipliers
    }

    /// How numbers change together, where that was last computed.
    pub(crate) fn mixing(&self) -> &Mixing {
        &self.mixing
    }

    /// Computes how numbers change together, where it was last looked.
    pub(crate) fn mix(&mut self, tree: &Tree) {
        let Self { work, mixing, .. } = self;
        let answers = &work.answers;
        let (count, m, n) = (answers.numbers.len(), answers.alone.len(), tree.velocities);
        let Mixing {
            inverse,
            by_joints,
            column,
            held,
            ..
        } = mixing;
        mixing.count = count;
        inverse.clear();
        inverse.resize(count * count, 0.0);
        column.resize(count, 0.0);
        for j in 0..count {
            column.fill(0.0);
            column[j] = 1.0;
            answers.lu.substitute(column);
            (0..count).for_each(|i| inverse[i * count + j] = column[i]);
        }
        by_joints.clear();
        by_joints.resize(count * n, 0.0);
        held.resize(m, 0.0);
        let efforts = work.dynamics.loads.efforts.iter().enumerate();
        for (v, effort) in efforts.filter(|(_, effort)| effort.v != 0.0) {
            (0..m).for_each(|k| held[k] = work.columns[k * n + v]);
            work.schur.solve(held);
            for (x, slopes) in column.iter_mut().zip(answers.slopes.chunks_exact(m)) {
                *x = slopes.iter().zip(&*held).map(|(f, l)| f * l).sum();
            }
            answers.lu.substitute(column);
            for (j, x) in column.iter().enumerate() {
                by_joints[j * n + v] = x * effort.v;
            }
        }
    }
}

impl ConstraintRows {
    /// Makes room for rows of G alone.
    fn fit(&mut self, rows: usize, velocities: usize, drives: usize) {
        for (list, size) in [
            (&mut self.rate, rows),
            (&mut self.terms, rows),
            (&mut self.jacobian, rows * velocities),
            (&mut self.driven, rows * drives),
        ] {
            list.clear();
            list.resize(size, 0.0);
        }
    }
}

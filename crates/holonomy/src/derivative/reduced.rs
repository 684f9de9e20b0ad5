//! Minimal coordinates of the changes of a state: 2(n − m) numbers in place of 2n under m constraints.
//!
//! ```text
//! G x = 0,   δ(G M⁻¹ p) = 0                     a change that keeps the constraints, (x, y) canonical
//! x = T ξ,   T = (1, −G_d⁻¹ G_f)                ξ: the coordinates that were chosen, n − m of n
//! y = M T (TᵀMT)⁻¹ η + Gᵀμ(ξ)                   η = Tᵀ y: their momenta
//! x·y' − x'·y = ξ·η' − ξ'·η                     the form is what it was: Tᵀ Gᵀ = 0
//! ```
//! Constraints on velocities A v = 0, of what rolls, leave more coordinates than velocities: T of x is that of G, and T of y
//! that of G and A together, so that there are n − m of one and fewer of the other, and no form. A frame without canonical
//! coordinates is the same:
//! ```text
//! W x = 0,   W uᵢ = 0          x along the fields, where they do not lead everywhere: a vector that only turns
//! A uⱼ[g] = 0                  y of free quasi-velocities
//! W(½(q + q₀)) (q − q₀) = 0    of states far away: what is quadratic, as a length, is what it was
//! ```
//!
//! A step takes momenta modulo Gᵀ, so μ is never needed. The dependent coordinates are those on which the constraints act
//! most, so that T stays small: Gauss–Jordan with complete pivoting.
use super::Change;
use crate::{
    lagrangian::{Lagrangian, LagrangianWorkspace},
    math,
    solve::SingularValues,
    system::{Mechanism, State, System},
    tree::ConstraintRows,
};
use nalgebra::{DMatrix, DVector};

/// Minimal coordinates at a state.
#[derive(Clone, Debug, PartialEq)]
pub struct Minimal {
    /// The canonical coordinates that were chosen, by their places.
    pub independent: Vec<usize>,
    /// Those whose momenta were: the same but where velocities are constrained as such.
    pub moving: Vec<usize>,
    /// Equations of constraint that depend on others here.
    pub redundant: usize,
    /// T, n × (n − m), of coordinates and of momenta.
    tangent: DMatrix<f64>,
    along: DMatrix<f64>,
    /// `M T (TᵀMT)⁻¹`; the identity without constraints.
    momenta: DMatrix<f64>,
    constrained: bool,
    /// Whether there is a form of both.
    canonical: bool,
    /// The equations of strings that are slack.
    slack: Vec<usize>,
}

/// Why there are no minimal coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unreduced {
    /// What moves has no inertia.
    #[error("the inertia of what moves is singular here")]
    Singular,
    /// A state next to it.
    #[error("the constraints cannot be kept next to this state")]
    Unmet,
    /// Forces or constraints without a value.
    #[error("the equations have no value here")]
    Undefined,
}

/// What is left of a constraint below this fraction of the first is rounding.
const REDUNDANT: f64 = 1e-10;
const MOST_CORRECTIONS: usize = 60;

/// Constraints at a configuration.
struct Held {
    value: DVector<f64>,
    jacobian: DMatrix<f64>,
    /// Of velocities: those, and their own.
    rate: DVector<f64>,
    all: DMatrix<f64>,
    nonholonomic: bool,
}

impl Held {
    /// At q, where coordinates are those about `origin`.
    fn at(
        mechanism: &Mechanism,
        t: f64,
        (origin, q): (&[f64], &[f64]),
        slack: &[usize],
    ) -> Result<Self, Unreduced> {
        let rows = |n: usize, value: &[f64], rate: &[f64], jacobian: &[f64]| {
            let jacobian = DMatrix::from_row_slice(value.len(), n, jacobian);
            Self {
                value: DVector::from_column_slice(value),
                rate: DVector::from_column_slice(rate),
                all: jacobian.clone(),
                jacobian,
                nonholonomic: false,
            }
        };
        match mechanism {
            Mechanism::Tree(tree) => {
                let mut found = ConstraintRows::default();
                tree.evaluate_constraints(t, q, slack, &mut found);
                let mut held = rows(tree.velocities(), &found.value, &found.rate, &found.jacobian);
                let slips: Vec<usize> = tree.slip_rows().map(|at| at.row).collect();
                if !slips.is_empty() {
                    held.nonholonomic = true;
                    held.jacobian = held.jacobian.remove_rows_at(&slips);
                    held.value = held.value.remove_rows_at(&slips);
                }
                Ok(held)
            }
            Mechanism::Lagrangian(lagrangian) if lagrangian.is_framed() && !lagrangian.is_canonical() => {
                Self::in_frame(lagrangian, t, (origin, q))
            }
            Mechanism::Lagrangian(lagrangian) if lagrangian.mechanics().constraints() > 0 => {
                let mut work = LagrangianWorkspace::default();
                let n = q.len();
                lagrangian
                    .mechanics()
                    .constraint(t, q, &vec![0.0; n], &mut work.constraint)
                    .map_err(|_| Unreduced::Undefined)?;
                let found = &work.constraint;
                Ok(rows(n, &found.value, &found.rate, &found.jacobian))
            }
            Mechanism::Spheres(spheres) => match spheres.held_rows(origin, q) {
                // Canonical coordinates are two for each body, and angular velocities three.
                Some((value, jacobian, all)) => Ok(Self {
                    value: DVector::from_column_slice(value.as_slice()),
                    rate: DVector::zeros(3),
                    jacobian,
                    all,
                    nonholonomic: false,
                }),
                None => Ok(rows(0, &[], &[], &[])),
            },
            Mechanism::Lagrangian(_) => Ok(rows(0, &[], &[], &[])),
        }
    }

    fn in_frame(of: &Lagrangian, t: f64, (origin, q): (&[f64], &[f64])) -> Result<Self, Unreduced> {
        let (mechanics, n, f) = (of.mechanics(), q.len(), of.free().len());
        let m = mechanics.constraints();
        let LagrangianWorkspace {
            at, mut constraint, ..
        } = LagrangianWorkspace::default();
        let mut frame = at.frame;
        let middle: Vec<f64> = q.iter().zip(origin).map(|(q, from)| 0.5 * (q + from)).collect();
        mechanics
            .frame(&middle, &mut frame)
            .map_err(|_| Unreduced::Undefined)?;
        let fields = DMatrix::from_row_slice(frame.fields.len() / n.max(1), n, &frame.fields);
        if !fields.iter().all(|u| u.is_finite()) {
            return Err(Unreduced::Undefined);
        }
        let still = vec![0.0; fields.nrows()];
        let (_, across) = tangent_to(fields, None);
        let way = DVector::from_iterator(n, q.iter().zip(origin).map(|(q, from)| q - from));
        let lost = across.ncols();
        let mut jacobian = across.transpose().insert_rows(lost, m, 0.0);
        let mut value = across.tr_mul(&way).insert_rows(lost, m, 0.0);
        let found = mechanics
            .frame(q, &mut frame)
            .and_then(|()| mechanics.constraint(t, q, &still, &mut constraint));
        found.map_err(|_| Unreduced::Undefined)?;
        for k in 0..m {
            value[lost + k] = constraint.value[k];
            (0..n).for_each(|a| jacobian[(lost + k, a)] = constraint.jacobian[k * n + a]);
        }
        let mut all = Vec::new();
        of.slopes_along(&frame, &constraint, &mut all);
        Ok(Self {
            value,
            jacobian,
            rate: DVector::from_column_slice(&constraint.rate),
            all: DMatrix::from_row_slice(m, f, &all),
            nonholonomic: true,
        })
    }
}

/// A matrix whose columns are what a linear map makes of unit vectors; `f(0)` is taken off.
fn columns(n: usize, mut map: impl FnMut(&[f64], &mut [f64])) -> DMatrix<f64> {
    let (mut e, mut zero, mut out) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
    map(&e, &mut zero);
    let mut matrix = DMatrix::zeros(n, n);
    for k in 0..n {
        e[k] = 1.0;
        map(&e, &mut out);
        e[k] = 0.0;
        for i in 0..n {
            matrix[(i, k)] = out[i] - zero[i];
        }
    }
    matrix
}

impl Minimal {
    /// At a state that keeps the constraints.
    pub fn at(mechanism: &Mechanism, state: &State) -> Result<Self, Unreduced> {
        let slack = match mechanism {
            Mechanism::Tree(tree) => tree.slack_rows(state.t, &state.q),
            _ => Vec::new(),
        };
        Self::choosing(mechanism, state, slack, None)
    }

    /// The same coordinates at another state of the same motion.
    pub fn again(&self, mechanism: &Mechanism, state: &State) -> Result<Self, Unreduced> {
        let wanted = [&self.independent[..], &self.moving];
        Self::choosing(mechanism, state, self.slack.clone(), Some(wanted))
    }

    fn choosing(
        mechanism: &Mechanism,
        state: &State,
        slack: Vec<usize>,
        wanted: Option<[&[usize]; 2]>,
    ) -> Result<Self, Unreduced> {
        let system = mechanism.system();
        // Those of a chain that is held are canonical once its end is taken away.
        let has_form = system.is_canonical() || matches!(mechanism, Mechanism::Spheres(_));
        let held = Held::at(mechanism, state.t, (&state.q, &state.q), &slack)?;
        let (x, y) = system.canonical(&state.q, &state.q, &state.p);
        let (n, f) = (x.len(), y.len());
        if held.jacobian.is_empty() && held.all.is_empty() {
            return Ok(Self {
                independent: (0..n).collect(),
                moving: (0..f).collect(),
                redundant: 0,
                tangent: DMatrix::identity(n, n),
                along: DMatrix::identity(f, f),
                momenta: DMatrix::identity(f, f),
                constrained: false,
                canonical: has_form,
                slack,
            });
        }
        let mut scratch = system.scratch();
        let mass = match mechanism {
            Mechanism::Spheres(spheres) => spheres.canonical_inertia(&state.q),
            _ => columns(f, |v, p| system.momentum(state.t, &state.q, v, p, &mut scratch)),
        };
        if !mass.iter().chain(held.all.iter()).all(|x| x.is_finite()) {
            return Err(Unreduced::Undefined);
        }
        let [kept, kept_moving] = wanted.map_or([None; 2], |wanted| wanted.map(Some));
        let equations = held.all.nrows();
        let (independent, tangent) = tangent_to(held.jacobian, kept);
        let (moving, along) = match held.nonholonomic {
            true => tangent_to(held.all, kept_moving),
            false => (independent.clone(), tangent.clone()),
        };
        let reduced = along.tr_mul(&mass) * &along;
        let inverse = match moving.len() {
            0 => reduced,
            _ => reduced.try_inverse().ok_or(Unreduced::Singular)?,
        };
        let momenta = &mass * &along * inverse;
        Ok(Self {
            redundant: equations - (f - moving.len()) - slack.len(),
            canonical: has_form && independent == moving,
            independent,
            moving,
            tangent,
            along,
            momenta,
            constrained: true,
            slack,
        })
    }

    /// The number of coordinates: the degrees of freedom, n − m, and more where velocities are constrained as such.
    pub fn freedom(&self) -> usize {
        self.independent.len()
    }

    /// The number of coordinates and momenta together.
    pub fn size(&self) -> usize {
        self.independent.len() + self.moving.len()
    }

    /// Whether there are as many momenta as coordinates, and a form of both.
    pub fn is_canonical(&self) -> bool {
        self.canonical
    }

    /// How far the coordinate of this number moves others that depend on it, at least one.
    pub fn reach(&self, number: usize) -> f64 {
        self.tangent.column(number).amax().max(1.0)
    }

    /// Each velocity that was chosen, by its place, with all velocities where it alone is one.
    pub fn velocities(&self) -> impl Iterator<Item = (usize, Vec<f64>)> + '_ {
        let each = self.moving.iter().zip(self.along.column_iter());
        each.map(|(place, all)| (*place, all.iter().copied().collect()))
    }

    /// The change with minimal coordinates (ξ, η), but for its momentum across the constraints.
    pub fn change(&self, z: &[f64]) -> Change {
        let (xi, eta) = z.split_at(self.freedom());
        let times =
            |matrix: &DMatrix<f64>, z: &[f64]| (matrix * DVector::from_column_slice(z)).as_slice().to_vec();
        Change {
            x: times(&self.tangent, xi),
            y: times(&self.momenta, eta),
            ..Change::default()
        }
    }

    /// A change for each coordinate and each momentum.
    pub fn basis(&self) -> Vec<Change> {
        let size = self.size();
        let unit = |k: usize| {
            (0..size)
                .map(move |i| f64::from(u8::from(i == k)))
                .collect::<Vec<f64>>()
        };
        (0..size).map(|k| self.change(&unit(k))).collect()
    }

    /// The minimal coordinates of a change.
    pub fn coordinates(&self, x: &[f64], y: &[f64]) -> Vec<f64> {
        let mut z: Vec<f64> = self.independent.iter().map(|k| x[*k]).collect();
        let y = DVector::from_column_slice(y);
        z.extend(self.along.tr_mul(&y).iter());
        z
    }

    /// What a gradient with respect to the canonical coordinates is with respect to the minimal ones.
    pub fn gradient(&self, x: &[f64], y: &[f64]) -> Vec<f64> {
        let (x, y) = (DVector::from_column_slice(x), DVector::from_column_slice(y));
        let mut z = self.tangent.tr_mul(&x).as_slice().to_vec();
        z.extend(self.momenta.tr_mul(&y).iter());
        z
    }

    /// The way to a state nearby, in minimal coordinates at this one.
    pub fn apart(&self, system: &dyn System, from: &State, to: &State) -> Vec<f64> {
        let (_, y0) = system.canonical(&from.q, &from.q, &from.p);
        let (x, mut y) = system.canonical(&from.q, &to.q, &to.p);
        y.iter_mut().zip(&y0).for_each(|(y, y0)| *y -= y0);
        self.coordinates(&x, &y)
    }

    /// The state at these minimal coordinates, on the constraints.
    pub fn moved(&self, mechanism: &Mechanism, from: &State, z: &[f64]) -> Result<State, Unreduced> {
        let system = mechanism.system();
        let Change { mut x, mut y, .. } = self.change(z);
        let (_, y0) = system.canonical(&from.q, &from.q, &from.p);
        y.iter_mut().zip(&y0).for_each(|(y, y0)| *y += y0);
        if self.constrained {
            self.close(mechanism, from, &mut x)?;
        }
        let (q, p) = system.state_from_canonical(&from.q, &x, &y);
        let mut state = State::new(from.t, q, p);
        state.lambda.resize(from.lambda.len(), 0.0);
        state.work.resize(from.work.len(), 0.0);
        if self.constrained {
            lead(mechanism, &mut state, &self.slack)?;
        }
        match state.is_finite() {
            true => Ok(state),
            false => Err(Unreduced::Undefined),
        }
    }

    /// Moves the dependent coordinates to where the constraints hold.
    fn close(&self, mechanism: &Mechanism, from: &State, x: &mut [f64]) -> Result<(), Unreduced> {
        let system = mechanism.system();
        let dependent: Vec<usize> = (0..x.len()).filter(|k| !self.independent.contains(k)).collect();
        let mut last = f64::INFINITY;
        for _ in 0..MOST_CORRECTIONS {
            let (q, _) = system.state_from_canonical(&from.q, x, &vec![0.0; self.momenta.nrows()]);
            let held = Held::at(mechanism, from.t, (&from.q, &q), &self.slack)?;
            let across = held.jacobian.select_columns(&dependent);
            let step = least(&across, &held.value).ok_or(Unreduced::Undefined)?;
            let size = step.amax();
            dependent
                .iter()
                .zip(step.iter())
                .for_each(|(k, step)| x[*k] -= step);
            if size <= 1e-15 || (size <= 1e-11 && size >= 0.5 * last) {
                return Ok(());
            }
            last = size;
        }
        Err(Unreduced::Unmet)
    }
}

/// Takes from the momentum what leads off the constraints.
fn lead(mechanism: &Mechanism, state: &mut State, slack: &[usize]) -> Result<(), Unreduced> {
    let system = mechanism.system();
    let Held { rate, all, .. } = Held::at(mechanism, state.t, (&state.q, &state.q), slack)?;
    let (m, n) = all.shape();
    let mut scratch = system.scratch();
    let (mut v, mut zero) = (vec![0.0; n], vec![0.0; n]);
    system.velocity(state.t, &state.q, &vec![0.0; n], &mut zero, &mut scratch);
    let mut inverse = DMatrix::zeros(n, m);
    for row in 0..m {
        let push: Vec<f64> = all.row(row).iter().copied().collect();
        system.velocity(state.t, &state.q, &push, &mut v, &mut scratch);
        for i in 0..n {
            inverse[(i, row)] = v[i] - zero[i];
        }
    }
    let schur = &all * &inverse;
    for _ in 0..2 {
        system.velocity(state.t, &state.q, &state.p, &mut v, &mut scratch);
        let slip = &all * DVector::from_column_slice(&v) + &rate;
        let push = least(&schur, &slip).ok_or(Unreduced::Undefined)?;
        let push = all.tr_mul(&push);
        state
            .p
            .iter_mut()
            .zip(push.iter())
            .for_each(|(p, push)| *p -= push);
    }
    Ok(())
}

/// The least solution of `a x = b`, in the sense of least squares; `None` if something is not finite.
pub fn least(a: &DMatrix<f64>, b: &DVector<f64>) -> Option<DVector<f64>> {
    least_within(a, b, 1e-11)
}

/// Singular values, and the directions that belong to them as columns; `None` if something is not finite.
pub fn singular(a: &DMatrix<f64>) -> Option<(DVector<f64>, DMatrix<f64>)> {
    if !a.iter().all(|x| x.is_finite()) {
        return None;
    }
    let SingularValues { values, right, .. } = SingularValues::new(a.clone())?;
    Some((values, right))
}

/// The least solution of `a x = b` where singular values below a fraction of the largest count as zero.
pub fn least_within(a: &DMatrix<f64>, b: &DVector<f64>, fraction: f64) -> Option<DVector<f64>> {
    if a.is_empty() {
        return Some(DVector::zeros(a.ncols()));
    }
    if !a.iter().chain(b.iter()).all(|x| x.is_finite()) {
        return None;
    }
    let SingularValues {
        scaled,
        values,
        right,
    } = SingularValues::new(a.clone())?;
    let floor = fraction * values.amax();
    let mut share = scaled.tr_mul(b);
    for (share, value) in share.iter_mut().zip(values.iter()) {
        *share = match *value > floor {
            true => *share / (value * value),
            false => 0.0,
        };
    }
    Some(right * share)
}

/// The columns that stay, and what they make of all of them.
fn tangent_to(g: DMatrix<f64>, wanted: Option<&[usize]>) -> (Vec<usize>, DMatrix<f64>) {
    let n = g.ncols();
    let (dependent, rows) = eliminated(g, wanted);
    let independent: Vec<usize> = (0..n).filter(|k| !dependent.contains(k)).collect();
    let mut tangent = DMatrix::zeros(n, independent.len());
    for (column, place) in independent.iter().enumerate() {
        tangent[(*place, column)] = 1.0;
        for (row, depends) in dependent.iter().enumerate() {
            tangent[(*depends, column)] = -rows[(row, *place)];
        }
    }
    (independent, tangent)
}

/// Gauss–Jordan on the rows of G; the columns that were eliminated, and for each the row that gives it from the others.
/// Of columns that are wanted to stay none is, unless nothing else is left.
fn eliminated(mut g: DMatrix<f64>, wanted: Option<&[usize]>) -> (Vec<usize>, DMatrix<f64>) {
    let (m, n) = g.shape();
    let kept = |k: usize| wanted.is_some_and(|wanted| wanted.contains(&k));
    let mut dependent = Vec::new();
    let mut first = 0.0;
    for rank in 0..m.min(n) {
        let mut best = (0.0, rank, 0);
        for keep in [false, true] {
            for row in rank..m {
                for column in (0..n).filter(|column| !dependent.contains(column) && kept(*column) == keep) {
                    let size = g[(row, column)].abs();
                    if size > best.0 {
                        best = (size, row, column);
                    }
                }
            }
            if best.0 > REDUNDANT * first {
                break;
            }
        }
        let (size, row, column) = best;
        first = math::larger(first, size);
        if size <= REDUNDANT * first || size == 0.0 {
            break;
        }
        g.swap_rows(rank, row);
        let pivot = g[(rank, column)];
        g.row_mut(rank).iter_mut().for_each(|x| *x /= pivot);
        let pivot = g.row(rank).into_owned();
        for other in (0..m).filter(|other| *other != rank) {
            let factor = g[(other, column)];
            for k in 0..n {
                g[(other, k)] -= factor * pivot[k];
            }
            g[(other, column)] = 0.0;
        }
        dependent.push(column);
    }
    (dependent, g)
}

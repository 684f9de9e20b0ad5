//! How the rates at a stage change with its q and p, and the transpose.
//!
//! ```text
//! any inertia   M(q) δω = δq × (p − F) + q × (δp − C(ω × δq)),      δv = δω × q + ω × δq,   δF = C δv
//!               δṗ = δω × (p − F) + ω × (δp − δF) − δ∂V             C the couplings Mᵢⱼ, i ≠ j
//! chains        A δμ = −(v·δq + q·W(δp + μ δq)),   Aᵢⱼ = Wᵢⱼ qᵢ·qⱼ
//!               δv = W(δp + μ δq + q δμ),   δṗ = −v δμ − μ δv − δ∂V
//! both          ∂V = (1 − u uᵀ) g(u)/|q|,   u = q/|q|               its derivative is symmetric
//! ```
//! M(q) and A are symmetric, so that one solution serves both ways.
use super::chain::Chain;
use crate::{
    Vec3,
    spheres::{InertiaWork, Spheres, Workspace},
};

/// A stage.
#[derive(Default)]
pub(super) struct Slopes {
    q: Vec<Vec3>,
    /// p − F, or of a chain v.
    beside: Vec<Vec3>,
    omega: Vec<Vec3>,
    /// μ, and A as `LDLᵀ`: D⁻¹, and what stands beside the diagonal of A.
    multipliers: Vec<f64>,
    inverse: Vec<f64>,
    coupling: Vec<f64>,
    /// u and g, where it is not the same everywhere.
    unit: Vec<Vec3>,
    gradient: Vec<Vec3>,
}

/// What products are worked out with.
#[derive(Default)]
pub(super) struct SlopesWork {
    inertia: InertiaWork,
    potential: Workspace,
    first: Vec<Vec3>,
    second: Vec<Vec3>,
    third: Vec<Vec3>,
    numbers: Vec<f64>,
}

/// A change of q and p, or of their rates; or a gradient.
#[derive(Clone, Default)]
pub(super) struct Pair {
    pub(super) q: Vec<Vec3>,
    pub(super) p: Vec<Vec3>,
}

fn zeros(list: &mut Vec<Vec3>, length: usize) -> &mut [Vec3] {
    list.clear();
    list.resize(length, Vec3::zeros());
    list
}

impl Slopes {
    /// Goes to a stage, and says what the rates are; `false` where the inertia is singular. Where ∂V is the same everywhere
    /// it is `uniform`.
    pub(super) fn stand(
        &mut self,
        system: &Spheres,
        (chain, uniform): (Option<&Chain>, Option<&[Vec3]>),
        at: &Pair,
        rates: &mut Pair,
        work: &mut SlopesWork,
    ) -> bool {
        let n = at.q.len();
        self.q.clone_from(&at.q);
        zeros(&mut rates.q, n);
        zeros(&mut rates.p, n);
        let regular = match chain {
            Some(chain) => self.stand_in_chain(chain, at, rates, work),
            None => self.stand_anywhere(system, at, rates, work),
        };
        self.unit.clear();
        self.gradient.resize(n, Vec3::zeros());
        match uniform {
            Some(uniform) => {
                for (rate, gradient) in rates.p.iter_mut().zip(uniform) {
                    *rate -= gradient;
                }
            }
            None => {
                self.unit.extend(at.q.iter().map(|q| q.normalize()));
                system.gradient(&self.unit, &mut self.gradient, &mut work.potential);
                let each = self.unit.iter().zip(&self.gradient).zip(&at.q);
                for (rate, ((unit, gradient), q)) in rates.p.iter_mut().zip(each) {
                    *rate -= (gradient - unit * unit.dot(gradient)) / q.norm();
                }
            }
        }
        regular
    }

    fn stand_anywhere(
        &mut self,
        system: &Spheres,
        at: &Pair,
        rates: &mut Pair,
        work: &mut SlopesWork,
    ) -> bool {
        let inertia = system.inertia();
        self.omega.clear();
        self.omega.extend(at.q.iter().zip(&at.p).map(|(q, p)| q.cross(p)));
        let regular = inertia.solve_angular(&at.q, &mut self.omega, &mut work.inertia);
        for ((rate, q), omega) in rates.q.iter_mut().zip(&at.q).zip(&self.omega) {
            *rate = omega.cross(q);
        }
        let coupled = zeros(&mut self.beside, at.q.len());
        inertia.apply_coupling(&rates.q, coupled, &mut work.inertia);
        for (i, beside) in self.beside.iter_mut().enumerate() {
            *beside = at.p[i] - *beside;
            rates.p[i] = self.omega[i].cross(beside);
        }
        regular
    }

    fn stand_in_chain(&mut self, chain: &Chain, at: &Pair, rates: &mut Pair, work: &mut SlopesWork) -> bool {
        let n = at.q.len();
        self.coupling.clear();
        (self.coupling).extend((0..n).map(|i| match at.q.get(i + 1) {
            Some(next) => chain.next[i] * at.q[i].dot(next),
            None => 0.0,
        }));
        self.inverse.clear();
        for i in 0..n {
            let before = match i.checked_sub(1) {
                Some(k) => self.coupling[k] * self.coupling[k] * self.inverse[k],
                None => 0.0,
            };
            self.inverse
                .push(1.0 / (chain.own[i] * at.q[i].norm_squared() - before));
        }
        let flow = zeros(&mut work.first, n);
        spread(chain, &at.p, flow);
        self.multipliers.clear();
        (self.multipliers).extend(at.q.iter().zip(&*flow).map(|(q, flow)| -q.dot(flow)));
        let mut multipliers = std::mem::take(&mut self.multipliers);
        self.solve(&mut multipliers);
        self.multipliers = multipliers;
        let whole = zeros(&mut work.second, n);
        for (i, whole) in whole.iter_mut().enumerate() {
            *whole = at.p[i] + at.q[i] * self.multipliers[i];
        }
        spread(chain, whole, &mut rates.q);
        self.beside.clone_from(&rates.q);
        for (i, rate) in rates.p.iter_mut().enumerate() {
            *rate = self.beside[i] * -self.multipliers[i];
        }
        self.inverse.iter().all(|x| x.is_finite())
    }

    /// A⁻¹.
    fn solve(&self, x: &mut [f64]) {
        let (inverse, coupling) = (&self.inverse, &self.coupling);
        for i in 1..x.len() {
            x[i] -= coupling[i - 1] * inverse[i - 1] * x[i - 1];
        }
        for i in (0..x.len()).rev() {
            let beyond = x.get(i + 1).map_or(0.0, |beyond| coupling[i] * beyond);
            x[i] = (x[i] - beyond) * inverse[i];
        }
    }

    /// What a change makes of the rates.
    pub(super) fn push(
        &self,
        system: &Spheres,
        chain: Option<&Chain>,
        change: &Pair,
        rates: &mut Pair,
        work: &mut SlopesWork,
    ) {
        let n = self.q.len();
        zeros(&mut rates.q, n);
        zeros(&mut rates.p, n);
        match chain {
            Some(chain) => {
                let whole = zeros(&mut work.first, n);
                for (i, whole) in whole.iter_mut().enumerate() {
                    *whole = change.p[i] + change.q[i] * self.multipliers[i];
                }
                spread(chain, whole, &mut rates.q);
                work.numbers.clear();
                let each = (0..n).map(|i| -self.beside[i].dot(&change.q[i]) - self.q[i].dot(&rates.q[i]));
                work.numbers.extend(each);
                self.solve(&mut work.numbers);
                for (i, whole) in whole.iter_mut().enumerate() {
                    *whole += self.q[i] * work.numbers[i];
                }
                spread(chain, whole, &mut rates.q);
                for i in 0..n {
                    rates.p[i] = -self.beside[i] * work.numbers[i] - rates.q[i] * self.multipliers[i];
                }
            }
            None => {
                let (inertia, omega) = (system.inertia(), &self.omega);
                let turned = zeros(&mut work.first, n);
                for (i, turned) in turned.iter_mut().enumerate() {
                    *turned = omega[i].cross(&change.q[i]);
                }
                let coupled = zeros(&mut work.second, n);
                inertia.apply_coupling(turned, coupled, &mut work.inertia);
                let faster = zeros(&mut work.third, n);
                for (i, faster) in faster.iter_mut().enumerate() {
                    let pushed = change.p[i] - coupled[i];
                    *faster = change.q[i].cross(&self.beside[i]) + self.q[i].cross(&pushed);
                }
                inertia.solve_angular(&self.q, faster, &mut work.inertia);
                for (i, rate) in rates.q.iter_mut().enumerate() {
                    *rate = faster[i].cross(&self.q[i]) + turned[i];
                }
                inertia.apply_coupling(&rates.q, coupled, &mut work.inertia);
                for (i, rate) in rates.p.iter_mut().enumerate() {
                    let pushed = change.p[i] - coupled[i];
                    *rate = faster[i].cross(&self.beside[i]) + omega[i].cross(&pushed);
                }
            }
        }
        self.add_forces(system, &change.q, &mut rates.p, work);
    }

    /// The transpose.
    pub(super) fn pull(
        &self,
        system: &Spheres,
        chain: Option<&Chain>,
        rates: &Pair,
        gradient: &mut Pair,
        work: &mut SlopesWork,
    ) {
        let n = self.q.len();
        zeros(&mut gradient.q, n);
        zeros(&mut gradient.p, n);
        match chain {
            Some(chain) => {
                let along = zeros(&mut work.first, n);
                for (i, along) in along.iter_mut().enumerate() {
                    *along = rates.q[i] - rates.p[i] * self.multipliers[i];
                }
                spread(chain, along, &mut gradient.p);
                work.numbers.clear();
                let each = (0..n).map(|i| self.q[i].dot(&gradient.p[i]) - self.beside[i].dot(&rates.p[i]));
                work.numbers.extend(each);
                self.solve(&mut work.numbers);
                for (i, along) in along.iter_mut().enumerate() {
                    *along -= self.q[i] * work.numbers[i];
                }
                spread(chain, along, &mut gradient.p);
                for i in 0..n {
                    gradient.q[i] = gradient.p[i] * self.multipliers[i] - self.beside[i] * work.numbers[i];
                }
            }
            None => {
                let (inertia, omega) = (system.inertia(), &self.omega);
                let (first, coupled) = (zeros(&mut work.first, n), zeros(&mut work.second, n));
                for (i, first) in first.iter_mut().enumerate() {
                    *first = omega[i].cross(&rates.p[i]);
                }
                inertia.apply_coupling(first, coupled, &mut work.inertia);
                let faster = zeros(&mut work.third, n);
                for i in 0..n {
                    let along = rates.q[i] + coupled[i];
                    faster[i] = self.q[i].cross(&along) + self.beside[i].cross(&rates.p[i]);
                    gradient.q[i] = along.cross(&omega[i]);
                    gradient.p[i] = -first[i];
                }
                inertia.solve_angular(&self.q, faster, &mut work.inertia);
                for (i, first) in first.iter_mut().enumerate() {
                    *first = faster[i].cross(&self.q[i]);
                    gradient.p[i] += *first;
                    gradient.q[i] += self.beside[i].cross(&faster[i]);
                }
                inertia.apply_coupling(first, coupled, &mut work.inertia);
                for (i, out) in gradient.q.iter_mut().enumerate() {
                    *out -= coupled[i].cross(&omega[i]);
                }
            }
        }
        self.add_forces(system, &rates.p, &mut gradient.q, work);
    }

    /// Takes the derivative of ∂V along a change.
    fn add_forces(&self, system: &Spheres, change: &[Vec3], out: &mut [Vec3], work: &mut SlopesWork) {
        if self.unit.is_empty() {
            return;
        }
        let n = change.len();
        let (turned, bent) = (zeros(&mut work.first, n), zeros(&mut work.second, n));
        for (i, turned) in turned.iter_mut().enumerate() {
            let unit = &self.unit[i];
            *turned = (change[i] - unit * unit.dot(&change[i])) / self.q[i].norm();
        }
        system.hessian(&self.unit, turned, bent, &mut work.potential);
        for (i, out) in out.iter_mut().enumerate() {
            let (unit, gradient, turned) = (&self.unit[i], &self.gradient[i], &turned[i]);
            let along = unit.dot(gradient);
            let across = gradient - unit * along;
            let mut sum = bent[i] - unit * unit.dot(&bent[i]);
            sum -= turned * along + unit * turned.dot(gradient);
            sum -= across * (unit.dot(&change[i]) / self.q[i].norm());
            *out -= sum / self.q[i].norm();
        }
    }
}

/// `W x`.
fn spread(chain: &Chain, x: &[Vec3], out: &mut [Vec3]) {
    for i in 0..x.len() {
        out[i] = x[i] * chain.own[i];
        if i > 0 {
            out[i] += x[i - 1] * chain.next[i - 1];
        }
        if let Some(next) = x.get(i + 1) {
            out[i] += next * chain.next[i];
        }
    }
}

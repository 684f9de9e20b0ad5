use super::{add_transposed, dot, zeros};
use crate::{lagrangian::FrameFields, solve::Lu, system::Undefined};

/// Momenta of a frame and those of the coordinates, y with `U y = p`; the least where there are fewer fields.
#[derive(Default)]
pub(super) struct Conjugate {
    pub(super) fields: Vec<f64>,
    pub(super) lu: Lu,
    pub(super) y: Vec<f64>,
    /// `∂uᵢᵃ/∂qᵇ yₐ` in place i·n + b.
    pub(super) bent: Vec<f64>,
}

impl Conjugate {
    pub(super) fn find(&mut self, frame: &FrameFields, n: usize, p: &[f64]) -> Result<(), Undefined> {
        let k = p.len();
        self.fields.clone_from(&frame.fields);
        let row = |i: usize| &frame.fields[i * n..(i + 1) * n];
        let matrix = self.lu.reset(k);
        match k == n {
            true => matrix.copy_from_slice(&frame.fields),
            false => (0..k * k).for_each(|place| matrix[place] = dot(row(place / k), row(place % k))),
        }
        if !self.lu.factorise() {
            return Err(Undefined::SingularMass);
        }
        self.y.clear();
        self.y.extend_from_slice(p);
        self.lu.substitute(&mut self.y);
        if k != n {
            // y = Uᵀ (U Uᵀ)⁻¹ p
            self.bent.clone_from(&self.y);
            add_transposed(zeros(&mut self.y, n), &frame.fields, &self.bent, 1.0);
        }
        self.bent.clear();
        for i in 0..k {
            for b in 0..n {
                let each = (0..n).map(|a| frame.slopes[(i * n + a) * n + b] * self.y[a]);
                self.bent.push(each.sum());
            }
        }
        Ok(())
    }
}

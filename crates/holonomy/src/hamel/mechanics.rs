use crate::{formula, lagrangian::Undefined};

/// What is particular to a mechanism in a frame: its fields, its Lagrangian, and if it has any, forces.
/// Matrices are row by row.
pub trait FrameMechanics: Send + Sync {
    /// Number n of coordinates.
    fn coordinates(&self) -> usize;

    /// Number k of fields, and of quasi-velocities.
    fn fields(&self) -> usize;

    /// The fields `uᵢ(q)` with their derivatives.
    fn frame(&self, q: &[f64], out: &mut Frame) -> Result<(), Undefined>;

    /// `l(t, q, ξ)` with its derivatives, those by q at fixed ξ.
    fn lagrangian(&self, t: f64, q: &[f64], xi: &[f64], out: &mut FrameDerivatives) -> Result<(), Undefined>;

    /// Forces `Q(t, q, ξ)` on the coordinates, with their derivatives.
    fn force(&self, t: f64, q: &[f64], xi: &[f64], out: &mut FrameForce) -> Result<(), Undefined> {
        let _ = (t, xi);
        out.resize(q.len(), self.fields());
        Ok(())
    }

    /// Whether `uⱼ[l]` or a force along uⱼ is anywhere other than zero.
    fn acts_along(&self, field: usize) -> bool {
        let _ = field;
        true
    }

    /// Whether energy is conserved: nothing depends on time, and no force acts.
    fn keeps_energy(&self) -> bool {
        true
    }

    /// Names of first integrals that are to be measured.
    fn invariants(&self) -> &[String] {
        &[]
    }

    /// Their values.
    fn invariant(
        &self,
        t: f64,
        q: &[f64],
        xi: &[f64],
        out: &mut Vec<f64>,
        memory: &mut Memory,
    ) -> Result<(), Undefined> {
        let _ = (t, q, xi, memory);
        out.clear();
        Ok(())
    }

    /// Texts of the expressions that [`Undefined::Expression`] counts.
    fn expressions(&self) -> Vec<String> {
        Vec::new()
    }
}

/// Fields and their derivatives at one point.
#[derive(Clone, Debug, Default)]
pub struct Frame {
    /// `uᵢᵃ` in place i·n + a.
    pub fields: Vec<f64>,
    /// `∂uᵢᵃ/∂qᵇ` in place (i·n + a)·n + b.
    pub slopes: Vec<f64>,
    /// Of formulas.
    pub memory: Memory,
}

impl Frame {
    /// Makes room for k fields on n coordinates, all zero.
    pub fn resize(&mut self, n: usize, k: usize) {
        zero(&mut self.fields, k * n);
        zero(&mut self.slopes, k * n * n);
    }
}

/// A Lagrangian in a frame and its derivatives at one point.
#[derive(Clone, Debug, Default)]
pub struct FrameDerivatives {
    /// l, J.
    pub value: f64,
    /// `∂l/∂qᵃ`.
    pub q: Vec<f64>,
    /// `∂l/∂ξᵢ`, the momenta.
    pub xi: Vec<f64>,
    /// `∂²l/∂ξᵢ∂ξⱼ`, the mass matrix.
    pub xi_xi: Vec<f64>,
    /// `∂²l/∂ξᵢ∂qᵃ`.
    pub xi_q: Vec<f64>,
    /// `∂²l/∂qᵃ∂qᵇ`.
    pub qq: Vec<f64>,
    /// `∂²l/∂ξᵢ∂t`.
    pub xi_t: Vec<f64>,
    /// Of formulas.
    pub memory: Memory,
}

impl FrameDerivatives {
    /// Makes room for k quasi-velocities on n coordinates, all zero.
    pub fn resize(&mut self, n: usize, k: usize) {
        self.value = 0.0;
        zero(&mut self.q, n);
        zero(&mut self.xi, k);
        zero(&mut self.xi_xi, k * k);
        zero(&mut self.xi_q, k * n);
        zero(&mut self.qq, n * n);
        zero(&mut self.xi_t, k);
    }
}

/// Forces on the coordinates and their derivatives at one point.
#[derive(Clone, Debug, Default)]
pub struct FrameForce {
    /// `Qₐ`.
    pub value: Vec<f64>,
    /// `∂Qₐ/∂qᵇ`.
    pub q: Vec<f64>,
    /// `∂Qₐ/∂ξᵢ`.
    pub xi: Vec<f64>,
    /// Of formulas.
    pub memory: Memory,
}

impl FrameForce {
    /// Makes room for k quasi-velocities on n coordinates, all zero.
    pub fn resize(&mut self, n: usize, k: usize) {
        zero(&mut self.value, n);
        zero(&mut self.q, n * n);
        zero(&mut self.xi, n * k);
    }
}

/// What the evaluation of formulas needs, used again from call to call.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    pub(super) workspace: formula::Workspace,
    pub(super) variables: Vec<f64>,
    pub(super) values: Vec<f64>,
}

fn zero(list: &mut Vec<f64>, length: usize) {
    list.clear();
    list.resize(length, 0.0);
}

use super::formula::Sweep;
use crate::system::Layout;

/// What is particular to a mechanism in generalized coordinates: its Lagrangian, and if it has any,
/// forces and constraints. Matrices are row by row.
pub trait Mechanics: Send + Sync {
    /// Number n of coordinates.
    fn coordinates(&self) -> usize;

    /// `L(t, q, v)` with its derivatives.
    fn lagrangian(&self, t: f64, q: &[f64], v: &[f64], out: &mut Derivatives) -> Result<(), Undefined>;

    /// Generalized forces `f(t, q, v)` with their derivatives.
    fn force(&self, t: f64, q: &[f64], v: &[f64], out: &mut Force) -> Result<(), Undefined> {
        let _ = (t, v);
        out.resize(q.len());
        Ok(())
    }

    /// Number m of constraints.
    fn constraints(&self) -> usize {
        0
    }

    /// Constraints `g(t, q)` with their derivatives, and how they curve along the velocity v.
    fn constraint(&self, t: f64, q: &[f64], v: &[f64], out: &mut Constraint) -> Result<(), Undefined> {
        let _ = (t, v);
        out.resize(0, q.len());
        Ok(())
    }

    /// Whether energy is conserved: nothing depends on time, and no force acts.
    fn keeps_energy(&self) -> bool {
        true
    }

    /// Names of first integrals that are to be measured.
    fn invariants(&self) -> &[String] {
        &[]
    }

    /// Puts their values at the end of `out`.
    fn invariant(
        &self,
        t: f64,
        q: &[f64],
        v: &[f64],
        out: &mut Vec<f64>,
        sweep: &mut Sweep,
    ) -> Result<(), Undefined> {
        let _ = (t, q, v, out, sweep);
        Ok(())
    }

    /// The expressions that [`Undefined`] numbers, as text.
    fn expressions(&self) -> Vec<String> {
        Vec::new()
    }

    /// Whether L, a force on it, or a constraint depends on coordinate i. If not, its momentum is kept.
    fn depends_on(&self, coordinate: usize) -> bool {
        let _ = coordinate;
        true
    }
}

/// A Lagrangian and its derivatives at one point.
#[derive(Clone, Debug, Default)]
pub struct Derivatives {
    /// L, J.
    pub value: f64,
    /// `∂L/∂qᵢ`.
    pub q: Vec<f64>,
    /// `∂L/∂vᵢ`.
    pub v: Vec<f64>,
    /// `∂²L/∂vᵢ∂vⱼ`, the mass matrix.
    pub vv: Vec<f64>,
    /// `∂²L/∂vᵢ∂qⱼ`.
    pub vq: Vec<f64>,
    /// `∂²L/∂qᵢ∂qⱼ`.
    pub qq: Vec<f64>,
    /// `∂²L/∂vᵢ∂t`.
    pub vt: Vec<f64>,
    pub(super) sweep: Sweep,
}

impl Derivatives {
    /// Makes room for n coordinates, all zero.
    pub fn resize(&mut self, n: usize) {
        self.value = 0.0;
        for list in [&mut self.q, &mut self.v, &mut self.vt] {
            list.clear();
            list.resize(n, 0.0);
        }
        for matrix in [&mut self.vv, &mut self.vq, &mut self.qq] {
            matrix.clear();
            matrix.resize(n * n, 0.0);
        }
    }
}

/// Generalized forces and their derivatives at one point.
#[derive(Clone, Debug, Default)]
pub struct Force {
    /// `fᵢ`.
    pub value: Vec<f64>,
    /// `∂fᵢ/∂qⱼ`.
    pub q: Vec<f64>,
    /// `∂fᵢ/∂vⱼ`.
    pub v: Vec<f64>,
    pub(super) sweep: Sweep,
}

impl Force {
    /// Makes room for n coordinates, all zero.
    pub fn resize(&mut self, n: usize) {
        self.value.clear();
        self.value.resize(n, 0.0);
        for matrix in [&mut self.q, &mut self.v] {
            matrix.clear();
            matrix.resize(n * n, 0.0);
        }
    }
}

/// Constraints and their derivatives at one point.
#[derive(Clone, Debug, Default)]
pub struct Constraint {
    /// `gₖ`.
    pub value: Vec<f64>,
    /// `∂gₖ/∂qᵢ`.
    pub jacobian: Vec<f64>,
    /// `∂gₖ/∂t`.
    pub rate: Vec<f64>,
    /// `d²gₖ/dt²` along constant velocity v.
    pub curvature: Vec<f64>,
    pub(super) sweep: Sweep,
}

impl Constraint {
    /// Makes room for m constraints on n coordinates, all zero.
    pub fn resize(&mut self, m: usize, n: usize) {
        for list in [&mut self.value, &mut self.rate, &mut self.curvature] {
            list.clear();
            list.resize(m, 0.0);
        }
        self.jacobian.clear();
        self.jacobian.resize(m * n, 0.0);
    }
}

/// Something has no value at a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Undefined {
    /// A function in a formula has no answer.
    Expression {
        /// Which, by its number in the layout.
        number: u32,
        /// What the function was asked.
        argument: f64,
    },
    /// The mass matrix, or with constraints the whole matrix, cannot be inverted.
    SingularMass,
    /// A field of the frame is a combination of those before it.
    DependentField {
        /// Which, by its number in the layout.
        field: u32,
    },
    /// The bracket of two fields is not a combination of the fields of the frame.
    OpenBracket {
        /// Which, by their numbers in the layout.
        fields: [u32; 2],
    },
}

impl Undefined {
    /// What has no value and why, in words.
    pub fn describe(self, layout: &Layout) -> String {
        let named = |list: &[String], place: u32, otherwise: &str| {
            let name = list.get(place as usize);
            name.map_or_else(|| otherwise.to_owned(), |name| format!("`{name}`"))
        };
        match self {
            Self::Expression { number, argument } => {
                let text = layout.expressions.get(number as usize);
                let text = text.map_or("an expression".to_owned(), |text| quoted(text));
                format!("{text} has no value for {argument}")
            }
            Self::SingularMass => {
                "the mass matrix is singular: some velocity has no inertia, or constraints say the same twice"
                    .to_owned()
            }
            Self::DependentField { field } => format!(
                "the frame is singular here: the field of {} is a combination of those before it; choose fields that are \
             independent here",
                named(&layout.fields, field, "a quasi-velocity")
            ),
            Self::OpenBracket { fields: [i, j] } => format!(
                "the frame is not closed here: the bracket of the fields of {} and {} is not a combination of its fields; \
             add the field that is missing, constrained if nothing moves along it",
                named(&layout.fields, i, "a quasi-velocity"),
                named(&layout.fields, j, "another")
            ),
        }
    }
}

/// An expression of the layout: `` `x` `` or ``the derivative of `x` ``.
fn quoted(expression: &str) -> String {
    let expression = expression.split_whitespace().collect::<Vec<_>>().join(" ");
    match expression.split_once("derivative of ") {
        Some((order, text)) => format!("the {order}derivative of `{text}`"),
        None => format!("`{expression}`"),
    }
}

//! Links joined end to end: chains, pendula, trees of pendula.
//!
//! ```text
//! Mᵢⱼ = ℓᵢ ℓⱼ gⱼ        i an ancestor of j        gⱼ = cⱼ mⱼ + Σ_{k beyond j} mₖ
//! Mᵢᵢ = Iᵢ + ℓᵢ² Σ_{k beyond i} mₖ                 Mᵢⱼ = 0 on different branches
//! ```
//! with mass mⱼ, centre of mass at the fraction cⱼ of the length ℓⱼ and moment of inertia Iⱼ about
//! the link's own base. This matrix is never stored: products with it, and the solution of the
//! block systems that the equations of motion lead to, take two sweeps over the links.
use super::{Body, SpheresError, parts::check_body};
use crate::Vec3;
use nalgebra::{Matrix3, SMatrix, SVector};

/// What the inertia matrix is made of: a body without its name and place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Segment {
    /// The link it hangs on, one before it. `None`: a fixed pivot.
    pub parent: Option<usize>,
    /// Length ℓ, m.
    pub length: f64,
    /// Mass m, kg.
    pub mass: f64,
    /// Where the centre of mass is, as a fraction of the length.
    pub centre: f64,
    /// Moment of inertia about the link's base, kg m².
    pub moment: f64,
}

impl Segment {
    fn of(body: &Body) -> Self {
        Self {
            parent: body.parent(),
            length: body.length,
            mass: body.mass,
            centre: body.centre,
            moment: body.moment,
        }
    }
}

/// The inertia of links joined end to end.
#[derive(Clone, Debug)]
pub struct Links {
    links: Vec<Segment>,
    /// `gᵢ`, kg.
    coupling: Vec<f64>,
    /// `gᵢ − Σ g` of the children, summed without cancellation: the mass at the end of link i.
    end_mass: Vec<f64>,
    /// `Mᵢᵢ`, kg m².
    diagonal: Vec<f64>,
}

/// One row of a block system with the structure of the inertia matrix; see [`Links::solve`].
pub struct Block<const N: usize> {
    /// `Dᵢ − ℓᵢ² gᵢ UᵢVᵢ`.
    pub excess: SMatrix<f64, N, N>,
    /// `Uᵢ`.
    pub left: SMatrix<f64, N, 3>,
}

/// What [`Links::solve`] stores per link between its two sweeps.
#[derive(Clone, Default)]
pub struct LinkWork {
    /// `Σ (g + W)` over the children, and then b in its first rows.
    b: Matrix3<f64>,
    /// `Σ r` over the children, and then `Pᵢ + ℓᵢVᵢxᵢ`.
    sum: Vec3,
}

impl Links {
    /// Joins bodies, each after the one it hangs on, at their tips.
    pub fn new(bodies: &[Body]) -> Result<Self, SpheresError> {
        for (number, body) in bodies.iter().enumerate() {
            check_body(number, body)?;
        }
        Ok(Self::of(bodies.iter().map(Segment::of).collect()))
    }

    /// The same for bodies that are not checked: those on others that do not come before them are left out.
    pub(crate) fn unchecked(bodies: &[Body]) -> Self {
        let segments = bodies.iter().enumerate().map(|(i, body)| Segment {
            parent: body.parent().filter(|parent| *parent < i),
            ..Segment::of(body)
        });
        Self::of(segments.collect())
    }

    /// Joins links; every parent comes before its children.
    pub(super) fn of(links: Vec<Segment>) -> Self {
        let n = links.len();
        let mut beyond = vec![0.0; n];
        let mut end_mass: Vec<f64> = links.iter().map(|l| l.centre * l.mass).collect();
        for i in (0..n).rev() {
            if let Some(parent) = links[i].parent {
                beyond[parent] += beyond[i] + links[i].mass;
                end_mass[parent] += (1.0 - links[i].centre) * links[i].mass;
            }
        }
        let coupling = links
            .iter()
            .zip(&beyond)
            .map(|(l, beyond)| l.centre * l.mass + beyond)
            .collect();
        let diagonal = links
            .iter()
            .zip(&beyond)
            .map(|(l, beyond)| l.moment + l.length * l.length * beyond)
            .collect();
        Self {
            links,
            coupling,
            end_mass,
            diagonal,
        }
    }

    /// How many links there are.
    pub fn len(&self) -> usize {
        self.links.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.links.is_empty()
    }

    /// The links.
    pub fn links(&self) -> &[Segment] {
        &self.links
    }

    /// Whether no link hangs on another, so that the inertia matrix is diagonal.
    pub fn are_separate(&self) -> bool {
        self.links.iter().all(|l| l.parent.is_none())
    }

    /// `Mᵢᵢ`.
    pub fn diagonal(&self) -> &[f64] {
        &self.diagonal
    }

    /// First moment `ℓᵢ gᵢ` of everything link i carries: its weight in uniform gravity is `ℓᵢ gᵢ g·qᵢ`.
    pub fn first_moment(&self, i: usize) -> f64 {
        self.links[i].length * self.coupling[i]
    }

    /// `gᵢ − Σ g` of the children, kg.
    #[cfg(not(target_arch = "wasm32"))]
    pub(super) fn end_mass(&self, i: usize) -> f64 {
        self.end_mass[i]
    }

    /// One entry of the inertia matrix.
    pub fn entry(&self, i: usize, j: usize) -> f64 {
        let (outer, inner) = (i.max(j), i.min(j));
        if outer == inner {
            return self.diagonal[i];
        }
        let mut k = outer;
        while let Some(parent) = self.links[k].parent {
            if parent == inner {
                return self.links[inner].length * self.links[outer].length * self.coupling[outer];
            }
            k = parent;
        }
        0.0
    }

    /// `outᵢ = Σ_{j≠i} Mᵢⱼ xⱼ`, in two sweeps; `sums` is work space.
    pub fn apply_coupling(&self, x: &[Vec3], out: &mut [Vec3], sums: &mut Vec<Vec3>) {
        out.fill(Vec3::zeros());
        if self.are_separate() {
            return;
        }
        // Inward: outᵢ = Σ_{j beyond i} ℓⱼ gⱼ xⱼ.
        for i in (0..self.len()).rev() {
            if let Some(parent) = self.links[i].parent {
                let outboard = out[i] + x[i] * self.first_moment(i);
                out[parent] += outboard;
            }
        }
        // Outward, with sumsᵢ = Σ ℓⱼ xⱼ over the ancestors of i and i itself.
        sums.clear();
        sums.reserve_exact(self.len());
        for (i, link) in self.links.iter().enumerate() {
            let ancestors = link.parent.map_or_else(Vec3::zeros, |parent| sums[parent]);
            out[i] = (out[i] + ancestors * self.coupling[i]) * link.length;
            sums.push(ancestors + x[i] * link.length);
        }
    }

    /// Solves the block system
    ///
    /// ```text
    /// Dᵢ xᵢ + Uᵢ Σ_{j≠i} Mᵢⱼ Vⱼ xⱼ = bᵢ
    /// ```
    /// for blocks of size N ≤ 3, in place of b, in one inward and one outward sweep; `right` gives `Vᵢ`. `false` when
    /// a pivot block is singular.
    ///
    /// Inward, the part beyond a link answers to `P = Σ ℓⱼVⱼxⱼ` over its ancestors with
    /// `Σ_{beyond} ℓⱼgⱼVⱼxⱼ = r + W P`. With `A = gᵢ + Σ W` over the children:
    ///
    /// ```text
    /// K⁻¹ = (Dᵢ − ℓᵢ² gᵢ UᵢVᵢ) + ℓᵢ² Uᵢ A Vᵢ      xᵢ = a + b P
    /// a = K (bᵢ − ℓᵢ Uᵢ Σr)                        b = −ℓᵢ K Uᵢ A
    /// r = Σr + ℓᵢ A Vᵢ a                           gᵢ + W = A + ℓᵢ A Vᵢ b
    /// ```
    pub fn solve<const N: usize>(
        &self,
        joints: &mut Vec<LinkWork>,
        right: impl Fn(usize) -> SMatrix<f64, 3, N>,
        block: impl Fn(usize, &SMatrix<f64, 3, N>) -> Block<N>,
        x: &mut [SVector<f64, N>],
    ) -> bool {
        let n = self.len();
        joints.clear();
        joints.resize_with(n, LinkWork::default);
        for i in (0..n).rev() {
            let length = self.links[i].length;
            let right = right(i);
            let Block { excess, left } = block(i, &right);
            let sum = joints[i].sum;
            let a_matrix = Matrix3::from_diagonal_element(self.end_mass[i]) + joints[i].b;
            let left_a = left * a_matrix;
            let Some(k) = (excess + left_a * right * (length * length)).try_inverse() else {
                return false;
            };
            let a = k * (x[i] - left * (sum * length));
            let b = k * left_a * -length;
            let a_right = a_matrix * right * length;
            if let Some(parent) = self.links[i].parent {
                let outboard = sum + a_right * a;
                let inertia = a_matrix + a_right * b;
                joints[parent].sum += outboard;
                joints[parent].b += inertia;
            }
            x[i] = a;
            joints[i].b.fixed_rows_mut::<N>(0).copy_from(&b);
        }
        for i in 0..n {
            let Segment { parent, length, .. } = self.links[i];
            let p = parent.map_or_else(Vec3::zeros, |parent| joints[parent].sum);
            x[i] += joints[i].b.fixed_rows::<N>(0) * p;
            joints[i].sum = p + right(i) * x[i] * length;
        }
        true
    }
}

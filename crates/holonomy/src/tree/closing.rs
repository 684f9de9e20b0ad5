//! Joints that close loops, each one constraint.
//!
//! ```text
//! d = r_b − r_a,   e₁, e₂ ⊥ a fixed on the first body, with it;   a' fixed on the second
//! hinge         d·e₁ = d·e₂ = d·a = 0,  e₁·a' = e₂·a' = 0          turns about the axis a
//! universal     d·e₁ = d·e₂ = d·a = 0,  a·a' = 0                   turns about both axes
//! cylindrical   d·e₁ = d·e₂ = 0,        e₁·a' = e₂·a' = 0          turns about the axis, and slides along it
//! line          d·e₁ = d·e₂ = 0                                    stays on the axis, and turns every way
//! ```
//! `x·a'` has the rate `(ω_b − ω_a)·(a' × x)`. In a plane mechanism the equations across the plane are zero in whatever
//! way the joints are turned; such equations are left out when the tree is built (`drop_idle_rows`).
use super::{
    ConstraintFault, ConstraintRows, Moving, Tree,
    rolling::{drop_rows, tangents},
};
use crate::{
    Vec3,
    geometry::se3::{angular, join},
};

/// A joint that closes a loop.
pub struct Closing {
    pub(super) between: [usize; 2],
    pub(super) joint: ClosingJoint,
    /// On the bodies of both sites.
    pub(super) axes: [Vec3; 2],
    /// Equations that say anything.
    pub(super) kept: Vec<bool>,
    /// The size of the tree, m: rounding of places counts against it, also where they are zero.
    pub(super) length: f64,
}

/// How the bodies may move against each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClosingJoint {
    /// About an axis.
    Hinge,
    /// About two axes at right angles, one on each body.
    Universal,
    /// About an axis, and along it.
    Cylindrical,
    /// Every way about a point that slides along an axis of the first body.
    Line,
}

/// An equation: which part it is, and of which directions of the first body.
#[derive(Clone, Copy)]
enum Part {
    /// d along the direction of this number: e₁, e₂, a.
    Shift(usize),
    /// a' against that direction.
    Turn(usize),
}

/// What an equation says.
pub(super) enum Shape {
    /// The second site stays on the plane with this normal, on the body of the first.
    Plane(Vec3),
    /// A direction on the first body is at right angles to one on the second.
    Square(Vec3, Vec3),
}

impl ClosingJoint {
    fn parts(self) -> &'static [Part] {
        use Part::{Shift, Turn};
        match self {
            Self::Hinge => &[Shift(0), Shift(1), Shift(2), Turn(0), Turn(1)],
            Self::Universal => &[Shift(0), Shift(1), Shift(2), Turn(2)],
            Self::Cylindrical => &[Shift(0), Shift(1), Turn(0), Turn(1)],
            Self::Line => &[Shift(0), Shift(1)],
        }
    }
}

impl Closing {
    /// Between two sites, with the axis on the body of the first, and that on the body of the second.
    pub fn new(joint: ClosingJoint, between: [usize; 2], axes: [Vec3; 2]) -> Self {
        Self {
            between,
            joint,
            axes,
            kept: vec![true; joint.parts().len()],
            length: 1.0,
        }
    }

    fn parts(&self) -> impl Iterator<Item = Part> + '_ {
        let parts = self.joint.parts().iter().zip(&self.kept);
        parts.filter(|(_, kept)| **kept).map(|(part, _)| *part)
    }

    /// Its equations by what they say of both bodies.
    pub(super) fn shapes(&self) -> impl Iterator<Item = Shape> + '_ {
        let (e1, e2) = tangents(&self.axes[0]);
        let directions = [e1, e2, self.axes[0].normalize()];
        self.parts().map(move |part| match part {
            Part::Shift(k) => Shape::Plane(directions[k]),
            Part::Turn(k) => Shape::Square(directions[k], self.axes[1]),
        })
    }

    pub(super) fn rows(&self) -> usize {
        self.parts().count()
    }

    pub(super) fn drop_rows(&mut self, idle: &[bool]) {
        drop_rows(&mut self.kept, idle);
    }

    pub(super) fn suffixes(&self) -> Vec<String> {
        self.parts()
            .map(|part| match part {
                Part::Shift(2) => ".axis".to_owned(),
                Part::Shift(k) => format!(".{}", k + 1),
                Part::Turn(2) => ".turn".to_owned(),
                Part::Turn(k) => format!(".turn.{}", k + 1),
            })
            .collect()
    }

    /// Which equations are of angles.
    pub(super) fn turns(&self) -> Vec<bool> {
        self.parts().map(|part| matches!(part, Part::Turn(_))).collect()
    }

    pub(super) fn check(&self, tree: &Tree) -> Result<(), ConstraintFault> {
        if !self
            .axes
            .iter()
            .all(|axis| axis.norm() > 0.0 && axis.iter().all(|x| x.is_finite()))
        {
            return Err(ConstraintFault::Axis);
        }
        let [Some(a), Some(b)] = self.between.map(|site| tree.sites.get(site)) else {
            return Err(ConstraintFault::NoSite);
        };
        if a.node == b.node {
            return Err(ConstraintFault::OneBody);
        }
        Ok(())
    }
}

impl Tree {
    /// Equations of a closing joint from row `row` on.
    pub(super) fn closing(&self, at: &Moving<'_>, closing: &Closing, row: usize, out: &mut ConstraintRows) {
        let [a, b] = closing.between;
        for (row, shape) in (row..).zip(closing.shapes()) {
            match shape {
                Shape::Plane(normal) => {
                    self.plane(at, b, a, &normal, row, out);
                    out.scale[row] += closing.length;
                }
                Shape::Square(x, y) => self.square(at, [a, b], [&x, &y], row, out),
            }
        }
    }

    /// `x·y = 0`, with x and y on the bodies of two sites.
    fn square(
        &self,
        at: &Moving<'_>,
        sites: [usize; 2],
        directions: [&Vec3; 2],
        row: usize,
        out: &mut ConstraintRows,
    ) {
        let nodes = sites.map(|site| self.sites[site].node);
        let seen = |k: usize| self.on_body(at.kinematics, nodes[k], directions[k]);
        let turning =
            |k: usize| nodes[k].map_or_else(Vec3::zeros, |i| angular(&at.kinematics.frames[i].twist));
        let (x, y) = (seen(0), seen(1));
        let moment = y.cross(&x);
        out.value[row] = x.dot(&y);
        out.scale[row] = 1.0;
        if let Some((accelerations, _)) = at.accelerations {
            let acceleration = |k: usize| nodes[k].map_or_else(Vec3::zeros, |i| angular(&accelerations[i]));
            let (w, v) = (turning(0), turning(1));
            let turned = v.cross(&y).cross(&x) + y.cross(&w.cross(&x));
            out.second[row] = moment.dot(&(acceleration(1) - acceleration(0))) + turned.dot(&(v - w));
        }
        for (node, moment) in [(nodes[0], -moment), (nodes[1], moment)] {
            if let Some(node) = node {
                self.pull_wrench(at, node, &join(&Vec3::zeros(), &moment), row, out);
            }
        }
    }
}

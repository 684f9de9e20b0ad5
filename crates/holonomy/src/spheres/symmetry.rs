//! Which rotations of all directions leave the potentials alone.
use super::{Body, Point, Spheres};
use crate::{
    Vec3,
    potential::{Carriers, Configuration, Symmetry, scattered},
    system::Base,
};

impl Spheres {
    pub(super) fn symmetry(&self) -> Symmetry {
        let carriers = Carriers {
            anchors: anchor_symmetry(&self.bodies, &self.points),
            configuration: &|number| self.configuration(number),
        };
        // Between two fixed points all turns about the line through them.
        let ends = self.held().map(|held| held.span());
        let start = ends.map_or(Symmetry::All, |span| Symmetry::fixing([&span]));
        let each = self.potentials.iter();
        each.fold(start, |s, v| s.and(v.symmetry_on(&carriers)))
    }

    /// Directions taken at random, and where they carry the points.
    fn configuration(&self, number: u64) -> Configuration {
        let direction = |i: usize| scattered(number, i).try_normalize(0.0).unwrap_or_else(Vec3::z);
        let q: Vec<Vec3> = (0..self.len()).map(direction).collect();
        let (mut points, mut ends) = (Vec::new(), Vec::new());
        self.place(&q, &mut points, &mut ends);
        let mut arms = q;
        for (point, place) in self.points.iter().zip(&points[self.len()..]) {
            arms.push(match *point {
                Point::Fixed(_) => Vec3::zeros(),
                Point::On { body, .. } => place - anchor(&self.bodies, body),
            });
        }
        Configuration { points, arms }
    }
}

/// The rotations of all directions that are rotations of the whole picture: the places that are
/// fixed in space and matter to a point must stay where they are, up to a common shift.
fn anchor_symmetry(bodies: &[Body], points: &[Point]) -> Symmetry {
    let anchors: Vec<Vec3> = points
        .iter()
        .map(|point| match *point {
            Point::Fixed(r) => r,
            Point::On { body, .. } => anchor(bodies, body),
        })
        .collect();
    let shifts: Vec<Vec3> = anchors.iter().map(|r| r - anchors[0]).collect();
    Symmetry::fixing(&shifts)
}

/// The fixed place that a body hangs on in the end.
fn anchor(bodies: &[Body], body: usize) -> Vec3 {
    let mut k = body;
    loop {
        match bodies[k].base {
            Base::Fixed(r) => return r,
            Base::Site(parent) => k = parent,
        }
    }
}

/// Of the two unit vectors along an axis, the one whose first non-zero component is positive.
pub(super) fn towards_positive(axis: Vec3) -> Vec3 {
    let negative = axis.iter().find(|x| **x != 0.0).is_some_and(|x| *x < 0.0);
    if negative { -axis } else { axis }
}

pub(super) fn axis_name(axis: &Vec3) -> String {
    for (name, unit) in [("x", Vec3::x()), ("y", Vec3::y()), ("z", Vec3::z())] {
        if *axis == unit {
            return name.to_owned();
        }
    }
    format!("about ({:.6}, {:.6}, {:.6})", axis.x, axis.y, axis.z)
}

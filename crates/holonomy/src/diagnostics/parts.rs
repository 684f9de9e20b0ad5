//! How far two states of a mechanism are apart, part by part: in radians, in metres, and as a share of how far each part
//! moves itself.
//!
//! ```text
//! part         distance                            moves by
//! direction    angle between the unit vectors      the diagonal of the box that it stays in, at most 1
//! rotation     angle of the turn between them      the largest turn from where it began, at most 1 rad
//! angle        difference, whole turns left out    its range, at most 1 rad
//! length       difference                          its range
//! site         distance in space                   the diagonal of the box that it stays in
//! ```
//! A heavy body does not hide a light one, nor a long rod a short one: every part is measured by itself.
use crate::{
    Vec3, math,
    system::{Layout, Mechanism, System},
};
use std::{f64::consts::TAU, sync::Arc};

/// The parts of a mechanism, and how far each of them was seen to move.
pub struct Parts {
    system: Arc<dyn System>,
    list: Vec<Part>,
    moves: Vec<Moves>,
    /// Places of the sites of one state and of another.
    sites: [Vec<Vec3>; 2],
}

/// A part that has a place of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// A unit vector that begins at this entry of q: the direction of the body of this number.
    Direction(usize),
    /// A quaternion that begins at this entry of q.
    Rotation(usize),
    /// An angle, this entry of q, rad.
    Angle(usize),
    /// A length, this entry of q, m.
    Length(usize),
    /// An entry of q whose unit is not known.
    Unknown(usize),
    /// The site of this number, m.
    Site(usize),
}

/// The box that a part stays in; of a rotation, the first one and the largest turn from there.
#[derive(Clone, Copy, Debug)]
struct Moves {
    least: [f64; 4],
    most: [f64; 4],
}

/// Less than this part of the largest number of its kind is rounding, and no motion.
const RESTS: f64 = 1e-8;

/// Sites up to which places are compared too: beyond, the parts say enough.
const MOST_SITES: usize = 1000;

impl Parts {
    /// The parts of a mechanism.
    pub fn new(mechanism: &Mechanism) -> Self {
        let system = mechanism.system();
        let layout = system.layout();
        let mut list: Vec<Part> = match mechanism {
            Mechanism::Spheres(spheres) => (0..spheres.len()).map(|body| Part::Direction(3 * body)).collect(),
            Mechanism::Tree(tree) => tree.parts(),
            Mechanism::Lagrangian(_) => of_coordinates(layout),
        };
        let mut sites = Vec::new();
        if layout.drawing.bases.len() <= MOST_SITES {
            sites = vec![Vec3::zeros(); layout.drawing.bases.len()];
            list.extend((0..layout.drawing.followed()).map(Part::Site));
        }
        Self {
            moves: vec![Moves::NOTHING; list.len()],
            sites: [sites.clone(), sites],
            list,
            system,
        }
    }

    /// The same parts, none of which was seen to move.
    pub fn again(&self) -> Self {
        Self {
            system: self.system.clone(),
            list: self.list.clone(),
            moves: vec![Moves::NOTHING; self.list.len()],
            sites: self.sites.clone(),
        }
    }

    /// Which they are.
    pub fn list(&self) -> &[Part] {
        &self.list
    }

    /// What a part is called.
    pub fn name(&self, part: usize) -> String {
        let layout = self.system.layout();
        let named = |name: Option<String>| name.unwrap_or_else(|| format!("part {}", part + 1));
        match self.list[part] {
            Part::Direction(at) => named(layout.words.bodies.one(at / 3)),
            Part::Rotation(at) => named(
                (layout.rotations.iter())
                    .find(|(begins, _)| *begins == at)
                    .map(|(_, name)| name.clone()),
            ),
            Part::Angle(at) | Part::Length(at) | Part::Unknown(at) => named(layout.coordinates.one(at)),
            Part::Site(site) => named(match layout.drawing.sites.get(site) {
                Some(name) => Some(name.clone()),
                None => layout.words.bodies.one(site),
            }),
        }
    }

    /// The unit that its distances are in; nothing where it is not known.
    pub fn unit(&self, part: usize) -> &'static str {
        match self.list[part] {
            Part::Direction(_) | Part::Rotation(_) | Part::Angle(_) => "rad",
            Part::Length(_) | Part::Site(_) => "m",
            Part::Unknown(_) => "",
        }
    }

    /// Takes notice of where the parts are.
    pub fn see(&mut self, t: f64, q: &[f64]) {
        place(&*self.system, t, q, &mut self.sites[0]);
        for (part, moves) in self.list.iter().zip(&mut self.moves) {
            match part {
                Part::Direction(at) => moves.widen(&q[*at..at + 3]),
                Part::Angle(at) | Part::Length(at) | Part::Unknown(at) => moves.widen(&q[*at..at + 1]),
                Part::Site(site) => moves.widen(self.sites[0][*site].as_slice()),
                Part::Rotation(at) => {
                    let now = [q[*at], q[at + 1], q[at + 2], q[at + 3]];
                    if moves.least[0] == f64::INFINITY {
                        (moves.least, moves.most) = (now, [0.0; 4]);
                    }
                    moves.most[0] = moves.most[0].max(turn(&moves.least, &now));
                }
            }
        }
    }

    /// How far each part moves, as far as it was seen: what distances are compared with. Parts at rest are compared with
    /// what would be motion.
    pub fn scales(&self) -> Vec<f64> {
        let largest = |of: fn(&Part) -> bool| {
            let these = self.list.iter().zip(&self.moves).filter(|(part, _)| of(part));
            these.map(|(_, moves)| moves.magnitude()).fold(0.0, f64::max)
        };
        let length = largest(|part| matches!(part, Part::Length(_) | Part::Site(_)));
        let unknown = largest(|part| matches!(part, Part::Unknown(_)));
        let least = |floor: f64, moves: f64| moves.max(RESTS * floor).max(f64::MIN_POSITIVE);
        let scale = |(part, moves): (&Part, &Moves)| match part {
            Part::Direction(_) => least(1.0, moves.diagonal().min(1.0)),
            Part::Rotation(_) => least(1.0, moves.most[0].min(1.0)),
            Part::Angle(_) => least(1.0, moves.diagonal().min(1.0)),
            Part::Length(_) | Part::Site(_) => least(length, moves.diagonal()),
            Part::Unknown(_) => least(unknown, moves.diagonal()),
        };
        self.list.iter().zip(&self.moves).map(scale).collect()
    }

    /// The distance of every part between two states of one time. What is not a number is far.
    pub fn distances(&mut self, t: f64, one: &[f64], other: &[f64], out: &mut Vec<f64>) {
        let [here, there] = &mut self.sites;
        place(&*self.system, t, one, here);
        place(&*self.system, t, other, there);
        out.clear();
        out.extend(self.list.iter().map(|part| {
            let distance = match part {
                Part::Direction(at) => between(&one[*at..at + 3], &other[*at..at + 3]),
                Part::Rotation(at) => turn(&one[*at..at + 4], &other[*at..at + 4]),
                Part::Angle(at) => {
                    let apart = one[*at] - other[*at];
                    (apart - TAU * (apart / TAU).round()).abs()
                }
                Part::Length(at) | Part::Unknown(at) => (one[*at] - other[*at]).abs(),
                Part::Site(site) => (here[*site] - there[*site]).norm(),
            };
            if distance.is_nan() {
                f64::INFINITY
            } else {
                distance
            }
        }));
    }
}

impl Moves {
    const NOTHING: Self = Self {
        least: [f64::INFINITY; 4],
        most: [f64::NEG_INFINITY; 4],
    };

    fn widen(&mut self, place: &[f64]) {
        for (k, x) in place.iter().enumerate() {
            self.least[k] = self.least[k].min(*x);
            self.most[k] = self.most[k].max(*x);
        }
    }

    /// The diagonal of the box.
    fn diagonal(&self) -> f64 {
        let sides = self.least.iter().zip(&self.most);
        let squares = sides.map(|(least, most)| if most > least { most - least } else { 0.0 });
        squares.map(|side| side * side).sum::<f64>().sqrt()
    }

    /// The largest number in it.
    fn magnitude(&self) -> f64 {
        let ends = self.least.iter().chain(&self.most).filter(|x| x.is_finite());
        ends.fold(0.0, |m: f64, x| m.max(x.abs()))
    }
}

fn place(system: &dyn System, t: f64, q: &[f64], sites: &mut [Vec3]) {
    if !sites.is_empty() {
        system.sites(t, q, sites);
    }
}

fn of_coordinates(layout: &Layout) -> Vec<Part> {
    let turns = |at: usize| {
        layout
            .rotations
            .iter()
            .find(|(begins, _)| (*begins..begins + 4).contains(&at))
    };
    let each = (0..layout.coordinates.len()).filter_map(|at| match turns(at) {
        Some((begins, _)) => (*begins == at).then_some(Part::Rotation(at)),
        None if layout.periodic.get(at) == Some(&true) => Some(Part::Angle(at)),
        None => Some(Part::Unknown(at)),
    });
    each.collect()
}

/// The angle between two directions, which need not be unit vectors: exact for small ones too.
fn between(a: &[f64], b: &[f64]) -> f64 {
    let (a, b) = (Vec3::from_column_slice(a), Vec3::from_column_slice(b));
    math::atan2(a.cross(&b).norm(), a.dot(&b))
}

/// The angle of the rotation between two quaternions, which need not be unit ones.
fn turn(a: &[f64], b: &[f64]) -> f64 {
    let norm = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
    let (na, nb) = (norm(a), norm(b));
    let sign = if a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>() < 0.0 {
        -1.0
    } else {
        1.0
    };
    let each = a.iter().zip(b).map(|(a, b)| (a / na, sign * b / nb));
    let (mut apart, mut together) = (0.0, 0.0);
    for (a, b) in each {
        apart += (a - b) * (a - b);
        together += (a + b) * (a + b);
    }
    4.0 * math::atan2(apart.sqrt(), together.sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn angles_are_those_of_geometry() {
        // A turn by 2·10⁻⁹ about x, and by 179°.
        for angle in [2e-9, 0.3, 179_f64.to_radians()] {
            let (sin, cos) = (angle / 2.0).sin_cos();
            let found = turn(&[1.0, 0.0, 0.0, 0.0], &[cos, sin, 0.0, 0.0]);
            assert!(
                (found - angle).abs() < 1e-15 * (1.0 + angle / 1e-9).min(10.0),
                "{found} {angle}"
            );
            let mirrored = turn(&[-2.0, 0.0, 0.0, 0.0], &[cos, sin, 0.0, 0.0]);
            assert!((mirrored - angle).abs() < 1e-14, "{mirrored} {angle}");
            let found = between(&[1.0, 0.0, 0.0], &[angle.cos(), angle.sin(), 0.0]);
            assert!((found - angle).abs() < 1e-14, "{found} {angle}");
        }
    }

    #[test]
    fn the_box_has_its_diagonal() {
        let mut moves = Moves::NOTHING;
        assert_eq!(moves.diagonal(), 0.0);
        moves.widen(&[1.0, -2.0, 0.0]);
        moves.widen(&[4.0, 2.0, 0.0]);
        assert_eq!((moves.diagonal(), moves.magnitude()), (5.0, 4.0));
    }
}

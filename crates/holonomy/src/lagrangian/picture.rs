//! How a system in generalized coordinates looks: named points `x(t, q)` and lines between them.
//!
//! ```text
//! points     xₖ(t, q)                 named; drawn as points, and their paths are followed
//! curves     x(t, q, u)               u = 0 … 2π in equal parts; only the line is drawn
//! slots      those of the mechanism, and u behind them
//! ```
//! Nothing here moves anything: a point without a value is not a number, and the motion goes on.
use super::{FormulaMemory, Lagrangian, LagrangianError, Slots};
use crate::{
    Vec3,
    formula::{Expressions, Formula, Program},
    scene::{Poses, Scene, Shape},
    system::{Base, Drawing, Named, check_names},
};
use std::f64::consts::TAU;

/// What a system in generalized coordinates looks like.
#[derive(Clone, Debug)]
pub struct Picture<'a> {
    /// Where the variables are; those of the mechanism.
    pub slots: Slots,
    /// Names of points, and for each formulas of coordinates and time with three components together, m.
    pub points: &'a [(String, Vec<Formula>)],
    /// What is drawn besides the points.
    pub lines: &'a [PictureLine],
    /// The way up, where there is gravity.
    pub up: Option<Vec3>,
}

/// A line in a [`Picture`].
#[derive(Clone, Debug)]
pub enum PictureLine {
    /// Straight from point to point.
    Through {
        /// The numbers of the points, two or more.
        points: Vec<usize>,
        /// Whether the last is joined to the first.
        closed: bool,
    },
    /// Along a curve: formulas with three components together, also of the variable in [`Slots::along`].
    Curve(Vec<Formula>),
}

/// Straight parts that a curve is drawn with: more than a line has whose joints figures show.
const PARTS: usize = 48;

/// A picture, ready to be drawn.
#[derive(Default)]
pub(super) struct Painter {
    pub(super) slots: Option<Slots>,
    points: Vec<Program>,
    /// How the points move.
    pub(super) velocities: Vec<Program>,
    curves: Vec<Program>,
    /// The longest distance between two points where it was looked at, m.
    size: f64,
}

impl Lagrangian {
    /// The same, to be seen as in the picture. It is looked at where the system is at `(t, q)` to learn how large it
    /// is.
    pub fn with_picture(mut self, picture: &Picture, t: f64, q: &[f64]) -> Result<Self, LagrangianError> {
        let (given, wanted) = (picture.slots.coordinates, self.mechanics.coordinates());
        if given != wanted || q.len() != wanted {
            return Err(LagrangianError::PictureCoordinates { given, wanted });
        }
        let (painter, drawing) = Painter::new(picture)?;
        self.layout.drawing = drawing;
        self.painter = painter;
        let mut places = Vec::new();
        self.painter.place(t, q, &mut FormulaMemory::default(), |place| {
            places.push(Vec3::from(place))
        });
        let pairs = places.iter().enumerate();
        let distances = pairs.flat_map(|(k, a)| places[..k].iter().map(move |b| (a - b).norm()));
        // What is not a number is not larger.
        self.painter.size = distances.fold(0.0, f64::max);
        Ok(self)
    }

    pub(super) fn draw(&self) -> Scene {
        let drawing = &self.layout.drawing;
        let named = drawing.sites.len();
        let lines = drawing.strings.iter().cloned();
        let shapes = (0..named).map(|at| Shape::Point { at });
        let curves = (0..self.painter.curves.len())
            .flat_map(|curve| (0..=PARTS).map(move |part| format!("curve-{}.{}", curve + 1, part + 1)));
        Scene {
            points: drawing.sites.iter().cloned().chain(curves).collect(),
            shapes: shapes
                .chain(lines.map(|through| Shape::Line { through }))
                .collect(),
            down: drawing.down.map(Into::into),
            size: self.painter.size,
            ..Scene::default()
        }
    }

    pub(super) fn pose(&self, t: f64, q: &[f64], memory: &mut FormulaMemory, out: &mut Poses) {
        out.clear();
        self.painter.place(t, q, memory, |place| out.points.push(place));
    }

    pub(super) fn place_sites(&self, t: f64, q: &[f64], out: &mut [Vec3]) {
        let mut out = out.iter_mut();
        self.painter.place(t, q, &mut FormulaMemory::default(), |place| {
            if let Some(out) = out.next() {
                *out = place.into();
            }
        });
    }
}

impl Painter {
    fn new(picture: &Picture) -> Result<(Self, Drawing), LagrangianError> {
        let names: Vec<String> = picture.points.iter().map(|(name, _)| name.clone()).collect();
        check_names(Named::Point, names.iter().map(String::as_str))?;
        let each = picture.points.iter();
        let points: Vec<Program> = each
            .map(|(name, formulas)| compile(name, formulas, picture.slots))
            .collect::<Result<_, _>>()?;
        let each = picture.points.iter();
        let velocities = each.map(|(_, formulas)| moving(formulas, picture.slots));
        let velocities = velocities.collect();
        let (mut curves, mut strings) = (Vec::new(), Vec::new());
        for (line, drawn) in picture.lines.iter().enumerate() {
            strings.push(match drawn {
                PictureLine::Through { points, closed } => {
                    let count = names.len();
                    if let Some(point) = points.iter().copied().find(|point| *point >= count) {
                        return Err(LagrangianError::NoSuchPoint { line, point, count });
                    }
                    if points.len() < 2 {
                        return Err(LagrangianError::ShortLine { line });
                    }
                    let first = points.first().filter(|_| *closed);
                    points.iter().chain(first).copied().collect()
                }
                PictureLine::Curve(formulas) => {
                    let first = names.len() + curves.len() * (PARTS + 1);
                    let name = format!("curve-{}", curves.len() + 1);
                    curves.push(compile(&name, formulas, picture.slots)?);
                    (first..=first + PARTS).collect::<Vec<usize>>()
                }
            });
        }
        let count = names.len() + curves.len() * (PARTS + 1);
        let drawing = Drawing {
            sites: names,
            bases: (0..count).map(Base::Site).collect(),
            strings,
            down: picture.up.map(|up| -up.normalize()),
            ..Drawing::default()
        };
        let painter = Self {
            slots: Some(picture.slots),
            points,
            velocities,
            curves,
            size: 0.0,
        };
        Ok((painter, drawing))
    }

    /// Where the points are, one after the other, and then those of the curves.
    fn place(&self, t: f64, q: &[f64], memory: &mut FormulaMemory, mut out: impl FnMut([f64; 3])) {
        let Some(slots) = self.slots else {
            return;
        };
        let FormulaMemory {
            variables, registers, ..
        } = memory;
        // No velocity is in the formulas.
        variables.clear();
        variables.extend_from_slice(q);
        variables.resize(slots.along() + 1, 0.0);
        variables[slots.time()] = t;
        let mut evaluate = |program: &Program, variables: &[f64]| {
            let mut place = [0.0; 3];
            match program.evaluate(variables, registers, &mut place) {
                Ok(()) => out(place),
                Err(_) => out([f64::NAN; 3]),
            }
        };
        for point in &self.points {
            evaluate(point, variables);
        }
        for curve in &self.curves {
            for part in 0..=PARTS {
                variables[slots.along()] = TAU * part as f64 / PARTS as f64;
                evaluate(curve, variables);
            }
        }
    }
}

/// A program for the three components of how a place moves, where coordinates change at their velocities.
fn moving(formulas: &[Formula], slots: Slots) -> Program {
    let mut expressions = Expressions::new();
    let one = expressions.constant(1.0);
    let mut rates = vec![(slots.time(), one)];
    for a in 0..slots.coordinates {
        rates.push((slots.coordinate(a), expressions.variable(slots.velocity(a))));
    }
    let mut parts = Vec::new();
    for formula in formulas {
        for part in expressions.components(formula) {
            parts.push(expressions.derivative_along(part, &rates));
        }
    }
    expressions.compile(&parts)
}

/// A program for the three components of a place.
fn compile(name: &str, formulas: &[Formula], slots: Slots) -> Result<Program, LagrangianError> {
    let mut expressions = Expressions::new();
    let each = formulas
        .iter()
        .flat_map(|formula| expressions.components(formula));
    let parts: Vec<_> = each.collect();
    let point = || name.to_owned();
    if parts.len() != 3 {
        let given = parts.len();
        return Err(LagrangianError::PointComponents {
            point: point(),
            given,
        });
    }
    let velocities = (0..slots.coordinates).map(|a| slots.velocity(a));
    let others = (0..slots.quasi_velocities).map(|i| slots.quasi_velocity(i));
    let moving: Vec<usize> = velocities.chain(others).collect();
    for part in &parts {
        let slopes = expressions.gradient(*part, &moving);
        let still = |slope: &_| expressions.known_value(*slope) == Some(0.0);
        if !slopes.iter().all(still) {
            return Err(LagrangianError::PointMoves { point: point() });
        }
    }
    Ok(expressions.compile(&parts))
}

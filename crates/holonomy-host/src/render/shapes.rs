//! What a shape of the scene looks like: marks on the page, each as near as the shape.
use super::{
    camera::Placed,
    canvas::{BLACK, Colour, WHITE},
    geometry::{cross, finite, normalised, placed, rotated},
    picture::{BODIES, Item, Mark, Picture, mean, pixel},
};
use holonomy::scene::{Axis, FramePose, JointShape, Poses, Scene, Shape};

impl Picture {
    /// Adds the marks of a shape.
    pub(super) fn shape(&self, shape: &Shape, items: &mut Vec<Item>) {
        let unit = self.unit;
        let point = |index: usize| self.point(index);
        let mut line = |points: &[usize], width: f32, colour: Colour| {
            if let Some(placed) = points
                .iter()
                .map(|index| point(*index))
                .collect::<Option<Vec<Placed>>>()
            {
                for pair in placed.windows(2) {
                    items.push(Item {
                        depth: 0.5 * (pair[0].depth + pair[1].depth),
                        what: Mark::Line(pair.iter().map(pixel).collect(), width * unit, colour),
                    });
                }
            }
        };
        match shape {
            Shape::Rod { from, to, radius, .. } => {
                let (Some(a), Some(b)) = (point(*from), point(*to)) else {
                    return;
                };
                let width = (radius * (a.scale + b.scale)) as f32;
                items.push(Item {
                    depth: 0.5 * (a.depth + b.depth),
                    what: Mark::Bar(
                        [pixel(&a), pixel(&b)],
                        width.clamp(4.0 * unit, 14.0 * unit),
                        self.colours.rod,
                    ),
                });
            }
            Shape::Mass { body, at, radius } => {
                if let Some(place) = point(*at) {
                    let least = if self.hottest.is_some() { 2.5 } else { 6.0 };
                    // As near as its front: rods end in it.
                    let depth = place.depth + radius;
                    let radius = ((radius * place.scale) as f32).max(least * unit);
                    items.push(Item {
                        depth,
                        what: Mark::Ball(pixel(&place), radius, self.body(*body)),
                    });
                }
            }
            Shape::Inertia {
                body,
                centre,
                rotation,
                edges,
            } => {
                if let Some(frame) = self.now.poses.frames.get(*body) {
                    items.extend(self.solid(frame, *centre, *rotation, *edges, self.body(*body)));
                }
            }
            Shape::Joint {
                joint,
                from,
                to,
                axes,
                ..
            } => {
                if matches!(joint, JointShape::Prismatic | JointShape::Screw) {
                    line(&[*from, *to], 1.5, self.colours.faint);
                }
                if *joint == JointShape::Fixed || *joint == JointShape::Free {
                    return;
                }
                let Some(place) = point(*to) else {
                    return;
                };
                if let (JointShape::Revolute, Some(axis)) = (joint, axes.first()) {
                    items.extend(self.hinge(axis, *to));
                }
                items.push(Item {
                    depth: place.depth,
                    what: Mark::Ring(pixel(&place), 4.5 * unit, self.colours.ink),
                });
            }
            Shape::Pivot { at } => {
                if let Some(place) = point(*at) {
                    items.push(Item {
                        depth: place.depth,
                        what: Mark::Ring(pixel(&place), 6.0 * unit, self.colours.ink),
                    });
                }
            }
            Shape::Pin { between: [at, _], .. } => {
                if let Some(place) = point(*at) {
                    items.push(Item {
                        depth: place.depth,
                        what: Mark::Ring(pixel(&place), 4.0 * unit, self.colours.ink),
                    });
                }
            }
            Shape::Point { at } => {
                if let Some(place) = point(*at) {
                    let colour = self.body(*at);
                    items.push(Item {
                        depth: place.depth,
                        what: Mark::Ball(pixel(&place), 8.0 * unit, colour),
                    });
                }
            }
            Shape::Line { through } => line(through, 3.0, self.colours.rod),
            Shape::Cable { through, .. } => line(through, 2.0, self.colours.ink.faded(0.8)),
            Shape::Plane { on, normal, .. } => items.extend(self.plane(*on, normal)),
            Shape::Spring { between } => items.extend(self.coil(*between)),
            Shape::Damper { between } => {
                line(between, 1.5, self.colours.ink);
                if let [Some(a), Some(b)] = between.map(point) {
                    let at = |share: f32| {
                        let (a, b) = (pixel(&a), pixel(&b));
                        [a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1])]
                    };
                    items.push(Item {
                        depth: 0.5 * (a.depth + b.depth) + 1e-6,
                        what: Mark::Bar([at(0.35), at(0.65)], 10.0 * unit, self.colours.faint),
                    });
                }
            }
            Shape::Beam {
                between,
                axes,
                length,
            } => items.extend(self.beam(*between, axes, *length)),
            Shape::Sphere { centre, radius } => {
                if let Some(place) = point(*centre) {
                    let radius = (radius * place.scale) as f32;
                    items.push(Item {
                        depth: place.depth,
                        what: Mark::Globe(pixel(&place), radius),
                    });
                }
            }
        }
    }

    /// The cubic curve of a beam, which leaves its ends along their axes.
    fn beam(&self, between: [usize; 2], axes: &[Axis; 2], length: f64) -> Option<Item> {
        let [a, b] = between.map(|index| self.now.poses.points.get(index).copied());
        let (a, b) = (a?, b?);
        let [u, v] = [0, 1].map(|end| self.axis(&axes[end]));
        let curve = (0..=BEAM).map(|k| {
            let s = k as f64 / BEAM as f64;
            let r = 1.0 - s;
            [0, 1, 2].map(|axis| {
                let ends = r * r * (1.0 + 2.0 * s) * a[axis] + s * s * (1.0 + 2.0 * r) * b[axis];
                ends + length * r * s * (r * u[axis] - s * v[axis])
            })
        });
        let placed: Option<Vec<Placed>> = curve
            .map(|point| finite(&point).then(|| self.camera.place(point)))
            .collect();
        let placed = placed?;
        Some(Item {
            depth: mean(placed.iter().map(|place| place.depth)),
            what: Mark::Line(
                placed.iter().map(pixel).collect(),
                5.0 * self.unit,
                self.colours.rod,
            ),
        })
    }

    /// A zigzag between two points, drawn on the page.
    fn coil(&self, between: [usize; 2]) -> Option<Item> {
        let [a, b] = between.map(|index| self.point(index));
        let (a, b) = (a?, b?);
        let ([x, y], end) = (pixel(&a), pixel(&b));
        let along = [end[0] - x, end[1] - y];
        let length = (along[0] * along[0] + along[1] * along[1]).sqrt().max(1e-6);
        let aside = [-along[1] / length, along[0] / length].map(|part| part * 7.0 * self.unit);
        let at = |share: f32, side: f32| {
            [
                x + share * along[0] + side * aside[0],
                y + share * along[1] + side * aside[1],
            ]
        };
        let mut points = vec![at(0.0, 0.0), at(0.1, 0.0)];
        points.extend((0..COILS).map(|k| {
            let share = 0.1 + 0.8 * (k as f32 + 0.5) / COILS as f32;
            at(share, if k % 2 == 0 { 1.0 } else { -1.0 })
        }));
        points.extend([at(0.9, 0.0), at(1.0, 0.0)]);
        Some(Item {
            depth: 0.5 * (a.depth + b.depth),
            what: Mark::Line(points, 1.8 * self.unit, BODIES[2].towards(self.colours.ink, 0.2)),
        })
    }

    /// A short bar along the axis that a body turns about.
    fn hinge(&self, axis: &Axis, at: usize) -> Option<Item> {
        let place = self.point(at)?;
        let [right, down, _] = self.camera.direction(self.axis(axis)).map(|part| part as f32);
        let ([x, y], reach) = (pixel(&place), 9.0 * self.unit);
        let end = |sign: f32| [x + sign * reach * right, y + sign * reach * down];
        let what = Mark::Bar([end(-1.0), end(1.0)], 6.0 * self.unit, self.colours.faint);
        Some(Item {
            depth: place.depth - 1e-6,
            what,
        })
    }

    /// A square of a plane.
    fn plane(&self, on: usize, normal: &Axis) -> Option<Item> {
        let centre = self.now.poses.points.get(on).copied().filter(finite)?;
        let n = self.axis(normal);
        let least = (0..3).min_by(|&a, &b| n[a].abs().total_cmp(&n[b].abs()))?;
        let mut other = [0.0; 3];
        other[least] = 1.0;
        let u = normalised(cross(n, other))?;
        let v = cross(n, u);
        let half = 0.35 * self.scene.size;
        let corners = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]].map(|[a, b]| {
            let corner = [0, 1, 2].map(|axis| centre[axis] + half * (a * u[axis] + b * v[axis]));
            pixel(&self.camera.place(corner))
        });
        let depth = self.camera.place(centre).depth - half;
        Some(Item {
            depth,
            what: Mark::Solid(vec![(corners, self.colours.faint.faded(0.25))]),
        })
    }

    /// The faces of a box that are seen.
    fn solid(
        &self,
        frame: &FramePose,
        centre: [f64; 3],
        rotation: [f64; 4],
        edges: [f64; 3],
        colour: Colour,
    ) -> Option<Item> {
        // A thin box is still a box to the eye.
        let least = 0.012 * self.scene.size.max(1e-300);
        let half = edges.map(|edge| 0.5 * edge.max(least));
        let axes = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
            .map(|axis| rotated(frame.rotation, rotated(rotation, axis)));
        let middle = placed(frame, centre);
        let at = |signs: [f64; 3]| {
            [0, 1, 2].map(|k| {
                middle[k]
                    + (0..3)
                        .map(|axis| signs[axis] * half[axis] * axes[axis][k])
                        .sum::<f64>()
            })
        };
        if !finite(&middle) || !half.iter().all(|part| part.is_finite()) {
            return None;
        }
        let mut faces = Vec::new();
        for axis in 0..3 {
            for side in [-1.0, 1.0] {
                let corners = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]].map(|[a, b]| {
                    let mut signs = [side; 3];
                    signs[(axis + 1) % 3] = a;
                    signs[(axis + 2) % 3] = side * b;
                    pixel(&self.camera.place(at(signs)))
                });
                // Its corners run against the clock on the page if it is seen from outside; y points down.
                if area(&corners) >= 0.0 {
                    continue;
                }
                let [right, down, toward] = self.camera.direction(axes[axis].map(|part| side * part));
                let light = (-0.35 * right - 0.65 * down + 0.67 * toward).max(0.0) as f32;
                faces.push((
                    corners,
                    BLACK
                        .towards(colour, 0.45 + 0.55 * light)
                        .towards(WHITE, 0.25 * light * light)
                        // It stands for an inertia; what is behind it is as real.
                        .faded(0.7),
                ));
            }
        }
        Some(Item {
            depth: self.camera.place(middle).depth,
            what: Mark::Solid(faces),
        })
    }
}

/// Pieces of a beam, and turns of a spring.
const BEAM: usize = 16;
const COILS: usize = 14;

/// Balls around everything that is drawn.
pub(super) fn extents(scene: &Scene, poses: &Poses) -> Vec<([f64; 3], f64)> {
    let mut balls: Vec<([f64; 3], f64)> = Vec::new();
    for shape in &scene.shapes {
        let mut add = |points: &[usize], radius: f64| {
            balls.extend(
                points
                    .iter()
                    .filter_map(|index| poses.points.get(*index))
                    .map(|at| (*at, radius)),
            );
        };
        match shape {
            Shape::Rod { from, to, radius, .. } => add(&[*from, *to], *radius),
            Shape::Mass { at, radius, .. } => add(&[*at], *radius),
            Shape::Joint { from, to, .. } => add(&[*from, *to], 0.0),
            Shape::Pivot { at } | Shape::Point { at } => add(&[*at], 0.0),
            Shape::Cable { through, .. } | Shape::Line { through } => add(through, 0.0),
            Shape::Pin { between, .. } | Shape::Spring { between } | Shape::Damper { between } => {
                add(between, 0.0)
            }
            Shape::Beam { between, .. } => add(between, 0.0),
            Shape::Plane { at, .. } => add(&[*at], 0.0),
            Shape::Sphere { centre, radius } => add(&[*centre], *radius),
            Shape::Inertia {
                body, centre, edges, ..
            } => {
                let half = 0.5 * edges.iter().map(|edge| edge * edge).sum::<f64>().sqrt();
                balls.extend(
                    poses
                        .frames
                        .get(*body)
                        .map(|frame| (placed(frame, *centre), half)),
                );
            }
        }
    }
    balls
}

/// Twice the area within a polygon, positive if it runs with the clock on a page whose y points down.
fn area(corners: &[[f32; 2]; 4]) -> f32 {
    (0..4)
        .map(|k| {
            let ([x, y], [next_x, next_y]) = (corners[k], corners[(k + 1) % 4]);
            x * next_y - next_x * y
        })
        .sum()
}

//! How a tree looks: rods between what is fixed on a body, boxes of inertia, joints, cables, springs and beams.
//!
//! Points, in their order: the sites; where each body begins, behind its joint; where its joint is on the parent; the
//! centres of point masses; points along ropes, and on the rims of their pulleys; those on what rolls.
use super::{
    Constraint, JointKind, Kinematics, Moving, Rolling, SitePlace, Tree, links::BoundLink, rope_path::RIM,
};
use crate::{
    Vec3,
    geometry::{self, RigidInertia},
    scene::{Axis, FramePose, JointShape, Poses, Scene, Shape},
    system::Names,
};
use nalgebra::{Matrix3, Rotation3, UnitQuaternion};

impl Tree {
    pub(super) fn shapes(&self) -> Scene {
        let (sites, n) = (self.sites.len(), self.len());
        let size = self.length();
        let mut shapes = Vec::new();
        for body in 0..n {
            let (origin, mount) = (sites + body, sites + n + body);
            if self.nodes[self.first_node(body)].parent.is_none() {
                shapes.push(Shape::Pivot { at: mount });
            }
            shapes.push(self.joint_shape_of(body, mount, origin));
            self.push_mass(body, size, &mut shapes);
        }
        self.push_rods(size, &mut shapes);
        self.push_constraints(&mut shapes);
        let next = self.push_ropes(&mut shapes);
        self.push_wheels(next, &mut shapes);
        let springs = self.potentials.iter().filter_map(|v| v.drawn_as_spring());
        shapes.extend(springs.map(|between| Shape::Spring { between }));
        for link in &self.links {
            shapes.push(match link {
                BoundLink::Damper { ends, .. } => Shape::Damper {
                    between: ends.map(|end| self.site_at(&end)),
                },
                BoundLink::String(string) => Shape::Cable {
                    name: self.string_name(string),
                    through: string.through.clone(),
                },
                BoundLink::Beam(beam) => Shape::Beam {
                    between: beam.ends.map(|end| self.site_at(&end)),
                    axes: [0, 1].map(|k| {
                        let along: Vec3 = beam.axes[k].column(0).into();
                        self.axis_on(beam.ends[k].node, &along)
                    }),
                    length: beam.length,
                },
            });
        }
        Scene {
            frames: self.layout.words.bodies.clone(),
            points: self.point_names(),
            shapes,
            down: self.layout.drawing.down.map(Into::into),
            size,
        }
    }

    fn point_names(&self) -> Names {
        let bodies = &self.layout.words.bodies;
        let joints = bodies.iter().map(|body| format!("{body}.joint"));
        let masses = self.point_masses().map(|body| format!("{}.mass", bodies[body]));
        let sites = self.layout.drawing.sites.iter().cloned();
        let ropes = self.routes().flat_map(|(name, route)| {
            let points = route.traced() + RIM * route.pulleys().count();
            (1..=points).map(move |k| format!("{name}.path.{k}"))
        });
        let wheels = self.wheels().flat_map(|(name, rolling)| {
            (1..=RIM * rolling.circles()).map(move |k| format!("{name}.rim.{k}"))
        });
        let points = sites.chain(joints).chain(masses);
        points.chain(ropes).chain(wheels).collect()
    }

    /// Bodies that are a mass at a point away from where they begin.
    fn point_masses(&self) -> impl Iterator<Item = usize> {
        (0..self.len()).filter(|body| {
            let inertia = &self.nodes[self.body_nodes[*body]].inertia;
            inertia.mass > 0.0 && inertia.moment == Matrix3::zeros()
        })
    }

    fn joint_shape_of(&self, body: usize, from: usize, to: usize) -> Shape {
        let described = self.describe(body);
        let frame = described.parent;
        let mut axes: Vec<Axis> = (described.axes.iter())
            .map(|axis| Axis {
                frame,
                direction: (*axis).into(),
            })
            .collect();
        if let [_, second] = &mut axes[..] {
            // The second axis of a universal joint turns with the body.
            *second = self.axis_on(Some(self.body_nodes[body]), &Vec3::z());
        }
        Shape::Joint {
            body,
            joint: described.joint,
            from,
            to,
            axes,
            driven: described.driven,
        }
    }

    /// A direction in the axes of a node, seen from the body it belongs to.
    fn axis_on(&self, node: Option<usize>, direction: &Vec3) -> Axis {
        let frame = node.map(|node| self.nodes[node].body);
        let direction = match frame {
            Some(body) => self.node_from_body[body].rotation.inverse() * direction,
            None => *direction,
        };
        Axis {
            frame,
            direction: direction.into(),
        }
    }

    fn push_mass(&self, body: usize, size: f64, shapes: &mut Vec<Shape>) {
        let inertia = self.nodes[self.body_nodes[body]]
            .inertia
            .moved(&self.node_from_body[body].inverse());
        let body_of = |site: usize| self.sites[site].node.map(|node| self.nodes[node].body);
        let rolls = self
            .wheels()
            .any(|(_, rolling)| body_of(rolling.site) == Some(body));
        // What rolls is drawn as it is.
        if inertia.mass > 0.0 && inertia.moment != Matrix3::zeros() && !rolls {
            let (rotation, edges) = box_of(&inertia);
            shapes.push(Shape::Inertia {
                body,
                centre: inertia.centre.into(),
                rotation: numbers(&rotation),
                edges: edges.into(),
            });
        }
        if let Some(k) = self.point_masses().position(|other| other == body) {
            let at = self.sites.len() + 2 * self.len() + k;
            let radius = 0.05 * size;
            shapes.push(Shape::Mass { body, at, radius });
        }
    }

    /// From where a body begins to what is fixed on it: joints of others, sites, and its mass if it is a point.
    fn push_rods(&self, size: f64, shapes: &mut Vec<Shape>) {
        let (sites, n, radius) = (self.sites.len(), self.len(), 0.02 * size);
        let mut rod = |node: Option<usize>, position: &Vec3, to: usize| {
            if let Some(node) = node.filter(|_| position.norm() > 1e-9 * size) {
                let body = self.nodes[node].body;
                let from = sites + body;
                shapes.push(Shape::Rod {
                    body,
                    from,
                    to,
                    radius,
                });
            }
        };
        for body in 0..n {
            let joint = &self.nodes[self.first_node(body)];
            rod(joint.parent, &joint.translation, sites + n + body);
        }
        for (number, site) in self.sites.iter().enumerate() {
            rod(site.node, &site.position, number);
        }
        for (k, body) in self.point_masses().enumerate() {
            let node = self.body_nodes[body];
            rod(Some(node), &self.nodes[node].inertia.centre, sites + 2 * n + k);
        }
    }

    fn push_constraints(&self, shapes: &mut Vec<Shape>) {
        for (name, constraint) in &self.constraints {
            let name = name.clone();
            shapes.push(match constraint {
                Constraint::Distance { between, .. } => Shape::Cable {
                    name,
                    through: between.to_vec(),
                },
                Constraint::Cable { through, .. } | Constraint::Tether { through, .. } => Shape::Cable {
                    name,
                    through: through.clone(),
                },
                Constraint::Coincidence { between, .. } => Shape::Pin {
                    name,
                    between: *between,
                },
                Constraint::Plane { site, on, normal } => Shape::Plane {
                    name,
                    at: *site,
                    on: *on,
                    normal: Axis {
                        frame: self.sites[*on].node.map(|node| self.nodes[node].body),
                        direction: normal.normalize().into(),
                    },
                },
                Constraint::Closing(closing) => Shape::Pin {
                    name,
                    between: closing.between,
                },
                Constraint::Rolling(rolling) => Shape::Plane {
                    name,
                    at: rolling.site,
                    on: rolling.on,
                    normal: Axis {
                        frame: self.sites[rolling.on].node.map(|node| self.nodes[node].body),
                        direction: rolling.normal.normalize().into(),
                    },
                },
                Constraint::Orientation { .. }
                | Constraint::Coupling { .. }
                | Constraint::Blade(_)
                | Constraint::Route(_) => {
                    continue;
                }
            });
        }
    }

    /// Ropes, and the rims of their pulleys: lines. The number of the point behind theirs.
    fn push_ropes(&self, shapes: &mut Vec<Shape>) -> usize {
        let mut next = self.sites.len() + 2 * self.len() + self.point_masses().count();
        for (_, route) in self.routes() {
            let through = (next..next + route.traced()).collect();
            next += route.traced();
            shapes.push(Shape::Line { through });
            for _ in route.pulleys() {
                let through = (next..next + RIM).chain([next]).collect();
                next += RIM;
                shapes.push(Shape::Line { through });
            }
        }
        next
    }

    /// Disks with four spokes, spheres as three circles.
    fn push_wheels(&self, mut next: usize, shapes: &mut Vec<Shape>) {
        for (_, rolling) in self.wheels() {
            for _ in 0..rolling.circles() {
                let through = (next..next + RIM).chain([next]).collect();
                shapes.push(Shape::Line { through });
                if rolling.axis.is_some() {
                    let spokes = [0, RIM / 4].map(|k| vec![next + k, next + k + RIM / 2]);
                    shapes.extend(spokes.map(|through| Shape::Line { through }));
                }
                next += RIM;
            }
        }
    }

    fn wheels(&self) -> impl Iterator<Item = (&str, &Rolling)> {
        self.constraints
            .iter()
            .filter_map(|(name, constraint)| match constraint {
                Constraint::Rolling(rolling) => Some((name.as_str(), rolling)),
                _ => None,
            })
    }

    fn trace_wheel(&self, kinematics: &Kinematics, rolling: &Rolling, mut add: impl FnMut(Vec3)) {
        let place = &self.sites[rolling.site];
        let centre = kinematics.site(place);
        let axes = match rolling.axis {
            Some(axis) => vec![axis],
            None => vec![Vec3::x(), Vec3::y(), Vec3::z()],
        };
        for axis in axes {
            let across = axis.cross(&Vec3::ith(axis.iamin(), 1.0));
            let [axis, x] = [axis, across].map(|direction| self.on_body(kinematics, place.node, &direction));
            let y = axis.cross(&x);
            for k in 0..RIM {
                let (s, c) = crate::math::sin_cos(std::f64::consts::TAU * k as f64 / RIM as f64);
                add(centre + (x * c + y * s) * rolling.radius);
            }
        }
    }

    /// The first site that is where a link ends.
    fn site_at(&self, place: &SitePlace) -> usize {
        let same = |site: &SitePlace| site.node == place.node && site.position == place.position;
        self.sites.iter().position(same).unwrap_or_default()
    }

    pub(super) fn pose_scene(&self, kinematics: &Kinematics, out: &mut Poses) {
        out.clear();
        let frames = self.body_nodes.iter().zip(&self.node_from_body);
        out.frames.extend(frames.map(|(node, pose)| {
            let frame = &kinematics.frames[*node];
            let rotation = Rotation3::from_matrix_unchecked(frame.rotation);
            let turn = UnitQuaternion::from_rotation_matrix(&rotation) * pose.rotation;
            FramePose {
                position: (frame.origin + frame.rotation * pose.translation).into(),
                rotation: numbers(&turn),
            }
        }));
        out.points.extend(
            self.sites
                .iter()
                .map(|site| -> [f64; 3] { kinematics.site(site).into() }),
        );
        let origins = self.body_nodes.iter().map(|node| kinematics.frames[*node].origin);
        out.points.extend(origins.map(|r| -> [f64; 3] { r.into() }));
        // The nodes of a body follow each other, the first after the last of the body before it.
        let mut first = 0;
        for last in &self.body_nodes {
            let joint = &self.nodes[first];
            let place = SitePlace {
                node: joint.parent,
                position: joint.translation,
            };
            out.points.push(kinematics.site(&place).into());
            first = last + 1;
        }
        for body in self.point_masses() {
            let node = self.body_nodes[body];
            let place = SitePlace {
                node: Some(node),
                position: self.nodes[node].inertia.centre,
            };
            out.points.push(kinematics.site(&place).into());
        }
        let at = Moving {
            t: 0.0,
            q: &[],
            kinematics,
            accelerations: None,
        };
        for (_, route) in self.routes() {
            self.trace_route(&at, route, |r| out.points.push(r.into()));
            self.trace_rims(&at, route, |r| out.points.push(r.into()));
        }
        for (_, rolling) in self.wheels() {
            self.trace_wheel(kinematics, rolling, |r| out.points.push(r.into()));
        }
    }

    pub(super) fn joint_shape(&self, body: usize) -> (JointShape, bool) {
        let nodes = &self.nodes[self.first_node(body)..=self.body_nodes[body]];
        let screw = |turn: f64, advance: f64| match (turn != 0.0, advance != 0.0) {
            (true, true) => JointShape::Screw,
            (true, false) => JointShape::Revolute,
            _ => JointShape::Prismatic,
        };
        match (nodes[0].kind, nodes.len()) {
            (JointKind::Fixed, _) => (JointShape::Fixed, false),
            (JointKind::Screw { .. }, 2) => (JointShape::Universal, false),
            (JointKind::Screw { turn, advance }, _) => (screw(turn, advance), false),
            (JointKind::Driven { .. }, 2) => (JointShape::Universal, true),
            (JointKind::Driven { .. }, 4) => (JointShape::Free, true),
            (JointKind::Driven { turn, advance, .. }, _) => (screw(turn, advance), true),
            (JointKind::Ball, _) => (JointShape::Spherical, false),
            (JointKind::Translation, _) => (JointShape::Free, false),
        }
    }
}

/// The uniform box with an inertia, `aᵢ² = 6 (Iⱼ + Iₖ − Iᵢ) / m`: its axes, and the lengths of its edges.
fn box_of(inertia: &RigidInertia) -> (UnitQuaternion<f64>, Vec3) {
    let moment = &inertia.moment;
    let (mut axes, mut principal) = (Matrix3::identity(), moment.diagonal());
    if *moment != Matrix3::from_diagonal(&principal) {
        (principal, axes) = geometry::principal(moment);
        if axes.determinant() < 0.0 {
            axes.column_mut(2).neg_mut();
        }
    }
    let sum = principal.sum();
    let edge = |own: f64| (6.0 * (sum - 2.0 * own) / inertia.mass).max(0.0).sqrt();
    let rotation = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(axes));
    (rotation, principal.map(edge))
}

/// `[w, x, y, z]`, w ≥ 0.
pub(super) fn numbers(rotation: &UnitQuaternion<f64>) -> [f64; 4] {
    let sign = 1.0_f64.copysign(rotation.w);
    [rotation.w, rotation.i, rotation.j, rotation.k].map(|x| sign * x)
}

//! What a force may see of the state, and how that changes as the tree moves.
//!
//! ```text
//! q_j, v_j              δq = reach x_j,   δv = x_j                    joints with angles and lengths
//! r = o + ρ             δr = η + θ × ρ                                places
//! ṙ                     δṙ = δV + δΩ × ρ + θ × ṙ
//! d, ḋ = ω × d          δd = θ × d,   δḋ = δΩ × d + θ × ḋ             directions fixed on a body
//! ω, ω·d                δω = δΩ + θ × ω,   δ(ω·d) = δΩ·d              in axes of the world, of the body
//! l, l̇ = n·(ṙ_a − ṙ_b)  δl = n·δd,   δl̇ = n·δḋ + ḋ·(1 − n nᵀ) δd / l   d = r_a − r_b = l n
//! λ, |T_out n_out − T_in n_in|                                  of constraints, of ropes on pulleys: see `answers.rs`
//! ```
//! with `z = ((η, θ), (δV, δΩ))` of the node, seen from the body: see `integrator/tree_variational/jacobian.rs`.
use super::{
    JointKind, Kinematics, SitePlace, Tree,
    factors::{LowRank, Vector12, stack},
    links::{Stretched, at, stretch},
};
use crate::{
    Vec3,
    geometry::se3::{angular, join},
};
use nalgebra::Vector6;
use std::sync::Arc;

/// A number that a force may see. Vectors are seen by their components: axis 0, 1 or 2 is x, y or z.
#[derive(Clone)]
pub enum Seen {
    /// A coordinate of a body's joint that is an angle or a length, by its number.
    Coordinate(usize, usize),
    /// Its velocity.
    Velocity(usize, usize),
    /// The place of a point in the world, m.
    Place(Point, usize),
    /// Its velocity.
    PlaceRate(Point, usize),
    /// A direction fixed on a body, as it lies in the world.
    Direction(usize, Vec3, usize),
    /// How fast it turns.
    DirectionRate(usize, Vec3, usize),
    /// The angular velocity of a body in axes of the world, rad/s.
    Spin(usize, usize),
    /// The angular velocity of a body about an axis fixed on it, rad/s.
    OwnSpin(usize, Vec3),
    /// The distance of two sites, m.
    Distance([usize; 2]),
    /// How fast two sites move apart, m/s.
    DistanceRate([usize; 2]),
    /// A function of time.
    Given(Arc<dyn Fn(f64) -> f64 + Send + Sync>),
    /// The multiplier of a constraint, by its name in the layout: of a distance or a rope the tension, N.
    Multiplier(String),
    /// The size of the force of a rope on a pulley, by the name of the pulley, N.
    Contact(String),
}

/// A point that moves with the tree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Point {
    /// A site.
    Site(usize),
    /// The origin of a body's frame.
    Body(usize),
    /// A point fixed on a body, in its frame.
    On(usize, Vec3),
}

/// The same, by nodes.
pub(super) enum BoundSeen {
    /// Where it is in q; driven coordinates have no velocity.
    Coordinate {
        q: usize,
        v: Option<usize>,
    },
    Velocity {
        v: usize,
    },
    DrivenRate {
        motion: usize,
    },
    Place {
        site: SitePlace,
        axis: usize,
    },
    PlaceRate {
        site: SitePlace,
        axis: usize,
    },
    Direction {
        node: usize,
        direction: Vec3,
        axis: usize,
    },
    DirectionRate {
        node: usize,
        direction: Vec3,
        axis: usize,
    },
    Spin {
        node: usize,
        axis: usize,
    },
    OwnSpin {
        node: usize,
        direction: Vec3,
    },
    Distance {
        ends: [SitePlace; 2],
    },
    DistanceRate {
        ends: [SitePlace; 2],
    },
    Given(Arc<dyn Fn(f64) -> f64 + Send + Sync>),
    Multiplier {
        row: usize,
    },
    /// Of a rope whose first equation is `row` at one of its stops.
    Contact {
        constraint: usize,
        row: usize,
        stop: usize,
    },
}

/// Where and how a tree moves, as forces see it.
#[derive(Clone, Copy)]
pub(crate) struct Sight<'a> {
    pub(crate) t: f64,
    pub(crate) q: &'a [f64],
    pub(crate) v: &'a [f64],
    pub(crate) kinematics: &'a Kinematics,
    /// Those of the constraints, for forces that see them; else there may be none.
    pub(crate) multipliers: &'a [f64],
}

impl Tree {
    /// Puts what is seen on nodes; `None` where there is no such thing.
    pub(super) fn bind_seen(&self, seen: Seen) -> Option<BoundSeen> {
        let node = |body: usize| self.body_nodes.get(body).copied();
        let on_node = |body: usize, direction: &Vec3| self.node_from_body[body].direction(direction);
        let ends = |between: [usize; 2]| {
            let [a, b] = between.map(|site| self.sites.get(site).copied());
            Some([a?, b?])
        };
        Some(match seen {
            Seen::Coordinate(body, number) => {
                let (node, number) = self.scalar_joint(body, number)?;
                let at = &self.nodes[node];
                BoundSeen::Coordinate {
                    q: at.q + number,
                    v: (at.dofs > 0).then_some(at.v + number),
                }
            }
            Seen::Velocity(body, number) => {
                let (node, number) = self.scalar_joint(body, number)?;
                match self.nodes[node].kind {
                    JointKind::Driven { motion, .. } => BoundSeen::DrivenRate { motion },
                    _ => BoundSeen::Velocity {
                        v: self.nodes[node].v + number,
                    },
                }
            }
            Seen::Place(point, axis) => BoundSeen::Place {
                site: self.point_place(point)?,
                axis,
            },
            Seen::PlaceRate(point, axis) => BoundSeen::PlaceRate {
                site: self.point_place(point)?,
                axis,
            },
            Seen::Direction(body, direction, axis) => BoundSeen::Direction {
                node: node(body)?,
                direction: on_node(body, &direction),
                axis,
            },
            Seen::DirectionRate(body, direction, axis) => BoundSeen::DirectionRate {
                node: node(body)?,
                direction: on_node(body, &direction),
                axis,
            },
            Seen::Spin(body, axis) => BoundSeen::Spin {
                node: node(body)?,
                axis,
            },
            Seen::OwnSpin(body, direction) => BoundSeen::OwnSpin {
                node: node(body)?,
                direction: on_node(body, &direction),
            },
            Seen::Distance(between) => BoundSeen::Distance { ends: ends(between)? },
            Seen::DistanceRate(between) => BoundSeen::DistanceRate { ends: ends(between)? },
            Seen::Given(motion) => BoundSeen::Given(motion),
            Seen::Multiplier(name) => BoundSeen::Multiplier {
                row: self.multiplier_names().position(|own| own == name)?,
            },
            Seen::Contact(name) => self.contacts().find(|(own, _)| *own == name)?.1,
        })
    }

    /// The node of a coordinate that is an angle or a length, and its number there.
    pub(super) fn scalar_joint(&self, body: usize, number: usize) -> Option<(usize, usize)> {
        self.body_nodes.get(body)?;
        let mut left = number;
        for k in self.first_node(body)..=self.body_nodes[body] {
            let count = match self.nodes[k].kind {
                JointKind::Screw { .. } | JointKind::Driven { .. } => 1,
                JointKind::Translation => 3,
                JointKind::Ball | JointKind::Fixed => return None,
            };
            if left < count {
                return Some((k, left));
            }
            left -= count;
        }
        None
    }

    /// The body and the number in its joint of the coordinate at a place of q that is an angle or a length; `None` for a
    /// part of a rotation, and for what is driven.
    pub fn scalar_coordinate(&self, q: usize) -> Option<(usize, usize)> {
        self.scalar_where(|node, number| self.nodes[node].q + number == q)
    }

    /// The same of a velocity.
    pub fn scalar_velocity(&self, v: usize) -> Option<(usize, usize)> {
        self.scalar_where(|node, number| self.nodes[node].v + number == v)
    }

    fn scalar_where(&self, is_it: impl Fn(usize, usize) -> bool) -> Option<(usize, usize)> {
        (0..self.len()).find_map(|body| {
            let numbers = (0..).map_while(|number| Some((number, self.scalar_joint(body, number)?)));
            let mut moving = numbers.filter(|(_, (node, _))| self.nodes[*node].dofs > 0);
            moving
                .find(|(_, (node, number))| is_it(*node, *number))
                .map(|(number, _)| (body, number))
        })
    }

    pub(super) fn point_place(&self, point: Point) -> Option<SitePlace> {
        match point {
            Point::Site(site) => self.sites.get(site).copied(),
            Point::Body(body) => self.point_place(Point::On(body, Vec3::zeros())),
            Point::On(body, position) => Some(SitePlace {
                node: Some(*self.body_nodes.get(body)?),
                position: self.node_from_body[body].point(&position),
            }),
        }
    }

    /// Its value.
    pub(super) fn look(&self, seen: &BoundSeen, sight: &Sight<'_>) -> f64 {
        let frame = |node: usize| &sight.kinematics.frames[node];
        match seen {
            BoundSeen::Coordinate { q, .. } => sight.q[*q],
            BoundSeen::Velocity { v } => sight.v[*v],
            BoundSeen::DrivenRate { motion } => self.motions[*motion](sight.t).1,
            BoundSeen::Place { site, axis } => sight.kinematics.site(site)[*axis],
            BoundSeen::PlaceRate { site, axis } => sight.kinematics.site_velocity(site)[*axis],
            BoundSeen::Direction {
                node,
                direction,
                axis,
            } => (frame(*node).rotation * direction)[*axis],
            BoundSeen::DirectionRate {
                node,
                direction,
                axis,
            } => {
                let at = frame(*node);
                angular(&at.twist).cross(&(at.rotation * direction))[*axis]
            }
            BoundSeen::Spin { node, axis } => angular(&frame(*node).twist)[*axis],
            BoundSeen::OwnSpin { node, direction } => {
                let at = frame(*node);
                (at.rotation * direction).dot(&angular(&at.twist))
            }
            BoundSeen::Distance { ends } => stretch(ends, sight.kinematics).length,
            BoundSeen::DistanceRate { ends } => {
                let at = stretch(ends, sight.kinematics);
                at.n.dot(&at.relative)
            }
            BoundSeen::Given(motion) => motion(sight.t),
            BoundSeen::Multiplier { row } => sight.multipliers.get(*row).copied().unwrap_or(f64::NAN),
            BoundSeen::Contact {
                constraint,
                row,
                stop,
            } => {
                let tension = |part| sight.multipliers.get(row + part).copied().unwrap_or(f64::NAN);
                self.contact_seen(*constraint, *stop, tension, sight).norm()
            }
        }
    }
}

impl BoundSeen {
    /// Adds how it changes, times a factor, to row `number` of a term.
    pub(super) fn couple(
        &self,
        sight: &Sight<'_>,
        reach: f64,
        factor: f64,
        number: usize,
        out: &mut LowRank<12>,
    ) {
        let kinematics = sight.kinematics;
        let frame = |node: usize| &kinematics.frames[node];
        let zero = Vec3::zeros();
        match self {
            Self::Coordinate { v: Some(v), .. } => out.joint_row(*v, number, factor * reach, false),
            Self::Velocity { v } => out.joint_row(*v, number, factor, true),
            Self::Coordinate { v: None, .. } | Self::DrivenRate { .. } | Self::Given(_) => {}
            // How these answer is in the rows of all numbers that see them.
            Self::Multiplier { .. } | Self::Contact { .. } => {}
            Self::Place { site, axis } => {
                if let Some(node) = site.node {
                    let arm = frame(node).rotation * site.position;
                    out.row(node, number, &(at(&arm, &Vec3::ith(*axis, 1.0)) * factor));
                }
            }
            Self::PlaceRate { site, axis } => {
                if let Some(node) = site.node {
                    let (arm, e) = (frame(node).rotation * site.position, Vec3::ith(*axis, 1.0));
                    let moving = moving(&kinematics.site_velocity(site), &arm, &e);
                    out.row(node, number, &(moving * factor));
                }
            }
            Self::Direction {
                node,
                direction,
                axis,
            } => {
                let turned = frame(*node).rotation * direction;
                let turning = turned.cross(&Vec3::ith(*axis, 1.0));
                let row = stack(&join(&zero, &turning), &Vector6::zeros());
                out.row(*node, number, &(row * factor));
            }
            Self::DirectionRate {
                node,
                direction,
                axis,
            } => {
                let (at, e) = (frame(*node), Vec3::ith(*axis, 1.0));
                let turned = at.rotation * direction;
                let rate = angular(&at.twist).cross(&turned);
                let row = stack(&join(&zero, &rate.cross(&e)), &join(&zero, &turned.cross(&e)));
                out.row(*node, number, &(row * factor));
            }
            Self::Spin { node, axis } => {
                let (spin, e) = (angular(&frame(*node).twist), Vec3::ith(*axis, 1.0));
                let row = stack(&join(&zero, &spin.cross(&e)), &join(&zero, &e));
                out.row(*node, number, &(row * factor));
            }
            Self::OwnSpin { node, direction } => {
                let axis = frame(*node).rotation * direction;
                let row = stack(&Vector6::zeros(), &join(&zero, &axis));
                out.row(*node, number, &(row * factor));
            }
            Self::Distance { ends } => {
                let Stretched { n, arms, .. } = stretch(ends, kinematics);
                for (k, sign) in [(0, factor), (1, -factor)] {
                    if let Some(node) = ends[k].node {
                        out.row(node, number, &(at(&arms[k], &n) * sign));
                    }
                }
            }
            Self::DistanceRate { ends } => {
                let seen = stretch(ends, kinematics);
                let sideways = (seen.relative - seen.n * seen.n.dot(&seen.relative)) / seen.length;
                for (k, sign) in [(0, factor), (1, -factor)] {
                    if let Some(node) = ends[k].node {
                        let row = at(&seen.arms[k], &sideways)
                            + moving(&seen.velocities[k], &seen.arms[k], &seen.n);
                        out.row(node, number, &(row * sign));
                    }
                }
            }
        }
    }
}

/// How the velocity of a point changes along e: `δṙ·e`.
fn moving(velocity: &Vec3, arm: &Vec3, e: &Vec3) -> Vector12 {
    stack(&join(&Vec3::zeros(), &velocity.cross(e)), &join(e, &arm.cross(e)))
}

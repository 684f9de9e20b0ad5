//! Forces between two bodies, or a body and the world, and how they change.
//!
//! ```text
//! damper:     f_a = −c l̇ n = −f_b,   d = r_a − r_b = l n,   l̇ = n·ḋ
//!             δf_a = −c n δl̇ − (c l̇/l) (1 − n nᵀ) δd,   δl̇ = n·δḋ + ḋ·(1 − n nᵀ) δd / l
//! potential:  δf_k = −Σ_l ∂²V/∂r_k∂r_l δr_l
//! r = o + ρ:  δr = η_v + θ × ρ,   δṙ = δV_v + δV_ω × ρ + θ × ṙ
//! ```
//! with forces that are fixed in space while the bodies turn counted in [`Load`]. Beams: see `beam.rs`; strings: see
//! `string.rs`.
use super::{
    Beam, ElasticString, Kinematics, LinkFault, SitePlace, Tree, TreeError, beam,
    factors::{LowRank, Vector12, stack},
    forces::{Load, Loads},
    string::BoundString,
};
use crate::{Vec3, geometry::se3::join, potential::Potential};
use nalgebra::{UnitQuaternion, Vector6};

/// A force between two sites that is more than a potential of them.
#[derive(Clone, Debug)]
pub enum Link {
    /// `f = −c (n·(v_a − v_b)) n` on a, along the line n between them.
    Damper {
        /// The sites a and b.
        between: [usize; 2],
        /// Coefficient c, N s/m.
        coefficient: f64,
    },
    /// An elastic beam.
    Beam(Beam),
    /// A string that goes slack.
    String(ElasticString),
}

/// A link between nodes.
#[derive(Clone, Debug)]
pub(super) enum BoundLink {
    Damper {
        /// The sites, by number.
        between: [usize; 2],
        ends: [SitePlace; 2],
        coefficient: f64,
    },
    Beam(Box<beam::BoundBeam>),
    String(BoundString),
}

/// The sites that a potential depends on, and whether it stays the same when all are moved alike.
#[derive(Clone, Debug)]
pub(super) struct PotentialSites {
    pub(super) members: Vec<usize>,
    pub(super) invariant: bool,
}

impl PotentialSites {
    pub(super) fn of(potential: &dyn Potential, sites: usize) -> Self {
        Self {
            members: potential
                .members()
                .map_or_else(|| (0..sites).collect(), <[usize]>::to_vec),
            invariant: potential.is_translation_invariant(),
        }
    }
}

/// A damper as it is: n, l, ḋ, and the arms and velocities of its ends.
pub(super) struct Stretched {
    pub(super) n: Vec3,
    pub(super) length: f64,
    pub(super) relative: Vec3,
    pub(super) arms: [Vec3; 2],
    pub(super) velocities: [Vec3; 2],
}

pub(super) fn stretch(ends: &[SitePlace; 2], kinematics: &Kinematics) -> Stretched {
    let d = kinematics.site(&ends[0]) - kinematics.site(&ends[1]);
    let velocities = [0, 1].map(|k| kinematics.site_velocity(&ends[k]));
    let length = d.norm();
    Stretched {
        n: d / length,
        length,
        relative: velocities[0] - velocities[1],
        arms: [0, 1].map(|k| arm(&ends[k], kinematics)),
        velocities,
    }
}

/// How fast two sites move apart, m/s.
pub(super) fn rate(ends: &[SitePlace; 2], kinematics: &Kinematics) -> f64 {
    let at = stretch(ends, kinematics);
    at.n.dot(&at.relative)
}

/// A site from the origin of its node.
pub(super) fn arm(site: &SitePlace, kinematics: &Kinematics) -> Vec3 {
    site.node.map_or_else(Vec3::zeros, |node| {
        kinematics.frames[node].rotation * site.position
    })
}

impl BoundLink {
    /// The sites that it joins: two, or more of a string.
    pub(super) fn ends(&self) -> &[SitePlace] {
        match self {
            Self::Damper { ends, .. } => ends,
            Self::Beam(beam) => &beam.ends,
            Self::String(string) => &string.sites,
        }
    }

    pub(super) fn energy(&self, kinematics: &Kinematics) -> f64 {
        match self {
            Self::Damper { .. } => 0.0,
            Self::Beam(beam) => beam.energy(kinematics),
            Self::String(string) => string.energy(kinematics),
        }
    }

    /// Adds the wrenches; those without potential count `weight` times.
    pub(super) fn load(&self, kinematics: &Kinematics, weight: f64, loads: &mut [Load]) {
        match self {
            Self::Beam(beam) => beam.load(kinematics, loads),
            Self::String(string) => string.load(kinematics, weight, loads),
            Self::Damper {
                ends, coefficient, ..
            } => {
                let at = stretch(ends, kinematics);
                let force = at.n * (-coefficient * at.n.dot(&at.relative));
                for (k, sign) in [(0, 1.0), (1, -1.0)] {
                    if let Some(node) = ends[k].node {
                        loads[node].add(&at.arms[k], &(force * (sign * weight)));
                        loads[node].forced += join(&force, &at.arms[k].cross(&force)) * sign;
                    }
                }
            }
        }
    }

    /// The power of a damper, `−c l̇²`; `None` of what has an energy and nothing else.
    pub(super) fn damped_power(&self, kinematics: &Kinematics) -> Option<f64> {
        match self {
            Self::Beam(_) => None,
            Self::Damper {
                ends, coefficient, ..
            } => {
                let rate = rate(ends, kinematics);
                Some(-coefficient * rate * rate)
            }
            Self::String(string) => (string.law.damping != 0.0).then(|| string.damped_power(kinematics)),
        }
    }

    fn couple(&self, kinematics: &Kinematics, weight: f64, out: &mut LowRank<12>) {
        let (ends, coefficient) = match self {
            Self::Beam(beam) => return beam.couple(kinematics, out),
            Self::String(string) => return string.couple(kinematics, weight, out),
            Self::Damper {
                ends, coefficient, ..
            } => (ends, weight * coefficient),
        };
        let Stretched {
            n,
            length,
            relative,
            arms,
            velocities,
        } = stretch(ends, kinematics);
        let rate = n.dot(&relative);
        let sideways = (relative - n * rate) / length;
        let (across, other) = tangents(&n);
        out.begin();
        for (k, sign) in [(0, 1.0), (1, -1.0)] {
            let Some(node) = ends[k].node else { continue };
            let turning = stack(&join(&Vec3::zeros(), &velocities[k].cross(&n)), &Vector6::zeros());
            let moving = stack(&Vector6::zeros(), &join(&n, &arms[k].cross(&n)));
            out.row(node, 0, &((at(&arms[k], &sideways) + turning + moving) * sign));
            out.column(node, 0, &(at(&arms[k], &n) * (-coefficient * sign)));
            for (j, e) in [(1, &across), (2, &other)] {
                let row = at(&arms[k], e) * sign;
                out.row(node, j, &row);
                out.column(node, j, &(row * (-coefficient * rate / length)));
            }
        }
        out.end(3);
    }
}

/// Work space for second derivatives of potentials.
#[derive(Clone, Debug, Default)]
pub(crate) struct Curvatures {
    points: Vec<Vec3>,
    gradients: [Vec<Vec3>; 2],
    hessian: Vec<f64>,
}

/// A force at an arm, or the displacement there along it: `(e, r × e)` on pose or force.
pub(super) fn at(arm: &Vec3, e: &Vec3) -> Vector12 {
    stack(&join(e, &arm.cross(e)), &Vector6::zeros())
}

/// Two unit vectors across n and each other.
pub(super) fn tangents(n: &Vec3) -> (Vec3, Vec3) {
    let least = Vec3::ith(n.iamin(), 1.0);
    let first = n.cross(&least).normalize();
    (first, n.cross(&first))
}

impl Tree {
    /// Puts links on the nodes of their sites.
    pub(super) fn bind_links(&mut self, links: Vec<Link>) -> Result<(), TreeError> {
        for (number, link) in links.into_iter().enumerate() {
            let refuse = |fault| Err(TreeError::Link { number, fault });
            let between = match &link {
                Link::Damper { between, .. } | Link::Beam(Beam { between, .. }) => between,
                Link::String(string) => match string.clone().bind(&self.sites) {
                    Ok(bound) => {
                        self.links.push(BoundLink::String(bound));
                        continue;
                    }
                    Err(fault) => return refuse(fault),
                },
            };
            if between.iter().any(|site| *site >= self.sites.len()) {
                return refuse(LinkFault::NoSite);
            }
            let [a, b] = *between;
            let ends = [self.sites[a], self.sites[b]];
            if ends[0].node == ends[1].node {
                return refuse(LinkFault::OneBody);
            }
            self.links.push(match link {
                Link::Damper { coefficient, .. } if !(coefficient >= 0.0 && coefficient.is_finite()) => {
                    return refuse(LinkFault::Coefficient);
                }
                Link::Damper { coefficient, between } => BoundLink::Damper {
                    between,
                    ends,
                    coefficient,
                },
                // Bound above.
                Link::String(_) => continue,
                Link::Beam(beam) => {
                    let stiffness = [beam.tension, beam.bending[0], beam.bending[1], beam.torsion];
                    if !stiffness.iter().all(|k| *k >= 0.0 && k.is_finite()) {
                        return refuse(LinkFault::Stiffness);
                    }
                    if !(beam.length > 0.0 && beam.length.is_finite()) {
                        return refuse(LinkFault::Length);
                    }
                    let axes = [0, 1].map(|k| {
                        let body = ends[k].node.map(|node| self.nodes[node].body);
                        let turned =
                            body.map_or_else(UnitQuaternion::identity, |b| self.node_from_body[b].rotation);
                        (turned * beam.turned[k]).to_rotation_matrix().into_inner()
                    });
                    BoundLink::Beam(Box::new(beam::BoundBeam {
                        ends,
                        axes,
                        length: beam.length,
                        stiffness: beam.stiffness(),
                    }))
                }
            });
        }
        Ok(())
    }

    /// Whether forces act between bodies, or between sites and the world.
    pub(crate) fn has_links(&self) -> bool {
        !self.potentials.is_empty() || !self.links.is_empty()
    }

    /// Adds how the forces of links and potentials change, at a placement.
    pub(crate) fn couple(
        &self,
        kinematics: &Kinematics,
        weight: f64,
        work: &mut Curvatures,
        out: &mut LowRank<12>,
    ) {
        for link in &self.links {
            link.couple(kinematics, weight, out);
        }
        if !self.potentials.is_empty() {
            self.points(kinematics, &mut work.points);
            for (potential, sites) in self.potentials.iter().zip(&self.potential_sites) {
                self.couple_potential(&**potential, sites, kinematics, work, out);
            }
        }
    }

    fn couple_potential(
        &self,
        potential: &dyn Potential,
        PotentialSites { members, invariant }: &PotentialSites,
        kinematics: &Kinematics,
        Curvatures {
            points,
            gradients,
            hessian,
        }: &mut Curvatures,
        out: &mut LowRank<12>,
    ) {
        hessian.clear();
        hessian.resize(9 * members.len() * members.len(), 0.0);
        if !potential.hessian(points, hessian) {
            differences(potential, members, self.length(), points, gradients, hessian);
        }
        let moving = |k: usize| {
            let site = &self.sites[members[k]];
            site.node.map(|node| (node, arm(site, kinematics)))
        };
        let width = 3 * members.len();
        // If only differences matter, and all of them move, one of them need not be counted.
        let all_move = (0..members.len()).all(|k| moving(k).is_some());
        let base = match members.len() {
            n if n > 1 && all_move && *invariant => moving(n - 1),
            _ => None,
        };
        let counted = (0..members.len() - usize::from(base.is_some())).filter(|k| moving(*k).is_some());
        let coordinates = counted.flat_map(|l| (0..3).map(move |axis| (l, axis)));
        let mut rank = 0;
        out.begin();
        for (number, (l, axis)) in coordinates.enumerate() {
            let Some((node, arm)) = moving(l) else { continue };
            rank = number + 1;
            let e = Vec3::ith(axis, 1.0);
            out.row(node, number, &at(&arm, &e));
            if let Some((node, arm)) = &base {
                out.row(*node, number, &-at(arm, &e));
            }
            for k in 0..members.len() {
                let Some((node, arm)) = moving(k) else { continue };
                let force = Vec3::from_fn(|i, _| -hessian[(3 * k + i) * width + 3 * l + axis]);
                out.column(node, number, &at(&arm, &force));
            }
        }
        out.end(rank);
    }

    /// Adds the wrenches of links.
    pub(super) fn load_links(&self, kinematics: &Kinematics, weight: f64, out: &mut Loads) {
        for link in &self.links {
            link.load(kinematics, weight, &mut out.loads);
        }
    }
}

/// Second derivatives by central differences of the gradient: good to a third of the digits or so, which
/// Newton's method makes up for in one more iteration.
fn differences(
    potential: &dyn Potential,
    members: &[usize],
    length: f64,
    points: &mut [Vec3],
    gradients: &mut [Vec<Vec3>; 2],
    out: &mut [f64],
) {
    let (step, width) = (1e-6 * length, 3 * members.len());
    for (l, member) in members.iter().enumerate() {
        for axis in 0..3 {
            let before = points[*member][axis];
            for (gradient, step) in gradients.iter_mut().zip([step, -step]) {
                gradient.clear();
                gradient.resize(points.len(), Vec3::zeros());
                points[*member][axis] = before + step;
                potential.add_gradient(points, gradient);
            }
            points[*member][axis] = before;
            for (k, other) in members.iter().enumerate() {
                let slope = (gradients[0][*other] - gradients[1][*other]) / (2.0 * step);
                for i in 0..3 {
                    out[(3 * k + i) * width + 3 * l + axis] = slope[i];
                }
            }
        }
    }
}

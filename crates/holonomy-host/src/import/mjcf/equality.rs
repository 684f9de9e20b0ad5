//! Equality constraints, as constraints that hold exactly.
//!
//! ```text
//! connect   a point of one body is a point of the other, as at the reference; or two sites coincide
//! weld      pose of body 2 against body 1 = relpose, or as at the reference; or two sites with their axes coincide
//! joint     y − y_0 = a_0 + a_1 (x − x_0)              tendon     the same of lengths
//! ```
//! Reference is where every joint is at its `ref`: there the pose of a body is the product of those in the file.
use super::{
    element::Id,
    tendon::Path,
    values::Item,
    world::{Site, World},
    write::{quaternion, terms},
};
use crate::import::{plan::usable, write::number};
use holonomy::{Vec3, geometry::Pose};
use nalgebra::{Quaternion, UnitQuaternion};

/// A relation of joint coordinates `Σ factor q = constant`: bodies and joints by number.
pub(super) type Term = ((usize, usize), f64);

impl World<'_> {
    /// Writes the constraints. Those that are not understood stay without a mark, and are listed.
    pub(super) fn equalities(&mut self) -> Option<()> {
        let document = self.document;
        let sections = document.children(0).iter().copied();
        for section in sections.filter(|id| document.tag(*id) == "equality") {
            for id in document.children(section).iter().copied() {
                let class = self.class(id, "class", 0);
                let item = Item {
                    tag: "connect",
                    ..self.item(id, class)
                };
                if !item.flag("active", true)? || self.globals.off.equalities {
                    continue;
                }
                let text = match document.tag(id) {
                    "connect" => Some(self.connect(&item)?),
                    "weld" => Some(self.weld(&item)?),
                    "joint" => self.joined(&item)?,
                    "tendon" => self.tied(&item)?,
                    _ => None,
                };
                let Some(text) = text else { continue };
                item.carry(&["active"]);
                let tag = document.tag(id);
                let name = self.part_name(id, tag);
                self.constraints += 1;
                self.sections.push(format!(
                    "\n[[constraint]]\nname = {}  # {tag}\n{text}",
                    crate::import::write::quoted(&name)
                ));
            }
        }
        Some(())
    }

    /// The pose of a body, or of the world, at the reference.
    pub(super) fn world_from(&self, body: Option<usize>) -> Pose {
        match body {
            None => Pose::identity(),
            Some(body) => self.world_from(self.bodies[body].parent) * self.bodies[body].pose,
        }
    }

    /// A body that an attribute names; `None` within for the world.
    fn body_named(&self, item: &Item<'_>, attribute: &str) -> Option<Option<usize>> {
        let Some(name) = item.word(attribute).filter(|name| *name != "world") else {
            return Some(None);
        };
        let found = self.bodies.iter().position(|body| body.written == name);
        if found.is_some() {
            return Some(found);
        }
        let names: Vec<&str> = self.bodies.iter().map(|body| body.written.as_str()).collect();
        item.unknown(attribute, "body", names.into_iter()).none()
    }

    /// A site that an attribute names.
    pub(super) fn site_named(&self, item: &Item<'_>, attribute: &str) -> Option<usize> {
        let name = item.word(attribute).unwrap_or_default();
        let found = self.sites.iter().position(|site| site.written == name);
        if found.is_some() {
            return found;
        }
        let names: Vec<&str> = self.sites.iter().map(|site| site.written.as_str()).collect();
        item.unknown(attribute, "site", names.into_iter()).none()
    }

    /// A hinge or a slide that an attribute names; `None` within for other joints.
    pub(super) fn joint_named(&self, item: &Item<'_>, attribute: &str) -> Option<Option<(usize, usize)>> {
        let name = item.word(attribute).unwrap_or_default();
        let found = self.bodies.iter().enumerate().find_map(|(b, body)| {
            let such = |joint: &super::joint::Joint| joint.written.as_deref() == Some(name);
            Some((b, body.joints.iter().position(such)?))
        });
        let Some((body, joint)) = found else {
            let names = self.bodies.iter().flat_map(|body| &body.joints);
            let names: Vec<String> = names.filter_map(|joint| joint.written.clone()).collect();
            return item
                .unknown(attribute, "joint", names.iter().map(String::as_str))
                .none();
        };
        let scalar = self.bodies[body].joints[joint].is_scalar();
        Some(scalar.then_some((body, joint)))
    }

    /// A new site on a body, in the frame of the file.
    fn place_site(&mut self, name: &str, body: Option<usize>, at: Vec3) -> usize {
        let name = usable(name, "site", &mut self.site_names);
        self.sites.push(Site {
            name,
            written: String::new(),
            pose: Pose::translation(at),
            body,
        });
        self.sites.len() - 1
    }

    /// Two sites that the element names, or none.
    fn two_sites(&self, item: &Item<'_>) -> Option<Option<[usize; 2]>> {
        if !item.has("site1") {
            return Some(None);
        }
        let sites = [self.site_named(item, "site1"), self.site_named(item, "site2")];
        item.carry(&["name", "site1", "site2"]);
        Some(Some([sites[0]?, sites[1]?]))
    }

    fn between(&self, sites: [usize; 2]) -> String {
        format!(
            "between = [{}, {}]\n",
            self.site_path(sites[0]),
            self.site_path(sites[1])
        )
    }

    fn connect(&mut self, item: &Item<'_>) -> Option<String> {
        let sites = match self.two_sites(item)? {
            Some(sites) => sites,
            None => {
                let bodies = [self.body_named(item, "body1")?, self.body_named(item, "body2")?];
                let anchor = item.vector("anchor", [0.0; 3])?;
                item.carry(&["name", "body1", "body2", "anchor"]);
                let place = self.world_from(bodies[0]).point(&anchor);
                let other = self.world_from(bodies[1]).inverse().point(&place);
                let name = self.part_stem(item.id);
                [
                    self.place_site(&format!("{name}-1"), bodies[0], anchor),
                    self.place_site(&format!("{name}-2"), bodies[1], other),
                ]
            }
        };
        Some(format!("kind = \"coincide\"\n{}", self.between(sites)))
    }

    fn weld(&mut self, item: &Item<'_>) -> Option<String> {
        let (sites, turned) = match self.two_sites(item)? {
            Some(sites) => {
                let [a, b] = sites.map(|site| self.sites[site].pose.rotation);
                (sites, a * b.inverse())
            }
            None => {
                let bodies = [self.body_named(item, "body1")?, self.body_named(item, "body2")?];
                let anchor = item.vector("anchor", [0.0; 3])?;
                let [x, y, z, w, i, j, k] = item.numbers("relpose", 7, [0.0; 7])?;
                // `torquescale` weighs what gives way in MuJoCo.
                item.carry(&["name", "body1", "body2", "anchor", "relpose", "torquescale"]);
                let turn = Quaternion::new(w, i, j, k);
                let against = match turn.norm() > 0.0 {
                    true => {
                        let turn = UnitQuaternion::from_quaternion(turn);
                        Pose::translation(Vec3::new(x, y, z)) * Pose::rotation(turn)
                    }
                    false => self.world_from(bodies[0]).inverse() * self.world_from(bodies[1]),
                };
                let name = self.part_stem(item.id);
                let sites = [
                    self.place_site(&format!("{name}-1"), bodies[0], against.point(&anchor)),
                    self.place_site(&format!("{name}-2"), bodies[1], anchor),
                ];
                (sites, against.rotation)
            }
        };
        Some(format!(
            "kind = \"weld\"\n{}turned = {}\n",
            self.between(sites),
            quaternion(&turned)
        ))
    }

    /// `a_0` and `a_1`, if the relation is linear.
    fn line(item: &Item<'_>) -> Option<Option<[f64; 2]>> {
        let [a, b, rest @ ..] = item.numbers("polycoef", 1, [0.0, 1.0, 0.0, 0.0, 0.0])?;
        Some((rest == [0.0; 3]).then_some([a, b]))
    }

    fn joined(&self, item: &Item<'_>) -> Option<Option<String>> {
        let first = self.joint_named(item, "joint1")?;
        let second = match item.has("joint2") {
            true => self.joint_named(item, "joint2")?.map(Some),
            false => Some(None),
        };
        let (Some(first), Some(second), Some([a, b])) = (first, second, Self::line(item)?) else {
            return Some(None);
        };
        item.carry(&["name", "joint1", "joint2", "polycoef"]);
        let mut all = vec![(first, 1.0)];
        all.extend(second.map(|second| (second, -b)));
        Some(Some(self.coupling(&all, a)))
    }

    /// `Σ factor (q − q_0) = offset`.
    fn coupling(&self, all: &[Term], offset: f64) -> String {
        let reference = |(joint, factor): &Term| factor * self.joint_at(*joint).reference;
        let constant = offset + all.iter().map(reference).sum::<f64>();
        format!(
            "kind = \"coupling\"\nterms = [{}]\nconstant = {}\n",
            terms(self, all),
            number(constant)
        )
    }

    fn tied(&mut self, item: &Item<'_>) -> Option<Option<String>> {
        let first = self.tendon_named(item, "tendon1")?;
        let second = match item.has("tendon2") {
            true => self.tendon_named(item, "tendon2")?.map(Some),
            false => Some(None),
        };
        let (Some(first), Some(second)) = (first, second) else {
            return Some(None);
        };
        let Some([a, b]) = Self::line(item)? else {
            return Some(None);
        };
        let carried = ["name", "tendon1", "tendon2", "polycoef"];
        match (
            &self.tendons[first].path,
            second.map(|second| &self.tendons[second].path),
        ) {
            (Path::Joints(all), None) => {
                item.carry(&carried);
                Some(Some(self.coupling(all, a)))
            }
            (Path::Joints(all), Some(Path::Joints(others))) => {
                item.carry(&carried);
                let mut all = all.clone();
                for (joint, factor) in others {
                    match all.iter_mut().find(|(other, _)| other == joint) {
                        Some((_, sum)) => *sum -= b * factor,
                        None => all.push((*joint, -b * factor)),
                    }
                }
                Some(Some(self.coupling(&all, a)))
            }
            (Path::Sites(sites), None) => {
                item.carry(&carried);
                let through: Vec<String> = sites.iter().map(|site| self.site_path(*site)).collect();
                let length = self.length_at_reference(sites) + a;
                Some(Some(format!(
                    "kind = \"cable\"\nthrough = [{}]\nlength = {}\n",
                    through.join(", "),
                    number(length)
                )))
            }
            _ => Some(None),
        }
    }

    /// What an element is called, or its tag and its number in the file.
    pub(super) fn part_stem(&self, id: Id) -> String {
        let name = self.document.attribute(id, "name");
        name.map_or_else(
            || format!("{}-{id}", self.document.tag(id)),
            |name| name.value.clone(),
        )
    }

    /// A name of its own for a constraint, a spring, a damper or a string.
    pub(super) fn part_name(&mut self, id: Id, what: &str) -> String {
        let stem = self.part_stem(id);
        usable(&stem, what, &mut self.part_names)
    }
}

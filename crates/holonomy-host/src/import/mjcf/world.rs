//! Bodies of an MJCF file, with their joints, inertias and sites.
//!
//! ```text
//! world_from_body = world_from_parent · shift(pos) R(quat) · J_1(q_1) J_2(q_2) …
//! hinge   J = shift(a) R(axis, q − ref) shift(−a)          a its anchor, axis and anchor in the frame of the body
//! slide   J = shift(axis (q − ref))
//! ```
use super::{
    actuator::Control,
    defaults::{Class, Defaults},
    element::{Document, Id},
    geom,
    joint::{self, Joint},
    masses,
    settings::{FromGeoms, Globals},
    tendon::Tendon,
    values::{Item, TURNS},
};
use crate::import::{ledger::Remark, plan::usable};
use holonomy::{
    Vec3,
    geometry::{Pose, RigidInertia},
};
use nalgebra::{Matrix3, UnitQuaternion};
use std::collections::HashSet;

/// A named point.
pub(super) struct Site {
    pub(super) name: String,
    /// What the file calls it; empty if it has none.
    pub(super) written: String,
    /// In the frame of the body in the file.
    pub(super) pose: Pose,
    /// `None` for the world.
    pub(super) body: Option<usize>,
}

pub(super) struct Body {
    pub(super) id: Id,
    pub(super) written: String,
    pub(super) name: String,
    /// `None` for the world.
    pub(super) parent: Option<usize>,
    /// In the frame of the parent, with every joint where the file has it.
    pub(super) pose: Pose,
    pub(super) joints: Vec<Joint>,
    pub(super) inertia: RigidInertia,
    /// No body has this inertia.
    pub(super) impossible: bool,
}

impl Body {
    /// The origin of the body's frame in the model, in that of the file: the anchor of its last joint.
    pub(super) fn anchor(&self) -> Vec3 {
        self.joints.last().map_or_else(Vec3::zeros, |joint| joint.anchor)
    }
}

pub(super) struct World<'a> {
    pub(super) document: &'a Document,
    pub(super) defaults: &'a Defaults,
    pub(super) globals: &'a Globals,
    pub(super) bodies: Vec<Body>,
    pub(super) sites: Vec<Site>,
    pub(super) changed: Vec<Remark>,
    pub(super) controls: Vec<Control>,
    /// All actuators, also those that are not read.
    pub(super) actuator_count: usize,
    pub(super) tendons: Vec<Tendon>,
    /// Equality constraints that are read.
    pub(super) constraints: usize,
    /// What formulas see: a name, and the body of the model whose joint it is.
    pub(super) formula_names: Vec<(String, String)>,
    /// Sections that stand behind the bodies.
    pub(super) sections: Vec<String>,
    /// Names that are taken, of bodies and of joints.
    names: HashSet<String>,
    labels: HashSet<String>,
    /// Names in the file, by what they are of.
    written: HashSet<(&'static str, String)>,
    pub(super) site_names: HashSet<String>,
    pub(super) part_names: HashSet<String>,
}

/// Where elements stand: a body, a frame in it, a class of defaults.
#[derive(Clone, Copy)]
struct Place {
    body: Option<usize>,
    frame: Pose,
    class: Class,
}

/// What a body gathers from its elements.
#[derive(Default)]
struct Gathered {
    inertial: Option<RigidInertia>,
    geoms: Vec<(Id, Class, Pose)>,
}

pub(super) fn read<'a>(
    document: &'a Document,
    defaults: &'a Defaults,
    globals: &'a Globals,
    floating: bool,
) -> Option<World<'a>> {
    let taken = HashSet::from(["world".to_owned()]);
    let mut world = World {
        document,
        defaults,
        globals,
        bodies: Vec::new(),
        sites: Vec::new(),
        changed: Vec::new(),
        controls: Vec::new(),
        actuator_count: 0,
        tendons: Vec::new(),
        constraints: 0,
        formula_names: Vec::new(),
        sections: Vec::new(),
        part_names: HashSet::new(),
        names: taken.clone(),
        labels: taken,
        written: HashSet::new(),
        site_names: HashSet::new(),
    };
    let place = Place {
        body: None,
        frame: Pose::identity(),
        class: 0,
    };
    for id in document.children(0).iter().copied() {
        if document.tag(id) == "worldbody" {
            document.carry(id, &[]);
            world.elements(id, place, &mut Gathered::default());
        }
    }
    if world.bodies.is_empty() && !document.has_errors() {
        document
            .error(0, "the file has no bodies")
            .help("an MJCF file holds `<body>` elements in `<worldbody>`; is it the right file?");
    }
    if floating {
        world.float();
    }
    if document.has_errors() {
        return None;
    }
    world.name_joints();
    masses::settle(&mut world);
    if !world.bodies.iter().any(|body| !body.joints.is_empty()) {
        let help = match floating {
            true => "give a body a joint",
            false => "add `--floating` if its outermost body moves freely",
        };
        return document
            .error(0, "nothing in this file can move")
            .help(help)
            .none();
    }
    Some(world)
}

impl<'a> World<'a> {
    pub(super) fn item(&self, id: Id, class: Class) -> Item<'a> {
        let (document, defaults) = (self.document, self.defaults);
        Item {
            document,
            defaults,
            id,
            class,
            tag: document.tag(id),
        }
    }
}

impl World<'_> {
    /// The class of an element: its own, or that of the place where it stands.
    pub(super) fn class(&self, id: Id, attribute: &str, otherwise: Class) -> Class {
        let Some(name) = self.document.attribute(id, attribute) else {
            return otherwise;
        };
        name.carried.set(true);
        match self.defaults.named(&name.value) {
            Some(class) => class,
            None => {
                self.document
                    .error_at(
                        id,
                        name.value_span.clone(),
                        format!("there is no class of defaults `{}`", name.value),
                    )
                    .suggest(&name.value, self.defaults.names());
                otherwise
            }
        }
    }

    /// Bodies, joints and sites have names of their own.
    fn once(&mut self, id: Id, what: &'static str) {
        let Some(name) = self.document.attribute(id, "name") else {
            return;
        };
        if !self.written.insert((what, name.value.clone())) {
            self.document
                .error_at(
                    id,
                    name.value_span.clone(),
                    format!("there is another {what} named `{}`", name.value),
                )
                .help("give one of them another name: MuJoCo asks for it, too");
        }
    }

    /// Whether a body, a joint or a site has this name.
    pub(super) fn calls(&self, name: &str) -> bool {
        [&self.names, &self.labels, &self.site_names]
            .iter()
            .any(|names| names.contains(name))
    }

    pub(super) fn remark(&mut self, id: Id, name: &str, what: &str, detail: &str, why: &str) {
        let element = self.document.element(id);
        self.changed.push(Remark {
            owner: element.tag.clone(),
            name: crate::import::ledger::flat(name),
            what: what.to_owned(),
            detail: crate::import::ledger::flat(detail),
            why: why.to_owned(),
            span: element.span.clone(),
        });
    }

    /// Reads what stands in a body or a frame.
    fn elements(&mut self, id: Id, place: Place, gathered: &mut Gathered) {
        for child in self.document.children(id).to_vec() {
            let tag = self.document.tag(child).to_owned();
            match tag.as_str() {
                "body" => self.body(child, place),
                "frame" => self.frame(child, place, gathered),
                "inertial" => gathered.inertial = self.inertial(child, place),
                "geom" => {
                    let class = self.class(child, "class", place.class);
                    gathered.geoms.push((child, class, place.frame));
                }
                "site" => self.site(child, place),
                "joint" | "freejoint" => self.joint(child, place),
                "replicate" | "composite" | "flexcomp" | "attach" => {
                    self.document
                        .error(child, format!("`{tag}` makes bodies, and is not read"))
                        .help("let MuJoCo write the file out: `mj_saveLastXML` has every body");
                }
                // Cameras, lights and the rest are listed.
                _ => {}
            }
        }
    }

    fn pose(&self, item: &Item<'_>) -> Option<Pose> {
        let at = item.vector("pos", [0.0; 3]);
        let turn = item.turn(&self.globals.settings);
        item.carry(&["pos"]);
        item.carry(&TURNS);
        Some(Pose::translation(at?) * Pose::rotation(turn?))
    }

    fn frame(&mut self, id: Id, place: Place, gathered: &mut Gathered) {
        let class = self.class(id, "childclass", place.class);
        let Some(pose) = self.pose(&self.item(id, 0)) else {
            return;
        };
        self.document.carry(id, &["name"]);
        let inner = Place {
            frame: place.frame * pose,
            class,
            ..place
        };
        self.elements(id, inner, gathered);
    }

    fn body(&mut self, id: Id, place: Place) {
        let class = self.class(id, "childclass", place.class);
        let Some(pose) = self.pose(&self.item(id, 0)) else {
            return;
        };
        self.document.carry(id, &["name"]);
        self.once(id, "body");
        let given = self.document.attribute(id, "name").map(|name| name.value.clone());
        let written = given.unwrap_or_else(|| format!("body-{}", self.bodies.len() + 1));
        let name = usable(&written, "body", &mut self.names);
        if name != written {
            let detail = format!("is called `{name}`");
            self.remark(
                id,
                &written,
                "renamed",
                &detail,
                "names have letters, digits, `-` and `_`",
            );
        }
        let number = self.bodies.len();
        self.bodies.push(Body {
            id,
            written: written.clone(),
            name,
            parent: place.body,
            pose: place.frame * pose,
            joints: Vec::new(),
            inertia: RigidInertia::zero(),
            impossible: false,
        });
        if self
            .document
            .attribute(id, "mocap")
            .is_some_and(|mocap| mocap.value == "true")
        {
            self.document.carry(id, &["mocap"]);
            self.remark(
                id,
                &written,
                "mocap",
                "",
                "nothing moves it here: it stays where it starts",
            );
        }
        let inner = Place {
            body: Some(number),
            frame: Pose::identity(),
            class,
        };
        let mut gathered = Gathered::default();
        self.elements(id, inner, &mut gathered);
        if let Some(inertia) = self.inertia(&gathered) {
            self.bodies[number].inertia = inertia;
        }
    }

    /// The inertia of a body: as given, or of its geoms.
    fn inertia(&self, gathered: &Gathered) -> Option<RigidInertia> {
        let masses = &self.globals.masses;
        let given = gathered.inertial.filter(|_| masses.from != FromGeoms::Always);
        if given.is_some() {
            return given;
        }
        if masses.from == FromGeoms::Never {
            return Some(RigidInertia::zero());
        }
        let mut sum = RigidInertia::zero();
        let mut sound = true;
        for (id, class, frame) in &gathered.geoms {
            let item = self.item(*id, *class);
            let group = item.number("group", 0.0)?;
            if !(masses.groups[0]..=masses.groups[1]).contains(&group) {
                continue;
            }
            match geom::inertia(&item, &self.globals.settings) {
                Some(inertia) if inertia.mass > 0.0 => sum = sum.and(&inertia.moved(frame)),
                Some(_) => {}
                None => sound = false,
            }
        }
        sound.then_some(sum)
    }

    fn inertial(&mut self, id: Id, place: Place) -> Option<RigidInertia> {
        let item = self.item(id, 0);
        let pose = self.pose(&item)?;
        // Overruled ones are listed.
        if self.globals.masses.from == FromGeoms::Always {
            self.document.element(id).carried.set(false);
            return None;
        }
        item.carry(&["mass", "diaginertia", "fullinertia"]);
        if !item.has("mass") {
            return self
                .document
                .error(id, "an `inertial` has no `mass`")
                .help("write `<inertial mass=\"…\" pos=\"…\" diaginertia=\"…\"/>`")
                .none();
        }
        let mass = item.number("mass", 0.0)?;
        let [xx, yy, zz] = item.numbers("diaginertia", 3, [0.0; 3])?;
        let mut moment = Matrix3::from_diagonal(&Vec3::new(xx, yy, zz));
        if item.has("fullinertia") {
            let [xx, yy, zz, xy, xz, yz] = item.numbers("fullinertia", 6, [0.0; 6])?;
            moment = Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz);
        }
        if mass < 0.0 {
            return self
                .document
                .error(id, format!("the mass of a body is negative: {mass}"))
                .help("give zero or more")
                .none();
        }
        let own = RigidInertia {
            mass,
            centre: Vec3::zeros(),
            moment,
        };
        let pose = place.frame * pose;
        // Not one digit is lost where nothing is turned.
        Some(match pose.rotation == UnitQuaternion::identity() {
            true => RigidInertia {
                centre: pose.translation,
                ..own
            },
            false => {
                let moved = own.moved(&pose);
                RigidInertia {
                    moment: (moved.moment + moved.moment.transpose()) * 0.5,
                    ..moved
                }
            }
        })
    }

    fn site(&mut self, id: Id, place: Place) {
        let class = self.class(id, "class", place.class);
        let item = self.item(id, class);
        // One without a name cannot be asked for.
        let Some(name) = self.document.attribute(id, "name") else {
            return;
        };
        let Some(mut pose) = self.pose(&item) else { return };
        item.carry(&["name"]);
        self.once(id, "site");
        if item.has("fromto") {
            let Some([a, b, c, d, e, f]) = item.numbers("fromto", 6, [0.0; 6]) else {
                return;
            };
            item.carry(&["fromto"]);
            pose = Pose::translation(Vec3::new(a + d, b + e, c + f) / 2.0);
        }
        let written = name.value.clone();
        let name = usable(&written, "site", &mut self.site_names);
        self.sites.push(Site {
            name,
            written,
            pose: place.frame * pose,
            body: place.body,
        });
    }

    fn joint(&mut self, id: Id, place: Place) {
        let Some(number) = place.body else {
            self.document
                .error(id, "a joint stands in the world itself")
                .help("joints belong to bodies");
            return;
        };
        let class = self.class(id, "class", place.class);
        let item = self.item(id, class);
        let Some(mut joint) = joint::read(&item, self.globals) else {
            return;
        };
        self.once(id, "joint");
        joint.anchor = place.frame.point(&joint.anchor);
        joint.axis = place.frame.direction(&joint.axis);
        let body = &self.bodies[number];
        if joint.kind == joint::Kind::Free && (body.parent.is_some() || !body.joints.is_empty()) {
            self.document
                .error(
                    id,
                    "a free joint stands beside others, or not in a body of the world",
                )
                .help("MuJoCo has them in bodies of the world alone");
            return;
        }
        if matches!(body.joints.last(), Some(last) if last.kind == joint::Kind::Free) {
            self.document
                .error(id, "a joint stands beside a free joint")
                .help("a free body needs no other joint");
            return;
        }
        let written = joint.written.clone().unwrap_or_else(|| body.written.clone());
        joint.label = usable(&written, "joint", &mut self.labels);
        self.bodies[number].joints.push(joint);
    }

    /// Bodies of the world that have no joint move freely.
    fn float(&mut self) {
        let mut some = false;
        for k in 0..self.bodies.len() {
            if self.bodies[k].parent.is_none() && self.bodies[k].joints.is_empty() {
                let label = usable(&self.bodies[k].written.clone(), "joint", &mut self.labels);
                self.bodies[k].joints.push(Joint::free(label));
                some = true;
            }
        }
        if !some && !self.document.has_errors() {
            self.document
                .error(0, "every body of the world has a joint already")
                .help("leave `--floating` out: the file says what moves freely");
        }
    }

    /// Every joint carries a body of the model: all but the last of a body of the file one without mass.
    fn name_joints(&mut self) {
        for body in &mut self.bodies {
            let count = body.joints.len();
            for (k, joint) in body.joints.iter_mut().enumerate() {
                joint.body = match k + 1 == count {
                    true => body.name.clone(),
                    false => usable(&format!("{}-{}", body.name, k + 1), "body", &mut self.names),
                };
            }
        }
    }
}

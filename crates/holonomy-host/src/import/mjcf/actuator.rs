//! Actuators on joints and tendons, as efforts and tensions with a parameter for each control.
//!
//! ```text
//! l = g q,  l' = g v                                     g the gear, q a joint or the length of a tendon
//! f = clamp(k clamp(c) + b_0 + b_1 l + b_2 l'),  τ = Σ g f          clamped by forcerange and ctrlrange
//! along joints  τ_j = g c_j f         between two sites  they are pulled together by −g f
//! at a site     force and moment g f in its axes: l = 0, and no b_2
//! motor     k = 1          position  k = kp, b = (0, −kp, −kv)          velocity  k = kv, b = (0, 0, −kv)
//! general   k = gainprm, b = biasprm, where these are fixed and affine
//! ```
use super::{
    element::Id,
    equality::Term,
    tendon::Path,
    values::Item,
    world::{Site, World},
};
use crate::import::write::{number, quoted, vector};
use holonomy::Vec3;
use std::collections::HashSet;

/// A control: its name among the parameters, and what it is of.
pub(super) struct Control {
    pub(super) parameter: String,
    pub(super) of: String,
    /// Of which actuator in the file, and what it is set to.
    pub(super) number: usize,
    pub(super) value: f64,
}

/// What an actuator does.
struct Law {
    gain: f64,
    bias: [f64; 3],
}

/// Attributes that a law says.
const SAID: [&str; 19] = [
    "name",
    "class",
    "joint",
    "tendon",
    "site",
    "inheritrange",
    "gear",
    "ctrlrange",
    "ctrllimited",
    "forcerange",
    "forcelimited",
    "kp",
    "kv",
    "gaintype",
    "gainprm",
    "biastype",
    "biasprm",
    "dyntype",
    "dynprm",
];

/// Attributes that make it something else.
const OTHER: [&str; 9] = [
    "jointinparent",
    "body",
    "cranksite",
    "slidersite",
    "refsite",
    "dampratio",
    "timeconst",
    "actlimited",
    "actrange",
];

impl World<'_> {
    /// Gives joints the efforts of their actuators. Those that are not understood stay without a mark, and are listed.
    pub(super) fn actuators(&mut self) -> Option<()> {
        let document = self.document;
        let mut taken = HashSet::new();
        let sections = document.children(0).iter().copied();
        for section in sections.filter(|id| document.tag(*id) == "actuator") {
            for id in document.children(section).iter().copied() {
                self.actuator(id, &mut taken)?;
                self.actuator_count += 1;
            }
        }
        Some(())
    }

    fn actuator(&mut self, id: Id, taken: &mut HashSet<String>) -> Option<()> {
        let class = self.class(id, "class", 0);
        let item = self.item(id, class);
        if OTHER.iter().any(|name| item.has(name)) || self.globals.off.actuators {
            return Some(());
        }
        let Some(law) = law(&item)? else {
            return Some(());
        };
        let Some(target) = self.target(&item)? else {
            return Some(());
        };
        // What a site moves with is not known to formulas.
        if matches!(target.on, On::Site(..)) && law.bias[2] != 0.0 {
            return Some(());
        }
        let gears = item.numbers("gear", 1, [1.0, 0.0, 0.0, 0.0, 0.0, 0.0])?;
        let gear = gears[0];
        let settings = &self.globals.settings;
        let mut controls = item.ends("ctrllimited", "ctrlrange", settings)?;
        let forces = item.ends("forcelimited", "forcerange", settings)?;
        let inherited = item.number("inheritrange", 0.0)?;
        if inherited > 0.0 {
            let On::Joint(joint) = target.on else {
                return Some(());
            };
            let Some([least, most]) = self.joint_at(joint).limits else {
                return Some(());
            };
            let (middle, half) = ((least + most) / 2.0, (most - least) / 2.0 * inherited);
            controls = Some([middle - half, middle + half]);
        }
        if self.globals.off.clamps {
            controls = None;
        }
        let called = item
            .document
            .attribute(id, "name")
            .map_or(target.written.as_str(), |name| name.value.as_str());
        let parameter = parameter(called, taken);
        let of = format!("{} of `{}`", self.document.tag(id), target.written);
        let [length, rate] = match &target.on {
            On::Joint(_) => ["q".to_owned(), "v".to_owned()],
            On::Joints(terms) => self.length_of(terms).map(|text| format!("({text})")),
            On::Sites(_) => ["length".to_owned(), "rate".to_owned()],
            On::Site(..) => [String::new(), String::new()],
        };
        let mut terms = vec![product(law.gain, &clamped(&parameter, controls))];
        if law.bias[0] != 0.0 {
            terms.push(number(law.bias[0]));
        }
        for (bias, letter) in [(law.bias[1], &length), (law.bias[2], &rate)] {
            if bias != 0.0 && !letter.is_empty() {
                terms.push(product(bias * gear, letter));
            }
        }
        let force = clamped(&terms.join(" + "), forces);
        let sum = terms.len() > 1 && forces.is_none();
        let times = |factor: f64| match (factor, sum) {
            (1.0, _) => force.clone(),
            (_, true) => product(factor, &format!("({force})")),
            (_, false) => product(factor, &force),
        };
        item.carry(&SAID);
        match target.on {
            On::Joint(joint) => self.joint_at_mut(joint).add_pull(&times(gear)),
            On::Joints(terms) => {
                for (joint, factor) in terms {
                    self.joint_at_mut(joint).add_pull(&times(gear * factor));
                }
            }
            On::Site(site, body) => {
                let Site { pose, .. } = self.sites[site];
                let [force, moment] = [0, 3].map(|k| {
                    let gear = pose.direction(&Vec3::new(gears[k], gears[k + 1], gears[k + 2]));
                    let parts = gear.iter().map(|gear| match *gear {
                        0.0 => "0".to_owned(),
                        gear => quoted(&times(gear)),
                    });
                    format!("[{}]", parts.collect::<Vec<_>>().join(", "))
                });
                let (name, anchor) = (quoted(&self.bodies[body].name), self.bodies[body].anchor());
                let at = vector(&(pose.translation - anchor));
                self.sections.push(format!(
                    "\n[[wrench]]\nbody = {name}  # actuator\nat = {at}\nframe = \"body\"\nforce = {force}\nmoment = {moment}\n"
                ));
            }
            On::Sites([a, b]) => {
                let between = [self.site_path(a), self.site_path(b)].join(", ");
                let name = quoted(&self.part_name(id, "force"));
                let tension = quoted(&times(-gear));
                let of = "# actuator";
                self.sections.push(format!(
                    "\n[[force]]\nname = {name}  {of}\nbetween = [{between}]\ntension = {tension}\n"
                ));
            }
        }
        let number = self.actuator_count;
        let value = 0.0;
        self.controls.push(Control {
            parameter,
            of,
            number,
            value,
        });
        Some(())
    }

    /// What an actuator acts on; `None` within if that is not known here.
    fn target(&self, item: &Item<'_>) -> Option<Option<Target>> {
        if let Some(joint) = item.word("joint") {
            let found = self.joint_named(item, "joint")?;
            return Some(found.map(|found| Target {
                written: joint.to_owned(),
                on: On::Joint(found),
            }));
        }
        if let Some(name) = item.word("site") {
            let site = self.site_named(item, "site")?;
            // What pushes the world moves nothing.
            let body = self.sites[site].body;
            return Some(body.map(|body| Target {
                written: name.to_owned(),
                on: On::Site(site, body),
            }));
        }
        let Some(tendon) = item.word("tendon") else {
            return Some(None);
        };
        let found = self
            .tendon_named(item, "tendon")?
            .map(|found| &self.tendons[found]);
        let on = found.and_then(|found| match &found.path {
            Path::Joints(terms) => Some(On::Joints(terms.clone())),
            Path::Sites(sites) => <[usize; 2]>::try_from(&sites[..]).ok().map(On::Sites),
        });
        Some(on.map(|on| Target {
            written: tendon.to_owned(),
            on,
        }))
    }
}

/// What an actuator acts on, and its name.
struct Target {
    written: String,
    on: On,
}

enum On {
    Joint((usize, usize)),
    Joints(Vec<Term>),
    Sites([usize; 2]),
    /// A site, and its body.
    Site(usize, usize),
}

/// What is known of an actuator: `None` within if it is of another kind.
fn law(item: &Item<'_>) -> Option<Option<Law>> {
    let own = ["gaintype", "biastype", "dyntype", "gainprm", "biasprm"];
    let general = own.iter().any(|name| item.has(name));
    Some(match item.document.tag(item.id) {
        "motor" => Some(Law {
            gain: 1.0,
            bias: [0.0; 3],
        }),
        // MuJoCo mixes the two ways to say it among the defaults.
        "position" | "velocity" if general => None,
        "general" if item.has("kp") || item.has("kv") => None,
        "position" => {
            let (kp, kv) = (item.number("kp", 1.0)?, item.number("kv", 0.0)?);
            Some(Law {
                gain: kp,
                bias: [0.0, -kp, -kv],
            })
        }
        "velocity" => {
            let kv = item.number("kv", 1.0)?;
            Some(Law {
                gain: kv,
                bias: [0.0, 0.0, -kv],
            })
        }
        "general" => {
            let plain = matches!(item.word("gaintype"), None | Some("fixed"))
                && matches!(item.word("dyntype"), None | Some("none"));
            let bias = match item.word("biastype") {
                None | Some("none") => Some([0.0; 3]),
                Some("affine") => Some(first_three(item)?),
                Some(_) => None,
            };
            let gain = first_gain(item)?;
            bias.filter(|_| plain).map(|bias| Law { gain, bias })
        }
        _ => None,
    })
}

fn first_gain(item: &Item<'_>) -> Option<f64> {
    let mut gains = [0.0; 10];
    gains[0] = 1.0;
    item.numbers("gainprm", 1, gains).map(|gains| gains[0])
}

fn first_three(item: &Item<'_>) -> Option<[f64; 3]> {
    let [a, b, c, ..] = item.numbers("biasprm", 1, [0.0; 10])?;
    Some([a, b, c])
}

/// `ctrl_NAME`, which no function and no coordinate is called.
fn parameter(name: &str, taken: &mut HashSet<String>) -> String {
    let letters = name.chars().map(|letter| match letter.is_ascii_alphanumeric() {
        true => letter,
        false => '_',
    });
    let name = format!("ctrl_{}", letters.collect::<String>());
    let mut unique = name.clone();
    let mut count = 1;
    while !taken.insert(unique.clone()) {
        count += 1;
        unique = format!("{name}_{count}");
    }
    unique
}

pub(super) fn clamped(text: &str, ends: Option<[f64; 2]>) -> String {
    match ends {
        Some([least, most]) => format!("min(max({text}, {}), {})", number(least), number(most)),
        None => text.to_owned(),
    }
}

fn product(factor: f64, text: &str) -> String {
    match factor {
        1.0 => text.to_owned(),
        factor if factor < 0.0 => format!("({})*{text}", number(factor)),
        factor => format!("{}*{text}", number(factor)),
    }
}

//! What `<compiler>`, `<option>` and its flags say for all of a file.
use super::{
    defaults::Defaults,
    element::Document,
    values::{Item, Settings},
};
use holonomy::Vec3;

/// Where inertias come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FromGeoms {
    Always,
    /// Where a body has no `<inertial>`.
    Else,
    Never,
}

/// What is done to inertias.
pub(super) struct Masses {
    pub(super) from: FromGeoms,
    /// Groups of geoms that count.
    pub(super) groups: [f64; 2],
    /// Least mass and principal moment.
    pub(super) least: [f64; 2],
    pub(super) balance: bool,
    pub(super) total: Option<f64>,
}

/// What does not act.
#[derive(Default)]
pub(super) struct Off {
    pub(super) springs: bool,
    pub(super) dampers: bool,
    pub(super) friction: bool,
    pub(super) actuators: bool,
    pub(super) equalities: bool,
    /// Ranges of controls.
    pub(super) clamps: bool,
}

pub(super) struct Globals {
    pub(super) settings: Settings,
    pub(super) masses: Masses,
    pub(super) off: Off,
    pub(super) gravity: Vec3,
    pub(super) step: Option<f64>,
}

pub(super) fn read(document: &Document, defaults: &Defaults) -> Option<Globals> {
    let mut out = Globals {
        settings: Settings {
            degrees: true,
            euler: ['x', 'y', 'z'],
            autolimits: true,
        },
        masses: Masses {
            from: FromGeoms::Else,
            groups: [0.0, 5.0],
            least: [0.0; 2],
            balance: false,
            total: None,
        },
        off: Off::default(),
        gravity: Vec3::new(0.0, 0.0, -9.81),
        step: None,
    };
    for id in document.children(0).iter().copied() {
        let item = Item {
            document,
            defaults,
            id,
            class: 0,
            tag: document.tag(id),
        };
        match document.tag(id) {
            "compiler" => out.compiler(&item)?,
            "option" => out.option(&item)?,
            _ => {}
        }
    }
    Some(out)
}

impl Globals {
    fn compiler(&mut self, item: &Item<'_>) -> Option<()> {
        item.carry(&[
            "angle",
            "eulerseq",
            "autolimits",
            "inertiafromgeom",
            "inertiagrouprange",
            "boundmass",
            "boundinertia",
            "balanceinertia",
            "settotalmass",
            // These change what is kept of shapes, and nothing that moves.
            "coordinate",
            "discardvisual",
            "fusestatic",
        ]);
        let settings = &mut self.settings;
        match item.word("angle") {
            Some("radian") => settings.degrees = false,
            Some("degree") => settings.degrees = true,
            Some(other) => {
                return item
                    .document
                    .error(item.id, format!("angles are in `{other}`, which is not known"))
                    .help("write `angle=\"radian\"` or `angle=\"degree\"`")
                    .none();
            }
            None => {}
        }
        if item.word("coordinate") == Some("global") {
            return item
                .document
                .error(item.id, "global coordinates are not read")
                .help("MuJoCo has given them up as well: its versions before 2.3.4 write such a file in local ones")
                .none();
        }
        if let Some(order) = item.word("eulerseq") {
            let letters: Vec<char> = order
                .chars()
                .filter(|letter| "xyzXYZ".contains(*letter))
                .collect();
            settings.euler = match <[char; 3]>::try_from(letters) {
                Ok(letters) if order.len() == 3 => letters,
                _ => {
                    return item
                        .document
                        .error(item.id, format!("`{order}` is no order of three turns"))
                        .help(
                            "`eulerseq` has three letters of x, y, z, or X, Y, Z for turns about fixed axes",
                        )
                        .none();
                }
            };
        }
        settings.autolimits = item.flag("autolimits", settings.autolimits)?;
        let masses = &mut self.masses;
        masses.from = match item.word("inertiafromgeom") {
            Some("true") => FromGeoms::Always,
            Some("false") => FromGeoms::Never,
            Some("auto") => FromGeoms::Else,
            _ => masses.from,
        };
        masses.groups = item.numbers("inertiagrouprange", 2, masses.groups)?;
        masses.least = [
            item.number("boundmass", masses.least[0])?,
            item.number("boundinertia", masses.least[1])?,
        ];
        masses.balance = item.flag("balanceinertia", masses.balance)?;
        let total = item.number("settotalmass", -1.0)?;
        if total > 0.0 {
            masses.total = Some(total);
        }
        Some(())
    }

    fn option(&mut self, item: &Item<'_>) -> Option<()> {
        item.carry(&["gravity", "timestep"]);
        self.gravity = item.vector("gravity", self.gravity.into())?;
        if item.has("timestep") {
            let step = item.number("timestep", 0.0)?;
            if step <= 0.0 {
                return item
                    .document
                    .error(item.id, format!("the timestep is {step}"))
                    .help("a step is positive, in s: `timestep=\"0.002\"`")
                    .none();
            }
            self.step = Some(step);
        }
        for id in item.document.children(item.id).iter().copied() {
            let tag = item.document.tag(id);
            let flags = Item { id, tag, ..*item };
            if item.document.tag(id) != "flag" {
                continue;
            }
            flags.carry(&[
                "gravity",
                "spring",
                "damper",
                "passive",
                "frictionloss",
                "equality",
                "clampctrl",
            ]);
            let off = |name: &str| flags.word(name) == Some("disable");
            if off("gravity") {
                self.gravity = Vec3::zeros();
            }
            self.off.springs |= off("spring") || off("passive");
            self.off.dampers |= off("damper") || off("passive");
            self.off.friction |= off("frictionloss") || off("constraint");
            self.off.actuators |= off("actuation");
            self.off.equalities |= off("equality") || off("constraint");
            self.off.clamps |= off("clampctrl");
        }
        Some(())
    }
}

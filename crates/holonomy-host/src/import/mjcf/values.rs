//! Attributes of one element, with those of its class of defaults, and the values in them.
use super::{
    defaults::{Class, Defaults},
    element::{Attribute, Document, Id},
};
use holonomy::{Vec3, geometry::so3, math};
use holonomy_model::Report;
use nalgebra::{Matrix3, Quaternion, Rotation3, UnitQuaternion};

/// What holds for all of a file.
pub(super) struct Settings {
    pub(super) degrees: bool,
    pub(super) euler: [char; 3],
    pub(super) autolimits: bool,
}

/// An element and its class.
#[derive(Clone, Copy)]
pub(super) struct Item<'a> {
    pub(super) document: &'a Document,
    pub(super) defaults: &'a Defaults,
    pub(super) id: Id,
    pub(super) class: Class,
    /// Whose defaults it has; those of no element, if it is empty.
    pub(super) tag: &'a str,
}

/// An attribute, and the element that it stands in.
type Found<'a> = (Id, &'a Attribute);

impl<'a> Item<'a> {
    /// An attribute; not yet marked as carried.
    pub(super) fn find(&self, name: &str) -> Option<Found<'a>> {
        if let Some(found) = self.document.attribute(self.id, name) {
            return Some((self.id, found));
        }
        self.defaults.find(self.document, self.class, self.tag, name)
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    /// Marks attributes as said by the model, also where they are defaults.
    pub(super) fn carry(&self, names: &[&str]) {
        self.document.carry(self.id, &[]);
        for name in names {
            for (id, attribute) in self.said(name) {
                attribute.carried.set(true);
                self.document.carry(id, &[]);
            }
        }
    }

    /// An attribute, and those of its defaults that have more words than what counts before them: `size="1"` leaves the
    /// second of a default `size="2 3"` as it is.
    fn said(&self, name: &str) -> Vec<Found<'a>> {
        let own = self.document.attribute(self.id, name);
        let own = own.map(|attribute| (self.id, attribute));
        let defaults = self.defaults.all(self.document, self.class, self.tag, name);
        let mut words = None;
        let mut out: Vec<Found<'a>> = own.into_iter().chain(defaults).collect();
        out.retain(|(_, attribute)| {
            let count = attribute.value.split_whitespace().count();
            let more = words.is_none_or(|words| count > words);
            if more {
                words = Some(count);
            }
            more
        });
        out
    }

    /// A word, if it is there.
    pub(super) fn word(&self, name: &str) -> Option<&'a str> {
        self.find(name).map(|(_, attribute)| attribute.value.trim())
    }

    /// `true`, `false` or another word; `otherwise` if it is absent.
    pub(super) fn flag(&self, name: &str, otherwise: bool) -> Option<bool> {
        match self.find(name) {
            None => Some(otherwise),
            Some((_, found)) if found.value == "true" => Some(true),
            Some((_, found)) if found.value == "false" => Some(false),
            Some(found) => self.wrong(found, "is neither `true` nor `false`", "write one of them"),
        }
    }

    /// Whether limits hold: `true`, `false`, or by itself if there is a range.
    pub(super) fn limited(&self, name: &str, range: &str, settings: &Settings) -> Option<bool> {
        match self.word(name) {
            None | Some("auto") => Some(settings.autolimits && self.has(range)),
            Some(_) => self.flag(name, false),
        }
    }

    fn wrong<T>(&self, (id, attribute): Found<'_>, what: &str, help: &str) -> Option<T> {
        self.document
            .error_at(
                id,
                attribute.value_span.clone(),
                format!("`{}` in `{}` {what}", attribute.value.trim(), attribute.name),
            )
            .help(help)
            .none()
    }

    /// Reports that an attribute names what does not exist, or that it is missing.
    pub(super) fn unknown<'n>(
        &self,
        attribute: &str,
        what: &str,
        names: impl Iterator<Item = &'n str> + Clone,
    ) -> Report<'a> {
        match self.find(attribute) {
            Some((id, found)) => {
                let name = found.value.trim();
                let message = format!("there is no {what} `{name}`");
                let report = self.document.error_at(id, found.value_span.clone(), message);
                match names.clone().next() {
                    Some(_) => report.suggest(name, names),
                    None => report.help(format!(
                        "give the {what} that is meant this name; the file names none"
                    )),
                }
            }
            None => {
                let tag = self.document.tag(self.id);
                self.document
                    .error(self.id, format!("`{tag}` has no `{attribute}`"))
                    .help(format!("name a {what} with it"))
            }
        }
    }

    /// As many numbers as there are, if the attribute is there: another count is an error.
    pub(super) fn list(&self, name: &str, count: usize) -> Option<Option<Vec<f64>>> {
        let Some(found) = self.find(name) else {
            return Some(None);
        };
        let words = found.1.value.split_whitespace();
        let parsed = words.map(|word| word.parse::<f64>().ok().filter(|value| value.is_finite()));
        match parsed.collect::<Option<Vec<f64>>>() {
            Some(list) if list.len() == count => Some(Some(list)),
            list => {
                let message = match list {
                    Some(list) => format!("`{name}` has {} numbers, and the machine {count}", list.len()),
                    None => format!("`{name}` has something that is not a number"),
                };
                self.document
                    .error_at(found.0, found.1.value_span.clone(), message)
                    .help("numbers stand in the order of joints or actuators in the file")
                    .none()
            }
        }
    }

    /// The numbers of an attribute, from `least` to N; those that are left out, also in its defaults, are as in
    /// `otherwise`.
    pub(super) fn numbers<const N: usize>(
        &self,
        name: &str,
        least: usize,
        otherwise: [f64; N],
    ) -> Option<[f64; N]> {
        let mut out = otherwise;
        for found in self.said(name).into_iter().rev() {
            let numbers = self.numbers_in(found, least, N)?;
            out[..numbers.len()].copy_from_slice(&numbers);
        }
        Some(out)
    }

    /// As many numbers as an attribute has, within bounds.
    fn numbers_in(&self, found: Found<'_>, least: usize, most: usize) -> Option<Vec<f64>> {
        let (
            id,
            Attribute {
                name,
                value,
                value_span,
                ..
            },
        ) = found;
        let wrong = |message: String, help: &str| {
            let report = self.document.error_at(id, value_span.clone(), message);
            report.help(help).none()
        };
        let mut out = Vec::new();
        for word in value.split_whitespace() {
            match word.parse::<f64>().ok().filter(|value| value.is_finite()) {
                Some(value) => out.push(value),
                None => {
                    return wrong(
                        format!("`{word}` in `{name}` is not a number"),
                        "numbers have a decimal point and are separated by blanks: `pos=\"0 0 0.5\"`",
                    );
                }
            }
        }
        if (least..=most).contains(&out.len()) {
            return Some(out);
        }
        let wanted = match least == most {
            true => format!("{most}"),
            false => format!("{least} to {most}"),
        };
        wrong(
            format!("`{name}` has {} numbers instead of {wanted}", out.len()),
            "see the reference of MJCF for what they mean",
        )
    }

    /// The ends of a range that is there and limited, the smaller first.
    pub(super) fn ends(&self, limited: &str, range: &str, settings: &Settings) -> Option<Option<[f64; 2]>> {
        let [least, most] = self.numbers(range, 2, [0.0; 2])?;
        if !self.limited(limited, range, settings)? || least == most {
            return Some(None);
        }
        if least < most {
            return Some(Some([least, most]));
        }
        let found = self.find(range)?;
        self.wrong(found, "is no range", "write the smaller number first")
    }

    pub(super) fn number(&self, name: &str, otherwise: f64) -> Option<f64> {
        self.numbers(name, 1, [otherwise]).map(|[value]| value)
    }

    pub(super) fn vector(&self, name: &str, otherwise: [f64; 3]) -> Option<Vec3> {
        self.numbers(name, 3, otherwise).map(Vec3::from)
    }

    /// A direction that must not be zero, of length one.
    pub(super) fn direction(&self, name: &str, otherwise: [f64; 3]) -> Option<Vec3> {
        let vector = self.vector(name, otherwise)?;
        match unit(vector) {
            Some(unit) => Some(unit),
            None => {
                let found = self.find(name)?;
                self.wrong(
                    found,
                    "is zero and has no direction",
                    "give a direction such as `0 0 1`",
                )
            }
        }
    }

    /// How an element is turned: `quat`, `axisangle`, `euler`, `xyaxes` or `zaxis`.
    pub(super) fn turn(&self, settings: &Settings) -> Option<UnitQuaternion<f64>> {
        // What the element itself says counts, not another way to say it among the defaults.
        let own = |name: &&str| self.document.attribute(self.id, name).is_some();
        let given: Vec<&str> = TURNS.into_iter().filter(own).collect();
        if let [first, second, ..] = given[..] {
            return self
                .document
                .error(
                    self.id,
                    format!("it is turned twice, by `{first}` and by `{second}`"),
                )
                .help("leave one of them")
                .none();
        }
        let by = given
            .first()
            .copied()
            .or_else(|| TURNS.into_iter().find(|name| self.has(name)));
        let Some(by) = by else {
            return Some(UnitQuaternion::identity());
        };
        let angle = |x: f64| if settings.degrees { x.to_radians() } else { x };
        let found = self.find(by)?;
        let nowhere = |item: &Self| item.wrong(found, "gives no rotation", "lengths must not be zero");
        match by {
            "quat" => {
                let [w, x, y, z] = self.numbers("quat", 4, [1.0, 0.0, 0.0, 0.0])?;
                let scale = [w, x, y, z].iter().fold(0.0_f64, |m, x| m.max(x.abs()));
                if scale == 0.0 {
                    return nowhere(self);
                }
                Some(UnitQuaternion::from_quaternion(
                    Quaternion::new(w, x, y, z) / scale,
                ))
            }
            "axisangle" => {
                let [x, y, z, by] = self.numbers("axisangle", 4, [0.0; 4])?;
                match unit(Vec3::new(x, y, z)) {
                    Some(axis) => Some(so3::about(&axis, angle(by))),
                    None => nowhere(self),
                }
            }
            "euler" => {
                let angles = self.numbers("euler", 3, [0.0; 3])?;
                Some(euler(&settings.euler, angles.map(angle)))
            }
            "xyaxes" => {
                let [a, b, c, d, e, f] = self.numbers("xyaxes", 6, [0.0; 6])?;
                let Some(x) = unit(Vec3::new(a, b, c)) else {
                    return nowhere(self);
                };
                let y = Vec3::new(d, e, f);
                let Some(y) = unit(y - x * x.dot(&y)) else {
                    return nowhere(self);
                };
                let matrix = Matrix3::from_columns(&[x, y, x.cross(&y)]);
                Some(UnitQuaternion::from_rotation_matrix(
                    &Rotation3::from_matrix_unchecked(matrix),
                ))
            }
            _ => match unit(self.vector("zaxis", [0.0, 0.0, 1.0])?) {
                Some(z) => Some(to_z(&z)),
                None => nowhere(self),
            },
        }
    }
}

/// The ways to say how something is turned.
pub(super) const TURNS: [&str; 5] = ["quat", "axisangle", "euler", "xyaxes", "zaxis"];

/// A vector of length one, if it has a direction.
pub(super) fn unit(vector: Vec3) -> Option<Vec3> {
    let scale = vector.amax();
    if !(scale > 0.0 && scale.is_finite()) {
        return None;
    }
    Some((vector / scale).normalize())
}

/// The least rotation that takes the axis z to a direction.
pub(super) fn to_z(direction: &Vec3) -> UnitQuaternion<f64> {
    let axis = Vec3::z().cross(direction);
    let sine = axis.norm();
    let axis = if sine < 1e-10 { Vec3::x() } else { axis / sine };
    so3::about(&axis, math::atan2(sine, direction.z))
}

/// Turns in a row: about axes of the body for small letters, of the parent for capitals.
fn euler(order: &[char; 3], angles: [f64; 3]) -> UnitQuaternion<f64> {
    let mut out = UnitQuaternion::identity();
    for (letter, angle) in order.iter().zip(angles) {
        let axis = match letter.to_ascii_lowercase() {
            'x' => Vec3::x(),
            'y' => Vec3::y(),
            _ => Vec3::z(),
        };
        out = match letter.is_ascii_lowercase() {
            true => out * so3::about(&axis, angle),
            false => so3::about(&axis, angle) * out,
        };
    }
    out
}

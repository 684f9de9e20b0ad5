//! What is recorded of a motion, by name: a name, a unit, and a function of a measured state.
//!
//! ```text
//! t, kinetic, potential, energy                       s and J
//! NAME                                                of a coordinate, a velocity, a conserved quantity
//! lambda.NAME, work.NAME                              multipliers of constraints, work of sources of power
//! p.NAME                                              the momentum that belongs to a velocity
//! impulse.NAME                                        of a constraint: the impulses of the last step over its length
//! SITE, SITE.velocity                                 where a site is, and how it moves
//! SITE.orientation, SITE.angular_velocity             of the body that carries it: [w, x, y, z]; in axes of the world
//! EXTRA                                               what else a system offers: efforts, tensions, definitions
//! ….x                                                 one component of any of them
//! ```
//! A system says in [`Recordable`] what its sites are called and what it offers besides; everything else is in its
//! [`Layout`] already. [`Readings`] evaluates a list of outputs where a sample is recorded, and nowhere else.
mod readings;

pub use readings::Readings;

use crate::system::{Layout, MultiplierUnit};
use serde::{Deserialize, Serialize};

/// What a system offers to be recorded beside what its [`Layout`] names already.
#[derive(Clone, Debug, Default)]
pub struct Recordable {
    /// What its sites are called; empty where they are called as they are drawn.
    pub sites: Vec<SiteName>,
    /// Whether its sites are on bodies that turn.
    pub turning: bool,
    /// What [`System::extras`](crate::system::System::extras) gives, in this order.
    pub extras: Vec<Extra>,
}

/// What a site is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SiteName {
    /// The shortest name that no other site has.
    pub name: String,
    /// Its body, and its own name there.
    pub path: String,
    /// Whether it is a point on a body, and neither one of the world nor where a body begins.
    pub carried: bool,
}

/// A quantity that only one family of systems has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extra {
    /// What it is called.
    pub name: String,
    /// Its unit; empty where it is not known.
    pub unit: &'static str,
    /// What its components are called; none of a plain number.
    pub components: &'static [&'static str],
}

impl Extra {
    /// Numbers that it has.
    pub fn width(&self) -> usize {
        self.components.len().max(1)
    }
}

/// The components of a vector.
pub const XYZ: &[&str] = &["x", "y", "z"];
const WXYZ: &[&str] = &["w", "x", "y", "z"];

/// How a site moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SiteMotion {
    /// Its velocity, m/s.
    pub velocity: crate::Vec3,
    /// The rotation `[w, x, y, z]` of what carries it, to the axes of the world.
    pub orientation: [f64; 4],
    /// The angular velocity of what carries it, rad/s.
    pub angular_velocity: crate::Vec3,
}

impl SiteMotion {
    /// Of a site of which nothing is known.
    pub const UNKNOWN: Self = Self {
        velocity: crate::Vec3::new(f64::NAN, f64::NAN, f64::NAN),
        orientation: [f64::NAN; 4],
        angular_velocity: crate::Vec3::new(f64::NAN, f64::NAN, f64::NAN),
    };
}

/// A quantity to be recorded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Output {
    /// What it is called.
    pub name: String,
    /// Its unit; empty where it is not known.
    pub unit: String,
    /// What its components are called; none of a plain number.
    pub components: Vec<String>,
    of: Quantity,
    /// The only component that is wanted.
    only: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Quantity {
    Time,
    Kinetic,
    Potential,
    Energy,
    Coordinate(usize),
    Velocity(usize),
    Invariant(usize),
    Multiplier(usize),
    Momentum(usize),
    Impulse(usize),
    Work(usize),
    Position(usize),
    SiteVelocity(usize),
    Orientation(usize),
    AngularVelocity(usize),
    /// By where its numbers begin.
    Extra(usize),
}

impl Output {
    /// The output with this name, if there is one.
    pub fn find(name: &str, layout: &Layout) -> Option<Self> {
        if let Some(found) = whole(name, layout) {
            return Some(found);
        }
        let (of, component) = name.rsplit_once('.')?;
        let whole = whole(of, layout)?;
        let only = whole.components.iter().position(|own| own == component)?;
        Some(Self {
            name: name.to_owned(),
            components: Vec::new(),
            only: Some(only),
            ..whole
        })
    }

    /// The positions of all sites that are points on bodies.
    pub fn sites(layout: &Layout) -> Vec<Self> {
        let sites = layout.recordable.sites.iter().enumerate();
        let carried = sites.filter(|(_, site)| site.carried);
        carried.map(|(k, site)| position(&site.name, k)).collect()
    }

    /// Names of all that can be recorded, without components.
    pub fn names(layout: &Layout) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for k in 0..sites(layout) {
            let Some(site) = site_name(layout, k) else {
                continue;
            };
            names.push(site.clone());
            names.push(format!("{site}.velocity"));
            if layout.recordable.turning {
                names.push(format!("{site}.orientation"));
                names.push(format!("{site}.angular_velocity"));
            }
        }
        names.extend(layout.recordable.extras.iter().map(|extra| extra.name.clone()));
        names.extend(layout.conserved.invariants.iter().cloned());
        names.extend(layout.conserved.sources.iter().map(|name| format!("work.{name}")));
        names.extend(["energy", "kinetic", "potential"].map(str::to_owned));
        names.extend(layout.coordinates.iter().cloned());
        names.extend(layout.velocities.iter().cloned());
        names.extend(layout.multipliers.iter().map(|name| format!("lambda.{name}")));
        names.extend(layout.velocities.iter().map(|name| format!("p.{name}")));
        names.extend(layout.multipliers.iter().map(|name| format!("impulse.{name}")));
        names
    }

    /// Whether it is made by the steps of a method, and by no other.
    pub fn is_of_a_step(&self) -> bool {
        matches!(self.of, Quantity::Impulse(_))
    }

    /// Whether it may change at once with a force: multipliers, and what a system offers besides, as tensions.
    pub fn answers_to_forces(&self) -> bool {
        matches!(self.of, Quantity::Multiplier(_) | Quantity::Extra(_))
    }

    /// Whether it and another have a number in common.
    pub fn overlaps(&self, other: &Self) -> bool {
        let apart = matches!((self.only, other.only), (Some(one), Some(another)) if one != another);
        self.of == other.of && !apart
    }

    /// Whether a trajectory has it as a part of the state, whether it is recorded or not.
    pub fn is_of_the_state(&self) -> bool {
        matches!(
            self.of,
            Quantity::Time
                | Quantity::Kinetic
                | Quantity::Potential
                | Quantity::Coordinate(_)
                | Quantity::Velocity(_)
                | Quantity::Multiplier(_)
                | Quantity::Work(_)
        )
    }

    /// Numbers that it has.
    pub fn width(&self) -> usize {
        self.components.len().max(1)
    }

    /// What its numbers are called.
    pub fn columns(&self) -> Vec<String> {
        match self.components.is_empty() {
            true => vec![self.name.clone()],
            false => {
                let each = self.components.iter();
                each.map(|component| format!("{}.{component}", self.name))
                    .collect()
            }
        }
    }
}

/// Sites that have a name.
fn sites(layout: &Layout) -> usize {
    match layout.recordable.sites.len() {
        0 => layout.drawing.followed(),
        named => named,
    }
}

fn site_name(layout: &Layout, site: usize) -> Option<String> {
    match (&layout.recordable.sites[..], &layout.drawing.sites[..]) {
        ([], []) => layout.words.bodies.one(site),
        ([], drawn) => drawn.get(site).cloned(),
        (named, _) => named.get(site).map(|site| site.name.clone()),
    }
}

/// The number of the site with this name, or path.
fn site(layout: &Layout, name: &str) -> Option<usize> {
    let among = |list: &[String]| list.iter().position(|own| own == name);
    let named = &layout.recordable.sites;
    match (&named[..], &layout.drawing.sites[..]) {
        ([], []) if layout.drawing.bases.is_empty() => None,
        ([], []) => among(&layout.words.bodies),
        ([], drawn) => among(drawn),
        (named, _) => {
            let own = named.iter().position(|site| site.name == name);
            own.or_else(|| named.iter().position(|site| site.path == name))
        }
    }
}

fn position(name: &str, site: usize) -> Output {
    output(name, "m", XYZ, Quantity::Position(site))
}

fn output(name: &str, unit: &str, components: &[&str], of: Quantity) -> Output {
    Output {
        name: name.to_owned(),
        unit: unit.to_owned(),
        components: components.iter().map(|&component| component.to_owned()).collect(),
        of,
        only: None,
    }
}

/// An output by its whole name.
fn whole(name: &str, layout: &Layout) -> Option<Output> {
    let plain = |unit: &str, of| Some(output(name, unit, &[], of));
    match name {
        "t" => return plain("s", Quantity::Time),
        "kinetic" => return plain("J", Quantity::Kinetic),
        "potential" => return plain("J", Quantity::Potential),
        "energy" => return plain("J", Quantity::Energy),
        _ => {}
    }
    let among = |list: &[String], name: &str| list.iter().position(|own| own == name);
    if let Some(k) = among(&layout.coordinates, name) {
        return plain("", Quantity::Coordinate(k));
    }
    if let Some(k) = among(&layout.velocities, name) {
        return plain("", Quantity::Velocity(k));
    }
    let unit = |k: usize| -> MultiplierUnit { layout.multiplier_units.get(k).copied().unwrap_or_default() };
    if let Some(k) = (name.strip_prefix("lambda.")).and_then(|name| among(&layout.multipliers, name)) {
        return plain(unit(k).symbol(), Quantity::Multiplier(k));
    }
    if let Some(k) = (name.strip_prefix("impulse.")).and_then(|name| among(&layout.multipliers, name)) {
        return plain(unit(k).symbol(), Quantity::Impulse(k));
    }
    if let Some(k) = (name.strip_prefix("p.")).and_then(|name| among(&layout.velocities, name)) {
        return plain("", Quantity::Momentum(k));
    }
    if let Some(k) = (name.strip_prefix("work.")).and_then(|name| among(&layout.conserved.sources, name)) {
        return plain("J", Quantity::Work(k));
    }
    let mut first = 0;
    for extra in &layout.recordable.extras {
        if extra.name == name {
            return Some(output(name, extra.unit, extra.components, Quantity::Extra(first)));
        }
        first += extra.width();
    }
    if let Some(k) = among(&layout.conserved.invariants, name) {
        return plain("", Quantity::Invariant(k));
    }
    if let Some(k) = site(layout, name) {
        return Some(position(name, k));
    }
    let (of, what) = name.rsplit_once('.')?;
    let site = site(layout, of)?;
    let turning = layout.recordable.turning;
    match what {
        "velocity" => Some(output(name, "m/s", XYZ, Quantity::SiteVelocity(site))),
        "orientation" if turning => Some(output(name, "", WXYZ, Quantity::Orientation(site))),
        "angular_velocity" if turning => Some(output(name, "rad/s", XYZ, Quantity::AngularVelocity(site))),
        _ => None,
    }
}

use super::Dimension;
use holonomy::math;

/// A unit that has a symbol of its own.
pub(super) struct Atom {
    pub(super) symbol: &'static str,
    dimension: [i32; 5],
    ten: i32,
    times: f64,
    over: f64,
}

/// The unit of that symbol, however it is spelled.
pub(super) fn atom(symbol: &str) -> Option<&'static Atom> {
    let symbol = SPELLINGS
        .iter()
        .find(|(other, _)| *other == symbol)
        .map_or(symbol, |(_, symbol)| symbol);
    ATOMS.iter().find(|atom| atom.symbol == symbol)
}

/// Every symbol that is understood; there are no other prefixes.
pub(super) const ATOMS: &[Atom] = &[
    decimal("m", LENGTH, 0),
    decimal("km", LENGTH, 3),
    decimal("cm", LENGTH, -2),
    decimal("mm", LENGTH, -3),
    decimal("um", LENGTH, -6),
    decimal("kg", MASS, 0),
    decimal("g", MASS, -3),
    decimal("mg", MASS, -6),
    decimal("s", TIME, 0),
    decimal("ms", TIME, -3),
    decimal("us", TIME, -6),
    scaled("min", TIME, 60.0, 1.0),
    scaled("h", TIME, 3600.0, 1.0),
    decimal("rad", ROTATION, 0),
    decimal("mrad", ROTATION, -3),
    scaled("deg", ROTATION, std::f64::consts::PI, 180.0),
    scaled("rev", ROTATION, std::f64::consts::TAU, 1.0),
    decimal("N", FORCE, 0),
    decimal("kN", FORCE, 3),
    decimal("mN", FORCE, -3),
    decimal("J", ENERGY, 0),
    decimal("kJ", ENERGY, 3),
    decimal("mJ", ENERGY, -3),
    decimal("Pa", PRESSURE, 0),
    decimal("kPa", PRESSURE, 3),
    decimal("MPa", PRESSURE, 6),
    decimal("GPa", PRESSURE, 9),
    decimal("A", CURRENT, 0),
    decimal("mA", CURRENT, -3),
    decimal("T", FIELD, 0),
    decimal("mT", FIELD, -3),
];

/// Other spellings of the symbols.
const SPELLINGS: &[(&str, &str)] = &[
    ("°", "deg"),
    ("µs", "us"),
    ("μs", "us"),
    ("µm", "um"),
    ("μm", "um"),
];

/// A unit in terms of SI: 10^ten · times / over.
#[derive(Clone, Copy, Debug)]
pub(super) struct Factor {
    pub(super) dimension: Dimension,
    pub(super) ten: i32,
    pub(super) times: f64,
    pub(super) over: f64,
}

impl Factor {
    pub(super) const ONE: Factor = Factor {
        dimension: Dimension([0; 5]),
        ten: 0,
        times: 1.0,
        over: 1.0,
    };

    /// self · atom^power
    pub(super) fn times(self, atom: &Atom, power: i32) -> Factor {
        let mut product = self;
        for (sum, exponent) in product.dimension.0.iter_mut().zip(atom.dimension) {
            *sum = sum.saturating_add(exponent * power);
        }
        product.ten = product.ten.saturating_add(atom.ten * power);
        let (up, down) = if power < 0 {
            (atom.over, atom.times)
        } else {
            (atom.times, atom.over)
        };
        product.times *= math::powi(up, power.abs());
        product.over *= math::powi(down, power.abs());
        product
    }
}

const fn decimal(symbol: &'static str, dimension: [i32; 5], ten: i32) -> Atom {
    Atom {
        symbol,
        dimension,
        ten,
        times: 1.0,
        over: 1.0,
    }
}

const fn scaled(symbol: &'static str, dimension: [i32; 5], times: f64, over: f64) -> Atom {
    Atom {
        symbol,
        dimension,
        ten: 0,
        times,
        over,
    }
}

const LENGTH: [i32; 5] = [1, 0, 0, 0, 0];
const MASS: [i32; 5] = [0, 1, 0, 0, 0];
const TIME: [i32; 5] = [0, 0, 1, 0, 0];
const CURRENT: [i32; 5] = [0, 0, 0, 1, 0];
const ROTATION: [i32; 5] = [0, 0, 0, 0, 1];
const FORCE: [i32; 5] = [1, 1, -2, 0, 0];
const ENERGY: [i32; 5] = [2, 1, -2, 0, 0];
const PRESSURE: [i32; 5] = [-1, 1, -2, 0, 0];
const FIELD: [i32; 5] = [0, 1, -2, -1, 0];

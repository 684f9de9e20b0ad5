use std::fmt;

pub use quantity::{QuantityError, parse_quantity};

mod quantity;
mod symbols;

/// What a number measures: exponents of length, mass, time, current and angle, with words for messages.
///
/// Angles are tracked, so that degrees are accepted only where an angle or an angular rate is expected; radians may
/// always be left out, as in SI.
#[derive(Clone, Copy, Debug)]
pub struct Unit {
    dimension: Dimension,
    symbol: &'static str,
    quantity: &'static str,
}

macro_rules! units {
    ($($name:ident = $dimension:expr, $symbol:literal, $quantity:literal;)*) => {
        impl Unit {
            $(
                #[doc = concat!("For ", $quantity, ": ", $symbol, ".")]
                pub const $name: Unit = Unit { dimension: Dimension($dimension), symbol: $symbol, quantity: $quantity };
            )*
        }
        const NAMED: &[Unit] = &[$(Unit::$name),*];
    };
}

// Exponents of m, kg, s, A, rad.
units! {
    NONE = [0, 0, 0, 0, 0], "1", "a plain number";
    METRE = [1, 0, 0, 0, 0], "m", "a length";
    SQUARE_METRE = [2, 0, 0, 0, 0], "m^2", "an area";
    CUBIC_METRE = [3, 0, 0, 0, 0], "m^3", "a volume";
    KILOGRAM = [0, 1, 0, 0, 0], "kg", "a mass";
    SECOND = [0, 0, 1, 0, 0], "s", "a time";
    PER_SECOND = [0, 0, -1, 0, 0], "1/s", "a rate";
    RADIAN = [0, 0, 0, 0, 1], "rad", "an angle";
    RADIAN_PER_SECOND = [0, 0, -1, 0, 1], "rad/s", "an angular velocity";
    RADIAN_PER_SECOND_SQUARED = [0, 0, -2, 0, 1], "rad/s^2", "an angular acceleration";
    METRE_PER_SECOND = [1, 0, -1, 0, 0], "m/s", "a velocity";
    METRE_PER_SECOND_SQUARED = [1, 0, -2, 0, 0], "m/s^2", "an acceleration";
    KILOGRAM_METRE = [1, 1, 0, 0, 0], "kg m", "a first moment of mass";
    KILOGRAM_METRE_SQUARED = [2, 1, 0, 0, 0], "kg m^2", "a moment of inertia";
    KILOGRAM_PER_METRE = [-1, 1, 0, 0, 0], "kg/m", "a mass per length";
    KILOGRAM_PER_CUBIC_METRE = [-3, 1, 0, 0, 0], "kg/m^3", "a density";
    KILOGRAM_METRE_PER_SECOND = [1, 1, -1, 0, 0], "kg m/s", "a momentum";
    KILOGRAM_METRE_SQUARED_PER_SECOND = [2, 1, -1, 0, 0], "kg m^2/s", "an angular momentum";
    NEWTON = [1, 1, -2, 0, 0], "N", "a force";
    NEWTON_PER_METRE = [0, 1, -2, 0, 0], "N/m", "a stiffness";
    NEWTON_SECOND_PER_METRE = [0, 1, -1, 0, 0], "N s/m", "a damping";
    NEWTON_METRE_PER_RADIAN = [2, 1, -2, 0, -1], "N m/rad", "a torsional stiffness";
    NEWTON_METRE_SECOND_PER_RADIAN = [2, 1, -1, 0, -1], "N m s/rad", "a rotational damping";
    JOULE = [2, 1, -2, 0, 0], "J", "an energy";
    NEWTON_METRE = [2, 1, -2, 0, 0], "N m", "a torque";
    NEWTON_METRE_SQUARED = [3, 1, -2, 0, 0], "N m^2", "a bending stiffness";
    PASCAL = [-1, 1, -2, 0, 0], "Pa", "a pressure";
    AMPERE = [0, 0, 0, 1, 0], "A", "a current";
    AMPERE_METRE_SQUARED = [2, 0, 0, 1, 0], "A m^2", "a magnetic moment";
    TESLA = [0, 1, -2, -1, 0], "T", "a magnetic field";
}

impl Unit {
    /// For a number of which only its author knows what it measures, as a parameter of a formula: every unit will do.
    pub const ANY: Self = Self {
        dimension: Dimension::ANY,
        symbol: "1",
        quantity: "a quantity",
    };

    /// The SI symbol, `kg m^2`; `1` for plain numbers.
    pub fn symbol(&self) -> &'static str {
        self.symbol
    }

    /// What it measures, with its article: `a moment of inertia`.
    pub fn quantity(&self) -> &'static str {
        self.quantity
    }

    /// A text that [`parse_quantity`] accepts for this unit, to show in help.
    pub fn example(&self) -> String {
        match self.symbol {
            "1" => "2.5".to_owned(),
            "rad" => "30 deg".to_owned(),
            "rad/s" => "20 deg/s".to_owned(),
            symbol => format!("2.5 {symbol}"),
        }
    }

    /// What was expected, for messages: `a mass in kg`.
    pub(super) fn describe(&self) -> String {
        match self.symbol {
            "1" => "a number without unit".to_owned(),
            symbol => format!("{} in {symbol}", self.quantity),
        }
    }
}

/// Units are equal if they measure the same, whatever they are called: N m is J.
impl PartialEq for Unit {
    fn eq(&self, other: &Self) -> bool {
        self.dimension == other.dimension
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.symbol)
    }
}

/// Exponents of length, mass, time, current, angle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Dimension([i32; 5]);

const ANGLE: usize = 4;

impl Dimension {
    /// Of no quantity there is.
    const ANY: Self = Self([i32::MAX; 5]);

    /// Equal, where an angle may be left out but not put in.
    fn serves_for(self, expected: Dimension) -> bool {
        let bare = |Dimension([length, mass, time, current, _])| [length, mass, time, current];
        let angle = self.0[ANGLE];
        expected == Self::ANY || (bare(self) == bare(expected) && (angle == 0 || angle == expected.0[ANGLE]))
    }

    fn describe(self, units: &str) -> String {
        match NAMED.iter().find(|unit| unit.dimension == self) {
            Some(unit) if self == Unit::NONE.dimension => unit.quantity.to_owned(),
            Some(unit) => format!("{} in `{units}`", unit.quantity),
            None => format!("`{units}`"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_equal_if_they_measure_the_same() {
        assert_eq!(Unit::JOULE, Unit::NEWTON_METRE);
        assert_ne!(Unit::NONE, Unit::RADIAN);
        assert_ne!(Unit::METRE, Unit::KILOGRAM);
    }

    #[test]
    fn every_symbol_and_example_parses_as_its_unit() {
        for unit in NAMED {
            let text = if unit.symbol() == "1" {
                "1".to_owned()
            } else {
                format!("1 {unit}")
            };
            assert_eq!(parse_quantity(&text, *unit), Ok(1.0), "{text}");
            assert!(
                parse_quantity(&unit.example(), *unit).is_ok(),
                "{}",
                unit.example()
            );
        }
    }

    #[test]
    fn an_angle_may_be_left_out_but_not_put_in() {
        assert!(
            Unit::PER_SECOND
                .dimension
                .serves_for(Unit::RADIAN_PER_SECOND.dimension)
        );
        assert!(
            !Unit::RADIAN_PER_SECOND
                .dimension
                .serves_for(Unit::PER_SECOND.dimension)
        );
    }
}

//! Axes: where the ticks go and what they say.
//!
//! An axis is resolved to a [`Ruler`], which places values between 0 and 1. When the data are almost
//! constant, a linear ruler measures the difference from a round number near by, so that `−0.75000001` reads
//! as `−10`, with the note "×10⁻⁹ relative to −0.75".

use super::ticks::{Decades, Steps, offset};
use holonomy::math;

/// What an axis shows and how.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// The quantity with its unit, such as `time (s)`.
    pub label: String,
    /// How values are spaced.
    pub scale: Scale,
    /// Whether it is the time of a run: a player's cursor moves along it.
    pub time: bool,
    /// How large that is which it measures; zero where that is not known, or where the last digits are what it shows.
    pub size: f64,
}

/// How values are spaced along an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Equal distances are equal differences.
    Linear,
    /// Equal distances are equal ratios. Zero is drawn at the lower edge of a vertical axis, other values
    /// that have no logarithm are left out.
    Log,
}

impl Axis {
    /// An axis with equal differences.
    pub fn linear(label: impl Into<String>) -> Self {
        Self {
            label: label.into(),
            scale: Scale::Linear,
            time: false,
            size: 0.0,
        }
    }

    /// The same for places, angles or velocities of something of this size. What changes by less than half the digits
    /// of a number is at rest beside it, and drawn so: as a level line, not as its rounding errors.
    pub fn of_size(self, size: f64) -> Self {
        Self { size, ..self }
    }

    /// The time of a run.
    pub fn time() -> Self {
        Self {
            time: true,
            ..Self::linear("time (s)")
        }
    }

    /// An axis with equal ratios.
    pub fn log(label: impl Into<String>) -> Self {
        Self {
            label: label.into(),
            scale: Scale::Log,
            time: false,
            size: 0.0,
        }
    }

    /// What is shown of data of this extent: all of it, and a good part of the size if they are at rest.
    pub(super) fn shown(&self, data: Extent) -> Extent {
        let rounding = AT_REST * self.size;
        if self.scale == Scale::Log || !self.size.is_normal() || data.range() > rounding {
            return data;
        }
        let middle = match 0.5 * (data.low + data.high) {
            middle if middle.abs() <= rounding => 0.0,
            middle => middle,
        };
        let level = Extent {
            low: middle,
            high: middle,
        };
        level.at_least(RESTING * self.size)
    }
}

/// What is shown where something rests, as a part of its size.
const RESTING: f64 = 0.4;
/// What changes by less than this fraction of its size is at rest: half the digits of a number.
const AT_REST: f64 = 1e-8;

/// Values beyond this are treated like infinity, so that differences of values are finite.
const LARGEST: f64 = 1e300;

impl Scale {
    /// Whether a value has a place on an axis of this scale.
    pub(super) fn holds(self, value: f64) -> bool {
        value.abs() <= LARGEST && (self == Self::Linear || value > 0.0)
    }
}

/// The lowest and the highest of the values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Extent {
    pub(super) low: f64,
    pub(super) high: f64,
}

impl Extent {
    pub(super) fn range(&self) -> f64 {
        self.high - self.low
    }

    /// At least so much, about the same middle.
    pub(super) fn at_least(self, range: f64) -> Self {
        let more = 0.5 * (range - self.range()).max(0.0);
        Self {
            low: self.low - more,
            high: self.high + more,
        }
    }

    /// The smallest extent that holds both.
    pub(super) fn joined(extent: Option<Self>, value: f64) -> Option<Self> {
        Some(match extent {
            None => Self {
                low: value,
                high: value,
            },
            Some(Self { low, high }) => Self {
                low: low.min(value),
                high: high.max(value),
            },
        })
    }
}

/// A labelled position on a ruler.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tick {
    /// 0 at the low end, 1 at the high end.
    pub(super) at: f64,
    pub(super) label: String,
}

/// An axis with its range and ticks chosen.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Ruler {
    scale: Scale,
    offset: f64,
    /// The ends, in measured values.
    low: f64,
    high: f64,
    pub(super) ticks: Vec<Tick>,
    /// Positions of grid lines without a label.
    pub(super) minor: Vec<f64>,
    /// What must be known to read the labels: a common factor, an offset.
    pub(super) note: Option<String>,
}

impl Ruler {
    /// A ruler with about `target` ticks over the extent, widened by `padding` (a fraction) at both ends.
    pub(super) fn new(scale: Scale, extent: Extent, padding: f64, target: usize) -> Self {
        match scale {
            Scale::Linear => Self::linear(extent, padding, target),
            Scale::Log => Self::log(extent, padding, target),
        }
    }

    fn linear(extent: Extent, padding: f64, target: usize) -> Self {
        let offset = offset(extent.low, extent.high);
        let base = offset.as_ref().map_or(0.0, |(value, _)| *value);
        let (mut low, mut high) = (extent.low - base, extent.high - base);
        let magnitude = low.abs().max(high.abs());
        if high - low <= magnitude * 1e-14 {
            let half = if magnitude == 0.0 { 1.0 } else { magnitude * 0.1 };
            (low, high) = (low - half, high + half);
        }
        let pad = padding * (high - low);
        // Padding does not reach across zero: an error that is never negative starts at 0.
        low = if low >= 0.0 {
            (low - pad).max(0.0)
        } else {
            low - pad
        };
        high = if high <= 0.0 {
            (high + pad).min(0.0)
        } else {
            high + pad
        };

        let steps = Steps::over(low, high, target);
        (low, high) = steps.snapped(low, high);
        let (ticks, factor) = steps.labelled(low, high);
        let mut ruler = Self {
            scale: Scale::Linear,
            offset: base,
            low,
            high,
            ticks: vec![],
            minor: vec![],
            note: None,
        };
        ruler.ticks = ticks
            .into_iter()
            .map(|(value, label)| Tick {
                at: ruler.fraction(value),
                label,
            })
            .collect();
        ruler.note = match (factor, offset) {
            (None, None) => None,
            (Some(factor), None) => Some(format!("×{factor}")),
            (None, Some((_, text))) => Some(format!("relative to {text}")),
            (Some(factor), Some((_, text))) => Some(format!("×{factor} relative to {text}")),
        };
        ruler
    }

    fn log(extent: Extent, padding: f64, target: usize) -> Self {
        let (mut low, mut high) = (math::log10(extent.low), math::log10(extent.high));
        if high - low < 1e-9 {
            (low, high) = (low - 0.5, high + 0.5);
        }
        let span = high - low;
        (low, high) = (low - padding * span, high + padding * span);
        let reach = (0.12 * span).max(0.1);
        low = if low - low.floor() < reach {
            low.floor()
        } else {
            low
        };
        high = if high.ceil() - high < reach {
            high.ceil()
        } else {
            high
        };

        let mut ruler = Self {
            scale: Scale::Log,
            offset: 0.0,
            low,
            high,
            ticks: vec![],
            minor: vec![],
            note: None,
        };
        let decades = Decades {
            first: low.ceil() as i32,
            last: high.floor() as i32,
        };
        if high - low < 0.7 {
            let (low, high) = (math::powf(10.0, low), math::powf(10.0, high));
            let (ticks, factor) = Steps::over(low, high, target).labelled(low, high);
            let placed = ticks.into_iter().filter(|(value, _)| *value > 0.0);
            ruler.ticks = placed
                .map(|(value, label)| Tick {
                    at: ruler.fraction(math::log10(value)),
                    label,
                })
                .collect();
            ruler.note = factor.map(|factor| format!("×{factor}"));
        } else {
            let (ticks, minor) = decades.ticks(low, high, target.max(2));
            ruler.ticks = ticks
                .into_iter()
                .map(|(value, label)| Tick {
                    at: ruler.fraction(value),
                    label,
                })
                .collect();
            ruler.minor = minor.into_iter().map(|value| ruler.fraction(value)).collect();
        }
        ruler
    }

    /// Where a value lies, if the scale holds it.
    pub(super) fn place(&self, value: f64) -> Option<f64> {
        self.scale
            .holds(value)
            .then(|| self.fraction(self.measured(value)))
    }

    /// The value as the ruler measures it: its difference from the offset, or its decimal logarithm.
    pub(super) fn measured(&self, value: f64) -> f64 {
        match self.scale {
            Scale::Linear => value - self.offset,
            Scale::Log => math::log10(value),
        }
    }

    /// The values at the ends of a linear ruler.
    pub(super) fn ends(&self) -> [f64; 2] {
        [self.offset + self.low, self.offset + self.high]
    }

    /// The measured length of the ruler.
    pub(super) fn span(&self) -> f64 {
        self.high - self.low
    }

    pub(super) fn fraction(&self, measured: f64) -> f64 {
        (measured - self.low) / self.span()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(ruler: &Ruler) -> Vec<&str> {
        ruler.ticks.iter().map(|tick| tick.label.as_str()).collect()
    }

    fn ruler(scale: Scale, low: f64, high: f64) -> Ruler {
        Ruler::new(scale, Extent { low, high }, 0.0, 6)
    }

    #[test]
    fn linear_ticks_cover_the_range_and_are_round() {
        for (low, high) in [
            (0.0, 99.99),
            (-3.7, 12.1),
            (1e-9, 7e-7),
            (-5e12, -4e12),
            (0.3, 0.30001),
            (-1e300, 1e300),
        ] {
            let ruler = ruler(Scale::Linear, low, high);
            let ends = [low, high].map(|value| ruler.place(value).unwrap_or(f64::NAN));
            assert!(ends[0] >= 0.0 && ends[1] <= 1.0, "{low} {high}: {ends:?}");
            let gap = ruler.ticks[1].at - ruler.ticks[0].at;
            assert!(ruler.ticks.len() >= 3 && ruler.ticks[0].at < gap, "{ruler:?}");
            assert!(
                ruler.ticks.last().is_some_and(|tick| tick.at > 1.0 - gap),
                "{ruler:?}"
            );
            assert!(
                labels(&ruler).iter().all(|label| label.chars().count() <= 7),
                "{ruler:?}"
            );
        }
        assert_eq!(
            labels(&ruler(Scale::Linear, 0.0, 99.99)),
            ["0", "20", "40", "60", "80", "100"]
        );
        assert_eq!(
            labels(&ruler(Scale::Linear, -1.0, 1.0)),
            ["−1.0", "−0.5", "0.0", "0.5", "1.0"]
        );
    }

    #[test]
    fn a_common_factor_is_a_note() {
        let ruler = ruler(Scale::Linear, 0.0, 3e-5);
        assert_eq!(labels(&ruler), ["0.0", "0.5", "1.0", "1.5", "2.0", "2.5", "3.0"]);
        assert_eq!(ruler.note.as_deref(), Some("×10⁻⁵"));
    }

    #[test]
    fn nearly_constant_data_are_differences() {
        let narrow = ruler(Scale::Linear, -0.750_000_01, -0.75);
        assert_eq!(narrow.note.as_deref(), Some("×10⁻⁹ relative to −0.75"));
        assert_eq!((labels(&narrow)[0], labels(&narrow).len()), ("−10", 6));
        let large = ruler(Scale::Linear, 1.5e12, 1.5e12 + 3.0);
        assert_eq!(large.note.as_deref(), Some("relative to 1.5×10¹²"));
        let last_bits = ruler(Scale::Linear, 1.0, 1.0 + f64::EPSILON);
        assert_eq!(last_bits.note.as_deref(), Some("×10⁻¹⁶ relative to 1"));
    }

    #[test]
    fn what_rests_beside_its_size_is_a_level_line() {
        let shown = |low: f64, high: f64, size: f64| {
            let axis = Axis::linear("x (m)").of_size(size);
            let ruler = Ruler::new(Scale::Linear, axis.shown(Extent { low, high }), 0.05, 6);
            assert_eq!(ruler.note, None, "{low} … {high} of {size}");
            let places = [low, high].map(|value| ruler.place(value).unwrap_or(f64::NAN));
            // The same pixel of a thousand.
            assert!((places[1] - places[0]).abs() < 1e-3 && (0.3..0.7).contains(&places[0]));
            labels(&ruler).join(" ")
        };
        assert_eq!(shown(-3e-16, 5e-16, 1.0), "−0.2 −0.1 0.0 0.1 0.2");
        shown(0.0, 0.0, 12.0);
        shown(0.75, 0.75 + 1e-15, 2.0);
        // What moves is shown as far as it does; and where no size is known, everything is.
        let small = Extent { low: 0.0, high: 1e-6 };
        assert_eq!(Axis::linear("x").of_size(1.0).shown(small), small);
        let noise = Extent {
            low: 0.0,
            high: 1e-16,
        };
        assert_eq!(Axis::linear("E").shown(noise), noise);
    }

    #[test]
    fn constant_data_lie_in_the_middle() {
        for value in [0.0, -7.5, 1e200, 1e-200] {
            let place = ruler(Scale::Linear, value, value)
                .place(value)
                .unwrap_or(f64::NAN);
            assert!((0.3..=0.7).contains(&place), "{value} at {place}");
        }
        assert_eq!(ruler(Scale::Log, 1e-3, 1e-3).ticks.len(), 3);
    }

    #[test]
    fn logarithmic_ticks_are_powers_or_simple_multiples() {
        assert_eq!(
            labels(&ruler(Scale::Log, 1e-12, 1e-2)),
            ["10⁻¹²", "10⁻¹⁰", "10⁻⁸", "10⁻⁶", "10⁻⁴", "10⁻²"]
        );
        assert_eq!(
            labels(&ruler(Scale::Log, 0.01, 0.1)),
            ["0.01", "0.02", "0.05", "0.1"]
        );
        assert_eq!(labels(&ruler(Scale::Log, 1.0, 1e3)), ["1", "10", "100", "1000"]);
        assert!(labels(&ruler(Scale::Log, 2.0, 3.0)).len() >= 3);
        assert!((2..=6).contains(&ruler(Scale::Log, 1e-300, 1e300).ticks.len()));
    }

    #[test]
    fn a_logarithmic_ruler_refuses_what_has_no_logarithm() {
        let ruler = ruler(Scale::Log, 1e-3, 1.0);
        assert_eq!(ruler.place(0.0), None);
        assert_eq!(ruler.place(-1.0), None);
        assert_eq!(ruler.place(f64::INFINITY), None);
    }
}

//! Programs along a line: every register with its rate of change where the variables change at given rates.
//!
//! ```text
//! y = f(a, b)     ẏ = ∂f/∂a ȧ + ∂f/∂b ḃ          in the order of the program
//! ```
//! The rules are those of [`super::derivative`], and exact. Of a program that has derivatives among its outputs they give
//! second derivatives along the line.
use super::{
    algebra::sign,
    domain::DomainError,
    program::{Code, Program},
};
use crate::math;

/// A number and its rate of change.
type Moving = [f64; 2];

impl Program {
    /// Computes the outputs with their rates of change, where the variables have the rates `dx`.
    pub(crate) fn evaluate_along(
        &self,
        x: &[f64],
        dx: &[f64],
        out: &mut Vec<Moving>,
    ) -> Result<(), DomainError> {
        let mut values = vec![0.0; self.outputs()];
        // What has no value is refused as ever.
        self.evaluate(x, &mut self.workspace(), &mut values)?;
        let mut known: Vec<Moving> = Vec::with_capacity(self.count_registers());
        known.extend(self.constants.iter().map(|constant| [*constant, 0.0]));
        known.extend(x.iter().zip(dx).take(self.variables).map(|(x, dx)| [*x, *dx]));
        let mut rest = self.operands.as_slice();
        for run in &self.runs {
            let operands;
            (operands, rest) = rest.split_at(run.length as usize);
            if run.code == Code::SineCosine {
                for cosines in [false, true] {
                    for [a, _] in operands {
                        let [a, rate] = known[*a as usize];
                        let (sine, cosine) = math::sin_cos(a);
                        known.push(match cosines {
                            false => [sine, cosine * rate],
                            true => [cosine, -sine * rate],
                        });
                    }
                }
                continue;
            }
            for [a, b] in operands {
                let a = known[*a as usize];
                let result = match run.code {
                    Code::WholePower => whole_power(a, *b as i32),
                    // Of instructions that take one operand the other means nothing.
                    code if code.takes_two() => of_two(code, a, known[*b as usize]),
                    code => of_one(code, a),
                };
                known.push(result);
            }
        }
        out.clear();
        out.extend(self.outputs.iter().map(|register| known[*register as usize]));
        Ok(())
    }
}

impl Code {
    fn takes_two(self) -> bool {
        matches!(
            self,
            Self::Add
                | Self::Subtract
                | Self::Multiply
                | Self::Divide
                | Self::Power
                | Self::ArcTangent2
                | Self::Minimum
                | Self::Maximum
        )
    }
}

fn whole_power([a, rate]: Moving, power: i32) -> Moving {
    let slope = match power {
        0 => 0.0,
        _ => f64::from(power) * math::powi(a, power - 1),
    };
    [math::powi(a, power), slope * rate]
}

fn of_one(code: Code, [a, rate]: Moving) -> Moving {
    let (y, slope) = match code {
        Code::Cube => (a * a * a, 3.0 * a * a),
        Code::Reciprocal => (1.0 / a, -1.0 / (a * a)),
        Code::SquareRoot => (a.sqrt(), 0.5 / a.sqrt()),
        Code::Sine => (math::sin(a), math::cos(a)),
        Code::Cosine => (math::cos(a), -math::sin(a)),
        Code::Tangent => {
            let y = math::tan(a);
            (y, 1.0 + y * y)
        }
        Code::ArcSine => (math::asin(a), 1.0 / (1.0 - a * a).sqrt()),
        Code::ArcCosine => (math::acos(a), -1.0 / (1.0 - a * a).sqrt()),
        Code::ArcTangent => (math::atan(a), 1.0 / (1.0 + a * a)),
        Code::HyperbolicSine => (math::sinh(a), math::cosh(a)),
        Code::HyperbolicCosine => (math::cosh(a), math::sinh(a)),
        Code::HyperbolicTangent => {
            let y = math::tanh(a);
            (y, 1.0 - y * y)
        }
        Code::Exponential => {
            let y = math::exp(a);
            (y, y)
        }
        Code::Logarithm => (math::ln(a), 1.0 / a),
        Code::Absolute => (a.abs(), sign(a)),
        Code::Sign => (sign(a), 0.0),
        _ => unreachable!("it takes two operands"),
    };
    // What does not change does not, also where the slope has no value.
    [y, if rate == 0.0 { 0.0 } else { slope * rate }]
}

fn of_two(code: Code, [a, da]: Moving, [b, db]: Moving) -> Moving {
    let kink = |y: f64| {
        let side = sign(a - b) * if code == Code::Minimum { -0.5 } else { 0.5 };
        [y, (0.5 + side) * da + (0.5 - side) * db]
    };
    match code {
        Code::Add => [a + b, da + db],
        Code::Subtract => [a - b, da - db],
        Code::Multiply => [a * b, da * b + a * db],
        Code::Divide => {
            let y = a / b;
            [y, (da - y * db) / b]
        }
        Code::Power => {
            let y = math::powf(a, b);
            let by_a = if da == 0.0 {
                0.0
            } else {
                b * math::powf(a, b - 1.0) * da
            };
            let by_b = if db == 0.0 { 0.0 } else { y * math::ln(a) * db };
            [y, by_a + by_b]
        }
        Code::ArcTangent2 => [math::atan2(a, b), (b * da - a * db) / (a * a + b * b)],
        Code::Minimum => kink(a.min(b)),
        Code::Maximum => kink(a.max(b)),
        _ => unreachable!("it takes one operand"),
    }
}

use super::{POINT, scope};
use holonomy::formula::{Formula, Kind, Program};
use num_dual::{DualNum, HyperDual64};

const FORMULAS: u64 = 10_000;
/// Slots of x, y, θ, x', u.x and t.
const SLOTS: [usize; 6] = [0, 1, 2, 3, 6, 18];

/// A formula that was not parsed: the other side of every comparison.
#[derive(Clone, Debug)]
pub(super) enum Shape {
    Number(f64),
    /// A scalar with its slot, or a number.
    Name(&'static str, Result<usize, f64>),
    /// A vector with its first slot, or its value.
    Vector(&'static str, Result<usize, [f64; 3]>),
    Negate(Box<Shape>),
    Binary(char, Box<Shape>, Box<Shape>),
    Call(&'static str, Vec<Shape>),
    Bracket(Vec<Shape>),
    Component(usize, Box<Shape>),
}

/// Numbers, the same in every run.
pub(super) struct Numbers(u64);

impl Numbers {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub(super) fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 33) as usize) % bound
    }

    pub(super) fn choice<T: Clone>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())].clone()
    }
}

impl Shape {
    /// Any formula with a number as its result.
    pub(super) fn any(numbers: &mut Numbers, depth: usize) -> Self {
        if depth == 0 {
            return Self::leaf(numbers);
        }
        let one = |numbers: &mut Numbers| Box::new(Self::any(numbers, depth - 1));
        match numbers.below(14) {
            0 => Self::leaf(numbers),
            1 => Self::Negate(one(numbers)),
            2..=8 => Self::Binary(
                numbers.choice(&['+', '-', '*', '/', '^']),
                one(numbers),
                one(numbers),
            ),
            9 | 10 => Self::Call(numbers.choice(&ONE), vec![*one(numbers)]),
            11 => Self::Call(
                numbers.choice(&["atan2", "min", "max", "hypot"]),
                vec![*one(numbers), *one(numbers)],
            ),
            12 => Self::Call(
                "dot",
                vec![
                    Self::vector(numbers, depth - 1, Self::any),
                    Self::vector(numbers, depth - 1, Self::any),
                ],
            ),
            _ => Self::Component(
                numbers.below(3),
                Box::new(Self::vector(numbers, depth - 1, Self::any)),
            ),
        }
    }

    /// A formula that is smooth around [`POINT`] and of moderate size.
    fn smooth(numbers: &mut Numbers, depth: usize) -> Self {
        if depth == 0 {
            return Self::leaf(numbers);
        }
        let one = |numbers: &mut Numbers| Self::smooth(numbers, depth - 1);
        let boxed = |numbers: &mut Numbers| Box::new(Self::smooth(numbers, depth - 1));
        // Between 1 and 3.
        let positive = |numbers: &mut Numbers| {
            let wave = Self::Call(numbers.choice(&["sin", "cos", "tanh"]), vec![one(numbers)]);
            Self::Binary('+', Box::new(Self::Number(2.0)), Box::new(wave))
        };
        match numbers.below(16) {
            0 => Self::leaf(numbers),
            1 => Self::Negate(boxed(numbers)),
            2..=5 => Self::Binary(numbers.choice(&['+', '-', '*']), boxed(numbers), boxed(numbers)),
            6 => Self::Binary('/', boxed(numbers), Box::new(positive(numbers))),
            7 => {
                let exponent = numbers.choice(&[-2.5, -2.0, -1.0, -0.5, 0.5, 1.5, 2.0, 2.7, 3.0, 4.0]);
                Self::Binary('^', Box::new(positive(numbers)), Box::new(Self::number(exponent)))
            }
            8 => {
                let wave = Self::Call(numbers.choice(&["sin", "cos", "tanh"]), vec![one(numbers)]);
                let either = [wave, Self::leaf(numbers)];
                let base = numbers.choice(&either);
                let exponent = numbers.choice(&[2.0, 3.0, 5.0]);
                Self::Binary('^', Box::new(base), Box::new(Self::Number(exponent)))
            }
            9 => {
                let exponent = Self::Call("sin", vec![one(numbers)]);
                Self::Binary('^', Box::new(positive(numbers)), Box::new(exponent))
            }
            10 => Self::Call(numbers.choice(&["log", "sqrt"]), vec![positive(numbers)]),
            11 => {
                let half = Self::Binary('/', Box::new(positive(numbers)), Box::new(Self::Number(4.0)));
                Self::Call(
                    numbers.choice(&["asin", "acos", "tan", "sinh", "cosh", "exp"]),
                    vec![half],
                )
            }
            12 => Self::Call(
                numbers.choice(&["sin", "cos", "tanh", "atan", "abs"]),
                vec![one(numbers)],
            ),
            13 => Self::Call(
                numbers.choice(&["atan2", "hypot", "min", "max"]),
                vec![one(numbers), positive(numbers)],
            ),
            14 => Self::Call(
                "dot",
                vec![
                    Self::vector(numbers, depth - 1, Self::smooth),
                    Self::vector(numbers, depth - 1, Self::smooth),
                ],
            ),
            _ => Self::Call(
                "norm",
                vec![Self::Bracket(vec![one(numbers), positive(numbers), one(numbers)])],
            ),
        }
    }

    fn vector(numbers: &mut Numbers, depth: usize, scalar: fn(&mut Numbers, usize) -> Self) -> Self {
        let names = [
            ("u", Ok(6)),
            ("v", Ok(9)),
            ("u'", Ok(12)),
            ("v'", Ok(15)),
            ("w", Err([0.5, -1.0, 2.0])),
        ];
        let (name, meaning) = numbers.choice(&names);
        if depth == 0 {
            return Self::Vector(name, meaning);
        }
        let one = |numbers: &mut Numbers| Self::vector(numbers, depth - 1, scalar);
        match numbers.below(7) {
            0 | 1 => Self::Vector(name, meaning),
            2 => Self::Binary(
                numbers.choice(&['+', '-']),
                Box::new(one(numbers)),
                Box::new(one(numbers)),
            ),
            3 => Self::Binary('*', Box::new(scalar(numbers, depth - 1)), Box::new(one(numbers))),
            4 => Self::Binary(
                '/',
                Box::new(one(numbers)),
                Box::new(Self::Number(numbers.choice(&[2.0, 1.25]))),
            ),
            5 => Self::Call("cross", vec![one(numbers), one(numbers)]),
            _ => Self::Bracket((0..3).map(|_| scalar(numbers, depth - 1)).collect()),
        }
    }

    fn leaf(numbers: &mut Numbers) -> Self {
        let names = [
            ("x", Ok(0)),
            ("y", Ok(1)),
            ("θ", Ok(2)),
            ("x'", Ok(3)),
            ("θ'", Ok(5)),
            ("t", Ok(18)),
            ("m", Err(1.5)),
            ("k", Err(0.25)),
            ("pi", Err(std::f64::consts::PI)),
        ];
        match numbers.below(3) {
            0 => Self::Number(numbers.choice(&[0.0, 1.0, 2.0, 0.5, 3.0, 1e-3, 1.75])),
            _ => {
                let (name, meaning) = numbers.choice(&names);
                Self::Name(name, meaning)
            }
        }
    }

    /// Numbers have no sign of their own.
    fn number(value: f64) -> Self {
        if value < 0.0 {
            Self::Negate(Box::new(Self::Number(-value)))
        } else {
            Self::Number(value)
        }
    }

    /// With parentheses around everything, and blanks here and there.
    pub(super) fn write(&self, numbers: &mut Numbers, text: &mut String) {
        let blank = numbers.choice(&["", "", "", " ", "\n"]);
        text.push_str(blank);
        match self {
            Self::Number(value) => text.push_str(&format!("{value:?}")),
            Self::Name(name, _) | Self::Vector(name, _) => text.push_str(name),
            Self::Negate(inner) => {
                text.push_str("(-");
                inner.write(numbers, text);
                text.push(')');
            }
            Self::Binary(operator, left, right) => {
                text.push('(');
                left.write(numbers, text);
                text.push_str(blank);
                text.push(*operator);
                right.write(numbers, text);
                text.push(')');
            }
            Self::Call(name, list) => {
                text.push_str(name);
                Self::write_list(list, "()", numbers, text);
            }
            Self::Bracket(list) => Self::write_list(list, "[]", numbers, text),
            Self::Component(axis, inner) => {
                text.push('(');
                inner.write(numbers, text);
                text.push_str([").x", ").y", ").z"][*axis]);
            }
        }
    }

    fn write_list(list: &[Self], brackets: &str, numbers: &mut Numbers, text: &mut String) {
        text.push_str(&brackets[..1]);
        for (place, entry) in list.iter().enumerate() {
            text.push_str(if place > 0 { "," } else { "" });
            entry.write(numbers, text);
        }
        text.push_str(&brackets[1..]);
    }

    /// A number in the first place, or a vector.
    fn evaluate<D: DualNum<Primitive = f64> + Copy>(&self, x: &[D]) -> [D; 3] {
        let zero = D::from(0.0);
        let scalar = |value: D| [value, zero, zero];
        match self {
            Self::Number(value) => scalar(D::from(*value)),
            Self::Name(_, meaning) => scalar(meaning.map_or_else(D::from, |slot| x[slot])),
            Self::Vector(_, Ok(slot)) => [x[*slot], x[slot + 1], x[slot + 2]],
            Self::Vector(_, Err(value)) => value.map(D::from),
            Self::Negate(inner) => inner.evaluate(x).map(|part| -part),
            Self::Binary(operator, left, right) => {
                let (a, b) = (left.evaluate(x), right.evaluate(x));
                match operator {
                    '+' => [a[0] + b[0], a[1] + b[1], a[2] + b[2]],
                    '-' => [a[0] - b[0], a[1] - b[1], a[2] - b[2]],
                    // The vector, if there is one, stands on the right.
                    '*' => b.map(|part| a[0] * part),
                    '/' => a.map(|part| part / b[0]),
                    _ => match **right {
                        Self::Number(power) => scalar(a[0].powf(power)),
                        _ => scalar((a[0].ln() * b[0]).exp()),
                    },
                }
            }
            Self::Bracket(list) => [0, 1, 2].map(|axis| list[axis].evaluate(x)[0]),
            Self::Component(axis, inner) => scalar(inner.evaluate(x)[*axis]),
            Self::Call(name, list) => {
                let a = list[0].evaluate(x);
                let b = list.get(1).map_or([zero; 3], |second| second.evaluate(x));
                let dot = |a: [D; 3], b: [D; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
                if *name == "cross" {
                    return [(1, 2), (2, 0), (0, 1)].map(|(i, j)| a[i] * b[j] - a[j] * b[i]);
                }
                scalar(match *name {
                    "sin" => a[0].sin(),
                    "cos" => a[0].cos(),
                    "tan" => a[0].tan(),
                    "asin" => a[0].asin(),
                    "acos" => a[0].acos(),
                    "atan" => a[0].atan(),
                    "sinh" => a[0].sinh(),
                    "cosh" => a[0].cosh(),
                    // As a quotient of hyperbolic functions it would overflow.
                    "tanh" if a[0].re().abs() > 20.0 => D::from(a[0].re().signum()),
                    "tanh" => a[0].tanh(),
                    "exp" => a[0].exp(),
                    "log" => a[0].ln(),
                    "sqrt" => a[0].sqrt(),
                    "abs" if a[0].re() < 0.0 => -a[0],
                    "abs" => a[0],
                    "min" if a[0].re() < b[0].re() => a[0],
                    "max" if a[0].re() > b[0].re() => a[0],
                    "min" | "max" => b[0],
                    "atan2" => a[0].atan2(b[0]),
                    "hypot" => (a[0] * a[0] + b[0] * b[0]).sqrt(),
                    "dot" => dot(a, b),
                    "norm" => dot(a, a).sqrt(),
                    _ => unreachable!("{name}"),
                })
            }
        }
    }
}

const ONE: [&str; 13] = [
    "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "log", "sqrt", "abs",
];

#[test]
fn printed_and_read_again_is_the_same_formula() {
    let scope = scope();
    let mut numbers = Numbers::new(1);
    let mut longest = 0;
    for index in 0..FORMULAS {
        let mut text = String::new();
        Shape::any(&mut numbers, 1 + index as usize % 8).write(&mut numbers, &mut text);
        let formula = Formula::parse(&text, &scope).unwrap();
        let printed = formula.to_string();
        let again = Formula::parse(&printed, &scope).unwrap();
        assert_eq!(again, formula, "{text}\n{printed}");
        assert_eq!(again.to_string(), printed);
        assert!(
            printed.len() <= text.len() + 2 * text.matches(['+', '-', ',']).count(),
            "{text}\n{printed}"
        );
        longest = longest.max(text.len());
    }
    assert!(longest > 500, "{longest}");
}

#[test]
fn no_parenthesis_of_the_printed_form_can_be_left_out() {
    let scope = scope();
    let mut numbers = Numbers::new(3);
    for index in 0..FORMULAS / 10 {
        let mut text = String::new();
        Shape::any(&mut numbers, 1 + index as usize % 4).write(&mut numbers, &mut text);
        let formula = Formula::parse(&text, &scope).unwrap();
        let printed = formula.to_string();
        for (open, _) in printed.match_indices('(') {
            // The parentheses of calls belong to the name before them.
            if printed[..open].ends_with(|letter: char| letter.is_alphanumeric()) {
                continue;
            }
            let mut depth = 0;
            let close = printed[open..].find(|letter| {
                depth += i32::from(letter == '(') - i32::from(letter == ')');
                depth == 0
            });
            let close = open + close.unwrap();
            let without = [&printed[..open], &printed[open + 1..close], &printed[close + 1..]].concat();
            let other = Formula::parse(&without, &scope);
            assert!(
                other.is_err() || other != Ok(formula.clone()),
                "{printed}\n{without}"
            );
        }
    }
}

#[test]
fn derivatives_of_programs_and_hyper_dual_numbers_agree() {
    let scope = scope();
    let mut numbers = Numbers::new(2);
    let (mut worst, mut widest) = (0.0_f64, 0);
    for index in 0..FORMULAS {
        let shape = Shape::smooth(&mut numbers, 1 + index as usize % 5);
        let mut text = String::new();
        shape.write(&mut numbers, &mut text);
        let formula = Formula::parse_as(Kind::Scalar, &text, &scope).unwrap();
        let program = Program::with_hessian(&formula, &SLOTS);
        let mut out = vec![0.0; program.outputs()];
        let result = program.evaluate(&POINT, &mut program.workspace(), &mut out);
        assert_eq!(result, Ok(()), "{formula}");
        widest = widest.max(program.length());

        let size = SLOTS.len();
        let mut expected = vec![0.0; out.len()];
        for i in 0..size {
            for j in 0..size {
                let mut x = POINT.map(HyperDual64::from);
                x[SLOTS[i]].eps1 = 1.0;
                x[SLOTS[j]].eps2 = 1.0;
                let value = shape.evaluate(&x)[0];
                expected[0] = value.re;
                expected[1 + i] = value.eps1;
                expected[1 + size + i * size + j] = value.eps1eps2;
            }
        }
        // Relative to the largest entry of its kind: smaller ones come from differences of larger ones.
        for range in [0..1, 1..1 + size, 1 + size..out.len()] {
            let scale = expected[range.clone()]
                .iter()
                .fold(1.0, |scale: f64, entry| scale.max(entry.abs()));
            for entry in range {
                let error = (out[entry] - expected[entry]).abs() / scale;
                assert!(
                    error <= 1e-10,
                    "{formula}\n{entry}: {} {}",
                    out[entry],
                    expected[entry]
                );
                worst = worst.max(error);
            }
        }
    }
    println!("worst relative difference {worst:.1e}, longest program {widest} instructions");
    assert!(widest > 500);
}

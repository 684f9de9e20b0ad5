//! Formulas against numbers, against each other, and against an independent differentiation.
use holonomy::formula::{Expressions, Formula, Kind, Program, Scope};

/// What is said about texts that are no formulas.
mod errors;
/// What no text may do.
mod fuzz;
/// Random formulas: printed and read again, differentiated in two ways.
mod random;

/// Coordinates `x`, `y`, `θ` in slots 0 to 2 and their velocities in 3 to 5; vectors `u`, `v` in 6 and 9, their
/// velocities in 12 and 15; time in 18; parameters `m`, `k`, `w`.
pub(crate) fn scope() -> Scope {
    let mut scope = Scope::new();
    for (slot, name) in ["x", "y", "θ"].iter().enumerate() {
        scope.coordinate(name, Kind::Scalar, slot, slot + 3).unwrap();
    }
    scope.coordinate("u", Kind::Vector, 6, 12).unwrap();
    scope.coordinate("v", Kind::Vector, 9, 15).unwrap();
    scope.time(18);
    scope.parameter("m", 1.5).unwrap();
    scope.parameter("k", 0.25).unwrap();
    scope.vector_parameter("w", [0.5, -1.0, 2.0]).unwrap();
    scope
}

/// Values of the variables of [`scope`].
pub(crate) const POINT: [f64; 19] = [
    0.7, -1.2, 0.4, 1.1, 0.3, -0.8, 0.6, 0.2, -0.5, 0.9, -0.3, 1.4, 0.35, -0.15, 0.75, -0.65, 0.45, 1.05,
    2.05,
];

pub(crate) fn value(text: &str) -> f64 {
    let formula = Formula::parse_as(Kind::Scalar, text, &scope()).unwrap();
    let program = Program::values(&[&formula]);
    let mut out = [0.0];
    program
        .evaluate(&POINT, &mut program.workspace(), &mut out)
        .unwrap();
    out[0]
}

#[test]
fn operators_bind_as_in_mathematics() {
    let (x, y): (f64, f64) = (POINT[0], POINT[1]);
    for (text, expected) in [
        ("1 + 2*3", 7.0),
        ("(1 + 2)*3", 9.0),
        ("7 - 4 - 2", 1.0),
        ("7 - (4 - 2)", 5.0),
        ("24/4/3", 2.0),
        ("24/(4/3)", 18.0),
        ("24/4*3", 18.0),
        ("2^3^2", 512.0),
        ("(2^3)^2", 64.0),
        ("-2^2", -4.0),
        ("(-2)^2", 4.0),
        ("2^-1", 0.5),
        ("2^-1^2", 0.5),
        ("2*-3", -6.0),
        ("2 - -3", 5.0),
        ("--2", 2.0),
        ("-2*3", -6.0),
        ("+2", 2.0),
        ("6/-2*3", -9.0),
        ("-x^2", -x * x),
        ("-x*y", -x * y),
        ("x^2*y", x * x * y),
        ("x/y^2", x / (y * y)),
        ("x*y/x*y", y * y),
        ("2^x", x.exp2()),
        ("1e-3 + 1E3 + 1_000 + .5 + 5.", 2005.501),
        ("m*x + k", 1.5 * x + 0.25),
        ("pi - π", 0.0),
        ("x'*θ'", POINT[3] * POINT[5]),
        ("x′ - x’", 0.0),
        ("t", 2.05),
        ("\n x\t+\n y ", x + y),
    ] {
        assert!(
            (value(text) - expected).abs() <= 1e-15 * expected.abs().max(1.0),
            "{text}: {}",
            value(text)
        );
    }
}

#[test]
fn functions_are_those_of_the_standard_library() {
    let x = POINT[0];
    for (text, expected) in [
        ("sin(x)", x.sin()),
        ("cos(x)", x.cos()),
        ("sin(x)^2 + cos(x)^2", 1.0),
        ("tan(x)", x.tan()),
        ("asin(x)", x.asin()),
        ("acos(x)", x.acos()),
        ("atan(x)", x.atan()),
        ("atan2(x, y)", x.atan2(POINT[1])),
        ("sinh(x)", x.sinh()),
        ("cosh(x)", x.cosh()),
        ("tanh(x)", x.tanh()),
        ("exp(x)", x.exp()),
        ("log(x)", x.ln()),
        ("sqrt(x)", x.sqrt()),
        ("abs(y)", -POINT[1]),
        ("min(x, y)", POINT[1]),
        ("max(x, y)", x),
        ("clamp(x, y, 100)", x),
        ("clamp(x, -2, y)", POINT[1]),
        ("clamp(y, x, x + 1)", x),
        ("saturate(x, 0.3)", 0.3 * (x / 0.3).tanh()),
        ("saturate(y, x)", x * (POINT[1] / x).tanh()),
        ("hypot(3, 4)", 5.0),
        ("hypot(x, y)", x.hypot(POINT[1])),
        ("x^0.5", x.sqrt()),
        ("x^1.5", x.powf(1.5)),
        ("x^-0.5", x.powf(-0.5)),
        ("x^-2.5", x.powf(-2.5)),
        ("x^2.3", x.powf(2.3)),
        ("x^7", x.powi(7)),
        ("y^-3", POINT[1].powi(-3)),
        ("x^y", x.powf(POINT[1])),
        ("0^0", 1.0),
    ] {
        assert!(
            (value(text) - expected).abs() <= 1e-15 * expected.abs().max(1.0),
            "{text}: {}",
            value(text)
        );
    }
}

#[test]
fn vectors_obey_their_identities() {
    for (text, expected) in [
        ("[1, 2, 3].y", 2.0),
        ("(u + 2*v - v*2/1).z", POINT[8]),
        ("(-u).x", -POINT[6]),
        ("u'.y", POINT[13]),
        ("w.z", 2.0),
        ("dot([1, 2, 3], [4, 5, 6])", 32.0),
        ("cross([1, 0, 0], [0, 1, 0]).z", 1.0),
        ("norm([2, 3, 6])", 7.0),
        ("dot(u, cross(u, v))", 0.0),
        ("dot(cross(u, v), w) - dot(u, cross(v, w))", 0.0),
        ("norm(cross(u, v))^2 + dot(u, v)^2 - dot(u, u)*dot(v, v)", 0.0),
        ("norm(u)*norm(u) - dot(u, u)", 0.0),
    ] {
        assert!((value(text) - expected).abs() <= 1e-14, "{text}: {}", value(text));
    }
    let sum = Formula::parse("u + x*v", &scope()).unwrap();
    assert_eq!(sum.kind(), Kind::Vector);
    let program = Program::values(&[&sum]);
    let mut out = [0.0; 3];
    program
        .evaluate(&POINT, &mut program.workspace(), &mut out)
        .unwrap();
    for axis in 0..3 {
        assert_eq!(out[axis], POINT[6 + axis] + POINT[0] * POINT[9 + axis]);
    }
}

#[test]
fn definitions_may_use_each_other_in_any_order() {
    let mut scope = scope();
    scope
        .define(&[
            ("L", "T - V"),
            ("T", "0.5*m*dot(velocity, velocity)"),
            ("V", "k*x"),
            ("velocity", "[x', y', 0]"),
        ])
        .unwrap();
    scope.define(&[("double", "2*L")]).unwrap();
    let named = Formula::parse("double", &scope).unwrap();
    let written = Formula::parse("2*(0.5*m*(x'^2 + y'^2) - k*x)", &scope).unwrap();
    let program = Program::values(&[&named, &written]);
    let mut out = [0.0; 2];
    program
        .evaluate(&POINT, &mut program.workspace(), &mut out)
        .unwrap();
    assert!((out[0] - out[1]).abs() < 1e-15, "{out:?}");
    assert_eq!(named.to_string(), "double");
}

#[test]
fn what_formulas_share_is_computed_once() {
    let parse = |text| Formula::parse(text, &scope()).unwrap();
    let (one, two) = (parse("exp(sin(x)*y)"), parse("1 + exp(y*sin(x))"));
    let together = Program::values(&[&one, &two]);
    // sin, product, exp; and one more for the sum.
    assert_eq!(Program::values(&[&one]).length(), 3);
    assert_eq!(together.length(), 4);
    // Sine and cosine of the same angle are one instruction.
    assert_eq!(Program::values(&[&parse("sin(x)*cos(x)")]).length(), 2);
}

#[test]
fn derivatives_that_vanish_everywhere_are_known() {
    let mut expressions = Expressions::new();
    let formula = Formula::parse("0.5*m*(x'^2 + x^2*θ'^2) - k/x", &scope()).unwrap();
    let value = expressions.scalar(&formula);
    let gradient = expressions.gradient(value, &[0, 1, 2, 3, 5]);
    let known: Vec<Option<f64>> = gradient
        .iter()
        .map(|entry| expressions.known_value(*entry))
        .collect();
    assert_eq!(known, [None, Some(0.0), Some(0.0), None, None]);
    let hessian = expressions.hessian(value, &[3, 5]);
    assert_eq!(expressions.known_value(hessian[0]), Some(1.5));
    assert_eq!(expressions.known_value(hessian[1]), Some(0.0));
    assert_eq!(hessian[1], hessian[2]);
}

#[test]
fn derivatives_along_a_motion_are_derivatives_by_time() {
    // g = x² + y² − t, along constant velocity: g' = 2xx' + 2yy' − 1, g'' = 2x'² + 2y'².
    let mut expressions = Expressions::new();
    let formula = Formula::parse("x^2 + y^2 - t", &scope()).unwrap();
    let value = expressions.scalar(&formula);
    let one = expressions.constant(1.0);
    let rates = [
        (0, expressions.variable(3)),
        (1, expressions.variable(4)),
        (18, one),
    ];
    let first = expressions.derivative_along(value, &rates);
    let second = expressions.derivative_along(first, &rates);
    let program = expressions.compile(&[first, second]);
    let mut out = [0.0; 2];
    program
        .evaluate(&POINT, &mut program.workspace(), &mut out)
        .unwrap();
    let [x, y, _, dx, dy, ..] = POINT;
    assert!((out[0] - (2.0 * x * dx + 2.0 * y * dy - 1.0)).abs() < 1e-15);
    assert!((out[1] - (2.0 * dx * dx + 2.0 * dy * dy)).abs() < 1e-15);
}

#[test]
fn kinks_have_the_mean_derivative() {
    // Quadratic drag at rest: |x| x is differentiable, and its derivative is 2|x|.
    let drag = Formula::parse("-abs(x)*x + max(x, 0) + min(x, 0)", &scope()).unwrap();
    let program = Program::with_jacobian(&[&drag], &[0]);
    let mut out = [0.0; 2];
    program
        .evaluate(&[0.0; 19], &mut program.workspace(), &mut out)
        .unwrap();
    assert_eq!(out, [0.0, 1.0]);
    // Within, on and beyond the bounds; saturation has no kink.
    for (text, at, value, slope) in [
        ("clamp(x, -1, 2)", 0.5, 0.5, 1.0),
        ("clamp(x, -1, 2)", 2.0, 2.0, 0.5),
        ("clamp(x, -1, 2)", -1.0, -1.0, 0.5),
        ("clamp(x, -1, 2)", 2.5, 2.0, 0.0),
        ("clamp(3*x, -1, 2)", -7.0, -1.0, 0.0),
        ("saturate(x, 2)", 0.0, 0.0, 1.0),
        (
            "saturate(x, 2)",
            1.0,
            2.0 * 0.5_f64.tanh(),
            1.0 - 0.5_f64.tanh().powi(2),
        ),
    ] {
        let formula = Formula::parse(text, &scope()).unwrap();
        let program = Program::with_jacobian(&[&formula], &[0]);
        let (mut point, mut out) = ([0.0; 19], [0.0; 2]);
        point[0] = at;
        program
            .evaluate(&point, &mut program.workspace(), &mut out)
            .unwrap();
        // Two roundings.
        assert!(
            (out[0] - value).abs() < 1e-15 && (out[1] - slope).abs() < 1e-15,
            "{text}: {out:?}"
        );
    }
    // The speed squared has derivatives at rest, however it is written.
    for text in [
        "norm(u)^2",
        "norm(u)*norm(u)",
        "sqrt(dot(u, u))^2",
        "hypot(x, y)^2",
        "norm(u)^4",
    ] {
        let formula = Formula::parse(text, &scope()).unwrap();
        let program = Program::with_hessian(&formula, &[0, 1, 6, 7, 8]);
        let mut out = vec![0.0; program.outputs()];
        program
            .evaluate(&[0.0; 19], &mut program.workspace(), &mut out)
            .unwrap();
    }
}

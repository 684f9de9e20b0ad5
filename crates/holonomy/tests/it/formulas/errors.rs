use super::{POINT, scope};
use holonomy::formula::{DomainError, Formula, FormulaError, Kind, Program, Reason, Scope};

/// The errors of a text, each with the piece of it that it points at.
fn errors(text: &str) -> Vec<(String, FormulaError)> {
    let errors = Formula::parse(text, &scope()).unwrap_err();
    assert!(!errors.is_empty());
    errors
        .into_iter()
        .map(|error| (text[error.span.clone()].to_owned(), error))
        .collect()
}

#[test]
fn errors_point_at_the_place_and_help() {
    for (text, place, message, help) in [
        ("", "", "the formula is empty", ""),
        ("  ", "  ", "the formula is empty", ""),
        ("x +", "", "the formula ends", ""),
        ("x + * y", "*", "`*` stands where", ""),
        ("(x + y", "(", "this `(` is never closed", "add a `)`"),
        ("sin(x", "(", "this `(` is never closed", "add a `)`"),
        ("x + y)", ")", "this `)` closes nothing", "remove it"),
        ("(x + y]", "]", "`]` stands where `)` should", ""),
        ("[x, y", "[", "this `[` is never closed", "add a `]`"),
        ("2x", "2x", "an operator is missing", "write `2*x`"),
        ("m x", "m x", "an operator is missing", "write `m*x`"),
        ("9.81 kg*x", "9.81 kg", "an operator is missing", "no units"),
        (
            "cos(30 deg)",
            "30 deg",
            "angles are in radians",
            "write `30*pi/180`",
        ),
        ("cos(30°)", "°", "angles are in radians", "write `30*pi/180`"),
        ("2(x + y)", "(", "an operator is missing", "`*`"),
        ("(x)(y)", "(", "an operator is missing", "`*`"),
        ("(x)y", "y", "an operator is missing", "`*`"),
        ("x**2", "**", "`**` is not an operator", "powers are written `^`"),
        ("x²", "²", "powers are written `^`", "write `^2`"),
        ("x·y", "·", "multiplication is written `*`", ""),
        ("x − y", "−", "not a minus sign", "write `-`"),
        ("|x|", "|", "`|` is not read", "`abs(x)`"),
        ("x = 2", "=", "compares and assigns nothing", "on the right"),
        ("x # y", "#", "no comments", ""),
        ("x $ y", "$", "has no meaning", ""),
        ("x \u{7}", "\u{7}", "U+0007", ""),
        ("{x}", "{", "parentheses are round", "write `(`"),
        ("1e999", "1e999", "larger than any", ""),
        ("0,5*x", ",", "a comma separates", "decimal mark is a point"),
        ("np.sin(x)", "np.", "names have no prefix", "write `sin(…)`"),
        ("math.pi*x", "math.", "names have no prefix", "write `pi`"),
        (
            "sin x",
            "sin",
            "`sin` needs its argument in parentheses",
            "write `sin(x)`",
        ),
        ("sin^2(x)", "sin", "`sin` needs its argument", "write `sin(x)^2`"),
        ("2*cos", "cos", "`cos` needs its argument", ""),
        ("ln(x)", "ln", "there is no function `ln`", "written `log(x)`"),
        ("log10(x)", "log10", "there is no function", "`log(x)/log(10)`"),
        ("arctan(x)", "arctan", "there is no function", "write `atan(x)`"),
        ("sign(x)", "sign", "there is no function", "`tanh(x/0.01)`"),
        ("sine(x)", "sine", "there is no function", "did you mean `sin`?"),
        (
            "foo(x)",
            "foo",
            "there is no function",
            "the functions are sin, cos",
        ),
        ("x(y + 1)", "x", "`x` is not a function", "write `x*(…)`"),
        (
            "θ(t)",
            "θ",
            "`θ` is not a function",
            "depends on time is understood",
        ),
        ("sin()", "sin()", "takes one argument; here are 0", ""),
        ("sin(x, y)", "sin(x, y)", "takes one argument; here are 2", ""),
        ("atan2(x)", "atan2(x)", "takes two arguments; here are 1", ""),
        ("[x, y]", "[x, y]", "three components; here are 2", ""),
        (
            "x_dot",
            "x_dot",
            "`x_dot` has no meaning",
            "the velocity of `x` is written `x'`",
        ),
        ("xdot", "xdot", "has no meaning", "written `x'`"),
        ("dx", "dx", "has no meaning", "written `x'`"),
        ("dx_dt", "dx_dt", "has no meaning", "written `x'`"),
        ("θ\u{307}", "\u{307}", "dots are not read", "`θ'`"),
        ("x''", "x''", "accelerations do not occur", "write `x'`"),
        ("m'", "m'", "`m` is not a coordinate", ""),
        ("t'", "t'", "`t` is not a coordinate", ""),
        ("(x)'", "'", "a prime belongs", "write `theta'`"),
        ("e^x", "e", "`e` has no meaning", "`exp(1)`"),
        ("Pi", "Pi", "has no meaning", "did you mean `pi`?"),
        ("zzz", "zzz", "has no meaning", "known here: `k`, `m`, `u`"),
        ("x + u", "x + u", "a number and a vector have no sum", ""),
        ("u - (x)", "u - (x)", "no difference", ""),
        (
            "2 + u*v",
            "u*v",
            "`*` does not multiply two vectors",
            "`dot(a, b)`",
        ),
        ("u^2", "u^2", "a vector has no powers", "`dot(v, v)`"),
        ("x/u", "x/u", "a vector cannot stand here", "`norm(v)`"),
        ("sin(u)", "u", "`sin` takes a number; this is a vector", ""),
        (
            "norm(x)",
            "x",
            "`norm` takes a vector; this is a number",
            "`abs(x)`",
        ),
        ("abs(u)", "u", "`abs` takes a number", "`norm(v)`"),
        ("[u, 1, 2]", "u", "a component of a vector is a number", ""),
        ("x.x", "x", "it has no components", ""),
        ("u.w", ".w", "only the components", "`.x`, `.y` and `.z`"),
        (
            "u.x'",
            ".x'",
            "the prime stands behind the wrong name",
            "write `u'.x`",
        ),
        ("u[0]", "[", "`[` cannot follow a value", "`.x`"),
        ("x + u[0]", "[", "`[` cannot follow a value", "`.x`"),
        ("dot(x, u)", "x", "`dot` takes a vector", "`[a, b, c]`"),
    ] {
        let found = errors(text);
        let (pointed, error) = &found[0];
        let helped = error.help.clone().unwrap_or_default();
        assert_eq!(pointed, place, "{text}: {error}");
        assert!(error.message.contains(message), "{text}: {error}");
        assert!(helped.contains(help), "{text}: {error}");
        assert_eq!(help.is_empty(), helped.is_empty(), "{text}: {error}");
        assert_eq!(found.len(), 1, "{text}: {found:?}");
    }
}

#[test]
fn all_unknown_names_are_reported_at_once() {
    let places: Vec<String> = errors("alpha*x + sin(beta)*u.x + foo(gamma)")
        .into_iter()
        .map(|(place, _)| place)
        .collect();
    assert_eq!(places, ["alpha", "beta", "foo", "gamma"]);
}

#[test]
fn the_wrong_kind_of_result_is_refused() {
    let error = &Formula::parse_as(Kind::Scalar, "u + v", &scope()).unwrap_err()[0];
    assert_eq!(error.message, "this is a vector; a number is wanted");
    let error = &Formula::parse_as(Kind::Vector, "x", &scope()).unwrap_err()[0];
    assert_eq!(error.help.as_deref(), Some("write a vector as `[a, b, c]`"));
}

#[test]
fn names_that_mean_something_already_are_refused() {
    let mut scope = scope();
    for name in [
        "t", "pi", "π", "sin", "x", "m", "u", "2x", "", "a b", "x'", "np.x",
    ] {
        assert!(scope.parameter(name, 1.0).is_err(), "{name}");
    }
    for name in ["e", "T", "x1", "θ₁", "μ", "_", "velocity"] {
        assert!(scope.parameter(name, 1.0).is_ok(), "{name}");
    }
    assert!(scope.parameter("huge", f64::INFINITY).is_err());
    let error = Formula::parse("x'", &{
        let mut scope = Scope::new();
        scope.variable("x", Kind::Scalar, 0).unwrap();
        scope
    });
    assert!(
        error.unwrap_err()[0]
            .message
            .contains("velocity `x'` has no meaning here")
    );
    let error = Formula::parse("t", &Scope::new()).unwrap_err();
    assert_eq!(error[0].message, "time `t` has no meaning here");
}

#[test]
fn definitions_in_a_circle_are_named() {
    let found = scope()
        .define(&[("A", "x + B"), ("B", "2*C"), ("C", "y - A")])
        .unwrap_err();
    assert_eq!(found.len(), 1);
    assert_eq!(
        found[0].error.message,
        "`A` is defined by itself: `A` uses `B` uses `C` uses `A`"
    );
    assert_eq!((found[0].index, found[0].error.span.clone()), (2, 4..5));
    let found = scope().define(&[("A", "1 + A")]).unwrap_err();
    assert_eq!(found[0].error.message, "`A` is defined by itself");
}

#[test]
fn definitions_with_errors_are_blamed_once() {
    let mut scope = scope();
    let found = scope
        .define(&[
            ("A", "x + zzz"),
            ("B", "2*A"),
            ("x", "1"),
            ("D", "x +"),
            ("E", "F'"),
            ("F", "1"),
        ])
        .unwrap_err();
    let places: Vec<(usize, bool)> = found.iter().map(|error| (error.index, error.in_name)).collect();
    assert_eq!(
        places,
        [(0, false), (2, true), (3, false), (4, false)],
        "{found:?}"
    );
    // What is wrong has been said.
    assert_eq!(Formula::parse("A + B", &scope).unwrap_err(), []);
    assert!(Formula::parse("F", &scope).is_ok());
}

#[test]
fn size_and_depth_are_bounded() {
    let nested = |depth: usize| format!("{}x{}", "(".repeat(depth), ")".repeat(depth));
    assert!(Formula::parse(&nested(255), &scope()).is_ok());
    for deep in [
        nested(256),
        nested(30_000),
        "-".repeat(60_000),
        "2^".repeat(30_000),
        "sin(".repeat(16_000),
    ] {
        let error = &Formula::parse(&deep, &scope()).unwrap_err()[0];
        assert_eq!(error.message, "parts are nested more than 256 deep");
        assert_eq!(error.help.as_deref(), Some("name parts of it as definitions"));
    }
    let long = format!("x{}", " + y".repeat(16_384));
    let error = &Formula::parse(&long, &scope()).unwrap_err()[0];
    assert_eq!(
        error.message,
        "the formula is 65537 bytes long; at most 65536 are read"
    );
    assert_eq!(error.span, 65_536..65_537);
    let wide = "θ".repeat(40_000);
    assert!(Formula::parse(&wide, &scope()).unwrap_err()[0].span.start <= 65_536);
}

#[test]
fn long_formulas_need_no_deep_stack() {
    let texts = [
        format!("x{}", " - y".repeat(16_383)),
        format!("x{}", "*y".repeat(32_000)),
        format!(
            "1{}",
            (0..4000).map(|k| format!("+sin({k}*x)")).collect::<String>()
        ),
    ];
    for text in texts {
        let formula = Formula::parse(&text, &scope()).unwrap();
        assert_eq!(Formula::parse(&formula.to_string(), &scope()).unwrap(), formula);
        let program = Program::with_hessian(&formula, &[0, 1]);
        let mut out = vec![0.0; program.outputs()];
        let _ = program.evaluate(&POINT, &mut program.workspace(), &mut out);
    }
    let mut scope = scope();
    let names: Vec<String> = (0..20_000).map(|k| format!("d{k}")).collect();
    let texts: Vec<String> = (0..20_000)
        .map(|k| {
            if k == 0 {
                "x".into()
            } else {
                format!("d{} + 1", k - 1)
            }
        })
        .collect();
    let pairs: Vec<(&str, &str)> = names
        .iter()
        .zip(&texts)
        .map(|(n, t)| (n.as_str(), t.as_str()))
        .collect();
    scope.define(&pairs).unwrap();
    let formula = Formula::parse("d19999", &scope).unwrap();
    let program = Program::with_jacobian(&[&formula], &[0]);
    let mut out = [0.0; 2];
    program
        .evaluate(&POINT, &mut program.workspace(), &mut out)
        .unwrap();
    assert!((out[0] - 19999.7).abs() < 1e-6, "{out:?}");
}

/// What evaluating value, gradient and second derivatives at (x, y) complains about.
fn domain(text: &str, x: f64, y: f64) -> DomainError {
    let formula = Formula::parse(text, &scope()).unwrap();
    let program = Program::with_hessian(&formula, &[0, 1, 6, 7, 8]);
    let mut point = [0.0; 19];
    (point[0], point[1]) = (x, y);
    let mut out = vec![0.0; program.outputs()];
    let error = program
        .evaluate(&point, &mut program.workspace(), &mut out)
        .unwrap_err();
    let part = &program.expressions()[error.number as usize];
    assert_eq!((&part.text, part.order), (&error.expression, error.order));
    error
}

#[test]
fn domain_errors_name_the_expression_and_its_argument() {
    use Reason::*;
    for (text, expression, order, reason, argument) in [
        ("1 + log(x - 3)*y", "log(x - 3)", 0, Logarithm, -2.5),
        ("log(2*y)", "log(2*y)", 0, Logarithm, 0.0),
        ("y + sqrt(-x)", "sqrt(-x)", 0, SquareRoot, -0.5),
        ("x/y", "x/y", 0, DivisionByZero, 0.0),
        ("3/(y*x)", "3/(y*x)", 0, DivisionByZero, 0.0),
        ("1/0", "1/0", 0, DivisionByZero, 0.0),
        ("0/0", "0/0", 0, DivisionByZero, 0.0),
        ("1/(1/y)", "1/y", 0, DivisionByZero, 0.0),
        ("exp(-1/y^2)", "-1/y^2", 0, DivisionByZero, 0.0),
        ("min(log(y), 1)", "log(y)", 0, Logarithm, 0.0),
        ("asin(4*x)", "asin(4*x)", 0, ArcBeyondOne, 2.0),
        ("acos(-4*x)", "acos(-4*x)", 0, ArcBeyondOne, -2.0),
        ("y^-3", "y^-3", 0, ZeroToNegative, 0.0),
        ("y^-2.7", "y^-2.7", 0, ZeroToNegative, 0.0),
        ("(-x)^2.7", "(-x)^2.7", 0, NegativeToFraction, -0.5),
        ("(-x)^(x + 1)", "(-x)^(x + 1)", 0, NegativeToFraction, -0.5),
        ("(-x)^1.5", "(-x)^1.5", 0, SquareRoot, -0.5),
        ("2*exp(2000*x)", "exp(2000*x)", 0, Overflow, 1000.0),
        ("sqrt(y)", "sqrt(y)", 1, DivisionByZero, 0.0),
        ("x + norm(u)", "norm(u)", 1, DivisionByZero, 0.0),
        ("hypot(y, 2*y)", "hypot(y, 2*y)", 1, DivisionByZero, 0.0),
        ("asin(2*x)", "asin(2*x)", 1, DivisionByZero, 0.0),
        ("y^1.5", "y^1.5", 2, DivisionByZero, 0.0),
        ("y^1.3", "y^1.3", 2, ZeroToNegative, 0.0),
        ("atan2(y, u.x)", "atan2(y, u.x)", 1, DivisionByZero, 0.0),
    ] {
        let error = domain(text, 0.5, 0.0);
        assert_eq!(
            (
                error.expression.as_str(),
                error.order,
                error.reason,
                error.argument
            ),
            (expression, order, reason, argument),
            "{text}: {error}"
        );
    }
    // A variable that the formula does not name is not to blame.
    assert_eq!(domain("log(y)", f64::NAN, 0.0).expression, "log(y)");
    let error = domain("2*x + y", f64::NAN, 0.0);
    assert_eq!((error.expression.as_str(), error.reason), ("x", Reason::Variable));
    assert_eq!(
        domain("log(x - 3)", 0.5, 0.0).to_string(),
        "`log(x - 3)` takes the logarithm of -2.5"
    );
    assert_eq!(
        domain("norm(u)", 0.5, 0.0).to_string(),
        "the derivative of `norm(u)` divides by zero"
    );
}

#[test]
fn domain_errors_name_the_definition() {
    let mut scope = scope();
    scope.define(&[("V", "1/x + y"), ("W", "2*V")]).unwrap();
    let formula = Formula::parse("W + y", &scope).unwrap();
    let program = Program::values(&[&formula]);
    let error = program
        .evaluate(&[0.0; 19], &mut program.workspace(), &mut [0.0])
        .unwrap_err();
    assert_eq!(error.to_string(), "`1/x` in `V` divides by zero");
}

use super::{Text, method};
use holonomy::{
    formula::{Formula, Kind},
    integrator::{Cause, Integrator, StepError},
    lagrangian::{Derivatives, FormulaMechanics, Formulas, Lagrangian, LagrangianError, Mechanics, Slots},
    system::{System, Undefined},
};

const PLANE: Text = Text {
    coordinates: &["x", "y"],
    quasi_velocities: &["u", "v"],
    parameters: &[],
    definitions: &[],
    fields: &[&["1", "0"], &["0", "1"]],
    lagrangian: "0.5*(x'^2 + y'^2)",
    forces: &[],
    invariants: &[],
    constraints: &[],
    constrained: &[],
};

/// What a step says, with the state left as it was.
fn refused(text: &Text, q: &[f64], v: &[f64]) -> (StepError, String) {
    let system = text.system();
    let mut state = system.state(0.0, q, v).unwrap();
    // Without a momentum of its own there is one all the same.
    state.p.iter_mut().for_each(|p| {
        if !p.is_finite() {
            *p = 1.0
        }
    });
    let before = state.clone();
    let error = method(&system).step(&mut state, 0.1).unwrap_err();
    assert_eq!(state, before);
    (error, error.describe(system.layout()))
}

#[test]
fn fields_that_depend_on_each_other() {
    // Proportional at every point, and no Lie algebra.
    let text = Text {
        fields: &[&["1", "x"], &["exp(y)", "x*exp(y)"]],
        lagrangian: "0.5*(u^2 + v^2)",
        ..PLANE
    };
    let (error, message) = refused(&text, &[0.3, 0.2], &[1.0, 0.5]);
    assert_eq!(
        error.fault.cause,
        Cause::Undefined(Undefined::DependentField { field: 1 })
    );
    assert!(
        message.starts_with("the frame is singular here: the field of `v` is a combination"),
        "{message}"
    );
    // The two fields of Zenkov–Leok–Bloch without the third: singular where Γ is horizontal.
    let two = Text {
        coordinates: &["Gamma"],
        fields: &[&["cross(Gamma, [1, 0, 0])"], &["cross(Gamma, [0, 1, 0])"]],
        lagrangian: "0.5*(u^2 + v^2) - Gamma.z",
        ..PLANE
    };
    // Γ̄₃ = 0 for this start to rounding: it stands still.
    let (error, _) = refused(&two, &[1.0, 0.0, 0.0], &[0.3, 0.0]);
    assert!(
        matches!(
            error.fault.cause,
            Cause::Undefined(Undefined::DependentField { .. })
        ),
        "{error:?}"
    );
}

#[test]
fn brackets_that_leave_the_frame() {
    // The contact structure of space: [u, v] points out of it.
    let text = Text {
        coordinates: &["x", "y", "z"],
        fields: &[&["1", "0", "0"], &["0", "1", "x"]],
        ..PLANE
    };
    let (error, message) = refused(&text, &[0.3, 0.2, 0.0], &[1.0, 0.5]);
    assert_eq!(
        error.fault.cause,
        Cause::Undefined(Undefined::OpenBracket { fields: [0, 1] })
    );
    assert!(
        message.contains("the bracket of the fields of `u` and `v`"),
        "{message}"
    );
    assert!(error.limit.is_none());
    // The missing field, constrained, closes it.
    let closed = Text {
        quasi_velocities: &["u", "v", "w"],
        fields: &[&["1", "0", "0"], &["0", "1", "x"], &["0", "0", "1"]],
        lagrangian: "0.5*(x'^2 + y'^2 + z'^2)",
        constrained: &[2],
        ..text
    }
    .system();
    let mut state = closed.state(0.0, &[0.3, 0.2, 0.0], &[1.0, 0.5]).unwrap();
    assert!(method(&closed).step(&mut state, 0.1).is_ok());
}

#[test]
fn formulas_without_a_value() {
    let text = Text {
        lagrangian: "0.5*(x'^2 + y'^2) - sqrt(x - 1)",
        ..PLANE
    };
    let (error, message) = refused(&text, &[1.2, 0.0], &[-9.0, 0.0]);
    let Cause::Undefined(Undefined::Expression { argument, .. }) = error.fault.cause else {
        panic!("{error:?}");
    };
    assert!(argument < 0.0);
    assert!(message.contains("`sqrt(x - 1)` has no value for -"), "{message}");
    assert!(
        error.limit.is_some_and(|limit| limit > 0.0 && limit < 0.1),
        "{error:?}"
    );
    // In a field and in a force.
    for text in [
        Text {
            fields: &[&["sqrt(x)", "0"], &["0", "1"]],
            lagrangian: "0.5*(u^2 + v^2)",
            ..PLANE
        },
        Text {
            forces: &["-sqrt(x)", "0"],
            ..PLANE
        },
    ] {
        let (_, message) = refused(&text, &[-0.5, 0.0], &[0.1, 0.0]);
        assert!(message.contains("sqrt(x)` has no value for -0.5"), "{message}");
    }
    let massless = Text {
        lagrangian: "0.5*x'^2",
        ..PLANE
    };
    let (error, _) = refused(&massless, &[0.0, 0.0], &[1.0, 1.0]);
    assert_eq!(error.fault.cause, Cause::Undefined(Undefined::SingularMass));
}

#[test]
fn formulas_that_make_no_frame() {
    let (slots, scope) = Slots::scope(
        &[("x", Kind::Scalar), ("y", Kind::Scalar)],
        &[("u", Kind::Scalar)],
    )
    .unwrap();
    let parse = |text: &str| Formula::parse(text, &scope).unwrap();
    let build = |fields: &[&[&str]], forces: &[&str]| {
        let fields: Vec<Vec<Formula>> = fields
            .iter()
            .map(|field| field.iter().map(|text| parse(text)).collect())
            .collect();
        let forces: Vec<Formula> = forces.iter().map(|text| parse(text)).collect();
        let (lagrangian, invariants) = (&parse("u^2"), &[]);
        FormulaMechanics::new(&Formulas {
            slots,
            fields: &fields,
            lagrangian,
            forces: &forces,
            constraints: &[],
            invariants,
        })
        .err()
    };
    let (given, wanted, field) = (1, 2, 0);
    assert_eq!(build(&[&["x", "1"]], &[]), None);
    assert_eq!(
        build(&[], &[]),
        Some(LagrangianError::FieldCount { given: 0, wanted: 1 })
    );
    assert_eq!(
        build(&[&["x"]], &[]),
        Some(LagrangianError::FieldComponents { field, given, wanted })
    );
    assert_eq!(
        build(&[&["x", "t"]], &[]),
        Some(LagrangianError::FieldMoves { field })
    );
    assert_eq!(
        build(&[&["x", "y'"]], &[]),
        Some(LagrangianError::FieldMoves { field })
    );
    assert_eq!(
        build(&[&["x", "1"]], &["x"]),
        Some(LagrangianError::ForceComponents { given, wanted })
    );
    assert_eq!(
        Slots::scope(&[("x", Kind::Scalar)], &[("x", Kind::Scalar)])
            .unwrap_err()
            .0,
        1
    );
}

#[test]
fn names_that_do_not_fit_a_frame() {
    /// Two free coordinates in a frame of three fields, or under a constraint.
    struct Odd {
        fields: Option<usize>,
        constraints: usize,
    }
    impl Mechanics for Odd {
        fn coordinates(&self) -> usize {
            2
        }
        fn fields(&self) -> Option<usize> {
            self.fields
        }
        fn constraints(&self) -> usize {
            self.constraints
        }
        fn lagrangian(&self, _: f64, _: &[f64], _: &[f64], _: &mut Derivatives) -> Result<(), Undefined> {
            Err(Undefined::SingularMass)
        }
    }
    let names = |count: usize| -> Vec<String> { (0..count).map(|i| format!("x{i}")).collect() };
    let plain = |fields, coordinates| {
        let odd = Box::new(Odd {
            fields,
            constraints: 0,
        });
        Lagrangian::new(odd, &names(coordinates)).err()
    };
    assert_eq!(plain(None, 2), None);
    for given in [1, 3] {
        assert_eq!(
            plain(None, given),
            Some(LagrangianError::CoordinateNames { given, wanted: 2 })
        );
    }
    let unnamed = LagrangianError::QuasiVelocityNames { given: 0, wanted: 3 };
    assert_eq!(plain(Some(3), 2), Some(unnamed));
    let framed = |constraints, [coordinates, velocities]: [usize; 2], constrained: &[usize]| {
        let odd = Box::new(Odd {
            fields: None,
            constraints,
        });
        Lagrangian::in_frame(odd, &names(coordinates), &names(velocities), constrained).err()
    };
    assert_eq!(framed(0, [2, 2], &[1]), None);
    assert_eq!(
        framed(0, [1, 2], &[]),
        Some(LagrangianError::CoordinateNames { given: 1, wanted: 2 })
    );
    for given in [1, 3] {
        assert_eq!(
            framed(0, [2, given], &[]),
            Some(LagrangianError::QuasiVelocityNames { given, wanted: 2 })
        );
    }
    assert_eq!(
        framed(0, [2, 2], &[2]),
        Some(LagrangianError::NoSuchQuasiVelocity { number: 2, count: 2 })
    );
}

#[test]
fn a_step_allocates_nothing() {
    for text in [
        PLANE,
        Text {
            fields: &[&["1", "0.1*x*y"], &["sin(x)", "2 + y^2"]],
            forces: &["-0.1*x'", "-y"],
            ..PLANE
        },
    ] {
        let system = text.system();
        let (mut state, mut method) = (
            system.state(0.0, &[0.3, 0.2], &[1.0, 0.5]).unwrap(),
            method(&system),
        );
        let mut steps = |count: u32| {
            for _ in 0..count {
                method.attempt(&mut state, 1e-3).unwrap();
            }
        };
        steps(3);
        assert_eq!(crate::allocation::allocations(|| steps(100)), 0);
    }
}

#[test]
fn a_state_that_is_not_finite_is_refused() {
    let system = PLANE.system();
    let mut state = system.state(0.0, &[0.3, 0.2], &[1.0, 0.5]).unwrap();
    state.q[1] = f64::NAN;
    let error = method(&system).step(&mut state, 0.1).unwrap_err();
    assert!(
        matches!(error.fault.cause, Cause::NotFinite | Cause::Undefined(_)),
        "{error:?}"
    );
}

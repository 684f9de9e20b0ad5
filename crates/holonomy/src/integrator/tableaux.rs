//! Coefficients of the conventional Runge–Kutta methods.
use crate::system::Tag;

/// An explicit Runge–Kutta method: row i of `a` holds the coefficients of stage i.
pub(super) struct Tableau {
    pub(super) c: &'static [f64],
    pub(super) a: &'static [&'static [f64]],
    pub(super) b: &'static [f64],
}

/// Euler (1768).
pub(super) static EULER: Tableau = Tableau {
    c: &[0.0],
    a: &[&[]],
    b: &[1.0],
};

/// The explicit midpoint rule, Runge (1895).
pub(super) static MIDPOINT: Tableau = Tableau {
    c: &[0.0, 0.5],
    a: &[&[], &[0.5]],
    b: &[0.0, 1.0],
};

/// The explicit trapezoidal rule, Heun (1900).
pub(super) static HEUN: Tableau = Tableau {
    c: &[0.0, 1.0],
    a: &[&[], &[1.0]],
    b: &[0.5, 0.5],
};

/// The classical method of order 4, Kutta (1901).
pub(super) static CLASSICAL: Tableau = Tableau {
    c: &[0.0, 0.5, 0.5, 1.0],
    a: &[&[], &[0.5], &[0.0, 0.5], &[0.0, 0.0, 1.0]],
    b: &[1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0],
};

/// An embedded pair with dense output. After the `b.len()` stages of the step comes the slope at
/// its end (also the first stage of the next step), then the stages only dense output needs.
///
/// Dense output, with `x` the fraction of the step and `Δ = y₁ − y₀`:
///
/// ```text
/// y(x) = y₀ + x(F₁ + (1−x)(F₂ + x(F₃ + (1−x)(F₄ + …))))
/// F₁ = Δ,  F₂ = h f₀ − Δ,  F₃ = 2Δ − h(f₀+f₁),  F₄₊ᵣ = h Σⱼ dᵣⱼ kⱼ
/// ```
pub(super) struct EmbeddedPair {
    /// Names the mesh that it leaves in a state.
    pub(super) tag: Tag,
    pub(super) c: Vec<f64>,
    pub(super) a: Vec<Vec<f64>>,
    pub(super) b: Vec<f64>,
    pub(super) error: Estimate,
    pub(super) dense: Vec<Vec<f64>>,
    /// The step grows with the error to the power 1/this.
    pub(super) exponent: f64,
}

/// How a pair estimates its error from the slopes.
pub(super) enum Estimate {
    /// `h Σ eⱼkⱼ`, largest component.
    Single(Vec<f64>),
    /// The combination of a fifth- and a third-order estimate of DOP853, root mean square.
    Double { fifth: Vec<f64>, third: Vec<f64> },
}

/// Dormand & Prince 5(4) (1980), as in MATLAB's `ode45`.
pub(super) fn dormand_prince() -> EmbeddedPair {
    let b = vec![
        35.0 / 384.0,
        0.0,
        500.0 / 1113.0,
        125.0 / 192.0,
        -2187.0 / 6784.0,
        11.0 / 84.0,
    ];
    EmbeddedPair {
        tag: Tag::new(*b"dp54", 1),
        c: vec![0.0, 0.2, 0.3, 0.8, 8.0 / 9.0, 1.0, 1.0],
        a: vec![
            vec![],
            vec![0.2],
            vec![3.0 / 40.0, 9.0 / 40.0],
            vec![44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0],
            vec![
                19372.0 / 6561.0,
                -25360.0 / 2187.0,
                64448.0 / 6561.0,
                -212.0 / 729.0,
            ],
            vec![
                9017.0 / 3168.0,
                -355.0 / 33.0,
                46732.0 / 5247.0,
                49.0 / 176.0,
                -5103.0 / 18656.0,
            ],
            b.clone(),
        ],
        b,
        error: Estimate::Single(vec![
            71.0 / 57600.0,
            0.0,
            -71.0 / 16695.0,
            71.0 / 1920.0,
            -17253.0 / 339_200.0,
            22.0 / 525.0,
            -1.0 / 40.0,
        ]),
        dense: vec![vec![
            -145.0 / 128.0,
            0.0,
            1000.0 / 371.0,
            -375.0 / 64.0,
            25515.0 / 6784.0,
            -55.0 / 28.0,
            2.5,
        ]],
        exponent: 5.0,
    }
}

/// Fehlberg 4(5) (1969), formula 1, the coefficients of Beckman's notebook; the fifth-order result is kept.
///
/// Fehlberg gave no dense output. Ours matches values and slopes at both ends and the slope at
/// `x = 1/5`, evaluated on the cubic through the ends: locally of order 5.
pub(super) fn fehlberg() -> EmbeddedPair {
    let b = vec![
        47.0 / 450.0,
        0.0,
        12.0 / 25.0,
        32.0 / 225.0,
        1.0 / 30.0,
        6.0 / 25.0,
    ];
    let x = 0.2;
    // The cubic at x, and its slope, as combinations of Δ/h, f₀ and f₁.
    let weights = [
        x * x * (3.0 - 2.0 * x),
        x * (1.0 - x) * (1.0 - x),
        -x * x * (1.0 - x),
    ];
    let slopes = [
        6.0 * x * (1.0 - x),
        (1.0 - x) * (1.0 - 3.0 * x),
        x * (3.0 * x - 2.0),
    ];
    let combine = |[delta, start, end]: [f64; 3]| -> Vec<f64> {
        let mut row: Vec<f64> = b.iter().map(|b| delta * b).collect();
        row[0] += start;
        row.push(end);
        row
    };
    let bump = 2.0 * x * (1.0 - x) * (1.0 - 2.0 * x);
    let mut dense: Vec<f64> = combine(slopes).iter().map(|s| -s / bump).collect();
    dense.push(1.0 / bump);
    EmbeddedPair {
        tag: Tag::new(*b"rkf5", 1),
        c: vec![0.0, 2.0 / 9.0, 1.0 / 3.0, 0.75, 1.0, 5.0 / 6.0, 1.0, x],
        a: vec![
            vec![],
            vec![2.0 / 9.0],
            vec![1.0 / 12.0, 0.25],
            vec![69.0 / 128.0, -243.0 / 128.0, 135.0 / 64.0],
            vec![-17.0 / 12.0, 27.0 / 4.0, -27.0 / 5.0, 16.0 / 15.0],
            vec![65.0 / 432.0, -5.0 / 16.0, 13.0 / 16.0, 4.0 / 27.0, 5.0 / 144.0],
            b.clone(),
            combine(weights),
        ],
        b,
        error: Estimate::Single(vec![
            1.0 / 150.0,
            0.0,
            -3.0 / 100.0,
            16.0 / 75.0,
            1.0 / 20.0,
            -6.0 / 25.0,
        ]),
        dense: vec![dense],
        exponent: 5.0,
    }
}

/// Dormand & Prince 8(5,3) of Hairer, Nørsett & Wanner (1993).
pub(super) fn dop853() -> EmbeddedPair {
    use super::tableaux_dop853 as table;
    EmbeddedPair {
        tag: Tag::new(*b"dop8", 1),
        c: table::C.to_vec(),
        a: table::A.iter().map(|row| row.to_vec()).collect(),
        b: table::B.to_vec(),
        error: Estimate::Double {
            fifth: table::E5.to_vec(),
            third: table::E3.to_vec(),
        },
        dense: table::D.iter().map(|row| row.to_vec()).collect(),
        exponent: 8.0,
    }
}

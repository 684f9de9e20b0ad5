//! Special functions against their tables.
use super::{relative, tables};
use holonomy::exact::{
    carlson::{r_c, r_d, r_f, r_j},
    elliptic::Parameter,
};

/// The largest error in a table; `evaluate` returns pairs of value and expectation.
fn worst(name: &str, rows: &[Vec<f64>], bound: f64, evaluate: impl Fn(&[f64]) -> Vec<(f64, f64)>) {
    let mut largest = (0.0, Vec::new());
    for row in rows {
        for (value, expected) in evaluate(row) {
            let error = relative(value, expected);
            assert!(error <= bound, "{name} {row:?}: {value:e}, {error:e}");
            if error >= largest.0 {
                largest = (error, row.clone());
            }
        }
    }
    println!(
        "{name:14} {:5} rows, error {:.1e} at {:?}",
        rows.len(),
        largest.0,
        largest.1
    );
}

#[test]
fn carlson_integrals_are_exact_to_rounding() {
    let tables = tables().carlson;
    // Ratios of arguments up to 1e120.
    worst("R_F", &tables["r_f"], 1e-15, |r| {
        vec![(r_f(r[0], r[1], r[2]), r[3])]
    });
    worst("R_C", &tables["r_c"], 1e-15, |r| vec![(r_c(r[0], r[1]), r[2])]);
    worst("R_D", &tables["r_d"], 2e-15, |r| {
        vec![(r_d(r[0], r[1], r[2]), r[3])]
    });
    worst("R_J", &tables["r_j"], 2e-15, |r| {
        vec![(r_j(r[0], r[1], r[2], r[3]), r[4])]
    });
    // Symmetric in all arguments but the last.
    for (x, y, z) in [(0.3, 2.0, 7.0), (0.0, 1e-9, 5.0)] {
        assert!(relative(r_f(z, x, y), r_f(x, y, z)) < 1e-15);
        assert!(relative(r_j(z, x, y, 0.4), r_j(x, y, z, 0.4)) < 1e-15);
        assert!(relative(r_j(x, y, z, z), r_d(x, y, z)) < 1e-15);
        assert!(relative(r_f(x, z, z), r_c(x, z)) < 1e-15);
    }
    assert!(r_f(-1.0, 1.0, 1.0).is_nan() && r_j(1.0, 1.0, 1.0, -1.0).is_nan());
    assert!(r_f(0.0, 0.0, 1.0) == f64::INFINITY && r_c(1.0, 0.0) == f64::INFINITY);
    // A principal value: R_C(x, −x) = artanh(1/√2)/√(2x).
    assert!(relative(r_c(1.0, -1.0), 0.5_f64.sqrt().atanh() / 2.0_f64.sqrt()) < 1e-15);
}

#[test]
fn legendre_integrals_are_exact_to_rounding() {
    let tables = tables().legendre;
    let parameter = |r: &[f64]| Parameter::from_complement(r[0]);
    worst("K, E", &tables["complete"], 1e-15, |r| {
        vec![(parameter(r).k(), r[1]), (parameter(r).e(), r[2])]
    });
    worst("Π(n)", &tables["complete_pi"], 2e-15, |r| {
        vec![(parameter(r).pi(r[1]), r[2])]
    });
    worst("F(φ), E(φ)", &tables["incomplete"], 2e-15, |r| {
        let (f, e) = (parameter(r).incomplete_f(r[1]), parameter(r).incomplete_e(r[1]));
        vec![(f, r[2]), (e, r[3])]
    });
    worst("Π(n; φ)", &tables["incomplete_pi"], 3e-15, |r| {
        vec![(parameter(r).incomplete_pi(r[1], r[2]), r[3])]
    });
    let one = Parameter::new(1.0);
    assert!(one.k() == f64::INFINITY && one.e() == 1.0 && one.incomplete_f(0.0) == 0.0);
    assert!(relative(one.incomplete_f(1.2), 1.2_f64.sin().atanh()) < 1e-15);
    assert!(Parameter::new(1.5).k().is_nan() && Parameter::new(-0.1).jacobi(0.3).sn.is_nan());
}

#[test]
fn jacobi_functions_are_exact_to_rounding_of_their_argument() {
    let mut largest: f64 = 0.0;
    for row in &tables().legendre["jacobi"] {
        let [m1, u, sn, cn, dn, am] = row[..] else {
            unreachable!()
        };
        let parameter = Parameter::from_complement(m1);
        let at = parameter.jacobi(u);
        // Reduction by 2K, a rounded number, moves the argument by as much as rounding it does.
        let moved = 2e-16 * (4.0 + u.abs());
        let errors = [
            (at.sn - sn).abs() / (2e-16 + moved * (cn * dn).abs()),
            (at.cn - cn).abs() / (4e-16 * cn.abs() + moved * (sn * dn).abs()),
            (at.dn - dn).abs() / (4e-16 * dn.abs() + moved * (sn * cn).abs()),
            (parameter.amplitude(u) - am).abs() / (2e-16 * am.abs() + moved * dn),
        ];
        let error = errors.into_iter().fold(0.0, f64::max);
        assert!(error < 3.0, "{row:?}: {at:?}, {errors:?}");
        largest = largest.max(error);
    }
    println!("Jacobi: error {largest:.2} of the bound");
    // m = 1, and the inverse.
    let at = Parameter::new(1.0).jacobi(2.0);
    assert!(relative(at.sn, 2.0_f64.tanh()) < 1e-15 && relative(at.cn, 1.0 / 2.0_f64.cosh()) < 1e-15);
    for m in [0.0, 0.3, 0.99, 1.0] {
        let parameter = Parameter::new(m);
        assert!(relative(parameter.jacobi(1.3).first(), 1.3) < 1e-15);
        assert!(relative(parameter.incomplete_f(parameter.amplitude(1.5)), 1.5) < 4e-15);
    }
}

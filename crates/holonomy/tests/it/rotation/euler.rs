//! Euler angles and the other words for a rotation.
use crate::common::load;
use holonomy::{
    Vec3,
    geometry::{EulerOrder, EulerOrderError, so3},
};
use nalgebra::{Rotation3, Unit};
use std::f64::consts::{FRAC_PI_2, PI};

fn axis(letter: char) -> Unit<Vec3> {
    match letter {
        'x' => Vec3::x_axis(),
        'y' => Vec3::y_axis(),
        _ => Vec3::z_axis(),
    }
}

/// The turns one after the other, as matrices.
fn product(name: &str, angles: [f64; 3]) -> Rotation3<f64> {
    let turns = name.chars().zip(angles);
    turns.fold(Rotation3::identity(), |all, (letter, angle)| {
        all * Rotation3::from_axis_angle(&axis(letter), angle)
    })
}

fn off(name: &str, angles: [f64; 3], q: &[f64]) -> f64 {
    (product(name, angles).into_inner() - so3::matrix(q)).norm()
}

#[test]
fn angles_of_all_orders_come_back() {
    for name in EulerOrder::NAMES {
        let order = EulerOrder::parse(name).unwrap();
        let proper = name.as_bytes()[0] == name.as_bytes()[2];
        for k in 0..200 {
            let k = f64::from(k);
            let middle = 1.5 * (0.7 * k).sin();
            let angles = [
                3.1 * (1.3 * k).sin(),
                if proper { FRAC_PI_2 + middle } else { middle },
                3.1 * (2.9 * k + 1.0).cos(),
            ];
            let q = order.quaternion(angles);
            assert!(off(name, angles, &q) < 2e-15, "{name} {angles:?}");
            // Whatever its sign and length.
            for scale in [1.0, -1.0, 3.0] {
                let found = order.angles(&q.map(|x| scale * x));
                let error = (0..3).map(|i| (found[i] - angles[i]).abs()).fold(0.0, f64::max);
                // Near the ends of its range, at 0.07 rad from lock, errors grow by 1/0.07.
                assert!(error < 3e-14, "{name} {angles:?} {found:?}");
            }
        }
    }
}

#[test]
fn in_gimbal_lock_the_last_angle_is_zero_and_the_rotation_is_right() {
    for name in EulerOrder::NAMES {
        let order = EulerOrder::parse(name).unwrap();
        let proper = name.as_bytes()[0] == name.as_bytes()[2];
        for end in if proper {
            [0.0, PI]
        } else {
            [-FRAC_PI_2, FRAC_PI_2]
        } {
            for k in 0..60 {
                let k = f64::from(k);
                let q = order.quaternion([3.0 * (1.3 * k).sin(), end, 3.0 * (2.1 * k).cos()]);
                let [first, middle, last] = order.angles(&q);
                // Rounding of the quaternion alone may be enough to leave the lock, but never the rotation.
                assert!(first.abs() <= PI && last.abs() <= PI, "{name} {first} {last}");
                assert!((middle - end).abs() < 1e-7, "{name} {middle}");
                assert!(off(name, [first, middle, last], &q) < 5e-14, "{name} {k}");
            }
            let exact = [0.0, end, 0.0];
            let found = order.angles(&order.quaternion(exact));
            assert!(
                found[2] == 0.0 && (0..3).all(|i| (found[i] - exact[i]).abs() < 1e-15),
                "{name} {found:?}"
            );
        }
    }
}

#[test]
fn orders_that_are_none_are_named() {
    for text in ["", "zy", "zyxz", "abc", "ZYX", "zyx "] {
        assert_eq!(
            EulerOrder::parse(text),
            Err(EulerOrderError::Unknown(text.to_owned()))
        );
    }
    for (text, axis) in [("zzx", 'z'), ("xyy", 'y'), ("xxx", 'x')] {
        let error = EulerOrderError::Repeated(text.to_owned(), axis);
        assert_eq!(EulerOrder::parse(text), Err(error));
    }
}

#[test]
fn a_rotation_may_be_given_in_any_words() {
    let start = |words: &str| {
        let text = format!(
            "space = \"tree\"\nbody = [{{ name = \"a\", joint = {{ kind = \"spherical\" }}, mass = 1, \
             inertia = [1, 1, 1], orientation = {words} }}]\nmethod = {{ name = \"rk4\" }}\nrun = {{ step = 1, steps = 1 }}"
        );
        load("words", &text, &[]).state.q
    };
    // Beckman's notebook: pitch of 10° about y.
    let half = 5f64.to_radians();
    let pitch = [half.cos(), 0.0, half.sin(), 0.0];
    let words = [
        format!("[{}, 0, {}, 0]", half.cos(), half.sin()),
        "{ axis = [0, 2, 0], angle = \"10 deg\" }".to_owned(),
        "{ euler = [0, \"10 deg\", 0] }".to_owned(),
        "{ euler = [0, \"10 deg\", 0], order = \"zyx\" }".to_owned(),
        "{ euler = [0, \"10 deg\", 0], order = \"zyz\" }".to_owned(),
        "{ euler = [\"10 deg\", 0, 0], order = \"yxz\" }".to_owned(),
        "{ euler = [\"90 deg\", \"10 deg\", \"-90 deg\"], order = \"zxz\" }".to_owned(),
        "{ rpy = [0, \"10 deg\", 0] }".to_owned(),
    ];
    for words in words {
        let q = start(&words);
        let error = (0..4).map(|k| (q[k] - pitch[k]).abs()).fold(0.0, f64::max);
        assert!(error < 3e-16, "{words}: {q:?}");
    }
    // Roll, pitch and yaw are turns about the axes of the world: x, y, z.
    let q = start("{ rpy = [0.3, -0.4, 0.5] }");
    assert!(off("zyx", [0.5, -0.4, 0.3], &q) < 1e-15);
}

//! Rotations in words: a quaternion, an axis and an angle, or Euler angles.
use super::joint::axis;
use crate::{Section, Unit};
use holonomy::geometry::{EulerOrder, EulerOrderError, so3};
use nalgebra::{Quaternion, UnitQuaternion};

/// A rotation: `[w, x, y, z]`, `{ axis = […], angle = … }`, `{ euler = […], order = "zyx" }` or
/// `{ rpy = [roll, pitch, yaw] }`; none if the key is absent.
pub(super) fn read<'a>(section: &Section<'a>, key: &'a str) -> Option<UnitQuaternion<f64>> {
    let [w, x, y, z] = quaternion(section, key)?;
    Some(UnitQuaternion::from_quaternion(Quaternion::new(w, x, y, z)))
}

/// The same as a unit quaternion.
pub(super) fn quaternion<'a>(section: &Section<'a>, key: &'a str) -> Option<[f64; 4]> {
    if !section.has(key) {
        return Some([1.0, 0.0, 0.0, 0.0]);
    }
    if section.is_array(key) {
        return components(section, key);
    }
    let table = section.optional(key).table()?;
    let ways = ["axis", "euler", "rpy"];
    let mut given = ways.into_iter().filter(|way| table.holds(way));
    let (first, second) = (given.next(), given.next());
    if let (Some(first), Some(second)) = (first, second) {
        let place = table.key_place(second).unwrap_or_else(|| table.place());
        table.finish_unread();
        return section
            .problems()
            .error(
                place,
                format!("`{key}` is given twice, by `{first}` and by `{second}`"),
            )
            .help("keep one of them")
            .none();
    }
    match first {
        Some("euler") => {
            let angles = table.optional("euler").vector_in(Unit::RADIAN);
            let order = match table.has("order") {
                true => order(&table, "order"),
                false => Some(EulerOrder::ZYX),
            };
            table.finish();
            Some(order?.quaternion(angles?.value))
        }
        Some("rpy") => {
            let angles = table.optional("rpy").vector_in(Unit::RADIAN);
            table.finish();
            let [roll, pitch, yaw] = angles?.value;
            Some(EulerOrder::ZYX.quaternion([yaw, pitch, roll]))
        }
        _ => {
            let (axis, angle) = (
                axis(&table, "axis"),
                table.required("angle").number_in(Unit::RADIAN),
            );
            table.finish();
            let turn = so3::about(&axis?.normalize(), angle?.value);
            Some(so3::normalised([turn.w, turn.i, turn.j, turn.k]))
        }
    }
}

/// The axes of Euler angles, which are there.
pub(crate) fn order<'a>(section: &Section<'a>, key: &'a str) -> Option<EulerOrder> {
    let given = section.required(key).string()?;
    let error = match EulerOrder::parse(given.value) {
        Ok(order) => return Some(order),
        Err(error) => error,
    };
    let report = section.problems().error(given.place, error.to_string());
    match error {
        EulerOrderError::Unknown(_) => report.help(format!(
            "three axes of the body, one turn after the other: {}",
            EulerOrder::NAMES.join(", ")
        )),
        EulerOrderError::Repeated(..) => {
            report.help("neighbours differ: \"zyx\" (yaw, pitch, roll) or \"zxz\", for example")
        }
    }
    .none()
}

/// Four numbers.
fn components<'a>(section: &Section<'a>, key: &'a str) -> Option<[f64; 4]> {
    let given = section.optional(key).vector_n(4, Unit::NONE)?;
    let norm = given.value.iter().map(|x| x * x).sum::<f64>().sqrt();
    if !((norm - 1.0).abs() <= 1e-3) {
        let report = section.problems().error(
            given.place,
            format!("the quaternion `{key}` has length {norm:.6}, not 1"),
        );
        let unit: Vec<String> = given.value.iter().map(|x| format!("{}", x / norm)).collect();
        return match norm > 0.0 && norm.is_finite() {
            true => report.help(format!("did you mean `[{}]`?", unit.join(", "))),
            false => report.help("no rotation is `[1, 0, 0, 0]`"),
        }
        .none();
    }
    Some(so3::normalised([0, 1, 2, 3].map(|k| given.value[k] / norm)))
}

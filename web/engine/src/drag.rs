//! Dragging a body: the settings that make it start in another direction. Points of formulas: see `pull.rs`.
//!
//! ```text
//! spheres   direction := d,  ω := R ω   where R turns the old direction into d the short way
//! trees     position of a revolute joint += angle about its axis from where the body points to d
//!           orientation of a ball joint  := Q B⁻¹ R B   Q that of the joint, B that of the body in space
//! ```
use crate::{
    pull,
    settings::{Setting, list, numbers_at, value_at},
};
use holonomy::{
    Vec3,
    geometry::so3,
    math,
    scene::{Axis, JointShape, Poses, Scene, Shape},
    system::Mechanism,
};
use holonomy_model::{Model, Value};
use serde::Serialize;

/// A body that can be dragged: by which point, and about which.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Dragging {
    /// Its name.
    pub body: String,
    /// The point of the scene to take hold of; without one it is the body's box.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub point: Option<usize>,
    /// The one it turns about; without one it is pulled, see `Session::pull`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pivot: Option<usize>,
    /// How far from the pivot it is, m.
    pub radius: f64,
}

/// The bodies that can be dragged, or why none can.
pub(crate) fn draggable(model: &Model) -> Result<Vec<Dragging>, &'static str> {
    let system = model.mechanism.system();
    let scene = system.scene();
    let mut poses = Poses::default();
    system.poses(&model.state, &mut poses, &mut system.scratch());
    let found: Vec<Dragging> = match &model.mechanism {
        Mechanism::Lagrangian(system) => (pull::movable(model, system).into_iter())
            .map(|(point, body)| Dragging {
                body,
                point: Some(point),
                pivot: None,
                radius: 0.0,
            })
            .collect(),
        Mechanism::Spheres(spheres) => (0..spheres.len())
            .filter(|body| sphere_key(model, *body).is_some())
            .filter_map(|body| {
                let pivot = sphere_pivot(&scene, body)?;
                Some(Dragging {
                    body: spheres.bodies()[body].name.clone(),
                    point: Some(body),
                    pivot: Some(pivot),
                    radius: (place(&poses, body) - place(&poses, pivot)).norm(),
                })
            })
            .collect(),
        Mechanism::Tree(tree) if is_settled(model) => {
            let _ = tree;
            return Err("this model starts in equilibrium, wherever its bodies are put");
        }
        Mechanism::Tree(_) => (scene.shapes.iter())
            .filter_map(|shape| Hinge::new(model, &scene, shape))
            .map(|hinge| Dragging {
                radius: hinge.arm(&poses).norm(),
                body: hinge.name,
                point: hinge.point,
                pivot: Some(hinge.pivot),
            })
            .filter(|dragging| dragging.radius > 0.0)
            .collect(),
    };
    match (found.is_empty(), &model.mechanism) {
        (false, _) => Ok(found),
        (true, Mechanism::Tree(_)) => {
            Err("only bodies on revolute and ball joints can be dragged: move the sliders instead")
        }
        (true, Mechanism::Lagrangian(_)) => {
            Err("this model names no points that move: move the sliders of its start instead")
        }
        (true, _) => Err("its bodies are placed all together, not one by one: move the sliders instead"),
    }
}

/// The settings that make a body start in a direction from its pivot.
pub(crate) fn set_direction(model: &Model, body: &str, direction: [f64; 3]) -> Result<Vec<Setting>, String> {
    let all = draggable(model)?;
    if !all.iter().any(|dragging| dragging.body == body) {
        return Err(format!("`{body}` cannot be dragged: move its sliders instead"));
    }
    let d = Vec3::from(direction);
    let d = match d.norm() {
        norm if norm.is_finite() && norm > 1e-9 => d / norm,
        _ => return Err("there is no direction from the pivot to the pivot".to_owned()),
    };
    match &model.mechanism {
        Mechanism::Spheres(spheres) => {
            let bodies = spheres.bodies();
            let index = bodies
                .iter()
                .position(|other| other.name == body)
                .unwrap_or_default();
            Ok(turned_sphere(model, index, d))
        }
        Mechanism::Tree(_) => turned_hinge(model, body, d),
        Mechanism::Lagrangian(_) => Err(format!("`{body}` has no pivot")),
    }
}

/// The settings that make a point start as near as it can to the ray of the pointer.
pub(crate) fn pull(
    model: &Model,
    point: &str,
    origin: [f64; 3],
    direction: [f64; 3],
) -> Result<Vec<Setting>, String> {
    let found = draggable(model)?.into_iter().find(|each| each.body == point);
    match (&model.mechanism, found) {
        (Mechanism::Lagrangian(system), Some(found)) => {
            pull::pulled(model, system, found.point.unwrap_or_default(), origin, direction)
        }
        _ => Err(format!("`{point}` cannot be dragged: move its sliders instead")),
    }
}

/// The path of the direction of a body, if it has one of its own.
fn sphere_key(model: &Model, body: usize) -> Option<String> {
    let table = &model.table;
    let own = format!("body.{}", body + 1);
    if numbers_at(table, &format!("{own}.direction")).is_some() {
        return Some(own);
    }
    let chain = table.get("chain")?.as_table()?;
    let count = chain.get("links")?.as_number()?.value() as usize;
    let key = match body {
        0 => "direction",
        _ if body + 1 == count => "end_direction",
        _ => return None,
    };
    numbers_at(table, &format!("chain.{key}"))?;
    Some(format!("chain/{key}"))
}

fn sphere_pivot(scene: &Scene, body: usize) -> Option<usize> {
    let rod = scene.shapes.iter().find_map(|shape| match shape {
        Shape::Rod { body: own, from, .. } if *own == body => Some(*from),
        _ => None,
    });
    let shared = || {
        scene.shapes.iter().find_map(|shape| match shape {
            Shape::Sphere { centre, .. } => Some(*centre),
            _ => None,
        })
    };
    rod.or_else(shared)
}

fn turned_sphere(model: &Model, body: usize, d: Vec3) -> Vec<Setting> {
    let Some(key) = sphere_key(model, body) else {
        return Vec::new();
    };
    if let Some((chain, key)) = key.split_once('/') {
        return vec![Setting::new(format!("{chain}.{key}"), list(&d.into()))];
    }
    let mut settings = vec![Setting::new(format!("{key}.direction"), list(&d.into()))];
    let path = format!("{key}.angular_velocity");
    let old = numbers_at(&model.table, &format!("{key}.direction")).map(Vec3::from);
    if let (Some(omega), Some(old)) = (numbers_at(&model.table, &path).map(Vec3::from), old) {
        let turned = carried(&old.normalize(), &d, &omega);
        settings.push(Setting::new(path, list(&turned.into())));
    }
    settings
}

/// A tangent vector at one direction, carried along the great circle to another.
fn carried(from: &Vec3, to: &Vec3, omega: &Vec3) -> Vec3 {
    let cosine = from.dot(to);
    let tangent = omega - from * from.dot(omega);
    if cosine < -1.0 + 1e-9 {
        return -tangent;
    }
    // R w = w + a × w + a × (a × w) / (1 + cos), a = from × to
    let axis = from.cross(to);
    let turned = tangent + axis.cross(&tangent) + axis.cross(&axis.cross(&tangent)) / (1.0 + cosine);
    turned - to * to.dot(&turned)
}

fn is_settled(model: &Model) -> bool {
    matches!(model.table.get("start"), Some(Value::Text(_)))
}

/// A body behind a revolute or ball joint, with a point to take hold of.
struct Hinge {
    name: String,
    /// Its section: `body.3`.
    section: String,
    index: usize,
    point: Option<usize>,
    /// What it is dragged by where it has no point: its centre of mass, in its own axes.
    centre: Vec3,
    pivot: usize,
    /// That of a revolute joint; a ball joint has none.
    axis: Option<Axis>,
}

impl Hinge {
    fn new(model: &Model, scene: &Scene, shape: &Shape) -> Option<Self> {
        let Shape::Joint {
            body,
            joint: joint @ (JointShape::Revolute | JointShape::Spherical),
            to,
            axes,
            driven: false,
            ..
        } = shape
        else {
            return None;
        };
        let (body, pivot) = (*body, *to);
        let point = scene.shapes.iter().find_map(|shape| match shape {
            Shape::Rod {
                body: own, from, to, ..
            } if *own == body && *from == pivot => Some(*to),
            Shape::Mass { body: own, at, .. } if *own == body => Some(*at),
            _ => None,
        });
        let centre = scene.shapes.iter().find_map(|shape| match shape {
            Shape::Inertia {
                body: own, centre, ..
            } if *own == body => Some(Vec3::from(*centre)),
            _ => None,
        });
        if point.is_none() && centre.is_none() {
            return None;
        }
        let name = scene.frames.one(body)?;
        let list = model.table.get("body")?.as_list()?;
        let named = |(k, section): (usize, &Value)| match section.as_table()?.get("name") {
            Some(own) => Some(own.as_text()? == name),
            None => Some(format!("body-{}", k + 1) == name),
        };
        let number = list
            .iter()
            .enumerate()
            .position(|each| named(each) == Some(true))?
            + 1;
        let section = format!("body.{number}");
        // A cable makes several bodies of one section.
        value_at(&model.table, &section)?.as_table()?.get("joint")?;
        Some(Self {
            name,
            section,
            index: body,
            point,
            centre: centre.unwrap_or_default(),
            pivot,
            axis: match joint {
                JointShape::Revolute => Some(*axes.first()?),
                _ => None,
            },
        })
    }

    /// From the pivot to what it is dragged by.
    fn arm(&self, poses: &Poses) -> Vec3 {
        let end = match (self.point, poses.frames.get(self.index)) {
            (Some(point), _) => place(poses, point),
            (None, Some(frame)) => Vec3::from(frame.position) + turned(frame.rotation, &self.centre),
            (None, None) => Vec3::zeros(),
        };
        end - place(poses, self.pivot)
    }
}

fn place(poses: &Poses, point: usize) -> Vec3 {
    poses
        .points
        .get(point)
        .map(|point| Vec3::from(*point))
        .unwrap_or_default()
}

/// A vector turned by a quaternion `[w, x, y, z]`.
fn turned([w, x, y, z]: [f64; 4], v: &Vec3) -> Vec3 {
    let u = Vec3::new(x, y, z);
    v + 2.0 * u.cross(&(u.cross(v) + w * v))
}

fn turned_hinge(model: &Model, body: &str, d: Vec3) -> Result<Vec<Setting>, String> {
    let (Mechanism::Tree(tree), system) = (&model.mechanism, model.mechanism.system()) else {
        return Err(format!("`{body}` is not a body of a tree"));
    };
    let scene = system.scene();
    let mut hinges = scene
        .shapes
        .iter()
        .filter_map(|shape| Hinge::new(model, &scene, shape));
    let Some(hinge) = hinges.find(|hinge| hinge.name == body) else {
        return Err(format!("`{body}` cannot be dragged: move its sliders instead"));
    };
    let mut poses = Poses::default();
    system.poses(&model.state, &mut poses, &mut system.scratch());
    let arm = hinge.arm(&poses);
    let (offset, _) = tree.offsets(hinge.index);
    let q = &model.state.q[offset..];
    let Hinge { index, section, .. } = &hinge;
    let mut settings = vec![match hinge.axis {
        Some(axis) => {
            let position = q[0] + angle(&seen(axis, &poses), &arm, &d)?;
            Setting::new(format!("{section}.position"), format!("{position:?}"))
        }
        None => {
            let turned = turned_ball(q, poses.frames[*index].rotation, &arm, &d)?;
            let [w, x, y, z] = turned;
            let (along, angle) = about(w, Vec3::new(x, y, z));
            let value = format!("{{ axis = {}, angle = {angle:?} }}", list(&along.into()));
            Setting::new(format!("{section}.orientation"), value)
        }
    }];
    if tree.constraints() > 0 {
        // The others follow, so that loops close.
        settings.push(Setting::new(format!("{section}.keep"), "true"));
    }
    Ok(settings)
}

/// The direction of an axis in space.
fn seen(axis: Axis, poses: &Poses) -> Vec3 {
    let direction = Vec3::from(axis.direction);
    match axis.frame.and_then(|frame| poses.frames.get(frame)) {
        Some(frame) => turned(frame.rotation, &direction),
        None => direction,
    }
}

/// From where an arm points to a direction, about an axis.
fn angle(axis: &Vec3, arm: &Vec3, d: &Vec3) -> Result<f64, String> {
    let flat = |v: &Vec3| v - axis * axis.dot(v);
    let (from, to) = (flat(arm), flat(d));
    if to.norm() < 1e-6 || from.norm() < 1e-9 * arm.norm() {
        return Err("that way lies along the axis of its joint".to_owned());
    }
    Ok(math::atan2(axis.dot(&from.cross(&to)), from.dot(&to)))
}

/// Axis and angle of a unit quaternion, as people write rotations.
fn about(w: f64, v: Vec3) -> (Vec3, f64) {
    let size = v.norm();
    match size > 0.0 {
        true => (v / size, 2.0 * math::atan2(size, w)),
        false => (Vec3::z(), 0.0),
    }
}

/// The quaternion of a ball joint that turns the arm of its body into a direction, the short way.
fn turned_ball(joint: &[f64], body: [f64; 4], arm: &Vec3, d: &Vec3) -> Result<[f64; 4], String> {
    let (Some(turn), [w, x, y, z]) = (so3::shortest(arm, d), body) else {
        return Err("that way is opposite to where it points: go around".to_owned());
    };
    let turn = [turn.w, turn.i, turn.j, turn.k];
    let back = so3::product(&[w, -x, -y, -z], &so3::product(&turn, &body));
    Ok(so3::normalised(so3::product(&joint[..4], &back)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use holonomy_model::{load, scenario};

    fn start(name: &str, settings: &[Setting]) -> (Model, Poses) {
        let mut source = scenario::find(name).expect("there").source();
        for setting in settings {
            source.with_override(setting.words());
        }
        let model = load(&source).unwrap_or_else(|problems| panic!("{name}: {problems:?}"));
        let system = model.mechanism.system();
        let mut poses = Poses::default();
        system.poses(&model.state, &mut poses, &mut system.scratch());
        (model, poses)
    }

    /// From the pivot of a body to its end, or to its centre of mass.
    fn arm_of(model: &Model, body: &str) -> Vec3 {
        let system = model.mechanism.system();
        let mut poses = Poses::default();
        system.poses(&model.state, &mut poses, &mut system.scratch());
        let all = draggable(model).expect("some");
        let found = all
            .into_iter()
            .find(|dragging| dragging.body == body)
            .expect("it");
        let pivot = place(&poses, found.pivot.expect("it turns about one"));
        match found.point {
            Some(point) => place(&poses, point) - pivot,
            None => {
                let centre = numbers_at(&model.table, &format!("body.{body}.centre")).expect("a centre");
                let frame = &poses.frames[0];
                let matrix = so3::matrix(&frame.rotation);
                Vec3::from(frame.position) + matrix * Vec3::from(centre) - pivot
            }
        }
    }

    /// Every body that can be dragged starts where it was dragged to: on spheres anywhere, on hinges in their plane.
    #[test]
    fn bodies_start_where_they_were_dragged() {
        let mut dragged = 0;
        for (name, d) in [
            ("double-spherical-pendulum", [0.48, 0.6, 0.64]),
            ("pendulum-chain", [0.0, 0.6, -0.8]),
            ("magnetic-dipoles", [0.6, 0.0, -0.8]),
            ("three-bodies-on-a-sphere", [0.36, 0.48, 0.8]),
            ("four-bar", [0.6, 0.0, 0.8]),
            ("heavy-top", [0.48, -0.6, 0.64]),
        ] {
            let (model, _) = start(name, &[]);
            let Ok(all) = draggable(&model) else { continue };
            for Dragging { body, .. } in all {
                let settings = set_direction(&model, &body, d).expect("it can be dragged");
                if name == "four-bar" && body != "crank" {
                    // Two angles of a loop are not free.
                    continue;
                }
                let (after, _) = start(name, &settings);
                let arm = arm_of(&after, &body);
                assert!(
                    (arm.normalize() - Vec3::from(d)).norm() < 1e-9,
                    "{name} {body}: {arm}"
                );
                // Of a loop it is noted that the others had to follow.
                assert!(
                    after.notes.is_empty() || name == "four-bar",
                    "{name} {body}: {:?}",
                    after.notes
                );
                dragged += 1;
            }
        }
        assert!(dragged >= 9, "{dragged}");
    }

    /// Behind a joint that is turned itself, in a frame that is turned against its body's.
    #[test]
    fn a_ball_joint_turns_in_the_frame_of_its_parent() {
        let text = "title = \"arm\"\nspace = \"tree\"\ngravity = [0, 0, -9.81]\n\
            [[body]]\nname = \"upper\"\njoint = { kind = \"revolute\", axis = [0, 1, 0] }\nmass = 1\ncentre = [0, 0, -1]\nposition = 0.7\n\
            [[body]]\nname = \"lower\"\nparent = \"upper\"\njoint = { kind = \"spherical\", at = [0.2, 0, -1], turned = { axis = [1, 1, 0], angle = 0.5 } }\n\
            mass = 1\ncentre = [0.3, 0, -1]\ninertia = [0.1, 0.1, 0.1]\nsites = { tip = [0.6, 0, -2] }\norientation = { axis = [0, 1, 1], angle = 1.1 }\nangular_velocity = [0, 0, 2]\n\
            [method]\nname = \"tree-variational\"\n[run]\nstep = 0.01\nduration = 1\n";
        let mut source = holonomy_model::Source::new("arm", text);
        let model = load(&source).expect("it loads");
        let d = Vec3::new(0.48, -0.6, 0.64);
        for setting in set_direction(&model, "lower", d.into()).expect("it can be dragged") {
            source.with_override(setting.words());
        }
        let after = load(&source).expect("it loads");
        let arm = arm_of(&after, "lower");
        assert!((arm.normalize() - d).norm() < 1e-12, "{arm}");
    }

    #[test]
    fn what_cannot_be_dragged_says_why() {
        for name in ["ten-thousand-molecules", "molecules-on-a-sphere"] {
            let (model, _) = start(name, &[]);
            let reason = draggable(&model).expect_err("nothing to drag");
            assert!(reason.contains("sliders"), "{name}: {reason}");
        }
        let (model, _) = start("double-spherical-pendulum", &[]);
        assert!(set_direction(&model, "upper", [0.0; 3]).is_err());
        assert!(set_direction(&model, "nobody", [1.0, 0.0, 0.0]).is_err());
    }

    #[test]
    fn a_carried_vector_keeps_its_length_and_is_tangent() {
        let from = Vec3::new(0.0, 0.6, 0.8);
        let omega = Vec3::new(1.5, -0.8, 0.6);
        for to in [Vec3::x(), -from, Vec3::new(0.0, 0.8, -0.6), from] {
            let turned = carried(&from, &to, &omega);
            assert!(
                turned.dot(&to).abs() < 1e-14 && (turned.norm() - omega.norm()).abs() < 1e-14,
                "{to}"
            );
        }
    }
}

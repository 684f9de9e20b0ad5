//! Keyframes: states to start in, of which one may be taken.
//!
//! ```text
//! qpos   numbers of the joints in the order of the file: hinge, slide 1, ball 4, free 3 + 4
//! qvel   the same with 1, 1, 3, 3 + 3          ctrl   of the actuators
//! ```
use super::{element::Id, joint::Kind, values::Item, world::World};

impl World<'_> {
    /// Starts the machine in a keyframe, by its name, or its number from one if it has none.
    pub(super) fn start_in(&mut self, wanted: &str) -> Option<()> {
        let document = self.document;
        let sections = document.children(0).iter().copied();
        let keys: Vec<Id> = sections
            .filter(|id| document.tag(*id) == "keyframe")
            .flat_map(|id| document.children(id).iter().copied())
            .filter(|id| document.tag(*id) == "key")
            .collect();
        let name = |id: Id| document.attribute(id, "name").map(|name| name.value.as_str());
        let by_name = keys.iter().find(|id| name(**id) == Some(wanted));
        let by_number = wanted
            .parse::<usize>()
            .ok()
            .and_then(|number| keys.get(number.checked_sub(1)?));
        let Some(key) = by_name.or(by_number).copied() else {
            let names: Vec<String> = keys
                .iter()
                .enumerate()
                .map(|(k, id)| name(*id).map_or_else(|| (k + 1).to_string(), str::to_owned))
                .collect();
            let report = document.error(0, format!("there is no keyframe `{wanted}`"));
            return match names.is_empty() {
                true => report.help("the file has none; leave `--keyframe` out"),
                false => report.help(format!("the file has {}", names.join(", "))),
            }
            .none();
        };
        let item = Item {
            tag: "",
            ..self.item(key, 0)
        };
        item.carry(&["name", "qpos", "qvel", "ctrl"]);
        let sizes: Vec<(Kind, usize, usize)> = (self.bodies.iter())
            .flat_map(|body| &body.joints)
            .map(|joint| {
                let (q, v) = joint.kind.sizes();
                (joint.kind, q, v)
            })
            .collect();
        let q = item.list("qpos", sizes.iter().map(|(_, q, _)| q).sum())?;
        let v = item.list("qvel", sizes.iter().map(|(.., v)| v).sum())?;
        let controls = item.list("ctrl", self.actuator_count)?;
        let (mut at_q, mut at_v) = (0, 0);
        for joint in self.bodies.iter_mut().flat_map(|body| &mut body.joints) {
            let (in_q, in_v) = joint.kind.sizes();
            let part = |list: &Option<Vec<f64>>, at: usize, count: usize| {
                list.as_ref().map(|list| list[at..at + count].to_vec())
            };
            joint.start = part(&q, at_q, in_q);
            joint.speed = part(&v, at_v, in_v);
            (at_q, at_v) = (at_q + in_q, at_v + in_v);
            let ball = match joint.kind {
                Kind::Ball => 0,
                Kind::Free => 3,
                _ => continue,
            };
            let turn = joint.start.as_deref_mut().map(|start| &mut start[ball..]);
            let Some(turn) = turn else { continue };
            let length = turn.iter().map(|x| x * x).sum::<f64>().sqrt();
            if length == 0.0 {
                return document
                    .error(
                        key,
                        "a quaternion of this keyframe is zero, and gives no rotation",
                    )
                    .help("write 1 0 0 0 for no turn")
                    .none();
            }
            turn.iter_mut().for_each(|x| *x /= length);
        }
        if let Some(values) = controls {
            for control in &mut self.controls {
                control.value = values[control.number];
            }
        }
        Some(())
    }
}

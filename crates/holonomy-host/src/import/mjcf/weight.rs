//! What takes a part of the weight of a body, as springs and counterweights do: `gravcomp`.
//!
//! ```text
//! f = −c m g at the centre of mass        c the part
//! ```
use super::{values::Item, world::World};
use crate::import::write::{quoted, vector};

impl World<'_> {
    pub(super) fn compensations(&mut self) -> Option<()> {
        for body in &self.bodies {
            let item = Item {
                tag: "",
                ..self.item(body.id, 0)
            };
            let part = item.number("gravcomp", 0.0)?;
            item.carry(&["gravcomp"]);
            let force = self.globals.gravity * (-part * body.inertia.mass);
            if force.norm() == 0.0 {
                continue;
            }
            let at = vector(&(body.inertia.centre - body.anchor()));
            self.sections.push(format!(
                "\n[[wrench]]\nbody = {}  # gravcomp\nat = {at}\nforce = {}\n",
                quoted(&body.name),
                vector(&force)
            ));
        }
        Some(())
    }
}

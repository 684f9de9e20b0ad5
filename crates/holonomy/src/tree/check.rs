//! What can be seen of the parts of a tree before it is put together.
use super::{
    Along, Attitude, Constraint, Joint, Length, TreeError, TreePart, TreeParts, error::ConstraintFault,
};
use crate::{
    Vec3,
    geometry::Pose,
    system::{NameError, Named, check_names, check_names_in},
};

pub(super) fn check(parts: &TreeParts) -> Result<(), TreeError> {
    let bodies = parts.bodies.iter();
    check_names(Named::Body, bodies.map(|body| body.name.as_str()))?;
    let sites = parts.sites.iter();
    check_names_in(Named::Site, sites.map(|site| (site.body, site.name.as_str())))?;
    // Two constraints may make up one, as those of a weld do, if their equations are called differently.
    let mut equations = Vec::new();
    for (number, (name, constraint)) in parts.constraints.iter().enumerate() {
        if name.is_empty() {
            let what = Named::Constraint;
            return Err(NameError::Empty { what, number }.into());
        }
        equations.extend(
            constraint
                .suffixes()
                .iter()
                .map(|suffix| format!("{name}{suffix}")),
        );
    }
    check_names(Named::Constraint, equations.iter().map(String::as_str))?;
    let not_finite = |part| Err(TreeError::NotFinite { part });
    if !is_finite(&parts.gravity) {
        return not_finite(TreePart::Gravity);
    }
    for body in &parts.bodies {
        let pitch = match &body.joint {
            Joint::Screw { pitch, .. } => *pitch,
            Joint::Driven {
                along: Along::Screw(pitch),
                ..
            } => *pitch,
            _ => 0.0,
        };
        let poses = [&body.parent_from_joint, &body.joint_from_body];
        if !(pitch.is_finite() && poses.into_iter().all(is_pose)) {
            return not_finite(TreePart::Joint(body.name.clone()));
        }
    }
    let count = parts.bodies.len();
    let exists = |part: TreePart, body: usize| match body < count {
        true => Ok(()),
        false => Err(TreeError::NoBody { part, number: body }),
    };
    for site in &parts.sites {
        let part = || TreePart::Site(site.name.clone());
        if let Some(body) = site.body {
            exists(part(), body)?;
        }
        if !is_finite(&site.position) {
            return not_finite(part());
        }
    }
    for (number, (body, _)) in parts.joint_forces.iter().enumerate() {
        exists(TreePart::JointForce(number), *body)?;
    }
    for (number, (body, _)) in parts.armature.iter().enumerate() {
        exists(TreePart::Armature(number), *body)?;
    }
    for (number, wrench) in parts.wrenches.iter().enumerate() {
        exists(TreePart::Wrench(number), wrench.body)?;
    }
    let sites = parts.sites.len();
    for (number, potential) in parts.potentials.iter().enumerate() {
        let needed = potential.points_needed();
        if needed > sites {
            return Err(TreeError::Potential {
                number,
                needed,
                sites,
            });
        }
    }
    for (name, constraint) in &parts.constraints {
        if !has_finite_numbers(constraint) {
            return Err(TreeError::Constraint {
                name: name.clone(),
                fault: ConstraintFault::Number,
            });
        }
    }
    Ok(())
}

fn is_finite(v: &Vec3) -> bool {
    v.iter().all(|x| x.is_finite())
}

fn is_pose(pose: &Pose) -> bool {
    is_finite(&pose.translation) && pose.rotation.coords.iter().all(|x| x.is_finite())
}

fn has_finite_numbers(constraint: &Constraint) -> bool {
    match constraint {
        Constraint::Coincidence { directions, .. } => directions.iter().all(is_finite),
        Constraint::Plane { normal, .. } => is_finite(normal),
        Constraint::Orientation {
            relative: Attitude::Fixed(relative),
            ..
        } => relative.coords.iter().all(|x| x.is_finite()),
        Constraint::Coupling { terms, constant } => {
            constant.is_finite() && terms.iter().all(|(.., factor)| factor.is_finite())
        }
        Constraint::Distance { length, .. }
        | Constraint::Cable { length, .. }
        | Constraint::Tether { length, .. } => match length {
            Length::Fixed(length) => *length >= 0.0 && length.is_finite(),
            Length::Driven(_) => true,
        },
        Constraint::Route(route) => match route.length {
            Some(Length::Fixed(length)) => length > 0.0 && length.is_finite(),
            _ => true,
        },
        // Their numbers are looked at with their sites.
        Constraint::Orientation { .. }
        | Constraint::Closing(_)
        | Constraint::Rolling(_)
        | Constraint::Blade(_) => true,
    }
}

//! The links as one tree: its root, and the joints from there outwards.
use super::robot::Robot;
use holonomy_model::Problems;

/// The root, and the joints from there outwards.
pub(super) fn order(robot: &Robot<'_, '_>, problems: &Problems) -> Option<(usize, Vec<usize>)> {
    let mut leading: Vec<Option<usize>> = vec![None; robot.links.len()];
    for (k, joint) in robot.joints.iter().enumerate() {
        let name = &robot.links[joint.child].name;
        if let Some(other) = leading[joint.child].replace(k) {
            let other = &robot.joints[other].name;
            problems
                .error(
                    joint.span.clone(),
                    format!("both joints `{other}` and `{}` lead to the link `{name}`", joint.name),
                )
                .help("URDF is a tree: remove one of them here, and close the loop in the model by a `[[constraint]]`");
        }
    }
    let roots: Vec<usize> = (0..leading.len()).filter(|k| leading[*k].is_none()).collect();
    match roots[..] {
        [root] if !problems.has_errors() => {
            let mut order = Vec::new();
            descend(robot, root, &mut order);
            if order.len() == robot.joints.len() {
                return Some((root, order));
            }
            circle(robot, &order, problems)
        }
        [first, second, ..] => {
            let (a, b) = (&robot.links[first].name, &robot.links[second]);
            let others = match roots.len() - 2 {
                0 => String::new(),
                more => format!(", nor to {more} more"),
            };
            problems
                .error(
                    b.span.clone(),
                    format!(
                        "no joint leads to the link `{}`, nor to `{a}`{others}: there are several roots",
                        b.name
                    ),
                )
                .help("join all links into one tree; a link that does not move is joined by a `fixed` joint")
                .none()
        }
        [] => circle(robot, &[], problems),
        _ => None,
    }
}

fn descend(robot: &Robot<'_, '_>, root: usize, order: &mut Vec<usize>) {
    let mut open = vec![root];
    while let Some(link) = open.pop() {
        let joints = robot.joints.iter().enumerate();
        let outward: Vec<usize> = joints.filter(|(_, j)| j.parent == link).map(|(k, _)| k).collect();
        // The first joint of the file is followed first.
        open.extend(outward.iter().rev().map(|k| robot.joints[*k].child));
        if let Some(k) = robot.joints.iter().position(|joint| joint.child == link)
            && link != root
        {
            order.push(k);
        }
    }
}

/// Reports joints that lead round in a circle: those that were not reached.
fn circle<T>(robot: &Robot<'_, '_>, reached: &[usize], problems: &Problems) -> Option<T> {
    let lost = (0..robot.joints.len()).find(|k| !reached.contains(k))?;
    let mut seen = Vec::new();
    let mut now = lost;
    while !seen.contains(&now) {
        seen.push(now);
        let parent = robot.joints[now].parent;
        now = robot.joints.iter().position(|joint| joint.child == parent)?;
    }
    let names: Vec<String> = seen
        .iter()
        .map(|k| format!("`{}`", robot.joints[*k].name))
        .collect();
    problems
        .error(
            robot.joints[now].span.clone(),
            format!("the joints {} lead round in a circle", names.join(", ")),
        )
        .help("URDF is a tree: remove one of them, and close the loop in the model by a `[[constraint]]`")
        .none()
}

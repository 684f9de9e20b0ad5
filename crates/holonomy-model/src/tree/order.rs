//! The order of bodies: as they are written, with cables behind them, and parents before their children.
use super::{
    bodies::{BodyEntry, TreeBodies},
    cable::CableText,
    constraints::ConstraintEntry,
    sites::Sites,
};
use crate::{Place, Problems};
use holonomy::{Vec3, geometry::RigidInertia, system::Rope};

/// Makes the bodies of all cables, each when what it hangs on is there; gives what holds their ends.
pub(super) fn make_cables(
    cables: Vec<CableText<'_>>,
    gravity: &Vec3,
    bodies: &mut TreeBodies,
    sites: &mut Sites,
    problems: &Problems,
) -> (Vec<ConstraintEntry>, Vec<Rope>) {
    let mut open = Vec::new();
    for cable in cables {
        let first = bodies.list.len();
        for name in cable.body_names() {
            bodies.list.push(unmade(name, cable.place().clone()));
        }
        open.push((first, bodies.list.len(), cable));
    }
    let mut made: Vec<(usize, ConstraintEntry, Option<Rope>)> = Vec::new();
    while !open.is_empty() {
        let waiting = |body: usize| open.iter().any(|(first, end, _)| (*first..*end).contains(&body));
        let ready = (open.iter()).position(|(.., cable)| !cable.hangs_on(bodies, sites, waiting));
        let Some(ready) = ready else {
            let (.., cable) = &open[0];
            problems
                .error(
                    cable.place().clone(),
                    "this cable hangs on a body that hangs on the cable itself",
                )
                .help("begin and end it at sites of other bodies; a loop is closed by a `[[constraint]]`");
            break;
        };
        let (first, _, cable) = open.remove(ready);
        if let Some((held, rope)) = cable.make(first, gravity, bodies, sites, problems) {
            made.push((first, held, rope));
        }
    }
    holonomy::order::sort_by_key(&mut made, |(first, ..)| *first);
    let (mut held, mut ropes) = (Vec::new(), Vec::new());
    for (_, constraint, rope) in made {
        held.push(constraint);
        ropes.extend(rope);
    }
    (held, ropes)
}

/// A body of a cable that is not made yet, or cannot be: others may be joined to it, or have sites on it.
fn unmade(name: String, place: Place) -> BodyEntry {
    BodyEntry {
        name,
        place,
        parent: None,
        placed: None,
        inertia: RigidInertia::zero(),
        as_given: false,
        keep: false,
        segment: false,
    }
}

/// Puts parents before their children. Bodies that are in order stay as they are.
pub(super) fn sort(bodies: &mut TreeBodies, sites: &mut Sites) {
    let count = bodies.list.len();
    let mut order: Vec<usize> = Vec::with_capacity(count);
    let mut done = vec![false; count];
    for body in 0..count {
        // Its parents that are not there yet, from the nearest on; circles have been refused, and end here too.
        let mut way = Vec::new();
        let mut next = Some(body);
        while let Some(body) = next.filter(|body| !done[*body]) {
            done[body] = true;
            way.push(body);
            next = bodies.list[body].parent;
        }
        order.extend(way.into_iter().rev());
    }
    if order.iter().enumerate().all(|(place, body)| place == *body) {
        return;
    }
    let mut places = vec![0; count];
    for (place, body) in order.iter().enumerate() {
        places[*body] = place;
    }
    let mut old: Vec<Option<BodyEntry>> = bodies.list.drain(..).map(Some).collect();
    bodies.list = order.iter().filter_map(|body| old[*body].take()).collect();
    for body in &mut bodies.list {
        body.parent = body.parent.map(|parent| places[parent]);
    }
    bodies.moved(&places);
    for site in &mut sites.list {
        site.body = site.body.map(|body| places[body]);
    }
}

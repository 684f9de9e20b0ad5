//! Dragging a named point of a model in generalized coordinates: the coordinates that bring it nearest to the pointer.
//!
//! ```text
//! ray of the pointer    o + s d,   |d| = 1
//! residual              r(q) = (1 − d dᵀ)(x(q) − o)
//! step                  (JᵀJ + μ 1) δ + Gᵀλ = −Jᵀ r,   g + G δ = 0      μ less while |r| falls, else more
//! then                  δ + Gᵀλ = 0,   g + G δ = 0                      until the constraints g hold
//! ```
//! By Levenberg's damping, coordinates that do not move the point stay as they are. J is measured by central differences:
//! the picture is of formulas, and smooth.
use crate::settings::Setting;
use holonomy::{
    Vec3,
    lagrangian::{HolonomicConstraint, Lagrangian},
    solve::Lu,
    system::System,
};
use holonomy_model::Model;

/// Points by name that coordinates move.
pub(crate) fn movable(model: &Model, system: &Lagrangian) -> Vec<(usize, String)> {
    let names = &system.layout().drawing.sites;
    let each = names.iter().cloned().enumerate();
    each.filter(|(point, _)| {
        let pull = Pull::new(model, system, *point, Vec3::zeros(), None);
        let slopes = pull.slopes(&model.state.q).concat();
        slopes.iter().all(|slope| slope.is_finite()) && slopes.iter().any(|slope| slope.abs() > 1e-9)
    })
    .collect()
}

/// The settings that make a point start as near to a ray as it can.
pub(crate) fn pulled(
    model: &Model,
    system: &Lagrangian,
    point: usize,
    origin: [f64; 3],
    direction: [f64; 3],
) -> Result<Vec<Setting>, String> {
    let d = Vec3::from(direction);
    let sound = origin.iter().all(|x| x.is_finite()) && d.norm().is_finite() && d.norm() > 1e-9;
    if !sound {
        return Err("the pointer has no direction".to_owned());
    }
    let q = Pull::new(model, system, point, origin.into(), Some(d.normalize())).nearest();
    Ok(settings(model, system, &q))
}

/// What is sought.
struct Pull<'a> {
    system: &'a Lagrangian,
    start: &'a [f64],
    t: f64,
    point: usize,
    origin: Vec3,
    /// Of the ray; without one all of the way to the origin counts.
    direction: Option<Vec3>,
}

const MOST_STEPS: usize = 120;

impl<'a> Pull<'a> {
    fn new(
        model: &'a Model,
        system: &'a Lagrangian,
        point: usize,
        origin: Vec3,
        direction: Option<Vec3>,
    ) -> Self {
        Self {
            system,
            start: &model.state.q,
            t: model.state.t,
            point,
            origin,
            direction,
        }
    }

    /// From the ray to the point.
    fn residual(&self, q: &[f64]) -> [f64; 3] {
        let mut places = vec![Vec3::zeros(); self.system.layout().drawing.sites.len()];
        self.system.sites(self.t, q, &mut places);
        let mut way = places[self.point] - self.origin;
        if let Some(d) = self.direction {
            way -= d * d.dot(&way);
        }
        way.into()
    }

    /// Its derivatives by each coordinate.
    fn slopes(&self, q: &[f64]) -> Vec<[f64; 3]> {
        let mut there = q.to_vec();
        let slope = |a: usize| {
            // Where the rounding of x/h and the neglected h² are about equal.
            let h = 1e-5 * q[a].abs().max(1.0);
            let mut at = |place: f64| {
                there[a] = place;
                self.residual(&there)
            };
            let (after, before) = (at(q[a] + h), at(q[a] - h));
            there[a] = q[a];
            [0, 1, 2].map(|k| (after[k] - before[k]) / (2.0 * h))
        };
        (0..q.len()).map(slope).collect()
    }

    /// The coordinates of the least residual that is found from the start.
    fn nearest(&self) -> Vec<f64> {
        let mut q = self.start.to_vec();
        let mut residual = self.residual(&q);
        let mut damping = 1e-3;
        for _ in 0..MOST_STEPS {
            let slopes = self.slopes(&q);
            let scale = slopes.iter().map(|slope| dot(slope, slope)).fold(0.0, f64::max);
            let mut matrix = vec![vec![0.0; q.len()]; q.len()];
            for (a, one) in slopes.iter().enumerate() {
                for (b, other) in slopes.iter().enumerate() {
                    matrix[a][b] = dot(one, other);
                }
                matrix[a][a] += damping * scale;
            }
            let slope: Vec<f64> = slopes.iter().map(|slope| dot(slope, &residual)).collect();
            let linear = self.stepped(&q, &matrix, &slope);
            let next = linear.as_ref().and_then(|linear| self.held(linear.clone()));
            let (Some(linear), Some(next)) = (linear, next) else {
                damping *= 10.0;
                continue;
            };
            let there = self.residual(&next);
            let mut foreseen = residual;
            for ((slope, new), old) in slopes.iter().zip(&linear).zip(&q) {
                (0..3).for_each(|k| foreseen[k] += slope[k] * (new - old));
            }
            let (now, then) = (dot(&residual, &residual), dot(&there, &there));
            // How much of what was foreseen came true; not a number where something has no value, or nothing is left.
            let true_part = (now - then) / (now - dot(&foreseen, &foreseen));
            if true_part > 0.0 {
                (q, residual) = (next, there);
            }
            damping *= match true_part {
                part if part > 0.75 => 0.2,
                part if part > 0.25 => 1.0,
                _ => 4.0,
            };
        }
        q
    }

    /// q + δ, of `A δ + Gᵀλ = −s` with `g + G δ = 0`.
    fn stepped(&self, q: &[f64], matrix: &[Vec<f64>], slope: &[f64]) -> Option<Vec<f64>> {
        let g = self.constraint(q)?;
        let (n, m) = (q.len(), g.value.len());
        let mut lu = Lu::default();
        let whole = lu.reset(n + m);
        for a in 0..n {
            whole[a * (n + m)..][..n].copy_from_slice(&matrix[a]);
            for k in 0..m {
                let slope = g.jacobian[k * n + a];
                whole[a * (n + m) + n + k] = slope;
                whole[(n + k) * (n + m) + a] = slope;
            }
        }
        let mut right: Vec<f64> = slope.iter().chain(&g.value).map(|x| -x).collect();
        let solved = lu.solve(&mut right);
        solved.then(|| q.iter().zip(&right).map(|(q, change)| q + change).collect())
    }

    /// The nearest coordinates that satisfy the constraints, by Newton's method; none if that does not end.
    fn held(&self, mut q: Vec<f64>) -> Option<Vec<f64>> {
        let same: Vec<Vec<f64>> = (0..q.len())
            .map(|a| (0..q.len()).map(|b| f64::from(u8::from(a == b))).collect())
            .collect();
        for _ in 0..MOST_STEPS {
            let g = self.constraint(&q)?;
            // What is left of it is for the loader: a matter of digits.
            if g.value.iter().all(|g| g.abs() < 1e-12) {
                return Some(q);
            }
            q = self.stepped(&q, &same, &vec![0.0; q.len()])?;
        }
        None
    }

    fn constraint(&self, q: &[f64]) -> Option<HolonomicConstraint> {
        let mut found = HolonomicConstraint::default();
        let rest = vec![0.0; q.len()];
        let mechanics = self.system.mechanics();
        mechanics.constraint(self.t, q, &rest, &mut found).ok()?;
        Some(found)
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Those of the coordinates that changed. One of three components is written whole.
fn settings(model: &Model, system: &Lagrangian, q: &[f64]) -> Vec<Setting> {
    let names = &system.layout().coordinates;
    let listed = model.table.get("coordinates").and_then(|list| list.as_list());
    let mut settings = Vec::new();
    let mut at = 0;
    for name in listed.into_iter().flatten().filter_map(|name| name.as_text()) {
        let single = names.one(at).is_none_or(|own| own == name);
        let size = if single { 1 } else { 3 };
        let (Some(new), Some(old)) = (q.get(at..at + size), model.state.q.get(at..at + size)) else {
            break;
        };
        let value = match single {
            true => format!("{:?}", new[0]),
            false => format!("{new:?}"),
        };
        if new != old {
            settings.push(Setting::new(format!("start.{name}"), value));
        }
        at += size;
    }
    settings
}

#[cfg(test)]
mod tests {
    use super::*;
    use holonomy::system::Mechanism;
    use holonomy_model::{Source, load, scenario};

    /// Where a point is after it was pulled, and where it was.
    fn pull(source: &Source, name: &str, origin: [f64; 3], direction: [f64; 3]) -> (Model, Vec3) {
        let model = load(source).expect("it loads");
        let Mechanism::Lagrangian(system) = &model.mechanism else {
            panic!("of another family");
        };
        let found = movable(&model, system);
        let (point, _) = found.iter().find(|(_, own)| own == name).expect("it moves");
        let settings = pulled(&model, system, *point, origin, direction).expect("a ray");
        let mut after = source.clone();
        for setting in &settings {
            after.with_override(setting.words());
        }
        let after = load(&after).unwrap_or_else(|problems| panic!("{settings:?}: {problems:?}"));
        let Mechanism::Lagrangian(system) = &after.mechanism else {
            panic!("of another family");
        };
        let mut places = vec![Vec3::zeros(); system.layout().drawing.sites.len()];
        system.sites(0.0, &after.state.q, &mut places);
        let place = places[*point];
        (after, place)
    }

    fn shipped(name: &str) -> Source {
        scenario::find(name).expect("there").source()
    }

    /// A bob on a circle comes to where the pointer is, seen from its centre, be it inside or outside of the circle.
    #[test]
    fn a_bob_points_to_the_pointer() {
        for (angle, far) in [(0.3_f64, 1.0), (-1.1, 1.7), (2.0, 0.4)] {
            let (x, z) = (far * angle.sin(), -far * angle.cos());
            let (after, _) = pull(&shipped("plane-pendulum"), "bob", [x, -9.0, z], [0.0, 2.0, 0.0]);
            assert!(
                (after.state.q[0] - angle).abs() < 1e-7,
                "{angle}: {}",
                after.state.q[0]
            );
        }
    }

    /// A planet in the plane z = 0 comes to where the ray meets it; it keeps its velocity.
    #[test]
    fn a_planet_comes_to_where_the_ray_meets_its_plane() {
        let (after, place) = pull(
            &shipped("kepler"),
            "planet",
            [1.0, -2.0, 4.0],
            [-0.25, 0.75, -1.0],
        );
        assert!((place - Vec3::new(0.0, 1.0, 0.0)).norm() < 1e-9, "{place}");
        let before = load(&shipped("kepler")).expect("it loads");
        assert_eq!(after.state.p, before.state.p);
    }

    /// Both angles of a double pendulum give way, and the angles that a point does not depend on stay.
    #[test]
    fn a_double_pendulum_reaches_and_its_upper_bob_leaves_the_lower_angle() {
        let source = shipped("double-plane-pendulum");
        let (_, place) = pull(&source, "lower", [0.7, -5.0, -0.9], [0.0, 1.0, 0.0]);
        assert!((place - Vec3::new(0.7, 0.0, -0.9)).norm() < 1e-9, "{place}");
        let before = load(&source).expect("it loads");
        let (after, _) = pull(&source, "upper", [0.5, -5.0, -0.5], [0.0, 1.0, 0.0]);
        assert!((after.state.q[0] - std::f64::consts::FRAC_PI_4).abs() < 1e-7);
        assert_eq!(after.state.q[1], before.state.q[1]);
    }

    /// A point on a curve given by a constraint stays on it.
    #[test]
    fn constraints_hold() {
        let text = "title = \"bead\"\nspace = \"lagrangian\"\ncoordinates = [\"x\", \"z\"]\n\
                    lagrangian = \"(x'^2 + z'^2)/2 - 9.81*z\"\n[[constraint]]\nformula = \"x^2 + z^2 - 4\"\n\
                    [method]\nname = \"midpoint\"\n[start]\nx = 2\nz = 0\n[points]\nbead = [\"x\", 0, \"z\"]\n[run]\nstep = 0.01\nduration = 1\n";
        let (after, _) = pull(
            &Source::new("bead", text),
            "bead",
            [3.0, 5.0, 3.0],
            [0.0, -1.0, 0.0],
        );
        let root = 2.0_f64.sqrt();
        assert!(
            (after.state.q[0] - root).abs() < 1e-6 && (after.state.q[1] - root).abs() < 1e-6,
            "{:?}",
            after.state.q
        );
    }

    #[test]
    fn three_components_are_written_whole() {
        let (after, place) = pull(&shipped("suslov"), "fixed", [5.0, 0.1, 0.7], [1.0, 0.0, 0.0]);
        assert!(
            (place.y - 0.1).abs() < 1e-9 && (place.z - 0.7).abs() < 1e-9,
            "{place}"
        );
        // Along the ray nothing asks for a change.
        assert!((after.state.q[0] - 0.6).abs() < 1e-9);
    }

    #[test]
    fn what_stands_still_cannot_be_pulled() {
        let model = load(&shipped("henon-heiles")).expect("it loads");
        let Mechanism::Lagrangian(system) = &model.mechanism else {
            panic!("of another family");
        };
        let names: Vec<String> = movable(&model, system)
            .into_iter()
            .map(|(_, name)| name)
            .collect();
        assert_eq!(names, ["star"]);
        assert!(pulled(&model, system, 0, [0.0; 3], [0.0; 3]).is_err());
    }
}

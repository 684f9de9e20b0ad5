use holonomy::{
    Vec3,
    diagnostics::Record,
    geometry::{Pose, RigidInertia, s2},
    integrator::{
        Integrator,
        catalog::{self, Method, Options},
    },
    potential::{Potential, Spring},
    simulation::{Label, RunReport, Schedule, Simulation},
    spheres::{Body, Inertia, Point, Spheres, SpheresParts},
    system::{Mechanism, State, System},
    tree::{self, Joint, Tree, TreeParts},
};
use holonomy_model::{self as model, Model, Source};
use std::{path::Path, sync::Arc};

/// A built-in scenario with overrides.
pub(crate) fn scenario(name: &str, overrides: &[&str]) -> Model {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../scenarios")
        .join(name)
        .join("model.toml");
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    load(name, &text, overrides)
}

pub(crate) fn load(name: &str, text: &str, overrides: &[&str]) -> Model {
    let mut source = Source::new(name, text);
    for text in overrides {
        source.with_override(*text);
    }
    model::load(&source).unwrap_or_else(|problems| panic!("{name}: {problems:#?}"))
}

/// Runs a model to its end and measures every recorded sample.
pub(crate) fn run(model: &Model) -> (Simulation, Record, RunReport) {
    let mut simulation = model.simulation();
    let mut record = Record::default();
    let report = simulation
        .run(&model.schedule, &mut [&mut record])
        .unwrap_or_else(|e| panic!("{e}"));
    (simulation, record, report)
}

/// A smooth mechanism with a state on a regular orbit.
pub(crate) struct Problem {
    pub(crate) name: &'static str,
    pub(crate) mechanism: Mechanism,
    pub(crate) state: State,
}

/// A simulation of a model by another method.
pub(crate) fn simulation_by(model: &Model, integrator: Box<dyn Integrator>) -> Simulation {
    let (system, state) = (model.mechanism.system(), model.state.clone());
    Simulation::new(system, integrator, state, model.schedule.step)
}

impl Problem {
    pub(crate) fn new(name: &'static str, spheres: Spheres, q: &[Vec3], omega: &[Vec3]) -> Self {
        let spheres = Arc::new(spheres);
        let omega: Vec<Vec3> = q.iter().zip(omega).map(|(q, w)| s2::tangent(q, w)).collect();
        let state = spheres.state(q, &omega).unwrap_or_else(|e| panic!("{name}: {e}"));
        Self {
            name,
            mechanism: Mechanism::Spheres(spheres),
            state,
        }
    }

    /// `None` when the method does not fit.
    pub(crate) fn simulation(&self, method: &Method, options: &Options) -> Option<Simulation> {
        let integrator = method.build_with(&self.mechanism, options).ok()?;
        let label = Label {
            method: method.name.to_owned(),
            options: options.clone(),
            model: None,
        };
        let (system, state) = (self.mechanism.system(), self.state.clone());
        Some(Simulation::new(system, integrator, state, 1e-3).labelled(label))
    }

    pub(crate) fn final_state(
        &self,
        method: &Method,
        options: &Options,
        step: f64,
        steps: u64,
    ) -> Option<State> {
        let mut simulation = self.simulation(method, options)?;
        let schedule = Schedule {
            step,
            steps,
            every: u64::MAX,
        };
        simulation
            .run(&schedule, &mut [])
            .unwrap_or_else(|e| panic!("{} on {}: {e}", method.name, self.name));
        Some(simulation.state)
    }

    /// The state after a time, to about 1e-13.
    pub(crate) fn reference(&self, time: f64) -> State {
        let options = Options {
            rtol: Some(1e-14),
            atol: Some(1e-15),
            ..Options::default()
        };
        self.final_state(method("dop853"), &options, time, 1).unwrap()
    }
}

pub(crate) fn method(name: &str) -> &'static Method {
    catalog::find(name).unwrap()
}

/// Bodies called by their numbers, z down.
fn falling(bodies: impl IntoIterator<Item = Body>, g: f64) -> SpheresParts {
    let named = bodies.into_iter().enumerate().map(|(i, body)| Body {
        name: format!("body-{}", i + 1),
        ..body
    });
    SpheresParts {
        bodies: named.collect(),
        gravity: Vec3::z() * g,
        ..SpheresParts::default()
    }
}

fn built(parts: SpheresParts) -> Spheres {
    Spheres::new(parts).unwrap_or_else(|e| panic!("{e}"))
}

fn point(mass: f64, length: f64) -> Body {
    Body::point("", mass, length)
}

fn rod(mass: f64, length: f64) -> Body {
    Body::rod("", mass, length)
}

/// One spherical pendulum, l = 1 m: integrable.
pub(crate) fn pendulum() -> Problem {
    Problem::new(
        "pendulum",
        built(falling([point(1.0, 1.0)], 9.81)),
        &[Vec3::new(0.6, 0.0, 0.8)],
        &[Vec3::new(-0.8, 0.5, 0.6)],
    )
}

/// Two bodies about one pivot, their ends joined by a spring without rest length: smooth.
pub(crate) fn separate() -> Problem {
    let mut parts = falling([point(1.0, 1.0), point(2.0, 0.8)], 9.81);
    let ends = [(0, 1.0), (1, 0.8)];
    let between = ends.map(|(body, distance)| parts.add_point(Point::On { body, distance }));
    let spring: Box<dyn Potential> = Box::new(Spring {
        between,
        stiffness: 3.0,
        length: 0.0,
    });
    parts.potentials.push(spring);
    Problem::new("separate bodies", built(parts), &DIRECTIONS, &SPINS[..2])
}

/// A chain of three point masses.
pub(crate) fn chain() -> Problem {
    let links = [point(2.0, 1.0), point(1.0, 0.9).on(0), point(0.5, 1.1).on(1)];
    let spheres = built(falling(links, 4.0));
    Problem::new("chain of point masses", spheres, &GENTLE, &SPINS)
}

/// A chain of four point masses between two points, one above the other: turns about the line between them are free.
pub(crate) fn held() -> Problem {
    let spheres = built(SpheresParts {
        held: Some((3, Vec3::new(0.0, 0.0, 3.2))),
        ..falling(
            [
                point(2.0, 1.0),
                point(1.0, 0.9).on(0),
                point(0.5, 1.1).on(1),
                point(0.7, 0.8).on(2),
            ],
            2.0,
        )
    });
    let (mut q, mut omega) = ([Vec3::z(); 4], [Vec3::z(); 4]);
    q[..3].copy_from_slice(&GENTLE);
    q[3] = Vec3::new(-0.6, 0.0, 0.8);
    omega[..3].copy_from_slice(&SPINS.map(|omega| omega * 0.7));
    spheres.project(
        bytemuck::cast_slice_mut(&mut q),
        bytemuck::cast_slice_mut(&mut omega),
    );
    Problem::new("chain with two ends", spheres, &q, &omega)
}

/// A tree of uniform rods: two hang on the first.
pub(crate) fn tree() -> Problem {
    let links = [rod(2.0, 1.0), rod(1.0, 0.9).on(0), rod(0.5, 1.1).on(0)];
    Problem::new("tree of rods", built(falling(links, 4.0)), &GENTLE, &SPINS)
}

/// Two bodies coupled through a general inertia matrix.
pub(crate) fn dense() -> Problem {
    let inertia = Inertia::from_matrix(&[vec![1.5, 0.4], vec![0.4, 2.0]]).unwrap();
    let spheres = built(SpheresParts {
        inertia: Some(inertia),
        ..falling([point(1.0, 1.0), point(2.0, 0.8)], 9.81)
    });
    Problem::new("dense inertia", spheres, &DIRECTIONS, &SPINS[..2])
}

/// A spherical pendulum in its two angles, as formulas: the momentum of φ is kept.
pub(crate) fn typed() -> Problem {
    let text = r#"
        space = "lagrangian"
        coordinates = ["theta", "phi"]
        lagrangian = "0.5*(theta'^2 + sin(theta)^2*phi'^2) + 5*cos(theta)"
        start = { theta = 0.8, phi = 0.3 }
        velocity = { theta = 0.6, phi = 1.8 }
        method = { name = "midpoint" }
        run = { step = 0.01, steps = 1 }
    "#;
    let model = load("typed", text, &[]);
    Problem {
        name: "typed",
        mechanism: model.mechanism,
        state: model.state,
    }
}

/// A mass in a round bowl, and a crooked frame: its angular momentum is kept, but is no momentum of the frame.
pub(crate) fn framed() -> Problem {
    let text = r#"
        space = "lagrangian"
        coordinates = ["x", "y"]
        lagrangian = "0.5*(x'^2 + y'^2) - 2*(x^2 + y^2) - 0.5*(x^2 + y^2)^2"
        frame.fields = { slanted = ["1", "0.4*x"], upright = ["0", "1 + 0.3*sin(x)"] }
        invariants = { angular-momentum = "x*y' - y*x'" }
        start = { x = 1.2, y = 0.3 }
        velocity = { slanted = 0.8, upright = 1.6 }
        method = { name = "hamel" }
        run = { step = 0.01, steps = 1 }
    "#;
    let model = load("framed", text, &[]);
    Problem {
        name: "framed",
        mechanism: model.mechanism,
        state: model.state,
    }
}

/// A spherical pendulum of which a constraint keeps the length, in a crooked frame of three coordinates.
pub(crate) fn framed_and_held() -> Problem {
    let text = r#"
        space = "lagrangian"
        coordinates = ["x", "y", "z"]
        lagrangian = "0.5*(x'^2 + y'^2 + z'^2) - 4*z"
        constraint = [{ formula = "x^2 + y^2 + z^2 - 1" }]
        frame.fields = { slanted = ["1", "0.4*x", "0"], upright = ["0", "1 + 0.3*sin(x)", "0.2*y"], up = ["0", "0", "1"] }
        invariants = { angular-momentum = "x*y' - y*x'" }
        start = { x = 0.6, y = 0, z = -0.8 }
        velocity = { slanted = 0.8, upright = 1.6, up = 0.6 }
        method = { name = "hamel" }
        run = { step = 0.01, steps = 1 }
    "#;
    let model = load("framed and held", text, &[]);
    Problem {
        name: "framed and held",
        mechanism: model.mechanism,
        state: model.state,
    }
}

/// Two bodies about one pivot, joined by a formula that acts on ends, middles and directions.
pub(crate) fn typed_on_spheres() -> Problem {
    let text = r#"
        body = [
            { name = "upper", mass = 1, direction = [0.6, 0, 0.8], angular_velocity = [0, 0.5, 0] },
            { name = "lower", mass = 2, length = 0.8, direction = [0, 0.6, 0.8], angular_velocity = [0.3, 0, 0] },
        ]
        [[potential]]
        kind = "formula"
        energy = "0.5*k*(norm(upper - middle) - 0.2)^2 - 9.81*(upper.z + 2*lower.z) + exp(-dot(u, v))"
        parameters = { k = 3 }
        points = { middle = { body = "lower", at = 0.4 } }
        directions = { u = "upper", v = "lower" }
        [method]
        name = "sphere-explicit"
        [run]
        step = 0.01
        steps = 1
    "#;
    let model = load("typed on spheres", &text.replace(",\n        ]", "]"), &[]);
    Problem {
        name: "typed on spheres",
        mechanism: model.mechanism,
        state: model.state,
    }
}

/// A rigid body on a ball joint, and one on a hinge at its end.
pub(crate) fn jointed() -> Problem {
    let inertia = |mass: f64, moments: [f64; 3], height: f64| RigidInertia {
        mass,
        centre: Vec3::z() * height,
        moment: nalgebra::Matrix3::from_diagonal(&moments.into()),
    };
    let body = |name: &str, parent: Option<usize>, joint: Joint, below: f64, inertia: RigidInertia| {
        tree::RigidBody {
            name: name.to_owned(),
            parent,
            joint,
            parent_from_joint: Pose::translation(Vec3::z() * below),
            joint_from_body: Pose::identity(),
            inertia,
        }
    };
    let axis = Vec3::new(0.6, 0.8, 0.0);
    let tree = Tree::new(TreeParts {
        bodies: vec![
            body(
                "upper",
                None,
                Joint::Spherical,
                0.0,
                inertia(1.0, [0.4, 0.5, 0.2], 0.4),
            ),
            body(
                "lower",
                Some(0),
                Joint::Revolute { axis },
                0.8,
                inertia(0.6, [0.2, 0.15, 0.1], 0.3),
            ),
        ],
        gravity: Vec3::z() * 9.81,
        ..TreeParts::default()
    })
    .unwrap();
    let state = tree
        .state(0.0, &[0.96, 0.28, 0.0, 0.0, 0.3], &[0.4, 0.7, 0.5, -0.6])
        .unwrap();
    Problem {
        name: "tree of rigid bodies",
        mechanism: Mechanism::Tree(Arc::new(tree)),
        state,
    }
}

/// One rigid body on a ball joint: the moments of inertia all differ.
pub(crate) fn top() -> Problem {
    let text = r#"
        space = "tree"
        gravity = [0, 0, 9.81]
        body = [{ name = "top", joint = { kind = "spherical" }, mass = 1, centre = [0, 0, 0.4], inertia = [0.4, 0.5, 0.2],
                  orientation = [0.96, 0.28, 0, 0], angular_velocity = [0.4, 0.7, 0.5] }]
        method = { name = "tree-variational" }
        run = { step = 0.01, steps = 1 }
    "#;
    let model = load("top", text, &[]);
    Problem {
        name: "top",
        mechanism: model.mechanism,
        state: model.state,
    }
}

/// An arm that swings on a mast that turns: hinges alone, and the angular momentum about the mast is kept.
pub(crate) fn hinged() -> Problem {
    let text = r#"
        space = "tree"
        gravity = [0, 0, -9.81]
        body = [
            { name = "mast", joint = { kind = "revolute", axis = [0, 0, 1] }, mass = 1, inertia = [0.3, 0.3, 0.4], velocity = 1.2 },
            { name = "arm", parent = "mast", joint = { kind = "revolute", axis = [1, 0, 0] }, mass = 0.8,
              centre = [0, 0, -0.5], inertia = [0.2, 0.22, 0.08], position = 0.7, velocity = -0.4 },
        ]
        method = { name = "tree-variational" }
        run = { step = 0.01, steps = 1 }
    "#;
    let model = load("hinged", text, &[]);
    Problem {
        name: "hinged",
        mechanism: model.mechanism,
        state: model.state,
    }
}

pub(crate) fn on_spheres() -> Vec<Problem> {
    vec![pendulum(), separate(), chain(), tree(), dense()]
}

pub(crate) fn problems() -> Vec<Problem> {
    let mut all = on_spheres();
    all.push(held());
    all.push(typed());
    all.push(framed());
    all.push(framed_and_held());
    all.push(jointed());
    all.push(top());
    all.push(hinged());
    all
}

/// An integrable problem that the method fits.
pub(crate) fn fitting(method: &Method) -> Problem {
    [pendulum(), typed(), framed(), jointed(), top(), hinged()]
        .into_iter()
        .find(|p| p.simulation(method, &Options::default()).is_some())
        .unwrap_or_else(|| panic!("{} fits no problem", method.name))
}

const DIRECTIONS: [Vec3; 2] = [Vec3::new(0.6, 0.0, 0.8), Vec3::new(0.0, 0.6, 0.8)];
/// Close to hanging down, so that a chain swings and does not whip.
const GENTLE: [Vec3; 3] = [
    Vec3::new(0.28, 0.0, 0.96),
    Vec3::new(0.0, 0.28, 0.96),
    Vec3::new(0.0, -0.28, 0.96),
];
/// Made perpendicular to the directions by [`Problem::new`].
const SPINS: [Vec3; 3] = [
    Vec3::new(-0.4, 0.7, 0.3),
    Vec3::new(0.3, 0.4, -0.3),
    Vec3::new(0.3, 0.4, 0.3),
];

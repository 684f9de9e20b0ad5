use holonomy::{
    Vec3,
    diagnostics::Record,
    geometry::{Pose, RigidInertia, s2},
    integrator::catalog::{self, Mechanism, Method, Options},
    model::{self, Model, Source},
    potential::{Gravity, Potential, Spring},
    simulation::{RunReport, Schedule, Simulation},
    spheres::{Body, Inertia, Link, Links, Point, Spheres},
    system::{Base, State, System},
    tree::{self, Joint, Tree, TreeParts},
};
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

impl Problem {
    pub(crate) fn new(name: &'static str, spheres: Spheres, q: &[Vec3], omega: &[Vec3]) -> Self {
        let spheres = Arc::new(spheres);
        let omega: Vec<Vec3> = q.iter().zip(omega).map(|(q, w)| s2::tangent(q, w)).collect();
        let state = spheres.state(q, &omega);
        Self {
            name,
            mechanism: Mechanism::Spheres(spheres),
            state,
        }
    }

    /// `None` when the method does not fit.
    pub(crate) fn simulation(&self, method: &Method, options: &Options) -> Option<Simulation> {
        let integrator = (method.build)(&self.mechanism, options).ok()?;
        Some(Simulation {
            system: self.mechanism.system(),
            integrator,
            state: self.state.clone(),
        })
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

fn gravity(links: &Links, g: f64) -> Box<dyn Potential> {
    let weights = (0..links.len()).map(|i| links.first_moment(i)).collect();
    Box::new(Gravity {
        acceleration: Vec3::z() * g,
        weights,
        offset: 0.0,
    })
}

fn bodies(links: &Links) -> Vec<Body> {
    let place = |(i, link): (usize, &Link)| Body {
        name: format!("body-{}", i + 1),
        base: link.parent.map_or(Base::Fixed(Vec3::zeros()), Base::Site),
        length: link.length,
    };
    links.links().iter().enumerate().map(place).collect()
}

/// One spherical pendulum, l = 1 m: integrable.
pub(crate) fn pendulum() -> Problem {
    let links = Links::new(vec![Link::point(None, 1.0, 1.0)]);
    let spheres = Spheres::new(
        bodies(&links),
        Inertia::Links(links.clone()),
        vec![],
        vec![gravity(&links, 9.81)],
    );
    Problem::new(
        "pendulum",
        spheres,
        &[Vec3::new(0.6, 0.0, 0.8)],
        &[Vec3::new(-0.8, 0.5, 0.6)],
    )
}

/// Two bodies about one pivot, their ends joined by a spring without rest length: smooth.
pub(crate) fn separate() -> Problem {
    let links = Links::new(vec![Link::point(None, 1.0, 1.0), Link::point(None, 2.0, 0.8)]);
    let spring = Spring {
        between: [2, 3],
        stiffness: 3.0,
        length: 0.0,
    };
    let ends = vec![
        Point::On {
            body: 0,
            distance: 1.0,
        },
        Point::On {
            body: 1,
            distance: 0.8,
        },
    ];
    let potentials = vec![gravity(&links, 9.81), Box::new(spring)];
    let spheres = Spheres::new(bodies(&links), Inertia::Links(links.clone()), ends, potentials);
    Problem::new("separate bodies", spheres, &DIRECTIONS, &SPINS[..2])
}

/// A chain of three point masses.
pub(crate) fn chain() -> Problem {
    let links = Links::new(vec![
        Link::point(None, 2.0, 1.0),
        Link::point(Some(0), 1.0, 0.9),
        Link::point(Some(1), 0.5, 1.1),
    ]);
    let spheres = Spheres::new(
        bodies(&links),
        Inertia::Links(links.clone()),
        vec![],
        vec![gravity(&links, 4.0)],
    );
    Problem::new("chain of point masses", spheres, &GENTLE, &SPINS)
}

/// A chain of four point masses between two points, one above the other: turns about the line between them are free.
pub(crate) fn held() -> Problem {
    let links = Links::new(vec![
        Link::point(None, 2.0, 1.0),
        Link::point(Some(0), 1.0, 0.9),
        Link::point(Some(1), 0.5, 1.1),
        Link::point(Some(2), 0.7, 0.8),
    ]);
    let spheres = Spheres::new(
        bodies(&links),
        Inertia::Links(links.clone()),
        vec![],
        vec![gravity(&links, 2.0)],
    )
    .hold(3, Vec3::new(0.0, 0.0, 3.2));
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
    let links = Links::new(vec![
        Link::rod(None, 2.0, 1.0),
        Link::rod(Some(0), 1.0, 0.9),
        Link::rod(Some(0), 0.5, 1.1),
    ]);
    let spheres = Spheres::new(
        bodies(&links),
        Inertia::Links(links.clone()),
        vec![],
        vec![gravity(&links, 4.0)],
    );
    Problem::new("tree of rods", spheres, &GENTLE, &SPINS)
}

/// Two bodies coupled through a general inertia matrix.
pub(crate) fn dense() -> Problem {
    let links = Links::new(vec![Link::point(None, 1.0, 1.0), Link::point(None, 2.0, 0.8)]);
    let inertia = Inertia::from_matrix(&[vec![1.5, 0.4], vec![0.4, 2.0]]).unwrap();
    let spheres = Spheres::new(bodies(&links), inertia, vec![], vec![gravity(&links, 9.81)]);
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
    let body =
        |name: &str, parent: Option<usize>, joint: Joint, below: f64, inertia: RigidInertia| tree::Body {
            name: name.to_owned(),
            parent,
            joint,
            parent_from_joint: Pose::translation(Vec3::z() * below),
            joint_from_body: Pose::identity(),
            inertia,
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
    let state = tree.state(0.0, &[0.96, 0.28, 0.0, 0.0, 0.3], &[0.4, 0.7, 0.5, -0.6]);
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

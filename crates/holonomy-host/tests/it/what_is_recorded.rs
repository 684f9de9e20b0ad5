use super::{imported, joint, link, loaded, robot};
use holonomy::{
    output::{Output, Readings},
    simulation::{Observer, Sample},
};
use holonomy_model::{Model, scenario};
use std::ops::ControlFlow;

/// All that a run records, and columns of the state beside it.
struct Table {
    outputs: Vec<Output>,
    readings: Readings,
    rows: Vec<Vec<f64>>,
}

impl Observer for Table {
    fn observe(&mut self, sample: &Sample) -> ControlFlow<()> {
        let values = self
            .readings
            .take(&self.outputs, sample.system, sample.state, sample.measured);
        self.rows.push(values.to_vec());
        ControlFlow::Continue(())
    }
}

impl Table {
    /// Runs a model and records what is named.
    fn of(model: &Model, names: &[&str]) -> Self {
        let system = model.mechanism.system();
        let find = |name: &&str| Output::find(name, system.layout()).unwrap_or_else(|| panic!("{name}"));
        let mut table = Self {
            outputs: names.iter().map(find).collect(),
            readings: Readings::default(),
            rows: Vec::new(),
        };
        let mut simulation = model.simulation();
        simulation
            .run(&model.schedule, &mut [&mut table])
            .expect("it runs");
        table
    }

    fn column(&self, name: &str) -> Vec<f64> {
        let columns: Vec<String> = self.outputs.iter().flat_map(Output::columns).collect();
        let place = columns.iter().position(|column| column == name);
        let place = place.unwrap_or_else(|| panic!("{name} is none of {columns:?}"));
        self.rows.iter().map(|row| row[place]).collect()
    }
}

fn near(found: f64, expected: f64, tolerance: f64, about: &str) {
    assert!(
        (found - expected).abs() <= tolerance,
        "{about}: {found} is not {expected}"
    );
}

const DOUBLE: &str = "
space = 'tree'
gravity = [0, 0, -9.81]
[[body]]
name = 'upper'
joint = { kind = 'revolute', axis = [0, 1, 0] }
mass = 1.0
shape = 'rod'
to = [0, 0, -0.7]
position = 1.2
velocity = 0.4
[[body]]
name = 'lower'
parent = 'upper'
joint = { kind = 'revolute', axis = [0, 1, 0], at = [0, 0, -0.7] }
mass = 0.5
shape = 'rod'
to = [0, 0, -0.4]
position = -0.3
velocity = 2.0
sites = { tip = [0, 0, -0.4] }
[method]
name = 'tree-variational'
[run]
step = 0.01
duration = 2
";

/// The tip of a plane double pendulum, by its angles. A turn about y takes −z to (−sin θ, 0, −cos θ).
#[test]
fn a_tip_is_where_the_angles_put_it() {
    let model = loaded(DOUBLE);
    let table = Table::of(
        &model,
        &[
            "theta.upper",
            "theta.lower",
            "omega.upper",
            "omega.lower",
            "tip",
            "tip.velocity",
            "tip.orientation",
            "tip.angular_velocity",
            "lower",
        ],
    );
    let [upper, lower, w, u] =
        ["theta.upper", "theta.lower", "omega.upper", "omega.lower"].map(|name| table.column(name));
    for k in 0..table.rows.len() {
        let (a, b) = (upper[k], upper[k] + lower[k]);
        let (va, vb) = (w[k], w[k] + u[k]);
        let expected = [
            ("tip.x", -0.7 * a.sin() - 0.4 * b.sin()),
            ("tip.y", 0.0),
            ("tip.z", -0.7 * a.cos() - 0.4 * b.cos()),
            ("lower.x", -0.7 * a.sin()),
            ("lower.z", -0.7 * a.cos()),
            ("tip.velocity.x", -0.7 * va * a.cos() - 0.4 * vb * b.cos()),
            ("tip.velocity.z", 0.7 * va * a.sin() + 0.4 * vb * b.sin()),
            ("tip.angular_velocity.y", vb),
            ("tip.angular_velocity.x", 0.0),
            ("tip.orientation.x", 0.0),
        ];
        for (name, expected) in expected {
            near(table.column(name)[k], expected, 1e-13, name);
        }
        // Both signs are the same rotation; the one with w ≥ 0 is given.
        let sign = 1.0_f64.copysign((0.5 * b).cos());
        near(
            table.column("tip.orientation.w")[k],
            sign * (0.5 * b).cos(),
            1e-13,
            "w",
        );
        near(
            table.column("tip.orientation.y")[k],
            sign * (0.5 * b).sin(),
            1e-13,
            "y",
        );
    }
    // A component alone is the same number.
    let alone = Table::of(&model, &["tip.velocity.z"]);
    assert_eq!(alone.rows[7], [table.column("tip.velocity.z")[7]]);
}

#[test]
fn the_sites_of_a_tree_are_recorded_where_they_are_few() {
    let named = |model: &Model| -> Vec<String> {
        let columns = model.outputs.list.iter().flat_map(Output::columns);
        columns.collect()
    };
    let model = loaded(DOUBLE);
    assert_eq!(named(&model), ["tip.x", "tip.y", "tip.z"]);
    assert!(!model.outputs.asked);
    let many: Vec<String> = (0..9).map(|k| format!("s{k} = [0, 0, -{k}e-2]")).collect();
    let many = DOUBLE.replace("tip = [0, 0, -0.4]", &many.join(", "));
    assert!(named(&loaded(&many)).is_empty());
    let asked = loaded(&format!("{DOUBLE}[output]\nrecord = ['tip.z', 'energy']\n"));
    assert_eq!(named(&asked), ["tip.z", "energy"]);
    assert!(asked.outputs.asked);
}

/// The velocity of every site against differences of its recorded positions: of order 2 in the time between samples.
#[test]
fn velocities_are_the_rates_of_positions() {
    let framed = "
coordinates = ['x', 'y', 'theta']
lagrangian = '0.5*(u^2 + v^2) + 0.05*w^2'
[frame.fields]
u = ['cos(theta)', 'sin(theta)', 0]
v = ['-sin(theta)', 'cos(theta)', 0]
w = [0, 0, 1]
[points]
nose = ['x + cos(theta)', 'y + sin(theta)', 'sin(2*t)*theta']
[start]
x = 0
y = 0
theta = 0.2
[velocity]
u = 1
v = 0.3
w = 1.3
[method]
name = 'hamel'
[run]
step = 0.01
steps = 200
";
    let hoop = scenario::find("bead-on-a-rotating-hoop")
        .expect("a scenario")
        .model;
    let spheres = scenario::find("double-spherical-pendulum")
        .expect("a scenario")
        .model;
    for (about, text, site) in [
        ("a tree", DOUBLE, "tip"),
        ("a frame", framed, "nose"),
        ("coordinates", hoop, "bead"),
        ("spheres", spheres, "lower"),
    ] {
        let mut model = loaded(text);
        (model.schedule.step, model.schedule.steps) = (0.0005, 1200);
        let mut errors = Vec::new();
        for every in [40, 20] {
            model.schedule.every = every;
            let velocity = format!("{site}.velocity");
            let table = Table::of(&model, &[site, &velocity]);
            let mut largest = 0.0_f64;
            for axis in ["x", "y", "z"] {
                let (r, v) = (
                    table.column(&format!("{site}.{axis}")),
                    table.column(&format!("{velocity}.{axis}")),
                );
                // At the same times for both.
                let stride = 40 / every as usize;
                for k in (stride..r.len() - 1).step_by(stride) {
                    let slope = (r[k + 1] - r[k - 1]) / (2.0 * every as f64 * model.schedule.step);
                    largest = largest.max((slope - v[k]).abs());
                }
            }
            errors.push(largest);
        }
        let ratio = errors[0] / errors[1];
        assert!((3.6..4.4).contains(&ratio), "{about}: {errors:?}");
        assert!(errors[0] > 1e-6, "{about} does not move");
    }
}

/// A mass that hangs at rest pulls with its weight, by whatever it hangs.
#[test]
fn a_hanging_mass_pulls_with_its_weight() {
    let weight = 2.0 * 9.81;
    let hanging = |by: &str, position: f64| {
        format!(
            "space = 'tree'\ngravity = [0, 0, -9.81]\n[[site]]\nname = 'hook'\nat = [0, 0, 0]\n[[body]]\nname = 'load'\n\
             joint = {{ kind = 'free' }}\nmass = 2.0\ninertia = [0.1, 0.1, 0.1]\nposition = [0, 0, {position}]\n\
             sites = {{ eye = [0, 0, 0] }}\n{by}\n\
             [method]\nname = 'tree-variational'\n[run]\nstep = 0.01\nsteps = 20\n"
        )
    };
    let between = "between = ['hook', 'eye']";
    for (about, by, position) in [
        (
            "string",
            format!("[[constraint]]\nname = 'by'\nkind = 'distance'\n{between}\nlength = 1\n"),
            -1.0,
        ),
        (
            "spring",
            format!(
                "[[potential]]\nname = 'by'\nkind = 'spring'\n{between}\nstiffness = 100\nrest_length = 0.5\n"
            ),
            -0.5 - weight / 100.0,
        ),
        (
            "cable",
            "[[constraint]]\nname = 'by'\nkind = 'cable'\nthrough = ['hook', 'eye']\nlength = 1\n".to_owned(),
            -1.0,
        ),
        (
            "beam",
            format!("[[beam]]\nname = 'by'\n{between}\nlength = 1\nEA = 1000\nEI = 1\naxis = [0, 0, -1]\n"),
            -1.0 - weight / 1000.0,
        ),
    ] {
        let model = loaded(&hanging(&by, position));
        let table = Table::of(&model, &["by.tension", "load.velocity.z"]);
        for row in &table.rows {
            near(row[0], weight, 1e-9, about);
            near(row[1], 0.0, 1e-9, about);
        }
    }
    // A damper pulls where it is drawn out: c times the rate.
    let by = format!("[[damper]]\n{between}\ncoefficient = 3\n");
    let falling = hanging(&by, -1.0).replace("mass = 2.0", "velocity = [0, 0, -0.5]\nmass = 2.0");
    let model = loaded(&falling);
    let table = Table::of(&model, &["damper-1.tension", "load.velocity.z"]);
    for row in &table.rows {
        near(row[0], -3.0 * row[1], 1e-12, "damper");
    }
    near(table.rows[0][0], 1.5, 1e-12, "damper");
}

/// Segments of a cable that hangs straight down carry what is below them; of one with two ends, all the same across.
#[test]
fn a_segment_carries_what_hangs_on_it() {
    let (segments, mass, g) = (5, 1.5, 9.81);
    for kind in ["inextensible", "elastic\nEA = 1000"] {
        let kind = kind.replacen('\n', "'\n", 1);
        let quote = if kind.contains('\'') { "" } else { "'" };
        let text = format!(
            "space = 'tree'\ngravity = [0, 0, -{g}]\nstart = 'settled'\n[[site]]\nname = 'hook'\nat = [0, 0, 0]\n[[cable]]\nname = 'rope'\n\
             kind = '{kind}{quote}\nfrom = 'hook'\nsegments = {segments}\nlength = 2\nmass = {mass}\n\
             [method]\nname = 'tree-variational'\n[run]\nstep = 0.001\nsteps = 3\n"
        );
        let model = loaded(&text);
        let names: Vec<String> = (1..=segments).map(|k| format!("rope-{k}.tension")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let table = Table::of(&model, &names);
        for (k, name) in names.iter().enumerate() {
            let below = mass * g * f64::from(segments - k as i32) / f64::from(segments);
            near(table.column(name)[0], below, 1e-7, name);
        }
    }
    let text = format!(
        "space = 'tree'\ngravity = [0, 0, -{g}]\nstart = 'settled'\n[[site]]\nname = 'left'\nat = [0, 0, 0]\n[[site]]\nname = 'right'\n\
         at = [1.5, 0, 0.2]\n[[cable]]\nname = 'rope'\nfrom = 'left'\nto = 'right'\nplane = [0, 1, 0]\nsegments = {segments}\n\
         length = 2\nmass = {mass}\n[method]\nname = 'tree-variational'\n[run]\nstep = 0.001\nsteps = 3\n"
    );
    let model = loaded(&text);
    let names: Vec<String> = (1..=segments).map(|k| format!("rope-{k}.force")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let table = Table::of(&model, &names);
    let each = mass * g / f64::from(segments);
    let part = |name: &str, axis: &str| table.column(&format!("{name}.{axis}"))[0];
    for pair in names.windows(2) {
        near(part(pair[1], "x"), part(pair[0], "x"), 1e-6, "across");
        near(part(pair[0], "z") - part(pair[1], "z"), each, 1e-6, "upwards");
    }
    assert!(
        part(names[0], "x") < -1.0,
        "it pulls to the left: {}",
        part(names[0], "x")
    );
    // A segment is pulled along itself by as much at its middle: force and tension by hand.
    let model = Table::of(&model, &["rope-1.tension", "rope-1.force"]);
    let [tension, x, _, z] = model.rows[0][..] else {
        panic!()
    };
    assert!(tension > 0.0 && tension <= x.hypot(z) + 1e-9);
}

/// What a joint's spring, damper and motor do, by their formulas; and what drives a joint.
#[test]
fn efforts_are_what_their_formulas_say() {
    let text = DOUBLE.replace(
        "position = 1.2\n",
        "position = 1.2\nspring = { stiffness = 3.0, rest = 0.25 }\ndamping = 0.4\neffort = '2*sin(3*t) - 0.5*q*v'\n",
    );
    let table = Table::of(
        &loaded(&text),
        &["t", "theta.upper", "omega.upper", "upper.effort"],
    );
    for row in &table.rows {
        let [t, q, v, effort] = row[..] else { panic!() };
        let expected = -3.0 * (q - 0.25) - 0.4 * v + 2.0 * (3.0 * t).sin() - 0.5 * q * v;
        near(effort, expected, 1e-12, "effort");
    }
    // A driven pendulum of a point mass: τ = m l² q̈ + m g l sin q; the pivot carries m (a − g).
    let (m, l, g) = (2.0, 0.5, 9.81);
    let text = format!(
        "space = 'tree'\ngravity = [0, 0, -{g}]\n[[body]]\nname = 'arm'\njoint = {{ kind = 'revolute', axis = [0, 1, 0] }}\n\
         mass = {m}\nshape = 'point'\ncentre = [0, 0, -{l}]\ndriven = '0.8*sin(2*t)'\n\
         [[body]]\nname = 'free'\njoint = {{ kind = 'prismatic', axis = [1, 0, 0] }}\nmass = 1\n\
         [method]\nname = 'tree-variational'\n[run]\nstep = 0.01\nsteps = 200\n"
    );
    let table = Table::of(&loaded(&text), &["t", "arm.effort", "arm.force", "arm.moment.y"]);
    for row in &table.rows {
        let [t, effort, x, _, z, moment] = row[..] else {
            panic!()
        };
        let (q, v, a) = (
            0.8 * (2.0 * t).sin(),
            1.6 * (2.0 * t).cos(),
            -3.2 * (2.0 * t).sin(),
        );
        let expected = m * l * l * a + m * g * l * q.sin();
        near(effort, expected, 1e-11, "effort");
        near(moment, expected, 1e-11, "moment");
        let along = -m * l * (a * q.cos() - v * v * q.sin());
        near(x, along, 1e-11, "force across");
        near(
            z,
            m * l * (a * q.sin() + v * v * q.cos()) + m * g,
            1e-11,
            "force upwards",
        );
    }
}

/// Energy is what it was and the work that was done.
#[test]
fn works_make_up_for_the_energy() {
    let text = DOUBLE.replace(
        "position = 1.2\n",
        "position = 1.2\ndamping = 0.4\neffort = '2*sin(3*t)'\n",
    );
    let text = text.replace("step = 0.01", "step = 0.001");
    let table = Table::of(
        &loaded(&text),
        &["energy", "work.damper upper", "work.effort upper"],
    );
    let balance = |row: &Vec<f64>| row[0] - row[1] - row[2];
    let (first, last) = (&table.rows[0], &table.rows[table.rows.len() - 1]);
    near(balance(last), balance(first), 1e-4, "balance");
    assert!(last[1] < -0.1 && last[2].abs() > 0.01, "{last:?}");
}

/// x = cos t: over whole periods of N samples and one more, sums of cosines are known.
#[test]
fn statistics_are_those_of_an_oscillator() {
    let samples = 240;
    let text = format!(
        "coordinates = ['x']\nlagrangian = '0.5*x\\'^2 - 0.5*x^2'\n[definitions]\nspeed2 = \"x'^2\"\nplace = '[x, 2*x, t]'\n\
         [invariants]\nradius = \"x^2 + x'^2\"\n[points]\nbead = ['3*x', 0, 1]\n[start]\nx = 1\n\
         [method]\nname = 'rk4'\n[run]\nstep = {}\nsteps = {}\nevery = 10\n\
         [output]\nrecord = ['speed2', 'x', 'bead.velocity.x', 'radius', 'place']\n",
        std::f64::consts::TAU * 3.0 / f64::from(10 * samples),
        10 * samples,
    );
    let text = text.replace("'0.5*x\\'^2 - 0.5*x^2'", "\"0.5*x'^2 - 0.5*x^2\"");
    let summary = holonomy_report::run::run(&loaded(&text), "x").summary;
    let of = |name: &str| {
        let found = summary.outputs.iter().find(|output| output.name == name);
        found.unwrap_or_else(|| panic!("{name}"))
    };
    let n = f64::from(samples);
    let expected = [
        ("x", -1.0, 1.0, 1.0 / (n + 1.0), 1.0),
        ("speed2", 0.0, 1.0, 0.5 * n / (n + 1.0), 0.0),
        ("bead.velocity.x", -3.0, 3.0, 0.0, 0.0),
        ("radius", 1.0, 1.0, 1.0, 1.0),
        ("place.y", -2.0, 2.0, 2.0 / (n + 1.0), 2.0),
        (
            "place.z",
            0.0,
            6.0 * std::f64::consts::PI,
            3.0 * std::f64::consts::PI,
            6.0 * std::f64::consts::PI,
        ),
    ];
    for (name, min, max, mean, last) in expected {
        let found = of(name);
        for (found, expected) in [
            (found.min, min),
            (found.max, max),
            (found.mean, mean),
            (found.last, last),
        ] {
            near(found, expected, 1e-6, name);
        }
    }
    assert_eq!(of("bead.velocity.x").unit, "m/s");
}

/// Definitions and forces in a frame: velocities of coordinates are made of quasi-velocities, x' = u cos θ − v sin θ.
#[test]
fn definitions_are_recorded_in_a_frame_too() {
    let text = "
coordinates = ['x', 'y', 'theta']
lagrangian = '0.5*(u^2 + v^2) + 0.05*w^2'
[definitions]
speed = \"sqrt(x'^2 + y'^2)\"
sideways = 'v*t'
heading = '[cos(theta), sin(theta), 0]'
[force]
theta = '0.3*sin(t) - 0.1*w'
[frame.fields]
u = ['cos(theta)', 'sin(theta)', 0]
v = ['-sin(theta)', 'cos(theta)', 0]
w = [0, 0, 1]
[start]
x = 0
y = 0
theta = 0.2
[velocity]
u = 1
v = 0.3
w = 1.3
[method]
name = 'hamel'
[run]
step = 0.01
steps = 100
";
    let names = [
        "t",
        "u",
        "v",
        "w",
        "theta",
        "speed",
        "sideways",
        "heading",
        "force.theta",
    ];
    let table = Table::of(&loaded(text), &names);
    for row in &table.rows {
        let [t, u, v, w, theta, speed, sideways, x, y, z, force] = row[..] else {
            panic!("{row:?}")
        };
        near(speed, u.hypot(v), 1e-13, "speed");
        near(sideways, v * t, 1e-15, "sideways");
        near(x, theta.cos(), 1e-15, "heading");
        near(y, theta.sin(), 1e-15, "heading");
        near(z, 0.0, 0.0, "heading");
        near(force, 0.3 * t.sin() - 0.1 * w, 1e-15, "force");
    }
}

/// Sites of one name are told apart by their bodies; one that is called as a body is told from it.
#[test]
fn sites_of_one_name_are_called_by_their_bodies() {
    let text = DOUBLE.replace(
        "velocity = 0.4\n",
        "velocity = 0.4\nsites = { tip = [0, 0, -0.7], lower = [0, 0, 0] }\n",
    );
    let model = loaded(&text);
    let names: Vec<&str> = model
        .outputs
        .list
        .iter()
        .map(|output| output.name.as_str())
        .collect();
    assert_eq!(names, ["upper/tip", "upper/lower", "lower/tip"]);
    // Where the lower body begins, and where the upper one ends.
    let table = Table::of(&model, &["lower", "upper/tip", "upper/lower"]);
    for row in &table.rows {
        for k in 0..3 {
            near(row[k], row[3 + k], 1e-15, "the joint");
            near(row[6 + k], 0.0, 1e-15, "the pivot");
        }
    }
    let system = model.mechanism.system();
    assert!(Output::find("tip", system.layout()).is_none());
}

/// Joints of a robot have names of their own, and they are found in what is recorded of it.
#[test]
fn joints_of_a_robot_keep_their_names() {
    let axis = "<axis xyz=\"0 1 0\"/><limit lower=\"-1\" upper=\"1\" effort=\"1\" velocity=\"1\"/>";
    let text = robot(
        &[
            link("base"),
            link("forearm"),
            joint("elbow_joint", "revolute", "base", "forearm", axis),
        ]
        .concat(),
    );
    let import = imported(&text, false);
    let model = loaded(&format!(
        "{}[output]\nrecord = ['elbow_joint.effort', 'forearm']\n",
        import.model
    ));
    let system = model.mechanism.system();
    let layout = system.layout();
    assert_eq!(layout.coordinates[..], ["theta.elbow_joint"]);
    assert_eq!(layout.velocities[..], ["omega.elbow_joint"]);
    assert_eq!(model.outputs.list[0].unit, "N m");
}

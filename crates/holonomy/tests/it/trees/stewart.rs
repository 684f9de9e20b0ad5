//! A Stewart platform whose legs have the lengths that a motion asks for, against the balance of its platform.
//!
//! ```text
//! x(t), R(t) = exp(θ(t) n)              a motion of the platform about a fixed direction n
//! lᵢ(t) = |x + R bᵢ − aᵢ|               lengths of the legs, which are driven
//! Σ fᵢ = m (ẍ − g)                      fᵢ, the force of leg i on the platform
//! Σ R bᵢ × fᵢ = J ω̇ + ω × J ω           ω = θ̇ n, J = R I Rᵀ
//! fᵢ = φᵢ uᵢ                            where the legs have no mass; uᵢ along the leg
//! ```
use crate::common::load;
use holonomy::{
    Vec3,
    output::{Output, Readings},
    system::{Measurement, State},
};
use holonomy_model::Model;
use nalgebra::{Matrix3, Matrix6, Rotation3, Unit, Vector6};
use std::fmt::Write;

const MASS: f64 = 20.0;
const INERTIA: [f64; 3] = [0.6, 0.8, 1.3];
const GRAVITY: f64 = 9.81;
const N: [f64; 3] = [1.0, -2.0, 3.0];

/// Places of the joints on the ground and on the platform.
fn joints(leg: usize) -> [Vec3; 2] {
    let middle = (2.0 * leg as f64 + 1.0).to_radians() * 30.0;
    let aside = if leg.is_multiple_of(2) { -0.35 } else { 0.35 };
    let on = |radius: f64, angle: f64| Vec3::new(radius * angle.cos(), radius * angle.sin(), 0.0);
    [on(0.6, middle + aside), on(0.35, middle - aside)]
}

/// How the platform is to move, at one time.
struct Motion {
    place: Vec3,
    velocity: Vec3,
    acceleration: Vec3,
    rotation: Rotation3<f64>,
    /// In axes of the world, as the rest.
    angular: Vec3,
    angular_acceleration: Vec3,
}

fn motion(t: f64) -> Motion {
    let (s2, c2) = (2.0 * t).sin_cos();
    let (s3, c3) = (3.0 * t).sin_cos();
    let n = Unit::new_normalize(Vec3::from(N));
    Motion {
        place: Vec3::new(0.1 * s2, 0.08 * s3, 0.8 + 0.05 * c3),
        velocity: Vec3::new(0.2 * c2, 0.24 * c3, -0.15 * s3),
        acceleration: Vec3::new(-0.4 * s2, -0.72 * s3, -0.45 * c3),
        rotation: Rotation3::from_axis_angle(&n, 0.2 * s2),
        angular: n.into_inner() * (0.4 * c2),
        angular_acceleration: n.into_inner() * (-0.8 * s2),
    }
}

/// The same motion as a model: legs of the mass `leg` times that of a real one.
fn model(leg: f64, step: f64) -> Model {
    let n = Vec3::from(N).normalize();
    let start = motion(0.0);
    let write = |v: Vec3| format!("[{:?}, {:?}, {:?}]", v.x, v.y, v.z);
    let turn = |b: Vec3| {
        let (across, along) = (n.cross(&b), n * n.dot(&b));
        format!(
            "{}*cos(0.2*sin(2*t)) + {}*sin(0.2*sin(2*t)) + {}",
            write(b - along),
            write(across),
            write(along)
        )
    };
    let own = start.rotation.inverse() * start.angular;
    let mut text = format!(
        "space = 'tree'\ngravity = [0, 0, {}]\n[[body]]\nname = 'platform'\njoint = {{ kind = 'free' }}\n\
         mass = {MASS}\ninertia = {INERTIA:?}\nposition = {}\nvelocity = {}\nangular_velocity = {}\nkeep = true\n\
         [method]\nname = 'tree-variational'\n[run]\nstep = {step}\nduration = 1.5\n",
        -GRAVITY,
        write(start.place),
        write(start.velocity),
        write(own),
    );
    for i in 0..6 {
        let [a, b] = joints(i);
        let reach = start.place + start.rotation * b - a;
        let d = reach.normalize();
        write!(
            text,
            "[[body]]\nname = 'barrel-{i}'\nmass = {}\ncentre = [0, 0, 0.2]\ninertia = [{1}, {1}, {1}]\n\
             position = [{2:?}, {3:?}]\njoint = {{ kind = 'universal', axes = [[1, 0, 0], [0, 1, 0]], at = {4} }}\n\
             [[body]]\nname = 'leg-{i}'\nparent = 'barrel-{i}'\nmass = {5}\ncentre = [0, 0, -0.25]\n\
             inertia = [{1}, {1}, {1}]\njoint = {{ kind = 'prismatic', axis = [0, 0, 1] }}\n\
             sites = {{ end = [0, 0, 0] }}\n\
             driven = 'norm([0.1*sin(2*t), 0.08*sin(3*t), 0.8 + 0.05*cos(3*t)] + {6} - {7})'\n\
             [[site]]\nname = 'joint-{i}'\nbody = 'platform'\nat = {8}\n\
             [[constraint]]\nname = 'ball-{i}'\nkind = 'coincide'\nbetween = ['leg-{i}/end', 'joint-{i}']\n",
            1.5 * leg,
            0.02 * leg,
            (-d.y).atan2(d.z),
            d.x.asin(),
            write(a),
            0.8 * leg,
            turn(b),
            write(a),
            write(b),
        )
        .unwrap();
    }
    load("platform", &text, &[])
}

/// The end of a run, and what drives the legs there.
fn ended(model: &Model) -> (State, Measurement, Vec<f64>) {
    let system = model.mechanism.system();
    let mut simulation = model.simulation();
    for _ in 0..model.schedule.steps {
        simulation.step_by(model.schedule.step).unwrap();
    }
    let state = simulation.state;
    let mut measured = Measurement::default();
    system.measure(&state, &mut measured, &mut system.scratch());
    let name = |i: usize| Output::find(&format!("leg-{i}.effort"), system.layout()).unwrap();
    let outputs: Vec<Output> = (0..6).map(name).collect();
    let mut readings = Readings::default();
    let efforts = readings.take(&outputs, &*system, &state, &measured).to_vec();
    (state, measured, efforts)
}

/// What the platform needs of its legs: force, and moment about its centre.
fn needed(at: &Motion) -> Vector6<f64> {
    let body = Matrix3::from_diagonal(&Vec3::from(INERTIA));
    let inertia = at.rotation * body * at.rotation.inverse();
    let force = MASS * (at.acceleration + GRAVITY * Vec3::z());
    let moment = inertia * at.angular_acceleration + at.angular.cross(&(inertia * at.angular));
    Vector6::new(force.x, force.y, force.z, moment.x, moment.y, moment.z)
}

/// Lengths hold the platform in its six freedoms, so it moves as they were made for, whatever the step.
#[test]
fn a_platform_follows_the_motion_that_its_legs_were_made_for() {
    for step in [0.05, 0.0125] {
        let (state, measured, _) = ended(&model(1.0, step));
        let at = motion(state.t);
        let turn = nalgebra::UnitQuaternion::from_rotation_matrix(&at.rotation);
        let own = at.rotation.inverse() * at.angular;
        let turned = [turn.w, turn.i, turn.j, turn.k];
        let expected = at.place.iter().chain(&turned);
        let moves = at.velocity.iter().chain(own.iter());
        let place = state.q.iter().zip(expected).map(|(a, b)| (a - b).abs());
        let place = place.fold(0.0, f64::max);
        let moving = measured.velocity.iter().zip(moves).map(|(a, b)| (a - b).abs());
        let moving = moving.fold(0.0, f64::max);
        println!("step {step}: places within {place:e}, velocities within {moving:e}");
        // Lengths and places are of order 1: some dozens of roundings; velocities have the inverse of a matrix more.
        assert!(place < 1e-13, "{place:e}");
        assert!(moving < 1e-12, "{moving:e}");
    }
}

/// Whatever the legs weigh, their ends together do to the platform what its motion needs.
#[test]
fn ends_of_the_legs_balance_the_platform() {
    let (state, measured, _) = ended(&model(1.0, 0.0125));
    let at = motion(state.t);
    let mut found = Vector6::zeros();
    for i in 0..6 {
        let arm = at.rotation * joints(i)[1];
        // g is the end of the leg less the joint of the platform, and −λ ∂g acts: λ on the platform.
        let force = Vec3::from_column_slice(&measured.multipliers[3 * i..3 * i + 3]);
        let moment = arm.cross(&force);
        found += Vector6::new(force.x, force.y, force.z, moment.x, moment.y, moment.z);
    }
    let error = (found - needed(&at)).amax();
    println!("{found:?} {:?} {error:e}", needed(&at));
    // Forces of 200 N, from accelerations that are good to rounding.
    assert!(error < 1e-10, "{error:e}");
}

/// Efforts are linear in the mass of the legs, so two runs tell those of legs without mass: a system of six equations.
#[test]
fn light_legs_push_as_the_balance_of_the_platform_says() {
    let [heavy, light] = [1.0, 0.5].map(|leg| ended(&model(leg, 0.0125)));
    let at = motion(heavy.0.t);
    let mut wrenches = Matrix6::zeros();
    for i in 0..6 {
        let [a, b] = joints(i);
        let arm = at.rotation * b;
        let along = (at.place + arm - a).normalize();
        let moment = arm.cross(&along);
        wrenches.fixed_view_mut::<3, 1>(0, i).copy_from(&along);
        wrenches.fixed_view_mut::<3, 1>(3, i).copy_from(&moment);
    }
    let pushes = wrenches.lu().solve(&needed(&at)).unwrap();
    for i in 0..6 {
        let found = 2.0 * light.2[i] - heavy.2[i];
        println!("leg {i}: {found} {} heavy {}", pushes[i], heavy.2[i]);
        // As above, and rounding grows by the condition of the six equations, 6.
        assert!((found - pushes[i]).abs() < 1e-9, "leg {i}: {found} {}", pushes[i]);
        // The legs of the model do count.
        assert!((heavy.2[i] - pushes[i]).abs() > 1.0, "leg {i}");
    }
}

/// What drives the legs does the work that the energy gains, to the order of the step.
#[test]
fn what_drives_the_legs_is_what_the_energy_gains() {
    let open = |step: f64| {
        let model = model(1.0, step);
        let system = model.mechanism.system();
        let (end, _, _) = ended(&model);
        let work: f64 = end.work.iter().sum();
        let gain = system.energy(&end).total() - system.energy(&model.state).total();
        (gain - work, gain)
    };
    let ((coarse, gain), (fine, _)) = (open(0.025), open(0.0125));
    println!("{coarse:e} and {fine:e} of {gain}");
    assert!((coarse / fine - 4.0).abs() < 0.4, "{coarse:e} {fine:e}");
}

//! docs/reading.md, appendix A: states after the first steps, in double precision.
use crate::common::scenario;
use holonomy::{
    Vec3,
    simulation::Schedule,
    spheres::view,
    system::{Measurement, System},
};
use holonomy_model::Model;

/// Directions, angular velocities and energy after `steps` steps.
fn after(model: &Model, steps: u64) -> (Vec<Vec3>, Vec<Vec3>, f64) {
    let mut simulation = model.simulation();
    let schedule = Schedule {
        steps,
        ..model.schedule
    };
    simulation.run(&schedule, &mut []).unwrap();
    let mut measured = Measurement::default();
    let system: &dyn System = &**simulation.system();
    system.measure(&simulation.state, &mut measured, &mut system.scratch());
    (
        view(&simulation.state.q).to_vec(),
        view(&measured.velocity).to_vec(),
        measured.energy.total(),
    )
}

#[track_caller]
fn assert_near(value: &Vec3, expected: [f64; 3], tolerance: f64) {
    let difference = (value - Vec3::from(expected)).amax();
    assert!(
        difference <= tolerance,
        "{value:?} differs by {difference:e} from {expected:?}"
    );
}

#[test]
fn example_1() {
    let model = scenario("double-spherical-pendulum-as-published", &[]);
    let (q, omega, energy) = after(&model, 1);
    assert_near(
        &q[0],
        [0.8659509837118124, 0.008660254037844383, 0.5000538909043144],
        1e-12,
    );
    assert_near(
        &q[1],
        [0.010074420072626033, 1.3134079400647582e-18, 0.9999492517424073],
        1e-12,
    );
    assert_near(
        &omega[0],
        [-0.4329283444951475, -0.016799223692385415, 0.7499995863623392],
        1e-12,
    );
    assert_near(
        &omega[1],
        [-7.501723576915282e-05, 1.0148994457333287, 7.557935009903763e-07],
        1e-12,
    );
    assert!((energy + 0.75000035825175).abs() < 1e-12);

    let (q, omega, energy) = after(&model, 100);
    assert_near(
        &q[0],
        [0.2575592912229527, 0.3983829182584704, 0.8803148652298212],
        1e-12,
    );
    assert_near(
        &q[1],
        [0.917310226012388, 0.3906097466092402, 0.07723972492807775],
        1e-12,
    );
    assert_near(
        &omega[0],
        [0.2356229379756006, -0.5806832412851262, 0.1938481492091358],
        1e-12,
    );
    assert_near(
        &omega[1],
        [-0.49453989844161145, 1.0124567257140866, 0.753123356948565],
        1e-12,
    );
    assert!((energy + 0.75000822423767).abs() < 1e-12);
}

#[test]
fn example_2() {
    let model = scenario("three-bodies-on-a-sphere-as-published", &[]);
    let (q, omega, energy) = after(&model, 1);
    assert_near(
        &q[0],
        [-0.005512500000000001, -0.9999848059783208, 1.25e-05],
        1e-12,
    );
    assert_near(
        &q[1],
        [-1.25e-05, -0.0050125000000000005, 0.9999874372648389],
        1e-12,
    );
    assert_near(
        &q[2],
        [-0.9999874372648389, -1.25e-05, 0.0050125000000000005],
        1e-12,
    );
    assert_near(
        &omega[0],
        [
            -0.0050125567748708424,
            1.3819429105707304e-05,
            -1.1050000070778916,
        ],
        1e-12,
    );
    assert_near(
        &omega[1],
        [1.0049999935773848, -0.005013813318973104, -1.2569397247644131e-05],
        1e-12,
    );
    assert_near(
        &omega[2],
        [1.2563197486134081e-05, 1.0049999938898675, 0.005012576475139077],
        1e-12,
    );
    assert!((energy - 1.60499999391814).abs() < 1e-12);
}

#[test]
fn example_3() {
    let model = scenario("spring-coupled-pendula", &[]);
    let (q, omega, energy) = after(&model, 1);
    assert_near(&q[0], [0.02, 0.05, 0.9985489472229191], 1e-12);
    assert_near(
        &q[1],
        [-1.6578598838515288e-05, 6.453618902791197e-05, 0.9999999977801152],
        1e-12,
    );
    assert_near(
        &q[2],
        [0.4690108894111949, 0.17076738174916667, 0.8665259874604191],
        1e-12,
    );
    assert_near(
        &q[3],
        [0.0004476920542654535, 3.0997819564989856e-05, 0.9999998993054748],
        1e-12,
    );
    assert_near(
        &omega[0],
        [-9.975270648711023, 3.9937661359318253, -0.0001831595966121032],
        1e-12,
    );
    assert_near(
        &omega[1],
        [
            -0.025762750723328447,
            -0.0054083995280472955,
            -7.807281511151435e-08,
        ],
        1e-12,
    );
    assert_near(
        &omega[2],
        [0.11823190629260728, -0.38309411088645146, 0.011503321189178713],
        1e-12,
    );
    assert_near(
        &omega[3],
        [-0.024883070780930713, 0.1788425386129616, 5.5962248953874465e-06],
        1e-12,
    );
    assert!((energy + 0.31235316278541).abs() < 1e-12);
}

#[test]
fn example_4_with_the_printed_and_with_the_right_inertia() {
    let (q, omega, energy) = after(&scenario("elastic-rod-as-published", &[]), 1);
    assert_near(
        &q[4],
        [0.9999994999998713, 0.0010000000000000007, 8.720626529663054e-08],
        1e-10,
    );
    assert_near(
        &q[9],
        [0.999999999999425, 1.1942754470776837e-19, -1.0723018084959584e-06],
        1e-10,
    );
    assert_near(
        &omega[4],
        [8.720630418132235e-07, -0.001744124889216419, 9.999995762558198],
        1e-10,
    );
    assert_near(
        &omega[9],
        [1.0440371064989915e-12, 0.02144601322678119, 9.736411018805204e-07],
        1e-10,
    );
    assert!((energy - 0.01333333308333).abs() < 1e-12);

    let (q, omega, energy) = after(&scenario("elastic-rod-as-published", &["inertia="]), 1);
    assert_near(
        &q[4],
        [0.9999994999998749, 0.001000000000000005, 3.2059068172036916e-09],
        1e-10,
    );
    assert_near(
        &q[9],
        [1.0, -9.080437034282103e-19, -5.6145478410211206e-12],
        1e-10,
    );
    assert_near(
        &omega[4],
        [3.205556488188467e-08, -6.411423455999563e-05, 9.999880699545615],
        1e-10,
    );
    assert_near(
        &omega[9],
        [
            3.031431437748183e-18,
            1.1227948479774998e-07,
            5.399243948041061e-07,
        ],
        1e-10,
    );
    assert!((energy - 0.01333333308341).abs() < 1e-12);
}

#[test]
fn example_5() {
    let model = scenario("magnetic-dipoles-as-published", &[]);
    assert!((after(&model, 0).2 + 1.243675803648e-03).abs() < 1e-15);
    let (q, omega, energy) = after(&model, 1);
    assert_near(
        &q[0],
        [0.9999998750088118, 1.693693257886518e-06, -0.0004999794917710311],
        1e-12,
    );
    assert_near(
        &q[15],
        [0.3535555657221589, 0.3535545476901073, -0.8660240434044124],
        1e-12,
    );
    assert_near(
        &omega[0],
        [8.468467971479441e-07, 0.49995761635792463, 0.0033873820091196724],
        1e-12,
    );
    assert_near(
        &omega[15],
        [
            0.0029660895023071623,
            -0.004729365631113875,
            -0.0007198544651810798,
        ],
        1e-12,
    );
    assert!((energy + 1.243675803644e-03).abs() < 1e-15);
}

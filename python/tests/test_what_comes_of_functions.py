"""Energies, forces and callbacks of Python act as built-in ones do, and their exceptions arrive as they were raised."""

import numpy as np
import pytest

import holonomy as hl

STIFFNESS, REST = 10.0, 0.5


class Mine(Exception):
    pass


@pytest.fixture
def pendula():
    """Two pendula without a spring."""
    data = {
        "space": "spheres",
        "body": [
            {"name": "a", "mass": 1, "length": 1, "direction": [0, 0.6, 0.8], "angular_velocity": [1, 0, 0]},
            {"name": "b", "mass": 2, "length": 1, "pivot": [1, 0, 0], "direction": [0, 0, 1]},
        ],
        "potential": [{"kind": "gravity", "acceleration": [0, 0, 9.81]}],
        "method": {"name": "sphere-explicit"},
        "run": {"step": 0.01, "duration": 5},
    }
    return data


def sprung(data):
    spring = {"kind": "spring", "between": ["a", "b"], "stiffness": STIFFNESS, "rest_length": REST}
    return hl.Model.from_dict({**data, "potential": [*data["potential"], spring]})


def spring(r):
    between = r[0] - r[1]
    length = np.linalg.norm(between)
    pull = STIFFNESS * (length - REST) / length * between
    return 0.5 * STIFFNESS * (length - REST) ** 2, np.array([pull, -pull])


def test_a_callable_spring_is_a_spring(pendula):
    ours = hl.Model.from_dict(pendula).with_potential(spring, points=["a", "b"]).run(certify="none")
    theirs = sprung(pendula).run(certify="none")
    # 500 steps of the same arithmetic in another order: a regular motion loses a few hundred roundings.
    assert np.abs(ours.q["a"] - theirs.q["a"]).max() < 1e-12
    assert np.abs(ours.energy - theirs.energy).max() < 1e-12 * abs(theirs.energy[0]) + 1e-12
    free = hl.Model.from_dict(pendula).run(certify="none")
    assert np.abs(free.q["a"] - theirs.q["a"]).max() > 0.1, "without the spring the motion is another"


def test_a_compiled_spring_is_a_spring(pendula):
    numba = pytest.importorskip("numba")

    @numba.cfunc(hl.energy_signature())
    def compiled(points, gradient):
        squared = 0.0
        for k in range(3):
            squared += (points[k] - points[3 + k]) ** 2
        length = np.sqrt(squared)
        for k in range(3):
            pull = STIFFNESS * (length - REST) / length * (points[k] - points[3 + k])
            gradient[k] = pull
            gradient[3 + k] = -pull
        return 0.5 * STIFFNESS * (length - REST) ** 2

    ours = hl.Model.from_dict(pendula).with_potential(compiled, points=["a", "b"]).run(certify="none")
    assert np.abs(ours.q["a"] - sprung(pendula).run(certify="none").q["a"]).max() < 1e-12
    with pytest.raises(TypeError, match="signature"):
        hl.Model.from_dict(pendula).simulation(force=compiled)


def test_a_callable_weight_is_weight():
    weight = 0.3 * 9.81

    def lifted(r):
        return weight * r[0, 2], [[0, 0, weight]]

    tree = hl.Tree()
    tree.body("rod", joint=hl.hinge("y"), mass=0.3, centre=(0, 0, -1), inertia=(0.01, 0.01, 0.01), position=1,
              sites={"middle": [0, 0, -1]})
    ours = tree.model(step=0.01, duration=5).with_potential(lifted, points=["rod/middle"])
    data = tree.model(step=0.01, duration=5).to_dict()
    theirs = hl.Model.from_dict({**data, "gravity": [0, 0, -9.81]})
    assert np.abs(ours.run().q["theta.rod"] - theirs.run().q["theta.rod"]).max() < 1e-12


def driven(h, n, forced):
    """x'' = −x − x'/5 + cos(2 t), half by a formula and half by Python; or whole by the formula."""
    own = "-0.2*x' + cos(2*t)"
    force = None if forced else {"x": own}
    model = hl.lagrangian("x'^2/2 - x^2/2", start={"x": 1}, step=h, steps=n, force=force)
    sim = model.simulation(force=(lambda t, q, v: -0.2 * v + np.cos(2 * t)) if forced else None)
    sim.step(n)
    return sim.q[0]


def test_a_force_of_python_has_order_two():
    exact = driven(1e-4, 20000, False)
    errors = [abs(driven(0.1 / 2**k, 20 * 2**k, True) - exact) for k in range(4)]
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert np.all(np.abs(orders - 2) < 0.15), orders


def test_a_compiled_force_is_the_callable():
    numba = pytest.importorskip("numba")

    @numba.cfunc(hl.force_signature())
    def drag(t, q, v, force):
        force[0] = -0.5 * v[0]

    model = hl.load("plane-pendulum")
    compiled, plain = model.simulation(force=drag), model.simulation(force=lambda t, q, v: -0.5 * v)
    compiled.step(200)
    plain.step(200)
    assert compiled.q[0] == plain.q[0] and compiled.energy < model.simulation().energy


def motor(effort=None):
    tree = hl.Tree(gravity=(0, 0, -9.81))
    tree.body("upper", joint=hl.hinge("y"), mass=1, shape="rod", to=(0, 0, -1), effort=effort)
    tree.body("lower", parent="upper", joint=hl.hinge("y", at=(0, 0, -1)), mass=1, shape="rod", to=(0, 0, -1))
    return tree


def test_inputs_are_efforts():
    """An input that is held is the effort of a motor, up to the way in which the step shares it: order two."""

    def difference(h):
        n = round(1 / h)
        ours, theirs = motor().model(step=h, steps=n).simulation(), motor("0.7").model(step=h, steps=n).simulation()
        ours.step(n, inputs={"omega.upper": 0.7})
        theirs.step(n)
        assert abs(theirs.q[0]) > 0.01
        return np.abs(ours.q - theirs.q).max()

    coarse, fine = difference(0.01), difference(0.005)
    assert fine < 1e-5 and (coarse < 1e-12 or 3.4 < coarse / fine < 4.6), (coarse, fine)
    one, other, named = (motor().model(step=0.01, steps=1).simulation() for _ in range(3))
    one.step(5, inputs=[0.7, 0])
    other.step(5, inputs=np.array([0.7, 0.0]))
    named.step(5, inputs={"theta.upper": 0.7})
    assert one.q.tobytes() == other.q.tobytes() == named.q.tobytes()


@pytest.mark.parametrize("late", [False, True])
def test_what_a_potential_raises_arrives(pendula, late):
    raised = Mine("in a potential")
    calls = []

    def potential(r):
        calls.append(1)
        if not late or len(calls) > 50:
            raise raised
        return spring(r)

    with pytest.raises(Mine) as arrived:
        hl.Model.from_dict(pendula).with_potential(potential, points=["a", "b"]).run(certify="none")
    assert arrived.value is raised


def test_a_state_before_an_exception_is_the_last_good_one(pendula):
    calls = []

    def potential(r):
        calls.append(1)
        if len(calls) == 40:
            raise Mine
        return spring(r)

    model = hl.Model.from_dict(pendula)
    sim = model.with_potential(potential, points=["a", "b"]).simulation()
    with pytest.raises(Mine):
        sim.step(100)
    taken = sim.steps
    assert 0 < taken < 100
    sim.step(100 - taken)
    other = model.with_potential(spring, points=["a", "b"]).simulation()
    other.step(100)
    assert sim.q.tobytes() == other.q.tobytes(), "it goes on as if nothing had been"


@pytest.mark.parametrize(
    "answer",
    [3.0, None, "abc", (np.nan, np.zeros((2, 3))), (1.0, np.zeros(3)), (1.0, "x"), (1.0, np.full((2, 3), np.inf))],
)
def test_nonsense_of_a_potential_is_told(pendula, answer):
    with pytest.raises(hl.CallbackError, match="potential"):
        hl.Model.from_dict(pendula).with_potential(lambda r: answer, points=["a", "b"]).run()


@pytest.mark.parametrize("answer", [None, "abc", [1.0, 2.0], [np.nan], object()])
def test_nonsense_of_a_force_is_told(answer):
    sim = hl.load("plane-pendulum").simulation(force=lambda t, q, v: answer)
    before = sim.q
    with pytest.raises(hl.CallbackError, match="force"):
        sim.step(3)
    assert np.array_equal(sim.q, before)


def test_what_a_force_raises_arrives():
    raised = Mine()

    def force(t, q, v):
        if t > 0.1:
            raise raised
        return 0 * v

    sim = hl.load("plane-pendulum").simulation(force=force)
    with pytest.raises(Mine) as arrived:
        sim.step(1000)
    assert arrived.value is raised and 0.05 < sim.t < 0.2


def test_a_callback_sees_each_sample_and_ends_the_run():
    model = hl.load("spherical-pendulum").replace(steps=1000, every=5)
    seen = []

    def callback(sample):
        seen.append(sample)
        return sample["t"] > 2

    run = model.run(callback=callback)
    assert [sample["t"] for sample in seen] == run.t.tolist()
    assert len(run) == 42 and run.t[-1] == seen[-1]["t"] == 2.05
    assert run.final["t"] == 2.05 and run.summary["stopped"]
    whole = model.run(certify="none")
    assert np.array_equal(run.data, whole.data[:42])
    sim = run.simulation()
    sim.step(1000 - sim.steps)
    assert sim.q.ravel().tolist() == whole.final["q"], "and can be gone on with"


def test_what_a_callback_raises_arrives_with_the_run():
    raised = Mine()

    def callback(sample):
        if sample["t"] > 1:
            raise raised

    with pytest.raises(Mine) as arrived:
        hl.run("spherical-pendulum", duration=5, callback=callback)
    assert arrived.value is raised and arrived.value.run.t[-1] == 1.05
    sim = hl.load("kepler").simulation()
    with pytest.raises(ZeroDivisionError):
        sim.run(steps=100, every=1, callback=lambda sample: 1 / 0)
    assert sim.steps == 0


def test_progress_is_told_and_may_raise():
    told = []
    run = hl.run("spherical-pendulum", steps=400_000, every=1000, certify="none", progress=lambda *a: told.append(a))
    assert all(steps == 400_000 and 0 <= step <= steps for step, steps, *_ in told) and len(run) == 401

    def stop(*arguments):
        raise Mine

    with pytest.raises(Mine):
        hl.run("spherical-pendulum", steps=10**9, every=10**6, certify="none", progress=stop)


def test_models_with_functions_are_not_written(pendula, tmp_path):
    import pickle

    model = hl.Model.from_dict(pendula).with_potential(spring, points=["a", "b"])
    for act in (lambda: pickle.dumps(model), lambda: model.save(tmp_path / "m.toml"),
                lambda: model.ensemble({"run.step": [0.01]})):
        with pytest.raises(TypeError, match="functions of this process"):
            act()
    with pytest.raises(ValueError, match="cannot be saved"):
        model.simulation().save(tmp_path / "a.ckpt")

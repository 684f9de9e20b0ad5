"""Derivatives of whole runs: tangent against adjoint, differences of order 6, SciPy, JAX and PyTorch."""

import warnings

import numpy as np
import pytest

import holonomy as hl

CART_POLE = """
coordinates = ["x", "theta"]
lagrangian = "0.5*(M + m)*x'^2 + m*l*x'*theta'*cos(theta) + 0.5*m*l^2*theta'^2 + m*g*l*cos(theta)"
[parameters]
M = 1
m = 0.3
l = 0.5
g = 9.81
[start]
x = 0.1
theta = 0.4
[velocity]
x = 0.3
[[input]]
name = "push"
on = "x"
scale = 2
[method]
name = "midpoint"
[run]
step = 0.02
duration = 1
[output]
record = ["theta", "x'", "energy"]
"""


def arm():
    tree = hl.Tree(gravity=(0, 0, -9.81))
    tree.body("upper", joint=hl.hinge("y"), mass=1, shape="rod", to=(0, 0, -1), position="70 deg", velocity=0.4)
    tree.body("lower", parent="upper", joint=hl.hinge("y", at=(0, 0, -1)), mass=2, shape="rod", to=(0, 0, -1))
    return tree.model(step=0.01, duration=0.5)


def cart_pole():
    return hl.loads(CART_POLE, "cart-pole")


# What is differentiated: model, numbers of it, outputs.
MAPS = {
    "lagrangian": lambda: cart_pole().rollout(["parameters.m", "parameters.l", "start.theta"], every=20),
    "composition": lambda: cart_pole().rollout("parameters.l", method="midpoint-4", steps=20, every=7),
    "tree": lambda: arm().rollout(["body.lower.mass", "body.upper.to.3"], ["energy", "omega.lower"], every=25),
    "spheres": lambda: hl.load("double-spherical-pendulum").rollout(
        ["body.upper.mass", "body.lower.length"], ["lower", "kinetic"], steps=60, every=30
    ),
    "quaternions": lambda: hl.load("heavy-top").rollout((), ["energy"], steps=60, every=60),
    "loop": lambda: hl.load("four-bar").rollout((), None, steps=50, every=50),
}


@pytest.fixture(params=list(MAPS))
def rollout(request):
    return MAPS[request.param]()


def some(rollout, seed):
    """Changes of what goes in and gradients of what comes out, in units of what they change."""
    random = np.random.default_rng(seed)
    trace = rollout()
    start = random.normal(size=rollout.start.shape) * np.maximum(np.abs(rollout.start), 0.1)
    numbers = random.normal(size=len(rollout.parameters)) * list(rollout.parameters.values())
    inputs = random.normal(size=(rollout.steps, len(rollout.inputs)))
    bars = [random.normal(size=one.shape) for one in (trace.end, trace.outputs)]
    return trace, (start, numbers, inputs), bars


def dot(*pairs):
    return sum(float(np.vdot(a, b)) for a, b in pairs)


def test_tangent_and_adjoint_are_transposes(rollout):
    for seed in range(3):
        trace, ins, bars = some(rollout, seed)
        change = trace.jvp(*ins)
        gradient = trace.vjp(*bars)
        forward = dot(*zip(bars, change))
        back = dot(*zip(gradient, ins))
        size = sum(np.abs(a * b).sum() for a, b in zip(bars, change))
        # The tolerance of the issue, 1e-12 of what is added up; differences of what is read of a state are of two kinds, one
        # along a change and one along each axis, and agree to their own 1e-12 of each term.
        assert abs(forward - back) < 1e-11 * max(1, size), (forward, back)


def slope(function, at=0.0, offset=5e-3):
    """The derivative by differences of order 6."""
    weights = ((1, 3 / 4), (2, -3 / 20), (3, 1 / 60))
    return sum(w * (function(at + k * offset) - function(at - k * offset)) for k, w in weights) / offset


def test_they_are_those_of_differences():
    # Runs of a second that are not chaotic. Steps are solved to 1e-14 of momenta of some tens, fifty of them: 1e-13 over
    # 2e-3 is the floor of the differences; the sixth power of 2e-3 is far below it.
    for name in ("lagrangian", "composition", "tree"):
        rollout = MAPS[name]()
        trace, (start, numbers, inputs), _ = some(rollout, 7)
        z, theta = rollout.start, np.array(list(rollout.parameters.values()))
        along = {
            "start": (start, lambda s: rollout(start=z + s * start)),
            "parameters": (numbers, lambda s: rollout(parameters=theta + s * numbers)),
            "inputs": (inputs, lambda s: rollout(inputs=s * inputs)),
        }
        for of, (change, taken) in along.items():
            if not np.size(change):
                continue
            found = trace.jvp(**{of: change})
            for to in ("end", "outputs"):
                by = slope(lambda s: getattr(taken(s), to), offset=2e-3)
                size = max(1, np.abs(by).max())
                assert np.abs(getattr(found, to) - by).max() < 5e-11 * size, (name, of, to)


def test_on_spheres_they_are_those_along_states():
    """A curve of states: the first link turns about an axis, and its momentum with it."""
    rollout = MAPS["spheres"]()
    z = rollout.start
    axis = np.array([0.3, 0.2, 0.9]) / np.linalg.norm([0.3, 0.2, 0.9])

    def turned(s):
        cross = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
        turn = np.eye(3) + np.sin(s) * cross + (1 - np.cos(s)) * cross @ cross
        return np.concatenate([row @ turn.T for row in z.reshape(-1, 3)])

    found = rollout().jvp(start=slope(turned))
    for to in ("end", "outputs"):
        by = slope(lambda s: getattr(rollout(start=turned(s)), to))
        assert np.abs(getattr(found, to) - by).max() < 1e-9 * max(1, np.abs(by).max()), to
    masses = np.array(list(rollout.parameters.values()))
    found = rollout().jvp(parameters=[1, 0])
    by = slope(lambda s: rollout(parameters=masses + [s, 0]).outputs)
    assert np.abs(found.outputs - by).max() < 1e-9 * max(1, np.abs(by).max())


def test_golden_numbers_of_a_pendulum_under_a_torque():
    """The step of trep's example, with symmetric forcing and with one-sided, as an independent program printed it."""
    tree = hl.Tree(gravity=(0, 0, -9.8))
    tree.body("bob", joint=hl.hinge("y"), mass=1, centre=(0, 0, -1), position=0.2, velocity=0.5)
    model = tree.input("u", on="bob").model(step=0.1, steps=1)
    golden = {
        "symmetric": (None, [0.0048832854598, 0.0976657091953]),
        "one-sided": (
            [[0.9533343385552, 0.0976667169278], [-0.9333132288954, 0.9533343385552]],
            [0.0097666716928, 0.0953334338555],
        ),
    }
    for forcing, (a, b) in golden.items():
        trace = model.replace({"method.forcing": forcing}).rollout()(inputs=[0.8])
        # Thirteen digits are printed.
        assert np.abs(trace.jvp(inputs=[[1.0]]).end - b).max() < 1e-13
        if a is not None:
            assert np.abs(trace.jvp(start=np.eye(2)).end.T - a).max() < 1e-13


def test_the_run_is_that_of_the_model():
    model = cart_pole()
    run = model.run(certify="none")
    trace = model.rollout(every=10)()
    assert np.array_equal(trace.outputs[:, 0], run["theta"][::10]) and len(trace.outputs) == 6
    sim = model.simulation()
    inputs = np.linspace(-1, 1, model.steps)
    for value in inputs:
        sim.step(1, inputs={"push": value})
    pushed = model.rollout()(inputs=inputs)
    # The same impulses, added to momenta in another order.
    assert np.allclose(pushed.end, np.concatenate([sim.q, sim.p]), rtol=0, atol=1e-12)
    again = model.rollout()(start=model.rollout().start, parameters=[])
    assert np.array_equal(again.end, trace.end)
    on = model.rollout(steps=20)
    first = on().end
    assert np.allclose(model.rollout(steps=30)(start=first).end, trace.end, rtol=0, atol=1e-12)


def test_many_changes_are_one_after_the_other():
    rollout = MAPS["lagrangian"]()
    trace, (start, numbers, inputs), (end, outputs) = some(rollout, 3)
    one = trace.jvp(start, numbers, inputs)
    many = trace.jvp(start=[start, 0 * start], parameters=[0 * numbers, numbers], inputs=[inputs, 0 * inputs])
    assert np.allclose(many.end.sum(axis=0), one.end, rtol=1e-12, atol=1e-12)
    back = trace.vjp(end=[end, 0 * end], outputs=[0 * outputs, outputs])
    single = trace.vjp(end, outputs)
    assert all(np.allclose(a.sum(axis=0), b, rtol=1e-11, atol=1e-11) for a, b in zip(back, single))


def test_a_step_is_symplectic_as_an_operator():
    linalg = pytest.importorskip("scipy.sparse.linalg", reason="scipy is not installed")
    trace = arm().rollout(steps=1)()
    step = trace.operator()
    a = step @ np.eye(4)
    omega = np.kron([[0, 1], [-1, 0]], np.eye(2))
    assert np.abs(a.T @ omega @ a - omega).max() < 1e-13 * np.abs(a).max() ** 2
    assert np.abs(step.H @ np.eye(4) - a.T).max() < 1e-13 * np.abs(a).max()
    run = MAPS["lagrangian"]()()
    whole = run.operator(["start", "parameters", "inputs"], "outputs")
    assert isinstance(whole, linalg.LinearOperator) and whole.shape == (run.outputs.size, 4 + 3 + 50)
    largest = linalg.svds(run.operator(), k=1, return_singular_vectors=False)[0]
    assert largest == pytest.approx(np.linalg.svd(run.operator() @ np.eye(4), compute_uv=False)[0], rel=1e-9)


def test_scipy_recovers_a_parameter():
    optimize = pytest.importorskip("scipy.optimize", reason="scipy is not installed")
    rollout = cart_pole().rollout(["parameters.m", "parameters.l"], ["x", "theta"], every=5)
    measured = rollout(parameters=[0.35, 0.55]).outputs

    def cost(theta):
        trace = rollout(parameters=theta)
        off = trace.outputs - measured
        return 0.5 * np.sum(off**2), trace.vjp(outputs=off).parameters

    found = optimize.minimize(cost, [0.3, 0.5], jac=True, method="BFGS", options={"gtol": 1e-10})
    # Half of the digits of a flat minimum, and the gradient's own.
    assert np.abs(found.x - [0.35, 0.55]).max() < 1e-7, found


def test_jax_has_its_gradients():
    jax = pytest.importorskip("jax", reason="jax is not installed: pip install jax")
    from jax.test_util import check_grads

    with jax.enable_x64(True):
        rollout = MAPS["lagrangian"]()
        act = rollout.jax()
        z, theta = rollout.start, np.array(list(rollout.parameters.values()))
        inputs = np.full((rollout.steps, 1), 0.2)

        def cost(z, theta, inputs):
            end, outputs = act(z, theta, inputs)
            return (end**2).sum() + (outputs**3).sum()

        # Differences of JAX are central with 1e-5 or so: five digits.
        check_grads(cost, (z, theta, inputs), order=1, modes=["rev"], rtol=1e-5, atol=1e-5)
        trace = rollout(z, theta, inputs)
        own = trace.vjp(end=2 * trace.end, outputs=3 * trace.outputs**2)
        found = jax.jit(jax.grad(cost, argnums=(0, 1, 2)))(z, theta, inputs)
        for one, other in zip(found, own):
            assert np.allclose(one, other, rtol=1e-12, atol=1e-12)
        by_number = jax.grad(lambda theta: act(parameters=theta)[0].sum())(theta)
        assert np.allclose(by_number, rollout().vjp(end=np.ones(4)).parameters, rtol=1e-12)
        rows = jax.vmap(lambda theta: act(parameters=theta)[0])(np.array([theta, 1.1 * theta]))
        assert np.allclose(rows[1], rollout(parameters=1.1 * theta).end, rtol=1e-14)
        with pytest.raises(ValueError, match="`start` has the shape 4, got 1"):
            act(start=[1.0])
        with pytest.raises(Exception, match="(?i)jvp"):
            jax.grad(lambda theta: jax.grad(lambda theta: act(parameters=theta)[0].sum())(theta).sum())(theta)
    single = MAPS["lagrangian"]().jax()(parameters=theta.astype("float32"))[0]
    assert single.dtype == "float32" and np.allclose(single, rollout().end, rtol=1e-5)


def test_torch_has_its_gradients():
    torch = pytest.importorskip("torch", reason="torch is not installed: pip install torch")
    rollout = cart_pole().rollout(["parameters.m", "parameters.l"], steps=10, every=5)
    act = rollout.torch()
    make = lambda values: torch.tensor(values, dtype=torch.float64, requires_grad=True)
    given = (make(rollout.start), make([0.3, 0.5]), make(np.full((10, 1), 0.2)))
    assert torch.autograd.gradcheck(lambda *given: act(*given), given, eps=1e-6, atol=1e-7)
    end, outputs = act(*given)
    (end.sum() + outputs.square().sum()).backward()
    trace = rollout(*(one.detach().numpy() for one in given))
    own = trace.vjp(end=np.ones(4), outputs=2 * trace.outputs)
    assert all(np.allclose(one.grad, other, rtol=1e-13, atol=1e-13) for one, other in zip(given, own))
    [first] = torch.autograd.grad(act(parameters=given[1])[0].sum(), given[1], create_graph=True)
    with pytest.raises(RuntimeError, match="grad"):
        first.sum().backward()
    single = torch.tensor([0.3, 0.5], requires_grad=True)
    act(parameters=single)[0].sum().backward()
    assert single.grad.dtype == torch.float32 and torch.isfinite(single.grad).all()


def test_what_is_missing_is_named(monkeypatch):
    import sys

    rollout = arm().rollout(steps=1)
    for name, ask in (("jax", rollout.jax), ("torch", rollout.torch), ("scipy.sparse.linalg", rollout().operator)):
        monkeypatch.setitem(sys.modules, name, None)
        with pytest.raises(ImportError, match=f"pip install {name.split('.')[0]}"):
            ask()


def test_chaos_is_told():
    model = hl.load("double-plane-pendulum")
    long = model.rollout(steps=6000, every=6000)()
    with pytest.warns(hl.GradientWarning, match="horizon"):
        long.vjp(end=[1, 0, 0, 0])
    certificate = long.certificate()
    # Tangents of two neighbours part by 1e8 within this, from the growth that was measured.
    assert certificate.horizon is not None and 0 < certificate.horizon < certificate.time == pytest.approx(6000 * model.step)
    assert certificate.exponent > 0.5
    short = model.rollout(steps=50, every=50)()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        short.vjp(end=[1, 0, 0, 0])
    certificate = short.certificate()
    assert certificate.horizon is None and certificate.pairing < 1e-12 and certificate.duality < 1e-12


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda m: m.rollout("parameters.mass"), ValueError, "parameters.m"),
        (lambda m: m.rollout(outputs="thetta"), ValueError, "theta"),
        (lambda m: m.rollout(steps=0), ValueError, "at least one step"),
        (lambda m: m.rollout(method="rk4"), ValueError, "midpoint"),
        (lambda m: m.rollout(outputs="theta")(start=[1, 2]), ValueError, "4, got 2"),
        (lambda m: m.rollout()(start="here"), TypeError, "array of numbers"),
        (lambda m: m.rollout()(start=[0, 0, 0, np.nan]), ValueError, "finite"),
        (lambda m: m.rollout()(parameters=[1]), ValueError, "parameters"),
        (lambda m: m.rollout()(inputs=[1, 2]), ValueError, "50 × 1, got 2"),
        (lambda m: m.rollout("parameters.m")(parameters=[-40.0]), (ValueError, RuntimeError), "."),
        (lambda m: m.rollout()().vjp(end=[1]), ValueError, "end"),
        (lambda m: m.rollout()().jvp(start=np.zeros((2, 4)), inputs=np.zeros((3, 50, 1))), ValueError, "not as many"),
        (lambda m: m.rollout()().operator("begin"), ValueError, "start"),
        (lambda m: m.rollout()().operator("start", "finish"), ValueError, "outputs"),
        (lambda m: hl.load("double-spherical-pendulum").rollout()(start=np.ones(12)), ValueError, "unit vectors"),
        (lambda m: hl.load("four-bar").rollout()(start=hl.load("four-bar").rollout().start + 0.1), ValueError, "constraint"),
        (lambda m: hl.load("drone").rollout("run.steps"), ValueError, "run.steps"),
    ],
)
def test_wrong_input(call, error, words):
    with pytest.raises(error, match=words):
        call(cart_pole())


def test_inputs_on_momenta_that_are_not_canonical_are_refused():
    text = hl.load("double-spherical-pendulum").to_toml() + '[[input]]\nname = "u"\non = "omega.upper.x"\n'
    with pytest.raises(ValueError, match="`u` acts on a momentum that is not canonical"):
        hl.loads(text).rollout()


def test_a_run_that_fails_says_where():
    with pytest.raises(hl.StepError, match="step 1") as failed:
        hl.load("double-spherical-pendulum").rollout(step=5, steps=3)()
    assert failed.value.step == 1 and failed.value.t == 0

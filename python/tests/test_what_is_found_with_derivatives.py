"""Linear systems, orbits, inputs and fits, against closed forms, NumPy and SciPy."""

import json

import numpy as np
import pytest

import holonomy as hl

CART = """
coordinates = ["x"]
lagrangian = "0.5*m*x'^2"
[parameters]
m = 2
[start]
x = 0
[[input]]
name = "push"
on = "x"
min = -40
max = 40
[[goal]]
of = "x"
value = 1
[[goal]]
of = "x'"
value = 0
[method]
name = "midpoint"
[run]
step = 0.05
duration = 1
"""


@pytest.fixture
def cart():
    return hl.loads(CART, "cart")


def duffing(amplitude, step=0.01):
    return hl.lagrangian("x'^2/2 - x^2/2 - x^4/4", start={"x": amplitude}, step=step, duration=1)


def chain(n, step=0.01):
    """A hanging chain of n point masses at unit distances, small enough to be written out."""
    names = [f"a{k}" for k in range(n)]
    terms = []
    for k in range(n):
        x = " + ".join(f"a{j}'*cos(a{j})" for j in range(k + 1))
        z = " + ".join(f"a{j}'*sin(a{j})" for j in range(k + 1))
        terms.append(f"0.5*(({x})^2 + ({z})^2) + ({' + '.join(f'cos(a{j})' for j in range(k + 1))})")
    return hl.lagrangian(" + ".join(terms), start=dict.fromkeys(names, 0.0), step=step, duration=1)


def test_frequencies_of_a_hanging_chain_are_zeros_of_laguerre_polynomials():
    for n in (2, 3, 5):
        found = chain(n).linearize()
        squared = np.sort(found.poles.imag[found.poles.imag > 0] ** 2)
        exact = np.polynomial.laguerre.lagroots([0] * n + [1])
        # Eigenvalues of two programs, each to a few hundred roundings of the largest; differences of order 6 to 1e-12.
        assert np.abs(squared - exact).max() < 1e-11 * exact.max(), n
        assert found.verdict == "good" and found.data["equilibrium"]
        # The matrices are those whose eigenvalues are told, also for NumPy.
        assert np.abs(np.sort(np.linalg.eigvals(found.Ac).imag) - np.sort(found.poles.imag)).max() < 1e-11
        assert np.abs(np.abs(found.multipliers) - 1).max() < 1e-13
        assert found.A.shape == (2 * n, 2 * n) and found.modes.shape == (n, 2 * n)
        assert np.allclose(found.frequencies, np.abs(found.poles) / (2 * np.pi), rtol=1e-12)


def test_the_step_is_the_cayley_transform_of_the_equations():
    model = hl.loads(CART.replace('"0.5*m*x\'^2"', '"0.5*m*x\'^2 - 3*x^2"') + '[output]\nrecord = ["x\'"]\n')
    found = model.linearize()
    h, one = model.step, np.eye(2)
    left = np.linalg.inv(one - 0.5 * h * found.Ac)
    # Entries of order one, up to a few roundings; those of Ac by differences of order 6, 1e-12.
    assert np.abs(found.A - left @ (one + 0.5 * h * found.Ac)).max() < 1e-11
    half = np.array([[0.0], [0.5 * h]])
    assert np.abs(found.B - (found.A @ half + half)).max() < 1e-14
    assert np.abs(found.C - [[0, 0.5]]).max() < 1e-11 and found.D.shape == (1, 1) and not found.D.any()
    assert found.inputs == ["push"] and found.outputs == ["x'"] and len(found.states) == 2


def test_a_period_is_that_of_the_elliptic_integral():
    special = pytest.importorskip("scipy.special", reason="scipy is not installed")
    a = 1.3
    exact = 4 * special.ellipk(a * a / (2 * (1 + a * a))) / np.sqrt(1 + a * a)
    periods = [duffing(a, h).orbit(4)[0].period for h in (0.02, 0.01)]
    # Of order two: half the step, a quarter of the error; extrapolated it is nearly exact.
    errors = [period - exact for period in periods]
    assert errors[0] / errors[1] == pytest.approx(4, abs=0.1)
    assert abs((4 * periods[1] - periods[0]) / 3 - exact) < 1e-3 * abs(errors[1])
    orbit = duffing(a).orbit(4)[0]
    assert orbit.stable and orbit.residual < 1e-9
    run = orbit.model.run(certify="none")
    assert abs(run["x"][-1] - run["x"][0]) < 1e-9, "the model of the orbit runs once around"
    assert np.abs(np.linalg.det(orbit.monodromy) - 1) < 1e-11


def test_a_branch_follows_the_energy():
    special = pytest.importorskip("scipy.special", reason="scipy is not installed")
    branch = duffing(0.5, 0.02).orbit(6, energy=(0.15, 2.0, 8))
    assert len(branch) >= 5 and branch.ended == "" and not branch.events
    for orbit in branch:
        square = np.sqrt(1 + 4 * orbit.energy) - 1
        exact = 4 * special.ellipk(square / (2 * (1 + square))) / np.sqrt(1 + square)
        # h²/24 of a rate of about three, some times over.
        assert abs(orbit.period - exact) < 2e-3 and orbit.parameter == pytest.approx(orbit.energy, abs=1e-9)
    page = branch.page()
    assert page.startswith("<!DOCTYPE html>") and "NaN" not in page


def test_least_inputs_are_those_of_least_squares(cart):
    found = cart.control()
    assert found.reached and found.verdict == "good", found.sentence
    n, h, m = cart.steps, cart.step, 2.0
    # Position and velocity at the end, from impulses of half a step at both its ends.
    velocity = np.full(n, h / m)
    position = np.array([h * h / m * (n - 0.5 - k) for k in range(n)])
    best = np.linalg.lstsq(np.array([position, velocity]), [1.0, 0.0], rcond=None)[0]
    # Goals are met to `control.tolerance`, 1e-6 of inputs of up to 12.
    assert np.abs(found.inputs[:, 0] - best).max() < 1e-4
    assert found.cost == pytest.approx(h * best @ best, rel=1e-5)
    assert found.motion.shape == (n + 1, 2) and found.gains.shape[:2] == (n, 1)
    run = found.model.run(certify="none")
    assert abs(run["x"][-1] - 1) < 1e-5, "the model with the inputs repeats it"
    rolled = found.model.rollout()
    assert abs(rolled().end[0] - 1) < 1e-5, "and what a rollout pushes comes on top of it"
    # The cart is linear, also with its feedback: what more does is the derivative, but for rounding.
    more = rolled(inputs=found.inputs).end - rolled().end
    assert np.abs(more).max() > 1e-4 and np.allclose(more, rolled().jvp(inputs=found.inputs).end, rtol=0, atol=1e-10)

    back = cart.inverse({"t": found.times, "x": found.motion[:, 0]})
    assert back.possible and np.abs(back.inputs - found.inputs).max() < 1e-8
    # Forward again, rounding of twenty steps over h².
    assert back.forward < 1e-12
    assert back.model.run(certify="none")["x"][-1] == pytest.approx(found.motion[-1, 0], abs=1e-10)


def test_a_motion_that_no_input_makes_is_told():
    text = CART.replace('["x"]', '["x", "y"]').replace("0.5*m*x'^2", "0.5*m*(x'^2 + y'^2)").replace("x = 0", "x = 0\ny = 0")
    model = hl.loads(text)
    t = model.step * np.arange(11)
    found = model.inverse({"t": t, "x": 0 * t, "y": t**3})
    assert not found.possible and found.verdict == "bad" and "y" in found.sentence


def test_fits_recover_what_made_the_data(tmp_path):
    text = "0.5*m*x'^2 - 0.5*k*x^2"
    make = lambda k, x: hl.lagrangian(text, m=2, k=k, start={"x": x}, step=0.01, duration=4)
    run = make(3.0, 0.7).run(certify="none")
    start = make(2.5, 0.6)
    found = start.fit(run, ["parameters.k", "start.x"])
    # The data have no noise: what is left is rounding.
    assert found.values["parameters.k"] == pytest.approx(3.0, abs=1e-8)
    assert found.values["start.x"] == pytest.approx(0.7, abs=1e-8)
    assert not found.undetermined and np.abs(found.residuals["x"]).max() < 1e-8
    assert found.model.run(certify="none")["x"][-1] == pytest.approx(run["x"][-1], abs=1e-8)

    both = make(2.5, 0.7).fit(run, {"parameters.k": (1, 9), "parameters.m": None})
    [direction] = both.undetermined
    assert set(direction) == {"parameters.k", "parameters.m"}, "only k/m is seen"
    assert direction["parameters.k"] == pytest.approx(direction["parameters.m"], rel=1e-4)
    assert np.isnan(both.errors["parameters.k"])

    rows = [f"{t!r},{x!r}" for t, x in zip(run.t.tolist(), run["x"].tolist())]
    (tmp_path / "data.csv").write_text("t,x\n" + "\n".join(rows))
    again = start.fit(tmp_path / "data.csv", ["parameters.k", "start.x"])
    assert again.values == found.values, "a file is the same data"


def test_a_fit_in_stretches_finds_the_same_numbers():
    text = "theta'^2/2 + k*cos(theta)"
    make = lambda k: hl.lagrangian(text, k=k, start={"theta": 1.2}, step=0.02, duration=4)
    run = make(2.0).run(certify="none")
    found = {count: make(1.9).fit(run, "parameters.k", segments=count) for count in (None, "auto", 1, 4)}
    # A pendulum is regular: nothing is cut unless it is asked for.
    assert {count: one.segments for count, one in found.items()} == {None: 1, "auto": 1, 1: 1, 4: 4}
    # The data have no noise: of one run what is left is rounding, stretches join to a part of 1e-8 or so.
    assert [one.values["parameters.k"] for one in found.values()] == pytest.approx([2.0] * 4, rel=1e-6)
    assert found[1].values == found[None].values == found["auto"].values


def test_stretches_find_a_number_through_chaos():
    model = hl.load("double-plane-pendulum").replace(steps=2000, every=10)
    run = model.run(certify="none")
    away = model.replace({"parameters.l1": 1.05})
    found = away.fit(run, "parameters.l1")
    # The data have no noise: it is found up to rounding, which grows a little within a stretch.
    assert found.segments > 1 and found.verdict == "good" and abs(found.values["parameters.l1"] - 1) < 1e-8
    # In one run the squares have a minimum beside the start.
    one = away.fit(run, "parameters.l1", segments=1)
    assert one.segments == 1 and one.verdict == "bad" and abs(one.values["parameters.l1"] - 1) > 0.01


def test_a_degenerate_orbit_has_no_stability():
    [ellipse] = hl.load("kepler").replace(step=0.04).orbit(6.3)
    # With the energy and the place on it, angular momentum and the axis are free.
    assert ellipse.data["free"]["directions"] == 2
    assert ellipse.stable is None and "not judged" in repr(ellipse)
    [swing] = duffing(1).orbit(5)
    assert swing.data["free"] is None and swing.stable is True and repr(swing).endswith("s, stable)")


def test_a_gradient_is_that_of_the_midpoint_rule(cart):
    k, h, n = 4.0, 0.02, 150
    swing = hl.lagrangian("x'^2/2 - k*x^2/2", k=k, start={"x": 1}, step=h, duration=n * h, method="midpoint")
    # The midpoint rule turns by φ = 2 atan(√k h/2) in a step: x = cos nφ, and dφ/dk = h/(2√k)/(1 + k h²/4).
    w = np.sqrt(k)
    phase = 2 * np.arctan(w * h / 2)
    for at, steps in ((None, n), (1.0, 50)):
        found = swing.gradient("x", at)
        assert found.time == pytest.approx(steps * h) and found.of == "x"
        assert found.value == pytest.approx(np.cos(steps * phase), abs=1e-12)
        exact = {
            "x": np.cos(steps * phase),
            "x'": np.sin(steps * phase) / w,
            "parameters.k": -np.sin(steps * phase) * steps * h / (2 * w) / (1 + k * h * h / 4),
        }
        assert {slope.name for slope in found.slopes} == set(exact)
        # Rounding of n steps; derivatives by numbers are differences of order 6, to 1e-12 and somewhat more of their sum.
        for name, slope in exact.items():
            assert found[name].slope == pytest.approx(slope, abs=1e-10), name
        size = [abs(slope.percent) for slope in found.slopes]
        assert size == sorted(size, reverse=True), "what changes it most comes first"
        assert found["parameters.k"].percent == pytest.approx(0.01 * k * exact["parameters.k"], abs=1e-11)
        worth = found.certificate
        assert worth.time == pytest.approx(steps * h) and worth.horizon is None
        assert worth.pairing < 1e-12 and worth.duality < 1e-12 and np.isfinite(worth.growth).all()
        assert found.verdict == "good", found.sentence

    only = swing.gradient("x", by="parameters.k")
    assert [slope.name for slope in only.slopes] == ["parameters.k"]
    with pytest.raises(KeyError, match="no derivative"):
        only["x'"]

    # A cart of mass m on which one unit pushes all the time t: x = t²/2m; a push with t left: t/m.
    pushed = cart.gradient("x", by=["inputs"])
    assert pushed["push"].kind == "input" and pushed["push"].slope == pytest.approx(0.25, abs=1e-12)
    curve = pushed.pushes["push"]
    assert np.abs(curve[:, 1] - (1 - curve[:, 0]) / 2).max() < 1e-12


def test_a_gradient_in_chaos_says_that_it_means_nothing():
    found = hl.load("double-plane-pendulum").gradient("a", 30, by="start")
    assert found.verdict == "bad" and "means nothing" in found.sentence and "`at=" in found.sentence
    assert found.certificate.exponent > 0.5 and 0 < found.certificate.horizon < found.certificate.time


def test_all_of_it_is_data_and_a_page(cart, tmp_path):
    found = [
        cart.linearize(),
        duffing(1).orbit(5),
        cart.control(),
        cart.gradient("x"),
        cart.inverse({"t": [0, 0.05, 0.1], "x": [0, 0.001, 0.004]}),
    ]
    for one in found:
        assert json.dumps(one.data) and one.sentence and one.verdict in ("good", "doubtful")
        assert one.page(tmp_path / "page.html") == (tmp_path / "page.html").read_text(encoding="utf-8")
        assert "<iframe" in one._repr_html_() and one.data["scenario"] in repr(one)

"""Closed forms, equilibria, robots, orders and ensembles: each against another way to compute it."""

import json
import warnings

import numpy as np
import pytest
from conftest import ROOT, digest

import holonomy as hl


def test_runs_come_to_closed_forms():
    for name, coarse in {"plane-pendulum": 0.01, "spherical-pendulum": 0.02, "tumbling-racket": 0.01}.items():
        model = hl.load(name)
        declared = hl.methods()[model.method]["order"]
        errors = []
        for h in (coarse, coarse / 2):
            run = model.run(step=h, duration=2, every=1, certify="none")
            q, p = model.exact(run.t)
            assert q.shape == (len(run), len(model.coordinates))
            errors.append(np.abs(q[-1] - run.final["q"]).max())
        # The declared order is seen at these steps to a fifth, unless rounding is all that is left.
        assert errors[1] < 1e-11 or abs(np.log2(errors[0] / errors[1]) - declared) < 0.2, (name, errors)
        assert errors[0] < 1e-2


def test_a_closed_form_begins_at_the_start():
    model = hl.load("plane-pendulum")
    q, p = model.exact(0.0)
    sim = model.simulation()
    # An elliptic function and its inverse, each right to a rounding.
    assert np.allclose(q[0], sim.q, rtol=0, atol=1e-14) and np.allclose(p[0], sim.p, rtol=0, atol=1e-14)


def test_references_agree_with_closed_forms():
    model = hl.load("plane-pendulum")
    q, p, accuracy = model.reference(2.0)
    exact_q, exact_p = model.exact(2.0)
    assert np.abs(q - exact_q[0]).max() <= max(accuracy, 1e-12) and np.abs(p - exact_p[0]).max() < 1e-10


def test_a_chain_settles_where_nothing_pulls():
    model = hl.load("catenary")
    found = model.settle()
    assert found.stability == "stable" and min(found.squared_frequencies) > 0
    sim = model.settled().simulation()
    assert abs(sim.potential - found.energy) < 1e-12 * abs(found.energy) + 1e-12
    q = sim.q
    sim.step(200)
    # At rest up to what is left of the forces, a rounding of each.
    assert np.abs(sim.q - q).max() < 1e-6 and sim.kinetic < 1e-9
    moved = model.simulation()
    moved.step(200)
    assert moved.kinetic > 1e-6 or np.allclose(model.simulation().q, q)


def test_a_robot_is_imported(command, tmp_path):
    path = ROOT / "tests" / "robots" / "every-joint.urdf"
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        model = hl.import_urdf(path)
    assert "friction" in str(told[0].message)
    command("import", str(path), "--output", str(tmp_path / "robot.toml"))
    theirs = hl.load(tmp_path / "robot.toml")
    assert theirs.fingerprint == model.fingerprint
    (tmp_path / "bad.urdf").write_text('<robot name="r"><link name="a"/><joint name="j" type="hinge"/></robot>')
    with pytest.raises(hl.ModelError) as wrong:
        hl.import_urdf(tmp_path / "bad.urdf")
    assert wrong.value.problems[0].line == 1


@pytest.mark.parametrize(("method", "order"), [("midpoint", 2), ("rk4", 4), ("midpoint-4", 4)])
def test_orders_are_those_declared(method, order):
    found = hl.load("plane-pendulum").converge([0.1, 0.05, 0.025], method=method, duration=1)
    assert found.declared_order == order and abs(found.order - order) < 0.2
    assert np.all(np.diff(found.errors) < 0) and found.figure().startswith("<svg")


def test_comparisons_are_runs():
    model = hl.load("plane-pendulum").replace(duration=20)
    found = model.compare(["midpoint", "rk4", "sphere-explicit"], certify="none")
    assert found.methods == ["midpoint", "rk4"] and "sphere-explicit" in found.not_run
    for method in found.methods:
        run = model.run(method=method, certify="none")
        entry = next(entry for entry in found.data["methods"] if entry["method"] == method)
        text = json.dumps(entry)
        assert repr(run.summary["energy"]["max_abs_error"]) in text
        assert np.abs(found.energy_error(method)[1]).max() == pytest.approx(np.abs(run.energy_error).max(), rel=1e-9)


def test_cases_are_single_runs(tmp_path):
    model = hl.load("double-spherical-pendulum").replace(steps=200)
    axes = {"body.upper.mass": np.linspace(1, 3, 4), "body.lower.length": [0.5, 1.0]}
    ensemble = model.ensemble(axes, measures=["max(lower.z)"])
    cases = ensemble.run()
    assert len(cases) == 8 and not len(cases.failed)
    for case in range(8):
        run = cases.run(case, certify="none")
        assert run.energy[-1] == cases["energy.final"][case]
        for name in ("q.lower.x", "q.upper.z", "omega.lower.y"):
            assert run[name][-1] == cases[f"final.{name}"][case]
    folder = ensemble.run(out=tmp_path / "sweep", threads=2)
    one = ensemble.run(threads=1)
    assert folder.columns == cases.columns
    for name in cases:
        if cases[name].dtype == float:
            assert digest(cases[name]) == digest(folder[name]) == digest(one[name]), name
        else:
            assert cases[name].tolist() == folder[name].tolist() == one[name].tolist(), name


def test_a_sweep_is_that_of_the_command(command, tmp_path):
    words = ["--duration", "1", "--vary", "body.bob.mass=1:5:6", "--out", str(tmp_path / "a")]
    command("sweep", "spherical-pendulum", *words)
    model = hl.load("spherical-pendulum").replace(duration=1)
    ours = model.ensemble({"body.bob.mass": hl.linspace(1, 5, 6)}).run(out=tmp_path / "b")
    from holonomy import _engine

    theirs = _engine.read_cases(str(tmp_path / "a"))
    assert digest(ours["energy.final"]) == digest(theirs["energy.final"])


def test_random_cases_depend_on_their_seed_alone():
    model = hl.load("spherical-pendulum").replace(steps=5)
    axis = "body.bob.mass"
    one, same, other = (
        model.ensemble({axis: hl.uniform(1, 2, 16, seed=seed)}).run()[axis] for seed in (1, 1, 2)
    )
    assert digest(one) == digest(same) != digest(other)
    assert np.all((1 <= one) & (one <= 2))
    even = np.sort(model.ensemble({axis: hl.latin(hl.uniform(1, 2, 16))}).run()[axis])
    assert np.array_equal(np.floor((even - 1) * 16), np.arange(16)), "one in each sixteenth"


def test_a_model_built_in_python_is_the_file():
    model = hl.load("four-bar")
    assert hl.Model.from_dict(model.to_dict()).fingerprint == model.fingerprint
    assert hl.loads(model.to_toml()).fingerprint == model.fingerprint
    assert model.replace({"body.crank.mass": 0.5}).fingerprint != model.fingerprint


def test_pages_and_figures_are_there():
    run = hl.run("double-spherical-pendulum", duration=2)
    page = run._repr_html_()
    assert 'sandbox="allow-scripts' in page and "double" in page.lower()
    assert run.report().count("<html") == 1 and run.film()["clips"]
    assert all(svg.startswith("<svg") for svg in run.figures().values())
    assert "<table" in hl.load("four-bar")._repr_html_() and "<table" in run.certificate._repr_html_()
    assert run.certificate.structure.verdict == "good"
    pytest.importorskip("matplotlib").use("Agg")
    assert run.plot.energy().get_xlabel() == "t (s)" and run.plot.path() and run.plot("q.lower")

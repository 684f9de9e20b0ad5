"""Wrong input raises something that says what to do, and leaves everything as it was."""

import os
import sys

import numpy as np
import pytest

import holonomy as hl

TEXT = """space = "spheres"
[[body]]
name = "bob"
mass = -1
lenght = 1
direction = [0, 0, 1]
[method]
name = "sphere-explicit"
[run]
step = 0.01
duration = 1
"""


@pytest.fixture
def model():
    return hl.load("spherical-pendulum").replace(duration=1)


def test_all_problems_have_their_places():
    with pytest.raises(hl.ModelError) as wrong:
        hl.loads(TEXT, "mine.toml")
    found = {problem.path: (problem.line, problem.column, problem.origin) for problem in wrong.value.problems}
    assert found["body.1.mass"] == (4, 8, "mine.toml")
    assert any(problem.line == 5 and "length" in (problem.help or "") for problem in wrong.value.problems)
    assert "mine.toml:4:8" in str(wrong.value)
    assert isinstance(wrong.value, ValueError)


def test_values_have_paths_where_there_is_no_text(model):
    with pytest.raises(hl.ModelError) as wrong:
        model.replace({"body.bob.mass": "2 s"})
    [problem] = wrong.value.problems
    assert (problem.path, problem.line) == ("body.1.mass", None)
    assert "kg" in problem.message and "time" in problem.message


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda m: hl.load("spherical-pendulm"), hl.ModelError, "spherical-pendulum"),
        (lambda m: hl.load("no/such.toml"), FileNotFoundError, "no/such.toml"),
        (lambda m: m.replace({"body.bob.mas": 1}), hl.ModelError, "did you mean `mass`"),
        (lambda m: m.replace({"body.bbo.mass": 1}), hl.ModelError, "did you mean `bob`"),
        (lambda m: m.replace({"body.bob.mass": float("nan")}), ValueError, "finite"),
        (lambda m: m.replace({"body.bob.mass": object()}), TypeError, "body.bob.mass"),
        (lambda m: m.replace({"body.bob.direction": [0, 1]}), hl.ModelError, "direction"),
        (lambda m: m.replace(method="rk5"), hl.ModelError, "rk4"),
        (lambda m: m.replace(duration=1, steps=1), TypeError, "not by both"),
        (lambda m: m.run(duration="1 kg"), hl.ModelError, "time in s"),
        (lambda m: m.run(duration=-1), hl.ModelError, "positive"),
        (lambda m: m.run(record=["bob.velocty"]), hl.ModelError, "bob.velocity"),
        (lambda m: m.run(certify="x"), ValueError, "usual"),
        (lambda m: m.run(threads=-1), ValueError, "threads"),
        (lambda m: m.run(callback=3), TypeError, "callback"),
        (lambda m: m.run(progress=3), TypeError, "progress"),
        (lambda m: m.run(steps=10**12, every=1), ValueError, "every"),
        (lambda m: m.run()["q.bo"], KeyError, "q.bob"),
        (lambda m: m.compare(["rk5"]), ValueError, "methods"),
        (lambda m: m.converge([]), ValueError, "positive"),
        (lambda m: m.settle(), ValueError, "tree"),
        (lambda m: hl.load("double-spherical-pendulum").exact([1]), ValueError, "reference"),
        (lambda m: m.ensemble({}), hl.SweepError, "axis"),
        (lambda m: m.ensemble({"body.bob.mass": []}), hl.SweepError, "no values"),
        (lambda m: m.ensemble({"body.bob.mass": [[1]]}), ValueError, "shape"),
        (lambda m: m.ensemble({"body.bob.mass": [np.nan]}), ValueError, "finite"),
        (lambda m: m.ensemble({"body.bob.mas": [1]}), hl.SweepError, "mass"),
        (lambda m: m.ensemble({"body.bob.mass": [1]}, measures="max(tipp)"), hl.SweepError, "tipp"),
        (lambda m: m.ensemble({"body.bob.mass": [1]}).settings(1), IndexError, "1 cases"),
        (lambda m: hl.hinge("w"), ValueError, "axis"),
        (lambda m: hl.lagrangian("x'^2", start={}, step=1), ValueError, "start"),
        (lambda m: hl.lagrangian("x'^2/2 - k*x", start={"x": 1}, step=0.1), hl.ModelError, "k"),
        (lambda m: m.linearize(1, settled=True), TypeError, "not by both"),
        (lambda m: m.linearize(-1), hl.AnalysisError, "before the start"),
        (lambda m: m.linearize(record=["bob.velocty"]), hl.ModelError, "bob.velocity"),
        (lambda m: m.linearize(method="dop853"), hl.AnalysisError, "method=M"),
        (lambda m: m.gradient("bob.velocty"), hl.AnalysisError, "bob.velocity"),
        (lambda m: m.gradient("energy", -1), hl.AnalysisError, "at=1"),
        (lambda m: m.gradient("energy", 1e300), hl.AnalysisError, "steps"),
        (lambda m: m.gradient("energy", float("inf")), ValueError, "finite"),
        (lambda m: m.gradient("energy", by="body.bob.mas"), hl.AnalysisError, "no number `body.bob.mas`"),
        (lambda m: m.gradient("energy", by="inputs"), hl.AnalysisError, r"\[\[input\]\]"),
        (lambda m: m.gradient("energy", method="dop853"), hl.AnalysisError, "method=M"),
        (lambda m: m.orbit(0), hl.AnalysisError, "period=2"),
        (lambda m: m.orbit("long"), ValueError, "float"),
        (lambda m: m.orbit(1, vary="k"), TypeError, "first value"),
        (lambda m: m.orbit(1, vary=("body.bob.mas", 1, 2, 3)), hl.AnalysisError, "mas"),
        (lambda m: m.orbit(1, vary=("body.bob.mass", 1, 2, 1)), ValueError, "two orbits"),
        (lambda m: m.orbit(1, vary=("a", 1, 2, 3), energy=1), TypeError, "not by both"),
        (lambda m: m.control(), hl.AnalysisError, r"\[\[input\]\]"),
        (lambda m: m.fit("no/such.csv", "body.bob.mass"), hl.AnalysisError, "no/such.csv"),
        (lambda m: m.fit(3, "body.bob.mass"), TypeError, "path, a run"),
        (lambda m: m.fit({"x": [1.0]}, "body.bob.mass"), hl.AnalysisError, "the data"),
        (lambda m: m.fit({"t": [1.0], "q.bob.x": ["a"]}, "body.bob.mass"), TypeError, "q.bob.x"),
        (lambda m: m.fit({"t": [1.0], "q.bob.x": [np.nan]}, "body.bob.mass"), ValueError, "row 0"),
        (lambda m: m.fit({"t": [1.0], "q.bob.x": [1.0, 2]}, "body.bob.mass"), ValueError, "each time"),
        (lambda m: m.fit({"t": [1.0], "q.bob.x": [1.0]}, "body.bob.mas"), hl.AnalysisError, "no number `body.bob.mas`"),
        (lambda m: m.fit({"t": [1.0], "q.bob.x": [1.0]}, {"body.bob.mass": 3}), TypeError, "two numbers"),
        (lambda m: m.fit({"t": [1.0], "q.bob.x": [1.0]}, {"body.bob.mass": (3, 2)}), hl.AnalysisError, "KEY=LOW:HIGH"),
        (lambda m: m.fit({"t": [1.0], "q.bob.x": [1.0]}, []), hl.AnalysisError, "nothing is free"),
        (lambda m: m.fit({"t": [1.0], "q.bob.x": [1.0]}, "body.bob.mass", segments=0), ValueError, "from 1, or 'auto'"),
        (lambda m: m.fit({"t": [1.0], "q.bob.x": [1.0]}, "body.bob.mass", segments="many"), ValueError, "got 'many'"),
        (lambda m: m.fit({"t": [1.0], "q.bob.x": [1.0]}, "body.bob.mass", segments=2), hl.AnalysisError, "segments=1"),
        (lambda m: m.inverse({"t": [0, 1]}), hl.AnalysisError, "the motion"),
        (lambda m: hl.Model(3), TypeError, "load"),
        (lambda m: hl.reproduce("xyz"), ValueError, "reproductions"),
    ],
)
def test_models(model, call, error, words):
    with pytest.raises(error, match=words.replace("(", r"\(")):
        call(model)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda s: s.step(1, inputs=[1, 2]), ValueError, "3 numbers"),
        (lambda s: s.step(1, inputs=[1, 2, np.nan]), ValueError, "finite"),
        (lambda s: s.step(1, inputs={"omega.bo.x": 1}), KeyError, "omega.bob.x"),
        (lambda s: s.step(1, inputs={"omega.bob.x": "a"}), TypeError, "not a number"),
        (lambda s: s.step(1, inputs="abc"), TypeError, "3 numbers"),
        (lambda s: s.step(-1), ValueError, "negative"),
        (lambda s: s.step(1.5), TypeError, "int"),
        (lambda s: s.set(q=[1, 2]), ValueError, "3 numbers"),
        (lambda s: s.set(q=[0, 0, 2]), ValueError, "unit vectors"),
        (lambda s: s.set(q=[0, 0, np.nan]), ValueError, "finite"),
        (lambda s: s.set(velocity="fast"), TypeError, "velocity"),
        (lambda s: s.output("bob.velocty"), KeyError, "bob.velocity"),
        (lambda s: setattr(s, "step_size", float("nan")), ValueError, "finite"),
        (lambda s: s.run(until=-1), ValueError, "already"),
        (lambda s: s.run(until=float("nan")), ValueError, "finite"),
        (lambda s: s.run(), TypeError, "until"),
        (lambda s: s.run(steps=0), ValueError, "at least one"),
    ],
)
def test_simulations_stay_as_they_are(model, call, error, words):
    sim = model.simulation()
    before = sim.q, sim.p, sim.t, sim.step_size
    with pytest.raises(error, match=words):
        call(sim)
    assert np.array_equal(sim.q, before[0]) and np.array_equal(sim.p, before[1])
    assert (sim.t, sim.step_size) == before[2:]


def test_a_step_that_fails_says_which_would_work():
    model = hl.load("double-spherical-pendulum")
    with pytest.raises(hl.StepError) as failed:
        model.run(step=5, steps=10)
    error = failed.value
    assert error.step == 1 and error.t == 0 and 0 < error.limit < 5
    assert len(error.run) == 1 and error.run.t[0] == 0, "what was recorded until then is there"
    assert "largest step that works" in str(error) and isinstance(error, RuntimeError)
    model.run(step=error.limit / 2, steps=1, certify="none")
    sim = model.replace(step=5).simulation()
    before = sim.q
    with pytest.raises(hl.StepError):
        sim.step(3)
    assert np.array_equal(sim.q, before)


def test_what_cannot_be_gone_on_with(model, tmp_path):
    with pytest.raises(FileNotFoundError):
        hl.resume(tmp_path / "nothing")
    (tmp_path / "bad").write_bytes(b"abc")
    with pytest.raises(hl.ResumeError, match="damaged"):
        hl.resume(tmp_path / "bad")
    with pytest.raises(hl.ResumeError, match="no run"):
        hl.resume(tmp_path)
    sim = model.simulation()
    sim.save(tmp_path / "good")
    whole = (tmp_path / "good").read_bytes()
    for cut in range(0, len(whole), max(1, len(whole) // 40)):
        (tmp_path / "cut").write_bytes(whole[:cut])
        with pytest.raises(hl.ResumeError):
            hl.resume(tmp_path / "cut")
    with pytest.raises(OSError):
        model.run(out=tmp_path / "good" / "run")


@pytest.mark.skipif(sys.platform == "win32", reason="files have no limits there")
def test_a_full_disk_is_an_exception(program, tmp_path):
    """Files may not grow beyond 3000 bytes, which looks like a disk that fills: the write fails in the middle."""
    told = program("""
import json, os, resource
import holonomy as hl
model = hl.load("molecules-on-a-sphere").replace(steps=4)
sim = model.simulation()
resource.setrlimit(resource.RLIMIT_FSIZE, (3000, resource.RLIM_INFINITY))
told = {}
for name, act in {
    "save": lambda: sim.save("a.ckpt"),
    "run": lambda: model.run(out="run", certify="none"),
    "sweep": lambda: hl.load("kepler").replace(steps=4).ensemble({"start.x": "0.9:1.1:200"}).run(out="sweep"),
    "report": lambda: hl.run("kepler", steps=4).report("report.html"),
}.items():
    try:
        act()
        told[name] = "nothing"
    except OSError as error:
        told[name] = str(error)
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
told["left"] = sorted(os.listdir("."))
sim.save("a.ckpt")
hl.resume("a.ckpt").step(1)
print(json.dumps(told))
""")
    assert "a.ckpt" not in told["left"], "whole or not at all"
    for name in ("save", "run", "sweep", "report"):
        assert "too large" in told[name].lower(), (name, told[name])


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written(model, tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(OSError):
        model.run(out=tmp_path / "run")

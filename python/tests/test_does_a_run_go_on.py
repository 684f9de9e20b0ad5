"""What is interrupted and goes on has the bits of what was never interrupted."""

import pickle

import numpy as np
import pytest
from conftest import digest

import holonomy as hl

SOME = ["double-spherical-pendulum", "kepler", "four-bar", "chaplygin-sleigh"]


def end(sim):
    return digest([sim.t], sim.q.ravel(), sim.p.ravel())


@pytest.mark.parametrize("name", SOME)
def test_a_saved_simulation_goes_on_to_the_bit(name, tmp_path):
    whole = hl.load(name).simulation()
    whole.step(300)
    part = hl.load(name).simulation()
    part.step(111)
    part.save(tmp_path / "a.ckpt")
    for again in (hl.resume(tmp_path / "a.ckpt"), pickle.loads(pickle.dumps(part)), part.copy()):
        assert again.t == part.t
        again.step(189)
        assert end(again) == end(whole)


@pytest.mark.parametrize("name", SOME)
def test_parts_of_a_run_are_the_run(name):
    model = hl.load(name).replace(steps=200, every=10)
    whole = model.run(certify="none")
    sim = model.simulation()
    first = sim.run(steps=120, every=10, certify="none")
    second = sim.run(until=200 * model.step, every=10, certify="none")
    assert np.array_equal(np.vstack([first.data, second.data[1:]]), whole.data)
    assert end(sim) == end(whole.simulation())


def test_a_folder_is_made_longer_to_the_bit(tmp_path):
    model = hl.load("four-bar")
    whole = model.run(duration=2, certify="none")
    model.run(duration=1, certify="none", out=tmp_path / "run")
    longer = hl.resume(tmp_path / "run", duration=2, certify="none")
    assert np.array_equal(longer.data, whole.data)
    assert longer.final["p"] == whole.final["p"]
    assert np.array_equal(hl.open_run(tmp_path / "run").data, whole.data)


def test_a_model_starts_where_a_run_ended(tmp_path):
    run = hl.run("kepler", duration=1, certify="none", out=tmp_path / "run")
    sim = hl.load("kepler").started_from(tmp_path / "run").simulation()
    assert digest(sim.q) == digest(run.final["q"])


def test_pickles_are_the_same():
    model = hl.load("four-bar").replace({"body.crank.mass": "0.4 kg"}, duration=1)
    assert pickle.loads(pickle.dumps(model)) == model
    assert pickle.loads(pickle.dumps(model)) != hl.load("four-bar")
    run = model.run()
    again = pickle.loads(pickle.dumps(run))
    assert np.array_equal(again.data, run.data) and again.columns == run.columns
    assert again.summary == run.summary and again.film() == run.film()
    cases = model.ensemble({"body.crank.mass": [0.3, 0.4]}).run()
    assert np.array_equal(pickle.loads(pickle.dumps(cases))["energy.final"], cases["energy.final"])


def test_errors_survive_a_pickle():
    with pytest.raises(hl.ModelError) as wrong:
        hl.loads('space = "spheres"\nmas = 1\n')
    again = pickle.loads(pickle.dumps(wrong.value))
    assert again.problems == wrong.value.problems and str(again) == str(wrong.value)
    with pytest.raises(hl.StepError) as failed:
        hl.run("double-spherical-pendulum", step=5, steps=10)
    again = pickle.loads(pickle.dumps(failed.value))
    assert (again.t, again.step, again.limit) == (failed.value.t, failed.value.step, failed.value.limit)

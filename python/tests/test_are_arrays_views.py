"""Arrays of a run are views of one block, which lives as long as any of them."""

import gc

import numpy as np
import pytest

import holonomy as hl


def test_columns_are_views():
    run = hl.run("double-spherical-pendulum", duration=1, record=["lower"])
    for array in (run.t, run.kinetic, run.q["lower"], run.velocity["upper"], run["q.lower.z"], run.outputs["lower"]):
        assert np.shares_memory(array, run.data)
    assert run.q["lower"].shape == (101, 3)
    assert np.array_equal(run["q.lower"][:, 2], run["q.lower.z"])
    assert not np.shares_memory(run.energy, run.data), "a sum is new"


def test_tables_of_others_are_views():
    pandas, xarray = pytest.importorskip("pandas"), pytest.importorskip("xarray")
    run = hl.run("double-spherical-pendulum", duration=1)
    frame, dataset = run.to_pandas(), run.to_xarray()
    assert isinstance(frame, pandas.DataFrame) and isinstance(dataset, xarray.Dataset)
    assert np.shares_memory(frame["q.lower.x"].to_numpy(), run.data)
    assert np.shares_memory(dataset["q.lower"].values, run.data)
    assert dataset["q.lower"].dims == ("t", "xyz") and dataset.sizes["t"] == len(run)


def test_arrays_own_their_memory():
    run = hl.run("kepler", steps=1000)
    column = run.q["x"]
    before = column.copy()
    del run
    gc.collect()
    others = [hl.run("kepler", steps=1000, certify="none") for _ in range(20)]
    assert np.array_equal(column, before) and len(others) == 20


def test_states_of_a_simulation_are_copies():
    sim = hl.load("kepler").simulation()
    q = sim.q
    before = q.copy()
    sim.step(10)
    assert np.array_equal(q, before) and not np.array_equal(sim.q, before)
    q[:] = np.nan
    assert np.isfinite(sim.q).all()


def test_a_state_can_be_set_as_it_is_read():
    for name in ("double-spherical-pendulum", "kepler", "heavy-top"):
        sim, other = (hl.load(name).simulation() for _ in range(2))
        sim.step(50)
        other.set(q=sim.q, velocity=sim.velocity, t=sim.t)
        assert np.allclose(other.q, sim.q, rtol=0, atol=1e-15), "a projection onto the manifold rounds once"
        assert np.allclose(other.p, sim.p, rtol=1e-13, atol=1e-13), "M v rounds once for each entry"

"""The package and the command are the same engine: states agree to the last bit, for any number of threads."""

import json

import numpy as np
import pytest
from conftest import digest

import holonomy as hl

# Steps that large systems take in about a second; others take 300, past every start-up of a method.
FEW = {"ten-thousand-molecules": 4, "molecules-on-a-sphere": 40, "slider-crank": 100, "elastic-rod-as-published": 100}


@pytest.mark.parametrize("name", list(hl.scenarios()))
def test_final_states_are_those_of_the_command(name, command):
    model = hl.load(name)
    steps = min(FEW.get(name, 300), model.steps)
    words = ["--steps", str(steps), "--certify", "none", "--threads", "1", "--no-files", "--json", "--quiet"]
    wanted = json.loads(command("run", name, *words))["final_state"]
    bits = digest(wanted["q"], wanted["p"])
    for threads in (1, 2):
        final = model.run(steps=steps, certify="none", threads=threads).final
        assert final["t"] == wanted["t"]
        assert digest(final["q"], final["p"]) == bits, f"{threads} threads"
    sim = model.simulation()
    sim.step(steps)
    assert digest(sim.q.ravel(), sim.p.ravel()) == bits, "steps of a simulation"


def test_another_step_has_other_bits():
    """The comparison above could fail: a step that differs in its last digit is seen."""
    model = hl.load("kepler").replace(steps=300)
    ours, other = (model.replace(step=h).run(certify="none").final for h in (0.01, np.nextafter(0.01, 1)))
    assert digest(ours["q"]) != digest(other["q"])


def timeless(summary):
    """A summary without what the clock says: how long it took, and the line of the certificate on that."""
    rest = {key: value for key, value in summary.items() if key not in ("wall_seconds", "steps_per_second")}
    lines = [line for line in rest["certificate"]["lines"] if "steps per second" not in line["measured"]]
    assert len(lines) == len(rest["certificate"]["lines"]) - 1
    rest["certificate"] = {**rest["certificate"], "lines": lines}
    return rest


def test_a_summary_is_that_of_the_command(command):
    words = ["run", "double-spherical-pendulum", "--duration", "2", "--no-files", "--json", "--quiet"]
    wanted = json.loads(command(*words))
    found = dict(hl.run("double-spherical-pendulum", duration=2).summary)
    assert timeless(found) == timeless(wanted)


def test_files_are_those_of_the_command(command, tmp_path):
    words = ["--duration", "1", "--certify", "none", "--quiet", "--out", str(tmp_path / "a")]
    command("run", "four-bar", *words)
    run = hl.run("four-bar", duration=1, certify="none", out=tmp_path / "b")
    assert digest(hl.open_run(tmp_path / "a").data) == digest(hl.open_run(run.folder).data) == digest(run.data)

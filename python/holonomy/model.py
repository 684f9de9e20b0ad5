"""Models: what moves, from where, by which method and how long."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _engine
from .errors import ModelError, Problem
from .functions import Potential, address_or_callable, by_name, energy_signature

if TYPE_CHECKING:
    from .analysis import Controlled, Fitted, Gradient, Inverted, Linearization, Orbits
    from .compare import Comparison, Convergence
    from .ensemble import Ensemble
    from .rollout import Rollout
    from .run import Run
    from .simulation import Simulation

__all__ = ["Equilibrium", "Knob", "Model", "load", "loads"]


@dataclass(frozen=True)
class Knob:
    """A number of a model that can be turned."""

    path: str
    """Where it stands: what `Model.replace` takes."""
    label: str
    """What it is."""
    value: float
    """What it is now, in SI."""
    unit: str
    """Its unit in SI; `1` for a plain number."""
    least: float | None
    """It must not be less."""
    most: float | None
    """It must not be more."""


@dataclass(frozen=True)
class Equilibrium:
    """Where a tree is in equilibrium."""

    stability: str
    """`stable`, `neutral` or `unstable`."""
    energy: float
    """Potential energy, J."""
    residual: float
    """What is left of the forces."""
    coordinates: dict[str, float]
    """Where it is."""
    multipliers: dict[str, float]
    """Forces of the constraints; tensions pull if positive."""
    squared_frequencies: list[float]
    """ω² of small motions, 1/s²; negative ones grow."""


def load(name: str | os.PathLike[str]) -> Model:
    """A scenario by its name, a model file, or the model of a run's folder.

    >>> import holonomy as hl
    >>> hl.load("double-spherical-pendulum")
    Model('double-spherical-pendulum', sphere-implicit, 10000 steps of 0.01 s)
    """
    return Model(_engine.Model.open(os.fspath(name)))


def loads(text: str, name: str = "model") -> Model:
    """A model from text in TOML."""
    return Model(_engine.Model.parse(text, name))


class Model:
    """A model, ready to run. It does not change: `replace` makes another.

    >>> import holonomy as hl
    >>> m = hl.load("spherical-pendulum").replace({"body.bob.mass": "2 kg"}, step=0.02)
    >>> m.step, m.method
    (0.02, 'sphere-explicit-4')
    """

    __slots__ = ("_core",)

    def __init__(self, core: _engine.Model) -> None:
        if not isinstance(core, _engine.Model):
            raise TypeError("models are made by `holonomy.load`, `loads`, `lagrangian`, `Tree` or `Model.from_dict`")
        self._core = core

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], name: str = "model") -> Model:
        """A model from the data of a model file: dictionaries, lists, numbers and texts."""
        return cls(_engine.Model.from_dict(dict(data), name))

    # What it is.

    @property
    def name(self) -> str:
        """What its runs are called."""
        return self._core.name

    @property
    def title(self) -> str:
        """What it is called, for people."""
        return self._core.title

    @property
    def family(self) -> str:
        """`spheres`, `lagrangian` or `tree`."""
        return self._core.family

    @property
    def method(self) -> str:
        """The method it is stepped by."""
        return self._core.method

    @property
    def step(self) -> float:
        """The step, s; for adaptive methods the sampling interval."""
        return self._core.step

    @property
    def steps(self) -> int:
        """How many steps a run has."""
        return self._core.steps

    @property
    def every(self) -> int:
        """Every so many steps a sample is recorded."""
        return self._core.every

    @property
    def duration(self) -> float:
        """How long a run lasts, s."""
        return self._core.step * self._core.steps

    @property
    def coordinates(self) -> list[str]:
        """Names of the coordinates."""
        return self._core.coordinates

    @property
    def velocities(self) -> list[str]:
        """Names of the velocities."""
        return self._core.velocities

    @property
    def bodies(self) -> list[str]:
        """Names of the bodies."""
        return self._core.bodies

    @property
    def inputs(self) -> list[str]:
        """Names of the inputs that it declares, `[[input]]`, for `Simulation.step`."""
        return self._core.inputs

    @property
    def recordable(self) -> list[str]:
        """Names of all that `record` may ask for."""
        return self._core.recordable

    @property
    def conserved(self) -> dict[str, float]:
        """What the exact motion conserves, and its value at the start."""
        return dict(self._core.conserved())

    @property
    def fingerprint(self) -> str:
        """A hash of what moves; runs of the same fingerprint, method and step have the same bits."""
        return self._core.fingerprint

    @property
    def knobs(self) -> list[Knob]:
        """Every number that can be turned."""
        return [Knob(*row) for row in self._core.knobs()]

    @property
    def notes(self) -> list[Problem]:
        """What was read otherwise than it was written."""
        return [Problem(**note) for note in self._core.notes()]

    def to_toml(self) -> str:
        """The model as text that loads to the same model."""
        return self._core.to_toml()

    def to_dict(self) -> dict[str, Any]:
        """The model as data."""
        return self._core.to_dict()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the model file."""
        self._require_text("written to a file")
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.to_toml())

    def explain(self) -> str:
        """What was understood of it: coordinates, energies, what is conserved, methods that fit."""
        return self._core.explain()

    # Others like it.

    def replace(
        self,
        changes: Mapping[str, Any] | None = None,
        *,
        method: str | None = None,
        step: float | str | None = None,
        duration: float | str | None = None,
        steps: int | None = None,
        every: int | None = None,
        record: Sequence[str] | None = None,
        name: str | None = None,
        **more: Any,
    ) -> Model:
        """The same model with other values, each at the path of its key; `None` takes a key away.

        Keywords stand for the keys of method and run; a method brings its usual options along. Further keywords are paths
        too: `replace(**{"body.upper.mass": "2 kg"})`.

        >>> import holonomy as hl
        >>> hl.load("kepler").replace({"start.x": 0.5}, method="rk4", duration=10).method
        'rk4'
        """
        if duration is not None and steps is not None:
            raise TypeError("say how far to run by `duration` or by `steps`, not by both")
        core = self._core
        wanted: dict[str, Any] = {}
        data = self.to_dict()
        if method is not None and method != self.method:
            wanted.update({f"method.{key}": None for key in data.get("method", {}) if key != "name"})
            wanted["method.name"] = method
        if step is not None:
            wanted["run.step"] = step
        for key, value, other in (("duration", duration, "steps"), ("steps", steps, "duration")):
            if value is not None:
                if other in data.get("run", {}):
                    wanted[f"run.{other}"] = None
                wanted[f"run.{key}"] = value
        if every is not None:
            wanted["run.every"] = every
        if record is not None:
            wanted["output.record"] = [record] if isinstance(record, str) else list(record)
        wanted.update(changes or {})
        wanted.update(more)
        if wanted:
            core = core.changed(wanted)
        return Model(core.renamed(name) if name is not None else core)

    def with_potential(
        self, function: Potential | Callable[..., Any] | Any, points: Sequence[str] | None = None, name: str | None = None
    ) -> Model:
        """The same model with a potential of your own: see `holonomy.potential`.

        Points are names of bodies, for their ends; on trees names of sites.
        """
        if isinstance(function, Potential):
            points = function.points if points is None else points
            name = name or function.name
        if not points:
            raise TypeError("say which points the potential depends on: points=[…]")
        label = name or str(getattr(function, "__name__", "potential"))
        given = address_or_callable(function, energy_signature)
        return Model(self._core.with_potential(label, given, list(points)))

    def started_from(self, folder: str | os.PathLike[str], at: float | None = None) -> Model:
        """The same model, starting where the run in a folder ended, or at its recorded sample nearest to a time."""
        return Model(self._core.started_from(os.fspath(folder), at))

    # What can be done with it.

    def simulation(self, force: Callable[..., Any] | Any | None = None) -> Simulation:
        """A simulation that starts where the model does.

        A force is a callable `force(t, q, v)` that returns one number for each velocity, or a numba `cfunc` of the
        signature `holonomy.force_signature()`. It acts at both ends of each step, half and half.
        """
        from .simulation import Simulation

        return Simulation._of(self, self._core.simulation(), force)

    def run(
        self,
        duration: float | str | None = None,
        *,
        steps: int | None = None,
        step: float | str | None = None,
        every: int | None = None,
        method: str | None = None,
        record: Sequence[str] | None = None,
        out: str | os.PathLike[str] | None = None,
        force: bool = False,
        certify: str = "usual",
        threads: int | None = None,
        checkpoint: float | None = None,
        callback: Callable[[dict[str, Any]], Any] | None = None,
        progress: Callable[[int, int, float, float], Any] | None = None,
    ) -> Run:
        """Runs it, and keeps what was recorded in memory; with `out` the files of the command are in that folder too.

        The certificate is made when it is first asked for; `certify` says how much work it is worth (`"usual"`, `"full"`,
        `"none"`). `callback` is called with each sample, a dictionary of its columns, before the next step is taken, and
        ends the run by returning something true. `progress` is called several times a second with the step, all steps,
        the time and the largest energy error.

        A run that fails raises `StepError`, whose `run` is what was recorded before.
        """
        from .run import Run

        model = self.replace(
            duration=duration, steps=steps, step=step, every=every, method=method, record=record
        )
        columns = model._core.columns
        options: dict[str, Any] = {
            "out": None if out is None else os.fspath(out),
            "force": force,
            "certify": certify,
            "threads": threads or 0,
            "checkpoint": checkpoint,
            "callback": by_name(callback, columns),
            "progress": progress,
        }
        return Run._of(*model._core.run(options))

    def compare(
        self,
        methods: Sequence[str],
        duration: float | str | None = None,
        *,
        steps: int | None = None,
        step: float | str | None = None,
        every: int | None = None,
        certify: str = "usual",
        threads: int | None = None,
    ) -> Comparison:
        """Runs several methods and sets them side by side.

        >>> import holonomy as hl
        >>> c = hl.load("plane-pendulum").compare(["midpoint", "rk4"], duration=10)
        >>> sorted(c.methods)
        ['midpoint', 'rk4']
        """
        from .compare import Comparison

        model = self.replace(duration=duration, steps=steps, step=step, every=every)
        known = {method["name"] for method in _engine.methods()}
        candidates: list[tuple[str, Any]] = []
        for name in methods:
            if name not in known:
                raise ValueError(f"there is no method named `{name}`; `holonomy.methods()` lists them")
            try:
                candidates.append((name, model.replace(method=name)._core))
            except ModelError as error:
                candidates.append((name, error.problems[0].message if error.problems else str(error)))
        if all(isinstance(found, str) for _, found in candidates):
            raise ValueError("none of the methods fits the model: " + "; ".join(str(found) for _, found in candidates))
        return Comparison(_engine.compare(self.name, candidates, certify, threads or 0, False))

    def converge(
        self, steps: Sequence[float], *, method: str | None = None, duration: float | str | None = None
    ) -> Convergence:
        """Errors at the end of the run for several steps, against a closed form or a very accurate method.

        >>> import holonomy as hl
        >>> c = hl.load("plane-pendulum").converge([0.1, 0.05, 0.025], duration=1)
        >>> round(c.order, 1)
        2.0
        """
        from .compare import Convergence

        steps = [float(step) for step in steps]
        if not steps or not all(step > 0 for step in steps):
            raise ValueError("steps are positive numbers, in s")
        model = self.replace(method=method, duration=duration)
        return Convergence(*_engine.converge(model._core, steps))

    def settle(self, nearest: bool = False) -> Equilibrium:
        """Where a tree is in equilibrium: the least energy near the start, or the nearest equilibrium even if unstable."""
        found = json.loads(self._core.settle(nearest))
        keys = ("stability", "energy", "residual", "coordinates", "multipliers", "squared_frequencies")
        return Equilibrium(**{key: found[key] for key in keys})

    def settled(self) -> Model:
        """The same model, starting in equilibrium."""
        return self.replace({"start": "settled"})

    def rollout(
        self,
        parameters: str | Sequence[str] = (),
        outputs: str | Sequence[str] | None = None,
        *,
        steps: int | None = None,
        every: int | None = None,
        method: str | None = None,
        step: float | str | None = None,
    ) -> Rollout:
        """The runs of the model as a map that can be differentiated, from a start, numbers of the model and inputs to the end
        and to outputs: see `holonomy.Rollout`. `parameters` are paths of numbers, also of the start; `outputs` what `record`
        may name, read after `every` so many steps and at the end: what the model records, or its coordinates, if nothing is
        said. The method is one that `holonomy.methods()` calls `differentiable`.
        """
        from .rollout import Rollout

        model = self.replace(method=method, step=step)
        names = [parameters] if isinstance(parameters, str) else list(parameters)
        read = [outputs] if isinstance(outputs, str) else None if outputs is None else list(outputs)
        count, apart = (int(own if given is None else given) for given, own in ((steps, self.steps), (every, self.every)))
        if count < 1 or apart < 1:
            raise ValueError("a run has at least one step, and outputs are read every step or more seldom")
        return Rollout(model, _engine.Rollout(model._core, names, read, count, apart))

    def linearize(
        self,
        at: float | None = None,
        *,
        settled: bool = False,
        lyapunov: bool = False,
        method: str | None = None,
        step: float | str | None = None,
        record: Sequence[str] | None = None,
    ) -> Linearization:
        """The linear system of a step and of the equations of motion, where the model starts, `at` a time of its motion, or
        in the equilibrium that is found from the start (`settled`). Inputs are those of `[[input]]`, outputs what `record`
        names. With `lyapunov` all Lyapunov exponents of the run too.

        >>> import holonomy as hl
        >>> system = hl.lagrangian("x'^2/2 - 2*x^2", start={"x": 0}, step=0.01, duration=1).linearize()
        >>> [f"{pole.imag:.9f}" for pole in system.poles], system.A.shape
        (['2.000000000', '-2.000000000'], (2, 2))
        """
        from .analysis import Linearization

        if settled and at is not None:
            raise TypeError("say where to linearise by `at` or by `settled`, not by both")
        model = self.replace(method=method, step=step, record=record)
        return Linearization(_engine.linearize(model._core, at, settled, lyapunov))

    def gradient(
        self,
        of: str,
        at: float | None = None,
        *,
        by: str | Sequence[str] = (),
        method: str | None = None,
        step: float | str | None = None,
    ) -> Gradient:
        """What an output depends on, `at` a time of the motion, s, or at the end of the run: its derivatives, exact, by where
        the run starts, by the numbers of the model and by its inputs, what changes it most first, and what they are worth. `of`
        is what `record` may name, one number; `by` takes some of `"start"`, `"parameters"`, `"inputs"` and keys of numbers, all
        three words if nothing is said. For gradients of many outputs, or within an optimiser, take a `rollout`.

        >>> import holonomy as hl
        >>> swing = hl.lagrangian("x'^2/2 - k*x^2/2", k=4, start={"x": 1}, step=0.001, duration=1)
        >>> found = swing.gradient("x")
        >>> f"{found['x'].slope:.4f}", f"{found['parameters.k'].slope:.4f}"    # cos 2, −sin(2)/4
        ('-0.4161', '-0.2273')
        """
        from .analysis import Gradient

        if at is not None and not np.isfinite(at):
            raise ValueError(f"`at` is a finite time, s, got {at}")
        model = self.replace(method=method, step=step)
        by = [by] if isinstance(by, str) else [str(key) for key in by]
        return Gradient(_engine.gradient(model._core, of, None if at is None else float(at), by))

    def orbit(
        self,
        period: float,
        *,
        hold: bool = False,
        vary: tuple[str, float, float, int] | None = None,
        energy: float | tuple[float, float, int] | None = None,
        segments: int = 0,
        most: int = 200,
        method: str | None = None,
        step: float | str | None = None,
    ) -> Orbits:
        """The periodic orbit near the start whose period is about so long, s, with its Floquet multipliers; `hold` keeps the
        period. `vary=(key, first, last, count)` follows it while a number of the model changes, `energy=(first, last,
        count)` while the energy does; `energy=E` finds the orbit of that energy. `segments` are solved side by side.

        >>> import holonomy as hl
        >>> swing = hl.lagrangian("x'^2/2 - x^2/2 - x^4/4", start={"x": 1}, step=0.01, duration=1)
        >>> [orbit] = swing.orbit(5)
        >>> f"{orbit.period:.3f} {orbit.stable}"
        '4.768 True'
        """
        from .analysis import Orbits

        if vary is not None and energy is not None:
            raise TypeError("follow an orbit by `vary` or by `energy`, not by both")
        along: tuple[str | None, float, float, int] | None = None
        if energy is not None:
            first, last, count = energy if isinstance(energy, (tuple, list)) else (energy, energy, 1)
            along = (None, float(first), float(last), int(count))
        elif vary is not None:
            try:
                key, first, last, count = vary
            except (TypeError, ValueError) as error:
                raise TypeError("`vary` is the key of a number, its first value, its last and how many") from error
            along = (str(key), float(first), float(last), int(count))
        if along is not None and along[3] < 2 and vary is not None:
            raise ValueError("a branch has at least two orbits")
        model = self.replace(method=method, step=step)
        return Orbits._of(*_engine.orbit(model._core, float(period), hold, along, int(segments), max(1, int(most))))

    def control(
        self,
        *,
        hold: bool = False,
        duration: float | str | None = None,
        steps: int | None = None,
        step: float | str | None = None,
        method: str | None = None,
    ) -> Controlled:
        """The inputs that reach the `[[goal]]`s of the model at the least cost, and the feedback that holds the motion;
        `hold` finds only the feedback that holds the model's own motion. Ctrl-C ends the search: the `KeyboardInterrupt` has
        what was found until then as its `result`.
        """
        from .analysis import Controlled

        model = self.replace(duration=duration, steps=steps, step=step, method=method)
        return Controlled._of(*_engine.control(model._core, hold))

    def fit(
        self,
        data: Any,
        free: str | Sequence[str] | Mapping[str, tuple[float | None, float | None] | None],
        *,
        segments: int | str | None = None,
        method: str | None = None,
        step: float | str | None = None,
        threads: int | None = None,
    ) -> Fitted:
        """The numbers of the model with which it comes closest to data: a file in CSV or Parquet, a `Run`, a dictionary of
        columns or a frame of pandas, with `t` and one for each output, called as `record` calls it. `free` are the paths of
        the numbers that may change, or a dictionary with the bounds of each. Where motion is chaotic the run is cut into
        `segments`, each with a start of its own that is sought until they join: so many, or as many as the motion asks for
        (`"auto"`, also if nothing is said), one if it is regular.

        >>> import holonomy as hl
        >>> text = "x'^2/2 - k*x^2/2"
        >>> run = hl.lagrangian(text, k=2.5, start={"x": 1}, step=0.01, duration=3).run()
        >>> found = hl.lagrangian(text, k=2, start={"x": 1}, step=0.01, duration=3).fit(
        ...     {"t": run.t, "x": run["x"]}, {"parameters.k": (1, 4)})
        >>> f"{found.values['parameters.k']:.6f}"
        '2.500000'
        """
        from .analysis import Fitted, free_keys, segment_count, table_of

        count = segment_count(segments)
        model = self.replace(method=method, step=step)
        with table_of(data, "data", ["t", *self.coordinates]) as path:
            return Fitted._of(*_engine.fit(model._core, path, free_keys(free), count, threads or 0))

    def inverse(self, motion: Any, *, method: str | None = None, step: float | str | None = None) -> Inverted:
        """The inputs that produce a motion, from the equations of the steps: a table with `t` and a column for each
        coordinate, a row for each step, as a file, a folder of a run, a `Run`, a dictionary of columns or a frame."""
        from .analysis import Inverted, table_of

        model = self.replace(method=method, step=step)
        with table_of(motion, "motion", ["t", *self.coordinates]) as path:
            return Inverted._of(*_engine.inverse(model._core, path))

    def exact(self, times: Any) -> tuple[np.ndarray, np.ndarray]:
        """The motion in closed form at these times, where it is known: q and p, a row for each time."""
        times = np.atleast_1d(np.asarray(times, dtype=float))
        found = self._core.exact(times.tolist())
        if found is None:
            raise ValueError("this motion is not known in closed form; `reference` computes it")
        return np.asarray(found[0]), np.asarray(found[1])

    def reference(self, duration: float) -> tuple[np.ndarray, np.ndarray, float]:
        """q and p after so long, in closed form or by a very accurate method, and how accurate they are."""
        q, p, _, accuracy = self._core.reference(float(duration))
        return np.asarray(q), np.asarray(p), accuracy

    def ensemble(self, axes: Mapping[str, Any] | str | os.PathLike[str], **options: Any) -> Ensemble:
        """Many cases of the model: see `holonomy.Ensemble`."""
        from .ensemble import Ensemble

        return Ensemble(self, axes, **options)

    def play(self) -> Any:
        """Opens the playground with this model in the browser, or shows it in a notebook."""
        from .pages import play

        return play(self)

    def widget(self, knobs: Sequence[str] | Mapping[str, tuple[float, float]] | None = None, **options: Any) -> Any:
        """Its motion in a notebook, with sliders bound to Python: see `holonomy.widgets.Widget`. Needs anywidget."""
        from .widgets import Widget

        return Widget(self, knobs, **options)

    # As Python expects it.

    def _require_text(self, what: str) -> None:
        if self._core.has_functions:
            raise TypeError(f"a model with functions of this process cannot be {what}")

    def __reduce__(self) -> tuple[Any, ...]:
        self._require_text("pickled; write its potential as a formula")
        return (loads, (self.to_toml(), self.name))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Model):
            return NotImplemented
        return self._core.to_toml() == other._core.to_toml() and self._core.has_functions == other._core.has_functions

    def __hash__(self) -> int:
        return hash(self._core.to_toml())

    def __repr__(self) -> str:
        return f"Model({self.name!r}, {self.method}, {self.steps} steps of {self.step:g} s)"

    def _repr_html_(self) -> str:
        from .pages import model_html

        return model_html(self)

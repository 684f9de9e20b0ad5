"""Simulations: a live state that one steps."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from typing import Any

from . import _engine
from .functions import address_or_callable, by_name, force_signature
from .model import Model, loads

__all__ = ["Simulation", "resume"]


class Simulation:
    """A live state of a model: it steps, is pushed, is saved and goes on, with the bits of a run without a break.

    >>> import holonomy as hl
    >>> sim = hl.load("double-spherical-pendulum").simulation()
    >>> sim.step(1000)
    >>> round(sim.t, 6), sim.q.shape
    (10.0, (2, 3))

    Arrays are copies: they stay as they are when the simulation goes on. One simulation is for one thread at a time;
    several may run in several threads.
    """

    __slots__ = ("_core", "_force", "model", "output", "set", "step")

    def __init__(self, model: Model, force: Any = None) -> None:
        self._bind(model, model._core.simulation(), force)

    def _bind(self, model: Model, core: _engine.Simulation, force: Any) -> None:
        self.model = model
        """The model it started from."""
        self._core = core
        self._force = force
        if force is not None:
            core.set_force(address_or_callable(force, force_signature))
        # Bound once: a step costs a fraction of a microsecond.
        self.step = core.step
        """`step(n=1, inputs=None)` takes steps; inputs are generalized forces held over them, an array with one for each
        velocity or a dictionary by name."""
        self.set = core.set
        """`set(q=None, velocity=None, t=None)` goes to another state; what is left out stays."""
        self.output = core.output
        """`output(name)` is what can be recorded by that name, at this moment."""

    @classmethod
    def _of(cls, model: Model, core: _engine.Simulation, force: Any = None) -> Simulation:
        made = cls.__new__(cls)
        made._bind(model, core, force)
        return made

    @property
    def t(self) -> float:
        """Time, s."""
        return self._core.t

    @property
    def steps(self) -> int:
        """Steps since the origin of time."""
        return self._core.steps

    @property
    def step_size(self) -> float:
        """The step, s. Another one makes the present time the origin."""
        return self._core.step_size

    @step_size.setter
    def step_size(self, h: float) -> None:
        self._core.step_size = h

    @property
    def q(self) -> Any:
        """Configuration: a row for each direction on spheres, else a number for each coordinate."""
        return self._core.q

    @property
    def p(self) -> Any:
        """Momentum conjugate to the velocity."""
        return self._core.p

    @property
    def velocity(self) -> Any:
        """Velocity: angular velocities on spheres."""
        return self._core.velocity

    @property
    def multipliers(self) -> Any:
        """Multipliers that keep the constraints at this moment."""
        return self._core.multipliers

    @property
    def energy(self) -> float:
        """Kinetic plus potential energy, J."""
        return self._core.energy

    @property
    def kinetic(self) -> float:
        """Kinetic energy, J."""
        return self._core.kinetic

    @property
    def potential(self) -> float:
        """Potential energy, J."""
        return self._core.potential

    @property
    def invariants(self) -> dict[str, float]:
        """Conserved momenta by name."""
        return self._core.invariants

    @property
    def violation(self) -> float | None:
        """Largest violation of a constraint."""
        return self._core.violation

    @property
    def sites(self) -> Any:
        """Positions of what is drawn, a row each."""
        return self._core.sites

    def run(
        self,
        until: float | None = None,
        *,
        duration: float | None = None,
        steps: int | None = None,
        every: int | None = None,
        certify: str = "usual",
        threads: int | None = None,
        callback: Callable[[dict[str, Any]], Any] | None = None,
        progress: Callable[[int, int, float, float], Any] | None = None,
    ) -> Any:
        """Goes on until a time, for a duration or for so many steps, and records: a `Run`. The simulation is then there.

        The certificate is that of this part alone.
        """
        from .run import Run

        given = [value for value in (until, duration, steps) if value is not None]
        if len(given) != 1:
            raise TypeError("say how far to run by `until`, `duration` or `steps`, one of them")
        if steps is None:
            lasting = duration if duration is not None else float(until) - self.t  # type: ignore[arg-type]
            exact = lasting / self.step_size
            if not math.isfinite(exact):
                raise ValueError(f"the end of a run is a finite time, got {lasting + self.t}")
            if exact < 0:
                raise ValueError(f"it is at t = {self.t:g} s already")
            steps = round(exact)
        if int(steps) < 1:
            raise ValueError("a run has at least one step")
        columns = self.model._core.columns
        options: dict[str, Any] = {
            "certify": certify,
            "threads": threads or 0,
            "callback": by_name(callback, columns),
            "progress": progress,
        }
        return Run._of(*self._core.record(int(steps), int(every or self.model.every), options))

    def copy(self) -> Simulation:
        """Another simulation in the same state."""
        return Simulation._of(self.model, self._core.copy(), self._force)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes it to a file, from which `holonomy.resume` goes on to the bit; whole or not at all."""
        self._core.save(os.fspath(path))

    def __reduce__(self) -> tuple[Any, ...]:
        return (_from_bytes, (bytes(self._core.checkpoint()),))

    def __repr__(self) -> str:
        return f"Simulation({self.model.name!r}, t = {self.t:g} s, {self.steps} steps)"


def _opened(core: _engine.Simulation) -> Simulation:
    return Simulation._of(loads(core.model_toml(), core.name), core)


def _from_bytes(data: bytes) -> Simulation:
    return _opened(_engine.Simulation.from_bytes(data))


def resume(
    path: str | os.PathLike[str],
    *,
    duration: float | str | None = None,
    steps: int | None = None,
    certify: str = "usual",
    threads: int | None = None,
    checkpoint: float | None = None,
    progress: Callable[[int, int, float, float], Any] | None = None,
) -> Any:
    """Goes on: with the `Simulation` of a saved file, or with the run in a folder, as `holonomy resume` does, which gives
    the whole `Run`; a later end makes that longer.

    >>> import holonomy as hl, os, tempfile
    >>> sim = hl.load("kepler").simulation(); sim.step(100)
    >>> path = os.path.join(tempfile.mkdtemp(), "a.ckpt")
    >>> sim.save(path); again = hl.resume(path)
    >>> sim.step(50); again.step(50)
    >>> bool((sim.q == again.q).all())
    True
    """
    path = os.fspath(path)
    if os.path.isdir(path):
        from .run import Run

        options = {"certify": certify, "threads": threads or 0, "checkpoint": checkpoint, "progress": progress}
        return Run._of(*_engine.Run.resume(path, duration, steps, options))
    if duration is not None or steps is not None:
        raise TypeError("a simulation of a file has no end: say how far with `.run(until=…)`")
    return _opened(_engine.Simulation.open(path))

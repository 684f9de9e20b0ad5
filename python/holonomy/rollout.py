"""A run as a map that can be differentiated: for optimisers, for SciPy, JAX and PyTorch.

``(start, parameters, inputs) → (end, outputs)``, with the tangent and the adjoint of the steps themselves.
"""

from __future__ import annotations

import math
import threading
import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from . import _engine
from .errors import GradientWarning

if TYPE_CHECKING:
    from .model import Model

__all__ = ["Changes", "GradientCertificate", "Gradients", "Rollout", "Trace"]


class Gradients(NamedTuple):
    """What `Trace.vjp` gives: a number's gradient with respect to what goes into a run."""

    start: np.ndarray
    """With respect to the start, q and then p."""
    parameters: np.ndarray
    """With respect to the numbers of the model; without a given start also through where the model starts."""
    inputs: np.ndarray
    """With respect to the inputs, a row for each step."""


class Changes(NamedTuple):
    """What `Trace.jvp` gives: how what comes out of a run changes."""

    end: np.ndarray
    """Of the end, q and then p."""
    outputs: np.ndarray
    """Of the outputs, a row for each sample."""


class GradientCertificate(NamedTuple):
    """What gradients through a run are worth, measured on it without differences."""

    time: float
    """How long the run is, s."""
    pairing: float
    """The largest change of the pairing of two tangents, as a part of its terms: zero of symplectic methods, but for rounding."""
    duality: float
    """Tangent against adjoint: what the dot products of both differ by, as a part of their size."""
    momenta: dict[str, tuple[float, float]]
    """Of each conserved momentum: its own change, and by how much its gradient that was pulled back differs from that at
    the start."""
    growth: np.ndarray
    """Rows of a time before the end, and ln of by how much a gradient has grown on its way there."""
    exponent: float | None
    """The rate at which gradients grow, 1/s, if the run was long enough to tell."""
    horizon: float | None
    """The time over which a gradient loses half of its digits, s; `None` if this run is shorter."""


class Rollout:
    """The runs of a model as a map of arrays, made by `Model.rollout`. Calling it takes a run.

    >>> import holonomy as hl, numpy as np
    >>> swing = hl.lagrangian("x'^2/2 - k*x^2/2", k=4, start={"x": 1}, step=0.01, duration=1)
    >>> map = swing.rollout(parameters=["parameters.k"])
    >>> trace = map(parameters=[4.1])
    >>> gradient = trace.vjp(end=[1, 0])
    >>> change = trace.jvp(parameters=[1])
    >>> bool(abs(gradient.parameters[0] - change.end[0]) < 1e-14)
    True
    """

    __slots__ = ("_core", "_kept", "_lock", "model")

    def __init__(self, model: Model, core: _engine.Rollout) -> None:
        self.model = model
        """The model."""
        self._core = core
        self._kept: list[tuple[bytes, Trace]] = []
        self._lock = threading.Lock()

    @property
    def parameters(self) -> dict[str, float]:
        """Paths of the numbers that go in, and their values in the model."""
        return dict(self._core.numbers())

    @property
    def start(self) -> np.ndarray:
        """Where the model starts: q, then p."""
        return self._core.start()

    @property
    def inputs(self) -> list[str]:
        """Names of the inputs, `[[input]]`, one in each column."""
        return self._core.inputs()

    @property
    def outputs(self) -> list[str]:
        """Names of the columns of outputs."""
        return self._core.columns()

    @property
    def steps(self) -> int:
        """How many steps a run has."""
        return self._core.steps()

    @property
    def times(self) -> np.ndarray:
        """When outputs are read, s after the start."""
        return self.model.step * np.asarray(self._core.samples(), dtype=float)

    def _ins(self) -> list[tuple[int, ...]]:
        """Shapes of what goes in."""
        return [(len(self.start),), (len(self.parameters),), (self.steps, len(self.inputs))]

    def __call__(self, start: Any = None, parameters: Any = None, inputs: Any = None) -> Trace:
        """Takes a run: from a start, q and then p; with numbers of the model in the order of `parameters`; under inputs, a row
        for each step. What is not given is that of the model, and inputs are zero."""
        names = ("start", "parameters", "inputs")
        given = [_numbers(*each) for each in zip(names, (start, parameters, inputs), self._ins())]
        return Trace(self, self._core.take(*(None if one is None else one.ravel() for one in given)))

    def _again(self, start: Any, parameters: Any, inputs: Any) -> Trace:
        """The run, or the one that was just taken of the same numbers: gradients follow values."""
        given = tuple(None if one is None else np.asarray(one, dtype=float) for one in (start, parameters, inputs))
        key = b"|".join(b"-" if one is None else one.tobytes() for one in given)
        with self._lock:
            for known, trace in self._kept:
                if known == key:
                    return trace
        trace = self(*given)
        with self._lock:
            self._kept = [*self._kept[-3:], (key, trace)]
        return trace

    def jax(self) -> Callable[..., Any]:
        """The map as a function of JAX, ``f(start=None, parameters=None, inputs=None) → (end, outputs)``, with its gradient
        (`jax.grad`, `jax.vjp`, also under `jit` and `vmap`). Switch `jax_enable_x64` on for all digits."""
        from ._frameworks import jax_function

        return jax_function(self)

    def torch(self) -> Callable[..., Any]:
        """The map as a function of tensors of PyTorch, ``f(start=None, parameters=None, inputs=None) → (end, outputs)``, with
        its gradient (`backward`)."""
        from ._frameworks import torch_function

        return torch_function(self)

    def __repr__(self) -> str:
        goes = ["start", *self.parameters, *self.inputs]
        return f"Rollout({self.model.name!r}: {self.steps} steps, ({', '.join(goes)}) → (end, {', '.join(self.outputs)}))"


class Trace:
    """A run that was taken, with its derivatives."""

    __slots__ = ("_core", "_outputs", "rollout")

    def __init__(self, rollout: Rollout, core: _engine.Rolled) -> None:
        self.rollout = rollout
        """The map that it is of."""
        self._core = core
        self._outputs: np.ndarray | None = None

    @property
    def end(self) -> np.ndarray:
        """Where it ended: q, then p."""
        return self._core.end()

    @property
    def outputs(self) -> np.ndarray:
        """What was read, a row for each of `Rollout.times`."""
        if self._outputs is None:
            self._outputs = self._core.outputs().reshape(self._shape())
        return self._outputs

    def _shape(self) -> tuple[int, int]:
        return len(self.rollout.times), len(self.rollout.outputs)

    def jvp(self, start: Any = None, parameters: Any = None, inputs: Any = None) -> Changes:
        """What a change of what goes in makes of what comes out, to the first order. Arrays with one more axis in front are
        many changes, which cost less together."""
        names = ("start", "parameters", "inputs")
        given, count = _many(names, (start, parameters, inputs), self.rollout._ins())
        end, outputs = self._core.push(given[0], given[1], given[2], count or 1)
        lead = () if count is None else (count,)
        return Changes(end.reshape(*lead, -1), outputs.reshape(*lead, *self._shape()))

    def vjp(self, end: Any = None, outputs: Any = None) -> Gradients:
        """The gradient of a number with respect to what goes in, from that with respect to what comes out. Arrays with one
        more axis in front are many gradients, which cost less together.

        One that has grown so much that it has lost half of its digits is a `GradientWarning`: the run is longer than
        what its gradient tells about, and `certificate` says how long that is."""
        shapes = [(len(self.rollout.start),), self._shape()]
        given, count = _many(("end", "outputs"), (end, outputs), shapes)
        *found, growth = self._core.pull(given[0], given[1], count or 1)
        if not growth < self._core.meaningless:
            warnings.warn(
                f"the gradient grew {growth:.1e}-fold on its way back: it describes changes of less than one part in that. "
                "`certificate()` tells the horizon; take shorter runs",
                GradientWarning,
                stacklevel=2,
            )
        lead = () if count is None else (count,)
        return Gradients(*(one.reshape(*lead, *shape) for one, shape in zip(found, self.rollout._ins())))

    def operator(self, of: str | Sequence[str] = "start", to: str = "end") -> Any:
        """The derivative as a `scipy.sparse.linalg.LinearOperator`: from changes of `start`, `parameters` and `inputs`, one or
        several of them one after the other, to those of the `end` or the `outputs`. That of one step is of a rollout with
        `steps=1`. Needs SciPy."""
        from ._frameworks import linear_operator

        return linear_operator(self, (of,) if isinstance(of, str) else tuple(of), to)

    def certificate(self) -> GradientCertificate:
        """What gradients through this run are worth: see `GradientCertificate`."""
        found = self._core.certificate()
        found["growth"] = np.array(found["growth"], dtype=float).reshape(-1, 2)
        return GradientCertificate(**found)

    def __repr__(self) -> str:
        return f"Trace({self.rollout.model.name!r}, {self.rollout.steps} steps)"


def _numbers(what: str, given: Any, shape: tuple[int, ...]) -> np.ndarray | None:
    """An array of this shape, or of as many numbers in one row."""
    if given is None:
        return None
    try:
        found = np.ascontiguousarray(given, dtype=float)
    except (TypeError, ValueError) as error:
        raise TypeError(f"`{what}` is an array of numbers, got {given!r}") from error
    checked(what, found.shape, shape)
    if not np.isfinite(found).all():
        raise ValueError(f"`{what}` has a number that is not finite")
    return found.reshape(shape)


def checked(what: str, found: tuple[int, ...], shape: tuple[int, ...]) -> None:
    """Refuses another shape, unless it is as many numbers in one row."""
    if found != shape and not (len(found) <= 1 and math.prod(found) == math.prod(shape)):
        words = [" × ".join(map(str, sizes)) or "a number" for sizes in (shape, found)]
        raise ValueError(f"`{what}` has the shape {words[0]}, got {words[1]}")


def _many(
    names: Sequence[str], given: Sequence[Any], shapes: Sequence[tuple[int, ...]]
) -> tuple[list[np.ndarray], int | None]:
    """Arrays as rows, zero where nothing is given; and how many rows, where there is an axis for them."""
    counts: dict[str, int] = {}
    for name, one, shape in zip(names, given, shapes):
        if one is not None and np.ndim(one) == len(shape) + 1 and np.shape(one)[1:] == shape:
            counts[name] = np.shape(one)[0]
    if len(set(counts.values())) > 1:
        raise ValueError("not as many of each: " + ", ".join(f"{count} of `{name}`" for name, count in counts.items()))
    count = next(iter(counts.values()), None)
    rows = []
    for name, one, shape in zip(names, given, shapes):
        full = shape if count is None else (count, *shape)
        found = _numbers(name, one, full)
        rows.append(np.zeros(full).ravel() if found is None else found.ravel())
    if count == 0:
        raise ValueError("there are no changes: the first axis is empty")
    return rows, count

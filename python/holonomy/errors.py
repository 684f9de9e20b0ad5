"""What can go wrong, as a small tree of exceptions with data.

::

    HolonomyError
    ├── ModelError      a model that cannot be used; `.problems`
    ├── StepError       a run that could not go on; `.t`, `.step`, `.limit`, `.run`
    ├── ResumeError     a checkpoint or folder that does not fit
    ├── SettleError     no equilibrium was found
    ├── AnalysisError   nothing was found that was asked for; `.of`
    ├── SweepError      a sweep that cannot be made
    └── CallbackError   a function of yours returned what cannot be used

A gradient that has lost its meaning is a `GradientWarning`. Files that cannot be read or written are `OSError`, as everywhere in Python.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .run import Run

__all__ = [
    "AnalysisError",
    "CallbackError",
    "GradientWarning",
    "HolonomyError",
    "ModelError",
    "Problem",
    "ResumeError",
    "SettleError",
    "StepError",
    "SweepError",
]


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong with a model, and where."""

    severity: str
    """`error`, or `note` for what does not keep the model from being used."""
    message: str
    """What is wrong."""
    help: str | None
    """What to do about it."""
    path: str | None
    """The key it is about, such as `body.upper.mass`."""
    line: int | None
    """The line of the text, from 1; `None` for a model that is not text."""
    column: int | None
    """The column, from 1."""
    origin: str | None
    """The file or the words it is about."""

    def __str__(self) -> str:
        place = self.path or ""
        if self.line is not None:
            place = f"{self.origin}:{self.line}:{self.column}"
        text = f"{place}: {self.message}" if place else self.message
        return f"{text} ({self.help})" if self.help else text


class HolonomyError(Exception):
    """Everything that holonomy raises of its own."""

    def __init__(self, message: str = "", **data: Any) -> None:
        super().__init__(message)
        for name, value in data.items():
            setattr(self, name, value)


class ModelError(HolonomyError, ValueError):
    """A model that cannot be used.

    >>> import holonomy as hl
    >>> try:
    ...     hl.load("spherical-pendulum").replace({"body.bob.mass": "-1 kg"})
    ... except hl.ModelError as error:
    ...     print(error.problems[0].path, "/", error.problems[0].message)
    body.1.mass / `mass` must be positive, got "-1 kg"
    """

    problems: tuple[Problem, ...] = ()
    """Everything that is wrong with it."""

    def __init__(self, message: str = "", problems: Any = ()) -> None:
        super().__init__(message)
        self.problems = tuple(
            problem if isinstance(problem, Problem) else Problem(**problem) for problem in problems
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (str(self), self.problems))


class StepError(HolonomyError, RuntimeError):
    """A run that could not go on. What was recorded until then is in `run`."""

    t: float | None = None
    """Time of the last good state, s."""
    step: int | None = None
    """The step that failed."""
    limit: float | None = None
    """The largest step that works there, s, if one was found."""
    run: Run | None = None
    """The run until then."""


class ResumeError(HolonomyError, ValueError):
    """A checkpoint or a folder that cannot be gone on with."""


class SettleError(HolonomyError, RuntimeError):
    """No equilibrium was found."""


class AnalysisError(HolonomyError, ValueError):
    """What `linearize`, `orbit`, `control`, `fit`, `inverse` or `gradient` was asked for cannot be found."""

    of: str | None = None
    """Which of them it was."""
    iterations: float | None = None
    """Corrections of an orbit that does not close."""
    residual: float | None = None
    """How far its ends are apart."""
    row: float | None = None
    """The row of a motion to whose next no momentum leads."""


class SweepError(HolonomyError, ValueError):
    """A sweep that cannot be made."""


class CallbackError(HolonomyError, ValueError):
    """A function of yours returned something that cannot be used."""


class GradientWarning(UserWarning):
    """A gradient that chaos has made so large that it tells nothing about changes that one can make."""

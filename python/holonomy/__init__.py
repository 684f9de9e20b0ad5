"""Simulates mechanical systems for a very long time without losing what the physics conserves.

>>> import holonomy as hl
>>> run = hl.run("double-spherical-pendulum", duration=10)
>>> run.q["lower"].shape
(1001, 3)
"""

from __future__ import annotations

import os
from typing import Any

from . import _engine, plot
from .analysis import Controlled, Fitted, Gradient, Inverted, Linearization, Orbit, Orbits, Slope
from .build import Tree, ball, fixed, free, hinge, lagrangian, screw, slide, universal
from .compare import Comparison, Convergence
from .ensemble import Cases, Ensemble, latin, linspace, logspace, normal, sobol, uniform
from .errors import (
    AnalysisError,
    CallbackError,
    GradientWarning,
    HolonomyError,
    ModelError,
    Problem,
    ResumeError,
    SettleError,
    StepError,
    SweepError,
)
from .functions import Potential, energy_signature, force_signature, potential
from .model import Equilibrium, Knob, Model, load, loads
from .rollout import Changes, GradientCertificate, Gradients, Rollout, Trace
from .run import Answer, Certificate, Columns, Judgement, Run, open_run, run
from .simulation import Simulation, resume

__version__: str = _engine.__version__

__all__ = [
    "AnalysisError",
    "Answer",
    "CallbackError",
    "Cases",
    "Certificate",
    "Changes",
    "Columns",
    "Comparison",
    "Controlled",
    "Convergence",
    "Ensemble",
    "Equilibrium",
    "Fitted",
    "Gradient",
    "GradientCertificate",
    "GradientWarning",
    "Gradients",
    "HolonomyError",
    "Inverted",
    "Judgement",
    "Knob",
    "Linearization",
    "Model",
    "ModelError",
    "Orbit",
    "Orbits",
    "Potential",
    "Problem",
    "ResumeError",
    "Rollout",
    "Run",
    "SettleError",
    "Simulation",
    "Slope",
    "StepError",
    "SweepError",
    "Trace",
    "Tree",
    "ball",
    "check",
    "energy_signature",
    "fixed",
    "force_signature",
    "free",
    "hinge",
    "import_urdf",
    "lagrangian",
    "latin",
    "linspace",
    "load",
    "loads",
    "logspace",
    "methods",
    "normal",
    "open_run",
    "play",
    "plot",
    "potential",
    "reproduce",
    "reproductions",
    "resume",
    "run",
    "scenarios",
    "screw",
    "slide",
    "sobol",
    "uniform",
    "universal",
    "widget",
]


def scenarios() -> dict[str, str]:
    """The models that come along: names, and what to see in each."""
    return {name: summary for name, _, summary in _engine.scenarios()}


def methods() -> dict[str, dict[str, Any]]:
    """Every numerical method and what it promises, by name."""
    return {method.pop("name"): method for method in _engine.methods()}


def check(name: str | os.PathLike[str]) -> list[Problem]:
    """What is wrong with a model, and what was read otherwise than it was written; empty where all is well."""
    try:
        return load(name).notes
    except ModelError as error:
        return list(error.problems) or [Problem("error", str(error), None, None, None, None, None)]


def import_urdf(path: str | os.PathLike[str], *, floating: bool = False, name: str | None = None) -> Model:
    """A robot in URDF as a model. What is not carried over is told in a warning."""
    import warnings

    path = os.fspath(path)
    text, carried, ignored, changed = _engine.import_urdf(path, floating)
    if ignored or changed:
        lines = [f"carried {carried}", *(f"ignored {line}" for line in ignored), *(f"changed {line}" for line in changed)]
        warnings.warn("\n".join(lines), stacklevel=2)
    return loads(text, name or os.path.splitext(os.path.basename(path))[0])


def reproductions() -> dict[str, str]:
    """Figures, tables and claims of the four documents that can be computed again: names and titles."""
    return {name: f"{document}: {title}" for name, title, document in _engine.reproductions()}


def reproduce(
    *names: str, out: str | os.PathLike[str] = "runs/reproduce", again: bool = False, threads: int | None = None
) -> dict[str, str | None]:
    """Computes items of the documents again, all of them without names, into a folder with pages. What went wrong with
    each; `None` where nothing did."""
    return dict(_engine.reproduce(list(names), os.fspath(out), again, threads or 0))


def play(model: str | os.PathLike[str] | Model | None = None) -> Any:
    """The playground: sliders, two methods side by side, the engine in the page. In a notebook below the cell, else in the
    browser."""
    from .pages import play as shown

    return shown(None if model is None else model if isinstance(model, Model) else load(model))


def widget(model: str | os.PathLike[str] | Model, knobs: Any = None, **options: Any) -> Any:
    """The motion of a model in a notebook, with sliders bound to Python: see `holonomy.widgets.Widget`. Needs anywidget."""
    return (model if isinstance(model, Model) else load(model)).widget(knobs, **options)

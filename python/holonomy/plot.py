"""Figures of matplotlib with the look of the report."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from .compare import Comparison
    from .run import Run

__all__ = ["COLOURS", "ComparisonPlots", "RunPlots", "style"]

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#000000", "#cc79a7", "#e69f00", "#56b4e9", "#8a3b12")
"""Eight colours that differ for every eye."""

_LOOK: dict[str, Any] = {
    "figure.figsize": (7.2, 3.6),
    "figure.facecolor": "#ffffff",
    "savefig.facecolor": "#ffffff",
    "axes.facecolor": "#ffffff",
    "text.color": "#1a2027",
    "axes.labelcolor": "#1a2027",
    "axes.edgecolor": "#4d5966",
    "xtick.color": "#1a2027",
    "ytick.color": "#1a2027",
    "figure.constrained_layout.use": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.titlesize": "medium",
    "axes.titlelocation": "left",
    "grid.color": "#e4e4e4",
    "grid.linewidth": 0.8,
    "lines.linewidth": 1.3,
    "legend.frameon": False,
    "savefig.dpi": 160,
}


@contextmanager
def style() -> Iterator[Any]:
    """The look of the report, for figures of your own: `with holonomy.plot.style() as plt:`"""
    import matplotlib.pyplot as plt
    from cycler import cycler

    look: Any = {**_LOOK, "axes.prop_cycle": cycler(color=COLOURS)}
    with plt.rc_context(look):
        yield plt
        interactive = plt.isinteractive()
    # The first figure of a notebook begins this mode, which shows figures below their cells: it must outlast the look.
    plt.rcParams["interactive"] = interactive


def _axes(ax: Any, plt: Any, **options: Any) -> Any:
    return plt.subplots(**options)[1] if ax is None else ax


class RunPlots:
    """Figures of a run; each gives its axes back, and draws into axes that are handed over."""

    __slots__ = ("_run",)

    def __init__(self, run: Run) -> None:
        self._run = run

    def __call__(self, *names: str, ax: Any = None) -> Any:
        """Columns or groups of them against time."""
        run = self._run
        if not names:
            raise TypeError("say which columns to draw; `run.columns` lists them")
        with style() as plt:
            ax = _axes(ax, plt)
            for name in names:
                values = run[name]
                if values.ndim == 1:
                    ax.plot(run.t, values, label=name)
                else:
                    parts = [column.rpartition(".")[2] for column in run.columns if column.rpartition(".")[0] == name]
                    for part, column in zip(parts, values.T):
                        ax.plot(run.t, column, label=f"{name}.{part}")
            units = {_unit(name, run.model.family, run[name][0].size) for name in names}
            unit = units.pop() if len(units) == 1 else ""
            return _finished(ax, names[0] if len(names) == 1 else "", unit, run)

    def energy(self, ax: Any = None) -> Any:
        """E − E₀ against time."""
        run = self._run
        with style() as plt:
            ax = _axes(ax, plt)
            ax.plot(run.t, run.energy_error, label=run.model.method)
            ax.set_ylabel("E − E₀ (J)")
            return _finished(ax, None, "", run)

    def coordinates(self, ax: Any = None) -> Any:
        """All coordinates against time, if they are few."""
        run = self._run
        names = list(run.q)
        if sum(1 if run.q[name].ndim == 1 else run.q[name].shape[1] for name in names) > 2 * len(COLOURS):
            raise ValueError(f"{len(names)} coordinates are too many for one figure: name some, `run.plot('…')`")
        prefix = "q." if run.model.family == "spheres" else ""
        return self(*(prefix + name for name in names), ax=ax)

    def phase(self, name: str | None = None, ax: Any = None) -> Any:
        """A coordinate against its velocity."""
        run = self._run
        names, speeds = _single(run.model.coordinates, run.q), _single(run.model.velocities, run.velocity)
        if run.model.family == "spheres" or len(names) != len(speeds):
            raise ValueError("this run has no coordinates with a velocity each: draw its path, `run.plot.path()`")
        if name is not None and name not in names:
            raise KeyError(f"there is no coordinate {name!r}; there are {', '.join(names[:24])}")
        place = 0 if name is None else names.index(name)
        name, speed = names[place], speeds[place]
        with style() as plt:
            ax = _axes(ax, plt, figsize=(4.8, 4.4))
            ax.plot(run.q[name], run.velocity[speed])
            family = run.model.family
            ax.set_xlabel(_labelled(name, _unit(name, family)))
            ax.set_ylabel(_labelled(speed, _unit(speed, family)))
            ax.set_title(run.model.title or run.name, wrap=True)
            return ax

    def path(self, names: Sequence[str] | None = None, ax: Any = None) -> Any:
        """Where bodies went, in space: directions on spheres, else recorded sites, or what the player draws."""
        from .pages import points_of

        run = self._run
        spheres = run.model.family == "spheres"
        groups: Any = run.q if spheres else run.outputs
        if names is None:
            names = [name for name in groups if groups[name].ndim == 2 and groups[name].shape[1] == 3]
            if not names:
                film = run.film()
                groups = {} if film is None else points_of(film)
                names = [name for name in groups if np.ptp(groups[name], axis=0).max() > 0]
        if not names:
            raise ValueError("nothing with three components was recorded: record sites, `run(record=[…])`")
        unit = "" if spheres else "m"
        with style() as plt:
            if ax is None:
                ax = plt.figure(figsize=(5.6, 4.8)).add_subplot(projection="3d")
            for name in list(names)[: len(COLOURS)]:
                ax.plot(*groups[name].T[:3], label=name, linewidth=0.9)
            ax.set_aspect("equal", adjustable="datalim")
            for axis, letter in ((ax.xaxis, "x"), (ax.yaxis, "y"), (ax.zaxis, "z")):
                axis.set_label_text(_labelled(letter, unit))
                axis.set_major_locator(plt.MaxNLocator(4))
            ax.set_title(run.model.title or run.name, wrap=True)
            if len(names) > 1:
                ax.legend(loc="upper left", bbox_to_anchor=(1.06, 1))
            return ax


_UNITS = {"slide": "m", "speed": "m/s", "theta": "rad", "omega": "rad/s", "position": "m", "velocity": "m/s"}


_ENDINGS = {"velocity": "m/s", "angular_velocity": "rad/s", "force": "N", "moment": "N m", "orientation": ""}


def _unit(name: str, family: str, parts: int = 1) -> str:
    """The unit of a column, where its name tells."""
    if name in ("kinetic", "potential", "energy", "work"):
        return "J"
    if family == "lagrangian":
        return ""
    whole, _, last = name.rpartition(".")
    if whole and last in _ENDINGS:
        return _ENDINGS[last]
    unit = _UNITS.get(name.partition(".")[0], "")
    # What else has three parts is a place.
    return unit or ("m" if family == "tree" and parts == 3 and not name.startswith("lambda") else "")


def _labelled(name: str, unit: str) -> str:
    return f"{name} ({unit})" if name and unit else name or unit


def _single(names: list[str], groups: Any) -> list[str]:
    """Those that are single numbers by name."""
    return [name for name in names if name in groups._places and groups[name].ndim == 1]


def _finished(ax: Any, name: str | None, unit: str, run: Run) -> Any:
    """Labels and title, and the legend where it hides nothing."""
    ax.set_xlabel("t (s)")
    if name is not None:
        ax.set_ylabel(_labelled(name, unit))
    ax.set_title(run.model.title or run.name, wrap=True)
    ax.margins(x=0)
    count = len(ax.get_lines())
    if count > 1 or name is None:
        ax.legend(loc="upper left", bbox_to_anchor=(1, 1), ncols=1 + (count > 10))
    return ax


class ComparisonPlots:
    """Figures of a comparison."""

    __slots__ = ("_comparison",)

    def __init__(self, comparison: Comparison) -> None:
        self._comparison = comparison

    def energy(self, ax: Any = None) -> Any:
        """|E − E₀| of all methods against time, on a logarithmic axis; of many samples the largest nearby."""
        with style() as plt:
            ax = _axes(ax, plt)
            for method in self._comparison.methods:
                t, error = self._comparison.energy_error(method)
                size = np.abs(error)
                if len(size) > 600:
                    starts = np.linspace(0, len(size), 300, endpoint=False).astype(int)
                    t, size = t[starts], np.maximum.reduceat(size, starts)
                ax.plot(t, np.where(size > 0, size, np.nan), label=method)
            ax.set_yscale("log")
            ax.set_xlabel("t (s)")
            ax.set_ylabel("|E − E₀| (J)")
            ax.margins(x=0)
            ax.legend(loc="upper left", bbox_to_anchor=(1, 1))
            return ax

"""Many cases of a model: one table, on all cores, on the disk, on a cluster."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _engine
from .errors import SweepError
from .model import Model, loads
from .run import Run

__all__ = ["Cases", "Ensemble", "Random", "latin", "linspace", "logspace", "normal", "sobol", "uniform"]


@dataclass(frozen=True)
class Random:
    """Random values of a key. Made by `normal`, `uniform`."""

    text: str
    """As the command writes it."""
    count: int
    """How many cases there are."""
    seed: int
    """The same seed gives the same cases."""
    spread: str = "independent"
    """How evenly they lie: `independent`, `latin` or `sobol`."""


def _written(*numbers: float | str) -> str:
    # As one would write them to the command, so that either can finish a sweep of the other.
    return ":".join(
        number if isinstance(number, str) else repr(float(number)).removesuffix(".0") for number in numbers
    )


def normal(mean: float | str, deviation: float | str, count: int, seed: int = 1) -> Random:
    """Values of a normal distribution; numbers may have a unit, `"30 deg"`."""
    return Random(f"normal:{_written(mean, deviation)}", count, seed)


def uniform(least: float | str, most: float | str, count: int, seed: int = 1) -> Random:
    """Values between two, all equally likely."""
    return Random(f"uniform:{_written(least, most)}", count, seed)


def latin(values: Random) -> Random:
    """The same values spread evenly over each axis: a Latin hypercube."""
    return Random(values.text, values.count, values.seed, "latin")


def sobol(values: Random) -> Random:
    """The same values from Sobol's sequence, which fills many axes most evenly with 2ⁿ of them."""
    return Random(values.text, values.count, values.seed, "sobol")


def linspace(first: float | str, last: float | str, count: int) -> str:
    """So many values from one to the other, both included; `"-180 deg"` and the like have units.

    >>> import holonomy as hl
    >>> hl.linspace("-90 deg", "90 deg", 3)
    '-90 deg:90 deg:3'
    """
    return f"{_written(first, last)}:{count}"


def logspace(first: float | str, last: float | str, count: int) -> str:
    """The same, evenly spaced in the logarithm. Both ends are values, not exponents."""
    return f"log:{_written(first, last)}:{count}"


class Cases(Mapping[str, np.ndarray]):
    """The table of a sweep: a column for each key that varies and for each result, a row for each case."""

    __slots__ = ("_ensemble", "_table", "folder")

    def __init__(self, table: Mapping[str, Any], ensemble: Ensemble | None = None, folder: str | None = None) -> None:
        self._table = {
            name: values if isinstance(values, np.ndarray) else np.asarray(values, dtype=object)
            for name, values in table.items()
        }
        self._ensemble = ensemble
        self.folder = folder
        """Where its files are, if it has any; begin with `sweep.html`."""

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        return list(self._table)

    def __getitem__(self, name: str) -> np.ndarray:
        try:
            return self._table[name]
        except KeyError:
            raise KeyError(f"there is no column {name!r}; there are {', '.join(self._table)}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._table)

    def __len__(self) -> int:
        return len(self._table["case"])

    @property
    def failed(self) -> np.ndarray:
        """Numbers of the cases that failed or were refused; the column `message` says why."""
        return self._table["case"][np.isin(self._table["structure"], ["failed", "refused"])]

    def run(self, case: int, **options: Any) -> Run:
        """One case again, with its whole trajectory."""
        if self._ensemble is None:
            raise ValueError("the table was read from a folder: load its model, and set the keys of the case")
        return self._ensemble.model_of(case).run(**options)

    def to_pandas(self) -> Any:
        """A `pandas.DataFrame`, a row for each case."""
        import pandas

        return pandas.DataFrame(dict(self._table)).set_index("case")

    def __repr__(self) -> str:
        return f"Cases({len(self)} cases, {len(self._table)} columns)"

    def _repr_html_(self) -> str:
        from .pages import cases_html

        return cases_html(self)


class Ensemble:
    """Many cases of a model: all points of all axes, each a run with the bits of a single one.

    >>> import numpy as np, holonomy as hl
    >>> m = hl.load("spherical-pendulum").replace(duration=1)
    >>> cases = m.ensemble({"body.bob.mass": np.linspace(1, 5, 4), "run.step": [0.01, 0.02]}).run()
    >>> len(cases), float(cases["body.bob.mass"][0])
    (8, 1.0)

    An axis is an array or list of numbers, a list of words, a text as the command takes it (`"-180deg:180deg:200"`,
    `linspace`, `logspace`) or random (`normal`, `uniform`). With `zip` axes are taken together instead of all their
    points. A file in CSV or Parquet has a column for each key and a row for each case.

    `measures` are measured besides: `"max(tip.z)"`, `"first(theta > 1)"`; `certify` as in `Model.run`; `trajectories` is
    how many gigabytes whole trajectories may take, which then are in the folder.
    """

    def __init__(
        self,
        model: Model,
        axes: Mapping[str, Any] | str | os.PathLike[str],
        *,
        zip: bool = False,
        measures: Sequence[str] = (),
        certify: str = "none",
        trajectories: float | None = None,
        samples: int | None = None,
        seed: int | None = None,
        spread: str | None = None,
    ) -> None:
        model._require_text("varied")
        self.model = model
        """The model of the cases, before their keys are set."""
        measures = [measures] if isinstance(measures, str) else list(measures)
        if isinstance(axes, (str, os.PathLike)):
            # Workers elsewhere have another present directory.
            table = os.path.abspath(os.fspath(axes))
            self._arguments: tuple[Any, ...] = (model.to_toml(), model.name, table, measures, certify)
            self._plan = _engine.Plan.of_table(model._core, table, measures, certify)
            return
        if not axes:
            raise SweepError('nothing varies: give an axis, such as {"start.theta": np.linspace(0, 1, 50)}')
        rows: list[tuple[str, Any, str]] = []
        for key, given in axes.items():
            if isinstance(given, Random):
                for name, known, new in (
                    ("count", samples, given.count),
                    ("seed", seed, given.seed),
                    ("spread", spread, given.spread),
                ):
                    if known is not None and known != new:
                        raise ValueError(f"random axes have one {name}: `{key}` has {new!r}, another {known!r}")
                samples, seed, spread = given.count, given.seed, given.spread
                rows.append((key, given.text, ""))
            elif isinstance(given, str):
                rows.append((key, given, ""))
            else:
                values = np.asarray(given)
                if values.ndim != 1:
                    raise ValueError(f"the values of `{key}` are a list, not an array of shape {values.shape}")
                listed = values.tolist()
                words = [isinstance(value, str) for value in listed]
                if not all(words) and any(words):
                    raise TypeError(f"the values of `{key}` are numbers or words, not both")
                rows.append((key, listed if all(words) and listed else [float(value) for value in listed], ""))
        keep = (rows, zip, samples, 1 if seed is None else seed, spread or "independent", measures, certify, trajectories)
        self._arguments = (model.to_toml(), model.name, *keep)
        self._plan = _engine.Plan(model._core, *keep)

    def __len__(self) -> int:
        return self._plan.count

    @property
    def columns(self) -> list[str]:
        """Names of the columns of the table."""
        return self._plan.columns()

    @property
    def description(self) -> dict[str, Any]:
        """What it is of, as in `sweep.json`."""
        return json.loads(self._plan.describe())

    def settings(self, case: int) -> dict[str, Any]:
        """What the keys are in a case."""
        if not 0 <= case < len(self):
            raise IndexError(f"there are {len(self)} cases, from 0")
        return self._plan.settings(case)

    def model_of(self, case: int) -> Model:
        """The model of one case."""
        return self.model.replace(self.settings(case))

    def run(
        self,
        *,
        out: str | os.PathLike[str] | None = None,
        force: bool = False,
        threads: int | None = None,
        client: Any = None,
        retries: int = 3,
        progress: Callable[[int, int], Any] | None = None,
    ) -> Cases:
        """Runs all cases and gives their table; those that fail are rows with a message.

        With `out` the table, its page and what is finished are in that folder: a run that was interrupted goes on with
        the same call, and one that is finished is read, unless by `force`. With a Dask `client` the parts of the folder
        are computed by its workers, which must see the same folder; `retries` is how often one that fails is tried again.
        """
        if out is None:
            if client is not None:
                raise ValueError("workers write parts of the table: say where, `out=…`, in a folder that all of them see")
            return Cases(self._plan.collect(threads or 0, progress), self)
        folder = os.fspath(out)
        if not force and self._finished(folder):
            return Cases(_engine.read_cases(folder), self, folder)
        if client is not None:
            from .cluster import run_on

            run_on(client, self._arguments, self._plan, os.path.abspath(folder), force, retries, progress)
        # What workers have begun by force is theirs to finish.
        self._plan.sweep(folder, force and client is None, threads or 0, progress)
        _clear(os.path.join(folder, "parts"))
        return Cases(_engine.read_cases(folder), self, folder)

    def __reduce__(self) -> tuple[Any, ...]:
        return (_restored, self._arguments)

    def _finished(self, folder: str) -> bool:
        """Whether the folder holds this sweep, whole."""
        if os.path.lexists(os.path.join(folder, ".unfinished-sweep.part")):
            return False
        try:
            with open(os.path.join(folder, "sweep.json"), encoding="utf-8") as file:
                found = json.load(file)
        except (OSError, ValueError):
            return False
        return found == self.description and os.path.isfile(os.path.join(folder, "cases.parquet"))

    def __repr__(self) -> str:
        return f"Ensemble({self.model.name!r}, {len(self)} cases)"


def _clear(parts: str) -> None:
    """Removes what workers that were killed have left of the parts of a sweep that is whole."""
    try:
        for name in os.listdir(parts):
            if name.startswith(".part-") and name.endswith(".part"):
                os.remove(os.path.join(parts, name))
        os.rmdir(parts)
    except OSError:
        pass  # Nothing is left, or something of somebody else's.


def plan_of(arguments: tuple[Any, ...]) -> _engine.Plan:
    """The plan of an ensemble that was sent to another process."""
    toml, name, *rest = arguments
    core = _engine.Model.parse(toml, name)
    if isinstance(rest[0], str):
        return _engine.Plan.of_table(core, *rest)
    return _engine.Plan(core, *rest)


def _restored(*arguments: Any) -> Ensemble:
    made = Ensemble.__new__(Ensemble)
    made.model = loads(*arguments[:2])
    made._arguments = arguments
    made._plan = plan_of(arguments)
    return made

"""Runs: what was recorded, what it comes to, and how it looks."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _engine
from .model import Model, load

if TYPE_CHECKING:
    from .plot import RunPlots
    from .simulation import Simulation

__all__ = ["Answer", "Certificate", "Columns", "Judgement", "Run", "open_run", "run"]


@dataclass(frozen=True)
class Answer:
    """The answer to one of the three questions of a certificate."""

    question: str
    """`structure`, `path` or `prediction`."""
    verdict: str
    """`good`, `doubtful`, `bad` or `neutral`."""
    text: str
    """The answer in words."""


@dataclass(frozen=True)
class Judgement:
    """One line of a certificate."""

    subject: str
    """What is judged."""
    promised: str
    """What the method promises of it."""
    measured: str
    """What was measured."""
    verdict: str
    """`good`, `doubtful`, `bad` or `neutral`."""
    word: str
    """The verdict in a word or two."""


class Certificate:
    """What can be said of a run: was the structure conserved, how far is the path from the true one, how far ahead can any
    path be known?

    >>> import holonomy as hl
    >>> c = hl.run("spherical-pendulum", duration=20).certificate
    >>> c.structure.verdict
    'good'
    """

    __slots__ = ("data",)

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.data = data
        """All of it, as in `summary.json`."""

    @property
    def verdict(self) -> str:
        """The worse of structure and path."""
        return self.data["conclusion"]["verdict"]

    @property
    def trusted(self) -> bool:
        """Whether the structure was conserved as promised and the path is known to the end of the run."""
        return self.verdict == "good"

    @property
    def answers(self) -> list[Answer]:
        """The three answers."""
        keys = ("question", "verdict", "text")
        return [Answer(*(answer[key] for key in keys)) for answer in self.data["conclusion"]["answers"]]

    def _answer(self, question: str) -> Answer:
        for answer in self.answers:
            if answer.question == question:
                return answer
        return Answer(question, "neutral", "not measured")

    @property
    def structure(self) -> Answer:
        """Was the structure conserved?"""
        return self._answer("structure")

    @property
    def path(self) -> Answer:
        """How far is the path from the true one, and until when?"""
        return self._answer("path")

    @property
    def prediction(self) -> Answer:
        """How far ahead can any path be known?"""
        return self._answer("prediction")

    @property
    def lines(self) -> list[Judgement]:
        """One by one, what was promised and what was measured."""
        keys = ("subject", "promised", "measured", "verdict", "word")
        return [Judgement(*(line.get(key, "") for key in keys)) for line in self.data["lines"]]

    def __str__(self) -> str:
        marks = {"good": "✓", "doubtful": "!", "bad": "✗"}
        return "\n".join(f"{marks.get(answer.verdict, '–')} {answer.text}" for answer in self.answers)

    def __repr__(self) -> str:
        return f"Certificate({self.data['conclusion']['word']!r})"

    def _repr_html_(self) -> str:
        from .pages import certificate_html

        return certificate_html(self)


class Columns(Mapping[str, np.ndarray]):
    """Columns by name: a list of numbers, or several side by side. Views, without a copy."""

    __slots__ = ("_data", "_names", "_places")

    def __init__(self, data: np.ndarray, columns: list[str], wanted: list[int], prefix: str = "") -> None:
        self._data = data
        groups: dict[str, list[int]] = {}
        names: list[str] = []
        for place in wanted:
            name = columns[place].removeprefix(prefix)
            groups[name] = [place]
            whole = name.rpartition(".")[0]
            if whole:
                groups.setdefault(whole, []).append(place)
            listed = whole or name
            if listed not in names:
                names.append(listed)
        self._places = groups
        self._names = names

    def __getitem__(self, name: str) -> np.ndarray:
        try:
            places = self._places[name]
        except KeyError:
            raise KeyError(f"there is no column {name!r}; there are {', '.join(self._names[:24])}") from None
        if len(places) == 1:
            return self._data[:, places[0]]
        return self._data[:, places[0] : places[-1] + 1]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return f"Columns({', '.join(self._names)})"


class Run:
    """What a run left.

    >>> import holonomy as hl
    >>> run = hl.run("double-spherical-pendulum", duration=10)
    >>> run.q["lower"].shape, run.energy.shape
    ((1001, 3), (1001,))
    >>> run.certificate.structure.verdict
    'good'
    """

    __slots__ = ("_columns", "_core", "_data", "_summary")

    def __init__(self, core: _engine.Run) -> None:
        self._core = core
        self._data: np.ndarray = core.data
        self._columns: list[str] = core.columns
        self._summary: dict[str, Any] | None = None

    @classmethod
    def _of(cls, core: _engine.Run, error: BaseException | None) -> Run:
        made = cls(core)
        if error is not None:
            # What was recorded before is not lost.
            error.run = made  # type: ignore[attr-defined]
            raise error
        return made

    # What was recorded.

    @property
    def data(self) -> np.ndarray:
        """All numbers: a row for each sample, a column for each name of `columns`."""
        return self._data

    @property
    def columns(self) -> list[str]:
        """Names of the columns, as in the files of the command."""
        return list(self._columns)

    @property
    def t(self) -> np.ndarray:
        """Times of the samples, s."""
        return self._data[:, 0]

    @property
    def kinetic(self) -> np.ndarray:
        """Kinetic energy, J."""
        return self._data[:, 1]

    @property
    def potential(self) -> np.ndarray:
        """Potential energy, J."""
        return self._data[:, 2]

    @property
    def energy(self) -> np.ndarray:
        """Total energy, J."""
        return self._data[:, 1] + self._data[:, 2]

    @property
    def energy_error(self) -> np.ndarray:
        """E − E₀, J."""
        energy = self.energy
        return energy - energy[0]

    def _block(self, names: list[str], prefix: str) -> Columns:
        first = self._columns.index(names[0]) if names else 0
        return Columns(self._data, self._columns, list(range(first, first + len(names))), prefix)

    @property
    def q(self) -> Columns:
        """Coordinates by name: on spheres a direction for each body."""
        model = self._core.model
        return self._block(model.coordinates, "q." if model.family == "spheres" else "")

    @property
    def velocity(self) -> Columns:
        """Velocities by name: on spheres the angular velocity of each body."""
        model = self._core.model
        return self._block(model.velocities, "omega." if model.family == "spheres" else "")

    @property
    def multipliers(self) -> Columns:
        """Multipliers of the constraints by name."""
        wanted = [place for place, name in enumerate(self._columns) if name.startswith("lambda.")]
        return Columns(self._data, self._columns, wanted, "lambda.")

    @property
    def outputs(self) -> Columns:
        """What was recorded by name, besides the state."""
        model = self._core.model
        known = 3 + len(model.coordinates) + len(model.velocities) + len(model.multipliers)
        return Columns(self._data, self._columns, list(range(known, len(self._columns))))

    def __getitem__(self, name: str) -> np.ndarray:
        """A column, or a group of them such as `q.lower` or `hand`, by the names of `columns`."""
        if name == "energy":
            return self.energy
        return Columns(self._data, self._columns, list(range(len(self._columns))))[name]

    def __len__(self) -> int:
        return len(self._data)

    # What it comes to.

    @property
    def model(self) -> Model:
        """The model that ran."""
        return Model(self._core.model)

    @property
    def name(self) -> str:
        """What it is called."""
        return self._core.name

    @property
    def folder(self) -> str | None:
        """Where its files are, if it has any."""
        found = self._core.folder
        return None if found is None else os.fspath(found)

    @property
    def summary(self) -> dict[str, Any]:
        """The numbers of `summary.json`, certificate included."""
        if self._summary is None:
            self._summary = json.loads(self._core.summary(True))
        return self._summary

    @property
    def certificate(self) -> Certificate:
        """What can be said of it; made when it is first asked for."""
        return Certificate(self.summary["certificate"])

    @property
    def final(self) -> dict[str, Any]:
        """The last state, as the engine stores it: t, q, p."""
        return json.loads(self._core.summary(False))["final_state"]

    def simulation(self) -> Simulation:
        """A simulation that goes on where the run ended."""
        from .simulation import Simulation

        return Simulation._of(self.model, self._core.simulation())

    def figures(self) -> dict[str, str]:
        """The figures of the report, as SVG."""
        return dict(self._core.figures())

    def report(self, path: str | os.PathLike[str] | None = None) -> str:
        """The report, one page in one file with the motion in it; written to a path if there is one."""
        page = self._core.report()
        if path is not None:
            with open(path, "w", encoding="utf-8") as file:
                file.write(page)
        return page

    def film(self) -> dict[str, Any] | None:
        """What a player shows: shapes, and where they are in each frame."""
        film = self._core.film()
        return None if film is None else json.loads(film)

    def view(self) -> Any:
        """Shows the report: in a notebook below the cell, else in the browser."""
        from .pages import show

        return show(self.report(), self.name)

    @property
    def plot(self) -> RunPlots:
        """Figures of matplotlib: `run.plot.energy()`, `run.plot("theta")` …"""
        from .plot import RunPlots

        return RunPlots(self)

    # For others.

    def to_pandas(self) -> Any:
        """A `pandas.DataFrame` over the same memory, indexed by the time."""
        import pandas

        frame = pandas.DataFrame(self._data[:, 1:], columns=self._columns[1:], copy=False)
        frame.index = pandas.Index(self.t, name="t")
        frame.attrs.update(model=self.name, method=self.model.method)
        return frame

    def to_xarray(self) -> Any:
        """An `xarray.Dataset` over the same memory: a variable for each quantity, vectors with a dimension of their own."""
        import xarray

        columns = Columns(self._data, self._columns, list(range(1, len(self._columns))))
        variables: dict[str, Any] = {}
        for name in columns:
            values = columns[name]
            if values.ndim == 1:
                variables[name] = ("t", values)
                continue
            parts = [column.rpartition(".")[2] for column in self._columns if column.rpartition(".")[0] == name]
            axis = {("x", "y", "z"): "xyz", ("w", "x", "y", "z"): "wxyz"}.get(tuple(parts), f"{name} part")
            variables[name] = (("t", axis), values)
        coordinates = {"t": ("t", self.t, {"units": "s"}), "xyz": list("xyz"), "wxyz": list("wxyz")}
        used = {axis for dimensions, _ in variables.values() for axis in np.atleast_1d(dimensions)}
        coordinates = {name: value for name, value in coordinates.items() if name == "t" or name in used}
        return xarray.Dataset(variables, coordinates, {"model": self.name, "method": self.model.method})

    def __reduce__(self) -> tuple[Any, ...]:
        self.model._require_text("pickled, nor can its runs")
        return (
            _restored,
            (self.model.to_toml(), self.name, self._data, self._core.summary(True), self._core.film()),
        )

    def __repr__(self) -> str:
        return f"Run({self.name!r}, {len(self)} samples to t = {self.t[-1]:g} s)"

    def __str__(self) -> str:
        return self._core.text()

    def _repr_html_(self) -> str:
        from .pages import run_html

        return run_html(self)


def _restored(toml: str, name: str, data: np.ndarray, summary: str, film: str | None) -> Run:
    return Run(_engine.Run.restore(toml, name, data, summary, film))


def run(model: str | os.PathLike[str] | Model, duration: float | str | None = None, **options: Any) -> Run:
    """Runs a scenario, a model file or a model: see `Model.run`.

    >>> import holonomy as hl
    >>> hl.run("spherical-pendulum", duration=5)
    Run('spherical-pendulum', 101 samples to t = 5 s)
    """
    if not isinstance(model, Model):
        model = load(model)
    changes = {key: options.pop(key) for key in list(options) if "." in key}
    return (model.replace(changes) if changes else model).run(duration, **options)


def open_run(folder: str | os.PathLike[str]) -> Run:
    """The run in a folder, made here or by the command."""
    return Run(_engine.Run.open(os.fspath(folder)))

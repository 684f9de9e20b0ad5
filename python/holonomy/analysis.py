"""What is found with the derivatives of a model: linear systems, periodic orbits, inputs, numbers from data, gradients."""

from __future__ import annotations

import contextlib
import csv
import json
import operator
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .errors import AnalysisError
from .rollout import GradientCertificate

if TYPE_CHECKING:
    from . import _engine
    from .model import Model

__all__ = ["Controlled", "Fitted", "Gradient", "Inverted", "Linearization", "Orbit", "Orbits", "Slope"]


class _Found:
    """Data, a sentence and a page of something that was found."""

    __slots__ = ("_core", "data")

    def __init__(self, core: _engine.Study) -> None:
        self._core = core
        self.data: dict[str, Any] = json.loads(core.to_json())
        """All of it, as in the JSON file of the command."""

    @classmethod
    def _of(cls, core: _engine.Study, error: BaseException | None) -> Any:
        made = cls(core)
        if error is not None:
            # What was found before Ctrl-C is not lost.
            error.result = made  # type: ignore[attr-defined]
            raise error
        return made

    @property
    def verdict(self) -> str:
        """`good`, `doubtful` or `bad`."""
        return self._core.conclusion()[0]

    @property
    def sentence(self) -> str:
        """What it comes to."""
        return self._core.conclusion()[1]

    def page(self, path: str | os.PathLike[str] | None = None) -> str:
        """The page of the command, one file; written to a path if there is one."""
        page = self._core.page()
        if path is not None:
            with open(path, "w", encoding="utf-8") as file:
                file.write(page)
        return page

    def view(self) -> Any:
        """Shows the page: in a notebook below the cell, else in the browser."""
        from .pages import show

        return show(self.page(), f"{self.data['scenario']}-{type(self).__name__.lower()}")

    def _array(self, name: str) -> np.ndarray:
        return np.array(dict(self._core.arrays()).get(name, []), dtype=float)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.data['scenario']!r}: {self.sentence})"

    def _repr_html_(self) -> str:
        from .pages import framed

        return framed(self.page(), str(self.data["scenario"]))


def _matrix(rows: Sequence[Sequence[float]], columns: int) -> np.ndarray:
    return np.array(rows, dtype=float).reshape(len(rows), columns)


def _complex(numbers: Sequence[Mapping[str, float]]) -> np.ndarray:
    return np.array([complex(number["re"], number["im"]) for number in numbers], dtype=complex)


def _or_nan(numbers: Sequence[float | None]) -> np.ndarray:
    return np.array([np.nan if number is None else number for number in numbers], dtype=float)


class Linearization(_Found):
    """A model linearised: ``z⁺ = A z + B u, y = C z`` of a step, ``ż = Ac z + Bc u`` of the equations of motion."""

    __slots__ = ()

    def _part(self, of: str, name: str) -> np.ndarray:
        columns = self.data["inputs"] if name in "bd" else self.data["states"]
        return _matrix(self.data[of][name], len(columns))

    @property
    def A(self) -> np.ndarray:
        """A of a step, in minimal coordinates and their momenta: `states` names them."""
        return self._part("discrete", "a")

    @property
    def B(self) -> np.ndarray:
        """B of a step, a column for each of `inputs`, which are held over it."""
        return self._part("discrete", "b")

    @property
    def C(self) -> np.ndarray:
        """C, a row for each of `outputs`."""
        return self._part("discrete", "c")

    @property
    def D(self) -> np.ndarray:
        """D: zero, since outputs are read between steps."""
        return self._part("discrete", "d")

    @property
    def Ac(self) -> np.ndarray:
        """A of the equations of motion."""
        return self._part("continuous", "a")

    @property
    def Bc(self) -> np.ndarray:
        """B of the equations of motion."""
        return self._part("continuous", "b")

    @property
    def states(self) -> list[str]:
        """Names of z: coordinates, then their momenta."""
        return self.data["states"]

    @property
    def inputs(self) -> list[str]:
        """Names of u."""
        return self.data["inputs"]

    @property
    def outputs(self) -> list[str]:
        """Names of y."""
        return self.data["outputs"]

    @property
    def poles(self) -> np.ndarray:
        """Eigenvalues of `Ac`, 1/s, complex."""
        return _complex(self.data["poles"])

    @property
    def errors(self) -> np.ndarray:
        """How far rounding and differences may have moved each pole, 1/s."""
        return np.array([pole["error"] for pole in self.data["poles"]], dtype=float)

    @property
    def frequencies(self) -> np.ndarray:
        """Of each pole, Hz."""
        return np.array([pole["frequency"] for pole in self.data["poles"]], dtype=float)

    @property
    def damping(self) -> np.ndarray:
        """−Re s/|s| of each pole; not a number of one at zero."""
        return _or_nan([pole["damping"] for pole in self.data["poles"]])

    @property
    def modes(self) -> np.ndarray:
        """Displacements of the minimal coordinates in each mode, a column for each pole; the largest entry is one."""
        shapes = np.array([pole["shape"] for pole in self.data["poles"]], dtype=float)
        return (shapes[..., 0] + 1j * shapes[..., 1]).T

    @property
    def multipliers(self) -> np.ndarray:
        """Eigenvalues of `A`, complex."""
        return _complex(self.data["multipliers"])

    @property
    def lyapunov(self) -> np.ndarray | None:
        """Lyapunov exponents from the largest, 1/s, if they were asked for."""
        found = self.data.get("lyapunov")
        return None if found is None else np.array(found["exponents"], dtype=float)


class Orbit:
    """A periodic orbit."""

    __slots__ = ("_core", "_number", "data")

    def __init__(self, core: _engine.Study, number: int, data: dict[str, Any]) -> None:
        self._core = core
        self._number = number
        self.data = data
        """All of it, as in the JSON file of the command."""

    @property
    def parameter(self) -> float | None:
        """The value of what varies along the branch."""
        return self.data["parameter"]

    @property
    def period(self) -> float:
        """How long it takes, s."""
        return self.data["period"]

    @property
    def energy(self) -> float:
        """Energy at its start, J."""
        return self.data["energy"]

    @property
    def residual(self) -> float:
        """How far it is from closing."""
        return self.data["residual"]

    @property
    def q(self) -> np.ndarray:
        """Coordinates at its start."""
        return np.array(self.data["q"], dtype=float)

    @property
    def v(self) -> np.ndarray:
        """Velocities at its start."""
        return np.array(self.data["v"], dtype=float)

    @property
    def multipliers(self) -> np.ndarray:
        """Floquet multipliers, complex."""
        return _complex(self.data["multipliers"])

    @property
    def stable(self) -> bool | None:
        """Whether no multiplier is outside the unit circle by more than its error. `None` for an orbit whose neighbours close
        as well, such as one of Kepler: `data["free"]` says in how many directions. It closes up to the error of the method,
        which moves multipliers of one, so that its stability is not judged."""
        return None if self.data["free"] is not None else self.data["stable"]

    @property
    def monodromy(self) -> np.ndarray:
        """The matrix of the whole period, in minimal coordinates and momenta."""
        return np.array(self.data["monodromy"], dtype=float)

    @property
    def model(self) -> Model:
        """The model that starts on it and runs once around."""
        from .model import Model

        return Model(self._core.model(self._number))

    def __repr__(self) -> str:
        words = {True: "stable", False: "unstable", None: "one of many, stability not judged"}
        return f"Orbit(period {self.period:g} s, {words[self.stable]})"


class Orbits(_Found):
    """Periodic orbits: one, or a branch of them."""

    __slots__ = ()

    @property
    def orbits(self) -> list[Orbit]:
        """In the order of the branch."""
        return [Orbit(self._core, number, data) for number, data in enumerate(self.data["orbits"])]

    @property
    def events(self) -> list[dict[str, Any]]:
        """Folds, and where stability changes: `what`, `after` which orbit, and the `parameter` there."""
        return self.data["events"]

    @property
    def ended(self) -> str:
        """Why the branch ended early; empty if it did not."""
        return self.data["ended"]

    def __len__(self) -> int:
        return len(self.data["orbits"])

    def __getitem__(self, number: int) -> Orbit:
        return self.orbits[number]

    def __iter__(self) -> Iterator[Orbit]:
        return iter(self.orbits)


class Controlled(_Found):
    """Inputs that reach the goals of a model, and the feedback that holds the motion under them."""

    __slots__ = ()

    @property
    def reached(self) -> bool:
        """Whether what was asked for was found."""
        return self.data["found"] == "best"

    @property
    def cost(self) -> float:
        """What was minimised."""
        return self.data["cost"]

    @property
    def violation(self) -> float:
        """The largest violation of a goal or a bound."""
        return self.data["violation"]

    @property
    def inputs(self) -> np.ndarray:
        """The inputs, a row for each step."""
        return _matrix(self.data["efforts"], len(self.data["inputs"]))

    @property
    def times(self) -> np.ndarray:
        """Times before the first step and after each, s."""
        return self.data["start"] + self.data["step"] * np.arange(self.data["steps"] + 1)

    @property
    def motion(self) -> np.ndarray:
        """Coordinates and velocities at these times."""
        return self._array("motion")

    @property
    def outputs(self) -> np.ndarray:
        """What goals and bounds are about, at these times."""
        return self._array("outputs")

    @property
    def gains(self) -> np.ndarray:
        """K of ``u = uₖ + Kₖ δz``, δz displacements and changes of momenta: for each step a matrix with a row for each input."""
        rows = self._array("gains")
        return rows.reshape(len(rows), len(self.data["inputs"]), -1)

    @property
    def model(self) -> Model:
        """The model with the inputs and their feedback: its run is the motion that was found, and is held to it."""
        from .model import Model

        return Model(self._core.model())


class Fitted(_Found):
    """Numbers of a model that come closest to data."""

    __slots__ = ()

    @property
    def values(self) -> dict[str, float]:
        """The numbers, by their paths."""
        return {number["key"]: number["value"] for number in self.data["numbers"]}

    @property
    def errors(self) -> dict[str, float]:
        """Their standard errors; not a number where the data do not determine one."""
        return {key["key"]: float(_or_nan([key["error"]])[0]) for key in self.data["numbers"]}

    @property
    def segments(self) -> int:
        """Into how many stretches the run was cut; one if it was not."""
        return self.data["segments"]

    @property
    def undetermined(self) -> list[dict[str, float]]:
        """Directions that the data do not determine: changes of the numbers in parts of themselves."""
        return [dict(direction["parts"]) for direction in self.data["undetermined"]]

    @property
    def times(self) -> np.ndarray:
        """When the data were taken, s."""
        return self._array("times")[0]

    @property
    def residuals(self) -> dict[str, np.ndarray]:
        """Model minus data, by column."""
        return {column["name"]: row for column, row in zip(self.data["columns"], self._array("residuals"))}

    @property
    def model(self) -> Model:
        """The model with these numbers."""
        from .model import Model

        return Model(self._core.model())


class Inverted(_Found):
    """The inputs that produce a given motion."""

    __slots__ = ()

    @property
    def possible(self) -> bool:
        """Whether the inputs can produce the motion."""
        return self.data["possible"]

    @property
    def inputs(self) -> np.ndarray:
        """The inputs, a row for each step."""
        return _matrix(self.data["efforts"], len(self.data["inputs"]))

    @property
    def forward(self) -> float:
        """The largest deviation of a coordinate where they are run forward again; not a number where they could not be."""
        return float(_or_nan([self.data["forward"]])[0])

    @property
    def model(self) -> Model:
        """The model with the inputs, where the motion starts."""
        from .model import Model

        return Model(self._core.model())


class Slope(NamedTuple):
    """One derivative of an output."""

    kind: str
    """By what: `start`, `parameter` or `input`, which is held all the time."""
    name: str
    """Its name, or its key."""
    value: float
    """Its value."""
    unit: str
    """The unit of the value; empty where it is not known."""
    slope: float
    """The derivative."""
    percent: float
    """What one percent of the value changes; of a value of zero a hundredth of its unit."""


class Gradient(_Found):
    """What an output depends on: its derivatives by where the run starts, by numbers of the model and by inputs.

    `found[name]` is the `Slope` by that name or key.
    """

    __slots__ = ()

    @property
    def of(self) -> str:
        """The output."""
        return self.data["of"]

    @property
    def time(self) -> float:
        """When it is taken, s: a whole number of steps after the start."""
        return self.data["t"]

    @property
    def value(self) -> float:
        """What it is then."""
        return self.data["value"]

    @property
    def slopes(self) -> list[Slope]:
        """The derivatives, what changes it most first: ranked by what one percent does."""
        return [Slope(**slope) for slope in self.data["slopes"]]

    @property
    def pushes(self) -> dict[str, np.ndarray]:
        """For each input rows of a time, and what a push then changes, per unit of the input and second."""
        return {push["input"]: _matrix(push["curve"], 2) for push in self.data["pushes"]}

    @property
    def left_out(self) -> dict[str, str]:
        """Keys that it is not taken by, and why."""
        return {left["key"]: left["why"] for left in self.data["left_out"]}

    @property
    def certificate(self) -> GradientCertificate:
        """What it is worth, measured along the run without differences."""
        worth = self.data["worth"]
        number = lambda value: float(_or_nan([value])[0])
        growth = _matrix(worth["growth"], 2)
        growth[:, 1] = np.log(growth[:, 1])
        return GradientCertificate(
            self.time - self.data["start"],
            number(worth["pairing"]),
            number(worth["duality"]),
            {each["name"]: (number(each["change"]), number(each["error"])) for each in worth["momenta"]},
            growth,
            None if worth["exponent"] is None else worth["exponent"][0],
            worth["horizon"],
        )

    def __getitem__(self, name: str) -> Slope:
        found = [slope for slope in self.slopes if slope.name == name]
        if len(found) != 1:
            why = "there is no derivative by it" if not found else "several are called so"
            raise KeyError(f"{name}: {why}; `slopes` has all of them")
        return found[0]


@contextlib.contextmanager
def table_of(data: Any, what: str, columns: Sequence[str]) -> Iterator[str]:
    """The path of a table: of a file or folder, or of one that is written of a run, a dictionary of columns or a frame."""
    if isinstance(data, (str, os.PathLike)):
        yield os.fspath(data)
        return
    names = list(data if isinstance(data, Mapping) else getattr(data, "columns", ()))
    if not names:
        raise TypeError(f"{what} is a path, a run, a dictionary of columns or a frame of pandas, got {type(data).__name__}")
    if not isinstance(data, Mapping) and hasattr(data, "energy_error"):
        # Of a run what was asked for: it has more columns than outputs.
        names = [name for name in names if name in columns]
    table: dict[str, np.ndarray] = {}
    for name in names:
        try:
            column = np.asarray(data[name], dtype=float)
        except (TypeError, ValueError) as error:
            raise TypeError(f"{what}: the column `{name}` does not hold numbers only") from error
        if column.ndim != 1 or len(column) != len(table.get("t", column)):
            raise ValueError(f"{what}: the column `{name}` is not one number for each time")
        if not np.isfinite(column).all():
            row = int(np.flatnonzero(~np.isfinite(column))[0])
            raise ValueError(f"{what}: row {row} of the column `{name}` is not finite; leave rows without data out")
        table[str(name)] = column
    if len({len(column) for column in table.values()}) > 1:
        raise ValueError(f"{what}: the columns are not of the same length")
    with tempfile.TemporaryDirectory(prefix="holonomy-") as folder:
        path = os.path.join(folder, "data.csv")
        with open(path, "w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(table)
            # Texts of floats in Python come back to the bit.
            writer.writerows(zip(*(column.tolist() for column in table.values())))
        try:
            yield path
        except AnalysisError as error:
            # The table of the caller has no such path.
            error.args = (str(error).replace(path, f"the {what}"),)
            raise


def free_keys(free: str | Sequence[str] | Mapping[str, Any]) -> list[str]:
    """Keys with their bounds, as the command reads them."""
    if isinstance(free, str):
        return [free]
    if not isinstance(free, Mapping):
        return [str(key) for key in free]
    keys = []
    for key, bounds in free.items():
        if bounds is None:
            keys.append(key)
            continue
        try:
            low, high = (None if bound is None else float(bound) for bound in bounds)
        except (TypeError, ValueError) as error:
            raise TypeError(f"the bounds of `{key}` are two numbers, or `None` for none") from error
        ends = ["" if end is None or np.isinf(end) else repr(end) for end in (low, high)]
        keys.append(f"{key}={':'.join(ends)}")
    return keys


def segment_count(segments: int | str | None) -> int | None:
    """A number of stretches; `None` for as many as the motion asks for."""
    if segments is None or segments == "auto":
        return None
    try:
        count = 0 if isinstance(segments, (bool, str)) else operator.index(segments)
    except TypeError:
        count = 0
    if not 1 <= count <= sys.maxsize:
        raise ValueError(f"`segments` is a whole number from 1, or 'auto', got {segments!r}")
    return count

"""Models built in Python: the same data as a model file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .model import Model

__all__ = ["Tree", "ball", "fixed", "free", "hinge", "lagrangian", "screw", "slide", "universal"]

_AXES = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1), "-x": (-1, 0, 0), "-y": (0, -1, 0), "-z": (0, 0, -1)}


def _axis(axis: str | Sequence[float]) -> list[float]:
    if isinstance(axis, str):
        try:
            return list(_AXES[axis])
        except KeyError:
            raise ValueError(f"an axis is one of {', '.join(_AXES)}, or three numbers; got {axis!r}") from None
    return [float(x) for x in axis]


def _joint(kind: str, at: Sequence[float] | None, **more: Any) -> dict[str, Any]:
    joint: dict[str, Any] = {"kind": kind, **{key: value for key, value in more.items() if value is not None}}
    if at is not None:
        joint["at"] = list(at)
    return joint


def hinge(axis: str | Sequence[float], at: Sequence[float] | None = None, **more: Any) -> dict[str, Any]:
    """A hinge about an axis, `"y"` or three numbers, at a point of the parent.

    >>> import holonomy as hl
    >>> hl.hinge("y", at=(0, 0, -1))
    {'kind': 'revolute', 'axis': [0, 1, 0], 'at': [0, 0, -1]}
    """
    return _joint("revolute", at, axis=_axis(axis), **more)


def slide(axis: str | Sequence[float], at: Sequence[float] | None = None, **more: Any) -> dict[str, Any]:
    """A slide along an axis."""
    return _joint("prismatic", at, axis=_axis(axis), **more)


def screw(axis: str | Sequence[float], pitch: float, at: Sequence[float] | None = None, **more: Any) -> dict[str, Any]:
    """A screw: so many metres along its axis per radian."""
    return _joint("screw", at, axis=_axis(axis), pitch=pitch, **more)


def universal(
    first: str | Sequence[float], second: str | Sequence[float], at: Sequence[float] | None = None, **more: Any
) -> dict[str, Any]:
    """Two hinges in a row."""
    return _joint("universal", at, axes=[_axis(first), _axis(second)], **more)


def ball(at: Sequence[float] | None = None, **more: Any) -> dict[str, Any]:
    """A ball joint."""
    return _joint("spherical", at, **more)


def free(at: Sequence[float] | None = None, **more: Any) -> dict[str, Any]:
    """No joint: the body moves freely."""
    return _joint("free", at, **more)


def fixed(at: Sequence[float] | None = None, **more: Any) -> dict[str, Any]:
    """The body is part of its parent."""
    return _joint("fixed", at, **more)


class Tree:
    """A tree of jointed rigid bodies, built piece by piece. Keys are those of model files.

    >>> import holonomy as hl
    >>> arm = hl.Tree(gravity=(0, 0, -9.81), title="Two links")
    >>> arm.body("upper", joint=hl.hinge("y"), mass=1, shape="rod", to=(0, 0, -1), position="90 deg")
    Tree(1 bodies)
    >>> arm.body("lower", parent="upper", joint=hl.hinge("y", at=(0, 0, -1)), mass=1, shape="rod", to=(0, 0, -1))
    Tree(2 bodies)
    >>> model = arm.model(step=0.01, duration=10)
    >>> model.coordinates
    ['theta.upper', 'theta.lower']
    """

    def __init__(self, gravity: Sequence[float] | None = None, title: str = "", **parameters: Any) -> None:
        self._data: dict[str, Any] = {"title": title, "space": "tree"} if title else {"space": "tree"}
        if gravity is not None:
            self._data["gravity"] = list(gravity)
        if parameters:
            self._data["parameters"] = dict(parameters)

    def _add(self, section: str, entry: Mapping[str, Any]) -> Tree:
        given = {key: value for key, value in entry.items() if value is not None}
        self._data.setdefault(section, []).append(given)
        return self

    def body(self, name: str, joint: Mapping[str, Any], mass: float | str, parent: str | None = None, **keys: Any) -> Tree:
        """Adds a body with its joint; other keys are those of `[[body]]`: `shape`, `to`, `centre`, `inertia`, `position`,
        `velocity`, `sites`, `effort`, `damping` …"""
        return self._add("body", {"name": name, "parent": parent, "joint": dict(joint), "mass": mass, **keys})

    def site(self, name: str, **keys: Any) -> Tree:
        """Adds a named point, as `[[site]]`."""
        return self._add("site", {"name": name, **keys})

    def constraint(self, kind: str, **keys: Any) -> Tree:
        """Adds what the motion satisfies, as `[[constraint]]`: `coincide`, `distance` …"""
        return self._add("constraint", {"kind": kind, **keys})

    def cable(self, **keys: Any) -> Tree:
        """Adds a cable, as `[[cable]]`."""
        return self._add("cable", keys)

    def spring(self, between: Sequence[str], stiffness: float | str, rest_length: float | str, **keys: Any) -> Tree:
        """Adds a spring between two sites."""
        entry = {"kind": "spring", "between": list(between), "stiffness": stiffness, "rest_length": rest_length}
        return self._add("potential", {**entry, **keys})

    def input(self, name: str, on: str, scale: float | None = None) -> Tree:
        """Declares a generalized force that `Simulation.step` sets: on a joint or a velocity."""
        return self._add("input", {"name": name, "on": on, "scale": scale})

    def add(self, section: str, **keys: Any) -> Tree:
        """Adds an entry of any section: `damper`, `beam`, `wrench`, `potential` …"""
        return self._add(section, keys)

    def to_dict(self) -> dict[str, Any]:
        """The model as data, without method and run."""
        return dict(self._data)

    def model(
        self,
        step: float | str,
        duration: float | str | None = None,
        *,
        steps: int | None = None,
        every: int | None = None,
        method: str = "tree-variational",
        name: str = "tree",
        **options: Any,
    ) -> Model:
        """The model, ready to run; options are those of the method."""
        data = dict(self._data)
        data["method"] = {"name": method, **options}
        data["run"] = _run(step, duration, steps, every)
        return Model.from_dict(data, name=name)

    def __repr__(self) -> str:
        return f"Tree({len(self._data.get('body', []))} bodies)"


def _run(step: Any, duration: Any, steps: int | None, every: int | None) -> dict[str, Any]:
    if (duration is None) == (steps is None):
        raise TypeError("say how far to run: `duration` in s, or `steps`")
    run: dict[str, Any] = {"step": step, "duration": duration, "steps": steps, "every": every}
    return {key: value for key, value in run.items() if value is not None}


def lagrangian(
    formula: str,
    *,
    start: Mapping[str, Any],
    step: float | str,
    velocity: Mapping[str, Any] | None = None,
    duration: float | str | None = None,
    steps: int | None = None,
    every: int | None = None,
    force: Mapping[str, str] | None = None,
    constraints: Sequence[str] = (),
    definitions: Mapping[str, str] | None = None,
    invariants: Mapping[str, str] | None = None,
    points: Mapping[str, Sequence[Any]] | None = None,
    lines: Sequence[Sequence[str]] = (),
    periodic: Sequence[str] = (),
    method: str = "midpoint",
    title: str | None = None,
    name: str = "formula",
    **parameters: Any,
) -> Model:
    """A model of a Lagrangian, typed as a formula; a prime marks a velocity. Other keywords are its parameters.

    >>> import holonomy as hl
    >>> p = hl.lagrangian("m*l^2*theta'^2/2 + m*g*l*cos(theta)", m=1, l=1, g="9.81 m/s^2",
    ...                   start={"theta": 1}, step=0.01, duration=10)
    >>> run = p.run()
    >>> round(float(run["theta"].max()), 3)
    1.0

    Without a duration the model has one step, and `run` and `compare` are told how far to go.
    """
    if not start:
        raise ValueError("the formula has no coordinates: give each its start, such as start={'theta': 1}")
    places = {key: value for key, value in start.items() if not key.endswith("'")}
    speeds = {key[:-1]: value for key, value in start.items() if key.endswith("'")}
    speeds.update(velocity or {})
    if duration is None and steps is None:
        steps = 1
    data: dict[str, Any] = {
        "title": f"L = {formula}" if title is None else title,
        "space": "lagrangian",
        "coordinates": list(places),
        "periodic": list(periodic) or None,
        "lagrangian": formula,
        "parameters": parameters or None,
        "definitions": dict(definitions or {}) or None,
        "invariants": dict(invariants or {}) or None,
        "force": dict(force or {}) or None,
        "constraint": [{"formula": text} for text in constraints] or None,
        "points": {key: list(place) for key, place in (points or {}).items()} or None,
        "line": [{"through": list(line)} for line in lines] or None,
        "start": places,
        "velocity": speeds or None,
        "method": {"name": method},
        "run": _run(step, duration, steps, every),
    }
    return Model.from_dict({key: value for key, value in data.items() if value is not None}, name=name)

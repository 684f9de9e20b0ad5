"""Energies and forces of your own: plain callables, or compiled by numba."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

__all__ = ["Potential", "energy_signature", "force_signature", "potential"]


class Potential:
    """A potential energy of points: what `Model.with_potential` takes. Made by `potential`."""

    def __init__(self, function: Any, points: Sequence[str], name: str) -> None:
        self.function = function
        self.points = tuple(points)
        self.name = name

    def __call__(self, *arguments: Any) -> Any:
        return self.function(*arguments)

    def __repr__(self) -> str:
        return f"Potential({self.name!r}, points={list(self.points)})"


def potential(points: Sequence[str], name: str | None = None) -> Callable[[Any], Potential]:
    """Makes a potential of a function of the points of these names.

    A plain callable takes an array of shape (m, 3) and returns the energy in J and its gradient, of the same shape:

    >>> import numpy as np, holonomy as hl
    >>> @hl.potential(points=["bob"])
    ... def attraction(r):
    ...     return 0.5 * np.sum(r * r) + r[0, 0], r + [[1, 0, 0]]
    >>> model = hl.load("spherical-pendulum").with_potential(attraction)
    >>> run = model.run(duration=1)

    A numba `cfunc` of the signature `hl.energy_signature()` is called without Python: `double f(double *points, double
    *gradient)`, the gradient in place.
    """

    def made(function: Any) -> Potential:
        return Potential(function, points, name or str(getattr(function, "__name__", "potential")))

    return made


def energy_signature() -> Any:
    """The signature of a compiled energy, for `numba.cfunc`."""
    from numba import types

    return types.float64(types.CPointer(types.float64), types.CPointer(types.float64))


def force_signature() -> Any:
    """The signature of a compiled force `void f(double t, double *q, double *v, double *force)`, for `numba.cfunc`."""
    from numba import types

    numbers = types.CPointer(types.float64)
    return types.void(types.float64, numbers, numbers, numbers)


def address_or_callable(function: Any, signature: Callable[[], Any]) -> Any:
    """The address of a compiled function, whose signature must be the right one, or the callable itself."""
    if isinstance(function, Potential):
        function = function.function
    address = getattr(function, "address", None)
    if address is None or not hasattr(function, "native_name"):
        return function
    wanted = signature()
    found = getattr(function, "_sig", None)
    if found is not None and tuple(found.args) != tuple(wanted.args):
        raise TypeError(f"the compiled function has the signature {found}, not {wanted}")
    return int(address)


def by_name(callback: Callable[[dict[str, Any]], Any] | None, columns: Sequence[str]) -> Callable[[Any], Any] | None:
    """What hands a row to a callback as a dictionary of its columns."""
    if callback is None:
        return None
    if not callable(callback):
        raise TypeError(f"`callback` is a callable, which takes each sample; got {type(callback).__name__}")
    return lambda row: callback(dict(zip(columns, row.tolist())))

"""Several methods side by side, and errors against the step."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from . import _engine
    from .plot import ComparisonPlots

__all__ = ["Comparison", "Convergence"]


class Comparison:
    """Several methods on one model."""

    __slots__ = ("_core", "data")

    def __init__(self, core: _engine.Comparison) -> None:
        self._core = core
        self.data: dict[str, Any] = json.loads(core.to_json())
        """All of it, as in `compare.json`."""

    @property
    def methods(self) -> list[str]:
        """The methods that ran."""
        return self._core.ran()

    @property
    def not_run(self) -> dict[str, str]:
        """Those that did not, and why."""
        return dict(self._core.not_run())

    @property
    def verdict(self) -> str:
        """What it comes to."""
        return self._core.verdict()

    def energy_error(self, method: str) -> tuple[np.ndarray, np.ndarray]:
        """Times and E − E₀ of a method, thinned as in the figure: the extremes are kept."""
        return self._core.energy(method)

    @property
    def plot(self) -> ComparisonPlots:
        """Figures of matplotlib: `comparison.plot.energy()`."""
        from .plot import ComparisonPlots

        return ComparisonPlots(self)

    def figure(self) -> str:
        """The figure of the command, as SVG."""
        return self._core.figure()

    def page(self) -> str:
        """The page of the command, one file."""
        return self._core.page()

    def __repr__(self) -> str:
        return f"Comparison({', '.join(self.methods)})"

    def _repr_html_(self) -> str:
        from .pages import framed

        return framed(self.page(), "comparison")


class Convergence:
    """Errors of a method against its step."""

    __slots__ = ("_figure", "data")

    def __init__(self, data: str, figure: str) -> None:
        self.data: dict[str, Any] = json.loads(data)
        """All of it, as in `converge.json`."""
        self._figure = figure

    @property
    def order(self) -> float | None:
        """The measured order; `None` where fewer than two errors are above rounding."""
        return self.data["order"]

    @property
    def declared_order(self) -> int:
        """The order that the method declares."""
        return self.data["declared_order"]

    @property
    def steps(self) -> np.ndarray:
        """The steps, s."""
        return np.array([point["step"] for point in self.data["points"]])

    @property
    def errors(self) -> np.ndarray:
        """The errors; not a number where a run failed."""
        return np.array([np.nan if point["error"] is None else point["error"] for point in self.data["points"]])

    def figure(self) -> str:
        """The figure of the command, as SVG."""
        return self._figure

    def __repr__(self) -> str:
        order = "unknown" if self.order is None else f"{self.order:.2f}"
        return f"Convergence({self.data['method']}, order {order}, declared {self.declared_order})"

    def _repr_html_(self) -> str:
        from .pages import figure_html

        return figure_html(self._figure)

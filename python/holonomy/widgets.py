"""The motion of a model in a notebook, with a slider for each number that one turns. Needs anywidget."""

from __future__ import annotations

import pathlib
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from typing import TYPE_CHECKING, Any

try:
    import anywidget
    import traitlets
except ImportError as error:
    raise ImportError("the widget needs anywidget: pip install 'holonomy[widget]'") from error

from .errors import HolonomyError, ModelError
from .model import Knob, Model
from .pages import player_page, readable, thinned

if TYPE_CHECKING:
    from .run import Run

__all__ = ["Values", "Widget"]

MOST_FILM = 120_000
SLIDERS = 5
SECONDS = 10.0

# The page in the frame takes films from the notebook around it, and says that it is ready.
_LISTEN = """addEventListener("message", (event) => {
  if (event.source === parent && event.data && event.data.film)
    document.dispatchEvent(new CustomEvent("holonomy:film", { detail: JSON.parse(event.data.film) }));
});
const ready = setInterval(() => {
  if (!window.holonomyPlayer) return;
  clearInterval(ready);
  parent.postMessage({ holonomy: "ready" }, "*");
}, 30);
"""


class Values(MutableMapping[str, float]):
    """Values of the sliders by path. Setting one moves the slider and runs the model."""

    __slots__ = ("_widget",)

    def __init__(self, widget: Widget) -> None:
        self._widget = widget

    def __getitem__(self, path: str) -> float:
        return self._widget.settings[path]

    def __setitem__(self, path: str, value: float) -> None:
        known = self._widget.settings
        if path not in known:
            raise KeyError(f"there is no slider {path!r}; there are {', '.join(known)}")
        self._widget.settings = {**known, path: float(value)}

    def __delitem__(self, path: str) -> None:
        raise TypeError("sliders stay: give `knobs` when the widget is made")

    def __iter__(self) -> Iterator[str]:
        return iter(self._widget.settings)

    def __len__(self) -> int:
        return len(self._widget.settings)

    def __repr__(self) -> str:
        return f"Values({dict(self)})"


class Widget(anywidget.AnyWidget):
    """The 3-D viewer of a model with a slider for each of some numbers. Whoever moves one, hand or Python, the model is
    run again in Python, and `run` is what came of it.

    `knobs` are paths of `Model.knobs`, or a dictionary of paths and their (least, most); without, the first few sensible
    ones. `duration` is how much of the motion is shown, s.

    Values that the model refuses are told in the widget (`problem`), and the last good run stays.
    """

    _esm = pathlib.Path(__file__).parent / "static" / "widget.js"
    _css = pathlib.Path(__file__).parent / "static" / "widget.css"

    settings = traitlets.Dict(key_trait=traitlets.Unicode(), value_trait=traitlets.Float()).tag(sync=True)
    """Values of the sliders by path: what one observes, and sets as a whole."""
    problem = traitlets.Unicode("").tag(sync=True)
    """Why the last values did not run; empty where they did."""
    run = traitlets.Any(None, allow_none=True)
    """The last run that went well."""
    _sliders: Any = traitlets.List().tag(sync=True)
    _page = traitlets.Unicode("").tag(sync=True)
    _film = traitlets.Unicode("").tag(sync=True)
    _height = traitlets.Int(460).tag(sync=True)

    def __init__(
        self,
        model: Model,
        knobs: Sequence[str] | Mapping[str, tuple[float, float]] | None = None,
        *,
        duration: float | None = None,
        height: int = 460,
    ) -> None:
        lasting = min(model.duration, SECONDS) if duration is None else float(duration)
        # A model of one step says nothing about how long it is to be seen.
        self._model = model.replace(duration=SECONDS if duration is None and model.steps <= 1 else lasting)
        chosen = _chosen(model, knobs)
        run = self._ran({})
        film = run._core.film()
        if film is None:
            raise ValueError("this model has nothing that the viewer can draw: plot its run")
        film = thinned(film, MOST_FILM)
        super().__init__(
            settings={path: knob.value for path, knob, _ in chosen},
            run=run,
            _sliders=[_slider(path, knob, bounds) for path, knob, bounds in chosen],
            _page=player_page(film, "", script=_LISTEN),
            _film=film,
            _height=height,
        )
        self._start = dict(self.settings)
        self.observe(self._again, "settings")

    @property
    def values(self) -> Values:
        """Values of the sliders: `widget.values["body.upper.mass"] = 2` moves one."""
        return Values(self)

    @property
    def model(self) -> Model:
        """The model of the last good run."""
        return self.run.model

    def _ran(self, settings: Mapping[str, float]) -> Run:
        return self._model.replace(dict(settings)).run(certify="none")

    def _again(self, _change: Any) -> None:
        turned = {path: value for path, value in self.settings.items() if value != self._start.get(path)}
        try:
            run = self._ran(turned)
        except ModelError as error:
            self.problem = error.problems[0].message if error.problems else str(error)
            return
        except (HolonomyError, ArithmeticError, ValueError) as error:
            self.problem = str(error)
            return
        film = thinned(run._core.film(), MOST_FILM)
        with self.hold_sync():
            self.problem = ""
            if film is not None:
                self._film = film
        self.run = run


def _chosen(
    model: Model, knobs: Sequence[str] | Mapping[str, tuple[float, float]] | None
) -> list[tuple[str, Knob, tuple[float, float] | None]]:
    """The numbers that get sliders, under the paths by which they were asked for."""
    known: dict[str, Knob] = {}
    for knob in model.knobs:
        known[knob.path] = knob
        known[readable(knob, model)] = knob
    if knobs is None:
        return [(readable(knob, model), knob, None) for knob in _sensible(model.knobs)[:SLIDERS]]
    if isinstance(knobs, str):
        knobs = [knobs]
    unknown = [path for path in knobs if path not in known]
    if unknown:
        raise ValueError(f"`{unknown[0]}` is no number that can be turned; `model.knobs` lists them")
    bounds = knobs if isinstance(knobs, Mapping) else {}
    return [(path, known[path], bounds.get(path)) for path in knobs]


def _sensible(knobs: list[Knob]) -> list[Knob]:
    """Parameters first, then starts, masses and lengths; no axes and nothing of the run."""

    def rank(knob: Knob) -> int:
        parts = knob.path.split(".")
        if parts[0] in ("run", "method", "output", "up"):
            return 9
        if parts[0] == "parameters":
            return 0
        if parts[0] in ("start", "velocity"):
            return 1
        vector = parts[-1].isdigit()
        if not vector and parts[-1] in ("mass", "length", "position", "angle", "stiffness", "damping", "rate"):
            return 2
        if vector and "axis" not in parts and knob.value != 0 and parts[0] in ("body", "gravity"):
            return 3 if parts[-2] in ("angular_velocity", "velocity", "position", "gravity") else 8
        return 8 if vector else 4

    return sorted((knob for knob in knobs if rank(knob) < 8), key=rank) or [knob for knob in knobs if rank(knob) < 9]


def _slider(path: str, knob: Knob, bounds: tuple[float, float] | None) -> dict[str, Any]:
    """What the page needs for a slider: about nothing to twice the value, as far as the number may go."""
    if bounds is None:
        reach = 2 * abs(knob.value) if knob.value else 1.0
        low, high = (-reach, reach) if knob.least is None else (knob.least, max(knob.least + reach, reach))
        if knob.least is None and knob.value > 0 and knob.unit not in ("rad", "rad/s", "m/s"):
            low = high / 100 if path.startswith("parameters.") else low
        if knob.least is not None and low == knob.least:
            low += (high - low) / 100
        if knob.most is not None:
            high = min(high, knob.most)
    else:
        low, high = map(float, bounds)
        if not low < high:
            raise ValueError(f"the slider of `{path}` goes from less to more, not from {low:g} to {high:g}")
    unit = "" if knob.unit == "1" else knob.unit
    return {"path": path, "unit": unit, "least": min(low, knob.value), "most": max(high, knob.value), "value": knob.value}

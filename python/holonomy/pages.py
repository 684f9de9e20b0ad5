"""Pages in notebooks and in the browser: one sandboxed page each, which needs nothing from outside."""

from __future__ import annotations

import atexit
import base64
import functools
import html
import json
import os
import re
import shutil
import sys
import tempfile
import webbrowser
import zlib
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _engine

if TYPE_CHECKING:
    from .ensemble import Cases
    from .model import Knob, Model
    from .run import Certificate, Run

__all__ = ["framed", "play", "show"]


class Page:
    """A page that a notebook shows below its cell, alive also in a saved notebook."""

    __slots__ = ("_height", "_page", "_title")

    def __init__(self, page: str, title: str, height: int = 640) -> None:
        self._page = page
        self._title = title
        self._height = height

    def _repr_html_(self) -> str:
        return framed(self._page, self._title, self._height)

    def __repr__(self) -> str:
        return f"Page({self._title!r})"


def framed(page: str, title: str, height: int = 640) -> str:
    """A page in a frame of its own, which sees neither the notebook nor the network."""
    page = page.replace("</head>", f"<style>{_INSIDE}</style></head>", 1)
    return (
        f'<iframe title="{html.escape(title)}" sandbox="allow-scripts allow-downloads" allow="fullscreen" loading="lazy" '
        f'style="display:block;box-sizing:border-box;width:100%;height:{height}px;border:1px solid #8886;border-radius:8px" '
        f'srcdoc="{_quoted(page)}"></iframe>'
    )


# Headings and margins of a page are too large inside another.
_INSIDE = """body>main{padding-top:.6rem;padding-bottom:.6rem}body>main>header{margin:0 0 .6rem;padding:0}
body>main h1{font-size:1.25rem;margin:0}body>main h2{font-size:1.05rem;margin-top:0}body>main>section{margin-bottom:.8rem}
body>main .player-stage{height:min(52vh,32rem)}"""


def _quoted(page: str) -> str:
    """As the value of an attribute: only two letters mean something there."""
    return page.replace("&", "&amp;").replace('"', "&quot;")


def in_notebook() -> bool:
    """Whether cells of a notebook show what is returned."""
    try:
        from IPython import get_ipython
    except ImportError:
        return False
    shell = get_ipython()
    return shell is not None and "IPKernelApp" in getattr(shell, "config", {})


@functools.cache
def _directory() -> str:
    folder = tempfile.mkdtemp(prefix="holonomy-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def show(page: str, title: str, fragment: str = "", height: int = 640) -> Page | None:
    """Shows a page: in a notebook below the cell, else in the browser."""
    if in_notebook():
        return Page(page, title, height)
    path = os.path.join(_directory(), f"{title}.html")
    with open(path, "w", encoding="utf-8") as file:
        file.write(page)
    address = f"file://{path}{fragment}"
    if not webbrowser.open(address):
        print(f"open {address} in a browser", file=sys.stderr)
    return None


def play(model: Model | None) -> Page | None:
    """Opens the playground."""
    scenario = None if model is None else model.name
    known = {name for name, _, _ in _engine.scenarios()}
    text = None
    if model is not None:
        model._require_text("played in the browser")
        if scenario is None or scenario not in known or model != _loaded(scenario):
            scenario, text = None, model.to_toml()
    page, fragment = _engine.playground(scenario, text)
    source = bytes(page).decode("utf-8")
    if in_notebook() and fragment:
        # A page in a frame has no address that it may change: what would stand there is written into it.
        script = f"location.hash={json.dumps(fragment)};history.replaceState=()=>undefined"
        source = source.replace("<title>", f"<script>{script}</script><title>", 1)
    return show(source, "playground" if model is None else model.name, fragment, 760)


def _loaded(name: str) -> Model:
    from .model import load

    return load(name)


@functools.cache
def player_code() -> str:
    """The player, packed, as reports hold it."""
    run = _loaded("spherical-pendulum").run(steps=2, certify="none")
    return run.report().split('id="player-code">', 1)[1].split("</script>", 1)[0]


_LOADER = """(async () => {
const packed = Uint8Array.from(atob(document.getElementById("player-code").textContent), (c) => c.charCodeAt(0));
const code = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
const script = document.createElement("script");
script.src = URL.createObjectURL(new Blob([await new Response(code).arrayBuffer()], { type: "text/javascript" }));
document.head.append(script);
})();"""

_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' blob:; style-src 'unsafe-inline'; img-src data: blob:; "
    "base-uri 'none'; form-action 'none'"
)

_LOOK = """
:root { color-scheme: light dark; --ink: #1a2027; --soft: #4d5966; --line: #cfd6de; --paper: #fff;
  --good: #00703c; --doubtful: #8a4b00; --bad: #b00020; }
@media (prefers-color-scheme: dark) { :root { --ink: #e9eef4; --soft: #b3bfcb; --line: #333d48; --paper: #11161b;
  --good: #5fd394; --doubtful: #ffb454; --bad: #ff8a94; } }
* { box-sizing: border-box; }
body { margin: 0; padding: .6rem .8rem; min-height: 100vh; display: flex; flex-direction: column; gap: .5rem;
  background: var(--paper); color: var(--ink); font: 14px/1.45 system-ui, sans-serif; }
header b { font-size: 1.1rem; } header span { color: var(--soft); margin-left: .5rem; }
figure { margin: 0; } figure > svg, .still svg { max-width: 100%; height: auto; background: #fff; border-radius: 6px; }
body .player-live { display: flex; flex-direction: column; margin: 0; }
body .player-live:not(.player-flat):not(.player-blind) { flex: 1 0 auto; }
body.bare { padding: 0; } body.bare .player-live { border: 0; border-radius: 0; }
body .player-live:not(.player-flat):not(.player-blind) .player-stage { flex: 1 0 auto; height: 42vh; min-height: 220px; }
.answers p { margin: .15rem 0; padding-left: 1.4em; text-indent: -1.4em; }
.answers p > b { display: inline-block; width: 1.4em; text-indent: 0; }
.good { color: var(--good); } .doubtful { color: var(--doubtful); } .bad { color: var(--bad); } .neutral { color: var(--soft); }
details { margin-top: .3rem; } summary { cursor: pointer; color: var(--soft); }
.table { overflow-x: auto; } table { border-collapse: collapse; margin: .4rem 0; min-width: 34rem; }
th, td { text-align: left; vertical-align: top; padding: .25rem .8rem .25rem 0; border-bottom: 1px solid var(--line); }
"""


def player_page(film: str | None, title: str, subtitle: str = "", below: str = "", script: str = "") -> str:
    """A small page with a player that fills it, and what stands below that."""
    head = f"<header><b>{html.escape(title)}</b><span>{html.escape(subtitle)}</span></header>" if title else ""
    moving = ""
    if film is not None:
        # Only texts have this letter, and none of them may end the element.
        film = film.replace("<", "\\u003c")
        moving = (
            f'<figure id="player" class="player"></figure><script type="application/json" id="film">{film}</script>'
            f'<script type="text/plain" id="player-code">{player_code()}</script><script>{script}{_LOADER}</script>'
        )
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" '
        f'content="{_POLICY}"><meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{html.escape(title)}</title><style>{_LOOK}</style></head>"
        f"<body{'' if head else ' class=bare'}>{head}{moving}{below}</body></html>"
    )


MOST_FILM = 160_000
"""Letters of a film in a notebook, about: more frames are left out."""


def thinned(film: str | None, most: int = MOST_FILM) -> str | None:
    """A film with fewer frames, if its text is too long: every second one, every third …, and the last."""
    if film is None or len(film) <= most:
        return film
    data = json.loads(film)
    scenes = sum(len(json.dumps(clip["scene"])) for clip in data["clips"])
    apart = max(2, -(-(len(film) - scenes) // max(most - scenes, most // 4)))
    for clip in data["clips"]:
        times = _numbers(clip["times"], "<f4", 1)
        count = len(times)
        kept = np.unique(np.append(np.arange(0, count, apart), count - 1))
        clip["times"] = _text(times[kept])
        moved = clip.get("frames") or {}
        for holder, key, kind in (
            (clip.get("points"), "data", "<i2"),
            (moved.get("positions"), "data", "<i2"),
            (moved, "rotations", "<i2"),
            (clip, "heat", "u1"),
            (clip.get("coordinates"), "q", "<f4"),
            (clip.get("coordinates"), "v", "<f4"),
        ):
            if holder and holder.get(key):
                holder[key] = _text(_numbers(holder[key], kind, count)[kept])
        clip["every"] = clip.get("every", 1) * apart
    samples = data["clips"][0]["every"]
    data["note"] = f"One of {samples} samples is shown."
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


def _numbers(text: str, kind: str, rows: int) -> np.ndarray:
    """Numbers of a film; one row of them is a list."""
    flat = np.frombuffer(base64.b64decode(text), dtype=kind)
    return flat if rows == 1 else flat.reshape(rows, -1)


def _text(numbers: np.ndarray) -> str:
    return base64.b64encode(np.ascontiguousarray(numbers).tobytes()).decode("ascii")


def points_of(film: dict[str, Any]) -> dict[str, np.ndarray]:
    """Where the points of the first clip are, m: an array with a row for each frame, rounded for display."""
    clip = film["clips"][0]
    points, names = clip.get("points"), clip["scene"]["points"]
    if not points or not names:
        return {}
    count = len(_numbers(clip["times"], "<f4", 1))
    raw = _numbers(points["data"], "<i2", count).reshape(count, -1, 3)
    places = np.where(raw == -32768, np.nan, np.asarray(points["origin"]) + points["scale"] * raw)
    return {name: places[:, k] for k, name in enumerate(names)}


def run_html(run: Run) -> str:
    """A run as player and certificate, in one page."""
    model = run.model
    film = thinned(run._core.film())
    below = ""
    if film is None:
        figures = run.figures()
        below = "".join(f'<div class="still">{figures[name]}</div>' for name in list(figures)[:1])
    # Without a scene the player draws dials, which are lower.
    flat = film is not None and not any((clip["scene"] or {}).get("shapes") for clip in json.loads(film)["clips"])
    page = player_page(film, model.title or run.name, _line(model, run), below + _certificate(run.certificate, True))
    return framed(page, run.name, 500 if flat else 640)


def _line(model: Model, run: Run | None = None) -> str:
    if run is None:
        return f"{model.family}, {model.method}, {model.steps} steps of {model.step:g} s"
    return f"{model.method}, step {model.step:g} s, {len(run)} samples to t = {run.t[-1]:g} s"


def model_html(model: Model) -> str:
    """A drawing of a model and a table of its numbers."""
    drawing = ""
    try:
        figures = dict(model.replace(steps=1, every=1)._core.run({"certify": "none"})[0].figures())
        for name in ("configurations.svg", "views.svg", "trajectory.svg", "attitude.svg"):
            if name in figures:
                figure = figures[name][figures[name].find("<svg") :]
                figure = figure.replace("<svg", '<svg style="max-width:100%;height:auto;display:block"', 1)
                # What one figure defines must not be mistaken for that of another in the same notebook.
                mark = f"m{zlib.crc32(model.to_toml().encode()):x}-"
                figure = figure.replace('id="', f'id="{mark}').replace("url(#", f"url(#{mark}")
                card = "background:#fff;border-radius:6px;overflow:hidden;max-width:30rem;flex:1 1 18rem"
                drawing = f'<div style="{card}">{figure}</div>'
                break
    except Exception:  # A model that cannot take its first step is shown without a drawing.
        drawing = ""
    rows = [
        f"<tr><td style='text-align:left'><code>{html.escape(path)}</code></td>"
        f"<td style='text-align:right'>{html.escape(value)}</td>"
        f"<td style='text-align:left'>{html.escape(unit)}</td></tr>"
        for path, value, unit in _grouped(model)
    ]
    table = f"<table style='margin:0'>{''.join(rows[:12])}</table>"
    if len(rows) > 12:
        table += (
            f"<details><summary>{len(rows) - 12} more</summary>"
            f"<div style='max-height:22rem;overflow:auto'><table style='margin:0'>{''.join(rows[12:212])}</table>"
            f"{'<p>and more: <code>model.knobs</code></p>' if len(rows) > 212 else ''}</div></details>"
        )
    head = html.escape(model.title or model.name)
    return (
        f"<div><b>{head}</b><br><small>{html.escape(_line(model))}</small>"
        f"<div style='display:flex;flex-wrap:wrap;gap:1rem;align-items:flex-start;margin-top:.4rem'>{drawing}"
        f"<div style='flex:0 1 auto;max-width:100%;overflow-x:auto'>{table}</div></div></div>"
    )


def _grouped(model: Model) -> list[tuple[str, str, str]]:
    """Numbers of a model: path, value and unit, components of a vector in one row."""
    groups: dict[str, tuple[list[str], str]] = {}
    for knob in model.knobs:
        path = readable(knob, model)
        whole, _, last = path.rpartition(".")
        if last.isdigit() and knob.label.startswith("component "):
            path = whole
        groups.setdefault(path, ([], "" if knob.unit == "1" else knob.unit))[0].append(f"{knob.value:.6g}")
    written = lambda values: values[0] if len(values) == 1 else f"({', '.join(values)})"
    return [(path, written(values), unit) for path, (values, unit) in groups.items()]


def readable(knob: Knob, model: Model) -> str:
    """The path of a number with the name of its body instead of the number of that: `body.upper.mass`."""
    parts = knob.path.split(".")
    if parts[0] == "body" and len(parts) > 2 and parts[1].isdigit():
        for name in re.findall(r"of body `([^`]+)`", knob.label)[-1:]:
            if not re.search(r"[.\s]", name):
                parts[1] = name
    return ".".join(parts)


_MARKS = {"good": ("✓", "#00703c"), "doubtful": ("!", "#8a4b00"), "bad": ("✗", "#b00020"), "neutral": ("–", "#56606b")}


def _badge(verdict: str, text: str) -> str:
    """A word on a ground of its own, legible on light and on dark pages."""
    colour = _MARKS[verdict][1]
    style = f"background:{colour};color:#fff;border-radius:.3em;padding:.05em .45em;white-space:nowrap"
    return f'<span style="{style}">{html.escape(text)}</span>' if text else ""


def _said(text: str) -> str:
    """What stands between back-quotes is code."""
    return re.sub(r"`([^`]*)`", r"<code>\1</code>", html.escape(text))


def _certificate(certificate: Certificate, page: bool) -> str:
    answers = "".join(
        f"<p style='margin:.2em 0'>"
        + (
            f"<b class='{answer.verdict}'>{_MARKS[answer.verdict][0]}</b>"
            if page
            else f"{_badge(answer.verdict, _MARKS[answer.verdict][0])} "
        )
        + f"{_said(answer.text)}</p>"
        for answer in certificate.answers
    )
    left = "" if page else " style='text-align:left;vertical-align:top'"
    rows = "".join(
        f"<tr><td{left}>{html.escape(line.subject)}</td><td{left}>{_said(line.promised)}</td>"
        f"<td{left}>{_said(line.measured)}</td><td{left}>"
        + (f"<span class='{line.verdict}'>{html.escape(line.word)}</span>" if page else _badge(line.verdict, line.word))
        + "</td></tr>"
        for line in certificate.lines
    )
    names = ("what", "promised", "measured", "verdict")
    head = f"<tr>{''.join(f'<th{left}>{name}</th>' for name in names)}</tr>"
    table = f"<div class='table' style='overflow-x:auto'><table style='min-width:40rem'>{head}{rows}</table></div>"
    if page:
        return (
            f"<section class='answers'>{answers}<details><summary>What was promised, and what was measured</summary>"
            f"{table}</details></section>"
        )
    return f"<div>{answers}{table}</div>"


def certificate_html(certificate: Certificate) -> str:
    """The answers of a certificate, and its lines."""
    return _certificate(certificate, False)


def figure_html(figure: str) -> str:
    """A figure of the command on white ground, as wide as there is room."""
    figure = figure[figure.find("<svg") :].replace("<svg", '<svg style="max-width:100%;height:auto;display:block"', 1)
    return f'<div style="background:#fff;border-radius:6px;overflow:hidden;display:inline-block;max-width:100%">{figure}</div>'


def cases_html(cases: Cases) -> str:
    """The page of a sweep where it has one, else the first rows of its table."""
    if cases.folder is not None:
        path = os.path.join(cases.folder, "sweep.html")
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                return framed(file.read(), "sweep")
    names = cases.columns[:12]
    head = "".join(f"<th>{html.escape(name)}</th>" for name in names)
    body = ""
    for row in range(min(len(cases), 10)):
        values = (cases[name][row] for name in names)
        cells = "".join(f"<td>{value:.6g}</td>" if isinstance(value, float) else f"<td>{html.escape(str(value))}</td>" for value in values)
        body += f"<tr>{cells}</tr>"
    shown = f", the first {min(len(cases), 10)} and {len(names)} shown" if len(cases) > 10 or len(cases.columns) > 12 else ""
    more = f"<p><small>{len(cases)} cases, {len(cases.columns)} columns{shown}; all of them: <code>.to_pandas()</code></small></p>"
    return f"<div style='overflow-x:auto'><table><tr>{head}</tr>{body}</table></div>{more}"

"""Notebooks in JupyterLab and as saved pages, in Chromium: what should move moves, and nothing leaves the machine."""

from __future__ import annotations

import os
import pathlib
import re
import secrets
import shutil
import socket
import subprocess
import sys
import time
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import holonomy

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
# No graphics card: three.js draws by SwiftShader.
FLAGS = ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
PACKAGE = str(pathlib.Path(holonomy.__file__).resolve().parents[1])
SECONDS = 120

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="pages were NOT opened: there is no Chromium (CHROMIUM names one)")
sync_api = pytest.importorskip("playwright.sync_api", reason="pages were NOT opened: playwright is not installed")
nbformat = pytest.importorskip("nbformat", reason="pages were NOT opened: nbformat is not installed")


def environment() -> dict[str, str]:
    path = os.pathsep.join(filter(None, [PACKAGE, os.environ.get("PYTHONPATH")]))
    return {**os.environ, "PYTHONPATH": path}


def until(what: str, holds: Callable[[], Any], seconds: float = SECONDS, page: Any = None) -> Any:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = holds()
        if found:
            return found
        page.wait_for_timeout(100) if page else time.sleep(0.1)
    raise TimeoutError(what)


def notebook(path: pathlib.Path, *cells: str) -> None:
    made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    made.metadata["kernelspec"] = {"display_name": "Python 3", "language": "python", "name": "python3"}
    nbformat.write(made, path)


@pytest.fixture
def browser() -> Iterator[Any]:
    with sync_api.sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture
def server(tmp_path: pathlib.Path) -> Iterator[tuple[str, pathlib.Path]]:
    pytest.importorskip("jupyterlab", reason="JupyterLab was NOT tried: it is not installed")
    pytest.importorskip("anywidget", reason="the widget was NOT tried: anywidget is not installed")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    token = secrets.token_hex(16)
    folder = tmp_path / "work"
    folder.mkdir()
    # Settings of whoever runs the test stay out of it.
    own = {name: str(tmp_path / name.lower()) for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR")}
    options = {
        "ServerApp.port": port,
        "ServerApp.ip": "127.0.0.1",
        "ServerApp.root_dir": folder,
        "IdentityProvider.token": token,
        "LabApp.news_url": "None",
        "LabApp.check_for_updates_class": "jupyterlab.NeverCheckForUpdate",
        "LabApp.workspaces_dir": tmp_path / "workspaces",
        "LabApp.user_settings_dir": tmp_path / "settings",
    }
    words = [f"--{name}={value}" for name, value in options.items()]
    with open(tmp_path / "log.txt", "w") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", *words],
            env={**environment(), **own},
            stdout=log,
            stderr=log,
        )
        try:
            address = f"http://127.0.0.1:{port}"

            def answers() -> bool:
                assert process.poll() is None, (tmp_path / "log.txt").read_text()
                try:
                    urllib.request.urlopen(f"{address}/api?token={token}", timeout=5)
                except OSError:
                    return False
                return True

            until("JupyterLab starts", answers)
            yield f"{address}/lab/tree/NAME?token={token}&reset", folder
        finally:
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()


def player(page: Any) -> Any:
    """The frame that the player of a page is in."""

    def found() -> Any:
        for frame in page.frames[1:]:
            try:
                if frame.evaluate("window.holonomyPlayer !== undefined"):
                    return frame
            except sync_api.Error:
                continue
        return None

    return until("the player starts", found, page=page)


def moves(page: Any, frame: Any) -> None:
    """Time goes on, and other pixels are drawn."""
    canvas = frame.locator("canvas").first
    canvas.scroll_into_view_if_needed()
    until("it plays", lambda: frame.evaluate("holonomyPlayer.playing"), page=page)
    time_then, picture = frame.evaluate("holonomyPlayer.time"), frame.evaluate("holonomyPlayer.snapshot()")
    until("time goes on", lambda: frame.evaluate("holonomyPlayer.time") != time_then, page=page)
    until("the picture changes", lambda: frame.evaluate("holonomyPlayer.snapshot()") != picture, page=page)
    first = canvas.screenshot()
    until("what is seen changes", lambda: canvas.screenshot() != first, page=page)


def test_the_widget_in_jupyterlab(browser: Any, server: tuple[str, pathlib.Path]) -> None:
    address, folder = server
    notebook(
        folder / "widget.ipynb",
        "import json, pathlib\n"
        "import holonomy as hl\n"
        "w = hl.widget('spherical-pendulum', ['body.bob.length', 'body.bob.mass'], height=340)\n"
        "def told(change):\n"
        "    found = {'values': dict(w.values), 'largest': float(abs(w.run.data).max()), 'problem': w.problem}\n"
        "    pathlib.Path('told.json').write_text(json.dumps(found))\n"
        "w.observe(told, ['run', 'problem'])\n"
        "first = w.run.data.copy()\n"
        "w",
        "w.values['body.bob.length'] = 1.25\n"
        "pathlib.Path('differs.txt').write_text(str(float(abs(w.run.data - first).max())))",
        "w.values['body.bob.mass'] = -1",
    )
    context = browser.new_context(viewport={"width": 1300, "height": 1000})
    asked: list[str] = []
    context.on("request", lambda request: asked.append(request.url))
    page = context.new_page()
    page.goto(address.replace("NAME", "widget.ipynb"))
    cells = page.locator(".jp-Notebook .jp-CodeCell")
    cells.first.wait_for(timeout=1000 * SECONDS)

    def execute(number: int) -> None:
        """A key that is pressed while the page still builds itself is lost: it is pressed until the cell has its number."""
        prompt = cells.nth(number).locator(".jp-InputPrompt").first

        def started() -> bool:
            if not re.search(r"[\d*]", prompt.inner_text()):
                cells.nth(number).locator(".cm-content").click()
                page.keyboard.press("Shift+Enter")
                page.wait_for_timeout(1000)
            return re.search(r"[\d*]", prompt.inner_text()) is not None

        until("the cell is executed", started, page=page)

    idle = page.locator('.jp-Notebook-ExecutionIndicator[data-status="idle"]').first
    idle.wait_for(state="attached", timeout=1000 * SECONDS)
    execute(0)
    slider = page.locator(".holonomy-sliders input").first
    try:
        slider.wait_for(timeout=1000 * SECONDS)
    except sync_api.TimeoutError:
        raise TimeoutError(f"the widget does not appear: {page.locator('.jp-Notebook').inner_text()[-2000:]}") from None
    moves(page, player(page))

    # By hand: the array in Python changes.
    slider.fill("1.7")
    told = folder / "told.json"
    until("Python hears of the slider", lambda: told.exists() and '"body.bob.length": 1.7' in told.read_text(), page=page)

    # By Python: the slider moves, and the array is that of the new value.
    execute(1)
    until("the slider follows Python", lambda: float(slider.input_value()) == 1.25, page=page)
    until("the run follows", lambda: (folder / "differs.txt").exists(), page=page)
    assert float((folder / "differs.txt").read_text()) > 0.01
    moves(page, player(page))

    # What the model refuses is said, and the last good run stays.
    execute(2)
    until("the problem is told", lambda: "must be positive" in page.locator(".holonomy-problem").inner_text(), page=page)
    assert page.locator(".holonomy-problem").is_visible()

    outside = [url for url in asked if urllib.parse.urlsplit(url).hostname not in (None, "127.0.0.1", "localhost")]
    assert not outside
    assert len(asked) > 10
    if shots := os.environ.get("SHOTS"):
        page.screenshot(path=os.path.join(shots, "jupyterlab.png"))


def test_a_saved_notebook_plays_without_a_network(browser: Any, tmp_path: pathlib.Path) -> None:
    pytest.importorskip("nbconvert", reason="saved notebooks were NOT tried: nbconvert is not installed")
    notebook(
        tmp_path / "saved.ipynb",
        "import holonomy as hl\nhl.run('double-spherical-pendulum', duration=10)",
        "hl.play('kepler')",
    )
    words = ["-m", "nbconvert", "--to", "html", "--execute", "saved.ipynb"]
    subprocess.run([sys.executable, *words], cwd=tmp_path, env=environment(), check=True, timeout=SECONDS, capture_output=True)
    context = browser.new_context(viewport={"width": 1200, "height": 900}, offline=True)
    complaints: list[str] = []
    page = context.new_page()
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto((tmp_path / "saved.html").as_uri())
    assert [frame.get_attribute("sandbox") for frame in page.locator("iframe").all()] == ["allow-scripts allow-downloads"] * 2
    frame = player(page)
    moves(page, frame)
    assert "Conserved" in frame.locator(".answers").inner_text()
    # The playground opens the model that it was given.
    page.locator("iframe").last.scroll_into_view_if_needed()
    until("the playground shows the model", lambda: any("Kepler" in other.title() for other in page.frames[1:]), page=page)
    assert not [text for text in complaints if "require" not in text and "MathJax" not in text]

"""The player in Chromium: `python player.py [--shots FOLDER]`, after `node build.mjs player`.

Needs Playwright from PyPI, node, and a Chromium (`CHROMIUM`, or the one on the path): nothing is downloaded.
"""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from playwright.sync_api import Page, sync_playwright

HERE = pathlib.Path(__file__).resolve().parent
PLAYER = HERE.parent.parent / "crates/holonomy-report/assets/player.js"
FILMS = ["double-pendulum", "compare", "coordinates", "every-shape", "molecules", "thousand"]
# No graphics card: three.js draws by SwiftShader.
FLAGS = ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
# As in a report.
POLICY = "default-src 'none'; script-src 'unsafe-inline' blob:; style-src 'unsafe-inline'; img-src data:; base-uri 'none'"
FIGURE = """<svg viewBox="0 0 600 140" width="100%" data-time="0 10" data-x="40 590" data-y="10 110">
<rect x="40" y="10" width="550" height="100" fill="none" stroke="gray"/></svg>
<svg viewBox="0 0 600 100" width="100%"><g transform="translate(300 0)" data-time="0 10" data-x="20 280" data-y="10 90">
<rect x="20" y="10" width="260" height="80" fill="none" stroke="gray"/></g></svg>"""
# What the scene may cost for a thousand bodies, ms.
MOST_UPDATE = 4.0


def write_page(folder: pathlib.Path, name: str) -> str:
    film = (folder / f"{name}.json").read_text().replace("</", "<\\/")
    page = f"""<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{name}</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<style>body {{ max-width: 1200px; margin: 1rem auto; padding: 0 1rem; font-family: system-ui }}</style></head>
<body><h1>{name}</h1><figure id="player" class="player"><p id="still">A still picture.</p></figure>{FIGURE}
<script type="application/json" id="film">{film}</script><script>{PLAYER.read_text()}</script></body></html>"""
    path = folder / f"{name}.html"
    path.write_text(page)
    return path.as_uri()


class Checks:
    def __init__(self) -> None:
        self.failed: list[str] = []

    def __call__(self, what: str, holds: bool, found: object = "") -> None:
        print(f"{'ok  ' if holds else 'FAIL'} {what} {found}")
        if not holds:
            self.failed.append(what)


def number(page: Page, expression: str) -> float:
    return page.evaluate(expression)


def until(page: Page, expression: str) -> None:
    """Playwright's own `wait_for_function` evaluates text in the page, which its policy forbids."""
    for _ in range(600):
        if page.evaluate(expression):
            return
        page.wait_for_timeout(50)
    raise TimeoutError(expression)


TIME = "holonomyPlayer.time"


def open_page(context, address: str, complaints: list[str]) -> Page:
    page = context.new_page()
    page.on("console", lambda m: complaints.append(m.text) if m.type in ("error", "warning") and "GPU stall" not in m.text else None)
    page.on("pageerror", lambda e: complaints.append(str(e)))
    page.on("request", lambda r: complaints.append(r.url) if not r.url.startswith(("file:", "blob:", "data:")) else None)
    page.goto(address)
    until(page, "window.holonomyPlayer !== undefined")
    return page


def plays(browser, addresses: dict[str, str], check: Checks) -> None:
    """With motion: starts by itself, pixels change, keys and slider work."""
    context = browser.new_context(viewport={"width": 1000, "height": 800}, reduced_motion="no-preference")
    for name, address in addresses.items():
        complaints: list[str] = []
        page = open_page(context, address, complaints)
        until(page, "holonomyPlayer.playing && holonomyPlayer.time > 0.05 * holonomyPlayer.film.duration")
        page.evaluate("holonomyPlayer.stop()")
        first = page.locator(".player-stage").screenshot()
        page.evaluate("holonomyPlayer.seek(0.6 * holonomyPlayer.film.duration)")
        check(f"{name}: plays and pixels change", first != page.locator(".player-stage").screenshot())
        check(f"{name}: no complaint, no request", complaints == [], complaints)
        page.close()

    page = open_page(context, addresses["double-pendulum"], [])
    page.evaluate("holonomyPlayer.stop(); holonomyPlayer.seek(0)")
    page.get_by_role("slider", name="Time").focus()
    step = number(page, "holonomyPlayer.frameStep")
    page.keyboard.press("ArrowRight")
    check("arrow: one frame on", abs(number(page, TIME) - step) < 1e-6, number(page, TIME))
    page.keyboard.press("ArrowLeft")
    check("arrow: one frame back", number(page, TIME) == 0)
    page.keyboard.press("End")
    check("End: the last frame", number(page, TIME) == 10)
    page.keyboard.press("Home")
    check("Home: the first frame", number(page, TIME) == 0)
    before = number(page, "holonomyPlayer.speed")
    page.keyboard.press("+")
    check("+: faster", number(page, "holonomyPlayer.speed") > before)
    check("the speed is said", "2 s of motion per second" in page.locator(".player-pace").inner_text())
    page.keyboard.press("-")
    check("-: slower", number(page, "holonomyPlayer.speed") == before)
    page.keyboard.press(" ")
    check("space: plays", page.evaluate("holonomyPlayer.playing"))
    page.keyboard.press(" ")
    check("space: pauses", not page.evaluate("holonomyPlayer.playing"))
    page.evaluate("holonomyPlayer.seek(5)")
    still = page.locator("canvas").screenshot()
    page.keyboard.press("Shift+ArrowRight")
    page.wait_for_timeout(200)
    turned = page.locator("canvas").screenshot()
    check("shift with an arrow turns the camera", still != turned)
    page.keyboard.press("r")
    page.wait_for_timeout(200)
    check("r resets the camera", page.locator("canvas").screenshot() == still)
    box = page.locator("canvas").bounding_box()
    page.mouse.move(box["x"] + 300, box["y"] + 200)
    page.mouse.down()
    page.mouse.move(box["x"] + 380, box["y"] + 230, steps=4)
    page.mouse.up()
    page.wait_for_timeout(200)
    check("the mouse turns the camera", page.locator("canvas").screenshot() != still)

    slider = page.get_by_role("slider", name="Time").bounding_box()
    page.mouse.click(slider["x"] + 0.5 * slider["width"], slider["y"] + 0.5 * slider["height"])
    check("slider: the middle", abs(number(page, TIME) - 5) < 0.3, number(page, TIME))
    page.locator("svg[data-time]").scroll_into_view_if_needed()
    figure = page.locator("svg[data-time]").bounding_box()
    page.mouse.click(figure["x"] + figure["width"] * (40 + 0.25 * 550) / 600, figure["y"] + 0.4 * figure["height"])
    check("a click on a figure goes there", abs(number(page, TIME) - 2.5) < 0.05, number(page, TIME))
    at = [float(line.get_attribute("x1")) for line in page.locator(".player-cursor").all()]
    check("cursors are there", abs(at[0] - (40 + 0.25 * 550)) < 2 and abs(at[1] - (20 + 0.25 * 260)) < 2, at)
    page.locator("g[data-time]").scroll_into_view_if_needed()
    figure = page.locator("g[data-time] > rect").first.bounding_box()
    page.mouse.click(figure["x"] + 0.75 * figure["width"], figure["y"] + 0.5 * figure["height"])
    check("a click on a part of a figure goes there", abs(number(page, TIME) - 7.5) < 0.05, number(page, TIME))
    names = page.locator(".player-bar :is(button, select, input)").evaluate_all(
        "all => all.map(e => e.getAttribute('aria-label'))"
    )
    check("all controls have names", all(names), names)
    picture = page.evaluate("holonomyPlayer.snapshot()")
    check("a picture", picture.startswith("data:image/png;base64,") and len(picture) > 5000, len(picture))
    page.close()

    page = open_page(context, addresses["double-pendulum"], [])
    page.evaluate(
        """() => {
          const film = JSON.parse(document.getElementById("film").textContent), [clip] = film.clips;
          // The same motion at half the pace: twice as long.
          const bytes = Uint8Array.from(atob(clip.times), (c) => c.charCodeAt(0));
          const times = new Float32Array(bytes.buffer).map((t) => 2 * t);
          clip.times = btoa(String.fromCharCode(...new Uint8Array(times.buffer)));
          holonomyPlayer.stop();
          holonomyPlayer.seek(5);
          window.oldCanvas = document.querySelector("canvas");
          document.dispatchEvent(new CustomEvent("holonomy:film", { detail: film }));
        }"""
    )
    kept = page.evaluate("document.querySelector('canvas') === oldCanvas && holonomyPlayer.time === 5")
    check("a longer film takes the place of a film", kept and number(page, "holonomyPlayer.film.end") == 20)
    page.close()

    page = open_page(context, addresses["compare"], [])
    page.evaluate("holonomyPlayer.stop(); holonomyPlayer.seek(8)")
    words = page.locator(".scene-label").all_inner_texts()
    check("clips have names and notes", "midpoint" in words[0] and "energy error 3.0e-2" in words[1], words)
    check("a clip that ended says why", "rk4 stopped at 4.00 s: the step did not converge" in page.locator(".player-notes").inner_text())
    page.emulate_media(media="print")
    check("the still picture is printed", page.locator("#still").is_visible() and not page.locator("canvas").is_visible())
    context.close()


def rests(browser, addresses: dict[str, str], check: Checks) -> None:
    """Where less motion is wished, or nothing can be drawn."""
    context = browser.new_context(reduced_motion="reduce")
    page = open_page(context, addresses["double-pendulum"], [])
    page.wait_for_timeout(1200)
    check("reduced motion: does not start by itself", not page.evaluate("holonomyPlayer.playing") and number(page, TIME) == 0)
    page.get_by_role("button", name="Play").click()
    until(page, "holonomyPlayer.time > 0.1")
    check("reduced motion: plays when asked", True)
    context.close()


def blind(playwright, chromium: str, address: str, check: Checks) -> None:
    browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu", "--disable-3d-apis"])
    complaints: list[str] = []
    page = open_page(browser.new_context(), address, complaints)
    said = page.locator(".scene-missing").inner_text()
    check("without WebGL: says so and leaves the still picture", "no WebGL" in said and page.locator("#still").is_visible(), complaints)
    browser.close()


def phone(browser, addresses: dict[str, str], check: Checks) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True, reduced_motion="reduce")
    page = open_page(context, addresses["compare"], [])
    small = page.locator(".player-bar :is(button, select, input)").evaluate_all(
        "all => all.filter(e => e.offsetWidth < 44 || e.offsetHeight < 44).map(e => e.getAttribute('aria-label'))"
    )
    check("phone: targets of 44 pixels", small == [], small)
    wide = number(page, "document.documentElement.scrollWidth")
    check("phone: nothing is wider than the page", wide <= 390, wide)
    context.close()


def costs(browser, address: str, check: Checks) -> None:
    """The work of a frame in JavaScript, without drawing."""
    context = browser.new_context(reduced_motion="reduce")
    page = open_page(context, address, [])
    found = page.evaluate(
        """() => {
          const player = holonomyPlayer, clip = player.film.clips[0], all = [], read = [];
          for (let k = 0; k < 300; k++) {
            const t = (player.film.duration * k) / 300;
            const begin = performance.now();
            const poses = clip.at(t);
            const middle = performance.now();
            player.scene.update(0, poses);
            all.push(performance.now() - middle);
            read.push(middle - begin);
          }
          const sorted = (x) => x.sort((a, b) => a - b);
          return { update: sorted(all)[150], worst: all[297], read: sorted(read)[150] };
        }"""
    )
    words = ", ".join(f"{name} {value:.2f} ms" for name, value in found.items())
    check(f"a thousand bodies: at most {MOST_UPDATE} ms", found["update"] < MOST_UPDATE, words)
    context.close()


def shots(browser, addresses: dict[str, str], folder: pathlib.Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for width, height in ((390, 844), (1600, 1000)):
        for scheme in ("light", "dark"):
            context = browser.new_context(
                viewport={"width": width, "height": height}, color_scheme=scheme, reduced_motion="reduce"
            )
            for name, address in addresses.items():
                page = open_page(context, address, [])
                page.evaluate("holonomyPlayer.seek(0.45 * holonomyPlayer.film.duration)")
                page.wait_for_timeout(200)
                page.screenshot(path=folder / f"{name}-{width}-{scheme}.png")
                page.close()
            context.close()


def main() -> int:
    options = argparse.ArgumentParser()
    options.add_argument("--shots", type=pathlib.Path, help="only screenshots, into this folder")
    chosen = options.parse_args()
    names = [os.environ.get("CHROMIUM", ""), "chromium", "google-chrome"]
    chromium = next(filter(None, map(shutil.which, names)), None)
    if chromium is None:
        print("there is no Chromium: install Debian's package `chromium`, or set CHROMIUM")
        return 2
    check = Checks()
    with tempfile.TemporaryDirectory() as temporary, sync_playwright() as playwright:
        folder = pathlib.Path(temporary)
        subprocess.run(["node", HERE / "films.mjs", folder], check=True)
        addresses = {name: write_page(folder, name) for name in FILMS}
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        if chosen.shots:
            shots(browser, addresses, chosen.shots)
            return 0
        plays(browser, addresses, check)
        rests(browser, addresses, check)
        phone(browser, addresses, check)
        costs(browser, addresses["thousand"], check)
        browser.close()
        blind(playwright, chromium, addresses["double-pendulum"], check)
    print(f"{len(check.failed)} failed")
    return 1 if check.failed else 0


if __name__ == "__main__":
    sys.exit(main())

"""The playground in Chromium: `python playground.py [PAGE] [--only WORD] [--shots FOLDER]`.

Every scenario loads and moves, sliders change the motion, a wrong model shows its message, a link restores what it
was made from, a Runge–Kutta method loses energy beside a geometric one, and nothing is asked of a network. The page is
opened from disk. What a frame costs and the time to the first motion are printed, not judged: the renderer is software.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import sys
import time

from playwright.sync_api import sync_playwright

ROOT = pathlib.Path(__file__).resolve().parents[2]
FLAGS = ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
PATIENCE = 180.0


class Playground:
    """A page in a browser, and the errors in its console."""

    def __init__(self, browser, address, **context):
        context.setdefault("viewport", {"width": 1200, "height": 760})
        self.context = browser.new_context(**context)
        self.page = self.context.new_page()
        self.address = address
        self.errors, self.requests = [], []
        self.page.on("console", lambda m: m.type in ("error", "warning") and not quiet(m.text) and self.errors.append(m.text))
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))

    def open(self, fragment=""):
        self.page.goto(self.address + fragment)
        self.until(lambda: self.clock() is not None, "the page has a clock")

    def show(self, fragment):
        """Another address of the same page."""
        self.page.evaluate("fragment => { location.hash = fragment }", fragment)

    def until(self, happens, what, patience=PATIENCE):
        end = time.monotonic() + patience
        while time.monotonic() < end:
            result = happens()
            if result:
                return result
            self.page.wait_for_timeout(50)
        raise AssertionError(f"in {patience:.0f} s it did not happen that {what}: {self.errors or self.problem()}")

    def clock(self):
        text = self.page.locator(".time").text_content(timeout=PATIENCE * 1000)
        return float(text.split()[0]) if text else None

    def problem(self):
        line = self.page.locator(".problem-line")
        return line.text_content() if line.is_visible() else ""

    def link(self):
        return self.page.evaluate("location.href")

    def title(self):
        return self.page.locator(".title span").text_content()

    def picture(self):
        return self.page.locator(".stage").screenshot()

    def energies(self):
        """The energy errors that stand above the plot, of A and B."""
        values = self.page.locator(".plot-card").first.locator(".side-value:visible").all_text_contents()
        return [number(value) for value in values]

    def moves(self, what):
        """Waits until the clock and the picture change."""
        self.until(lambda: (self.clock() or 0) > 0, f"{what} starts")
        first, begin = self.picture(), self.clock()
        self.until(lambda: self.clock() != begin and self.picture() != first, f"{what} moves")


def quiet(text):
    """The software renderer says that it reads pixels slowly: that is what screenshots do."""
    return "GPU stall due to ReadPixels" in text or "Automatic fallback to software WebGL" in text


def number(text):
    match = re.search(r"−?\d[\d.]*(?:e−?\d+)?", text)
    return float(match.group().replace("−", "-")) if match else 0.0


def scenarios_load_and_move(new, only):
    playground = new()
    playground.open("#scenario=plane-pendulum")
    names = sorted(folder.name for folder in (ROOT / "scenarios").iterdir() if (folder / "model.toml").exists())
    entries = playground.page.locator("[data-scenario]")
    listed = playground.until(lambda: entries.evaluate_all("all => all.map(one => one.dataset.scenario)"), "scenarios are listed")
    assert sorted(listed) == names, f"the page lists {listed}"
    rows = []
    for name in names:
        if only and only not in name:
            continue
        title = re.search(r'^title = "(.*)"', (ROOT / "scenarios" / name / "model.toml").read_text(), re.M).group(1)
        playground.show(f"scenario={name}")
        playground.until(lambda: playground.title() == title, f"{name} loads")
        playground.moves(name)
        playground.page.wait_for_timeout(1200)
        cost = json.loads(playground.page.locator(".meter").get_attribute("data-cost") or "{}")
        rows.append((name, cost))
        assert not playground.errors, f"{name}: {playground.errors}"
        assert not playground.page.locator(".failed").count(), f"{name}: {playground.page.locator('.failed').text_content()}"
    for name, cost in rows:
        print(f"  {name:42} engine {cost.get('engine', 0):6.2f} ms, {cost.get('realTime', 0):6.2f} ms for 1/60 s of motion  scene {cost.get('scene', 0):6.2f} ms  plots {cost.get('plots', 0):6.2f} ms  {cost.get('rate', 0):4.0f} frames/s")
    return playground


def first_motion(new):
    times = []
    for _ in range(3):
        playground = new()
        playground.open()
        playground.moves("the opening page")
        times.append(playground.page.evaluate("performance.getEntriesByName('first motion')[0].startTime"))
        playground.context.close()
    print(f"  from load to first motion: {min(times):.0f} to {max(times):.0f} ms (software renderer)")


def opening_page_compares(new):
    """What the page opens with is RK4 beside a geometric method, and RK4 loses energy."""
    playground = new()
    playground.open()
    playground.page.locator("[data-tour]").first.click()
    playground.until(lambda: len(playground.energies()) == 2, "there are two energies")
    methods = [playground.page.locator(f"#method-{k}").input_value() for k in range(2)]
    assert methods[1] == "rk4" and methods[0] != "rk4", methods
    playground.until(lambda: playground.clock() > 10, "10 s pass", 90)
    a, b = playground.energies()
    # At this step the error of rk4 has one sign and grows; that of the other swings within its bound.
    assert b < 0 and abs(b) > 3 * abs(a), f"A {a}, B {b}"
    print(f"  after {playground.clock():.0f} s: A ({methods[0]}) {a} J, B (rk4) {b} J")
    questions = playground.page.locator(".certificate .answers dt")
    playground.until(lambda: questions.count() == 6, "both certificates answer three questions")
    words = [text.split()[-1] for text in questions.all_text_contents()]
    assert words == 2 * ["structure", "path", "prediction"], words
    return playground


def labels_stand_over_their_views(new):
    """Beside each other in a wide stage, above each other in a tall one: as the views are."""
    for width, height in ((1600, 1000), (1600, 560), (390, 844)):
        playground = new(viewport={"width": width, "height": height})
        playground.open()
        playground.moves("the opening page")
        columns = playground.page.locator(".stage .scene").get_attribute("data-columns")
        boxes = [side.bounding_box() for side in playground.page.locator(".stage .side").all()]
        assert len(boxes) == 2, boxes
        beside, above = boxes[1]["x"] - boxes[0]["x"], boxes[1]["y"] - boxes[0]["y"]
        assert (beside > 0 and above == 0) if columns == "2" else (above > 0 and beside == 0), (width, height, columns, boxes)
        playground.context.close()


def sliders_change_the_motion(new):
    playground = new()
    playground.open("#scenario=spherical-pendulum")
    playground.moves("the pendulum")
    playground.page.keyboard.press("Space")
    slider = playground.page.locator(".sections .slider").first
    path = slider.get_attribute("data-path")
    before = playground.picture()
    value = slider.locator(".value").input_value()
    slider.locator(".slide").focus()
    for _ in range(40):
        playground.page.keyboard.press("ArrowRight")
    playground.until(lambda: slider.locator(".value").input_value() != value, "the value changes")
    playground.until(lambda: f"set={path}" in playground.link(), "the address says so")
    start = playground.page.locator(".slider[data-path*=direction], .slider[data-path*=start]").first
    start.locator(".slide").fill("900")
    playground.until(lambda: playground.picture() != before, "the picture changes")
    assert playground.clock() == 0, "a new start begins anew"
    slider.get_by_role("button").click()
    playground.until(lambda: slider.locator(".value").input_value() == value, "reset takes it back")
    field = slider.locator(".value")
    field.fill("-1 furlong")
    field.press("Enter")
    playground.until(lambda: playground.problem() != "", "a wrong unit is told")
    print(f"  {playground.problem()}")
    slider.get_by_role("button").click()
    playground.until(lambda: playground.problem() == "", "and forgotten")
    return playground


def wrong_model_shows_its_message(new):
    playground = new()
    playground.open("#scenario=plane-pendulum")
    playground.moves("the pendulum")
    playground.page.locator("#tab-text").click()
    editor = playground.page.locator(".cm-content")
    editor.click()
    playground.page.keyboard.press("Control+Home")
    playground.page.keyboard.type("titel = 3\n")
    playground.until(lambda: playground.page.locator(".wrong").count() > 0, "the mistake is underlined")
    message = playground.page.locator(".problem pre").first.text_content()
    assert "titel" in message, message
    print("  " + message.splitlines()[0])
    begin = playground.clock()
    playground.until(lambda: playground.clock() > begin, "the old motion goes on")
    for _ in range(12):
        playground.page.keyboard.press("Control+z")
    playground.until(lambda: playground.page.locator(".wrong").count() == 0 and playground.problem() == "", "undo mends it")
    return playground


def lagrangian_can_be_typed(new):
    playground = new()
    playground.open("#scenario=spherical-pendulum")
    playground.moves("the pendulum")
    playground.page.locator("#tab-lagrangian").click()
    playground.page.locator("#formula").fill("m*x'^2/2 - k*x^2/2 - c*x^4")
    labels = playground.page.locator(".names .pair").all_text_contents()
    assert labels == ["m", "k", "c", "x", "x'"], labels
    playground.until(lambda: "model=" in playground.link(), "the model is its own")
    playground.moves("the typed model")
    playground.page.locator("#formula").fill("m*x'^2/2 - k*x^2/")
    playground.until(lambda: playground.page.locator(".lagrangian .fault").text_content() != "", "a slip is told")
    return playground


def link_restores(new):
    first = new()
    first.open("#scenario=double-spherical-pendulum&b=rk4&step=0.05&speed=2&set=body.upper.mass%3D3")
    first.moves("the pendulum")
    first.page.locator("#tab-text").click()
    first.page.locator(".cm-content").click()
    first.page.keyboard.press("Control+End")
    first.page.keyboard.type("\n# a remark\n")
    first.until(lambda: "model=" in first.link(), "the address holds the model")
    first.page.wait_for_timeout(600)
    link = first.link()
    second = new()
    second.page.goto(link)
    second.until(lambda: second.title() == first.title(), "the same model is there")
    second.moves("the restored model")
    for locator in ("#method-0", "#method-1", ".step .value", "[data-path='body.1.mass'] .value"):
        assert first.page.locator(locator).input_value() == second.page.locator(locator).input_value(), locator
    assert second.page.locator(".speed-text").text_content() == first.page.locator(".speed-text").text_content()
    second.page.locator("#tab-text").click()
    assert "# a remark" in second.page.locator(".cm-content").inner_text()
    print(f"  a link of {len(link) - len(first.address)} characters")
    damaged = new()
    damaged.page.goto(link[:200].split("&")[0][:-30])
    damaged.until(lambda: "damaged" in (damaged.page.locator(".messages").text_content() or ""), "a damaged link is told")
    damaged.moves("something else")
    return second


def time_can_be_taken_back(new):
    """After a way back and on again the state is the same, to the last bit."""
    playground = new()
    playground.open("#scenario=double-spherical-pendulum")
    playground.moves("the pendulum")
    page = playground.page
    page.locator(".stage").click(position={"x": 5, "y": 300})
    page.keyboard.press("Space")
    def state():
        page.locator(".menu-button summary").click()
        page.locator("[data-act='Hash of the state']").click()
        return playground.until(lambda: page.locator(".message span", has_text="State").last.text_content(), "there is a hash")
    before = state()
    page.wait_for_timeout(4500)
    for key in ",,,,,...,,....":
        page.keyboard.press(key)
        page.wait_for_timeout(250)
    after = state()
    assert before == after and "after" in before, (before, after)
    print(f"  {after}")
    return playground


def bodies_can_be_dragged(new):
    """On a sphere, a point of formulas, and behind a ball joint by its box."""
    drag(new, "spherical-pendulum", "set=body.1.direction")
    drag(new, "double-plane-pendulum", "set=start.")
    return drag(new, "heavy-top", "set=body.1.orientation")


def drag(new, scenario, expected):
    playground = new()
    playground.open(f"#scenario={scenario}")
    playground.moves(scenario)
    page = playground.page
    page.keyboard.press("Space")
    box = page.locator(".scene-host").bounding_box()
    places = [(box["x"] + x * box["width"] / 40, box["y"] + y * box["height"] / 30) for y in range(5, 25) for x in range(8, 32)]

    def held(place):
        page.mouse.move(*place)
        return page.evaluate("document.querySelector('.scene-host').style.cursor") == "grab"

    found = next(place for place in places if held(place))
    page.mouse.down()
    for k in range(1, 9):
        page.mouse.move(found[0] + 8 * k, found[1] - 5 * k)
        page.wait_for_timeout(80)
    page.mouse.up()
    playground.until(lambda: expected in playground.link(), f"{scenario} starts where it was put")
    assert playground.clock() == 0
    return playground


def everything_can_be_taken_along(new):
    playground = new(permissions=["clipboard-read", "clipboard-write"])
    playground.open("#scenario=four-bar&b=rk4&set=body.1.mass%3D2")
    playground.moves("the linkage")
    page = playground.page

    def chosen(words):
        page.locator(".menu-button summary").click()
        page.locator(f"[data-act='{words}']").click()

    def file(words):
        with page.expect_download() as download:
            chosen(words)
        return pathlib.Path(download.value.path()).read_bytes()

    assert b"title" in file("Model")
    head, *rows = file("Samples").decode().splitlines()
    assert head.startswith("run,method,t,energy") and len(rows) > 4 and {row[0] for row in rows} == {"A", "B"}, head
    assert file("Picture").startswith(b"\x89PNG")
    chosen("Command that repeats B")
    message = playground.until(lambda: page.locator(".message span", has_text="holonomy").last.text_content(), "the command is told")
    assert "four-bar" in message and "--method rk4" in message and "body.1.mass=2" in message, message
    print(f"  {message}")
    return playground


def nudge_parts(new):
    playground = new()
    playground.open("#scenario=double-spherical-pendulum&nudge=1&speed=5")
    playground.moves("the swarm")
    spread = playground.page.locator(".plot-card", has_text="Spread").locator(".side-value").first
    first = playground.until(lambda: number(spread.text_content()), "there is a spread")
    playground.until(lambda: number(spread.text_content()) > 3 * first, "the copies part", 60)
    print(f"  spread {first} m to {spread.text_content()}")
    return playground


def failure_stops_one_side(new):
    """Explicit Euler on the falling chain fails; the other side goes on."""
    playground = new()
    playground.open("#scenario=pendulum-chain&b=euler&bstep=0.02")
    failed = playground.page.locator(".failed")
    playground.until(lambda: failed.count() > 0, "B fails", 90)
    assert failed.count() == 1
    begin = playground.clock()
    playground.until(lambda: playground.clock() > begin, "A goes on")
    playground.picture()
    print(f"  {failed.first.text_content()}")
    return playground


def phone(new):
    playground = new(viewport={"width": 390, "height": 844}, has_touch=True, color_scheme="dark")
    playground.open("#scenario=spherical-pendulum&b=rk4")
    playground.moves("the pendulum")
    assert playground.page.evaluate("document.documentElement.scrollWidth") <= 390, "the page is wider than the phone"
    playground.page.locator("#tab-plots").click()
    playground.until(lambda: playground.page.locator(".plot canvas").first.is_visible(), "plots are there")
    still = new(reduced_motion="reduce")
    still.open("#scenario=spherical-pendulum")
    still.page.wait_for_timeout(1000)
    assert still.clock() == 0, "with reduced motion it starts paused"
    return playground


TESTS = [opening_page_compares, labels_stand_over_their_views, sliders_change_the_motion, wrong_model_shows_its_message, lagrangian_can_be_typed, link_restores, time_can_be_taken_back, bodies_can_be_dragged, everything_can_be_taken_along, nudge_parts, failure_stops_one_side, phone, first_motion]


def main():
    options = argparse.ArgumentParser()
    options.add_argument("page", nargs="?", default=ROOT / "crates/holonomy-host/assets/playground.html", type=pathlib.Path)
    options.add_argument("--only", default="", help="tests, or scenarios, with this in their name")
    options.add_argument("--shots", type=pathlib.Path, help="a folder for a picture after each test")
    given = options.parse_args()
    chromium = shutil.which(os.environ.get("CHROMIUM") or "chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    failures = 0
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=chromium, args=FLAGS)
        opened = []

        def new(**context):
            opened.append(Playground(browser, given.page.resolve().as_uri(), **context))
            return opened[-1]

        tests = [test for test in TESTS if given.only in test.__name__]
        everywhere = lambda make: scenarios_load_and_move(make, "" if tests else given.only)
        everywhere.__name__ = scenarios_load_and_move.__name__
        if not tests or given.only in everywhere.__name__:
            tests.append(everywhere)
        for test in tests:
            begin = time.monotonic()
            try:
                test(new)
                errors = [text for one in opened for text in one.errors]
                asked = [url for one in opened for url in one.requests if not url.startswith(("blob:", "data:")) and url.split("#")[0] != one.address]
                assert not errors, f"the console says {errors}"
                assert not asked, f"the page asked for {asked}"
                print(f"ok   {test.__name__} ({time.monotonic() - begin:.1f} s)", flush=True)
            except Exception as error:  # A failed test is told, and the others run.
                failures += 1
                print(f"FAIL {test.__name__}: {error}", flush=True)
            if given.shots and opened and not opened[-1].page.is_closed():
                given.shots.mkdir(parents=True, exist_ok=True)
                opened[-1].page.screenshot(path=given.shots / f"{test.__name__}.png", timeout=90_000)
            for one in opened:
                one.context.close()
            opened.clear()
        browser.close()
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

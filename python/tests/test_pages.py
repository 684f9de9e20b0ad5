"""What notebooks show, without a browser: sizes, thinned films, the widget's side in Python."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

import holonomy as hl
from holonomy.pages import _numbers, points_of, thinned


@pytest.mark.parametrize("name", ["double-spherical-pendulum", "scissor-lift", "kepler", "molecules-on-a-sphere"])
def test_a_run_is_one_small_page_in_a_sandbox(name: str) -> None:
    text = hl.run(name, duration=5, certify="none")._repr_html_()
    assert text.startswith("<iframe") and 'sandbox="allow-scripts allow-downloads"' in text
    assert len(text) < 450_000
    # One attribute holds the page: nothing in it ends that.
    assert text.count('"') == 2 * len(re.findall(r'\w+="', text.split("srcdoc=")[0])) + 2
    assert "default-src 'none'" in text


def test_a_thinned_film_shows_the_same_motion() -> None:
    run = hl.run("scissor-lift", duration=20, certify="none")
    whole, small = run.film(), thinned(run._core.film(), 100_000)
    assert small is not None and len(small) < 120_000
    film = json.loads(small)
    times = _numbers(film["clips"][0]["times"], "<f4", 1)
    before = _numbers(whole["clips"][0]["times"], "<f4", 1)
    assert times[0] == before[0] and times[-1] == before[-1]
    places, all_places = points_of(film), points_of(whole)
    kept = np.searchsorted(before, times)
    assert all(np.array_equal(places[name], all_places[name][kept], equal_nan=True) for name in places)
    assert "samples is shown" in film["note"]


def test_a_short_film_is_left_alone() -> None:
    film = hl.run("kepler", duration=2, certify="none")._core.film()
    assert thinned(film) is film


@pytest.mark.parametrize("name", ["double-spherical-pendulum", "scissor-lift", "kepler", "heavy-top"])
def test_a_model_is_a_drawing_and_its_numbers(name: str) -> None:
    text = hl.load(name)._repr_html_()
    assert "<svg" in text and "<table" in text and "<script" not in text


def test_paths_of_the_table_are_those_that_replace_takes() -> None:
    model = hl.load("double-spherical-pendulum")
    assert "body.upper.mass" in model._repr_html_()
    assert model.replace({"body.upper.mass": 3}).knobs[0].value == 3


def test_words_of_a_model_are_only_words() -> None:
    model = hl.load("spherical-pendulum").replace({"title": "</script><b>&\"'"})
    for text in (model._repr_html_(), model.run(duration=1, certify="none")._repr_html_()):
        assert "<b>&\"'" not in text and "</script><b>" not in text


def test_figures() -> None:
    matplotlib = pytest.importorskip("matplotlib", reason="figures were NOT drawn: matplotlib is not installed")
    matplotlib.use("agg")
    run = hl.run("plane-pendulum", duration=2, certify="none")
    assert run.plot.energy().get_ylabel() == "E − E₀ (J)"
    assert run.plot("theta").get_xlabel() == "t (s)"
    assert run.plot.phase().get_ylabel() == "theta'"
    assert run.plot.path().get_xlabel() == "x (m)"
    with pytest.raises(ValueError, match="path"):
        hl.run("spherical-pendulum", duration=1, certify="none").plot.phase()
    matplotlib.pyplot.close("all")


class TestWidget:
    @pytest.fixture(autouse=True)
    def needs(self) -> None:
        pytest.importorskip("anywidget", reason="the widget was NOT tried: anywidget is not installed")

    def test_values_run_the_model(self) -> None:
        widget = hl.widget("double-spherical-pendulum", ["body.upper.length"])
        first, heard = widget.run, []
        widget.observe(lambda change: heard.append(change.new), "run")
        widget.values["body.upper.length"] = 5
        assert heard == [widget.run] and widget.run is not first
        same = hl.load("double-spherical-pendulum").replace({"body.upper.length": 5}, duration=10).run(certify="none")
        assert np.array_equal(widget.run.data, same.data)
        widget.values["body.upper.length"] = 9.81
        assert np.array_equal(widget.run.data, first.data)

    def test_what_is_refused_is_told_and_the_last_good_run_stays(self) -> None:
        widget = hl.widget("double-spherical-pendulum", ["body.upper.mass"])
        first = widget.run
        widget.values["body.upper.mass"] = -1
        assert "must be positive" in widget.problem and widget.run is first
        widget.values["body.upper.mass"] = 2
        assert widget.problem == "" and widget.run is not first

    def test_wrong_sliders(self) -> None:
        with pytest.raises(ValueError, match="knobs"):
            hl.widget("kepler", ["nothing"])
        with pytest.raises(ValueError, match="less to more"):
            hl.widget("kepler", {"start.x": (1, 0)})
        with pytest.raises(KeyError, match="start.x"):
            hl.widget("kepler", ["start.x"]).values["start.y"] = 1

    @pytest.mark.parametrize("name", ["scissor-lift", "heavy-top", "plane-pendulum", "puppet", "molecules-on-a-sphere"])
    def test_sliders_without_a_choice(self, name: str) -> None:
        widget = hl.widget(name, duration=1)
        assert 1 <= len(widget.values) <= 5
        assert all(slider["least"] <= slider["value"] <= slider["most"] for slider in widget._sliders)

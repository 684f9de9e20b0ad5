"""Every notebook of the documentation runs, and is stored without outputs."""

from __future__ import annotations

import json
import os
import pathlib
import time

import pytest

import holonomy

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "docs" / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
MOST_SECONDS = 120


def test_there_are_six() -> None:
    assert len(NOTEBOOKS) == 6


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_stored_without_outputs(path: pathlib.Path) -> None:
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    assert len({cell["id"] for cell in cells}) == len(cells)
    assert not any(cell.get("outputs") or cell.get("execution_count") for cell in cells)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_runs(path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nbformat = pytest.importorskip("nbformat", reason="notebooks were NOT run: nbclient is not installed")
    nbclient = pytest.importorskip("nbclient", reason="notebooks were NOT run: nbclient is not installed")
    pytest.importorskip("ipykernel", reason="notebooks were NOT run: ipykernel is not installed")
    for name in ("matplotlib", "pandas"):
        pytest.importorskip(name, reason=f"notebooks were NOT run: {name} is not installed")
    # The kernel is to use this very package.
    package = str(pathlib.Path(holonomy.__file__).resolve().parents[1])
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, [package, os.environ.get("PYTHONPATH")])))
    notebook = nbformat.read(path, as_version=4)
    began = time.monotonic()
    client = nbclient.NotebookClient(notebook, timeout=MOST_SECONDS, resources={"metadata": {"path": str(FOLDER)}})
    client.execute()  # Raises with the cell and its traceback if one fails.
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert outputs and not [output for output in outputs if output.output_type == "error"]
    print(f"{path.stem}: {time.monotonic() - began:.1f} s")

"""Every Python block of the guide runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "guide"
NEEDED = {"python.md": ["numba", "pandas", "xarray", "matplotlib"], "cluster.md": ["distributed"], "python-gradients.md": ["scipy", "jax"]}


@pytest.mark.parametrize("page", sorted(NEEDED))
def test_blocks_run(page, tmp_path, monkeypatch):
    for name in NEEDED[page]:
        pytest.importorskip(name, reason=f"{name} is not installed: pip install 'holonomy[all]' numba")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    text = (GUIDE / page).read_text(encoding="utf-8")
    names: dict[str, object] = {"__name__": "guide"}
    blocks = list(re.finditer(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE))
    assert blocks
    for block in blocks:
        line = text.count("\n", 0, block.start(1))
        # Lines of errors are those of the page.
        exec(compile("\n" * line + block.group(1), str(GUIDE / page), "exec"), names)  # noqa: S102

"""The reference is that of the package."""

import importlib.util
from pathlib import Path


def test_reference_is_up_to_date():
    path = Path(__file__).resolve().parents[1] / "reference.py"
    spec = importlib.util.spec_from_file_location("reference", path)
    reference = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(reference)
    found = reference.PAGE.read_text(encoding="utf-8")
    assert found == reference.page(), "run python python/reference.py"

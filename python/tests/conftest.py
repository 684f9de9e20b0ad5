"""What the tests share: the command beside the package, programs of their own, digests of states."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
OWN_COMMAND = [sys.executable, "-c", "import sys; from holonomy._command import main; sys.exit(main())"]


def digest(*numbers: Any) -> str:
    """A hash of the bits of numbers: it tells 0 from −0, and no rounding is forgiven."""
    parts = [np.ascontiguousarray(part, dtype=np.float64).tobytes() for part in numbers]
    return hashlib.sha256(b"".join(parts)).hexdigest()[:16]


@pytest.fixture(scope="session")
def command() -> Any:
    """Runs the command and gives what it prints: the program `HOLONOMY`, the built one, or that of the package."""
    built = ROOT / "target" / "release" / "holonomy"
    named = os.environ.get("HOLONOMY")
    words = [named] if named else [str(built)] if built.exists() else OWN_COMMAND

    def run(*arguments: str, cwd: Path | None = None) -> str:
        done = subprocess.run([*words, *arguments], capture_output=True, text=True, timeout=600, cwd=cwd)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


@pytest.fixture
def program(tmp_path: Path) -> Any:
    """Runs a program in a process of its own, which must end well and print JSON in its last line."""

    def run(text: str, timeout: float = 600) -> Any:
        done = subprocess.run(
            [sys.executable, "-c", text], capture_output=True, text=True, timeout=timeout, cwd=tmp_path
        )
        assert done.returncode == 0, f"{done.returncode}\n{done.stdout}\n{done.stderr}"
        return json.loads(done.stdout.splitlines()[-1])

    return run

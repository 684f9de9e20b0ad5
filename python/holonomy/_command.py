"""The command `holonomy`, installed beside the package."""

from __future__ import annotations

import signal
import sys

from . import _engine


def main() -> int:
    """Runs the command with the words of this process."""
    # Ctrl-C is the command's own business: it ends a run so that it can go on.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _engine.command(sys.argv[1:])

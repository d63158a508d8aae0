"""Python in processes of their own, for what must not happen to the tests' process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import tarsus as ts


def ran(script: str) -> subprocess.CompletedProcess[str]:
    """Run Python in a new process, with this library, to whatever end."""
    path = os.pathsep.join([str(Path(ts.__file__).parents[1]), *filter(None, sys.path)])
    return subprocess.run(
        [sys.executable, "-P", "-c", script],  # not the library in the current folder
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )


def numbers_printed_by(script: str) -> list[int]:
    """Run Python in a new process, with this library, and return the integers that it prints."""
    done = ran(script)
    assert done.returncode == 0, done.stderr
    return [int(line) for line in done.stdout.split()]

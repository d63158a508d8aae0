"""The progress of the build: status lines of Ninja, and the output of a build that fails."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

TOOL = Path(__file__).parents[1] / "tools" / "build_progress.py"


def run_build(script: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(TOOL), sys.executable, "-c", script]
    return subprocess.run(command, capture_output=True, text=True)


def test_build_progress_shows_ten_lines_and_hides_the_rest() -> None:
    status = "  [{k}/300] Building CXX object k.dir/core/a.cpp.o"
    done = run_build(f"for k in range(1, 301): print(f'{status}'); print('noise')")
    lines = done.stdout.splitlines()
    assert done.returncode == 0 and not done.stderr
    assert len(lines) == 10
    assert re.fullmatch(r"\[ 30/300\] +0:0\d  core/a.cpp", lines[0])
    assert lines[-1].startswith("[300/300]")


def test_build_progress_prints_the_output_of_a_build_that_fails() -> None:
    done = run_build("import sys; print('[1/2] a'); print('error: no brace'); sys.exit(3)")
    assert done.returncode == 3
    assert "error: no brace" in done.stderr

"""Run a build command and show its progress in one line: `build_progress.py pip install -v .`.

Of the output only the status lines of Ninja are shown, as in `[ 57/317]  1:12  core/aba.cpp`. A
terminal shows one line that changes, a log one line for each tenth of the build. If the command
fails, its last lines of output are printed. The exit code is that of the command.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import time
from collections import deque

STATUS = re.compile(r"\[(\d+)/(\d+)\] (.*)")
"""A status line of Ninja: steps done, steps in total, and what is done."""
OBJECT = re.compile(r"\S*\.dir/(\S+?)\.o\b")
"""An object file, whose source file is shown."""
SHOWN_AFTER_FAILURE = 80
"""Lines of output that are printed if the command fails."""


def status_text(line: str, seconds: float) -> tuple[int, int, str] | None:
    """Return the steps done, the steps in total and the text to show; None if not a status line."""
    match = STATUS.search(line)
    if match is None:
        return None
    done, total, action = int(match[1]), int(match[2]), match[3]
    source = OBJECT.search(action)
    minutes, rest = divmod(int(seconds), 60)
    counter = f"[{done:{len(match[2])}}/{total}]"
    return done, total, f"{counter} {minutes:2d}:{rest:02d}  {source[1] if source else action}"


def run(command: list[str]) -> int:
    """Run a command, show its progress, and return its exit code."""
    start, tenth, terminal = time.monotonic(), 0, sys.stdout.isatty()
    tail: deque[str] = deque(maxlen=SHOWN_AFTER_FAILURE)
    pipe = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    with subprocess.Popen(command, text=True, errors="replace", **pipe) as process:
        for line in process.stdout:
            status = status_text(line, time.monotonic() - start)
            if status is None:
                tail.append(line)
                continue
            done, total, text = status
            if terminal:
                width = shutil.get_terminal_size().columns - 1
                print(f"\r{text[:width]:{width}}", end="", flush=True)
            elif done == total or 10 * done // total > tenth:
                print(text, flush=True)
            tenth = 10 * done // total
    if terminal:
        print()
    if process.returncode:
        print("".join(tail), end="", file=sys.stderr)
    return process.returncode


if __name__ == "__main__":
    try:
        sys.exit(run(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)

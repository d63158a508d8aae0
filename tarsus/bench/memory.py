"""How much memory a call needs beyond its inputs and output."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from pathlib import Path

STATUS, CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")
RESET_PEAK = "5"


def beyond_inputs_and_output(call: Callable[[], object]) -> int | None:
    """Return by how many bytes the resident memory grows at most during a call (Linux only).

    Inputs and output must be there before. The call runs on a new thread, because work memory
    is kept by the thread that used it.
    """
    grown: list[int] = []

    def run() -> None:
        CLEAR.write_text(RESET_PEAK)
        before = _kilobytes("VmRSS")
        call()
        grown.append(1024 * max(0, _kilobytes("VmHWM") - before))

    try:
        _kilobytes("VmHWM")
        CLEAR.write_text(RESET_PEAK)
    except (OSError, LookupError):
        return None
    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    return grown[0] if grown else None


def _kilobytes(key: str) -> int:
    match = re.search(rf"{key}:\s+(\d+) kB", STATUS.read_text())
    if match is None:
        raise LookupError(f"{STATUS} has no {key}")
    return int(match[1])

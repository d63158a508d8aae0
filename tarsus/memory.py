"""Size of results, checked before they are computed.

Arguments such as `duration`, `dt` and `sample` can ask for results of any size. An error that
states the size comes before the computation, not after the memory of the machine is used up.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path

MAX_RESULT_BYTES = 8 << 30
SMALL_BYTES = 64 << 20
"""Results up to this size are computed without a look at the memory that is available."""


def check_result_size(size: float, what: str, remedy: str) -> None:
    """Raise ValueError if a result of `size` bytes is too large for this process.

    Parameters
    ----------
    size : float
        Memory that the result takes while it is computed [bytes].
    what : str
        What takes it, for the message: "100 samples of 3 motions".
    remedy : str
        Which arguments make it smaller, for the message.
    """
    if size <= SMALL_BYTES:
        return
    limit = min(MAX_RESULT_BYTES, available_bytes())
    if size > limit:
        raise ValueError(
            f"{what} would take {_gibibytes(size)}, more than the {_gibibytes(limit)} that "
            f"{'a result may have' if limit == MAX_RESULT_BYTES else 'are available'}; {remedy}"
        )


def available_bytes() -> int:
    """Return the memory that this process can still allocate [bytes]: a bound, not a promise."""
    found = [sys.maxsize]
    with suppress(OSError, ValueError):  # only Linux tells it
        words = Path("/proc/meminfo").read_text().split()
        found.append(int(words[words.index("MemAvailable:") + 1]) * 1024)
    with suppress(OSError, ValueError):
        group = Path("/sys/fs/cgroup")
        most, used = ((group / f"memory.{name}").read_text() for name in ("max", "current"))
        found.append(int(most) - int(used))
    with suppress(ImportError, OSError, ValueError, IndexError):
        import resource  # not on Windows

        most_addresses = resource.getrlimit(resource.RLIMIT_AS)[0]
        if most_addresses != resource.RLIM_INFINITY:
            pages = int(Path("/proc/self/statm").read_text().split()[0])
            found.append(most_addresses - pages * resource.getpagesize())
    return max(min(found), 0)


def _gibibytes(size: float) -> str:
    return f"{size / 2**30:.3g} GiB"

"""Arrays, atomic replacement of files, and the size of results."""

from __future__ import annotations

import errno
import os
import secrets
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

# Files that are there whole or not at all: what is written replaces the old file at the end.


@contextmanager
def replacing(path: str | os.PathLike[str], *, new: bool = False) -> Iterator[Path]:
    """Give the path of an empty file to write to, in the same folder, with the same suffix.

    If all goes well it takes the place of `path`, once its bytes are on the disk; if anything is
    raised it is removed, and what was at `path` stays as it was. A process that is killed may leave
    it behind: its name begins with `.tarsus-`. A link stays a link, to a new file. Pipes and
    devices are written to directly. With `new` an existing file is never replaced: a
    `FileExistsError` is raised, also if another process creates the file meanwhile.
    """
    target = Path(path)
    file = Path(os.path.realpath(target))
    if new and os.path.lexists(file):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(target))
    if file.exists() and not file.is_file():
        yield target
        return
    part = file.with_name(f".tarsus-{secrets.token_hex(6)}{file.suffix}")
    try:
        _create(part, file)
        yield part
        _settle(part, file)
        if new:
            _claim(part, file)
        part.replace(file)
    except OSError as error:
        if error.errno is None or error.filename not in (None, str(part), os.fsencode(part)):
            raise
        # it happened to the part, but concerns the file
        raise OSError(error.errno, error.strerror, str(target)) from error
    finally:
        with suppress(OSError):
            part.unlink()


def _create(part: Path, file: Path) -> None:
    """Make the empty part, unless `file` is there and may not be written to."""
    if file.exists() and not os.access(file, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(file))
    mode = stat.S_IMODE(file.stat().st_mode) if file.exists() else 0o666
    os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode))


def _claim(part: Path, file: Path) -> None:
    """Create `file` as another name of the part, or raise a `FileExistsError` if it exists."""
    try:
        os.link(part, file)
    except FileExistsError:
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(file)) from None
    except OSError:  # a file system without hard links
        os.close(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))


def _settle(part: Path, file: Path) -> None:
    """Bring what was written to the disk, with the permissions of the file that it replaces."""
    with part.open("r+b") as written:
        os.fsync(written.fileno())
    if file.exists():
        part.chmod(stat.S_IMODE(file.stat().st_mode))


# `Array`: numbers in double precision, what all functions here take and return.


Array = NDArray[np.float64]


# Size of results, checked before they are computed.
#
# Arguments such as `duration`, `dt` and `sample` can ask for results of any size. An error that
# states the size comes before the computation, not after the memory of the machine is used up.


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

"""Folders of sessions: where they are, who has one, and what is put aside.

One process at a time has a folder: another one that wants the same gets the next.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

HEAD, PIECES, TAKE, LOCK = "session.json", "pieces", "take.txt", "lock"
PENDING, REJECTED = "pending.json", "rejected.txt"
FILES = (HEAD, TAKE, PENDING, REJECTED)
PIECE = re.compile(r"[0-9a-f]{32}")
"""The name of a piece."""
ASIDE = 3
"""How many are kept."""


_PLAIN = sum(getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"))
"""Flags to open a file that may be of somebody else: no link, no pipe that waits."""


def default_folder() -> Path:
    """Return where sessions are, unless stated: in the user's folder for states of programs."""
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Application Support"
    else:
        base = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state")
    return base / "tarsus" / "studio"


def check_plain(folder: Path) -> None:
    """Raise if files of a session are links or no files: other files would be written to."""
    pieces = folder / PIECES
    if pieces.is_symlink():
        raise ValueError(f"{pieces} is a link, must be a folder")
    files = [folder / name for name in FILES]
    for file in [*files, *(pieces.iterdir() if pieces.exists() else ())]:
        if os.path.lexists(file) and not stat.S_ISREG(file.lstat().st_mode):
            raise ValueError(f"{file} must be a plain file, and no link")


def read_bounded(path: Path, most: int) -> tuple[bytes, os.stat_result]:
    """Return the bytes of a plain file, and its status; no link is followed, no pipe waited for."""
    with os.fdopen(os.open(path, os.O_RDONLY | _PLAIN), "rb") as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise OSError(f"{path} is no plain file")
        data = file.read(most + 1)
    if len(data) > most:
        raise OSError(f"{path} has more than {most} bytes")
    return data, status


def put_aside(folder: Path) -> Path:
    """Move the files of a session into a folder of their own, and return it."""
    matches = ((path, re.fullmatch(r"aside-(\d{1,9})", path.name)) for path in folder.iterdir())
    found = {int(match[1]): path for path, match in matches if match is not None}
    for number in sorted(found)[: max(0, len(found) - ASIDE + 1)]:
        shutil.rmtree(found[number], ignore_errors=True)
    where = folder / f"aside-{max(found, default=0) + 1}"
    where.mkdir()
    for name in (*FILES, PIECES):
        with suppress(FileNotFoundError):
            (folder / name).rename(where / name)
    return where


def own_folder(folder: Path) -> tuple[Path, Any]:
    """Return a folder that no other process has, and the file by which it is ours."""
    for number in range(1, 100):
        mine = folder if number == 1 else folder.with_name(f"{folder.name}-{number}")
        mine.mkdir(parents=True, exist_ok=True, mode=0o700)
        file = os.fdopen(os.open(mine / LOCK, os.O_WRONLY | os.O_CREAT | _PLAIN, 0o666), "a")
        if _lock(file):
            for left in mine.glob("**/.tarsus-*"):  # of processes that were killed as they wrote
                with suppress(OSError):  # a folder of this name is not ours
                    left.unlink()
            return mine, file
        file.close()
    raise OSError(f"a hundred processes have sessions at {folder}")


def _lock(file: Any) -> bool:
    """Lock a file until it is closed, or its process ends; return whether nobody else has."""
    try:
        import fcntl
    except ModuleNotFoundError:  # Windows
        import msvcrt

        lock = getattr(msvcrt, "locking")  # noqa: B009
        try:
            lock(file.fileno(), getattr(msvcrt, "LK_NBLCK"), 1)  # noqa: B009
        except OSError:
            return False
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True

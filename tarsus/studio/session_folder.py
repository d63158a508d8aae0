"""Folders of sessions: where they are, who has one, and what is put aside.

One process at a time has a folder: another one that wants the same gets the next.
"""

from __future__ import annotations

import os
import shutil
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

HEAD, PIECES, TAKE, LOCK = "session.json", "pieces", "take.txt", "lock"
ASIDE = 3
"""How many are kept."""


def default_folder() -> Path:
    """Return where sessions are, unless stated: in the user's folder for states of programs."""
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Application Support"
    else:
        base = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state")
    return base / "tarsus" / "studio"


def put_aside(folder: Path) -> Path:
    """Move the files of a session into a folder of their own, and return it."""
    found = {int(path.name[6:]): path for path in folder.glob("aside-*[0-9]")}
    for number in sorted(found)[: max(0, len(found) - ASIDE + 1)]:
        shutil.rmtree(found[number], ignore_errors=True)
    where = folder / f"aside-{max(found, default=0) + 1}"
    where.mkdir()
    for name in (HEAD, PIECES, TAKE):
        with suppress(FileNotFoundError):
            (folder / name).rename(where / name)
    return where


def own_folder(folder: Path) -> tuple[Path, Any]:
    """Return a folder that no other process has, and the file by which it is ours."""
    for number in range(1, 100):
        mine = folder if number == 1 else folder.with_name(f"{folder.name}-{number}")
        mine.mkdir(parents=True, exist_ok=True, mode=0o700)
        file = (mine / LOCK).open("a")
        if _lock(file):
            for left in mine.glob("**/.tarsus-*"):  # of processes that were killed as they wrote
                left.unlink(missing_ok=True)
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

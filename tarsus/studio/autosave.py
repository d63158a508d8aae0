"""Sessions on the disk: a stage is written as it changes, and is there again after a crash.

    session.json    what is now, and the names of all that was: written last, whole or not at all
    pieces/…        worlds and edits, each a file under the name of its content, written once
    take.txt        the lines of the take, of which session.json says how many bytes count
    aside-1/ …      sessions that could not be read, or were begun anew; the last three

A process that is killed between two of these files leaves the session before. One process at a
time has a session: another one that wants the same gets the next.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from tarsus.files import replacing
from tarsus.studio.session import Packer, Unpacker
from tarsus.studio.stage import Answer, Stage
from tarsus.studio.take import Take
from tarsus.studio.world import EXPECTED

HEAD, PIECES, TAKE, LOCK = "session.json", "pieces", "take.txt", "lock"
MOST_BYTES = 256 * 1024 * 1024
"""Of worlds to which undo and redo go back; the oldest are not kept."""
MOST_TAKE = 64 * 1024 * 1024
"""Bytes of the take; what is said later is not kept."""
ASIDE = 3
MOTION, PAUSE = 3.0, 0.25
"""How often a motion is saved, and how soon an edit after another is [s]."""


def default_folder() -> Path:
    """Return where sessions are, unless stated: in the user's folder for states of programs."""
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Application Support"
    else:
        base = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state")
    return base / "tarsus" / "studio"


class Autosave:
    """Keeps a stage in a folder: restores it at first, then saves what changes until `close`.

    A stage on which something has been done already begins a new session; the old one is put
    aside. What was restored, and what could not be, is told by the stage.
    """

    def __init__(self, stage: Stage, folder: str | Path) -> None:
        self.stage = stage
        self.folder, self._lock_file = _locked(Path(folder))
        self._packer = Packer()
        self._writing = threading.Lock()
        self._sizes: dict[str, int] = {}
        """Bytes of the pieces that are there."""
        self._written: list[str] = []
        """Lines of the take that are written."""
        self._ends = [0]
        """Where in the file they end."""
        self._saved: tuple[Any, ...] = ()
        self._written_state: tuple[Any, ...] = ()
        self._at = 0.0
        self._trouble = ""
        self.restored = self._restore()
        """Whether a session was there and has been restored."""
        self.save()
        self._closed, self._changed = threading.Event(), threading.Event()
        stage.listeners.append(self._heard)
        self._thread = threading.Thread(target=self._run, daemon=True, name="tarsus autosave")
        self._thread.start()

    @property
    def behind(self) -> bool:
        """Whether something has been edited that is not on the disk yet."""
        return self._written_state[:3] != self._state()[:3]

    def close(self) -> None:
        """Save for the last time, and leave the session to others."""
        if self._closed.is_set():
            return
        self._closed.set()
        self._changed.set()
        self.stage.listeners.remove(self._heard)
        self._thread.join(timeout=10.0)
        self.save()
        self._lock_file.close()

    # --- when -----------------------------------------------------------------------------------

    def _heard(self, line: str, answer: Answer) -> None:
        """Save what a line has changed before it is answered, unless there are very many."""
        if self._state()[:3] == self._saved[:3]:
            return
        if time.monotonic() - self._at > PAUSE and self._writing.acquire(blocking=False):
            # whoever speaks may hold the stage, for which a thread that writes would wait
            try:
                self._save()
            finally:
                self._writing.release()
        else:
            self._changed.set()

    def _run(self) -> None:
        while not self._closed.is_set():
            self._changed.wait(PAUSE)
            self._changed.clear()
            now, saved = self._state(), self._saved
            since = time.monotonic() - self._at
            if now[:3] != saved[:3] or (now != saved and since > MOTION):
                self.save()
                self._closed.wait(PAUSE)

    def _state(self) -> tuple[Any, ...]:
        """Return what tells that something has changed: first edits, then motion."""
        stage = self.stage
        return stage.revision, len(stage.edits), len(stage.undone), stage.steps, stage.t

    # --- what -----------------------------------------------------------------------------------

    def save(self) -> None:
        """Write the stage as it is now; what goes wrong is told once, and tried again later."""
        with self._writing:
            self._save()

    def _save(self) -> None:
        try:
            with self.stage.lock:
                self._saved = self._state()
                head, new = self._packed()
                lines, steps = list(self.stage.take.lines), self.stage.take.mark[1]
            state = self._saved
            self._write(head, new, lines, steps)
            self._written_state, self._trouble = state, ""
        except EXPECTED as error:
            if str(error) != self._trouble:
                self._trouble = str(error)
                self.stage.tell(f"the session is not saved: {error}")
        self._at = time.monotonic()

    def _packed(self) -> tuple[dict[str, Any], dict[str, bytes]]:
        """Return the head and new pieces, among them or on the disk those of the present."""
        head, new = self._packer.pack(self.stage)
        present = {head["document"], head["first"]["document"]}
        if present <= {*self._sizes, *new}:
            return head, new
        # undo went back to what was too old to be kept
        self._packer.forget(set(self._sizes))
        return self._packer.pack(self.stage)

    def _write(
        self, head: dict[str, Any], new: dict[str, bytes], lines: list[str], steps: int
    ) -> None:
        pieces = self.folder / PIECES
        pieces.mkdir(exist_ok=True)
        for name, data in new.items():
            if name not in self._sizes:
                with replacing(pieces / name) as part:
                    part.write_bytes(data)
                self._sizes[name] = len(data)
        self._write_take(lines)
        head["take"] = [self._ends[-1], steps]
        used = self._bounded(head)
        with replacing(self.folder / HEAD) as part:
            part.write_text(json.dumps(head, allow_nan=False), encoding="utf-8")
        for name in set(self._sizes) - used:
            with suppress(OSError):
                (pieces / name).unlink()
            del self._sizes[name]

    def _write_take(self, lines: list[str]) -> None:
        """Write lines that are new; those at the end that were taken back are overwritten."""
        same = min(len(lines), len(self._written))
        while same and lines[same - 1] != self._written[same - 1]:
            same -= 1
        rows = [json.dumps(line).encode() + b"\n" for line in lines[same:]]
        del self._written[same:], self._ends[same + 1 :]
        if not rows or self._ends[-1] + sum(map(len, rows)) > MOST_TAKE:
            return
        with (self.folder / TAKE).open("ab") as file:
            # what a process that was killed wrote beyond does not count
            file.truncate(self._ends[-1])
            file.write(b"".join(rows))
            file.flush()
            os.fsync(file.fileno())
        self._written += lines[same:]
        self._ends += (self._ends[-1] + np.cumsum([len(row) for row in rows])).tolist()

    def _bounded(self, head: dict[str, Any]) -> set[str]:
        """Leave out the oldest edits if there are too many bytes, and return all names in use."""
        used = {head["document"], head["first"]["document"]}
        total = sum(self._sizes[name] for name in used)
        for key in ("undone", "edits"):
            kept = []
            for pair in reversed(head[key]):
                total += sum(self._sizes.get(name, MOST_BYTES) for name in {*pair} - used)
                if total > MOST_BYTES:
                    break
                used |= {*pair}
                kept.append(pair)
            head[key] = kept[::-1]
        return used

    # --- at first -------------------------------------------------------------------------------

    def _restore(self) -> bool:
        """Restore the session that is there, if there is one; put it aside if it cannot be."""
        if not (self.folder / HEAD).exists():
            self._put_aside() if any(self.folder.glob("[pt]*")) else None
            return False
        stage = self.stage
        if stage.edits or stage.steps or stage.document.description.bodies:
            stage.tell(f"the session before is in {self._put_aside()}")
            return False
        try:
            head = json.loads((self.folder / HEAD).read_text(encoding="utf-8"))
            if not isinstance(head, dict):
                raise ValueError("session.json is no session")
            unpacker = Unpacker(self._read, self.folder)
            take = self._take(head.get("take"), unpacker)
            unpacker.unpack(head, take, stage)
        except (*EXPECTED, RecursionError, AttributeError) as error:
            where = self._put_aside()
            stage.tell(f"the session could not be restored, it is in {where}: {error}")
            return False
        names = (self.folder / PIECES).iterdir()
        self._sizes = {file.name: file.stat().st_size for file in names if file.name.isalnum()}
        for text in unpacker.told:
            stage.tell(text)
        stage.tell(f"restored: {stage.document.description.name} at t = {stage.t:.6g} s")
        return True

    def _read(self, name: str) -> bytes:
        return (self.folder / PIECES / name).read_bytes()

    def _take(self, counts: Any, unpacker: Unpacker) -> Take:
        """Return the take as far as it counts."""
        size, steps = counts
        path = self.folder / TAKE
        data = path.read_bytes()[: int(size)] if path.exists() else b""
        lines, ends = [], [0]
        for row in data.splitlines(keepends=True):
            try:
                lines.append(str(json.loads(row)))
            except ValueError:
                break
            ends.append(ends[-1] + len(row))
        if ends[-1] < int(size):
            unpacker.told.append(f"the take has its first {len(lines)} lines only")
        self._written, self._ends = list(lines), ends
        return Take(lines, int(steps))

    def _put_aside(self) -> Path:
        """Move the files of a session into a folder of their own, and return it."""
        found = {int(path.name[6:]): path for path in self.folder.glob("aside-*[0-9]")}
        for number in sorted(found)[: max(0, len(found) - ASIDE + 1)]:
            shutil.rmtree(found[number], ignore_errors=True)
        where = self.folder / f"aside-{max(found, default=0) + 1}"
        where.mkdir()
        for name in (HEAD, PIECES, TAKE):
            with suppress(FileNotFoundError):
                (self.folder / name).rename(where / name)
        self._written, self._ends, self._sizes = [], [0], {}
        return where


def _locked(folder: Path) -> tuple[Path, Any]:
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

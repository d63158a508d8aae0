"""Sessions on the disk: a stage is written as it changes, and is there again after a crash.

    session.json    what is now, and the names of all that was: written last, whole or not at all
    pieces/…        worlds and edits, each a file under the name of its content, written once
    take.txt        the lines of the take, of which session.json says how many bytes count
    aside-1/ …      sessions that could not be read, or were begun anew; the last three

A line that edits is on the disk before it is answered: it is appended to the take. All the rest
follows soon. A process that is killed between two of these files leaves the session before, and
the lines that were said since: they are done again.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from tarsus.files import replacing
from tarsus.studio.session import Packer, Unpacker
from tarsus.studio.session_folder import HEAD, PIECES, TAKE, own_folder, put_aside
from tarsus.studio.stage import Answer, Stage
from tarsus.studio.take_journal import TakeJournal, do_again
from tarsus.studio.world import EXPECTED

MOST_BYTES = 256 * 1024 * 1024
"""Of worlds to which undo and redo go back; the oldest are not kept."""
MOTION, PAUSE = 3.0, 0.25
"""How often a motion is saved, and how soon after an edit all of the stage is [s]."""
WHOLE = ("run ", "load ", "open ", "rewind ", "gait", "draw ")
"""How lines begin that need files, the recording or much time: all is saved at once."""


class Autosave:
    """Keeps a stage in a folder: restores it at first, then saves what changes until `close`.

    A stage on which something has been done already begins a new session; the old one is put
    aside. What was restored, and what could not be, is told by the stage.
    """

    def __init__(self, stage: Stage, folder: str | Path) -> None:
        self.stage = stage
        self.folder, self._lock_file = own_folder(Path(folder))
        self._packer = Packer()
        self._writing = threading.Lock()
        """Who has it and waits for the stage's lock had that before."""
        self._journal = TakeJournal(self.folder / TAKE)
        self._sizes: dict[str, int] = {}
        """Bytes of the pieces that are there."""
        self._noted = self._saved = self._state()
        """What the stage was when lines were appended last, and when all was written."""
        self._at, self._trouble = 0.0, ""
        self.restored = self._restore()
        """Whether a session was there and has been restored."""
        self.save()
        self._closed, self._changed = threading.Event(), threading.Event()
        stage.listeners.append(self._heard)
        self._thread = threading.Thread(target=self._run, daemon=True, name="tarsus autosave")
        self._thread.start()

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
        """Bring a line that edits to the disk before it is answered."""
        with self.stage.lock, self._telling():
            edits = self._state()[:3]
            whole = line.strip().startswith(WHOLE) and edits != self._saved[:3]
            if edits == self._noted[:3] and not whole:
                return
            if whole or not self._journal.write(self.stage.take.lines):
                self.save()
            self._noted = self._state()
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
        with self._telling():
            with self.stage.lock:
                self._writing.acquire()
                try:
                    state = self._state()
                    head, new = self._packed()
                    self._journal.write(self.stage.take.lines)
                    head["take"] = [self._journal.end, self.stage.take.mark[1]]
                except BaseException:
                    self._writing.release()
                    raise
            # the clock goes on while the disk is busy
            try:
                self._write(head, new)
                self._saved = state
            finally:
                self._writing.release()
        self._at = time.monotonic()

    @contextmanager
    def _telling(self) -> Iterator[None]:
        """Let a person know what goes wrong, once."""
        try:
            yield
            self._trouble = ""
        except EXPECTED as error:
            if str(error) != self._trouble:
                self._trouble = str(error)
                self.stage.tell(f"the session is not saved: {error}")

    def _packed(self) -> tuple[dict[str, Any], dict[str, bytes]]:
        """Return the head and new pieces, among them or on the disk those of the present."""
        head, new = self._packer.pack(self.stage)
        present = {head["document"], head["first"]["document"]}
        if present <= {*self._sizes, *new}:
            return head, new
        # undo went back to what was too old to be kept
        self._packer.forget(set(self._sizes))
        return self._packer.pack(self.stage)

    def _write(self, head: dict[str, Any], new: dict[str, bytes]) -> None:
        pieces = self.folder / PIECES
        pieces.mkdir(exist_ok=True)
        for name, data in new.items():
            if name not in self._sizes:
                with replacing(pieces / name) as part:
                    part.write_bytes(data)
                self._sizes[name] = len(data)
        used = self._bounded(head)
        with replacing(self.folder / HEAD) as part:
            part.write_text(json.dumps(head, allow_nan=False), encoding="utf-8")
        for name in set(self._sizes) - used:
            with suppress(OSError):
                (pieces / name).unlink()
            del self._sizes[name]

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
            if any(self.folder.glob("[pt]*")):
                put_aside(self.folder)
            return False
        stage = self.stage
        if stage.edits or stage.steps or stage.document.description.bodies:
            stage.tell(f"the session before is in {put_aside(self.folder)}")
            return False
        try:
            head = json.loads((self.folder / HEAD).read_text(encoding="utf-8"))
            if not isinstance(head, dict):
                raise ValueError("session.json is no session")
            unpacker = Unpacker(self._read, self.folder)
            size, steps = (int(each) for each in head["take"])
            take, later = self._journal.read(size, steps)
            unpacker.unpack(head, take, stage)
        except (*EXPECTED, RecursionError, AttributeError) as error:
            self._journal.forget()
            where = put_aside(self.folder)
            stage.tell(f"the session could not be restored, it is in {where}: {error}")
            return False
        names = (self.folder / PIECES).iterdir()
        self._sizes = {file.name: file.stat().st_size for file in names if file.name.isalnum()}
        if self._journal.end < size:
            unpacker.told.append(f"the take has its first {len(take.lines)} lines only")
        for text in (*unpacker.told, do_again(stage, later)):
            if text:
                stage.tell(text)
        stage.tell(f"restored: {stage.document.description.name} at t = {stage.t:.6g} s")
        return True

    def _read(self, name: str) -> bytes:
        return (self.folder / PIECES / name).read_bytes()

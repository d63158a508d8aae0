"""Automatic saving of sessions, and their journal."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tarsus._lib.errors import Source
from tarsus._lib.files import replacing
from tarsus.formats.text import parse_json
from tarsus.studio.commands.command import uses_files
from tarsus.studio.edit_history import EXPECTED
from tarsus.studio.exporting import mesh_folders
from tarsus.studio.session import Answer, Stage
from tarsus.studio.session_file import Packer, Sealer, Unpacker, user_sealer
from tarsus.studio.session_folder import (
    HEAD,
    PENDING,
    PIECE,
    PIECES,
    REJECTED,
    TAKE,
    check_plain,
    own_folder,
    put_aside,
    read_bounded,
)
from tarsus.studio.take import Take

# Sessions on the disk: a stage is written as it changes, and is there again after a crash.
#
#     session.json    what is now, and the names of all that was: written last, whole or not at all
#     pieces/…        worlds and edits, each a file under the name of its content, written once
#     take.txt        the lines of the take, of which session.json says how many bytes count
#     pending.json    lines that were not done again, until the user decides about them
#     rejected.txt    lines that this user did not record: they are never done again
#     aside-1/ …      sessions that could not be read, or were begun anew; the last three
#
# A line that edits is on the disk before it is answered: it is appended to the take. All the rest
# follows soon. A process that is killed between two of these files leaves the session before, and
# the lines that were done since: they are done again.
#
# A session folder may come from somebody else. What it states is restored, because that is data.
# Lines are done again only if this user recorded them on this machine, which their seals tell.
# Lines that use files are pending until the user confirms them. After a crash none of these is
# missing: the whole session is saved before they are answered.


MOST_BYTES = 256 * 1024 * 1024
"""Of worlds to which undo and redo go back; the oldest are not kept."""
MOTION, PAUSE = 3.0, 0.25
"""How often a motion is saved, and how soon after an edit all of the stage is [s]."""
SLOW = (["rewind"], ["gait"])
"""Commands that need the recording or much time: all is saved at once, as for those with files."""
LISTED, LONGEST = 5, 80
"""Lines that a message names, and characters of each."""


class Autosave:
    """Keeps a stage in a folder: restores it at first, then saves what changes until `close`.

    A stage on which something has been done already begins a new session; the old one is put
    aside. What was restored, and what could not be, is told by the stage. With `replay` pending
    lines are done again: those that use files.
    """

    def __init__(self, stage: Stage, folder: str | Path, *, replay: bool = False) -> None:
        self.stage = stage
        self.folder, self._lock_file = own_folder(Path(folder))
        self._sealer = user_sealer()
        self.pending: list[str] = []
        """Lines of the session that were not done again; see `replay` and `dismiss`."""
        self._packer = Packer()
        self._writing = threading.Lock()
        """Who has it and waits for the stage's lock had that before."""
        self._journal = TakeJournal(self.folder / TAKE, self._sealer)
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
        if replay and self.pending:
            stage.tell(self.replay().text)
        elif self.pending:
            stage.tell(_pending_text(self.pending))

    def replay(self) -> Answer:
        """Do the pending lines again, up to the first that fails; none is pending any more.

        They may create files, and replace only those that any line of the stage may.
        """
        with self.stage.lock:
            lines = list(self.pending)
            self.dismiss()
        failed = _do_again(self.stage, lines)
        return Answer(failed or f"{len(lines)} lines of the session were done again", not failed)

    def dismiss(self) -> Answer:
        """Forget the pending lines."""
        count = len(self.pending)
        self.pending = []
        (self.folder / PENDING).unlink(missing_ok=True)
        return Answer(f"{count} lines of the session are forgotten")

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
            whole = edits != self._saved[:3] and (
                bool(self._sealer.problem) or uses_files(line) or line.split()[:1] in SLOW
            )
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
        seal = self._sealer.seal("head", json.dumps(head, allow_nan=False))
        with replacing(self.folder / HEAD) as part:
            part.write_text(json.dumps({**head, "seal": seal}, allow_nan=False), encoding="utf-8")
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
        stage = self.stage
        if self._sealer.problem:
            stage.tell(f"lines of the session cannot be sealed: {self._sealer.problem}")
        if not os.path.lexists(self.folder / HEAD):
            if any(self.folder.glob("[pt]*")):
                put_aside(self.folder)
            return False
        if stage.edits or stage.steps or stage.document.description.bodies:
            stage.tell(f"the session before is in {put_aside(self.folder)}")
            return False
        own = True
        try:
            check_plain(self.folder)
            head, own = self._head()
            folders = [self.folder.resolve().anchor] if own else mesh_folders(stage)
            unpacker = Unpacker(self._read, self.folder, folders)
            size, steps = (int(each) for each in head["take"])
            take, later = self._journal.read(size, steps)
            pending = self._read_pending()
            unpacker.unpack(head, take, stage)
        except (*EXPECTED, RecursionError, AttributeError) as error:
            self._journal.forget()
            where = put_aside(self.folder)
            foreign = "" if own else f"; {_foreign_text(stage)}"
            stage.tell(f"the session could not be restored, it is in {where}: {error}{foreign}")
            return False
        pieces = [file for file in (self.folder / PIECES).iterdir() if PIECE.fullmatch(file.name)]
        self._sizes = {file.name: file.stat().st_size for file in pieces}
        for text in unpacker.told:
            stage.tell(text)
        if self._journal.end < size:
            stage.tell(f"the take has its first {len(take.lines)} lines only")
        if not own:
            stage.tell(_foreign_text(stage))
        self._do_later(later, own)
        if self.pending != pending[-len(self.pending) :]:  # else a crash left both
            pending += self.pending
        if pending:
            self._write_pending(pending)
        stage.tell(f"restored: {stage.document.description.name} at t = {stage.t:.6g} s")
        return True

    def _head(self) -> tuple[dict[str, Any], bool]:
        """Return the head of the session, and whether this user wrote it on this machine."""
        head = self._data(HEAD)
        if not isinstance(head, dict):
            raise ValueError("session.json is no session")
        seal = head.pop("seal", "")
        return head, self._sealer.fits(seal, "head", json.dumps(head))

    def _do_later(self, rows: list[Row], own: bool) -> None:
        """Do lines again that were done after the session was saved, and that use no files.

        The first line that uses files is pending, with all after it. The first line that this user
        did not record is rejected, with all after it.
        """
        count = next((k for k, row in enumerate(rows) if not (own and row.own)), len(rows))
        lines, rejected = [row.line for row in rows[:count]], [row.line for row in rows[count:]]
        if lines and lines[0].startswith("advance "):
            # steps before the session was saved have been made
            lines[0] = f"advance {int(lines[0].split()[1]) - self.stage.take.mark[1]}"
        count = next((k for k, line in enumerate(lines) if uses_files(line)), len(lines))
        self.pending = lines[count:]
        if failed := _do_again(self.stage, lines[:count]):
            self.stage.tell(failed)
        self._reject(rejected)

    def _reject(self, lines: list[str]) -> None:
        """Tell of lines that this user did not record, and keep them as a script to read."""
        if not lines:
            return
        path = self.folder / REJECTED
        with replacing(path) as part:
            part.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        self.stage.tell(
            f"{len(lines)} lines of the session were not done, because this user did not record "
            f"them on this machine: {_listed(lines)}. They are in {path}: read them, and run them "
            "as a script if you trust them"
        )

    def _read_pending(self) -> list[str]:
        """Return lines that are pending since an earlier start, if this user recorded them."""
        path = self.folder / PENDING
        if not path.exists():
            return []
        lines, seal = self._data(PENDING)
        if not isinstance(lines, list) or not all(isinstance(line, str) for line in lines):
            raise ValueError(f"{PENDING} is no list of lines")
        if self._sealer.fits(seal, "pending", *lines):
            return lines
        self._reject(lines)
        path.unlink()
        return []

    def _write_pending(self, lines: list[str]) -> None:
        self.pending = lines
        with replacing(self.folder / PENDING) as part:
            data = [lines, self._sealer.seal("pending", *lines)]
            part.write_text(json.dumps(data), encoding="utf-8")

    def _data(self, name: str) -> Any:
        """Return the data of a file of the session, within the limits of files from elsewhere."""
        path = self.folder / name
        return parse_json(read_bounded(path, MOST_BYTES)[0].decode(), Source(str(path)))

    def _read(self, name: str) -> bytes:
        return read_bounded(self.folder / PIECES / name, MOST_BYTES)[0]


def _do_again(stage: Stage, lines: list[str]) -> str:
    """Do lines on a stage that was restored; return what could not be done, nothing if all was."""
    for number, line in enumerate(lines):
        answer = stage.do(line)
        if not answer.ok:
            left = len(lines) - number
            return f"the last {left} lines could not be done again, from {line!r}: {answer.text}"
    stage.playing = False
    return ""


def _foreign_text(stage: Stage) -> str:
    """Return what a user must know about a session whose seal does not fit."""
    return (
        "the session was changed, or written by another user, on another machine or by an older "
        f"version: its meshes are read below {stage.root} only"
    )


def _pending_text(lines: list[str]) -> str:
    """Return what a user must know about pending lines."""
    return (
        f"{len(lines)} lines of the session were not done again, because they use files: "
        f"{_listed(lines)}. Confirm them in the page, start with `tarsus studio --replay`, or in "
        "Python call `Autosave.replay()`"
    )


def _listed(lines: list[str]) -> str:
    """Return the first of some lines, shortened."""
    listed = [line if len(line) <= LONGEST else f"{line[:LONGEST]}…" for line in lines[:LISTED]]
    if len(lines) > LISTED:
        listed.append(f"and {len(lines) - LISTED} more")
    return "; ".join(listed)


# The take on the disk: lines are appended once they are done, and before they are answered.
#
# Each line is a row of JSON with its seal, which covers the row before, too. The head of a session
# says how many bytes of the file are part of it; lines that were done later stand beyond them, and
# are done again when the session is restored, if their seals fit.


MOST = 64 * 1024 * 1024
"""Bytes; what is said later is not kept."""


@dataclass(frozen=True)
class Row:
    """A line of a take, the seal that stands beside it, and where its row ends [bytes]."""

    line: str
    seal: str
    end: int
    own: bool = True
    """Whether the seal fits: this user has written the row, after the one before it."""


class TakeJournal:
    """Lines of a take in a file; whoever writes holds the lock of the stage."""

    def __init__(self, path: Path, sealer: Sealer) -> None:
        self.path, self._sealer = path, sealer
        self._rows: list[Row] = []
        """What is written."""

    @property
    def end(self) -> int:
        """Where the last line ends [bytes]."""
        return self._rows[-1].end if self._rows else 0

    def write(self, lines: list[str]) -> bool:
        """Bring lines to the disk, those at the end that were taken back are overwritten.

        Return whether all are there: a file does not grow beyond its bound.
        """
        same = min(len(lines), len(self._rows))
        while same and lines[same - 1] != self._rows[same - 1].line:
            same -= 1
        if same == len(lines) == len(self._rows):
            return True
        kept = self._rows[:same]
        rows, data = list(kept), []
        for line in lines[same:]:
            before = rows[-1] if rows else Row("", "", 0)
            seal = self._sealer.seal("line", before.seal, line)
            text = json.dumps([line, seal]).encode() + b"\n"
            rows.append(Row(line, seal, before.end + len(text)))
            data.append(text)
        if rows and rows[-1].end > MOST:
            return False
        with self.path.open("ab") as file:
            file.truncate(kept[-1].end if kept else 0)
            file.write(b"".join(data))
            file.flush()
            os.fsync(file.fileno())
        self._rows = rows
        return True

    def read(self, size: int, steps: int) -> tuple[Take, list[Row]]:
        """Return the take of the first `size` bytes, and rows that were written later.

        `steps` have been made since the last line of the take. A row that a process was killed at
        was not answered, and does not count.
        """
        self.forget()
        data = read_bounded(self.path, MOST)[0] if self.path.exists() else b""
        for text in data.splitlines(keepends=True):
            if not text.endswith(b"\n") or (stated := _stated(text)) is None:
                break
            line, seal = stated
            before = self._rows[-1] if self._rows else Row("", "", 0)
            own = self._sealer.fits(seal, "line", before.seal, line)
            self._rows.append(Row(line, seal, before.end + len(text), own))
        counted = sum(row.end <= size for row in self._rows)
        return Take([row.line for row in self._rows[:counted]], steps), self._rows[counted:]

    def forget(self) -> None:
        """Begin with no lines, as where there is no file."""
        self._rows = []


def _stated(row: bytes) -> tuple[str, str] | None:
    """Return the line and the seal of a row, None if it is damaged; old rows have no seal."""
    try:
        found = json.loads(row)
    except (ValueError, RecursionError):
        return None
    line, seal = found if isinstance(found, list) and len(found) == 2 else (found, "")
    return (line, seal) if isinstance(line, str) and isinstance(seal, str) else None

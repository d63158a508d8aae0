"""Sessions as files, and seals that tell whose lines they are."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import secrets
import stat
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from tarsus._lib.checks import flag, number, numbers
from tarsus._lib.errors import ModelError, Source
from tarsus._lib.files import Array, replacing
from tarsus.formats.native_elements import mapping
from tarsus.formats.text import parse_json
from tarsus.model.model import Model
from tarsus.simulation.snapshot import Snapshot
from tarsus.simulation.take_file import plain_snapshot, read_snapshot
from tarsus.studio.document import Document
from tarsus.studio.document_files import document_data, read_document, scene_document
from tarsus.studio.edit_history import Edit
from tarsus.studio.live_model import Machine
from tarsus.studio.recording import Moment
from tarsus.studio.session import Stage
from tarsus.studio.session_folder import PIECE, default_folder, read_bounded
from tarsus.studio.take import Take

# A session as data: all of a stage that must outlive the program, and the stage from them.
#
# The world as it is now, with all that the next steps depend on; every world of undo and redo; the
# take. Worlds do not change once they are there, so that each is data once, under the name of its
# content.


VERSION = 2
HEAD = (
    *("version", "document", "start", "snapshot", "q", "v", "stored", "t", "counts", "speed"),
    *("edits", "undone", "first", "take", "lost"),
)
EDIT = ("line", "document", "q", "v", "moved", "t", "whole", "together")
COUNTS = ("steps", "moved", "frames")
"""Numbers of a stage that go on counting."""
State = tuple[Array, Array]
Pieces = dict[str, bytes]
"""Data by the name of their content."""


@dataclass
class Packer:
    """Makes data of stages; worlds that have been packed before are not packed again."""

    names: WeakKeyDictionary[Any, str] = field(default_factory=WeakKeyDictionary)
    models: WeakKeyDictionary[Model, Document] = field(default_factory=WeakKeyDictionary)
    """Documents of models that the recording began with."""
    contents: WeakKeyDictionary[Machine, dict[str, str]] = field(default_factory=WeakKeyDictionary)
    """What motions of machines depend on, as hashes."""
    lost: list[str] = field(default_factory=list)
    """What of the documents no file can keep."""

    def pack(self, stage: Stage) -> tuple[dict[str, Any], Pieces]:
        """Return the head of a session, and pieces that have not been packed before.

        The stage must stand still meanwhile: hold its lock.
        """
        new: Pieces = {}
        machine = stage.machine
        try:
            snapshot = plain_snapshot(self._snapshot(machine))
        except TypeError as error:
            snapshot = None
            self._lose(f"what contacts and the controller remember: {error}")
        first = stage.recording.moments[0]
        head = {
            "version": VERSION,
            "document": self.document(machine.document, new),
            "start": [each.tolist() for each in machine.start],
            "snapshot": snapshot,
            "q": machine.q.tolist(),
            "v": machine.v.tolist(),
            "stored": machine.stored_at_start,
            "t": stage.t,
            "counts": {name: getattr(stage, name) for name in COUNTS},
            "speed": stage.speed,
            "edits": [self._pair(edit, new) for edit in stage.edits],
            "undone": [self._pair(edit, new) for edit in stage.undone],
            "first": self._moment(first, machine, new),
            "lost": self.lost,
            "take": None,
        }
        return head, new

    def _snapshot(self, machine: Machine) -> Snapshot:
        """Return the motion as it is; what it depends on is hashed once for a machine."""
        found = machine.simulation.snapshot()
        if machine not in self.contents:
            self.contents[machine] = dict(found.content)
        return replace(found, origin=None, stated=self.contents[machine])

    def document(self, document: Document, new: Pieces) -> str:
        """Return the name of a document."""
        if document not in self.names:
            data, lost = document_data(document)
            for each in lost:
                self._lose(each)
            self.names[document] = _named(data, new)
        return self.names[document]

    def _pair(self, edit: Edit, new: Pieces) -> list[str]:
        """Return the names of an edit and of its document."""
        if edit not in self.names:
            q, v = (each.tolist() for each in edit.state)
            data: dict[str, Any] = {"line": edit.line, "q": q, "v": v, "t": edit.t}
            data |= {"document": self.document(edit.document, new)}
            data |= {"moved": edit.moved, "whole": edit.whole, "together": edit.together}
            self.names[edit] = _named(data, new)
        return [self.names[edit], self.document(edit.document, new)]

    def _moment(self, moment: Moment, machine: Machine, new: Pieces) -> dict[str, Any]:
        """Return the first moment, to which `restart` goes back."""
        document = machine.document
        if moment.model is not machine.model:
            if moment.model not in self.models:
                self.models[moment.model] = Document(moment.model.description)
            document = self.models[moment.model]
        return {
            "document": self.document(document, new),
            "t": moment.t,
            "q": moment.q.tolist(),
            "v": moment.v.tolist(),
        }

    def forget(self, used: set[str]) -> None:
        """Pack all but this again, should it come back."""
        for key in [key for key, name in self.names.items() if name not in used]:
            del self.names[key]

    def _lose(self, what: str) -> None:
        if what not in self.lost:
            self.lost.append(what)


class Unpacker:
    """Makes a stage of a session; `read` returns a piece by its name.

    A session is data: nothing in it is executed. Meshes are read below `mesh_folders` only.
    """

    def __init__(
        self, read: Callable[[str], bytes], folder: Path, mesh_folders: Sequence[str | Path]
    ) -> None:
        self.read, self.source = read, Source(str(folder))
        self._mesh_folders = mesh_folders
        self.told: list[str] = []
        """What could not be kept, or not be read."""
        self._documents: dict[str, Document] = {}
        self._known_edits: dict[str, Edit] = {}
        self._scenes: dict[str, Document] = {}

    def unpack(self, head: Any, take: Take, stage: Stage) -> None:
        """Let a stage be as the session says; what is damaged in the past is left out and told."""
        stated = mapping(head, HEAD, HEAD, "the session", self.source)
        if stated["version"] != VERSION:
            raise ModelError(f"version {stated['version']!r} is not {VERSION}", self.source)
        document = self._document(stated["document"])
        model = Model(document.description, strict=False)
        q, v = self._state(*stated["start"])
        t = number(stated["t"], "t", self.source)
        machine = Machine(document, (q, v), model=model, t=t)
        self._go_on(machine, stated)
        self.told += [f"not kept over the restart: {each}" for each in stated["lost"]]
        stage.speed = number(stated["speed"], "speed", self.source)
        for name in COUNTS:
            setattr(stage, name, int(stated["counts"][name]))
        stage.restore(
            machine,
            self._moment(stated["first"], stated["document"], model),
            t=t,
            edits=self._edits(stated["edits"], "undo"),
            undone=self._edits(stated["undone"], "redo"),
            take=take,
        )

    def _go_on(self, machine: Machine, head: dict[str, Any]) -> None:
        """Let a motion go on to the same bits, or if it cannot, from the same state."""
        simulation = machine.simulation
        try:
            if head["snapshot"] is None:
                raise ValueError("files cannot keep what they remember")
            snapshot = read_snapshot(head["snapshot"], simulation.dt, self.source)
            simulation.restore(snapshot, machine.document.controller)
            machine.follow_bindings()
            machine.stored_at_start = number(head["stored"], "stored", self.source)
        except (ValueError, TypeError, LookupError, RuntimeError) as error:
            self.told.append(f"contacts, motors and hands begin anew: {error}")
            machine.put(*self._state(head["q"], head["v"]))

    def _edits(self, names: Any, what: str) -> list[Edit]:
        """Return edits, the last first read; where one is damaged, those before it are left out."""
        found: list[Edit] = []
        for name, _ in reversed(names):
            try:
                found.append(self._known_edits.get(name) or self._edit(name))
            except (ValueError, OSError, TypeError, LookupError) as error:
                self.told.append(f"{what} reaches {len(found)} edits only: {error}")
                break
        return found[::-1]

    def _edit(self, name: str) -> Edit:
        data = mapping(self._piece(name), EDIT, EDIT, "an edit", self.source)
        document, state = self._document(data["document"]), self._state(data["q"], data["v"])
        t, whole = number(data["t"], "t", self.source), flag(data["whole"], "whole")
        moved, together = int(data["moved"]), int(data["together"])
        edit = Edit(str(data["line"]), document, None, state, moved, t, whole, together)
        self._known_edits[name] = edit
        return edit

    def _moment(self, data: Any, present: Any, model: Model) -> Moment:
        keys = ("document", "t", "q", "v")
        stated = mapping(data, keys, keys, "the first moment", self.source)
        if stated["document"] != present:
            description = self._document(stated["document"]).description
            model = Model(description, strict=False)
        state = self._state(stated["q"], stated["v"])
        return Moment(number(stated["t"], "t", self.source), model, *state)

    def _document(self, name: Any) -> Document:
        """Return a document by name, the same for all that have it."""
        if name not in self._documents:
            self._documents[name] = read_document(
                self._piece(name), self.source, self._mesh_folders, scenes=self._scene
            )
        return self._documents[name]

    def _scene(self, name: str, source: Source) -> Document:
        """Return a scene that is made once: all documents of it share its controller."""
        if name not in self._scenes:
            self._scenes[name] = scene_document(name, source)
        return self._scenes[name]

    def _piece(self, name: Any) -> Any:
        if not isinstance(name, str) or not PIECE.fullmatch(name):
            raise ModelError(f"{name!r} is no name of a piece", self.source)
        data = self.read(name)
        if _name(data) != name:
            raise ModelError(f"the piece {name} is damaged", self.source)
        return parse_json(data.decode(), self.source)

    def _state(self, q: Any, v: Any) -> State:
        """Return a state; whether it fits a machine is seen when the machine is put into it."""
        return (
            numbers(q, (len(q),), "q", self.source),
            numbers(v, (len(v),), "v", self.source),
        )


def _named(data: Any, new: Pieces) -> str:
    """Add data to the pieces, and return their name."""
    piece = json.dumps(data, allow_nan=False).encode()
    name = _name(piece)
    new[name] = piece
    return name


def _name(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:32]


# Seals of sessions: keyed digests that tell what this user wrote on this machine from the rest.
#
# The key is a secret of the user, in the folder for states of programs. Whoever writes a session
# elsewhere, or changes one with an editor, cannot make its seals.


KEY = "session.key"
KEY_BYTES = 32


class Sealer:
    """Makes and checks seals with a key; `problem` is why the key cannot be kept, if it cannot."""

    def __init__(self, key: bytes, problem: str = "") -> None:
        self._key, self.problem = key, problem

    def seal(self, *texts: str) -> str:
        """Return the seal of texts in their order."""
        digest = hmac.new(self._key, digestmod="sha256")
        for text in texts:
            data = text.encode("utf-8", "surrogatepass")
            digest.update(len(data).to_bytes(8, "little") + data)
        return digest.hexdigest()

    def fits(self, seal: object, *texts: str) -> bool:
        """Return whether a seal is that of the texts."""
        made = self.seal(*texts)
        return isinstance(seal, str) and hmac.compare_digest(seal.encode(), made.encode())


def user_sealer() -> Sealer:
    """Return the sealer of this user; its key is made when it is needed first.

    Without a folder to keep it in the key is of this process only: what is sealed then does not
    fit after a restart.
    """
    path = default_folder().parent / KEY
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not os.path.lexists(path):
            _create(path)
        return Sealer(_read(path))
    except OSError as error:
        return Sealer(secrets.token_bytes(KEY_BYTES), str(error))


def _create(path: Path) -> None:
    try:
        with replacing(path, new=True) as part:
            part.chmod(0o600)
            part.write_bytes(secrets.token_bytes(KEY_BYTES))
    except FileExistsError:  # another process was faster
        pass


def _read(path: Path) -> bytes:
    key, status = read_bounded(path, KEY_BYTES)
    private = os.name != "posix" or (
        status.st_uid == os.geteuid() and not stat.S_IMODE(status.st_mode) & 0o077
    )
    if len(key) != KEY_BYTES or not private:
        raise PermissionError(
            f"{path} must have {KEY_BYTES} bytes, belong to this user and be closed to others "
            "(mode 0600): remove it, and a new one is made"
        )
    return key

"""A machine that is edited while it moves: documents change, the state goes on, undo goes back.

An edit is another document. The state is carried over to it; only if nothing has moved since does
undo bring back the state, too, to the bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from tarsus._lib.console import Interrupt
from tarsus._lib.files import Array
from tarsus.model.model import Model
from tarsus.scenes.scene import Scene
from tarsus.studio.assembly import come_together
from tarsus.studio.document import Document
from tarsus.studio.language import LineError
from tarsus.studio.live_model import HAND, Machine
from tarsus.studio.opening import differences, opened
from tarsus.studio.recording import Moment, Recording
from tarsus.studio.sizing import check_size
from tarsus.studio.take import Take
from tarsus.studio.work import Work, spoken

if TYPE_CHECKING:
    from tarsus.studio.clock import Gait


EXPECTED = (ValueError, LookupError, TypeError, OSError, RuntimeError, ArithmeticError, ImportError)
"""Errors that are told to who caused them."""
FRAMES = 60
"""Moments that are recorded in a second."""


@dataclass(frozen=True, eq=False)
class Edit:
    """A step of undo: what was said, and the world before it."""

    line: str
    document: Document
    model: Model | None
    """None if it is to be made of the document, as after a restart."""
    state: tuple[Array, Array]
    moved: int
    """How often it had moved then: if it has not since, the state comes back, too."""
    t: float = 0.0
    """The time then [s]."""
    whole: bool = False
    """Whether another world came, whose state is its own: time and state come back, too."""
    together: int = 0
    """Edits that follow each other and have the same number, but none, are undone together."""


class World:
    """A machine with its past: what was edited, what was recorded, and what was noted of both."""

    def __init__(self, what: Model | Scene | Document | None = None) -> None:
        self.revision = 0
        """Changes with all that is not motion."""
        self.playing = False
        self.looking: Moment | None = None
        """What of the recording is looked at, None for now."""
        self.film = False
        """Whether the recording is played, instead of the machine."""
        self.gait: Gait | None = None
        """The gait that was found last."""
        self.speed = 1.0
        self.base = 0.0
        """What the clock of the present machine lacks to the time [s]: less than a step."""
        self.steps = 0
        """Steps since the beginning."""
        self.moved = 0
        """Changes with all that is motion."""
        self.undone: list[Edit] = []
        self.edits: list[Edit] = []
        self.take = Take()
        self.recording = Recording()
        self.told: list[str] = []
        """What happened by itself, such as parts that came together."""
        self.work = Work()
        """What is being done that lasts."""
        document, model, start = opened(what)
        self.machine = Machine(document, start, model=model)
        self._moved_on(0.0)
        if isinstance(what, Scene):
            self.told += differences(what, document)

    @property
    def document(self) -> Document:
        """What has been built."""
        return self.machine.document

    @property
    def t(self) -> float:
        """The time [s]."""
        return self.base + self.machine.simulation.t

    def become(
        self,
        document: Document,
        line: str,
        *,
        model: Model | None = None,
        start: tuple[Array, Array] | None = None,
    ) -> None:
        """Go on with another document; `line` says why, for undo."""
        before = self.machine
        edit = self._edit(line)
        same = document.description is before.document.description
        if not same and before.document.collision is not None:
            document = document.but(collision=None)
            self.tell("the scene's own contact points are gone with this edit: shapes touch now")
        check_size(document)
        model = before.model if same and model is None else model
        now = Machine(document, start, before, model=model, t=self.t)
        self._turn_to(now, self.t)
        self.edits.append(edit)
        self.undone.clear()

    def begin(
        self,
        document: Document,
        line: str,
        *,
        model: Model | None = None,
        start: tuple[Array, Array] | None = None,
        t: float = 0.0,
    ) -> None:
        """Go over to another world, at a time [s]; nothing of the motion is carried over.

        `line` says why, for undo.
        """
        edit = self._edit(line, whole=True)
        check_size(document)
        machine = Machine(document, start, model=model, t=t)
        self._turn_to(machine, t, afresh=True)
        self.edits.append(edit)
        self.undone.clear()

    def _edit(self, line: str, *, whole: bool = False) -> Edit:
        """Return the world as it is now, for undo."""
        now = self.machine
        return Edit(line, now.document, now.model, (now.q, now.v), self.moved, self.t, whole)

    def look_different(self, document: Document) -> None:
        """Take another document that moves in the same way: charts, groups, what is shown."""
        check_size(document)
        self.machine.document = document
        self.revision += 1

    def take_back(self) -> str:
        """Take the last edit back, and return its line."""
        if not self.edits:
            raise LineError("there is nothing to undo")
        return self._swap(self.edits, self.undone)

    def do_again(self) -> str:
        """Do the edit again that was taken back last, and return its line."""
        if not self.undone:
            raise LineError("there is nothing to do again")
        return self._swap(self.undone, self.edits)

    def _swap(self, come: list[Edit], go: list[Edit]) -> str:
        edit, now = come[-1], self.machine
        back = replace(self._edit(edit.line, whole=edit.whole), together=edit.together)
        model = edit.model or Model(edit.document.description, strict=False)
        if edit.whole:
            machine = Machine(edit.document, edit.state, model=model, t=edit.t)
            self._turn_to(machine, edit.t, afresh=True)
        else:
            start = edit.state if edit.moved == self.moved else None
            machine = Machine(edit.document, start, now, model=model, t=self.t)
            self._turn_to(machine, self.t)
        come.pop()
        go.append(back)
        return edit.line

    def restore(
        self,
        machine: Machine,
        first: Moment,
        *,
        t: float,
        edits: Sequence[Edit],
        undone: Sequence[Edit],
        take: Take,
    ) -> None:
        """Go on where another stage was, at a time t [s]; `first` is where its motion began."""
        self.take = take
        self.edits[:], self.undone[:] = edits, undone
        self._turn_to(machine, t, afresh=True)
        if first.t < t:
            self.recording.moments.insert(0, first)

    def _turn_to(self, machine: Machine, t: float, *, afresh: bool = False) -> None:
        """Go on with another machine at a time [s]; `afresh`: with an empty recording."""
        self.film, self.looking = False, None
        self.machine = machine
        if afresh:
            self.playing, self.recording = False, Recording()
        self._moved_on(t)

    def _moved_on(self, now: float) -> None:
        self.base = now - self.machine.simulation.t
        self.revision += 1
        self.recording.note(now, self.machine, fresh=True)

    # --- time -----------------------------------------------------------------------------------

    def advance(self, count: int) -> int:
        """Make steps of dt, and return how many: fewer if the work was stopped on the way.

        Moments are recorded each 1/60 s of the machine's time. Ctrl-C ends it between two of them.
        """
        every = max(1, round(1.0 / (FRAMES * self.machine.simulation.dt)))
        made = 0
        with self.work, Interrupt() as interrupt:
            while made < count and not self.work.stopping and not interrupt.pressed:
                piece = min(count - made, every - self.steps % every)
                if self.steps % every == 0:
                    self.machine.turn_knobs(self.t)
                self._step(piece)
                made += piece
                if self.steps % every == 0:
                    self.recording.note(self.t, self.machine)
                    self.machine.meter.mark()
                    come_together(self)
                self.work.tell(made, count, "steps")
        self.recording.note(self.t, self.machine, passing=True)
        if interrupt.pressed:
            raise KeyboardInterrupt
        return made

    def _step(self, count: int) -> None:
        simulation = self.machine.simulation
        safe = simulation.snapshot()
        try:
            self.machine.step(count)
        except EXPECTED:
            # as it was before, so that a person can mend it and go on
            simulation.restore(safe)
            self.playing = False
            self.recording.note(self.t, self.machine, passing=True)
            raise
        self.steps += count
        self.moved += 1
        self.take.note_steps(count)

    def tell(self, text: str) -> None:
        """Say something that happened by itself."""
        self.told.append(spoken(self.document.description, text))

    def begin_at(self, q: Array, v: Array, t: float) -> None:
        """Put the machine into a state at a time."""
        self.moved += 1
        self.machine = Machine(self.document, (q, v), self.machine, model=self.machine.model, t=t)
        self._moved_on(t)

    @property
    def held(self) -> Any:
        """The handle of the hand, None if it holds nothing."""
        return self.machine.simulation.parts.get(HAND)

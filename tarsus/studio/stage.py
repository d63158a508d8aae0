"""`tarsus.studio.Stage`: a world in which people build and play, by lines of the command language.

    stage = ts.studio.Stage()
    stage.do("add box plank -size 1 .2 .05 -t 0 0 1")
    stage.do("add revolute hinge -a world 0 0 1 -b plank -.5 0 0 -axis 0 1 0")
    stage.do("step 500")

Everything that is done to a stage is a line, whoever says it: the page, the console, a script or
Python. So the lines with the steps between them are a take, which does it all again to the same
bits, and a script that can be edited. A line that fails changes nothing.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tarsus.arrays import Array
from tarsus.model import Model
from tarsus.model.checks import suggestion
from tarsus.scenes import Scene
from tarsus.simulation import SimulationError
from tarsus.studio.assembly import come_together
from tarsus.studio.commands import COMMANDS
from tarsus.studio.document import Document
from tarsus.studio.language import LineError, parse, written
from tarsus.studio.machine import HAND, Machine
from tarsus.studio.opening import opened
from tarsus.studio.recording import Moment, Recording
from tarsus.studio.take import Take

if TYPE_CHECKING:
    from tarsus.studio.walks import Gait

EXPECTED = (ValueError, LookupError, TypeError, OSError, RuntimeError, ArithmeticError, ImportError)
"""Errors of lines that are told to who said them."""
FRAMES = 60
"""Moments that are recorded in a second."""


@dataclass(frozen=True)
class Answer:
    """What a stage answers to a line: text, whether it was done, and which word was wrong."""

    text: str
    ok: bool = True
    field: str = ""


@dataclass(frozen=True, eq=False)
class Edit:
    """A step of undo: what was said, and the world before it."""

    line: str
    document: Document
    model: Model
    state: tuple[Array, Array]
    steps: int
    """Steps that had been made then: if none were since, the state comes back, too."""


class Stage:
    """A machine that is built and moved by lines; `what` is a model, a scene, or nothing yet.

    `root` is the folder that lines may read from and write to, the present one unless stated.
    """

    def __init__(
        self,
        what: Model | Scene | Document | None = None,
        *,
        root: str | Path | None = None,
    ) -> None:
        self.lock = threading.RLock()
        self.root = Path.cwd() if root is None else Path(root)
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
        """Steps since the stage was opened."""
        self.undone: list[Edit] = []
        self.edits: list[Edit] = []
        self.take = Take()
        self.recording = Recording()
        self.told: list[str] = []
        """What happened by itself, such as parts that came together."""
        self.listeners: list[Callable[[str, Answer], None]] = []
        self.open(what)

    def open(self, what: Model | Scene | Document | None) -> None:
        """Begin with a model, a scene or a document; what was there is forgotten but for undo."""
        document, model, start = opened(what)
        self.machine = Machine(document, start, model=model)
        self._moved_on(0.0)

    # --- what people say ------------------------------------------------------------------------

    def do(self, text: str) -> Answer:
        """Do a line and return the answer; errors that a person can mend are answers."""
        with self.lock:
            answer = self._done(text)
        for listener in list(self.listeners):
            listener(text, answer)
        return answer

    def run(self, script: str | Sequence[str], *, strict: bool = True) -> list[Answer]:
        """Do all lines of a script; a line that fails ends it with a `LineError`, if `strict`."""
        lines = script.splitlines() if isinstance(script, str) else script
        answers = []
        with self.lock:  # no clock makes steps between the lines
            for number, line in enumerate(lines, 1):
                answers.append(self.do(line))
                if strict and not answers[-1].ok:
                    raise LineError(f"line {number}, {line.strip()!r}: {answers[-1].text}")
        return answers

    def __getattr__(self, verb: str) -> Callable[..., str]:
        """Say a line by its verb: `stage.add("box", "plank", size=(1, .2, .05))`."""
        if verb not in COMMANDS:
            raise AttributeError(f"a stage has no verb {verb!r}{suggestion(verb, COMMANDS)}")

        def say(*words: object, **options: object) -> str:
            answer = self.do(written(verb, *words, **options))
            if not answer.ok:
                raise LineError(answer.text, answer.field)
            return answer.text

        return say

    def answered(self, line: str) -> str:
        """Do a line that is part of another, and return its text; a line that fails raises."""
        answer = self._done(line, noted=False)
        if not answer.ok:
            raise LineError(answer.text, answer.field)
        return answer.text

    def _done(self, text: str, noted: bool = True) -> Answer:
        try:
            line = parse(text)
            if line is None:
                return Answer("")
            if line.verb not in COMMANDS:
                raise LineError(
                    f"there is no command {line.verb!r}{suggestion(line.verb, COMMANDS)}"
                )
            command = COMMANDS[line.verb]
            said = command.do(self, line) or ""
            if command.noted and noted:
                self.take.note(text.strip())
        except LineError as error:
            return Answer(str(error), False, error.field)
        except EXPECTED as error:
            return Answer(str(error.args[0] if isinstance(error, KeyError) else error), False)
        return Answer(said)

    # --- edits ----------------------------------------------------------------------------------

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
        fresh: bool = False,
    ) -> None:
        """Go on with another document; `line` says why, for undo. `fresh`: at another machine."""
        before = self.machine
        edit = Edit(line, before.document, before.model, (before.q, before.v), self.steps)
        same = document.description is before.document.description
        if not same and not fresh and before.document.collision is not None:
            document = document.but(collision=None)
            self.tell("the scene's own contact points are gone with this edit: shapes touch now")
        model = before.model if same and model is None else model
        now = 0.0 if fresh else self.t
        self._turn_to(Machine(document, start, None if fresh else before, model=model, t=now), now)
        self.edits.append(edit)
        self.undone.clear()

    def look_different(self, document: Document) -> None:
        """Take another document that moves in the same way: charts, groups, what is shown."""
        self.machine.document = document
        self.revision += 1

    def undo(self) -> str:
        """Take the last edit back, and return its line."""
        if not self.edits:
            raise LineError("there is nothing to undo")
        return self._swap(self.edits, self.undone)

    def redo(self) -> str:
        """Do the edit again that was taken back last, and return its line."""
        if not self.undone:
            raise LineError("there is nothing to do again")
        return self._swap(self.undone, self.edits)

    def _swap(self, come: list[Edit], go: list[Edit]) -> str:
        edit, now = come[-1], self.machine
        back = Edit(edit.line, now.document, now.model, (now.q, now.v), self.steps)
        start = edit.state if edit.steps == self.steps else None
        t = self.t
        self._turn_to(Machine(edit.document, start, now, model=edit.model, t=t), t)
        come.pop()
        go.append(back)
        return edit.line

    def _turn_to(self, machine: Machine, now: float) -> None:
        self.film, self.looking = False, None
        self.machine = machine
        self._moved_on(now)

    def _moved_on(self, now: float) -> None:
        self.base = now - self.machine.simulation.t
        self.revision += 1
        self.recording.note(now, self.machine, fresh=True)

    # --- time -----------------------------------------------------------------------------------

    def step(self, count: int) -> None:
        """Make steps; moments are recorded each 1/60 s of the machine's time."""
        simulation = self.machine.simulation
        every = max(1, round(1.0 / (FRAMES * simulation.dt)))
        self.take.note_steps(count)
        while count > 0:
            piece = min(count, every - self.steps % every)
            self._step(piece)
            count -= piece
            if self.steps % every == 0:
                self.recording.note(self.t, self.machine)
                come_together(self)
        self.recording.note(self.t, self.machine)

    def _step(self, count: int) -> None:
        simulation = self.machine.simulation
        safe = simulation.snapshot()
        try:
            self.machine.step(count)
        except SimulationError:
            # as it was before, so that a person can mend it and go on
            simulation.restore(safe)
            self.playing = False
            self.recording.note(self.t, self.machine)
            raise
        self.steps += count

    def tell(self, text: str) -> None:
        """Say something that happened by itself."""
        self.told.append(text)

    def begin_at(self, q: Array, v: Array, t: float) -> None:
        """Put the machine into a state at a time."""
        now = self.machine
        self.machine = Machine(self.document, (q, v), now, model=now.model, t=t)
        self._moved_on(t)

    @property
    def held(self) -> Any:
        """The handle of the hand, None if it holds nothing."""
        return self.machine.simulation.parts.get(HAND)

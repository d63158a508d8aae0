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
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tarsus.arrays import Array
from tarsus.model import Model
from tarsus.model.checks import suggestion
from tarsus.scenes import Scene
from tarsus.simulation.integrators import Integration
from tarsus.studio.assembly import come_together
from tarsus.studio.commands import COMMANDS
from tarsus.studio.document import Document
from tarsus.studio.drawing import Drawing
from tarsus.studio.language import LineError, parse, written
from tarsus.studio.limits import check_size
from tarsus.studio.machine import HAND, Machine
from tarsus.studio.opening import opened
from tarsus.studio.recording import Moment, Recording
from tarsus.studio.safety import Before
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
        self.moved = 0
        """Changes with all that is motion."""
        self.drawing = Drawing()
        """Where frames go."""
        self.frames = 0
        """How many have been drawn."""
        self.statistics: Integration | None = None
        """What the integrator did when `step` was accurate last."""
        self.undone: list[Edit] = []
        self.edits: list[Edit] = []
        self.take = Take()
        self.depth = 0
        """How many scripts are being run within each other."""
        self.understood = ""
        """The line that is being done, as a take notes it."""
        self.recording = Recording()
        self.told: list[str] = []
        """What happened by itself, such as parts that came together."""
        self.listeners: list[Callable[[str, Answer], None]] = []
        self.url = ""
        """Where it is served, if it is."""
        self._open(what)

    def _open(self, what: Model | Scene | Document | None) -> None:
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

    def show(self, *words: object) -> Any:
        """Return what a notebook draws; with words, say the line: `stage.show("names", "on")`."""
        from tarsus.studio.notebook import Shown

        return Shown(self) if not words else self.__getattr__("show")(*words)

    def _repr_html_(self) -> str:
        """Return the stage for notebooks."""
        from tarsus.studio.notebook import frame_of

        return frame_of(self)

    def answered(self, line: str, *, noted: bool = False) -> str:
        """Do a line that is part of another, and return its text; a line that fails raises."""
        answer = self._done(line, noted=noted)
        if not answer.ok:
            raise LineError(answer.text, answer.field)
        return answer.text

    def _done(self, text: str, *, noted: bool = True) -> Answer:
        before, outer = Before.of(self), self.understood
        try:
            line = parse(text)
            if line is None:
                return Answer("")
            if line.verb not in COMMANDS:
                raise LineError(
                    f"there is no command {line.verb!r}{suggestion(line.verb, COMMANDS)}"
                )
            command = COMMANDS[line.verb]
            self.understood = " ".join(text.split("\n")).strip()
            said = command.do(self, line) or ""
            self._make_one(len(before.lists["edits"]), line.verb)
            if not noted:
                self.take.back_to(before.noted)
            elif command.noted:
                self.take.note(self.understood)
        except EXPECTED as error:
            before.put_back(self)
            field = error.field if isinstance(error, LineError) else ""
            told = error.args[0] if isinstance(error, KeyError) and error.args else error
            return Answer(str(told) or type(error).__name__, False, field)
        except BaseException:
            before.put_back(self)
            raise
        finally:
            self.understood = outer
        return Answer(said)

    def _make_one(self, first: int, verb: str) -> None:
        """Let all edits since the first of a line be one; those of a script are undone together."""
        made = self.edits[first:]
        if len(made) < 2:
            return
        if verb == "run":
            self.edits[first:] = [replace(edit, together=first + 1) for edit in made]
        else:
            self.edits[first:] = [replace(made[0], line=made[-1].line)]

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

    def advance(self, count: int) -> None:
        """Make steps of dt; moments are recorded each 1/60 s of the machine's time."""
        simulation = self.machine.simulation
        every = max(1, round(1.0 / (FRAMES * simulation.dt)))
        while count > 0:
            piece = min(count, every - self.steps % every)
            self._step(piece)
            count -= piece
            if self.steps % every == 0:
                self.recording.note(self.t, self.machine)
                come_together(self)
        self.recording.note(self.t, self.machine, passing=True)

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
        self.told.append(text)

    def begin_at(self, q: Array, v: Array, t: float) -> None:
        """Put the machine into a state at a time."""
        self.moved += 1
        self.machine = Machine(self.document, (q, v), self.machine, model=self.machine.model, t=t)
        self._moved_on(t)

    @property
    def held(self) -> Any:
        """The handle of the hand, None if it holds nothing."""
        return self.machine.simulation.parts.get(HAND)

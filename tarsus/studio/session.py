"""`Stage`: a studio session that takes commands and returns answers."""

from __future__ import annotations

import html
import tempfile
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tarsus._lib.checks import suggestion
from tarsus.model.model import Model
from tarsus.scenes.scene import Scene
from tarsus.simulation.integrators.methods import Integration
from tarsus.studio.commands.command import COMMANDS
from tarsus.studio.document import Document
from tarsus.studio.edit_history import EXPECTED, World
from tarsus.studio.exporting import write_player
from tarsus.studio.language import LineError, OverwriteGuard, parse, written
from tarsus.studio.recording import Drawing, films_of
from tarsus.studio.work import spoken

if TYPE_CHECKING:
    from tarsus.simulation.snapshot import Snapshot
    from tarsus.studio.live_model import Machine


# `tarsus.studio.Stage`: a world in which people build and play, by lines of the command language.
#
#     stage = ts.studio.Stage()
#     stage.do("add box plank -size 1 .2 .05 -t 0 0 1")
#     stage.do("add revolute hinge -a world 0 0 1 -b plank -.5 0 0 -axis 0 1 0")
#     stage.do("step 500")
#
# Everything that is done to a stage is a line, whoever says it: the page, the console, a script or
# Python. So the lines with the steps between them are a take, which does it all again to the same
# bits, and a script that can be edited. A line that fails changes nothing.


@dataclass(frozen=True)
class Answer:
    """What a stage answers to a line: text, whether it was done, and which word was wrong."""

    text: str
    ok: bool = True
    field: str = ""
    confirm: tuple[str, ...] = ()
    """Paths of files that the line would replace; repeated with `overwrite` it does."""


def is_pause(text: str) -> bool:
    """Return whether a line is `pause`, which is heeded before its turn."""
    return text.split()[:1] == ["pause"]


class Stage(World):
    """A machine that is built and moved by lines; `what` is a model, a scene, or nothing yet.

    `root` is the folder that lines may read from and write to, the present one unless stated.
    Lines create files there; `overwrite` lets them also replace files that this stage did not
    write.
    """

    def __init__(
        self,
        what: Model | Scene | Document | None = None,
        *,
        root: str | Path | None = None,
        overwrite: bool = False,
    ) -> None:
        super().__init__(what)
        self.lock = threading.RLock()
        self.root = Path.cwd() if root is None else Path(root)
        self.guard = OverwriteGuard(overwrite)
        """Decides which existing files lines may replace."""
        self.drawing = Drawing()
        """Where frames go."""
        self.frames = 0
        """How many have been drawn."""
        self.statistics: Integration | None = None
        """What the integrator did when `step` was accurate last."""
        self.depth = 0
        """How many scripts are being run within each other."""
        self.understood = ""
        """The line that is being done, as a take notes it."""
        self.listeners: list[Callable[[str, Answer], None]] = []
        self.url = ""
        """Where it is served, if it is."""

    # --- what people say ------------------------------------------------------------------------

    def do(
        self,
        text: str,
        *,
        overwrite: Iterable[str] = (),
        unless: Callable[[], bool] | None = None,
    ) -> Answer:
        """Do a line and return the answer; errors that a person can mend are answers.

        `pause` stops the line that is being done for somebody else, too. `overwrite` names
        existing files that this line may replace. The line is dropped if `unless` returns true
        when its turn has come.
        """
        if is_pause(text):
            self.work.stop()
        with self.lock, self.work:
            if unless is not None and unless():
                return Answer("the line was dropped: who said it has gone", False)
            with self.guard.confirming(self.root.resolve(), overwrite):
                answer = self._done(text)
        for listener in list(self.listeners):
            listener(text, answer)
        return answer

    def run(self, script: str | Sequence[str], *, strict: bool = True) -> list[Answer]:
        """Do all lines of a script; a line that fails ends it with a `LineError`, if `strict`."""
        lines = script.splitlines() if isinstance(script, str) else script
        answers = []
        with self.lock, self.work:  # no clock makes steps between the lines
            for number, line in enumerate(lines, 1):
                answers.append(self.do(line))
                if self.work.stopping:
                    raise LineError(f"line {number}, {line.strip()!r}: the script was stopped")
                if strict and not answers[-1].ok:
                    failed = answers[-1]
                    message = f"line {number}, {line.strip()!r}: {failed.text}"
                    raise LineError(message, failed.field, failed.confirm)
        return answers

    def __getattr__(self, verb: str) -> Callable[..., str]:
        """Say a line by its verb: `stage.add("box", "plank", size=(1, .2, .05))`."""
        if verb not in COMMANDS:
            raise AttributeError(f"a stage has no verb {verb!r}{suggestion(verb, COMMANDS)}")

        def say(*words: object, **options: object) -> str:
            answer = self.do(written(verb, *words, **options))
            if not answer.ok:
                raise LineError(answer.text, answer.field, answer.confirm)
            return answer.text

        return say

    def show(self, *words: object) -> Any:
        """Return what a notebook draws; with words, say the line: `stage.show("names", "on")`."""

        return Shown(self) if not words else self.__getattr__("show")(*words)

    def _repr_html_(self) -> str:
        """Return the stage for notebooks."""

        return frame_of(self)

    def answered(self, line: str, *, noted: bool = False) -> str:
        """Do a line that is part of another, and return its text; a line that fails raises."""
        answer = self._done(line, noted=noted)
        if not answer.ok:
            raise LineError(answer.text, answer.field, answer.confirm)
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
            field, confirm = (
                (error.field, error.confirm) if isinstance(error, LineError) else ("", ())
            )
            told = error.args[0] if isinstance(error, KeyError) and error.args else error
            text = spoken(self.document.description, str(told))
            return Answer(text or type(error).__name__, False, field, confirm)
        except BaseException:
            before.put_back(self)
            raise
        finally:
            self.understood = outer
        return Answer(spoken(self.document.description, said))

    def _make_one(self, first: int, verb: str) -> None:
        """Let all edits since the first of a line be one; those of a script are undone together."""
        made = self.edits[first:]
        if len(made) < 2:
            return
        if verb == "run":
            self.edits[first:] = [replace(edit, together=first + 1) for edit in made]
        else:
            self.edits[first:] = [replace(made[0], line=made[-1].line)]


# Lines that fail change nothing: what a stage was before a line, to be put back.


PLAIN = (
    *("revision", "playing", "looking", "film", "gait", "speed", "base", "steps", "moved"),
    *("drawing", "frames", "statistics", "recording"),
)
"""What is replaced and never changed, but for moments of the recording."""
LISTS = ("edits", "undone", "told")


@dataclass(frozen=True, eq=False)
class Before:
    """A stage as it was: its machine with all that moves, what is noted, what can be undone."""

    machine: Machine
    document: Any
    snapshot: Snapshot
    plain: dict[str, Any]
    lists: dict[str, list[Any]]
    moments: list[Any] = field(repr=False)
    noted: tuple[int, int]

    @classmethod
    def of(cls, stage: Stage) -> Before:
        """Return what a stage is now."""
        return cls(
            stage.machine,
            stage.machine.document,
            stage.machine.simulation.snapshot(),
            {name: getattr(stage, name) for name in PLAIN},
            {name: list(getattr(stage, name)) for name in LISTS},
            list(stage.recording.moments),
            stage.take.mark,
        )

    def put_back(self, stage: Stage) -> None:
        """Make the stage what it was."""
        stage.machine = self.machine
        stage.machine.document = self.document
        stage.machine.simulation.restore(self.snapshot)
        for name, value in self.plain.items():
            setattr(stage, name, value)
        for name, values in self.lists.items():
            getattr(stage, name)[:] = values
        stage.recording.moments[:] = self.moments
        stage.take.back_to(self.noted)


# A stage in a notebook: the studio if it is served, else a page that plays what was recorded.


HEIGHT = 560
"""Of the frame in the notebook [pixels]."""
FRAME = f'style="width:100%;height:{HEIGHT}px;border:0" title="tarsus studio"'


def frame_of(stage: Stage) -> str:
    """Return the HTML that shows a stage: a frame on its server, or on a page in itself."""
    if stage.url:
        return f'<iframe src="{html.escape(stage.url)}" {FRAME}></iframe>'
    if not stage.document.description.bodies:
        return '<p>an empty stage: <code>stage.do("add box plank")</code></p>'
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder, "page.html")
        write_player(films_of(stage)[-1], page)
        text = page.read_text("utf-8")
    # scripts of the page are ours, and see nothing of the notebook
    return f'<iframe sandbox="allow-scripts" srcdoc="{html.escape(text)}" {FRAME}></iframe>'


class Shown:
    """What `stage.show()` returns: notebooks draw it."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage

    def _repr_html_(self) -> str:
        return frame_of(self._stage)

"""Lines that fail change nothing: what a stage was before a line, to be put back."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tarsus.simulation import Snapshot
    from tarsus.studio.machine import Machine
    from tarsus.studio.stage import Stage

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

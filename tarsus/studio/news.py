"""What pages have been told, and what is new to them: shapes, the scene, frames, what happened."""

from __future__ import annotations

import json
from typing import Any

from tarsus.model import Model
from tarsus.studio import messages
from tarsus.studio.scene_message import scene
from tarsus.studio.stage import Stage

Message = str | bytes


class News:
    """Looks at a stage for all of its pages; whoever asks holds the stage's lock.

    Shapes are large and seldom change, so they have a message of their own, with a number to which
    scenes refer; that of one machine on one ground is made once.
    """

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self._seen: tuple[Any, ...] = ()
        self._revision = -1
        self._shapes: tuple[Model, Any, str] | None = None
        self._number = 0

    def first(self) -> list[Message]:
        """Return all that a new page needs."""
        return [self._shapes_now()[0], self._scene(), messages.frame(self.stage, 0.0)]

    def since(self, rate: float) -> list[Message]:
        """Return what is new since the last time; `rate` is how fast the machine's time goes."""
        stage = self.stage
        told, stage.told[:] = list(stage.told), []
        seen = (
            *(stage.revision, stage.moved, stage.t, stage.looking, stage.playing),
            *(round(rate, 2), stage.work.text),
        )
        if seen == self._seen and not told:
            return []
        changed = stage.revision != self._revision
        self._seen, self._revision = seen, stage.revision
        out: list[Message] = [
            json.dumps({"kind": "echo", "line": "", "text": text, "ok": True, "field": ""})
            for text in told
        ]
        if changed:
            shapes, new = self._shapes_now()
            out += [shapes] if new else []
            out.append(self._scene())
        return [*out, messages.frame(stage, rate)]

    def _scene(self) -> str:
        return json.dumps(messages.clean({**scene(self.stage), "shapes": self._number}))

    def _shapes_now(self) -> tuple[str, bool]:
        """Return the shapes as they are now, and whether they are new."""
        machine = self.stage.machine
        model, ground = machine.model, machine.document.ground
        if self._shapes is not None and self._shapes[0] is model and self._shapes[1] is ground:
            return self._shapes[2], False
        self._number += 1
        text = json.dumps(messages.clean(messages.shapes(machine, self._number)))
        self._shapes = model, ground, text
        return text, True

"""Where frames of `step` go: to pages that look, to a file of poses, or nowhere."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tarsus.spatial import quaternion_from_rotation

if TYPE_CHECKING:
    from tarsus.studio.recording import Moment
    from tarsus.studio.stage import Stage

COLUMNS = ("t", "body", "x", "y", "z", "qw", "qx", "qy", "qz")
HEADER = re.compile(rb"t,body,x,y,z,qw,qx,qy,qz\r?\n")
"""The first bytes of a file of poses."""


@dataclass(frozen=True)
class Drawing:
    """A convention for drawing: "bolio" (pages), "corpus" (a file of poses) or "null".

    A file has each n-th frame: n is `every`.
    """

    kind: str = "bolio"
    file: Path | None = None
    every: int = 1

    def begin(self, stage: Stage) -> None:
        """Start a file anew, with its header and the poses as they are now."""
        if self.kind == "corpus" and self.file is not None:
            with (
                stage.guard.writing(self.file, HEADER) as part,
                part.open("w", newline="") as opened,
            ):
                csv.writer(opened).writerow(COLUMNS)
        stage.frames = 0
        self._write(stage, None)

    def draw(self, stage: Stage, moment: Moment | None = None) -> None:
        """Draw a frame: as the machine is now, or as it was at a moment."""
        stage.frames += 1
        if stage.frames % self.every == 0:
            self._write(stage, moment)

    def _write(self, stage: Stage, moment: Moment | None) -> None:
        if self.file is None:
            return
        t, q = (stage.t, stage.machine.q) if moment is None else (moment.t, moment.q)
        with stage.guard.appending(self.file), self.file.open("a", newline="") as opened:
            rows = csv.writer(opened)
            poses = stage.machine.poses(q)
            for body, at in zip(stage.machine.bodies(), poses, strict=True):
                x, y, z, w = quaternion_from_rotation(at[:3, :3]).tolist()
                rows.writerow([t, body.name, *at[:3, 3].tolist(), w, x, y, z])

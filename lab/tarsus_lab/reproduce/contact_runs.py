"""What becomes of a scenario of Ayit: forces, penetration, how high, and how it ends."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np

from tarsus._lib.files import Array
from tarsus.scenes.scene import Scene
from tarsus.simulation.contact.exact import Exact
from tarsus.simulation.contact.law import StabilityWarning
from tarsus.simulation.contact.penalty import Penalty
from tarsus.simulation.errors import SimulationError
from tarsus.simulation.trajectory import Trajectory
from tarsus_lab.reproduce.result import Curve, Row, judged

EXACT = Exact()
THESIS = Exact(ahead=False, solver="pgs", iterations=100)
"""As the thesis does it: a foot is stopped in the step after it has entered the ground."""

PENALTIES = {
    "soft": Penalty(1e5, 2e3),
    "firm": Penalty(1e7, 2e3),
    "overdamped": Penalty(1e7, 1e4),
}
"""Springs and dampers [N/m, N s/m]; the thesis does not print its own."""

UNREALISTIC = 1e5
"""A force on a foot that no machine of 97 kg would survive [N]."""


@dataclass(frozen=True)
class RunSummary:
    """A run in a few numbers."""

    run: Trajectory
    failure: str
    """Why the run stopped, "" if it did not."""
    peak: float
    """Largest normal force on a foot [N]."""
    penetration: float
    """[m]."""
    apex: float
    """How high the torso gets after the first contact [m]."""
    end: Array
    """Configuration at the end (nq,)."""
    ceiling: float
    """How high the torso may get [m]."""

    @property
    def upright(self) -> float:
        """Cosine of the angle between the torso's z axis and up at the end: −1 upside down."""
        x, y = self.end[3:5]
        return float(1.0 - 2.0 * (x**2 + y**2))

    @property
    def passed(self) -> bool:
        """Whether forces stay realistic and the robot is not thrown up."""
        return not self.failure and self.peak < UNREALISTIC and self.apex < self.ceiling

    def row(self, label: str, thesis: str, reason: str) -> Row:
        """Return a row on whether this run passes where that of the thesis "succeeds" or fails.

        The thesis leaves out what springs it used, so that a difference decides nothing.
        """
        same = self.passed == (thesis == "succeeds")
        return judged(label, thesis, str(self), same, "" if same else reason, "unsupported")

    def curve(self, label: str, column: int) -> Curve:
        """Return one of the configuration's numbers over time."""
        t, x = self.run.t[::20], self.run.q[::20, column]
        return Curve(label, tuple(t.tolist()), tuple(x.tolist()))

    def __str__(self) -> str:
        if self.failure:
            return f"diverges, {self.peak / 1e3:.3g} kN"
        return f"{self.peak / 1e3:.3g} kN, up to {self.apex:.2f} m"


def summary(scene: Scene, ceiling: float | None = None) -> RunSummary:
    """Simulate a scene, to its end or until it diverges.

    `ceiling` [m] is how high the torso may get, twice as high as where it starts unless stated.
    """
    failure = ""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", StabilityWarning)
        try:
            run = scene.run(record=("q", "contacts"))
        except SimulationError as error:
            if error.trajectory is None:
                raise
            run, failure = error.trajectory, error.cause
    normal = np.einsum("ij,ij->i", run.contacts.force, run.contacts.normal)
    touched = int(run.contacts.sample[normal > 0.0].min(initial=len(run.t) - 1))
    return RunSummary(
        run,
        failure,
        float(normal.max(initial=0.0)),
        float(-run.contacts.gap.min(initial=0.0)),
        float(run.q[touched:, 2].max()),
        run.q[-1],
        2.0 * float(run.q[0, 2]) if ceiling is None else ceiling,
    )

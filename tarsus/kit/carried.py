"""What `tarsus.carry` returns: a state of the new model, and what became of the old one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tarsus.arrays import Array

SAME = 1e-9
"""Velocities [m/s, rad/s], relative to the fastest, up to which a model follows."""


@dataclass(frozen=True, eq=False)
class Carried:
    """A state of the new model, and what became of the old one.

    `q` (…, nq) and `v` (…, nv). Joints that `kept` their coordinates, that were `found` from poses
    and that are `fresh`; bodies that are `gone`. `shift` (…) [m] and `turn` (…) [rad] is the most
    by which a body is elsewhere than it was, or than its joint's coordinates put it; `jump` (…) by
    how much the velocity of one has changed [m/s, rad/s]. Momentum (…, 6), linear and angular about
    the centre of mass, and energy (…, 2), kinetic and potential, before and after.
    """

    q: Array
    v: Array
    kept: tuple[str, ...]
    found: tuple[str, ...]
    fresh: tuple[str, ...]
    gone: tuple[str, ...]
    shift: Array
    turn: Array
    jump: Array
    momentum_before: Array
    momentum_after: Array
    energy_before: Array
    energy_after: Array

    @property
    def exact(self) -> bool:
        """Whether every body that is still there is where it was and moves as it did."""
        small = max(part.max(initial=0.0) for part in (self.shift, self.turn, self.jump))
        return bool(small <= 10.0 * SAME)

    def __str__(self) -> str:
        lines = [f"{len(self.kept)} joints keep their coordinates"]
        for title, names in (
            ("found from where their bodies were", self.found),
            ("new, at rest on their parents", self.fresh),
            ("gone", self.gone),
        ):
            lines += [f"{title}: {', '.join(names)}"] if names else []
        if not self.exact:
            moved, turned, changed = (x.max() for x in (self.shift, self.turn, self.jump))
            lines.append(
                f"bodies moved by up to {moved:.3g} m and {turned:.3g} rad, "
                f"velocities changed by up to {changed:.3g}"
            )
        for what, before, after in (
            ("momentum", self.momentum_before, self.momentum_after),
            ("energy", self.energy_before, self.energy_after),
        ):
            change = np.abs(after - before).max(initial=0.0)
            if change > 1e-9 * np.abs(before).max(initial=1.0):
                lines.append(f"{what} changed by up to {change:.3g}")
        return "\n".join(lines)

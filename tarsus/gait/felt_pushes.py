"""Pushes that walkers feel: what momentum tells beyond what their joints and feet do.

The momentum observer takes torques and the forces of contacts as whole-body control planned them;
what is left, as a wrench on the trunk, is what nobody planned: a push, or a landing for an instant.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tarsus.arrays import Array
from tarsus.control import MomentumObserver
from tarsus.gait.anatomy import Anatomy

BANDWIDTH = 25.0
"""Of the observer [1/s]: a push is felt after 40 ms."""
FELT = 0.12
"""Forces above this share of the weight are pushes."""
APART = 0.1
"""What is felt again within this time is the same push [s]."""


@dataclass(frozen=True)
class FeltPush:
    """A push as a walker felt it, some 40 ms after it acted."""

    start: float
    """[s]."""
    duration: float
    """[s]."""
    force: tuple[float, float, float]
    """The largest, in world axes [N]."""
    impulse: tuple[float, float, float]
    """[N·s]."""

    def __str__(self) -> str:
        force, impulse = (
            ", ".join(f"{x:.0f}" for x in each) for each in (self.force, self.impulse)
        )
        return f"felt a push at {self.start:.2f} s: up to ({force}) N, ({impulse}) N·s in all"


class PushSense:
    """Feels forces on the trunk of walkers (B,), one update a cycle."""

    def __init__(self, body: Anatomy) -> None:
        self.body = body
        self.observer = MomentumObserver(body.model, BANDWIDTH, held=True, passive=True)
        self.reset()

    def reset(self) -> None:
        """Forget everything."""
        self.observer.reset()
        self._acted: dict[str, Array] = {}

    def update(self, t: float, q: Array, v: Array) -> Array:
        """Return the force (B, 3) [N] that is felt at states (B, nq), (B, nv), in world axes."""
        feet = {leg.end: self._acted[leg.end] for leg in self.body.legs if self._acted}
        tau = self._acted.get("tau", np.zeros(self.body.model.nv))
        self.observer.update(t, q, v, tau, feet)
        return self.observer.wrench(q, self.body.trunk)[0][..., :3]

    def act(self, tau: Array, wrenches: list[Array]) -> None:
        """Tell what acts until the next update: efforts (B, nv), wrenches of feet (B, 6) each."""
        feet = {leg.end: each for leg, each in zip(self.body.legs, wrenches, strict=True)}
        self._acted = {"tau": tau, **feet}

    def get_state(self) -> dict[str, Array]:
        """Return what the next update depends on, by name."""
        acted = {f"acted.{name}": value.copy() for name, value in self._acted.items()}
        return {**self.observer.get_state(), **acted}

    def set_state(self, state: dict[str, Array]) -> None:
        """Go on from what `get_state` returned."""
        acts = {name: np.array(x) for name, x in state.items() if name.startswith("acted.")}
        self._acted = {name.removeprefix("acted."): x for name, x in acts.items()}
        self.observer.set_state({name: x for name, x in state.items() if name not in acts})


def felt_pushes(t: Array, force: Array, weight: float) -> tuple[FeltPush, ...]:
    """Return the pushes in forces (K, 3) that were felt at times (K,)."""
    strong = np.flatnonzero(np.linalg.norm(force, axis=-1) > FELT * weight)
    if not len(strong):
        return ()
    found, period = [], float(t[1] - t[0])
    for own in np.split(strong, np.flatnonzero(np.diff(t[strong]) > APART) + 1):
        most = force[own[np.linalg.norm(force[own], axis=-1).argmax()]]
        # what was felt on the way up and down belongs to it
        tail = round(2.0 / (BANDWIDTH * period))
        whole = force[max(own[0] - tail, 0) : own[-1] + tail + 1].sum(axis=0) * period
        long = float(t[own[-1]] - t[own[0]]) + period
        found.append(FeltPush(float(t[own[0]]), long, _three(most), _three(whole)))
    return tuple(found)


def _three(vector: Array) -> tuple[float, float, float]:
    x, y, z = (float(each) for each in vector)
    return x, y, z

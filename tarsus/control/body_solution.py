"""What whole-body control found at states: accelerations, forces of contacts, and what gave way."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tarsus.arrays import Array
from tarsus.control.body_contact import Contact
from tarsus.control.body_programme import BodyProgramme, Statement
from tarsus.ik.programme import ITERATIONS, NOT_FINITE, QPSolution
from tarsus.spatial import skew

TOLD = 1e-6
"""Shares of a limit by which it is missed and not told."""

SLIPS = 0.1
"""Accelerations of contacts [m/s²] that are told: those below are what their weight leaves."""


@dataclass(frozen=True, eq=False)
class BodySolution:
    """Solutions of the programmes of states (…)."""

    tau: Array
    """Efforts (…, nv) before they are cut to their limits."""
    slip: Array
    """How far contacts that hold are from the accelerations they ask for (…) [m/s², rad/s²]."""
    found: QPSolution = field(repr=False)
    """The solution of the programme: accelerations, then forces as shares of the weight."""
    state: tuple[Array, Array, Array] = field(repr=False)
    """q, v and the loads of contacts."""
    programme: BodyProgramme = field(repr=False)

    @property
    def statement(self) -> Statement:
        """The programme, as it is with the tasks' targets of now."""
        return self.programme.at(*self.state)

    @property
    def acceleration(self) -> Array:
        """Accelerations (…, nv)."""
        return self.found.v[..., : self.programme.model.nv]

    @property
    def wrenches(self) -> dict[str, Array]:
        """The wrench (…, 6) [N, N·m] of each contact by name, at its frame and in world axes."""
        model, found = self.programme.model, {}
        for contact, push in self._pushes():
            rotation = model.frame_pose(self.state[0], contact.frame)[..., :3, :3]
            own = (contact.wrenches(rotation) @ push[..., None])[..., 0]
            arm = rotation @ contact.centre
            own[..., 3:] += (skew(arm) @ own[..., :3, None])[..., 0]
            found[contact.name] = own
        return found

    @property
    def pressure_centres(self) -> dict[str, Array]:
        """The centre of pressure (…, 3) [m] of each contact by name, in axes of its frame.

        NaN where a contact does not push.
        """
        return {contact.name: contact.pressure_centre(push) for contact, push in self._pushes()}

    @property
    def missed(self) -> dict[str, Array]:
        """By how much (…) each kind of limit is missed: efforts as shares of themselves."""
        slack, idle = self.found.slack, self.programme.drives.rows
        last = idle + len(self.programme.drives.effort)
        return {
            "dynamics": slack[..., :idle].max(axis=-1, initial=0.0),
            "effort": slack[..., idle:last].max(axis=-1, initial=0.0),
            "contact": self.slip,
            "loads and distances": slack[..., last:].max(axis=-1, initial=0.0),
        }

    @property
    def saturated(self) -> NDArray[np.bool_]:
        """Which efforts are at their limits (…, limits), in the order of `limited`."""
        first = self.found.v.shape[-1] + self.programme.drives.rows
        at = self.found.working_set[..., first : first + len(self.programme.drives.effort)]
        return np.asarray(at != 0)

    @property
    def limited(self) -> tuple[str, ...]:
        """Names of the joints or motors whose efforts have limits."""
        return tuple(self.programme.drives.limited)

    @property
    def status(self) -> str | NDArray[np.str_]:
        """How it ended: "solved", or what gave way most and by how much."""
        codes, missed = np.ravel(self.found.code), self.missed
        told = [np.ravel(np.broadcast_to(each, self.found.code.shape)) for each in missed.values()]
        words = [
            _words(int(codes[k]), dict(zip(missed, (float(each[k]) for each in told), strict=True)))
            for k in range(codes.size)
        ]
        if np.ndim(self.found.code) == 0:
            return words[0]
        return np.array(words, dtype=np.str_).reshape(self.found.code.shape)

    def _pushes(self) -> list[tuple[Contact, Array]]:
        """Return the contacts, and the weights of their generators (…, generators) [N]."""
        own = self.programme
        return [
            (contact, own.weight * self.found.v[..., columns])
            for contact, columns in zip(own.contacts, own.generators, strict=True)
        ]


def _words(code: int, missed: dict[str, float]) -> str:
    if code == NOT_FINITE:
        return "not finite"
    if code == ITERATIONS:
        return "iterations"
    limits = {name: value for name, value in missed.items() if name != "contact"}
    worst = max(limits, key=lambda name: limits[name])
    if limits[worst] > TOLD:
        return f"{worst} missed by {limits[worst]:.3g}"
    if missed["contact"] > SLIPS:
        return f"contact slips by {missed['contact']:.3g} m/s²"
    return "solved"

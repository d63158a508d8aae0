"""The ledger of energy: what is stored, what flows in and out, and what is left over.

Works are positive when they go into the mechanism, and add up from the start:

    stored(t) − stored(0) = Σ works(t) + residual(t).

The velocities of semi-implicit Euler lag half a step behind its positions; `staggering`,
½ dt f·v of the conservative forces f, belongs to that half step. It is bounded and never adds
up. The residual is what the integration makes or loses: a number that shows how far to trust
the run.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np

from tarsus._lib.checks import positive, suggestion
from tarsus._lib.files import Array
from tarsus.model import Model
from tarsus.simulation.errors import EnergyError
from tarsus.simulation.part_record import PartRecord
from tarsus.view.plots import plot_energy

STORED = ("kinetic", "gravity", "elastic", "staggering", "in_parts", "in_contacts")
COUNTED = ("impacts", "contact_normal", "contact_friction", "loops", "limits", "corrections")
WORKS = (*COUNTED, "parts")
BY_JOINT = ("supplied", "damping", "joint_friction")
FIXED = 4 + len(COUNTED) + 1
"""Numbers of a row before those of coordinates and bodies."""


class EnergyLedger:
    """Energies and works of a run [J], such as `run.energy.kinetic` and `run.energy.residual`.

    Arrays are (T,), or (B, T) for a batch; `n_impacts` counts impacts. `supplied`, `damping` and
    `joint_friction` are sums over all joints; `by_joint("supplied")` has them apart, and
    `by_body()` the works of contacts. `in_parts` is what springs and other parts store, `parts`
    what they do beside that; `by_part()` has both apart. `in_contacts` is what compliant surfaces
    store; what they lose when they meet anew is in `impacts`.
    """

    def __init__(
        self, model: Model, t: Array, rows: Array, parts: Mapping[str, PartRecord] | None = None
    ) -> None:
        self.model = model
        self.t = t
        """(T,) [s]."""
        self.rows = rows
        """(…, T, n): the numbers as the core counts them."""
        self.kinetic, self.gravity, self.elastic, self.staggering = _columns(rows, 0, 4)
        self.impacts, self.contact_normal, self.contact_friction = _columns(rows, 4, 7)
        self.loops, self.limits, self.corrections, self.n_impacts = _columns(rows, 7, FIXED)
        self.supplied, self.damping, self.joint_friction = (
            rows[..., self._coordinates(name)].sum(axis=-1) for name in BY_JOINT
        )
        self._parts = dict(parts or {})
        nothing = np.zeros_like(self.kinetic)
        bodies = self._bodies
        self.in_contacts = rows[..., bodies.stop] if rows.shape[-1] > bodies.stop else nothing
        self.in_parts = np.asarray(sum((x.energy for x in self._parts.values()), nothing))
        self.parts = np.asarray(sum((x.work for x in self._parts.values()), nothing))

    @property
    def names(self) -> tuple[str, ...]:
        """What is stored, then what does work."""
        return (*STORED, *WORKS, *BY_JOINT)

    @property
    def stored(self) -> Array:
        """Kinetic energy, energy of gravity, of springs and parts, and staggering (…, T)."""
        return np.asarray(sum(getattr(self, name) for name in STORED))

    @property
    def works(self) -> Array:
        """The sum of all works since the start of the run (…, T)."""
        return np.asarray(sum(self.work(name) for name in (*WORKS, *BY_JOINT)))

    def work(self, name: str) -> Array:
        """Return one of the works (…, T), counted from the first sample."""
        if name not in (*WORKS, *BY_JOINT):
            raise ValueError(f"there is no work {name!r}{suggestion(name, (*WORKS, *BY_JOINT))}")
        work: Array = getattr(self, name)
        return np.asarray(work - work[..., :1])

    @property
    def residual(self) -> Array:
        """What the numbers make from nothing (positive) or lose (…, T)."""
        return np.asarray(self.stored - self.stored[..., :1] - self.works)

    @property
    def flow(self) -> Array:
        """How much energy was moved (…): ranges of what is stored and of all works."""
        changes = [getattr(self, name) for name in STORED if name != "staggering"]
        changes += [self.work(name) for name in (*WORKS, *BY_JOINT)]
        return np.asarray(sum(np.ptp(change, axis=-1) for change in changes))

    @property
    def relative_residual(self) -> Array:
        """The residual divided by the flow (…, T), or by 1e-9 of what is stored if that is more.

        So where nothing moves it is not rounding divided by rounding.
        """
        parts = np.stack([getattr(self, name) for name in STORED])
        stored = np.abs(parts).max(axis=-1).sum(axis=0)
        scale = np.maximum(self.flow, 1e-9 * stored)[..., None]
        nothing = np.zeros_like(self.residual)
        return np.asarray(np.divide(self.residual, scale, where=scale != 0.0, out=nothing))

    def check(self, tolerance: float = 1e-6) -> None:
        """Raise `EnergyError` with the worst time if a relative residual is above `tolerance`.

        A residual that is not a number is the worst there is.
        """
        positive(tolerance, "tolerance", zero=True)
        size = np.abs(self.relative_residual)
        unknown = np.isnan(self.residual)
        first = np.argmax(unknown) if unknown.any() else np.argmax(size)
        worst = np.unravel_index(int(first), size.shape)
        if not size[worst] <= tolerance:
            state = f" of state {worst[0]}" if size.ndim > 1 else ""
            raise EnergyError(
                f"the residual{state} at t = {self.t[worst[-1]]:.6g} s is "
                f"{self.residual[worst]:.3g} J, {size[worst]:.2g} of the energy that flowed; "
                f"at most {tolerance:.2g} is allowed"
            )

    def by_joint(self, name: str) -> dict[str, Array]:
        """Return works of "supplied", "damping" or "joint_friction" (…, T) of each joint."""
        if name not in BY_JOINT:
            raise ValueError(f"there are no works {name!r} of joints{suggestion(name, BY_JOINT)}")
        works = self.rows[..., self._coordinates(name)]
        joints = [joint for joint in self.model.joints if joint.own_velocities]
        return {joint.name: works[..., joint.v_slice].sum(axis=-1) for joint in joints}

    def by_body(self) -> dict[str, Array]:
        """Return the works of contacts (…, T) on each body."""
        works = self.rows[..., self._bodies]
        return {name: works[..., i] for i, name in enumerate(self.model.body_names)}

    def table(self, state: int | None = None) -> str:
        """Return the ledger as text: each name at the start, at the end, and the change [J].

        Of a batch one `state` is shown, the first unless told.
        """
        if self.rows.ndim > 2:
            return self._of(state or 0).table()
        lines = [f"{'energy [J]':18}{'start':>14}{'end':>14}{'change':>14}"]
        lines += [_line(name, getattr(self, name)) for name in STORED]
        lines.append(_line("stored", self.stored))
        lines += [_line(name, self.work(name)) for name in (*BY_JOINT, *WORKS)]
        relative = float(np.abs(self.relative_residual).max())
        lines.append(_line("residual", self.residual) + f"   (at most {relative:.1e} of the flow)")
        return "\n".join(lines)

    def by_part(self) -> dict[str, tuple[Array, Array]]:
        """Return what each part stores and what it has done beside that (…, T)."""
        return {name: (x.energy, x.work) for name, x in self._parts.items()}

    def _of(self, state: int) -> EnergyLedger:
        parts = {
            name: PartRecord(*(getattr(x, each.name)[state] for each in fields(x)))
            for name, x in self._parts.items()
        }
        return EnergyLedger(self.model, self.t, self.rows[state], parts)

    def plot(self, path: str | None = None) -> Any:
        """Draw what is stored, all works and the residual; `path` writes a picture."""
        return plot_energy(self, path)

    @property
    def _bodies(self) -> slice:
        start = FIXED + 3 * self.model.nv
        return slice(start, start + self.model.n_bodies)

    def _coordinates(self, name: str) -> slice:
        start = FIXED + BY_JOINT.index(name) * self.model.nv
        return slice(start, start + self.model.nv)

    def __repr__(self) -> str:
        worst = float(np.abs(self.relative_residual).max(initial=0.0))
        return f"<tarsus.EnergyLedger: {len(self.t)} samples, residual {worst:.1e} of the flow>"


def _columns(rows: Array, start: int, stop: int) -> tuple[Array, ...]:
    return tuple(rows[..., k] for k in range(start, stop))


def _line(name: str, values: Array) -> str:
    start, end = float(values[0]), float(values[-1])
    return f"{name:18}{start:14.6g}{end:14.6g}{end - start:14.6g}"

"""What a run returns: times, states, efforts, contacts, energies and solver statistics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.checks import ByName, reals
from tarsus._lib.files import Array
from tarsus.geometry.grounds import Terrain
from tarsus.model import Model
from tarsus.sensors import Sensor
from tarsus.simulation.contact_record import Contacts
from tarsus.simulation.convergence import Unsolved
from tarsus.simulation.ended import Ended
from tarsus.simulation.energy import EnergyLedger
from tarsus.simulation.events import Events
from tarsus.simulation.integrators.methods import Integration
from tarsus.simulation.part_record import PartRecord, part_records
from tarsus.view.films import animate
from tarsus.view.plots import plot_run

ARRAYS = ("q", "v", "tau", "energy", "statistics", "limits")
PARTS = "parts"
RECORDED = (*ARRAYS, "contacts", PARTS)
"""What a run can record."""


@dataclass(frozen=True)
class Statistics:
    """What the contact solver did in the last step before each sample, (T,) or (B, T)."""

    iterations: Array
    """Factorisations of Newton's method, sweeps or pivots."""
    residual: Array
    """Largest violation of the contact conditions that is left [m/s]."""
    active: Array
    """Number of contacts in the solver."""
    penetration: Array
    """Deepest penetration [m]."""
    relative: Array
    """The residual as a part of the speeds that the contacts would have without impulses."""


@dataclass(frozen=True)
class Failure:
    """A state of a batch that could not go on; the others did."""

    state: int
    time: float
    body: str | None
    cause: str


@dataclass(frozen=True, eq=False, repr=False)
class Trajectory:
    """A simulated motion. Arrays are (T, n), or (B, T, n) for a batch of B states.

    The first sample is the start. Efforts, contacts and statistics belong to the step that led
    to a sample, so they are zero in the first. What was not recorded raises when it is asked for.
    """

    model: Model
    t: Array
    """Times (T,) [s]."""
    recorded: Mapping[str, Array]
    """Arrays by name, of "q", "v", "tau", "energy", "statistics" and "limits"."""
    touched: Contacts | None = None
    ground: Terrain | None = None
    """What it moved on."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """What was asked for: dt, contact law and its numbers, integrator …"""
    interrupted: bool = False
    """Whether the run was stopped by Ctrl-C before its end."""
    failures: tuple[Failure, ...] = ()
    """States of a batch that could not go on: from then on they stand still."""
    unsolved: Unsolved = field(default_factory=Unsolved)
    """Steps whose contacts were not solved: `count` of each state, `worst` and `total`."""
    ended: Ended = field(default_factory=Ended)
    """When `until` ended the run, `time`, and `why`; in a batch ended states stand still."""
    parts_recorded: tuple[tuple[str, int], ...] = ()
    """Names of the parts that acted, and how many coordinates each has."""
    happened: Events | None = None
    """Events, where the contact law locates them."""
    sensed: Mapping[str, Array] = field(default_factory=dict)
    """Readings of sensors by name, (…, T, n)."""
    sensing: Mapping[str, Sensor] = field(default_factory=dict)
    """The sensors that were read."""
    integration: Integration | None = None
    """What an integrator for smooth motions did; None for the others."""

    @property
    def parts(self) -> Mapping[str, PartRecord]:
        """What each part did, by name: its force, gap, work and energy."""
        if not self.parts_recorded or PARTS not in self.recorded:
            return {}
        return part_records(self.parts_recorded, self._get("parts"))

    @property
    def q(self) -> Array:
        """Configurations (…, T, nq)."""
        return self._get("q")

    @property
    def v(self) -> Array:
        """Velocities (…, T, nv)."""
        return self._get("v")

    @property
    def tau(self) -> Array:
        """Efforts of the controller in the last step (…, T, nv) [N·m, N]."""
        return self._get("tau")

    @property
    def limit_force(self) -> Array:
        """Forces of joint limits in the last step (…, T, nv) [N·m, N].

        Limits of joints that follow others act on these and are not here.
        """
        return self._get("limits")

    @property
    def contacts(self) -> Contacts:
        """Where bodies touched, with which forces."""
        if self.touched is None:
            raise self._missing("contacts")
        return self.touched

    @property
    def events(self) -> Events:
        """Impacts, releases, slips and sticks, located, of contact="event"."""
        if self.happened is None:
            raise ValueError("events are located by contact='event' and contact='compliant' only")
        return self.happened

    @property
    def energy(self) -> EnergyLedger:
        """The ledger of energy."""
        return EnergyLedger(self.model, self.t, self._get("energy"), self.parts)

    @property
    def sensors(self) -> Mapping[str, Array]:
        """Readings (…, T, n) of the sensors that the run was given, by name."""
        return ByName("sensor of this run", self.sensed.items())

    @property
    def statistics(self) -> Statistics:
        """What the contact solver did."""
        return Statistics(*np.moveaxis(self._get("statistics"), -1, 0))

    @property
    def loop_gaps(self) -> Array:
        """How far loops are open (…, T, rows) [m, or sines of angles]."""
        return np.asarray(self.model.loop_gaps(self.q))

    @property
    def batch(self) -> int | None:
        """The number of states of a batch, None for one state."""
        shapes = (array.shape[:-1] for array in self.recorded.values())
        lead = next(shapes) if self.touched is None else self.touched.shape
        return lead[0] if len(lead) > 1 else None

    @property
    def duration(self) -> float:
        """From the first to the last sample [s]."""
        return float(self.t[-1] - self.t[0])

    def __len__(self) -> int:
        """Return the number of samples T."""
        return len(self.t)

    def __getitem__(self, state: int) -> Trajectory:
        """Return the motion of one state of a batch."""
        if self.batch is None:
            raise TypeError("only a run of a batch has states to choose from: use run.q[…]")
        if not -self.batch <= state < self.batch:
            raise IndexError(f"there is no state {state}: this run has {self.batch}")
        state = range(self.batch)[state]
        return replace(
            self,
            recorded={name: array[state] for name, array in self.recorded.items()},
            touched=None if self.touched is None else self.touched.of_state(state),
            sensed={name: array[state] for name, array in self.sensed.items()},
            failures=tuple(each for each in self.failures if each.state == state),
            unsolved=self.unsolved[state] if self.unsolved.count.ndim else self.unsolved,
            happened=None if self.happened is None else self.happened.of_state(state),
            integration=None if self.integration is None else self.integration[state],
            ended=self.ended[state] if self.ended.time.ndim else self.ended,
        )

    def at(self, t: ArrayLike) -> tuple[Array, Array]:
        """Return q (…, nq) and v (…, nv) at a time [s], or at times (n,): (…, n, nq), (…, n, nv).

        Between two samples positions go along the straight line of the joints' groups.
        """
        times = reals(t, "t")
        if not np.all((times >= self.t[0]) & (times <= self.t[-1])):
            raise ValueError(f"t is {times}, must be from {self.t[0]:g} to {self.t[-1]:g} s")
        before = np.clip(np.searchsorted(self.t, times, side="right") - 1, 0, max(len(self) - 2, 0))
        after = np.minimum(before + 1, len(self) - 1)
        gap = np.where(after > before, self.t[after] - self.t[before], 1.0)
        share = ((times - self.t[before]) / gap)[..., None]
        q0, q1, v0, v1 = (x[..., k, :] for x in (self.q, self.v) for k in (before, after))
        step = share * np.asarray(self.model.difference(q0, q1))
        return np.asarray(self.model.integrate(q0, step)), v0 + share * (v1 - v0)

    def to_pandas(self) -> Any:
        """Return the run as a pandas.DataFrame: a row for each sample, `q:knee [rad]` and so on.

        Of a batch the index is (state, sample). Needs pandas.
        """
        from tarsus.simulation.named_columns import data_frame

        return data_frame(self)

    def plot(self, path: str | Path | None = None) -> Any:
        """Draw states, contact forces and energies; `path` writes a picture."""
        return plot_run(self, path)

    def animate(self, path: str | Path, **options: Any) -> None:
        """Write the motion of one state: .gif, .mp4, .html, .glb, or a folder of pictures."""
        animate(self, path, **options)

    def save(self, path: str | Path) -> None:
        """Write the run to a file: .npz, which `ts.load_run` reads, .parquet, .csv or .mcap.

        The .npz file has the whole run with its model and ground; the others are exports for other
        programs. Columns of a .csv have names and units, as `q:knee [rad]`. `animate` writes films.
        """
        from tarsus.simulation.files import save_run

        save_run(self, path)

    def _get(self, name: str) -> Array:
        if name not in self.recorded:
            raise self._missing(name)
        return self.recorded[name]

    def _missing(self, name: str) -> ValueError:
        names = (*self.recorded, *(["contacts"] if self.touched is not None else []))
        return ValueError(
            f"{name} was not recorded (only {', '.join(names)}); name it in record=, as in "
            f"record={(*names, name)}"
        )

    def __repr__(self) -> str:
        batch = f"{self.batch} × " if self.batch is not None else ""
        end = ", interrupted" if self.interrupted else ""
        failed = f", {len(self.failures)} failed" if self.failures else ""
        total = self.unsolved.total
        unsolved = f", {total} step{'s' * (total > 1)} not solved" if total else ""
        if self.ended:
            why = self.ended.why
            end += f", ended: {why}" if isinstance(why, str) else f", {sum(map(bool, why))} ended"
        return (
            f"<tarsus.Trajectory of {self.model.name!r}: {batch}{len(self)} samples, "
            f"{self.duration:.6g} s{failed}{unsolved}{end}>"
        )

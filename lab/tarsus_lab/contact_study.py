"""`compare_contact`: the same motion under several contact laws, side by side."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.files import Array
from tarsus.geometry.collision import Collision
from tarsus.geometry.grounds import Terrain
from tarsus.model.model import Model
from tarsus.sensors.touches import GROUND
from tarsus.simulation.contact.law import ContactLaw, StabilityWarning, law_of
from tarsus.simulation.contact.penalty import Penalty
from tarsus.simulation.drives import Controller
from tarsus.simulation.errors import SimulationError
from tarsus.simulation.integrators.integrator import Integrator
from tarsus.simulation.simulation import Simulation
from tarsus.simulation.trajectory import Trajectory
from tarsus.view.figures import LINES, new_figure, style_axes, write_figure

__all__ = ["ContactComparison", "compare_contact"]


LEGEND: dict[str, Any] = {"loc": "outside upper left", "ncols": 2, "fontsize": 8, "frameon": False}
COLUMN = {"depth mm": 10, "peak N": 11, "impulse N s": 13, "slip mm": 9, "residual": 10}
"""Widths of the columns of the table."""
WINDOW = 0.05
"""An impact lasts at most so long [s]: springs spread over steps what exact contact does in one."""
GAIN = 1e-2
"""Share of the energy that flowed which contacts may add before a run counts as unstable."""


@dataclass(frozen=True)
class LawOutcome:
    """What came of a run with one contact law."""

    name: str
    run: Trajectory
    """The run; if it failed, until then."""
    failure: str
    """When and why the run ended early, or nothing."""
    warnings: tuple[str, ...]
    """What was foreseen before the run."""
    penetration: float
    """Deepest penetration [m]."""
    peak_force: float
    """Largest force at one contact [N]; of exact contact, an impulse divided by the step."""
    impulse: float
    """Largest normal impulse of the ground within 50 ms [N s]."""
    slip: float
    """How far contacts slid, all together [m]."""
    gained: float
    """The most that contacts gave to the mechanism, as a share of the energy that flowed."""
    residual: float
    """Largest residual of the ledger, as a share of the energy that flowed."""

    @property
    def stable(self) -> bool:
        """Whether the run came to its end and its contacts added no energy."""
        return not self.failure and self.gained <= GAIN

    @property
    def verdict(self) -> str:
        """In a few words."""
        if self.failure:
            return self.failure
        return "stable" if self.stable else f"contacts add energy: {self.gained:.2g} of the flow"


@dataclass(frozen=True)
class ContactComparison:
    """Outcomes of the same motion with several contact laws: print it, or `plot` it."""

    outcomes: tuple[LawOutcome, ...]

    def __getitem__(self, name: str) -> LawOutcome:
        """Return the outcome of a law by its name in the table."""
        for outcome in self.outcomes:
            if outcome.name == name:
                return outcome
        names = ", ".join(outcome.name for outcome in self.outcomes)
        raise KeyError(f"there is no outcome {name!r}; there are {names}")

    def table(self) -> str:
        """Return a line for each law."""
        width = max(len(outcome.name) for outcome in self.outcomes) + 2
        titles = ("depth mm", "peak N", "impulse N s", "slip mm", "residual")
        head = "".join(f"{title:>{COLUMN[title]}}" for title in titles)
        lines = [f"{'contact':{width}}{head}   verdict"]
        for each in self.outcomes:
            numbers = (1e3 * each.penetration, each.peak_force, each.impulse, 1e3 * each.slip)
            cells = [*(f"{number:.3g}" for number in numbers), f"{each.residual:.0e}"]
            line = "".join(
                f"{cell:>{COLUMN[title]}}" for cell, title in zip(cells, titles, strict=True)
            )
            lines.append(f"{each.name:{width}}{line}   {each.verdict}")
        return "\n".join(lines)

    def plot(self, path: str | Path | None = None) -> Any:
        """Return a figure of height, force, penetration and energy of contacts over time."""
        figure = new_figure(7.5, 8.5)
        grid = figure.subplots(4, 1, sharex=True)
        for color, outcome in zip(LINES, self.outcomes, strict=False):
            _draw(grid, outcome, color)
        titles = (
            *(
                ("height of the centre of mass", "m"),
                ("normal force of the ground, averaged over 10 ms", "N"),
            ),
            *(("penetration", "mm"), ("energy that contacts took", "J")),
        )
        for axes, (title, unit) in zip(grid, titles, strict=True):
            style_axes(axes, title, unit)
        for axes, linear in ((grid[1], 1e2), (grid[2], 1e-2)):
            axes.set_yscale("symlog", linthresh=linear)
            axes.set_ylim(bottom=0.0)
        grid[-1].set_xlabel("time [s]", fontsize=8)
        figure.legend(*grid[0].get_legend_handles_labels(), **LEGEND)
        if path is not None:
            write_figure(figure, path)
        return figure

    def __str__(self) -> str:
        return self.table()


def compare_contact(
    model: Model,
    ground: Terrain,
    q0: ArrayLike,
    v0: ArrayLike | None = None,
    *,
    duration: float = 1.0,
    controller: Controller | None = None,
    laws: Sequence[str | ContactLaw] = ("exact", "lemke", "penalty"),
    dt: float = 1e-3,
    integrator: str | Integrator = "semi_implicit",
    collision: Collision | None = None,
) -> ContactComparison:
    """Simulate the same motion with each of the laws: names, or laws such as `Penalty(1e6, 2e3)`.

    The other arguments are those of `ts.Simulation` and of its `run`. A run that fails is part
    of the comparison, with all that was simulated until then.
    """
    if not laws:
        raise ValueError("laws is empty: name at least one, such as 'exact'")
    outcomes = []
    for law in laws:
        simulation = Simulation(
            model, ground=ground, contact=law, dt=dt, integrator=integrator, collision=collision
        )
        outcomes.append(outcome_of(simulation, q0, v0, duration, controller))
    return ContactComparison(tuple(outcomes))


def outcome_of(
    simulation: Simulation,
    q0: ArrayLike,
    v0: ArrayLike | None,
    duration: float,
    controller: Controller | None = None,
) -> LawOutcome:
    """Return what comes of one run, be it a failure."""
    failure = ""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", StabilityWarning)
        try:
            run = simulation.run(q0, v0, duration=duration, controller=controller, progress=False)
        except SimulationError as error:
            if error.trajectory is None:
                raise
            run, failure = error.trajectory, f"failed at {error.time:.4g} s: {error.cause}"
    ledger, contacts = run.energy, run.contacts
    flow = max(float(ledger.flow), 1e-300)
    given = ledger.work("impacts") + ledger.work("contact_normal") + ledger.work("contact_friction")
    return LawOutcome(
        name=name_of(simulation.contact),
        run=run,
        failure=failure,
        warnings=tuple(run.settings.get("warnings", ())),
        penetration=float(run.statistics.penetration.max(initial=0.0)),
        peak_force=float(np.linalg.norm(contacts.force, axis=1).max(initial=0.0)),
        impulse=_impulse(run, simulation.dt),
        slip=slip_distance(run),
        gained=float(given.max(initial=0.0)) / flow,
        residual=float(np.abs(ledger.relative_residual).max(initial=0.0)),
    )


def name_of(law: str | ContactLaw) -> str:
    """Return the name of a law with its springs, and what else differs from what is usual."""
    law = law_of(law)
    usual, words = type(law)().numbers, []
    numbers = dict(law.numbers)
    if isinstance(law, Penalty):
        words = [f"{numbers.pop('stiffness'):.3g} N/m", f"{numbers.pop('damping'):.3g} N s/m"]
        if law.tangential_stiffness is None and law.tangential_damping is None:
            numbers = {key: numbers[key] for key in numbers if not key.startswith("tangential")}
    words += [f"{key}={value:g}" for key, value in numbers.items() if value != usual[key]]
    return f"{law.name}({', '.join(words)})" if words else law.name


def slip_distance(run: Trajectory) -> float:
    """Return how far contact points slid on the ground, all together [m].

    A point of a body slides if the same point of the body was elsewhere at the sample before.
    """
    contacts = run.contacts
    touching = (contacts.others == GROUND) & (contacts.sample > 0)
    if not touching.any():
        return 0.0
    poses = run.model.forward_kinematics(run.q)
    indices = {name: k for k, name in enumerate(run.model.body_names)}
    body = np.array([indices[name] for name in contacts.bodies[touching]])
    sample = contacts.sample[touching]
    now, before = poses[sample, body], poses[sample - 1, body]
    point, normal = contacts.point[touching], contacts.normal[touching]
    local = np.einsum("nji,nj->ni", now[:, :3, :3], point - now[:, :3, 3])
    moved = point - (np.einsum("nij,nj->ni", before[:, :3, :3], local) + before[:, :3, 3])
    along = moved - np.einsum("ni,ni->n", moved, normal)[:, None] * normal
    return float(np.linalg.norm(along, axis=1).sum())


def _impulse(run: Trajectory, dt: float) -> float:
    """Return the largest normal impulse of the ground within a window [N s]."""
    sums = np.concatenate([[0.0], np.cumsum(_normal_force(run) * dt)])
    width = min(max(1, round(WINDOW / dt)), len(sums) - 1)
    return float((sums[width:] - sums[:-width]).max(initial=0.0))


def _normal_force(run: Trajectory) -> Array:
    contacts, total = run.contacts, np.zeros(len(run.t))
    normal = np.einsum("ni,ni->n", contacts.force, contacts.normal) * (contacts.others == GROUND)
    np.add.at(total, contacts.sample, normal)
    return total


def _averaged(values: Array, t: Array, window: float) -> Array:
    """Return the mean of the last values within a window [s]."""
    width = max(1, round(window * (len(t) - 1) / max(float(t[-1] - t[0]), 1e-12)))
    sums = np.concatenate([np.zeros(width), np.cumsum(values)])
    return np.asarray((sums[width:] - sums[:-width]) / width)


def _draw(grid: Any, outcome: LawOutcome, color: str) -> None:
    run, ledger = outcome.run, outcome.run.energy
    given = ledger.work("impacts") + ledger.work("contact_normal") + ledger.work("contact_friction")
    style = {"color": color, "lw": 1.2, "ls": "-" if outcome.stable else "--"}
    grid[0].plot(run.t, run.model.center_of_mass(run.q)[:, 2], label=outcome.name, **style)
    grid[1].plot(run.t, _averaged(_normal_force(run), run.t, 0.01), **style)
    grid[2].plot(run.t, 1e3 * run.statistics.penetration, **style)
    grid[3].plot(run.t, -given, **style)

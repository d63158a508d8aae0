"""Pictures of a run: its motion, contact forces, which contacts stick or slip, and its energy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tarsus._lib.files import Array
from tarsus.spatial import rpy_from_quaternion
from tarsus.view.figures import (
    INK,
    LINES,
    QUIET,
    legend,
    new_figure,
    shade,
    style_axes,
    write_figure,
)
from tarsus.view.frame_sequence import STATE_COLORS

if TYPE_CHECKING:
    from tarsus.simulation.energy import EnergyLedger
    from tarsus.simulation.trajectory import Trajectory

NAMED_LINES, BANDS = 8, 16
"""Up to how many lines have names of their own, and bodies a band."""
WORKS = {
    "supplied": "#1f5f8b",
    "damping": "#8c6d31",
    "joint_friction": "#c8641e",
    "contact_friction": "#e0a030",
    "contact_normal": "#3c8a4f",
    "impacts": "#b3262e",
    "loops": "#7a4f9a",
    "limits": "#2a9d9d",
}
"""Colours of the works of the ledger."""

Panel = Callable[[Any], None]


def plot_run(run: Trajectory, path: str | Path | None = None) -> Any:
    """Return a figure of motion, efforts, contacts and energy; `path` writes it to a file.

    What was not recorded is left out. Of a batch, choose a state: `run[0].plot()`.
    """
    if run.batch is not None:
        raise ValueError(f"this run has {run.batch} states: choose one, as in run[0].plot()")
    left, right = _motion_panels(run), _contact_panels(run) + _energy_panels(run)
    columns = [column for column in (left, right) if column]
    if not columns:
        raise ValueError(
            "there is nothing to draw: no q, v, tau or energy was recorded, and nothing touched"
        )
    return _figure(columns, f"{run.model.name}, {run.duration:.4g} s", path, run.t)


def plot_energy(ledger: EnergyLedger, path: str | Path | None = None) -> Any:
    """Return a figure of what is stored, of all works and of the residual, and who did them."""
    if ledger.rows.ndim > 2:
        raise ValueError(f"this ledger has {len(ledger.rows)} states: choose one, run[0].energy")
    panels = [
        lambda axes: _draw_stored(axes, ledger),
        lambda axes: _draw_works(axes, ledger),
        lambda axes: _draw_residual(axes, ledger),
    ]
    return _figure([panels], f"energy of {ledger.model.name}", path, ledger.t)


def _figure(
    columns: Sequence[Sequence[Panel]], title: str, path: str | Path | None, t: Array
) -> Any:
    rows = max(map(len, columns))
    figure = new_figure(5.6 * len(columns), 1.1 + 1.75 * rows)
    grid = figure.add_gridspec(1, len(columns))
    for column, panels in enumerate(columns):
        cells = grid[column].subgridspec(len(panels), 1)
        for row, draw in enumerate(panels):
            axes = figure.add_subplot(cells[row])
            draw(axes)
            axes.set_xlim(t[0], t[-1] if t[-1] > t[0] else t[0] + 1e-3)
            axes.label_outer()
        axes.set_xlabel("time [s]", fontsize=8, color=INK)
    figure.suptitle(title, fontsize=11, color=INK, x=0.01, ha="left")
    if path is not None:
        write_figure(figure, path)
    return figure


# --- motion -----------------------------------------------------------------------------------


def _motion_panels(run: Trajectory) -> list[Panel]:
    model, panels = run.model, list[Panel]()
    free = [joint for joint in model.joints if joint.kind == "free" and joint.nq == 7]
    joints = [joint for joint in model.joints if joint not in free]
    if "q" in run.recorded:
        for joint in free[:1]:
            position = run.q[:, joint.q_slice][:, :3]
            angles = np.degrees(rpy_from_quaternion(run.q[:, joint.q_slice][:, 3:7]))
            panels += [
                _lines(run.t, position, ("x", "y", "z"), f"position of {joint.child}", "m"),
                _lines(run.t, angles, ("roll", "pitch", "yaw"), "turned by", "deg"),
            ]
        panels += _joint_panel(run.t, run.q, joints, "q_slice", "joints", "rad, m")
    if "v" in run.recorded:
        panels += _joint_panel(run.t, run.v, joints, "v_slice", "velocities", "rad/s, m/s")
    if "tau" in run.recorded:
        panels += _joint_panel(run.t, run.tau, joints, "v_slice", "efforts", "N m, N")
    return panels


def _joint_panel(
    t: Array, values: Array, joints: Sequence[Any], where: str, title: str, unit: str
) -> list[Panel]:
    chosen = [(joint.name, k) for joint in joints for k in _range(getattr(joint, where))]
    if not chosen:
        return []
    return [_lines(t, values[:, [k for _, k in chosen]], [n for n, _ in chosen], title, unit)]


def _lines(t: Array, values: Array, names: Sequence[str], title: str, unit: str) -> Panel:
    def draw(axes: Any) -> None:
        few = len(names) <= NAMED_LINES
        for k, name in enumerate(names):
            color = LINES[k] if few else shade(k / (len(names) - 1))
            axes.plot(t, values[:, k], color=color, lw=1.1 if few else 0.8, label=name)
        style_axes(axes, title, unit)
        if few:
            legend(axes)
        else:
            order = f"from {names[0]} (dark) to {names[-1]}"
            axes.set_title(order, loc="right", fontsize=7, color=QUIET)

    return draw


# --- contacts ---------------------------------------------------------------------------------


def _contact_panels(run: Trajectory) -> list[Panel]:
    if run.touched is None or not run.contacts.touching():
        return []
    bodies = run.contacts.touching()
    return [
        lambda axes: _draw_forces(axes, run, bodies),
        lambda axes: _draw_bands(axes, run, bodies[:BANDS]),
    ]


def _draw_forces(axes: Any, run: Trajectory, bodies: Sequence[str]) -> None:
    """Draw the normal force on each body; impacts, which are far higher, leave the picture."""
    contacts = run.contacts
    normal = np.einsum("ni,ni->n", contacts.force, contacts.normal)
    links, others = contacts.links, contacts.others
    few = len(bodies) <= NAMED_LINES
    highest = 0.0
    for k, body in enumerate(bodies):
        chosen = (links == body) | (others == body)
        force = np.zeros(len(run.t))
        np.add.at(force, contacts.sample[chosen], normal[chosen])
        color = LINES[k] if few else shade(k / (len(bodies) - 1))
        axes.plot(run.t, force, color=color, lw=1.0, label=body)
        calm = force[(contacts.state_of(body) != "impact") & (force > 0.0)]
        highest = max(highest, float(np.quantile(calm, 0.995)) if len(calm) else force.max())
    peak = float(normal.max(initial=0.0))
    style_axes(axes, "normal force", "N")
    if highest > 0.0:
        axes.set_ylim(0.0, 1.25 * highest)
    if peak > 1.25 * highest:
        words = f"{peak / 1e3:.3g} kN" if peak >= 1e3 else f"{peak:.3g} N"
        axes.set_title(f"impacts up to {words}", loc="right", fontsize=8, color=QUIET)
    if few:
        legend(axes)


def _draw_bands(axes: Any, run: Trajectory, bodies: Sequence[str]) -> None:
    """Draw for each body when its contacts stick, slip or hit."""
    colors = {state: color for state, color in STATE_COLORS.items() if state != "open"}
    for row, body in enumerate(bodies):
        states = run.contacts.state_of(body)
        for state, edge in colors.items():
            spans = _spans(run.t, states == state)
            axes.broken_barh(spans, (row - 0.36, 0.72), facecolor=edge, edgecolor=edge, lw=0.6)
    style_axes(axes, "contact", "")
    axes.set_yticks(range(len(bodies)), bodies, fontsize=7)
    axes.set_ylim(len(bodies) - 0.5, -0.5)
    axes.grid(visible=False, axis="y")
    for place, (state, color) in enumerate(reversed(colors.items())):
        axes.text(
            *(1.0 - 0.16 * place, 1.04, state),
            transform=axes.transAxes,
            ha="right",
            fontsize=8,
            color=color,
        )


def _spans(t: Array, on: NDArray[np.bool_]) -> list[tuple[float, float]]:
    """Return (start, length) of the times at which something is on."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], on, [False]]).astype(int)))
    # a sample tells of the step before it
    begin, end = t[np.maximum(edges[::2] - 1, 0)], t[edges[1::2] - 1]
    return list(zip(begin.tolist(), (end - begin).tolist(), strict=True))


# --- energy -----------------------------------------------------------------------------------


def _energy_panels(run: Trajectory) -> list[Panel]:
    if "energy" not in run.recorded:
        return []
    ledger = run.energy
    return [
        lambda axes: _draw_works(axes, ledger),
        lambda axes: _draw_residual(axes, ledger),
    ]


def _draw_stored(axes: Any, ledger: EnergyLedger) -> None:
    parts = {"kinetic": "#b3262e", "gravity": "#1f5f8b", "elastic": "#3c8a4f"}
    for name, color in parts.items():
        values = getattr(ledger, name)
        if np.ptp(values) > 0.0:
            axes.plot(ledger.t, values - values[0], color=color, lw=1.1, label=name)
    style_axes(axes, "stored, change since the start", "J")
    legend(axes)


def _draw_works(axes: Any, ledger: EnergyLedger) -> None:
    """Draw each work since the start, and what is stored, which is their sum."""
    stored = ledger.stored - ledger.stored[0]
    axes.plot(ledger.t, stored, color=INK, lw=1.6, label=f"stored {stored[-1]:+.3g}")
    least = 1e-9 * max(float(ledger.flow), 1e-300)
    for name, color in WORKS.items():
        work = ledger.work(name)
        if np.abs(work).max() > least:
            label = f"{name.replace('_', ' ')} {work[-1]:+.3g}"
            axes.plot(ledger.t, work, color=color, lw=1.1, label=label)
    style_axes(axes, "work since the start", "J")
    legend(axes, columns=1)


def _draw_residual(axes: Any, ledger: EnergyLedger) -> None:
    axes.plot(ledger.t, ledger.residual, color=QUIET, lw=1.0)
    axes.fill_between(ledger.t, ledger.residual, color=QUIET, alpha=0.2, lw=0)
    worst = float(np.abs(ledger.relative_residual).max())
    style_axes(axes, f"residual [J], at most {worst:.1e} of the energy that flowed", "")
    axes.ticklabel_format(axis="y", style="sci", scilimits=(-2, 3))
    axes.yaxis.get_offset_text().set_fontsize(7)


# --- small things -----------------------------------------------------------------------------


def _range(where: slice) -> range:
    return range(where.start, where.stop)

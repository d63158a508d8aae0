"""Plots of limit cycles, branches, basins, survival and optimal gaits."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tarsus._lib.files import Array
from tarsus.view.figures import INK, LINES, QUIET, legend, new_figure, style_axes, write_figure

if TYPE_CHECKING:
    from tarsus.gait.basin import Basin, Survival
    from tarsus.gait.branch import Branch
    from tarsus.gait.cycle import LimitCycle
    from tarsus.gait.optimal.pareto_front import Front
    from tarsus.gait.optimal.search import OptimizedGait


# A picture of a gait: coordinates over a period, closed curves, and multipliers.


def plot_cycle(cycle: LimitCycle, path: str | Path | None = None) -> Any:
    """Return a figure of a gait; `path` writes it to a file."""
    figure = new_figure(10.0, 3.6)
    over_time, closed, circle = (figure.add_subplot(1, 3, k + 1) for k in range(3))
    t, q, v = cycle.flowed.samples
    model = cycle.walker.phases[0].model
    strikes = np.searchsorted(t, [event.t for event in cycle.flowed.events])
    names = [joint.name for joint in model.joints if joint.nv == joint.nq == 1]
    places = [model.joint(name) for name in names]
    for k, joint in enumerate(places):
        color = LINES[k % len(LINES)]
        angle, rate = q[:, joint.q_slice.start], v[:, joint.v_slice.start]
        _broken(over_time, t, angle, strikes, color, joint.name)
        _broken(closed, angle, rate, strikes, color, joint.name)
    style_axes(over_time, "over a period", "")
    over_time.set_xlabel("time [s]", fontsize=8, color=INK)
    legend(over_time)
    style_axes(closed, "rates over coordinates", "")
    _draw_multipliers(circle, cycle.multipliers)
    figure.suptitle(repr(cycle).strip("<>"), x=0.02, ha="left", fontsize=10, color=INK)
    if path is not None:
        write_figure(figure, path)
    return figure


def _broken(axes: Any, x: Array, y: Array, at: Any, color: str, name: str) -> None:
    """Draw a curve that is interrupted at strikes, dotted across them."""
    pieces = list(zip(np.split(x, at), np.split(y, at), strict=True))
    for k, (a, b) in enumerate(pieces):
        axes.plot(a, b, color=color, lw=1.2, label=name if k == 0 else None)


def _draw_multipliers(axes: Any, multipliers: Array) -> None:
    around = np.linspace(0.0, 2.0 * np.pi, 200)
    axes.plot(np.cos(around), np.sin(around), color=QUIET, lw=0.8)
    outside = np.abs(multipliers) >= 1.0
    for chosen, color in ((~outside, LINES[2]), (outside, LINES[1])):
        axes.plot(multipliers[chosen].real, multipliers[chosen].imag, "o", color=color, ms=5)
    axes.set_aspect("equal", "datalim")
    style_axes(axes, "multipliers and the unit circle", "")


# A picture of branches of gaits: a coordinate after strikes over the number that changes.


MARKS = {"fold": "s", "flip": "o", "circle": "^", "branch": "D"}


def plot_branches(
    branches: Sequence[Branch],
    path: str | Path | None = None,
    *,
    coordinate: int = 0,
    attractor: tuple[Array, Array] | None = None,
) -> Any:
    """Return a figure of branches; unstable gaits are dashed, bifurcations marked.

    `attractor` (values, coordinates) has points that walkers came to by themselves.
    """
    figure = new_figure(8.0, 4.2)
    axes = figure.add_subplot(1, 1, 1)
    if attractor is not None:
        axes.plot(*attractor, ".", color=QUIET, alpha=0.5, ms=0.8)
    for branch in branches:
        _draw_branch(axes, branch, coordinate)
        for each in branch.bifurcations:
            heights = each.gait.q[:, coordinate]
            axes.plot(
                np.full(len(heights), each.value), heights, MARKS[each.kind], color=LINES[1], ms=3
            )
    first = branches[0]
    style_axes(axes, f"{first.walker.name}: coordinate {coordinate} after strikes", "")
    axes.set_xlabel(first.name, fontsize=8, color=INK)
    if path is not None:
        write_figure(figure, path)
    return figure


def _draw_branch(axes: Any, branch: Branch, coordinate: int) -> None:
    heights, stable = branch.q[:, :, coordinate], branch.stable
    for node in range(branch.steps):
        for k in range(len(branch) - 1):
            style = "-" if stable[k] and stable[k + 1] else "--"
            axes.plot(
                branch.values[k : k + 2], heights[k : k + 2, node], style, color=LINES[0], lw=1.0
            )


# A map of a basin: where a walker may begin, and how many steps it makes elsewhere.


def plot_basin(basin: Basin, path: str | Path | None = None) -> Any:
    """Return a figure of a basin over two numbers; `path` writes it to a file."""
    if len(basin.over) == 1:
        return _plot_line(basin, path)
    if len(basin.over) != 2:
        raise ValueError(f"a map is over one or two numbers, this basin is over {len(basin.over)}")
    (across, x), (up, y) = basin.over.items()
    figure = new_figure(6.5, 4.6)
    axes = figure.add_subplot(1, 1, 1)
    shown = axes.pcolormesh(x, y, basin.steps.T, cmap="viridis", vmin=0, shading="nearest")
    bar = figure.colorbar(shown, ax=axes)
    bar.set_label("steps", fontsize=8, color=INK)
    section = basin.gait.walker.numbered()
    for q, v in zip(basin.gait.q, basin.gait.v, strict=True):
        at = section.read(q, v)
        place = [at[section.names.index(name)] for name in (across, up)]
        axes.plot(*np.array(place)[:, None], "o", color=LINES[1], ms=6)
    style_axes(axes, repr(basin).strip("<>"), "")
    axes.grid(visible=False)
    axes.set_xlabel(across, fontsize=8, color=INK)
    axes.set_ylabel(up, fontsize=8, color=INK)
    if path is not None:
        write_figure(figure, path)
    return figure


def _plot_line(basin: Basin, path: str | Path | None) -> Any:
    """Return a figure of a basin over one number."""
    ((name, x),) = basin.over.items()
    figure = new_figure(6.5, 3.2)
    axes = figure.add_subplot(1, 1, 1)
    axes.plot(x, basin.steps, ".-", color=LINES[0], ms=4, lw=0.8)
    style_axes(axes, repr(basin).strip("<>"), "steps")
    axes.set_xlabel(name, fontsize=8, color=INK)
    if path is not None:
        write_figure(figure, path)
    return figure


# A picture of what a gait survives: shares over sizes, with their confidence.


def plot_survival(found: Survival, path: str | Path | None = None) -> Any:
    """Return a figure of a curve; `path` writes it to a file."""
    figure = new_figure(6.0, 3.6)
    axes = figure.add_subplot(1, 1, 1)
    low, high = found.confidence
    axes.fill_between(found.sizes, low, high, color=LINES[0], alpha=0.2, lw=0)
    axes.plot(found.sizes, found.share, "o-", color=LINES[0], ms=3, lw=1.2)
    axes.set_ylim(-0.03, 1.03)
    title = (
        f"{found.gait.walker.name}: share that makes {found.steps} steps ({found.trials} trials)"
    )
    style_axes(axes, title, "")
    axes.set_xlabel(found.disturbance, fontsize=8, color=INK)
    if path is not None:
        write_figure(figure, path)
    return figure


# A picture of a front: costs and multipliers over speeds.


def plot_front(front: Front, path: str | Path | None = None) -> Any:
    """Return a figure of a front; gaits that no other beats are filled."""
    figure = new_figure(8.0, 3.4)
    for k, (values, title) in enumerate(
        ((front.costs, "efforts squared for each metre"), (front.multipliers, "largest multiplier"))
    ):
        axes = figure.add_subplot(1, 2, k + 1)
        axes.plot(front.speeds, values, color=QUIET, lw=0.8)
        for chosen, face in ((front.best, LINES[0]), (~front.best, "white")):
            axes.plot(front.speeds[chosen], values[chosen], "o", color=LINES[0], mfc=face, ms=5)
        style_axes(axes, title, "")
        axes.set_xlabel("speed [m/s]", fontsize=8, color=INK)
        if k == 0:
            axes.set_yscale("log")
        else:
            axes.axhline(1.0, color=QUIET, lw=0.8, ls="--")
    if path is not None:
        write_figure(figure, path)
    return figure


# A picture of an optimised gait: positions and efforts over a step.


def plot(gait: OptimizedGait, path: str | Path | None = None) -> Any:
    """Return a figure of a gait; `path` writes it to a file."""
    figure = new_figure(8.0, 3.4)
    above, below = (figure.add_subplot(1, 2, k + 1) for k in range(2))
    begin = 0.0
    colors: dict[str, str] = {}
    for p, phase in enumerate(gait.walker.phases):
        t = np.linspace(0.0, float(gait.durations[p]), 200)
        q, tau = gait.q(t, p), gait.tau(t, p)
        for name in phase.model.joint_names:
            joint = phase.model.joint(name)
            if joint.v_slice.stop - joint.v_slice.start != 1:
                continue
            label = None if name in colors else name
            color = colors.setdefault(name, LINES[len(colors) % len(LINES)])
            above.plot(begin + t, q[:, joint.q_slice.start], color=color, lw=1.2, label=label)
            below.plot(begin + t, tau[:, joint.v_slice.start], color=color, lw=1.2, label=label)
        begin += float(gait.durations[p])
        for axes in (above, below):
            axes.axvline(begin, color=QUIET, lw=0.8, ls=":")
    style_axes(above, "positions [rad]", "")
    style_axes(below, "efforts [N m]", "")
    for axes in (above, below):
        axes.set_xlabel("time [s]", fontsize=8, color=INK)
    legend(above)
    figure.suptitle(repr(gait).strip("<>"), x=0.02, ha="left", fontsize=9, color=INK)
    if path is not None:
        write_figure(figure, path)
    return figure

"""Plots of walks and of their robustness."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tarsus.view.figures import INK, LINES, QUIET, legend, new_figure, style_axes, write_figure

if TYPE_CHECKING:
    from tarsus.walking.robustness import Robustness
    from tarsus.walking.walk import Walked


# A picture of a walk: footsteps from above, the centre of mass, forces on the soles, torques.


def plot_walk(walked: Walked, path: str | Path | None = None) -> Any:
    """Return a figure of a walk; `path` writes it to a file."""
    from tarsus.walking.ground_wrenches import sole_forces

    figure = new_figure(10.0, 9.0)
    grid = figure.add_gridspec(4, 1, height_ratios=(1.5, 1.0, 1.0, 1.0))
    soles, t = sole_forces(walked.run, walked.walker.body), walked.run.t
    above, sway, forces, torques = (figure.add_subplot(grid[k]) for k in range(4))
    _draw_above(above, walked, soles.pressure)
    _draw_sway(sway, walked)
    for k, leg in enumerate(walked.walker.body.legs):
        forces.plot(t, soles.force[:, k, 2], color=LINES[k], lw=0.9, label=leg.name)
    style_axes(forces, "force of the ground", "N")
    legend(forces)
    _draw_torques(torques, walked)
    torques.set_xlabel("time [s]", fontsize=8, color=INK)
    figure.suptitle(str(walked.report).splitlines()[0], x=0.02, ha="left", fontsize=10, color=INK)
    if path is not None:
        write_figure(figure, path)
    return figure


def _draw_above(axes: Any, walked: Walked, pressure: Any) -> None:
    """Draw soles, centre of mass and centre of pressure from above."""
    body, stepping = walked.walker.body, walked.control.stepping
    poses = walked.plan.poses
    for k in range(len(walked.plan.side)):
        leg = body.legs[0 if walked.plan.side[k] > 0 else 1]
        corners = leg.sole.corners @ poses[k, :2, :2].T
        outline = np.concatenate([corners, corners[:1]])
        axes.plot(*(outline + poses[k, :2, 3]).T, color=QUIET, lw=0.6, ls=":")
        if k < stepping.step[walked.index]:
            axes.plot(*(outline + stepping.position[walked.index, k, :2]).T, color=INK, lw=0.8)
    com = body.model.center_of_mass(walked.run.q)
    axes.plot(com[:, 0], com[:, 1], color=LINES[0], lw=1.2, label="centre of mass")
    axes.plot(*pressure.T, color=LINES[1], lw=0.6, label="centre of pressure")
    axes.set_aspect("equal", adjustable="datalim")
    style_axes(axes, "from above: planned (dotted) and where feet stood", "m")
    legend(axes)


def _draw_sway(axes: Any, walked: Walked) -> None:
    cycles = walked.control.cycles
    error = 1e3 * np.array(cycles.error)[:, walked.index]
    for k, name in enumerate(("along x", "along y")):
        axes.plot(cycles.t, error[:, k], color=LINES[k], lw=0.9, label=name)
    style_axes(axes, "error of the divergent component", "mm")
    legend(axes)


def _draw_torques(axes: Any, walked: Walked) -> None:
    """Draw the torques of the joints that come nearest to their limits."""
    model, run = walked.run.model, walked.run
    limits = np.where(np.isfinite(model.effort_limit), model.effort_limit, np.inf)
    share = 100.0 * np.abs(run.tau) / np.where(limits > 0.0, limits, np.inf)
    for k, joint in enumerate(np.argsort(-share.max(axis=0))[:4]):
        name = next(j.name for j in model.joints if j.v_slice.start <= joint < j.v_slice.stop)
        axes.plot(run.t, share[:, joint], color=LINES[k], lw=0.8, label=name)
    style_axes(axes, "torques, of their limits", "%")
    legend(axes)


# A map of what walkers survive: pushes over friction, a panel for each mass.


STOOD, FELL = LINES[2], LINES[1]


def plot_robustness(found: Robustness, path: str | Path | None = None) -> Any:
    """Return a figure of a map; `path` writes it to a file."""
    from matplotlib.colors import ListedColormap

    masses = len(found.mass)
    figure = new_figure(1.2 + 3.4 * masses, 3.6)
    colours = ListedColormap([FELL, STOOD])
    for j, mass in enumerate(found.mass):
        axes = figure.add_subplot(1, masses, j + 1)
        axes.pcolormesh(
            np.arange(len(found.friction) + 1) - 0.5,
            np.arange(len(found.push) + 1) - 0.5,
            found.survived[:, :, j].astype(float),
            cmap=colours,
            vmin=0.0,
            vmax=1.0,
            alpha=0.55,
            edgecolors="white",
        )
        for (i, k), time in np.ndenumerate(found.time[:, :, j]):
            if np.isfinite(time):
                words = f"{time:.1f} s"
                axes.text(k, i, words, ha="center", va="center", fontsize=7, color=INK)
        style_axes(axes, f"masses × {mass:g}", "")
        axes.grid(visible=False)
        axes.set_xticks(range(len(found.friction)), [f"{x:g}" for x in found.friction])
        axes.set_yticks(range(len(found.push)), [f"{x:g}" for x in found.push])
        axes.set_xlabel("friction", fontsize=8, color=INK)
        axes.set_ylabel("push [N]" if j == 0 else "", fontsize=8, color=INK)
    title = (
        f"{found.name}: who stays up (green), and when others fall; pushed for {found.lasting:g} s"
    )
    figure.suptitle(title, x=0.02, ha="left", fontsize=10, color=INK)
    if path is not None:
        write_figure(figure, path)
    return figure

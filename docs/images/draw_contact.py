"""Draw the pictures of the page about contact: `python docs/images/draw_contact.py`.

A ball that falls, with springs and without; a ball on surfaces that deform; a quadruped that falls,
with four contact laws; and where springs work, over stiffness, damping, step and integrator.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from tarsus_lab.contact_study import compare_contact
from tarsus_lab.penalty_map import penalty_map

from tarsus import scenes
from tarsus.geometry import Ground
from tarsus.scenes.contact import TIMES
from tarsus.simulation.contact import Compliant, ContactLaw, Penalty

HERE = Path(__file__).parent
BLUE, ORANGE, GREEN, RED = "#1f5f8b", "#c8641e", "#3c8a4f", "#b3262e"
LAWS: dict[str, tuple[str | ContactLaw, str]] = {
    "springs, 10⁴ N/m": (Penalty(1e4, 60.0), ORANGE),
    "springs, 10⁵ N/m": (Penalty(1e5, 200.0), GREEN),
    "springs, 5·10⁶ N/m": (Penalty(5e6, 200.0), RED),
    "exact": ("exact", BLUE),
}


def draw_ball() -> None:
    """Draw height and force of a ball of 1 kg that falls 5 cm, with steps of 1 ms."""
    scene = scenes.bounce(restitution=0.0, height=0.05).but(dt=1e-3, duration=0.3)
    figure, (height, force, depth) = plt.subplots(1, 3, figsize=(11, 3.4), layout="constrained")
    for label, (law, color) in LAWS.items():
        (outcome,) = compare_contact(
            *(scene.model, scene.ground or Ground(), scene.q0),
            duration=scene.duration,
            dt=scene.dt,
            laws=(law,),
        ).outcomes
        run = outcome.run
        style: dict[str, Any] = {"color": color, "lw": 1.4, "label": label}
        gap = 1e3 * (run.q[:, 2] - 0.05)
        height.plot(run.t, gap, **style)
        force.plot(run.t, run.contacts.ground_force()[:, 2], **style)
        depth.plot(run.t, gap, **style)
    height.set(ylabel="gap [mm]", ylim=(-10, 60))
    force.set(ylabel="force of the ground [N]", yscale="symlog", ylim=(0, 1e5))
    depth.set(ylabel="gap, enlarged [mm]", ylim=(-8, 2), xlim=(0.09, 0.25))
    height.legend(frameon=False, fontsize=8)
    for axes in (height, force, depth):
        axes.set_xlabel("time [s]")
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(HERE / "contact_ball.png", dpi=110)


def draw_compliant() -> None:
    """Draw deformations of a ball that is pressed, slides and rolls, and energies of a bounce."""
    figure, (across, along, energy) = plt.subplots(1, 3, figsize=(11, 3.4), layout="constrained")
    for roll, color in ((2.0, ORANGE), (5.0, GREEN), (20.0, BLUE)):
        run = scenes.soft_ball(roll).run()
        t, deformed = run.t[run.contacts.sample], 1e3 * run.contacts.deformation
        across.plot(t, deformed[:, 3], color=color, lw=1.4)
        along.plot(t, deformed[:, 1], color=color, lw=1.4, label=f"β = {roll:g}")
    for axes, name in ((across, "deformation across [mm]"), (along, "deformation along [mm]")):
        for t, word in zip((0.15, 0.6, 1.5), ("press", "slide", "roll"), strict=True):
            axes.text(t, 1.02, word, transform=axes.get_xaxis_transform(), ha="center", fontsize=9)
        for t in TIMES[:-1]:
            axes.axvline(t, color="#bbbbbb", lw=0.8)
        axes.set(ylabel=name, xlim=(0.0, TIMES[-1]))
    along.legend(frameon=False, fontsize=8)
    scene = scenes.bounce(restitution=0.0, height=0.05)
    v0 = np.array([0.5, 0.0, 0.0, 0.0, -20.0, 0.0])
    law = Compliant(stiffness=5e3, damping=4.0)
    run = scene.but(contact=law, v0=v0, dt=5e-4, duration=0.5).run()
    ledger = run.energy
    lost = -(ledger.contact_normal + ledger.contact_friction + ledger.impacts)
    kinds = {
        "kinetic": (ledger.kinetic, BLUE),
        "gravity": (ledger.gravity - ledger.gravity.min(), GREEN),
        "in contacts": (ledger.in_contacts, ORANGE),
        "lost": (lost, RED),
    }
    for label, (values, color) in kinds.items():
        energy.plot(run.t, values, color=color, lw=1.4, label=label)
    energy.set(ylabel="energy [J]", xlim=(0.0, 0.5))
    energy.legend(frameon=False, fontsize=8)
    for axes in (across, along, energy):
        axes.set_xlabel("time [s]")
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(HERE / "contact_compliant.png", dpi=110)


def draw_drop() -> None:
    """Draw the quadruped of Ayit that falls 0.1 m."""
    scene = scenes.drop(0.1)
    laws = ("exact", Penalty(1e5, 2e3), Penalty(1e7, 2e3), Penalty(1e7, 1e4))
    comparison = compare_contact(
        *(scene.model, scene.ground or Ground(), scene.q0),
        duration=1.0,
        controller=scene.controller,
        collision=scene.collision,
        dt=scene.dt,
        laws=laws,
    )
    print(comparison)
    comparison.plot().savefig(HERE / "contact_drop.png", dpi=100)


def draw_map() -> None:
    """Draw where springs work for a point of 1 kg that falls 0.1 m."""
    scene = scenes.bounce(restitution=0.0, height=0.1)
    found = penalty_map(
        *(scene.model, Ground(friction=0.0), scene.q0),
        duration=0.4,
        stiffness=np.geomspace(1e2, 1e7, 16).tolist(),
        damping=np.geomspace(1.0, 1e4, 13).tolist(),
        dt=(1e-3, 2e-4),
    )
    print(found)
    found.plot().savefig(HERE / "contact_map.png", dpi=100)


if __name__ == "__main__":
    draw_ball()
    draw_compliant()
    draw_drop()
    draw_map()

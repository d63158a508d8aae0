"""What examples are about, drawn from what they leave behind: a sketch for each that needs one.

A sketch takes the names of an example that has run, and draws into the current figure; or it
returns a `Stage` of the machine.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import sympy

from tarsus.view.frame_sequence import Stage

Names = dict[str, Any]


def hopper(names: Names) -> Stage:
    """The hopper as it was posed."""
    return Stage(names["hopper"], q=names["q"])


def batches(names: Names) -> None:
    """Times of a state, alone and in company."""
    labels = ["one by one", "in a batch", f"{names['threads']} threads"]
    times = [names[key] for key in ("alone", "batch", "shared")]
    bars = plt.barh(labels, times, color=["0.7", "C0", "C2"])
    plt.bar_label(bars, fmt="%.2f µs", padding=3)
    plt.gca().invert_yaxis()
    plt.xlim(0, 1.3 * max(times))
    plt.xlabel("forward dynamics of a chain of 12, µs a state")


def reaching(names: Names) -> None:
    """The arm on its way to the target, from above and from the side."""
    arm, target = names["arm"], names["target"]
    q = arm.neutral()
    q[arm.joint("elbow").q_slice] = 0.5
    for k in range(7):
        points = np.vstack([np.zeros(3), arm.frame_poses(q, ["lower", "hand"])[:, :3, 3]])
        plt.plot(points[:, 0], points[:, 2], "o-", color=plt.cm.Blues(0.3 + 0.1 * k), lw=2)
        J = arm.frame_jacobian(q, "hand", "local_world_aligned")[:3]
        error = target - points[-1]
        q = arm.integrate(q, J.T @ np.linalg.solve(J @ J.T + 1e-4 * np.eye(3), error))
    plt.plot(target[0], target[2], "r*", ms=14, label="target")
    plt.gca().set(xlabel="x [m]", ylabel="z [m]", aspect="equal")
    plt.legend(frameon=False)


def same_matrices(names: Names) -> None:
    """The mass matrix here, and as MuJoCo has it."""
    here = names["robot"].mass_matrix(names["q"])
    matrices = {"Tarsus": here, "MuJoCo, in its velocities": names["H_mujoco"]}
    for k, (title, matrix) in enumerate(matrices.items(), 1):
        plt.subplot(1, 2, k)
        plt.imshow(np.log10(np.abs(matrix) + 1e-4), cmap="viridis")
        plt.title(title, fontsize=9)
        plt.axis("off")


def rotors(names: Names) -> None:
    """Velocities of joints and rotors, and what reflected inertias get wrong."""
    exact, q, v = names["exact"], names["q"], names["v"]
    speeds = exact.joint_velocities(q, v)
    plt.subplot(1, 2, 1)
    labels = [name.replace("_joint", "").replace("_", " ") for name in exact.joint_names]
    plt.barh(labels, speeds, color=["C1" if "rotor" in label else "C0" for label in labels])
    plt.gca().invert_yaxis()
    plt.xlabel("rad/s")
    plt.subplot(1, 2, 2)
    plt.bar(["waist", "shoulder", "wrist"], names["error"], color="C3")
    plt.xticks(rotation=30)
    plt.title("error of reflected\ninertias [rad/s²]", fontsize=9)


def formulas(names: Names) -> None:
    """The mass matrix and gravity of the cart with its pole."""
    s = names["s"]
    lines = [
        rf"$H_{{{i + 1}{j + 1}}} = {sympy.latex(s.mass_matrix[i, j])}$"
        for i in range(2)
        for j in range(i, 2)
    ]
    lines += [rf"$g_{{{i + 1}}} = {sympy.latex(s.gravity_forces[i])}$" for i in range(2)]
    for k, line in enumerate(lines):
        plt.text(0.02, 0.92 - 0.19 * k, line.replace("operatorname", "mathrm"), fontsize=11)
    plt.axis("off")


def volumes_of_lola(names: Names) -> Stage:
    """Lola in the posture that was found, within her volumes."""
    return Stage(names["m"], q=names["q"], volumes=names["volumes"])


def around_a_ball(names: Names) -> Stage:
    """The arm that went by a ball."""
    return Stage(names["arm"], q=names["q"], volumes=names["volumes"])


def where_energy_goes(names: Names) -> None:
    """What is stored, and what was done since the start."""
    ledger = names["ledger"]
    for key, label in (("kinetic", "kinetic"), ("gravity", "gravity")):
        values = getattr(ledger, key)
        plt.plot(ledger.t, values - values[0], label=label)
    for key in ("supplied", "impacts"):
        plt.plot(ledger.t, ledger.work(key), "--", label=f"{key}, work")
    plt.plot(ledger.t, ledger.residual, "k", lw=1, label="residual")
    plt.gca().set(xlabel="time [s]", ylabel="since the start [J]")
    plt.legend(frameon=False, fontsize=8)


def sliding(names: Names) -> None:
    """How far blocks slide, computed and by the formula."""
    frictions, speeds = np.array([0.2, 0.4, 0.8]), np.linspace(0.5, 2.0, 7)
    mu, speed = (each.ravel() for each in np.meshgrid(frictions, speeds, indexing="ij"))
    ways = names["slide"](mu, speed)["way"].reshape(3, 7)
    for friction, way, color in zip(frictions, ways, ("C0", "C1", "C2"), strict=True):
        plt.plot(speeds, speeds**2 / (2 * friction * 9.81), color=color, lw=1)
        plt.plot(speeds, way, "o", color=color, label=f"friction {friction}")
    plt.gca().set(xlabel="speed [m/s]", ylabel="way [m]")
    plt.legend(frameon=False)


def balancing(names: Names) -> None:
    """The pole that comes up, and the motor that sees to it."""
    run, m = names["run"], names["m"]
    u = m.controls(run.q, run.v, run.tau)
    plt.plot(run.t, np.degrees(run.q[:, 1]), label="pole [°]")
    plt.plot(run.t[1:], 5.0 * u[1:, 0], lw=0.6, label="motor [0.2 N m]")
    plt.gca().set(xlabel="time [s]", xlim=(0, 4))
    plt.legend(frameon=False)


SKETCHES: dict[str, Callable[[Names], Stage | None]] = {
    "02": hopper,
    "03": batches,
    "04": reaching,
    "06": same_matrices,
    "07": rotors,
    "15": formulas,
    "19": where_energy_goes,
    "25": volumes_of_lola,
    "26": around_a_ball,
    "30": sliding,
    "33": balancing,
}
"""Numbers of examples -> what draws them."""

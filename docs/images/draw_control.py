"""Draw control_tracking.png and control_contact.png: `python docs/images/draw_control.py`.

Tracking: the energy of the error under Slotine and Li's law, for each Coriolis matrix that is
right and for one that is not, and the error with masses that are wrong or learned. Contact: what
the momentum observer reports, and how a hand under impedance control gives way.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

import matplotlib.pyplot as plt
import numpy as np
from numpy.typing import NDArray

import tarsus as ts
from tarsus.control import AdaptiveControl, ImpedanceControl, PassivityControl
from tarsus.estimation import MomentumObserver

Array: TypeAlias = NDArray[np.float64]
Law: TypeAlias = Callable[[float, Array, Array], Array]

INK, BLUE, ORANGE, GREEN, RED = "#222b33", "#1f5f8b", "#c8641e", "#3c8a4f", "#b3262e"
STEP = 1e-3


def move(m: ts.Model, q: Array, v: Array, t: float, law: Law) -> tuple[Array, Array]:
    """Return the state after a step of the midpoint rule."""
    a = m.forward_dynamics(q, v, law(t, q, v))
    half = m.integrate(q, STEP / 2 * v), v + STEP / 2 * a
    a = m.forward_dynamics(*half, law(t + STEP / 2, *half))
    return m.integrate(q, STEP * half[1]), v + STEP * a


def chain() -> ts.Model:
    """Return four links across each other, hung up, with rotors that spin six times as fast."""
    model = ts.robots.rotor_chain(
        4, skew=np.pi / 2, ratio=6.0, mass=0.2, inertia=(0.004, 0.004, 0.006)
    )
    return ts.Model(replace(model.description, gravity=np.array([0.0, -9.81, 0.0])))


def wanted(t: float) -> tuple[Array, Array, Array]:
    """Return a motion of the chain."""
    size, w = np.array([0.5, 0.4, 0.6, 0.5]), 2.5
    return size * np.sin(w * t), size * w * np.cos(w * t), -size * w**2 * np.sin(w * t)


def draw_energy(axes: Any) -> None:
    """Draw ½ sᵀ H s for the three factorisations, and for a matrix that only has the same C v."""
    m, times = chain(), STEP * np.arange(2000)
    for name, color in (("christoffel", BLUE), ("force", GREEN), ("momentum", ORANGE)):
        control = PassivityControl(m, 4.0, 2.0, wanted, factorization=name)  # type: ignore[arg-type]
        axes.plot(times, energies(m, control, control, times), color=color, label=name)

    control = PassivityControl(m, 4.0, 2.0, wanted)

    def wrong(t: float, q: Array, v: Array) -> Array:
        v_r, a_r = control.reference_motion(t, q, v)
        gravity = m.gravity_forces(q)
        coriolis = (m.bias_forces(q, v) - gravity) * (v @ v_r) / (v @ v)
        return np.asarray(m.mass_matrix(q) @ a_r + coriolis + gravity - 2.0 * (v - v_r))

    axes.plot(times, energies(m, control, wrong, times), "--", color=RED, label="C v vᵀ / vᵀv")
    axes.set(xlabel="time [s]", ylabel="½ sᵀ H s [J]", xlim=(0, 2), ylim=(100, 260))
    axes.set_title("the energy of the error falls, if Ḣ = C + Cᵀ", fontsize=10)
    axes.legend(frameon=False, fontsize=9, loc="lower left")


def energies(m: ts.Model, control: PassivityControl, law: Law, times: Array) -> list[float]:
    """Return the energy of the error at each time of a motion."""
    q, v, found = np.array([0.8, -0.6, 0.5, -0.9]), np.array([2.0, 3.0, -3.0, 2.0]), []
    for t in times:
        found.append(float(control.lyapunov(t, q, v)))
        q, v = move(m, q, v, t, law)
    return found


def draw_learning(axes: Any) -> None:
    """Draw tracking errors with the right masses, wrong ones, and such as are learned."""
    plant = chain()
    description = plant.description
    bodies = [
        replace(body, mass=0.6 * body.mass, inertia=0.6 * body.inertia)
        for body in description.bodies
    ]
    believed, gains = (
        ts.Model(replace(description, bodies=bodies)),
        (4.0, [30.0, 30.0, 15.0, 10.0], wanted),
    )
    laws: dict[str, tuple[PassivityControl | AdaptiveControl, str]] = {
        "masses 40 % too small": (PassivityControl(believed, *gains), RED),
        "learned": (AdaptiveControl(believed, *gains, adaptation=0.3), ORANGE),
        "learned, kept physical": (
            AdaptiveControl(believed, *gains, adaptation=0.3, physical=True),
            GREEN,
        ),
        "known": (PassivityControl(plant, *gains), BLUE),
    }
    times = STEP * np.arange(5000)
    for label, (control, color) in laws.items():
        q, v, errors = np.full(4, 0.2), wanted(0.0)[1], []
        for t in times:
            errors.append(np.abs(q - wanted(t)[0]).max())
            tau = control(t, q, v)
            q, v = move(plant, q, v, t, lambda t, q, v, tau=tau: tau)  # type: ignore[misc]
        axes.semilogy(times, errors, color=color, label=label)
    axes.set(xlabel="time [s]", ylabel="largest error [rad]", xlim=(0, 5))
    axes.set_title("masses and inertias are learned on the way", fontsize=10)
    axes.legend(frameon=False, fontsize=9, loc="lower left")


def draw_residual(axes: Any) -> None:
    """Draw what the observer reports of a push that nobody tells it of."""
    m = chain()
    observer = MomentumObserver(m, 50.0)
    times = STEP * np.arange(800)
    push = np.array([0.0, 2.0, 0.0, -1.0]) * ((times > 0.3) & (times < 0.6))[:, None]

    def law(t: float, q: Array, v: Array) -> Array:
        error, rate = q - 0.5 * np.sin(2 * t), v - np.cos(2 * t)
        return np.asarray(m.gravity_forces(q) - 40 * error - 8 * rate)

    q, v, residuals = np.zeros(4), np.ones(4), []
    for t, force in zip(times, push, strict=True):
        residuals.append(observer.update(t, q, v, law(t, q, v)))
        q, v = move(m, q, v, t, lambda t, q, v, p=force: law(t, q, v) + p)  # type: ignore[misc]
    for k, color in enumerate((BLUE, ORANGE, GREEN, RED)):
        axes.plot(times, push[:, k], ":", color=color, lw=1.2)
        axes.plot(times, np.array(residuals)[:, k], color=color, label=f"joint {k}")
    axes.set(xlabel="time [s]", ylabel="residual [N m]", xlim=(0, 0.8))
    axes.set_title("a push, as the observer reports it (dotted: as it is)", fontsize=10)
    axes.legend(frameon=False, fontsize=9, loc="upper left")


def arm() -> ts.Model:
    """Return an arm with seven hinges and a hand."""
    b = ts.Builder("arm")
    parent = "world"
    for k, axis in enumerate("zyzyzyz"):
        mass = 3.0 - 0.35 * k
        b.body(f"link_{k}", mass, com=(0, 0, 0.1), inertia=mass * np.array([0.01, 0.01, 0.004]))
        b.joint(f"joint_{k}", "revolute", parent, f"link_{k}", position=(0, 0, 0.2), axis=axis)
        parent = f"link_{k}"
    b.frame("hand", parent, position=(0, 0, 0.15))
    return b.build()


def draw_spring(axes: Any) -> None:
    """Draw how the hand gives way to a force and comes back."""
    m, q0 = arm(), np.array([0.3, 0.7, -0.4, 0.9, 0.5, 0.8, -0.2])
    target, force = m.frame_pose(q0, "hand")[:3, 3], np.array([0.0, 0.0, -30.0])
    times = STEP * np.arange(1200)
    for ratio, color in ((0.2, ORANGE), (0.7, GREEN), (1.0, BLUE)):
        control = ImpedanceControl(
            m, "hand", 600.0, reference=target, task="position", damping_ratio=ratio
        )

        def law(t: float, q: Array, v: Array, control: ImpedanceControl = control) -> Array:
            J = m.frame_jacobian(q, "hand", "local_world_aligned")[:3]
            return control(t, q, v) + J.T @ force * (t < 0.6)

        q, v, heights = q0, np.zeros(7), []
        for t in times:
            heights.append(1000 * control.error(t, q)[2])
            q, v = move(m, q, v, t, law)
        axes.plot(times, heights, color=color, label=f"damping ratio {ratio}")
    axes.axhline(1000 * force[2] / 600.0, color=INK, ls=":", lw=1.2)
    axes.text(1.18, 1000 * force[2] / 600.0 + 1.5, "−30 N / 600 N/m", ha="right", fontsize=9)
    axes.set(xlabel="time [s]", ylabel="displacement of the hand [mm]", xlim=(0, 1.2))
    axes.set_title("a hand that gives way, pushed down until 0.6 s", fontsize=10)
    axes.legend(frameon=False, fontsize=9, loc="lower right")


def main() -> None:
    """Draw both pictures."""
    pictures = {
        "control_tracking.png": (draw_energy, draw_learning),
        "control_contact.png": (draw_residual, draw_spring),
    }
    for name, parts in pictures.items():
        figure, both = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained")
        for axes, draw in zip(both, parts, strict=True):
            draw(axes)
            for side in ("top", "right"):
                axes.spines[side].set_visible(False)
        figure.savefig(Path(__file__).with_name(name), dpi=110)


if __name__ == "__main__":
    main()

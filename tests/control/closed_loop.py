"""Mechanisms under control, and their motions in small steps of order four."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from oracle import Array

import tarsus as ts

Law = Callable[[float, Array, Array], Array]
"""Generalised forces at a time and a state."""


def step(m: ts.Model, q: Array, v: Array, t: float, h: float, law: Law) -> tuple[Array, Array]:
    """Return the state after h seconds; Celledoni, Marthinsen, Owren 2003, order four."""
    v1, a1 = v, m.forward_dynamics(q, v, law(t, q, v))
    q2, v2 = m.integrate(q, h / 2 * v1), v + h / 2 * a1
    a2 = m.forward_dynamics(q2, v2, law(t + h / 2, q2, v2))
    q3, v3 = m.integrate(q, h / 2 * v2), v + h / 2 * a2
    a3 = m.forward_dynamics(q3, v3, law(t + h / 2, q3, v3))
    q4, v4 = m.integrate(q2, h * v3 - h / 2 * v1), v + h * a3
    a4 = m.forward_dynamics(q4, v4, law(t + h, q4, v4))
    q = m.integrate(q, h / 12 * (3 * v1 + 2 * v2 + 2 * v3 - v4))
    q = m.integrate(q, h / 12 * (-v1 + 2 * v2 + 2 * v3 + 3 * v4))
    return q, v + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)


def motion(
    m: ts.Model, q: Array, v: Array, law: Law, duration: float, h: float
) -> Iterator[tuple[float, Array, Array]]:
    """Yield times and states, the first and the last included."""
    steps = round(duration / h)
    for i in range(steps):
        yield i * h, q, v
        q, v = step(m, q, v, i * h, h, law)
    yield steps * h, q, v


class Trajectory:
    """A smooth motion with known derivatives, through q0 at the time zero.

    q = q₀ exp(x(t)), joint by joint, where x swings along one direction: on a group its velocity
    is then just ẋ, and its acceleration ẍ.
    """

    def __init__(self, m: ts.Model, q0: Array, amplitude: Any = 0.4, frequency: float = 2.0):
        self.model, self.q0 = m, q0
        self.amplitude, self.frequency = np.broadcast_to(amplitude, (m.nv,)), frequency

    def __call__(self, t: float) -> tuple[Array, Array, Array]:
        """Return q, v and a."""
        f = self.frequency
        x, v, a = np.sin(f * t), f * np.cos(f * t), -f * f * np.sin(f * t)
        q = self.model.integrate(self.q0, x * self.amplitude)
        return q, v * self.amplitude, a * self.amplitude


def rotor_chain(gravity: bool = True) -> ts.Model:
    """Return four links with geared rotors across their axes, in the plane of x and y hung up."""
    model = ts.robots.rotor_chain(
        4, skew=np.pi / 2, ratio=6.0, mass=0.2, inertia=(0.004, 0.004, 0.006)
    )
    pull = np.array([0.0, -9.81 * gravity, 0.0])
    return ts.Model(replace(model.description, gravity=pull))


def spatial_arm() -> ts.Model:
    """Return an arm with a planar, a universal and two spherical joints, and armature."""
    b = ts.Builder("spatial_arm")
    parent = "world"
    for k, kind in enumerate(["planar", "universal", "spherical", "revolute", "spherical"]):
        b.body(
            f"link_{k}",
            1.5 - 0.2 * k,
            com=(0.05, 0.02, 0.15),
            inertia=(0.02, 0.025 + 0.001 * k, 0.01),
        )
        b.joint(
            f"joint_{k}",
            kind,
            parent,
            f"link_{k}",
            position=(0, 0, 0.3 * (k > 0)),
            rotation=(0.2 * k, -0.1, 0.3),
            armature=np.full({"planar": 3, "universal": 2, "revolute": 1}.get(kind, 3), 0.05),
        )
        parent = f"link_{k}"
    b.frame("hand", parent, position=(0, 0, 0.3), rotation=(0.3, 0.2, 0.1))
    return b.build()


def free_body_with_arm() -> ts.Model:
    """Return a free trunk with two hinged links."""
    b = ts.Builder("diver")
    b.body("trunk", 4.0, com=(0.02, 0, 0.05), inertia=(0.1, 0.15, 0.08))
    b.joint("root", "free", "world", "trunk")
    for k, axis in enumerate("xy"):
        b.body(f"link_{k}", 1.0, com=(0, 0, 0.2), inertia=(0.02, 0.02, 0.004))
        parent = "trunk" if k == 0 else "link_0"
        b.joint(f"hinge_{k}", "revolute", parent, f"link_{k}", position=(0, 0, 0.3), axis=axis)
    return b.build()


MECHANISMS: dict[str, Callable[[], ts.Model]] = {
    "rotor_chain": rotor_chain,
    "spatial_arm": spatial_arm,
    "four_bar": ts.robots.four_bar,
    "four_bar_chain": lambda: ts.robots.four_bar_chain(2),
    "differential": ts.robots.differential,
    "free": free_body_with_arm,
}
"""Mechanisms with gears, couplings, loops, and joints on groups."""


def driven_everywhere(m: ts.Model) -> dict[str, Any]:
    """Return the options by which laws that need it may act on a base that floats, too."""
    return {"effort": np.full(m.nv, np.inf)}


def state(m: ts.Model, seed: int, *lead: int) -> tuple[Array, Array]:
    """Return a random state, with velocities of about one."""
    rng = np.random.default_rng(seed)
    return m.random_configuration(rng, lead), rng.normal(size=(*lead, m.nv))


def redundant_arm() -> ts.Model:
    """Return an arm with seven hinges, a geared motor across each of the first four."""
    b = ts.Builder("redundant_arm")
    parent = "world"
    for k, axis in enumerate("zyzyzyz"):
        mass = 3.0 - 0.35 * k
        b.body(
            f"link_{k}", mass, com=(0.01, 0.02, 0.1), inertia=mass * np.array([0.01, 0.01, 0.004])
        )
        b.joint(f"joint_{k}", "revolute", parent, f"link_{k}", position=(0, 0, 0.2), axis=axis)
        if k < 4:
            b.body(f"rotor_{k}", 0.2, inertia=(1e-4, 1e-4, 2e-4))
            b.gear(f"joint_{k}", 10.0, f"rotor_{k}", position=(0.05, 0, 0.1), axis="x")
        parent = f"link_{k}"
    b.frame("hand", parent, position=(0.02, 0, 0.15), rotation=(0.3, 0.2, 0.1))
    return b.build()


BENT = np.array([0.3, 0.7, -0.4, 0.9, 0.5, 0.8, -0.2])
"""A configuration of the redundant arm away from singular ones."""

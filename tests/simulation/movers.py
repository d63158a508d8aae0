"""Mechanisms that fall, stand and swing, for tests of simulations."""

from __future__ import annotations

import functools
import hashlib
from pathlib import Path
from typing import Any

import numpy as np
from oracle import Array

import tarsus as ts
from tarsus.geometry import Collision, Ground, stand
from tarsus.simulation import Simulation, Trajectory

EXAMPLES = Path(__file__).parents[2] / "examples"


@functools.cache
def ball(mass: float = 2.0, radius: float = 0.1) -> ts.Model:
    """Return a free ball."""
    b = ts.Builder("ball")
    b.body("ball", mass, inertia=np.full(3, 0.4 * mass * radius**2))
    b.joint("root", "free", "world", "ball")
    return b.shape("ball", "sphere", (radius,), role="collision").build()


@functools.cache
def point_mass(mass: float = 3.0) -> ts.Model:
    """Return a mass that moves along x, y and z, with one contact point, its frame "tip"."""
    b = ts.Builder("mass")
    b.body("mass", mass)
    b.joint("slide", "translation", "world", "mass")
    return b.frame("tip", "mass").build()


def on_tip(model: ts.Model) -> Collision:
    """Return the frame "tip" as the only thing that touches the ground."""
    return Collision.from_model(model, contact_points=["tip"])


@functools.cache
def arm(links: int = 4) -> ts.Model:
    """Return hinges in all directions, on a fixed base."""
    b = ts.Builder("arm")
    parent = "world"
    for k in range(links):
        mass = 2.0 - 0.3 * k
        b.body(f"link_{k}", mass, com=(0.02, 0.0, 0.1), inertia=(0.03, 0.04, 0.01))
        b.joint(
            f"joint_{k}", "revolute", parent, f"link_{k}", position=(0, 0, 0.2), axis="zyxy"[k % 4]
        )
        parent = f"link_{k}"
    return b.frame("hand", parent, position=(0, 0, 0.2)).build()


ARM = np.array([0.3, 0.6, -0.4, 0.8])
"""A bent configuration of the arm."""


@functools.cache
def quadruped() -> ts.Model:
    """Return the quadruped of the examples."""
    return ts.load(EXAMPLES / "quadruped.urdf", base="free")


def standing() -> Array:
    """Return the quadruped with bent legs, its feet on the ground (nq,)."""
    m = quadruped()
    q = m.neutral()
    for joint in m.joints:
        if joint.name.endswith("hip"):
            q[joint.q_slice] = 0.7
        if joint.name.endswith("knee"):
            q[joint.q_slice] = -1.4
    return stand(m, q, Ground())


def stiff() -> ts.control.ImplicitPD:
    """Return a controller that holds the quadruped's pose."""
    return ts.control.ImplicitPD(quadruped(), 120.0, 6.0, standing())


def on_ground(dt: float = 2e-3, friction: float | Array = 0.7, **options: Any) -> Simulation:
    """Return the quadruped on level ground."""
    return Simulation(quadruped(), ground=Ground(friction=friction), dt=dt, **options)


def batch(states: int, seed: int = 0) -> tuple[Array, Array]:
    """Return states of the quadruped, somewhat above the ground and in motion."""
    rng = np.random.default_rng(seed)
    q = np.tile(standing(), (states, 1))
    q[:, 2] += rng.uniform(0.0, 0.05, states)
    return q, 0.3 * rng.normal(size=(states, quadruped().nv))


def fingerprint(run: Trajectory) -> str:
    """Return a hash of all bits that a run recorded."""
    digest = hashlib.sha256(run.t.tobytes())
    for name in sorted(run.recorded):
        digest.update(np.ascontiguousarray(run.recorded[name]).tobytes())
    if run.touched is not None:
        digest.update(np.ascontiguousarray(run.contacts.rows).tobytes())
        digest.update(run.contacts.sample.tobytes())
    return digest.hexdigest()

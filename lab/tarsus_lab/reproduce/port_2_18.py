"""Example 2.18: a free rigid body in momenta of its own axes, and of the world."""

from __future__ import annotations

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.special import ellipk

from tarsus._lib.errors import WORLD
from tarsus._lib.files import Array
from tarsus.model.builder import Builder
from tarsus.model.model import Model
from tarsus.ports.mechanical import Mechanical, mechanical
from tarsus.ports.motion import Motion, simulate
from tarsus.spatial import rotation_from_quaternion, skew
from tarsus_lab.reproduce.port_1_3 import SOURCE
from tarsus_lab.reproduce.result import Curve, Result, compared, judged

INERTIA, SPIN, DURATION = (1.0, 2.0, 3.0), (0.01, 1.0, 0.01), 60.0
CHOSEN = (
    "no numbers are printed; inertia (1, 2, 3) kg m² and spin (0.01, 1, 0.01) rad/s are ours, half "
    "a period is 2 K(k) by Jacobi's elliptic functions"
)


def body() -> Model:
    """Return a free body of 1 kg without weight."""
    builder = Builder("body", gravity=(0.0, 0.0, 0.0))
    builder.body("body", 1.0, inertia=INERTIA)
    builder.joint("free", "free", WORLD, "body")
    return builder.build()


def motion() -> Motion:
    """Return the tumbling motion."""
    system = mechanical(body())
    q = np.array([0.0] * 6 + [1.0])
    v = np.array([0.3, -0.2, 0.1, *SPIN])
    return simulate(system, system.state_of(q, v), DURATION, samples=1201, rtol=1e-12, atol=1e-12)


def half_period() -> float:
    """Return the time from one zero of ω_y to the next, in closed form.

    Energy and angular momentum in the axes of the body; L. Landau, E. Lifshitz, "Mechanics", §37.
    """
    inertia, spin = np.array(INERTIA), np.array(SPIN)
    twice, squared = float(inertia @ spin**2), float(inertia**2 @ spin**2)
    a, b, c = inertia
    if squared < twice * b:  # the larger momentum is about the last axis in the formulas
        a, c = c, a
    m = (b - a) * (twice * c - squared) / ((c - b) * (squared - twice * a))
    rate = np.sqrt((c - b) * (squared - twice * a) / (a * b * c))
    return float(2.0 * ellipk(m) / rate)


def world_momenta(found: Motion) -> Array:
    """Return linear momentum and angular momentum about the origin (T, 6), in axes of the world."""
    places, momenta = found.x[:, :7], found.x[:, 7:]
    turns = rotation_from_quaternion(places[:, 3:])
    linear = (turns @ momenta[:, :3, None])[..., 0]
    spin = (turns @ momenta[:, 3:, None])[..., 0]
    return np.hstack([linear, spin + np.cross(places[:, :3], linear)])


def zeros(found: Motion) -> Array:
    """Return the times at which ω_y is zero [s]."""
    return np.asarray(CubicSpline(found.t, found.x[:, 11]).roots(extrapolate=False))


def run() -> Result:
    """Compare the motion with (2.84) to (2.87)."""
    found = motion()
    system = found.system
    assert isinstance(system, Mechanical)
    times = zeros(found)
    kept = float(np.abs(world_momenta(found) - world_momenta(found)[0]).max())
    energy = float(np.ptp(found.ledger.stored))
    unit = float(np.abs(np.linalg.norm(found.x[:, 3:7], axis=1) - 1.0).max())
    form = max(_gyroscopic(system, x) for x in found.x[::200])
    rows = (
        judged("momentum of the world changes by", "0", kept, kept < 1e-9),
        judged("energy changes by [J]", "0", energy, energy < 1e-9),
        judged("gyroscopic matrix beside (2.85)", "the same", form, form < 1e-12),
        judged("orientation is off its manifold by", "0", unit, unit < 1e-12),
        compared("ω_y is first zero at [s]", "", float(times[0]), right="10.9169", reason=CHOSEN),
        compared(
            "and again after [s]",
            "",
            float(times[1] - times[0]),
            right=f"{half_period():.4f}",
            reason=CHOSEN,
        ),
    )
    curves = tuple(
        Curve(
            f"ω_{axis}", tuple(found.t.tolist()), tuple((found.x[:, 10 + k] / INERTIA[k]).tolist())
        )
        for k, axis in enumerate("xyz")
    )
    return Result(
        "port-2.18",
        "A free rigid body that tumbles about its middle axis",
        f"{SOURCE}, example 2.18, (2.84) to (2.87)",
        rows,
        (curves[1], curves[0], curves[2]),
        ("time [s]", "spin in axes of the body [rad/s]"),
    )


def _gyroscopic(system: Mechanical, x: Array) -> float:
    """Return how far the gyroscopic matrix is from that of (2.85), linear first."""
    q, p = system.split(x)
    linear, turning = skew(p[:3]), skew(p[3:])
    expected = np.block([[np.zeros((3, 3)), linear], [linear, turning]])
    return float(np.abs(system.gyroscopic(q, p) - expected).max())

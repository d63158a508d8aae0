"""Motion relative to a moving target on the Lie groups of joints and frames: SO(3), SE(2), SE(3).

Where a body is and where it should be are a step e apart, q = q_d exp(e), and velocities are in
the frame of the body, v = q⁻¹ q̇. With the matrix A of the Lie bracket, A x = [e, x]:

    exp(−A) v_d             the target's velocity, seen from the body
    w = v − exp(−A) v_d     the velocity relative to the target
    ė = D w,                D = A (1 − exp(−A))⁻¹ = 1 + A/2 + Σ B₂ₖ/(2k)! A²ᵏ

with Bernoulli numbers B. For a turn by √u, A⁶ = −2u A⁴ − u² A² in each of the groups, and the
series is that of a number, c(u) = Σ B₂ₖ/(2k)! (−u)ᵏ⁻¹:

    D = 1 + A/2 + (c − u c′) A² − c′ A⁴ .

F. Bullo, R. M. Murray, "Proportional derivative (PD) control on the Euclidean group", European
Control Conference 1995; A. Iserles, H. Munthe-Kaas, S. Nørsett, A. Zanna, "Lie-group methods",
Acta Numerica 9, 2000, section 2.6.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.polynomial import polynomial

from tarsus.arrays import Array

TURN = {"spherical": slice(0, 3), "planar": slice(2, 3), "free": slice(3, 6)}
"""The kinds of joints that are groups, and where the turn is in their steps."""

TERMS = 36
"""Of the series: for half a turn, the most that a difference has, what is left out is 1e-20."""


def _series() -> Array:
    """Return the coefficients (TERMS, 3) of c, c′ and c″ as polynomials in u.

    (−1)ᵏ⁻¹ B₂ₖ/(2k)! = 2 ζ(2k)/(2π)²ᵏ, and ζ is a sum with a tail by Euler and Maclaurin.
    """
    s, n = 2.0 * np.arange(1, TERMS + 1), 2000.0
    tail = n ** (1.0 - s) / (s - 1.0) - n**-s / 2.0 + s * n ** (-1.0 - s) / 12.0
    zeta = (np.arange(n, 0.0, -1.0)[:, None] ** -s).sum(axis=0) + tail
    c = 2.0 * zeta / (2.0 * np.pi) ** s
    columns = (polynomial.polyder(c, order) for order in range(3))
    return np.stack([np.pad(column, (0, TERMS - len(column))) for column in columns], axis=-1)


def _structure(kind: str) -> Array:
    """Return the numbers (n, n, n) with [x, y]ⱼ = Σ xᵢ structureᵢⱼₖ yₖ."""
    cross = np.zeros((3, 3, 3))
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        cross[k, i, j], cross[k, j, i] = -1.0, 1.0
    if kind == "spherical":
        return cross
    whole = np.zeros((6, 6, 6))  # [linear, angular]: ω × v' + v × ω', ω × ω'
    whole[3:, :3, :3] = whole[:3, :3, 3:] = whole[3:, 3:, 3:] = cross
    return whole if kind == "free" else whole[np.ix_(*[[0, 1, 5]] * 3)]


SERIES = _series()
STRUCTURE = {kind: _structure(kind) for kind in TURN}


def bracket_matrix(kind: str, x: Array) -> Array:
    """Return the matrices (…, n, n) of the Lie bracket [x, y] of the group of a kind of joint."""
    structure = STRUCTURE[kind]
    n = len(structure)
    return np.asarray((x @ structure.reshape(n, n * n)).reshape(*x.shape, n))


def step_rate_matrix(kind: str, step: Array) -> Array:
    """Return D (…, n, n), from the relative velocity to the rate of the step (…, n)."""
    a = bracket_matrix(kind, step)
    square = a @ a
    u, c, slope, _ = _numbers(kind, step)
    even = (c - u * slope) * square - slope * (square @ square)
    return np.asarray(np.eye(a.shape[-1]) + a / 2.0 + even)


def step_rate_matrix_rate(kind: str, step: Array, rate: Array) -> Array:
    """Return the time derivative of D (…, n, n) while the step changes with a rate (…, n)."""
    a, a_rate = bracket_matrix(kind, step), bracket_matrix(kind, rate)
    square, square_rate = a @ a, a_rate @ a + a @ a_rate
    u, c, slope, bend = _numbers(kind, step)
    turn = TURN[kind]
    u_rate = 2.0 * (step[..., turn] * rate[..., turn]).sum(axis=-1)[..., None, None]
    fourth_rate = square_rate @ square + square @ square_rate
    change = (c - u * slope) * square_rate - slope * fourth_rate
    return np.asarray(a_rate / 2.0 + change - bend * u_rate * (u * square + square @ square))


def _numbers(kind: str, step: Array) -> tuple[Array, Array, Array, Array]:
    """Return u, c, c′ and c″, each (…, 1, 1)."""
    u = (step[..., TURN[kind]] ** 2).sum(axis=-1)
    c = (u[..., None] ** np.arange(TERMS)) @ SERIES
    numbers = np.concatenate([u[..., None], c], axis=-1)[..., None, None]
    return (
        numbers[..., 0, :, :],
        numbers[..., 1, :, :],
        numbers[..., 2, :, :],
        numbers[..., 3, :, :],
    )


@dataclass(frozen=True)
class Relative:
    """Motion relative to a target, in the frame of the body."""

    velocity: Array
    """w (…, n)."""
    step_rate: Array
    """D (…, n, n), with ė = D w."""
    target_velocity: Array
    """The target's velocity, seen from the body (…, n)."""
    target_acceleration: Array
    """The time derivative of `target_velocity` (…, n)."""


def relative_motion(kind: str, step: Array, v: Array, v_target: Array, a_target: Array) -> Relative:
    """Return the motion relative to a target that moves with v_target (…, n) in its own frame."""
    step_rate = step_rate_matrix(kind, step)
    seen = np.eye(step.shape[-1]) - np.linalg.solve(step_rate, bracket_matrix(kind, step))
    target = (seen @ v_target[..., None])[..., 0]  # seen is exp(−A), as D (1 − exp(−A)) = A
    velocity = v - target
    turning = bracket_matrix(kind, velocity) @ target[..., None]
    acceleration = (seen @ a_target[..., None] - turning)[..., 0]
    return Relative(velocity, step_rate, target, acceleration)

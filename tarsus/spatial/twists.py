"""Twists [linear, angular] (…, 6) seen from other frames, and twists of changing exponentials.

A pose H of frame j in frame i takes twists from j to i by its adjoint, T_i = Ad T_j, and wrenches
[force, moment] back by the transpose, W_j = Adᵀ W_i, so that power does not depend on the frame.
While a frame moves with a twist T in its own axes, d/dt Ad = Ad ad(T).

With H = H₀ exp(φ) the twist of the body in its own axes is S(φ) φ̇,

    S(φ) = Σ (−A)ˡ/(l + 1)! = 1 − A/2 + A²/6 − …,    A = ad(φ).

In SE(3) A (A² + u)² = 0, u the square of the turn, which leaves four powers of A whose factors are
numbers: with k = (1 − cos √u)/u, e = (√u − sin √u)/√u³ and their slopes k′, e′ in u

    S = 1 − (k − u k′) A + (e − u e′) A² + k′ A³ − e′ A⁴ .

V. Duindam, "Port-Based Modeling and Control for Efficient Bipedal Walking Robots", University of
Twente 2006, section 2.1 and (A.33), where angular components come first.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.polynomial import polynomial
from numpy.typing import ArrayLike

from tarsus.arrays import Array
from tarsus.spatial.checks import shaped
from tarsus.spatial.groups import bracket_matrix
from tarsus.spatial.rotations import skew

TERMS = 10
"""Of the series for turns below one radian: what is left out is 1e-21."""


def adjoint(pose: ArrayLike) -> Array:
    """Return Ad (…, 6, 6) of poses (…, 4, 4): from twists in the posed frame to the other's."""
    there = shaped(pose, (4, 4), "pose")
    rotation = there[..., :3, :3]
    found = np.zeros((*there.shape[:-2], 6, 6))
    found[..., :3, :3] = found[..., 3:, 3:] = rotation
    found[..., :3, 3:] = skew(there[..., :3, 3]) @ rotation
    return found


def bracket(twist: ArrayLike) -> Array:
    """Return ad (…, 6, 6) of twists (…, 6): the matrix of Lie brackets, ad(x) y = [x, y]."""
    return bracket_matrix("free", shaped(twist, (6,), "twist"))


def velocity_map(step: ArrayLike) -> Array:
    """Return S (…, 6, 6) at exponential coordinates φ (…, 6): the body's twist is S(φ) φ̇."""
    at = shaped(step, (6,), "step")
    a = bracket_matrix("free", at)
    u = np.square(at[..., 3:]).sum(axis=-1)[..., None, None]
    k, k_slope, e, e_slope = _numbers(u)
    square = a @ a
    odd = (k - u * k_slope) * np.eye(6) - k_slope * square
    even = (e - u * e_slope) * np.eye(6) - e_slope * square
    return np.asarray(np.eye(6) - a @ odd + square @ even)


def _numbers(u: Array) -> tuple[Array, Array, Array, Array]:
    """Return k, k′, e and e′, by their series where differences would lose digits."""
    small = u < 1.0
    turn = np.sqrt(np.where(small, 1.0, u))
    rest, sine = 1.0 - np.cos(turn), np.sin(turn)
    closed = (
        rest / turn**2,
        (turn * sine - 2.0 * rest) / (2.0 * turn**4),
        (turn - sine) / turn**3,
        (turn * rest - 3.0 * (turn - sine)) / (2.0 * turn**5),
    )
    near = np.where(small, u, 0.0)
    series = (polynomial.polyval(near, _coefficients(*each)) for each in CHOICES)
    k, k_slope, e, e_slope = (np.where(small, a, b) for a, b in zip(series, closed, strict=True))
    return k, k_slope, e, e_slope


CHOICES = ((2, 0), (2, 1), (3, 0), (3, 1))
"""First factorial, and order of the slope, of k, k′, e and e′."""


def _coefficients(first: int, order: int) -> Array:
    """Return those of the slope of some order of Σ (−u)ʲ/(2j + first)!."""
    terms = [(-1.0) ** j / math.factorial(2 * j + first) for j in range(TERMS)]
    return np.asarray(polynomial.polyder(terms, order))

"""Costs of the null space: comfort, manipulability, angular momentum."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.checks import names_of, number, positive, reals, weights
from tarsus._lib.files import Array
from tarsus.ik.methods import RankOne
from tarsus.ik.points import ALIGNED
from tarsus.ik.track import middle
from tarsus.model.model import Model

__all__ = ["Comfort", "Cost", "Manipulability", "MomentumTracking"]


# What a cost is: a function H(q) that velocities shall make smaller where tasks leave them free.
#
# In each step z = −rate W⁻¹ ∇H is what velocities would be without tasks (Liégeois 1977).


class Cost(ABC):
    """A cost of configurations, made smaller in the null space of all tasks."""

    @abstractmethod
    def bind(self, model: Model) -> Cost:
        """Return this cost, from now on one of `model`; names that it lacks are errors."""

    reacts = False
    """Whether it also answers to velocities, by `reaction`."""

    def reaction(self, q: Array, v: Array) -> Array:
        """Return what is added to the gradient (…, nv) while the tasks ask for velocities v."""
        raise NotImplementedError(f"{type(self).__name__} does not react to velocities")

    @abstractmethod
    def gradient(self, q: Array) -> Array:
        """Return the derivative (…, nv) of the cost along steps of the velocities [1/s]."""


# Ranges in which joints are at ease: soft limits, and a posture that they like.
#
# H = ½ Σ soft (q − q_soft)² beyond soft limits + ½ Σ comfort (q − q_comfort)², whose gradient has
# no jumps (Schwienbacher 2013, figure 4.2).


class Comfort(Cost):
    """Draws joints back from their limits, and to a posture.

    `soft` [1/s] acts on joints that are within `margin`, a share of their range, of a limit;
    `comfort` [1/s] on all, or (nv,), towards `posture` (nq,), the middle of ranges unless stated.
    """

    def __init__(
        self,
        posture: ArrayLike | None = None,
        *,
        comfort: ArrayLike = 1.0,
        soft: ArrayLike = 10.0,
        margin: float = 0.1,
    ) -> None:
        if not 0.0 <= number(margin, "margin") < 0.5:
            raise ValueError(f"margin is {margin}, must be from 0 to below 0.5 of the range")
        self.margin = margin
        self._stated = (posture, comfort, soft)

    def bind(self, model: Model) -> Cost:
        """Return this cost, from now on one of `model`."""
        posture, comfort, soft = self._stated
        self._posture = middle(model) if posture is None else reals(posture, "posture")
        if self._posture.shape != (model.nq,):
            raise ValueError(f"posture has shape {self._posture.shape}, must be ({model.nq},)")
        rates = model.rate_index
        self._positions = np.flatnonzero(rates >= 0)
        self._velocities = rates[self._positions]
        self._nv = model.nv
        lower, upper = model.lower[self._positions], model.upper[self._positions]
        inside = self.margin * (upper - lower)
        whole = np.isfinite(lower) & np.isfinite(upper)
        self._low = np.where(whole, lower + np.where(whole, inside, 0.0), lower)
        self._high = np.where(whole, upper - np.where(whole, inside, 0.0), upper)
        self._soft = weights(soft, model.nv, "soft")[self._velocities]
        liked = weights(comfort, model.nv, "comfort")[self._velocities]
        self._comfort = np.where(model.driven[self._velocities], liked, 0.0)
        return self

    def gradient(self, q: Array) -> Array:
        """Return the derivative (…, nv) of the cost along steps of the velocities [1/s]."""
        own = q[..., self._positions]
        beyond = np.maximum(own - self._high, 0.0) + np.minimum(own - self._low, 0.0)
        pull = self._soft * beyond + self._comfort * (own - self._posture[self._positions])
        found = np.zeros((*q.shape[:-1], self._nv))
        found[..., self._velocities] = pull
        return found


# Manipulability: how far a machine is from positions in which a frame cannot move some way.
#
# w = √det(J Jᵀ), the product of the singular values of the frame's jacobian (T. Yoshikawa,
# "Manipulability of robotic mechanisms", International Journal of Robotics Research 4, 1985). The
# cost is H = −w.


STEP = 1e-5
"""Of central differences [rad, m]: what rounding and truncation cost is about 1e-10 of w."""


class Manipulability(Cost):
    """Leads joints to where `frame` can move in all directions; `rate` [1/s] says how strongly.

    `rows` are "position", "orientation" or "pose": which velocities of the frame count.
    """

    def __init__(self, frame: str, *, rows: str = "position", rate: float = 1.0) -> None:
        choices = {"position": slice(0, 3), "orientation": slice(3, 6), "pose": slice(0, 6)}
        if rows not in choices:
            raise ValueError(f"rows is {rows!r}, must be one of {', '.join(choices)}")
        self.frame, self.rate = frame, positive(rate, "rate")
        self._rows = choices[rows]

    def bind(self, model: Model) -> Cost:
        """Return this cost, from now on one of `model`."""
        model.frame(self.frame)
        self._model = model
        return self

    def measure(self, q: ArrayLike) -> Array:
        """Return w (…) of configurations (…, nq)."""
        jacobian = self._model.frame_jacobian(q, self.frame, ALIGNED)[..., self._rows, :]
        square = np.linalg.det(jacobian @ np.swapaxes(jacobian, -1, -2))
        return np.asarray(np.sqrt(np.maximum(square, 0.0)))

    def gradient(self, q: Array) -> Array:
        """Return the derivative (…, nv) of the cost along steps of the velocities [1/s]."""
        steps = STEP * np.eye(self._model.nv)
        ahead = self.measure(self._model.integrate(q[..., None, :], steps))
        behind = self.measure(self._model.integrate(q[..., None, :], -steps))
        return np.asarray(-self.rate * (ahead - behind) / (2.0 * STEP))


# Arms that make up for the angular momentum of the legs: tracking with split coordinates.
#
# With the row of the angular momentum split into free coordinates r (arms) and the others p, and
# the momentum L that is wanted,
#
#     y_r = (a_rᵀ/|a_r|) (a_p v_p − L),      v = J_W# r − N W⁻¹ (∇H + y),
#
# so that arms move against what legs do (Schwienbacher 2013, section 7.3.2). The pseudo-inverse
# a_rᵀ/|a_r|² itself would be exact and, where a_r is small, wild; normalised as here it is as long
# as the momentum that is missing, whatever the arms' posture. `damping` takes a_rᵀ/(|a_r|² +
# damping²) instead.


class MomentumTracking(Cost):
    """Lets `joints` bring the angular momentum about `axis` towards `target` [N·m·s]."""

    reacts = True

    def __init__(
        self,
        joints: str | Sequence[str],
        *,
        target: float = 0.0,
        axis: str = "z",
        damping: float | None = None,
    ) -> None:
        if axis not in ("x", "y", "z"):
            raise ValueError(f"axis is {axis!r}, must be 'x', 'y' or 'z'")
        self.joints = names_of(joints, "joints")
        self.damping = None if damping is None else positive(damping, "damping")
        self.target = number(target, "target")
        self._row = 3 + "xyz".index(axis)

    def bind(self, model: Model) -> Cost:
        """Return this cost, from now on one of `model`."""
        self._model = model
        views = [model.joint(name) for name in self.joints]
        self._free = np.concatenate(
            [np.arange(view.v_slice.start, view.v_slice.stop) for view in views]
        )
        self._others = np.setdiff1d(np.arange(model.nv), self._free)
        return self

    def gradient(self, q: Array) -> Array:
        """Return zeros (…, nv): there is nothing to do while nothing moves."""
        return np.zeros((*q.shape[:-1], self._model.nv))

    def reaction(self, q: Array, v: Array) -> Array:
        """Return y (…, nv): how the free joints answer to the momentum of the others."""
        row = np.asarray(self._model.centroidal_momentum_matrix(q))[..., self._row, :]
        missing = (row[..., self._others] * v[..., self._others]).sum(axis=-1) - self.target
        own = row[..., self._free]
        square = (own * own).sum(axis=-1)
        scale = np.sqrt(square) if self.damping is None else square + self.damping**2
        found = np.zeros((*q.shape[:-1], self._model.nv))
        found[..., self._free] = own * (missing / np.maximum(scale, 1e-12))[..., None]
        return found


# A weight of velocities in which angular momentum costs: W = δ 1 + aᵀ a.
#
# a is the row of the angular momentum about one axis, a v = L. Where tasks leave velocities free
# they are such that little momentum is left (Schwienbacher 2013, section 7.5, with the scalar a aᵀ
# in the denominator of the inverse).


@dataclass(frozen=True)
class MomentumWeight:
    """Makes angular momentum about `axis` ("x", "y" or "z") cost; `delta` is what velocities do."""

    delta: float = 0.5
    axis: str = "z"

    def __post_init__(self) -> None:
        positive(self.delta, "delta")
        if self.axis not in ("x", "y", "z"):
            raise ValueError(f"axis is {self.axis!r}, must be 'x', 'y' or 'z'")

    def inverse(self, model: Model, q: Array) -> RankOne:
        """Return the inverse of the weight at configurations (…, nq)."""
        row = model.centroidal_momentum_matrix(q)[..., 3 + "xyz".index(self.axis), :]
        return RankOne(row, self.delta)

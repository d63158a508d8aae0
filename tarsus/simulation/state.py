"""The state of a run, and what a state must be for a run to start from it."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tarsus import _core
from tarsus._lib.checks import vectors
from tarsus._lib.files import Array
from tarsus.model import Model
from tarsus.model.description import FLOATING, NONHOLONOMIC, QUATERNION
from tarsus.model.description_builder import root_hint
from tarsus.model.views import JointView
from tarsus.sensors.touches import Touches
from tarsus.simulation.acting import Acting
from tarsus.simulation.contact_record import Place
from tarsus.simulation.errors import StartError

CLOSED = 1e-6
"""How far loops may be open at the start [m]; the first step closes what is left."""

CLOSE = 0.5
"""How far joints may at least be beyond their limits at the start [rad, m]: they come back."""
TOLD = 0.1
"""From which part of its range on a joint that starts beyond its limits is told."""

SINGULAR = ("universal", "spherical_zyx", *NONHOLONOMIC)
"""Kinds of joints that lose a direction in some positions, or may."""


@dataclass
class State:
    """What a run changes: states (B, …) and how many steps they have made."""

    q: Array
    v: Array
    memory: Array
    """What the core keeps between steps: impulses, integrals, sums of the ledger."""
    step: int = 0
    batched: bool = False
    acting: Acting | None = None
    """The parts that act on the states."""
    felt: Touches | None = None
    """What touched in the last step, where a controller feels it."""

    def touches(self) -> Touches | None:
        """Return what touched in the last step, if that is known."""
        return self.felt

    def seen(self) -> tuple[Array, Array]:
        """Return copies of q and v, without the batch dimension if there is no batch."""
        return (
            (self.q.copy(), self.v.copy()) if self.batched else (self.q[0].copy(), self.v[0].copy())
        )


def plain(model: Model, q: object, v: object, memory_size: int) -> State | None:
    """Return one state from arrays of float64, not looked at yet; None if they are anything else.

    Runs of a few steps start often, and most of them from such arrays.
    """
    if type(q) is not np.ndarray or type(v) is not np.ndarray:
        return None
    if q.shape != (model.nq,) or v.shape != (model.nv,) or not q.dtype == v.dtype == np.float64:
        return None
    return State(np.array(q, ndmin=2), np.array(v, ndmin=2), np.zeros((1, memory_size)))


def start(model: Model, q: ArrayLike | None, v: ArrayLike | None, memory_size: int) -> State:
    """Return the state at the start, from (nq,) or (B, nq) and (nv,) or (B, nv).

    That quaternions have unit length and loops are closed is checked later.
    """
    q = vectors(model.initial_configuration if q is None else q, model.nq, "q0")
    v = vectors(v, model.nv, "v0")
    for name, array in (("q0", q), ("v0", v)):
        if array.ndim > 2:
            raise ValueError(
                f"{name} has shape {array.shape}, must have at most one batch dimension"
            )
    batched = max(q.ndim, v.ndim) > 1
    if 0 in (*q.shape[:-1], *v.shape[:-1]):
        raise ValueError(f"q0 {q.shape} and v0 {v.shape} have no states")
    size = max(len(array) if array.ndim > 1 else 1 for array in (q, v))
    own_q, own_v = np.empty((size, model.nq)), np.empty((size, model.nv))
    try:
        own_q[:], own_v[:] = q, v
    except ValueError:
        raise ValueError(
            f"q0 {q.shape} and v0 {v.shape} have different numbers of states"
        ) from None
    return State(own_q, own_v, np.zeros((size, memory_size)), 0, batched)


def check_configuration(model: Model, q: Array) -> None:
    """Raise unless quaternions have unit length and loops are closed."""
    for joint in model.joints:
        if joint.kind in QUATERNION and joint.q_slice.stop > joint.q_slice.start:
            norm = np.linalg.norm(q[:, joint.q_slice][:, QUATERNION[joint.kind]], axis=-1)
            if np.abs(norm - 1.0).max() > 1e-6:
                raise ValueError(
                    f"the quaternion of joint {joint.name!r} in q0 has the length "
                    f"{norm[np.argmax(np.abs(norm - 1.0))]:.6g}, must be 1"
                )
    gaps = np.abs(np.asarray(model.loop_gaps(q)))
    if gaps.size and gaps.max() > CLOSED:
        raise StartError(
            f"loops are open by {gaps.max():.3g} in q0; start from model.close(q0), or see whether "
            "the loops contradict each other"
        )


def check_depth(
    model: Model, world: _core.World, q: Array, allowed: float, places: Sequence[Place]
) -> None:
    """Raise if shapes are deeper than `allowed` [m] in the ground or in each other."""
    if not places:
        return
    lowest = [world.contacts(q[k : k + 256])[..., 0].min(axis=1) for k in range(0, len(q), 256)]
    state = int(np.argmin(np.concatenate(lowest)))
    gaps = world.contacts(q[state : state + 1])[0, :, 0]
    if gaps.min() >= -allowed:
        return
    order = [k for k in np.argsort(gaps, kind="stable") if gaps[k] < -allowed]
    deepest: dict[tuple[str, str], float] = {}
    for k in order:
        deepest.setdefault((places[k].link, places[k].other), -float(gaps[k]))
    told = [f"{link} in {other} by {depth:.4g} m" for (link, other), depth in deepest.items()]
    listed = "; ".join(told[:8])
    more = f"; … and {len(told) - 8} more" if len(told) > 8 else ""
    which = f" of state {state}" if len(q) > 1 else ""
    moves = any(joint.kind in FLOATING for joint in model.joints)
    remedy = (
        "lift the robot, or put it on the ground with q0 = ts.stand(model, q0, ground)"
        if moves
        else f"{model.name} is fixed to the world; start from another q0, such as "
        "ts.clear_posture(model, q0), have the ground lower with ts.Ground(level=…), leave links "
        "out with ts.Collision.from_model(model, ignore_ground=[…]), or load it with "
        'base="free"'
    )
    raise StartError(
        f"q0{which} penetrates: {listed}{more}. That is too deep to start from: {remedy}"
        f"{root_hint(model) if moves else ''}",
        body=places[order[0]].body,
    )


def farthest(model: Model, most: float | None = None) -> tuple[Array, Array] | None:
    """Return how far beyond their limits joints may be at the start (nq,), None without limits.

    What is a little beyond is brought back as a step brings it back, `most` [rad, m] if that is
    stated. Half a range beyond is a mistake: a joint that starts there would be thrown across all
    of it.
    """
    lower, upper = model.lower, model.upper
    if not (np.isfinite(lower).any() or np.isfinite(upper).any()):
        return None
    both = np.isfinite(upper - lower)
    margin = np.maximum(0.5 * np.where(both, upper - lower, 2.0), CLOSE)
    margin = margin if most is None else np.full_like(margin, most)
    return lower - margin, upper + margin


def near_limits(model: Model, far: tuple[Array, Array] | None) -> tuple[Array, Array]:
    """Return how far beyond their limits joints may start (nq,) without being told."""
    lower, upper = model.lower, model.upper
    low, high = (lower, upper) if far is None else far
    margin = TOLD * np.where(np.isfinite(upper - lower), upper - lower, 1.0)
    return np.maximum(lower - margin, low), np.minimum(upper + margin, high)


def stray(q: Array, bounds: tuple[Array, Array]) -> bool:
    """Whether a joint is beyond some bounds: the quickest question to ask."""
    return bool(np.count_nonzero((q < bounds[0]) | (q > bounds[1])))


def check_limits(model: Model, q: Array, far: tuple[Array, Array]) -> None:
    """Raise if a joint is far beyond its limits, naming it and what it may be meant to be."""
    if not stray(q, far):
        return
    told, joint, value, place = _beyond(model, q, far)
    low, high = model.lower[place], model.upper[place]
    turns = joint.kind != "prismatic" and low <= np.radians(value) <= high
    degrees = "; is it in degrees? " if turns else ". "
    raise StartError(
        f"{told}{degrees}Start within them, or take Simulation(…, joint_limits=False)",
        body=joint.child,
    )


def warn_of_limits(model: Model, q: Array, near: tuple[Array, Array]) -> None:
    """Tell that a joint is not where it can be, and that the first steps move it there."""
    told, *_ = _beyond(model, q, near)
    remedy = "the first steps move it back, and all that moves with it. Start within them"
    warnings.warn(f"{told}: {remedy}: np.clip(q0, m.lower, m.upper)", stacklevel=6)


def _beyond(
    model: Model, q: Array, bounds: tuple[Array, Array]
) -> tuple[str, JointView, float, int]:
    """The first joint beyond some bounds: what to say of it, itself, its value and its place."""
    state, place = (int(x) for x in np.argwhere((q < bounds[0]) | (q > bounds[1]))[0])
    joint = next(j for j in model.joints if j.q_slice.start <= place < j.q_slice.stop)
    value, low, high = float(q[state, place]), model.lower[place], model.upper[place]
    which = f" of state {state}" if len(q) > 1 else ""
    told = f"q0{which} has joint {joint.name!r} at {value:.6g}, beyond its limits {low:.6g} and"
    return f"{told} {high:.6g}", joint, value, place


def is_solid(model: Model) -> bool:
    """Whether the mechanism has inertia in all directions wherever it is.

    It has if all bodies have, and each joint moves its body in as many directions as it has
    velocities: no sum of squares is zero then.
    """
    if model.loop_gaps(model.neutral()).size:
        return False
    if any(joint.kind in SINGULAR for joint in model.joints):
        return False
    return all(
        body.mass > 0.0 and np.linalg.eigvalsh(body.inertia)[0] > 0.0 for body in model.bodies
    )


def check_masses(model: Model, q: Array) -> None:
    """Raise if the mechanism has no inertia in some direction, naming a body at its ends."""
    try:
        np.linalg.cholesky(model.mass_matrix(q[0]))
        return
    except np.linalg.LinAlgError:
        pass
    carried = {body.parent for body in model.bodies}
    ends = [body.name for body in model.bodies if body.index not in carried and body.mass == 0.0]
    raise StartError(
        "the mechanism has no inertia in some direction: bodies at the ends of chains need mass, "
        "or their joints armature",
        body=ends[0] if ends else None,
    )


def landed(model: Model, world: _core.World, q: Array) -> Array:
    """Return q (nq,), a free base lowered or lifted until the nearest place touches the ground."""
    if model.base is None or model.base.kind != "free":
        return q
    gap, *_, up = min(world.contacts(q[None])[0].tolist())
    low = q.copy()
    if up > 0.0:
        low[model.base.q_slice.start + 2] -= gap / up
    return low

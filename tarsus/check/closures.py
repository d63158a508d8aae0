"""Identities of couplings, loops and constraints."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tarsus.check.identity import DIFFERENCES, EXACT, Identity
from tarsus.check.states import States, constraint_rows, relative, times
from tarsus.differences import rate
from tarsus.model import Model
from tarsus.model.kinds import NONHOLONOMIC


def has_followers(model: Model) -> bool:
    """Return whether some joints move by couplings or loops, as others do."""
    return any(cluster.kind != "joint" for cluster in model.clusters)


def has_loops(model: Model) -> bool:
    """Return whether there are loops in clusters."""
    return len(model.description.loops) > len(model.constraints)


def has_constraints(model: Model) -> bool:
    """Return whether there are loops that are in no cluster."""
    return bool(model.constraints)


def steps_lead_back(model: Model) -> bool:
    """Return whether `difference` finds any step again that `integrate` made.

    It does not where loops move a joint that rolls, or has other velocities of its own: then the
    path that Newton's method takes counts, too.
    """
    on_loops = [joint for joint in model.joints if joint.dependent == "loop"]
    return not any(joint.own_velocities or joint.kind in NONHOLONOMIC for joint in on_loops)


def coupling(s: States) -> float:
    """Velocities of all joints against the coupling matrix."""
    m = s.model
    return relative(times(m.coupling_matrix(s.q), s.v), m.joint_velocities(s.q, s.v))


def coupling_rate(s: States) -> float:
    """Accelerations of all joints against differences of the coupling matrix."""
    m, s = s.model, s.first(8)
    along = times(m.coupling_matrix(s.q), s.a)
    drift = times(rate(m, s.q, s.v, m.coupling_matrix), s.v)
    actual = m.joint_accelerations(s.q, s.v, s.a)
    return relative(actual, along + drift, along, drift, m.joint_velocities(s.q, s.v))


def gaps(s: States) -> float:
    """The widest gap [m, or sine of an angle] of loops in clusters, before and after a step."""
    m = s.model
    inside = ~constraint_rows(m)
    both = [np.abs(m.loop_gaps(q)[:, inside]).max() for q in (s.q, m.integrate(s.q, s.step()))]
    return float(max(both))


def gap_rate(s: States) -> float:
    """The Jacobian of the constraints against differences of their gaps, for any velocity."""
    m = s.model
    holonomic = _holonomic(m)
    jacobian = m.constraint_jacobian(s.q)[:, holonomic]
    gaps = rate(m, s.q, s.a, lambda q: m.loop_gaps(q)[:, constraint_rows(m)][:, holonomic])
    return relative(times(jacobian, s.a), gaps, jacobian)


def constrained(s: States) -> float:
    """The accelerations that forward dynamics finds keep to the constraints."""
    m = s.model
    along = times(m.constraint_jacobian(s.q), m.forward_dynamics(s.q, s.v, s.tau))
    drift = times(rate(m, s.q, s.v, m.constraint_jacobian), s.v)
    free = times(m.constraint_jacobian(s.q), s.a)
    return relative(along, -drift, free)


def _holonomic(model: Model) -> NDArray[np.bool_]:
    """Return which rows of the constraints have a gap: knife edges have velocities only."""
    rows = [[c.kind != "knife_edge"] * c.rows for c in model.constraints]
    return np.concatenate(rows).astype(bool)


CLOSURES = (
    Identity("joint velocities", "w = G v", EXACT, coupling, has_followers),
    Identity("joint accelerations", "ẇ = G a + Ġ v", DIFFERENCES, coupling_rate, has_followers),
    Identity("loop gaps", "loops are closed", EXACT, gaps, has_loops),
    Identity("constraint jacobian", "J v = d gap/dt", DIFFERENCES, gap_rate, has_constraints),
    Identity("", "J a + J̇ v = 0", DIFFERENCES, constrained, has_constraints),
)

"""The energy ledger from its definitions: energies of a state, and works of impulses.

Impulses work at the mean of the velocities before and after the step, so that they add up to
the change of kinetic energy. What gravity, springs and inertial forces do in a step they do at
its end, half a step late: ½ dt f·v is what is on its way.
"""

from __future__ import annotations

import numpy as np
from cone_problem import Array
from dense_run import DenseRun, Solved
from turning_bases import carried

STORED = 4
"""Kinetic, gravity, elastic, staggering: the energies before the works."""
IMPACTS, NORMAL, FRICTION, LOOPS, LIMITS, CORRECTIONS, COUNT = range(4, 11)
"""Places of single works, and of the number of impacts."""


def places(nv: int, n_bodies: int) -> dict[str, slice]:
    """Return where the works of actuators, dampers, joint friction and bodies are."""
    first = COUNT + 1
    names = ("supplied", "damping", "joint_friction")
    found = {name: slice(first + k * nv, first + (k + 1) * nv) for k, name in enumerate(names)}
    return found | {"bodies": slice(first + 3 * nv, first + 3 * nv + n_bodies)}


def residual(rows: Array, nv: int) -> Array:
    """Return stored energy less works (…), since the first of the rows (…, T, energy_size)."""
    where = places(nv, rows.shape[-1] - COUNT - 1 - 3 * nv)
    works = rows[..., IMPACTS:COUNT].sum(-1)
    for name in ("supplied", "damping", "joint_friction"):
        works = works + rows[..., where[name]].sum(-1)
    left = rows[..., :STORED].sum(-1) - works
    return np.asarray(left - left[..., :1])


def stored(run: DenseRun) -> Array:
    """Return kinetic, gravity, elastic and staggering [J] of the present state."""
    model, q, v = run.dense.model, run.q, run.v
    pull = run.dense.spring_forces(q) - model.bias_forces(q, v)
    momentum = model.generalized_momentum(q, v)
    return np.array(
        [
            model.kinetic_energy(q, v),
            model.potential_energy(q),
            model.elastic_energy(q),
            0.5 * run.world.dt * float(pull @ v + momentum @ carried(model, v, v)),
        ]
    )


def works(run: DenseRun) -> Array:
    """Return all works [J] of the steps so far, as the ledger lists them after the energies."""
    model = run.dense.model
    where = places(model.nv, model.n_bodies)
    total = np.zeros(where["bodies"].stop)
    for solved in run.steps:
        _add(run, total, where, solved)
    return total[STORED:]


def _add(run: DenseRun, total: Array, where: dict[str, slice], solved: Solved) -> None:
    posed, p, dt = solved.posed, solved.p, run.world.dt
    mean = 0.5 * (posed.v + solved.after)
    G = run.dense.model.coupling_matrix(posed.q)
    owner = _owners(run)
    total[where["supplied"]] += dt * posed.torque(solved.after) * mean
    damped = -dt * run.dense.of_joints("damping") * (G @ solved.after) * (G @ mean)
    np.add.at(total[where["damping"]], owner, damped)
    total[LOOPS] += posed.loop_impulse(p) @ mean
    # corrections lift against gravity, which is what bias forces at rest are
    weight = run.dense.model.bias_forces(posed.q, np.zeros(run.dense.model.nv))
    total[CORRECTIONS] += weight @ solved.shift
    normals = [block.first for block in posed.problem.blocks if block.kind == "contact"]
    for block in posed.problem.blocks:
        rows = list(block.rows)
        work = p[rows] * (posed.rows.J[rows] @ mean)
        if block.kind == "stop":
            total[LIMITS] += work.sum()
        elif block.kind == "brake":
            (w,) = np.flatnonzero((posed.rows.J[rows[0]] == G).all(axis=1))[:1]
            total[where["joint_friction"]][owner[w]] += work.sum()
        else:
            n = block.first
            candidate = posed.rows.touching[normals.index(n)]
            total[where["bodies"]][posed.at.seen[candidate].body] += work.sum()
            if posed.rows.J[n] @ posed.v < -run.world.rest_speed and p[n] > 0.0:
                total[IMPACTS] += work.sum()
                total[COUNT] += n in rows
            else:
                total[NORMAL] += work[0] * (n in rows)
                total[FRICTION] += work[int(n in rows) :].sum()


def _owners(run: DenseRun) -> Array:
    """Return for each joint velocity the coordinate under which its losses are listed.

    That is its own, or the first of its cluster if it follows others.
    """
    model = run.dense.model
    found = []
    for cluster in model.clusters:
        for name in cluster.joints:
            joint = model.joint(name)
            own = {k: joint.v_slice.start + i for i, k in enumerate(joint.own_velocities)}
            found += [own.get(k, cluster.v_slice.start) for k in range(joint.nv)]
    return np.array(found, int)

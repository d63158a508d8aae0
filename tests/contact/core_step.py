"""Steps of the core held to the oracle: what it did must solve the problem that was posed."""

from __future__ import annotations

import numpy as np
from cone_problem import Array
from contact_worlds import Run, World
from dense_rows import TOUCHING
from dense_run import DenseRun
from dense_step import DenseStep, Posed

EXACT = {"iterations": 20000.0, "tolerance": 1e-14}
"""The core's solver driven to rounding, as the oracle is."""
NEGLIGIBLE = 1e-12
"""Depths [m] that rounding may leave."""


def listed(rows: Array) -> dict[int, Array]:
    """Return the recorded forces (3,) [N] by candidate."""
    return {int(contact[0]): contact[7:10] for contact in rows if contact[0] >= 0}


def contact_impulses(world: World, rows: Array, posed: Posed) -> Array:
    """Return the recorded forces as impulses (3 contacts,) along the oracle's axes."""
    found, touching = listed(rows), posed.rows.touching
    # candidates that only just touch may be listed by one side only, without a force
    assert all(not found[k].any() for k in set(found) - set(touching))
    nothing = np.zeros(3)
    parts = [world.dt * posed.at.seen[k].axes @ found.get(k, nothing) for k in touching]
    return np.concatenate([np.zeros(0), *parts])


def as_listed(dense: DenseStep, posed: Posed, rows: Array) -> Posed:
    """Return the problem with the contacts that the core found to join.

    Where solutions are not unique, others may join than the oracle's: what is asked for is that
    no velocity after the step enters anything.
    """
    return dense.joined(posed, frozenset(("contact", k) for k in listed(rows)))


def left_out(dense: DenseStep, posed: Posed, after: Array) -> float:
    """Return how deep [m] a velocity enters what is not in the problem."""
    if not dense.maker.ahead or dense.world.law == "penalty":
        return 0.0
    entered = dense.maker.entered(posed.at, after)
    return max([0.0, *(depth for key, depth in entered.items() if key not in posed.members)])


def all_impulses(dense: DenseStep, posed: Posed, p: Array, after: Array) -> Array:
    """Return impulses of contacts, then of brakes and stops, which are not recorded.

    They are what the change of velocity asks for beside contacts and loops. A brake and a stop
    of one joint are told apart by the brake's law.
    """
    J = posed.rows.J
    others, loops = J[len(p) :], dense.model.constraint_jacobian(posed.q)
    left = posed.implicit @ (after - posed.free) - J[: len(p)].T @ p
    rows = np.vstack([others, loops])
    found = np.linalg.lstsq(rows.T, left, rcond=1e-12)[0][: len(others)] if len(rows) else left[:0]
    first = len(posed.rows.touching)
    brakes = [k for k, b in enumerate(posed.problem.blocks[first:]) if b.kind == "brake"]
    for k in brakes:
        same = [
            i for i, row in enumerate(others) if i != k and abs(row @ others[k]) == row @ row > 0.0
        ]
        stops = [i for i in same if np.array_equal(abs(others[i]), abs(others[k]))]
        if not stops:
            continue
        signs = [float(np.sign(others[i] @ others[k])) for i in stops]
        total = found[k] + sum(s * found[i] for s, i in zip(signs, stops, strict=True))
        bound, speed = posed.problem.blocks[first + k].slack, float(others[k] @ after)
        found[k] = -bound * np.sign(speed) if abs(speed) > 1e-9 else np.clip(total, -bound, bound)
        found[stops] = 0.0
        held = next((n for n, s in enumerate(signs) if s * (total - found[k]) > 0.0), 0)
        found[stops[held]] = signs[held] * (total - found[k])
    return np.concatenate([p, found])


def compare(
    world: World, q: Array, v: Array, commands: Array | None = None, steps: int = 1
) -> dict[str, float]:
    """Return the worst errors of some steps.

    `away`: how far velocities are from the oracle's; `solution`: what the core's impulses
    violate [m/s], if that is less, as where solutions are not unique; `hidden`: the same where
    the core's statistics do not tell; `entered`: how deep velocities enter what is not in the
    problem [m]; v, q and tau: how far the next state is from where these impulses bring it.
    """
    world = world.but(law_numbers={**EXACT, **world.law_numbers})
    run, dense = Run.start(world, q, v, commands), DenseRun(world, q, v)
    worst = dict.fromkeys(
        ("v", "q", "tau", "solution", "hidden", "away", "entered", "touching", "shifted"), 0.0
    )
    for _ in range(steps):
        record = run.advance(1)
        assert run.status[0, 0] == 0, run.status
        solved = dense.advance(1, commands)
        rows = record["contacts"][0, 0]
        posed = as_listed(dense.dense, solved.posed, rows)
        after = dense.dense.before_turning(posed.q, run.q[0], run.v[0])
        touching = contact_impulses(world, rows, posed)
        p = all_impulses(dense.dense, posed, touching, after)
        tau = posed.torque(after)
        led = dense.solved(posed, p)
        size = max(1.0, float(np.abs(led.v).max()))
        away = np.abs(run.v[0] - solved.v).max() / size
        violation = min(posed.problem.residual(p) / size, away)
        reported = record["statistics"][0, 0, 1]
        now = {
            "v": np.abs(run.v[0] - led.v).max() / size,
            "q": np.abs(world.model.difference(run.q[0], led.q)).max() / size,
            "tau": np.abs(record["tau"][0, 0] - tau).max() / max(1.0, np.abs(tau).max()),
            "solution": violation,
            "away": away,
            "hidden": violation if violation > 1e-8 + 100.0 * reported else 0.0,
            "entered": max(0.0, left_out(dense.dense, posed, after) - TOUCHING - NEGLIGIBLE),
            "touching": (touching[::3] > 0.0).sum(),
            "shifted": np.abs(led.shift).max(),
        }
        worst = {key: max(value, float(now[key])) for key, value in worst.items()}
        dense.q, dense.v = run.q[0].copy(), run.v[0].copy()  # errors of steps, not of paths
    return worst

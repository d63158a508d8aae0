"""Impacts of mechanisms with every joint, gears and loops: projections in the kinetic metric.

Beside a dense projection by the mass matrix and the Jacobian of the point that is caught, for an
impact as a reset, and as contact="event" finds it for points that hold whatever it takes.
"""

from __future__ import annotations

import numpy as np
import pytest
from oracle import Array

import tarsus as ts


def machine(name: str) -> ts.Model:
    if name == "lola":
        return ts.robots.lola()
    if name == "four-bars":
        return ts.robots.four_bar_chain(3)
    return ts.robots.random_mechanism(int(name), 16, armature=int(name) % 2 == 0)


def projected(H: Array, J: Array, v: Array) -> Array:
    """Return (I − H⁻¹ Jᵀ (J H⁻¹ Jᵀ)⁺ J) v (Duindam 2006, section 3.3.2)."""
    Y = np.linalg.solve(H, J.T)
    return v - Y @ np.linalg.pinv(J @ Y, rcond=1e-10) @ J @ v


@pytest.mark.parametrize("name", ["0", "1", "2", "four-bars", "lola"])
def test_a_point_is_caught(name: str) -> None:
    model = machine(name)
    rng = np.random.default_rng(7)
    q = model.neutral() if model.constraints or name == "four-bars" else None
    q = model.random_configuration(rng) if q is None else q
    v = rng.normal(size=model.nv)
    frame = model.body_names[-1]
    caught = ts.held(model, frame, q)
    # at the first moment: a guard that is at its zero and falls is an event at once
    now = ts.Exit(
        ts.guards.Function(lambda t, q, v: 1e-3 - t), reset=ts.resets.Impact(caught), name="caught"
    )
    flowed = ts.flow(ts.Phase(model, now), q, v, duration=1.0)
    (event,) = flowed.events
    J = np.asarray(model.frame_jacobian(event.q, frame, reference="local_world_aligned"))[:3]
    H = np.asarray(model.mass_matrix(event.q))
    if model.constraints:
        J = np.vstack([J, np.asarray(model.constraint_jacobian(event.q))])
    expected = projected(H, J, event.v)
    scale = np.abs(expected).max()
    print(f"{name}: {np.abs(event.next_v - expected).max() / scale:.1e}")
    np.testing.assert_allclose(event.next_v, expected, atol=1e-9 * scale)
    # what is lost is the energy of the velocity that is taken away
    lost = model.kinetic_energy(event.q, event.v) - model.kinetic_energy(event.q, event.next_v)
    taken = model.kinetic_energy(event.q, event.v - event.next_v)
    assert lost == pytest.approx(taken, rel=1e-8) and lost > 0.0


def test_random_drops_lose_what_a_projection_loses() -> None:
    """A chain of links that lands on a point which holds: the event's impulse and its energy."""
    rng = np.random.default_rng(3)
    for trial in range(5):
        builder = ts.Builder("chain").body("base", 2.0, inertia=(0.1, 0.2, 0.3))
        builder.joint("flight", "free", "world", "base")
        builder.body("link", 1.0, (0.0, 0.0, -0.3), (0.03, 0.03, 0.01))
        builder.joint("hinge", "universal", "base", "link")
        builder.shape("link", "sphere", (0.02,), role="collision", position=(0.1, 0.0, -0.6))
        model = builder.build()
        q = model.random_configuration(rng)
        q[:3] = 0.0, 0.0, 3.0
        law = ts.contact.Event(slips=False)
        run = ts.Simulation(model, ground=ts.Ground(), contact=law, dt=0.01).run(
            q, 0.5 * rng.normal(size=model.nv), duration=1.0, until=ts.until.Touch("link")
        )
        event = run.events[0]
        assert event.kind == "impact" and event.body == "link"
        before = run.energy.kinetic + run.energy.gravity
        print(f"{trial}: t = {event.t:.6f} s, lost {event.lost:.6f} J")
        assert event.lost > 0.0
        assert run.energy.impacts[-1] == pytest.approx(-run.events.of("impact").lost.sum())
        assert np.abs(run.energy.relative_residual).max() < 1e-8
        assert before[0] - before[-1] == pytest.approx(run.events.lost.sum(), rel=1e-6)

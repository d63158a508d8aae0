"""Flows of mechanisms with every joint, gears and loops: beside SciPy, energy, order, bits.

SciPy integrates accelerations of the library, which have oracles of their own; the integrator, its
error control, the location of events and the lanes share nothing with it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

import numpy as np
import pytest
from oracle import Array
from scipy.integrate import solve_ivp

import tarsus as ts

MACHINES: dict[str, Callable[[], ts.Model]] = {
    **{
        f"random {seed}": functools.partial(
            ts.robots.random_mechanism, seed, 16, armature=seed % 2 == 0
        )
        for seed in range(4)
    },
    "gears": lambda: ts.robots.rotor_chain(4),
    "differential": ts.robots.differential,
    "four-bars": lambda: ts.robots.four_bar_chain(3),
    "spatial four-bar": ts.robots.spatial_four_bar,
    "snakeboard": ts.robots.snakeboard,
    "a function": ts.robots.five_bodies,
    "lola": ts.robots.lola,
}


@functools.cache
def machine(name: str) -> ts.Model:
    return MACHINES[name]()


def start(model: ts.Model, seed: int = 1) -> tuple[Array, Array]:
    """Return a state with velocities that its constraints allow."""
    rng = np.random.default_rng(seed)
    q = model.random_configuration(rng) if not model.constraints else model.neutral()
    v = 0.5 * rng.normal(size=model.nv)
    return q, allowed(model, q, v) if model.constraints else v


def allowed(model: ts.Model, q: Array, v: Array) -> Array:
    """Return the part of v that constraints allow, by where they let forces lead from rest."""
    forces = np.eye(model.nv)
    rest = np.zeros(model.nv)
    still = model.forward_dynamics(q, rest, rest)
    ways = np.array([model.forward_dynamics(q, rest, force) - still for force in forces]).T
    basis = np.linalg.svd(ways)
    rank = int((basis[1] > 1e-9 * basis[1][0]).sum())
    return np.asarray(basis[0][:, :rank] @ basis[0][:, :rank].T @ v)


def by_scipy(model: ts.Model, q: Array, v: Array, t: float) -> tuple[Array, Array]:
    def rates(_: float, x: Array) -> Array:
        q, v = x[: model.nq], x[model.nq :]
        return np.concatenate(
            [model.configuration_rate(q, v), model.forward_dynamics(q, v, np.zeros(model.nv))]
        )

    found = solve_ivp(
        rates, (0.0, t), np.concatenate([q, v]), method="DOP853", rtol=1e-12, atol=1e-12
    ).y[:, -1]
    return found[: model.nq], found[model.nq :]


def energy(model: ts.Model, q: Array, v: Array) -> float:
    return float(model.kinetic_energy(q, v) + model.potential_energy(q))


@pytest.mark.parametrize("name", MACHINES)
def test_a_flow_is_the_motion_of_scipy(name: str) -> None:
    model = machine(name)
    q, v = start(model)
    flowed = ts.flow(model, q, v, duration=0.15, rtol=1e-11, atol=1e-12)
    expected_q, expected_v = by_scipy(model, q, v, 0.15)
    place = np.abs(model.difference(expected_q, flowed.q)).max()
    speed = np.abs(flowed.v - expected_v).max() / max(1.0, np.abs(expected_v).max())
    most = max(1.0, *(float(model.kinetic_energy(*x)) for x in ((q, v), (flowed.q, flowed.v))))
    kept = abs(energy(model, flowed.q, flowed.v) - energy(model, q, v)) / most
    print(f"{name}: places {place:.1e}, speeds {speed:.1e}, energy {kept:.1e}")
    assert np.abs(model.difference(q, flowed.q)).max() > 1e-3  # it moves
    assert place < 1e-8 and speed < 1e-8 and kept < 1e-8


@pytest.mark.parametrize("name", ["random 0", "four-bars", "snakeboard"])
def test_events_are_on_the_way_and_at_zero(name: str) -> None:
    """A height falls to what it is on the way: state and time are those of the motion without."""
    model = machine(name)
    q, v = start(model)
    frame = model.body_names[-1]

    def point(q: Array) -> Array:
        return np.asarray(model.frame_pose(q, frame)[:3, 3])

    there, _ = by_scipy(model, q, v, 0.06)
    normal = point(q) - point(there)
    guard = ts.guards.Height(frame, over=point(there), normal=normal)
    flowed = ts.flow(
        ts.Phase(model, ts.Exit(guard, name="there")), q, v, duration=0.1, rtol=1e-11, atol=1e-12
    )
    (event,) = flowed.events
    print(f"{name}: {event.t - 0.06:.1e} s off")
    assert event.t == pytest.approx(0.06, abs=1e-8) and flowed.t == event.t
    assert np.abs(model.difference(there, event.q)).max() < 1e-8
    height = normal @ (point(event.q) - point(there)) / np.linalg.norm(normal)
    assert abs(height) < 1e-12


def test_errors_follow_the_tolerance() -> None:
    """Errors are of the size that is asked for, and fall with the eighth power of the steps."""
    model = machine("random 1")
    q, v = start(model)
    best = ts.flow(model, q, v, duration=0.3, rtol=1e-13, atol=1e-14)
    errors, steps = [], []
    for tolerance in (1e-5, 1e-7, 1e-9, 1e-11):
        flowed = ts.flow(model, q, v, duration=0.3, rtol=tolerance, atol=tolerance)
        errors.append(float(np.abs(model.difference(best.q, flowed.q)).max()))
        steps.append(int(flowed.steps))
    print(list(zip(errors, steps, strict=True)))
    assert all(error < 100 * t for error, t in zip(errors, (1e-5, 1e-7, 1e-9, 1e-11), strict=True))
    order = np.log(errors[0] / errors[3]) / np.log(steps[3] / steps[0])
    print(f"order {order:.1f}")
    assert 6.0 < order < 12.0


def test_fixed_steps_converge_with_order_eight() -> None:
    """A bound on steps that the error control would allow, halved: errors fall by 2⁸."""
    model = ts.robots.chain(3)
    q, v = start(model)
    best = ts.flow(model, q, v, duration=0.8, rtol=1e-13, atol=1e-14)
    errors = []
    for longest in (0.05, 0.025, 0.0125):
        flowed = ts.flow(model, q, v, duration=0.8, rtol=1.0, atol=1.0, longest_step=longest)
        errors.append(float(np.abs(flowed.q - best.q).max()))
    orders = np.log2(np.divide(errors[:-1], errors[1:]))
    print(f"errors {errors}, orders {orders}")
    assert orders[-1] > 7.0


@pytest.mark.parametrize("name", ["random 2", "four-bars", "snakeboard"])
def test_bits_of_a_batch(name: str) -> None:
    model = machine(name)
    states = [start(model, seed) for seed in range(11)]
    q, v = (np.array(each) for each in zip(*states, strict=True))
    together = ts.flow(model, q, v, duration=0.05)
    order = np.random.default_rng(3).permutation(len(q))
    shuffled = ts.flow(model, q[order], v[order], duration=0.05, threads=2)
    assert np.array_equal(shuffled.q, together.q[order])
    assert np.array_equal(shuffled.v, together.v[order])
    alone = [ts.flow(model, *state, duration=0.05) for state in states]
    assert np.array_equal(together.q, [each.q for each in alone])
    assert np.array_equal(together.steps, [each.steps for each in alone])

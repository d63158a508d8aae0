"""Derivatives of flows through events of every kind, and what has none."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from flow_differences import by_number, by_states
from flow_walkers import STABLE, compass, start

import tarsus as ts
from tarsus._lib.files import Array

P, G, R = ts.parameters, ts.guards, ts.resets
TIGHT = {"rtol": 1e-12, "atol": 1e-14}


def flyer(length: float = 0.4, mass: float = 1.0) -> ts.Model:
    """Return a free body with an arm on a ball joint, and a tip at its end."""
    b = ts.Builder("flyer").body("trunk", mass, (0.1, 0.0, 0.05), (0.05, 0.07, 0.09))
    b.body("arm", 0.5, (0.2, 0.0, 0.0), (0.01, 0.03, 0.04)).body("tip")
    b.joint("base", "free", "world", "trunk")
    b.joint("shoulder", "spherical", "trunk", "arm", position=(0.0, 0.2, 0.0), stiffness=0.5)
    return b.joint("end", "fixed", "arm", "tip", position=(length, 0.0, 0.0)).build()


def flying() -> tuple[Array, Array]:
    """Return a state in the air."""
    model, rng = flyer(), np.random.default_rng(2)
    q = np.asarray(model.random_configuration(rng))
    q[:3] = 0.0, 0.0, 1.0
    return q, 0.7 * rng.standard_normal(model.nv)


def check(phases: Any, q: Array, v: Array, *, had: int, **given: Any) -> ts.Flowed:
    """Compare derivatives by states with extrapolated differences of a motion that had events."""
    found = ts.flow(phases, q, v, derivatives=True, **TIGHT, **given)
    given.pop("parameters", None)
    assert found.n_events == had
    expected = by_states(phases, q, v, step=1e-3, **given)
    nv = expected.shape[1]
    scale = max(1.0, float(np.abs(expected).max()))
    error = np.abs(found.derivatives[:, :nv] - expected[:-1]).max() / scale
    print(f"{error:.1e} of {scale:.1e}")
    assert error < 1e-8
    if found.ended != "lasted as long as it should":
        np.testing.assert_allclose(found.time_derivatives[:nv], expected[-1], rtol=0, atol=1e-8)
    return found


def test_heights_and_impacts() -> None:
    """A tip that falls on a slope and stays there, by lengths and masses."""

    def phases(length: float = 0.4, mass: float = 1.0) -> list[ts.Phase]:
        model = flyer(length, mass)
        q, _ = flying()
        guard = G.Height("tip", (0.0, 0.0, 0.3), (0.1, 0.0, 1.0))
        down = ts.Exit(guard, to="after", reset=R.Impact(ts.held(model, "tip", q)))
        return [ts.Phase(model, down, name="air"), ts.Phase(model, name="after")]

    q, v = flying()
    parameters = [P.Length("end"), P.Mass("trunk"), P.Gravity()]
    found = check(phases(), q, v, had=1, duration=0.6, parameters=parameters)
    numbers = {"length": 0.4, "mass": 1.0}
    for k, name in enumerate(numbers):
        expected = by_number(
            lambda h, name=name: phases(**{name: numbers[name] + h}), q, v, step=1e-3, duration=0.6
        )
        column = found.derivatives[:, 18 + k]
        np.testing.assert_allclose(column, expected[:-1], rtol=0, atol=1e-8)


def test_distances_and_velocities() -> None:
    """Where two points are as far apart as they may be, and where a joint turns."""
    model = flyer()
    q, v = flying()
    far = ts.Exit(G.Distance("tip", (0.0, 0.0, 1.0), 1.2), to="b", crossing="rising")
    phases = [ts.Phase(model, far, name="a"), ts.Phase(model, name="b")]
    check(phases, q, v, had=1, duration=0.9)
    phase, (q, v) = compass(), start(*STABLE)
    turn = ts.Exit(
        G.JointVelocity("hinge") + 0.1 * G.JointPosition("ankle"), to=None, crossing="any"
    )
    check(ts.Phase(phase.model, turn), q, v, had=1, duration=2.0)


def test_linear_maps_of_turns() -> None:
    """A map of quaternions: the world is seen from another side."""
    model = flyer()
    q, v = flying()
    half = math.sqrt(0.5)
    # p := R p, and the quaternion x y z w := r q for a quarter turn r about z
    turn = np.eye(model.nq)
    turn[:2, :2] = [[0.0, -1.0], [1.0, 0.0]]
    turn[3:7, 3:7] = half * np.array([[1, -1, 0, 0], [1, 1, 0, 0], [0, 0, 1, 1], [0, 0, -1, 1]])
    exit = ts.Exit(
        G.Height("trunk", (0.0, 0.0, 0.8)), to="b", reset=R.Linear(turn, rates=np.eye(9))
    )
    phases = [ts.Phase(model, exit, name="a"), ts.Phase(model, name="b")]
    found = check(phases, q, v, had=1, duration=0.7)
    plain = ts.flow(model, q, v, duration=0.7, **TIGHT)
    np.testing.assert_allclose(found.q[:2], turn[:2, :2] @ plain.q[:2], atol=1e-10)


def bounce(t: float, q: Array, v: Array) -> tuple[Array, Array]:
    """A reset that depends on everything."""
    after = v.copy()
    after[2] = -0.7 * v[2] + 0.1 * math.sin(3.0 * t) * v[4]
    after[4:] = 0.9 * v[4:] * math.cos(q[0])
    return q + 0.0, after


def test_functions() -> None:
    """Guards and resets of users, which depend on time, too, by differences."""
    model = flyer()
    q, v = flying()

    def height(t: float, q: Array, v: Array) -> float:
        return float(q[2] - 0.6 - 0.1 * math.sin(5.0 * t) + 0.02 * v[3] ** 2)

    def phases(reset: ts.resets.Function) -> list[ts.Phase]:
        exit = ts.Exit(G.Function(height), to="after", reset=reset)
        return [ts.Phase(model, exit, name="before"), ts.Phase(model, name="after")]

    found = check(phases(R.Function(bounce)), q, v, had=1, duration=0.6)

    def derivative(t: float, q: Array, v: Array) -> Array:
        made = np.zeros((18, 19))
        made[:9, :9] = np.eye(9)
        made[9:13, 9:13] = np.eye(4)
        made[11, 11], made[11, 13] = -0.7, 0.1 * math.sin(3.0 * t)
        made[13:, 13:18] = 0.9 * math.cos(q[0]) * np.eye(5)
        # q[0] changes by the first row of the rotation times the step
        x, y, z, w = q[3:7]
        row = [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)]
        made[13:, :3] = -0.9 * math.sin(q[0]) * np.outer(v[4:], row)
        made[11, 18] = 0.3 * math.cos(3.0 * t) * v[4]
        return made

    own = phases(R.Function(bounce, derivative=derivative))
    other = ts.flow(own, q, v, duration=0.6, derivatives=True, **TIGHT)
    np.testing.assert_allclose(other.derivatives, found.derivatives, rtol=0, atol=1e-9)


def test_controllers() -> None:
    """Efforts of users that depend on time and state, before and after an event."""
    phase = compass()

    def efforts(t: float, q: Array, v: Array) -> Array:
        return np.array([0.3 * math.sin(4.0 * t) * q[1], -0.2 * v[1] * abs(v[0]) + 0.1 * t])

    driven = ts.Phase(phase.model, phase.exits, name="step", controller=efforts)
    check(driven, *start(*STABLE), had=1, duration=1.0)
    check(driven, *start(*STABLE), had=2, duration=5.0, events=2)


def test_events_without_time() -> None:
    """A motion that ends at its first event, and one that has none."""
    phase, (q, v) = compass(), start(*STABLE)
    found = ts.flow(phase, q, v, duration=0.3, derivatives=True)
    assert found.n_events == 0 and not found.time_derivatives.any()
    stop = ts.Phase(phase.model, ts.Exit(G.JointPosition("ankle"), to=None))
    ended = ts.flow(stop, q, v, duration=5.0, derivatives=True, **TIGHT)
    # the ankle is where it is at the event, whatever the start was
    np.testing.assert_allclose(ended.derivatives[0], 0.0, atol=1e-12)
    assert np.abs(ended.derivatives[1]).max() > 0.1


def test_phases_of_other_sizes() -> None:
    """States of motions that end in phases of other sizes are filled up with zeros."""
    small = compass().model
    b = ts.Builder("one").body("rod", 1.0, (0.0, 0.0, 0.5), (0.1, 0.1, 0.1))
    one = b.joint("pivot", "revolute", "world", "rod", axis=(0, -1, 0)).build()
    lock = ts.Exit(
        G.JointPosition("hinge"), to="rod", crossing="rising", reset=R.Linear([[1.0, 0.0]])
    )
    phases = [ts.Phase(small, lock, name="legs"), ts.Phase(one, name="rod")]
    q, v = start(*STABLE)
    found = ts.flow(phases, [q, q], [v, -v], duration=0.5, derivatives=True, **TIGHT)
    assert found.phase == ["rod", "legs"] and found.derivatives.shape == (2, 4, 4)
    expected = by_states(phases, q, v, duration=0.5)[:-1]
    np.testing.assert_allclose(found.derivatives[0][[0, 2]], expected, rtol=0, atol=1e-8)
    assert not found.derivatives[0][[1, 3]].any()


def errors() -> dict[str, tuple[Any, dict[str, Any], str]]:
    """Return phases, options and words of the error, by name."""
    model = compass().model
    ball = ts.Builder("ball").body("ball", 1.0, (0, 0, 0), (0.1, 0.1, 0.1))
    ball.joint("roll", "rolling_ball", "world", "ball", radius=0.1)
    rough = ts.Editor(model).change("joint", "hinge", friction=0.1).build()
    string = ts.forces.String("toe", (0.0, 0.0, 3.0), 10.0, 0.5, damping=1.0, name="rope")
    roped = ts.Editor(model).force(string).build()
    pulled = ts.Editor(model).force(ts.forces.GravityField((0.0, 0.0, -1.0), name="moon")).build()
    wanted = {"derivatives": True}
    return {
        "rolling": (ball.build(), wanted, "'roll' is rolling_ball"),
        "friction": (rough, wanted, "'hinge' has dry friction"),
        "string": (roped, wanted, "'rope' has damping"),
        "field": (pulled, {**wanted, "parameters": P.Mass("hip")}, "'moon' is a field"),
        "no derivatives": (model, {"parameters": P.Slope()}, "derivatives=True"),
        "unknown body": (model, {**wanted, "parameters": P.Mass("knee")}, "'knee'"),
        "unknown joint": (model, {**wanted, "parameters": P.Length("knee")}, "'knee'"),
        "no axis": (model, {**wanted, "parameters": P.Length("hinge")}, "state the axis"),
        "world": (model, {**wanted, "parameters": P.Mass("world")}, "'world'"),
    }


@pytest.mark.parametrize("name", errors())
def test_errors(name: str) -> None:
    """What has no derivatives is named."""
    phases, options, words = errors()[name]
    model = phases
    with pytest.raises(ValueError, match=words):
        ts.flow(phases, model.neutral(), duration=1.0, **options)


def test_errors_of_types() -> None:
    """Things that are no parameters, and derivatives that nobody asked for."""
    model = compass().model
    with pytest.raises(TypeError, match=r"must be of ts\.parameters"):
        ts.flow(model, [0.1, 0.2], duration=1.0, derivatives=True, parameters=["mass"])  # type: ignore[list-item]
    with pytest.raises(TypeError, match=r"must be one of ts\.parameters"):
        P.Mass("hip") + 1.0  # type: ignore[operator]
    with pytest.raises(ValueError, match="derivatives=True"):
        _ = ts.flow(model, [0.1, 0.2], duration=0.1).derivatives


def test_failures_have_no_derivatives() -> None:
    """A motion that fails is not a number, its neighbours are as without it."""
    model = compass().model
    q, v = start(*STABLE)
    found = ts.flow(model, [q, q], [v, 1e9 * v], duration=0.5, derivatives=True, most_steps=50)
    alone = ts.flow(model, q, v, duration=0.5, derivatives=True)
    assert found.failed.tolist() == [False, True]
    assert np.isnan(found.derivatives[1]).all()
    assert np.array_equal(found.derivatives[0], alone.derivatives)

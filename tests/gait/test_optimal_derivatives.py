"""Derivatives of programmes of gaits, guards and resets, by differences; identities of bases."""

from __future__ import annotations

import numpy as np
import pytest

import tarsus as ts
from tarsus.events.guards import GuardValues
from tarsus.events.phase import mapped, mapped_derivatives
from tarsus.gait.optimal.collocation import Basis, lobatto
from tarsus.gait.optimal.conditions import Condition, EffortLimits, JointLimits
from tarsus.gait.optimal.costs import EffortCost
from tarsus.gait.optimal.design import Design
from tarsus.gait.optimal.transcription import Transcription
from tarsus.gait.walkers import Walker, compass, dribbel, walker3d

BASES = (ts.gait.Chebyshev(7), ts.gait.BSpline(4, 5))


def tied(free: dict[str, float]) -> dict[str, float]:
    return {"hip_mass": 7.0 - 2.0 * free["leg_mass"]}


def everything(walker: Walker) -> list[Condition]:
    """Return a condition of each kind."""
    foot = {"compass": "right_foot", "dribbel": "swing_foot", "walker3d": "left_foot"}
    height = ts.guards.Height((foot[walker.name], (0.1, 0.0, 0.05)), normal=(0.1, 0.2, 1.0))
    apart = ts.guards.Distance((foot[walker.name], (0.1, 0.2, 0.0)), ("world", (1.0, 2.0, 3.0)))
    model = walker.phases[0].model
    speed = ts.guards.JointVelocity(model.joint_names[0])
    most = np.full(model.nv, 3.0)
    return [
        ts.gait.Require(height, low=0.0, high=1.0, during=(0.2, 0.7), points=3),
        ts.gait.Require(2.0 * height - speed, high=0.0, rate=False, points=2),
        ts.gait.Require(height + apart, high=-0.5, during=(1.0, 1.0), rate=True, phase=0),
        ts.gait.Grip(0.5, least=1.0, sole=(-0.1, 0.2, -0.05, 0.05), slope=walker.slope, points=3),
        EffortLimits(0, most, np.linspace(0.0, 1.0, 3)),
        JointLimits(0, points=2),
        ts.gait.Require(height, low=0.3, high=0.3, during=(0.5, 0.6), points=2),
    ]


@pytest.mark.parametrize("basis", BASES)
@pytest.mark.parametrize("walker", [compass(), dribbel(), walker3d()], ids=lambda w: w.name)
def test_programmes(walker: Walker, basis: Basis) -> None:
    metric = []
    for phase in walker.phases:
        root = np.random.default_rng(3).standard_normal((phase.model.nv,) * 2)
        metric.append(root @ root.T + np.eye(phase.model.nv))
    stated = Transcription(
        walker, basis, objective=EffortCost(metric), conditions=everything(walker), speed=0.7
    )
    _check(stated, np.zeros(0))


@pytest.mark.parametrize("linear", [True, False])
def test_designs(linear: bool) -> None:
    free = {"leg_mass": (0.1, 3.0), "stiffness": (0.0, 20.0), "damping": (0.0, 2.0)}
    if not linear:  # a slope turns gravity: machines are built anew
        free |= {"slope": (0.0, 0.2)}
    walker = compass()
    design = Design(free, tied)
    stated = Transcription(
        walker,
        ts.gait.Chebyshev(6),
        objective=EffortCost([np.eye(2)]),
        conditions=everything(walker),
        speed=0.7,
        design=design,
    )
    assert (stated.designs._blends is not None) == linear
    _check(stated, np.array([1.2, 3.0, 0.3, 0.07][: len(free)]))


def test_blends_are_the_machines_that_they_stand_for() -> None:
    free = {"leg_mass": (0.1, 3.0), "stiffness": (0.0, 20.0)}
    stated = Transcription(
        compass(),
        ts.gait.Chebyshev(5),
        objective=EffortCost([np.eye(2)]),
        speed=0.5,
        design=Design(free, tied),
    )
    values = np.array([2.2, 7.0])
    plain = Transcription(
        compass(leg_mass=2.2, hip_mass=7.0 - 4.4, stiffness=7.0),
        ts.gait.Chebyshev(5),
        objective=EffortCost([np.eye(2)]),
        speed=0.5,
    )
    c = 0.1 * np.random.default_rng(0).standard_normal((6, 2))
    one = stated.values(stated.joined([c], np.array([0.7]), values))
    two = plain.values(plain.joined([c], np.array([0.7]), np.zeros(0)))
    assert one.outputs == pytest.approx(two.outputs, abs=1e-10)
    assert one.equations == pytest.approx(two.equations, abs=1e-10)


def _check(stated: Transcription, numbers: np.ndarray) -> None:
    rng = np.random.default_rng(1)
    sizes = stated.unknowns.sizes
    c = [0.1 * rng.standard_normal((stated.basis.size, n)) for n in sizes]
    x = stated.joined(c, 0.5 + 0.1 * np.arange(len(sizes)), numbers)
    here = stated.linearised(x)
    for key in ("output", "equation", "slack"):
        slopes = getattr(here, f"{key}_slopes")
        columns = []
        for k in range(len(x)):
            step = 1e-5 * np.eye(len(x))[k]
            sides = [getattr(stated.values(x + way * step), f"{key}s") for way in (1.0, -1.0)]
            columns.append((sides[0] - sides[1]) / 2e-5)
        assert slopes == pytest.approx(np.stack(columns, axis=1), abs=1e-7 * np.abs(slopes).max())


@pytest.mark.parametrize("basis", BASES)
def test_bases(basis: Basis) -> None:
    s, weights = lobatto(12)
    assert (s[0], s[-1]) == (0.0, 1.0)
    for power in range(22):
        assert weights @ s**power == pytest.approx(1.0 / (power + 1), abs=1e-12)
    at, h = np.array([0.13, 0.5, 0.77]), 1e-5
    for k in (1, 2):
        numeric = (basis.at(at + h, k - 1) - basis.at(at - h, k - 1)) / (2.0 * h)
        assert basis.at(at, k) == pytest.approx(numeric, rel=1e-5, abs=1e-4)
    powers = np.linspace(0.0, 1.0, 30)
    cubic = powers**3 - powers
    solved = np.linalg.lstsq(basis.at(powers), cubic, rcond=None)[0]
    assert basis.at(at) @ solved == pytest.approx(at**3 - at, abs=1e-12)


@pytest.mark.parametrize("walker", [compass(), dribbel(), walker3d()], ids=lambda w: w.name)
def test_resets_do_what_flows_do(walker: Walker) -> None:
    """The core takes the same exits: states after events of a flow."""
    if walker.name == "walker3d":  # falls by itself: from a little above the ground
        q, v = walker.start[0] * [-1, 1, -1, 1, 1, 1] + [0, 0, 0, 0.05, 0, 0], -walker.start[1]
    else:
        q, v = walker.start
    flowed = walker.steps(q, v, 1)
    assert len(flowed.events) == len(walker.phases)
    for event, phase in zip(flowed.events, walker.phases, strict=True):
        after_q, after_v = mapped(phase.exits[0].reset, event.q, event.v)
        assert after_q == pytest.approx(event.next_q, abs=1e-12)
        assert after_v == pytest.approx(event.next_v, abs=1e-10)
        many = mapped(phase.exits[0].reset, np.stack([event.q] * 3), np.stack([event.v] * 3))
        assert many[1] == pytest.approx(np.stack([after_v] * 3), abs=1e-14)
        by_q, by_v = mapped_derivatives(phase.exits[0].reset, event.q, event.v)
        n = len(event.v)
        # linear in v: velocities are their own derivative times v
        assert by_v[:, n:] @ event.v == pytest.approx(after_v, abs=1e-9)
        assert by_q[:, n:] == pytest.approx(0.0, abs=1e-10)


def test_functions_are_guards_and_resets_too() -> None:
    walker = compass()
    model = walker.phases[0].model
    guard = ts.guards.Function(lambda t, q, v: q[0] * v[1]) + ts.guards.JointPosition("hip")
    values = GuardValues(model, guard)
    q, v = np.array([[0.1, 0.2], [0.3, -0.4]]), np.array([[1.0, 2.0], [3.0, 4.0]])
    assert values.values(q, v) == pytest.approx(q[:, 0] * v[:, 1] + q[:, 1])
    by_q, by_v = values.slopes(q, v)
    assert by_q == pytest.approx(np.stack([v[:, 1], np.ones(2)], axis=1))
    assert by_v == pytest.approx(np.stack([np.zeros(2), q[:, 0]], axis=1))
    twice = ts.resets.Function(lambda t, q, v: (2.0 * q, v - q))
    after_q, after_v = mapped((twice,), q, v)
    assert after_q == pytest.approx(2.0 * q)
    assert after_v == pytest.approx(v - q)

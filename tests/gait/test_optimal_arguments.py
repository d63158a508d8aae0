"""Searches for gaits refuse what they cannot take, by name; costs mean one thing everywhere."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import tarsus as ts
from tarsus.gait.walkers import compass


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"speed": 0}, "speed is 0"),
        ({"speed": math.nan}, "speed is not finite"),
        ({"nodes": 1}, "nodes is 1"),
        ({"iterations": 0}, "iterations is 0"),
        ({"starts": 0}, "starts is 0"),
        ({"basis": 2}, "basis is 2"),
        ({"weights": {"knee": 1.0}}, r"joint 'knee', which weights names.*hip"),
        ({"weights": {"hip": -1.0}}, "weights: hip is -1.0, must be positive"),
        ({"weights": {"hip": math.nan}}, "weights: hip is not finite"),
        ({"weights": -np.eye(2)}, "weights are .* positive definite"),
        ({"weights": [[1.0, 0.5], [0.0, 1.0]]}, "weights are .* symmetric"),
        ({"weights": math.nan * np.eye(2)}, "weights is not finite"),
        ({"weights": np.eye(3)}, "weights has shape"),
        ({"effort_limits": {"knee": 1.0}}, r"joint 'knee', which effort_limits names.*hip"),
        ({"effort_limits": {"hip": -1.0}}, "effort_limits: hip is -1.0"),
    ],
    ids=str,
)
def test_what_no_search_can_take(given: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        ts.gait.optimize(compass(), **given)


def test_types_are_told() -> None:
    with pytest.raises(TypeError, match=r"walker is the model .*lola"):
        ts.gait.optimize(ts.robots.lola())
    with pytest.raises(TypeError, match="basis is 'cubic'"):
        ts.gait.optimize(compass(), basis="cubic")
    with pytest.raises(TypeError, match="guess is of type tuple"):
        ts.gait.optimize(compass(), guess=compass().start)


def test_integers_of_numpy_are_orders() -> None:
    one, other = (ts.gait.optimize(compass(), 0.8, basis=n, starts=1) for n in (8, np.int64(8)))
    assert one.cost == other.cost


def test_fronts_need_speeds() -> None:
    with pytest.raises(ValueError, match="speeds is empty"):
        ts.gait.front(compass(), [])
    with pytest.raises(ValueError, match="speeds is not finite"):
        ts.gait.front(compass(), [0.8, math.nan])
    with pytest.raises(TypeError, match="speeds"):
        ts.gait.front(compass(), ["fast"])
    with pytest.raises(TypeError, match="guess is not among"):
        ts.gait.front(compass(), [0.8], guess=None)


def test_costs_of_optimised_and_of_passive_gaits_are_the_same() -> None:
    """A gait without efforts costs what the slope gives: its sine."""
    walker = compass()
    gait = ts.gait.optimize(walker)
    cycle = ts.gait.limit_cycle(walker, gait.state)
    assert gait.cost_of_transport == pytest.approx(math.sin(walker.slope), rel=1e-2)
    assert gait.cost_of_transport == pytest.approx(cycle.cost_of_transport, rel=1e-2)
    assert abs(gait.net_cost_of_transport) < 1e-3


def test_costs_are_those_of_the_replayed_gait() -> None:
    """Collocation and simulation: two ledgers of the same step."""
    gait = ts.gait.optimize(compass(), 0.8, starts=1)
    cycle = ts.gait.limit_cycle(ts.gait.replayed(gait), gait.state, tolerance=1e-6)
    assert gait.cost_of_transport == pytest.approx(cycle.cost_of_transport, rel=1e-3)


def test_brakes_give_nothing_back() -> None:
    """A slow gait downhill brakes: its net cost is negative, and what it spends is not."""
    gait = ts.gait.optimize(compass(slope=0.2), 0.6, starts=1)
    assert gait.success
    assert gait.power < 0.0
    assert gait.net_cost_of_transport < 0.0
    assert gait.cost_of_transport >= math.sin(0.2)


def test_motors_are_of_joints_that_are_there() -> None:
    gait = ts.gait.optimize(compass(), starts=1)
    motor = ts.control.CurrentMotor(constant=0.03, resistance=0.3)
    with pytest.raises(ValueError, match=r"joint 'knee', which motors names.*hip"):
        gait.cost_with_motors({"knee": motor})
    with pytest.raises(TypeError, match="motors: hip is of type float"):
        gait.cost_with_motors({"hip": 1.0})


def test_threads_find_the_same_gait() -> None:
    """Bit by bit, whichever search ends first; a slope in the design is built anew on each."""
    for design in (None, {"slope": (0.03, 0.08)}):
        given = {"speed": 0.8, "starts": 4, "design": design}
        one, three = (ts.gait.optimize(compass(), threads=n, **given) for n in (1, 3))
        assert one.cost == three.cost
        assert one.design == three.design
        assert np.array_equal(one.coefficients[0], three.coefficients[0])
    with pytest.raises(ValueError, match="threads is 0"):
        ts.gait.optimize(compass(), threads=0)

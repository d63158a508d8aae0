"""Homing at switches: in a simulation with a motor, and what is told when it does not work."""

from __future__ import annotations

import numpy as np
import pytest

import tarsus as ts
from tarsus import calibration as cal


def neck() -> ts.Model:
    builder = ts.Builder("neck").body("head", 2.0, (0.05, 0, 0), (0.01, 0.01, 0.01))
    builder.joint("pan", "revolute", "world", "head", axis="z", damping=0.1)
    return builder.body("rotor", 0.05, inertia=(1e-5, 1e-5, 1e-5)).gear("pan", 80, "rotor").build()


def test_a_head_finds_its_switch() -> None:
    """A speed controller drives the pan joint to a switch that closes at 0.8 rad, from −0.3 rad."""
    model, switch, width = neck(), 0.8, 0.01
    counts = 500 / (2 * np.pi)
    encoder = cal.Encoders(model, ["rotor_joint"], gains=counts, offsets=1234.0)
    search = cal.HomingSearch(1, fast=1.0, slow=0.02, back=0.05 * 80, longest=3.0 * 80, gain=counts)
    sim = ts.Simulation(model, ground=None, dt=1e-3)
    speed = 0.0
    sim.reset(np.array([-0.3]))
    q, v, closed = np.array([-0.3]), np.zeros(1), False
    for _ in range(20000):
        closed = bool(q[0] > (switch - width if closed else switch))
        speed = search.velocity(np.floor(encoder.readings(q))[0], closed)
        if search.done:
            break
        q, v = sim.step(np.array([5.0 * (speed - v[0])]))
    assert search.done and len(search.edges) == 3
    fresh = cal.Encoders(model, ["rotor_joint"], gains=counts)
    homed = cal.home(fresh, {"rotor_joint": 80 * switch}, {"rotor_joint": search.edges})
    off = homed.encoders.offsets[0] - 1234.0
    print(f"offset off by {off:.2f} counts, spread {homed.spread['rotor_joint']:.2f}")
    # a count of the floor, and what a cycle of 1 ms at 0.02 rad/s of the joint passes by
    assert abs(off) < 1.0 + 0.5 * counts * 80 * 0.02 * 1e-3
    assert homed.spread["rotor_joint"] < 1.0
    found = homed.encoders.configuration(encoder.readings(q), q)
    assert np.abs(found - q).max() < 1.5 / (counts * 80)


def test_switches_that_are_not_met_are_told() -> None:
    search = cal.HomingSearch(-1, fast=1.0, slow=0.1, back=0.1, longest=2.0)
    assert search.velocity(0.0, False) == -1.0
    assert search.velocity(-1.9, False) == -1.0
    with pytest.raises(ArithmeticError, match=r"the switch has not closed after 2\.1"):
        search.velocity(-2.1, False)
    stuck = cal.HomingSearch(-1, fast=1.0, slow=0.1, back=0.1, longest=2.0)
    assert stuck.velocity(0.0, True) == 1.0  # on the switch from the start: back first
    with pytest.raises(ArithmeticError, match="the switch has not opened"):
        stuck.velocity(2.5, True)


def test_offsets_from_edges() -> None:
    encoders = cal.Encoders(ts.robots.lola(), ["head_pan", "head_tilt"], gains=[10.0, -4.0])
    edges = {"head_pan": [12.0, 12.2, 11.8], "head_tilt": 3.0}
    homed = cal.home(encoders, {"head_pan": 0.5, "head_tilt": -0.25}, edges, tolerance=0.1)
    np.testing.assert_allclose(homed.encoders.offsets, [7.0, 2.0], atol=1e-12)
    assert homed.spread["head_pan"] == pytest.approx(0.2) and np.isnan(homed.spread["head_tilt"])
    assert homed.suspects == ("head_pan",)
    with pytest.raises(ValueError, match="there is not an encoder on joint 'left_knee_flexion'"):
        cal.home(encoders, {}, {"left_knee_flexion": 1.0})
    with pytest.raises(ValueError, match="there is not a switch at joint 'head_pan'"):
        cal.home(encoders, {}, {"head_pan": 1.0})
    with pytest.raises(ValueError, match="must be finite readings"):
        cal.home(encoders, {"head_pan": 0.5}, {"head_pan": []})


def test_wrong_searches() -> None:
    numbers = {"fast": 1.0, "slow": 0.1, "back": 0.1, "longest": 2.0}
    with pytest.raises(ValueError, match="towards is 0, must be 1 or -1"):
        cal.HomingSearch(0, **numbers)
    with pytest.raises(ValueError, match=r"slow is -1\.0, must be positive"):
        cal.HomingSearch(1, **(numbers | {"slow": -1.0}))
    with pytest.raises(TypeError, match="closed is 1, must be True or False"):
        cal.HomingSearch(1, **numbers).velocity(0.0, 1)  # type: ignore[arg-type]

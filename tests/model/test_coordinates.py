"""What a model says of its coordinates: its base, what can have a drive, rates of positions."""

from __future__ import annotations

import numpy as np
import pytest

import tarsus as ts
from tarsus.model.description import KINDS

MACHINES = {
    "every joint": lambda: ts.robots.random_mechanism(5, 40, [k for k in KINDS if k != "fixed"]),
    "clusters": lambda: ts.robots.lola(),
    "loops": lambda: ts.robots.strandbeest_leg(),
    "rotors": lambda: ts.robots.mini_cheetah(),
}


@pytest.mark.parametrize("name", MACHINES)
def test_rates_are_rates_of_positions(name: str) -> None:
    m = MACHINES[name]()
    rng = np.random.default_rng(0)
    q, v = m.random_configuration(rng), rng.normal(size=m.nv)
    h = 1e-6
    rates = (m.integrate(q, h * v) - m.integrate(q, -h * v)) / (2 * h)
    has = m.rate_index >= 0
    print(f"{name}: {has.sum()} of {m.nq} positions have a rate")
    assert rates[has] == pytest.approx(v[m.rate_index[has]], abs=1e-8)
    assert len(np.unique(m.rate_index[has])) == has.sum()


def test_every_velocity_of_an_arm_is_a_rate() -> None:
    m = ts.robots.chain(6)
    assert m.rate_index.tolist() == list(range(6))
    assert m.base is None
    assert m.driven.all()


def test_the_base_has_no_drive() -> None:
    m = ts.robots.quadruped()
    assert m.base is not None
    assert m.base.kind == "free"
    assert not m.driven[m.base.v_slice].any()
    assert m.driven.sum() == m.nv - 6
    assert (m.rate_index[m.base.q_slice] == -1).all()


def test_a_planar_root_is_a_base_also_on_something_welded() -> None:
    b = ts.Builder("slider").body("table").body("box", mass=1.0, inertia=(1, 1, 1))
    b.joint("weld", "fixed", "world", "table").joint("base", "planar", "table", "box")
    m = b.build()
    assert m.base is not None
    assert m.base.name == "base"
    assert not m.driven.any()


def test_a_planar_joint_further_out_is_no_base() -> None:
    b = ts.Builder("arm").body("arm", mass=1.0, inertia=(1, 1, 1))
    b.body("puck", mass=1.0, inertia=(1, 1, 1)).joint("hinge", "revolute", "world", "arm")
    m = b.joint("plane", "planar", "arm", "puck").build()
    assert m.base is None
    assert m.driven.all()


def test_what_is_said_cannot_be_changed() -> None:
    m = ts.robots.chain(2)
    for array in (m.driven, m.rate_index):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0

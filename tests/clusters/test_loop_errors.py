"""Loops that cannot be closed, or not well: errors that name the loop."""

from __future__ import annotations

import numpy as np
import pytest
from four_bars import COUPLER, CRANK, GROUND, four_bar

import tarsus as ts

CALLS = {
    "forward_dynamics": ("v", "tau"),
    "inverse_dynamics": ("v", "a"),
    "mass_matrix": (),
    "forward_kinematics": (),
    "kinetic_energy": ("v",),
    "close": (),
}


def short() -> ts.Model:
    """A four-bar whose crank cannot turn fully: it reaches 1.03 rad or so."""
    return four_bar("revolute", rocker=0.2, start={"drive": 0.3, "knuckle": -0.5, "swing": -0.5})


@pytest.mark.parametrize("name", CALLS)
def test_positions_out_of_reach(name: str) -> None:
    model = short()
    q, one = model.neutral(), np.zeros(model.nv)
    q[model.joint("drive").q_slice] = np.pi
    with pytest.raises(ArithmeticError, match="'pin'"):
        getattr(model, name)(q, *[one] * len(CALLS[name]))


def test_one_of_a_batch_out_of_reach() -> None:
    model = short()
    q = np.repeat(model.neutral()[None], 11, axis=0)
    q[7, model.joint("drive").q_slice] = np.pi
    for threads in (1, 2):
        with pytest.raises(ArithmeticError, match=r"'pin'.*7"):
            model.mass_matrix(q, threads=threads)
    q[7] = q[6]
    assert np.isfinite(model.mass_matrix(q)).all()


def test_a_step_out_of_reach() -> None:
    model = short()
    with pytest.raises(ArithmeticError, match="'pin'"):
        model.integrate(model.neutral(), [2.5])


def test_a_machine_that_cannot_be_closed_at_all() -> None:
    with pytest.raises(ts.ModelError, match="loop 'pin' cannot be closed"):
        four_bar("revolute", rocker=0.01 + abs(GROUND + CRANK + COUPLER))


def test_a_singular_position() -> None:
    """Coupler and rocker in line: the crank's velocity does not tell theirs."""
    model = short()
    # the far end of the crank's tip circle that coupler + rocker reach: |tip − ground| = 1.1
    cosine = (CRANK**2 + GROUND**2 - (COUPLER + 0.2) ** 2) / (2.0 * CRANK * GROUND)
    crank = np.arccos(cosine)
    tip = CRANK * np.array([np.cos(crank), np.sin(crank)])
    along = np.arctan2(-tip[1], GROUND - tip[0])
    q = np.zeros(3)
    for name, value in (("drive", crank), ("knuckle", along - crank), ("swing", along + np.pi)):
        q[model.joint(name).q_slice] = value
    assert np.abs(model.loop_gaps(q)).max() < 1e-12
    with pytest.raises(ArithmeticError, match=r"'pin'.*singular"):
        model.forward_dynamics(q, np.ones(1), np.zeros(1))


def test_an_independent_joint_that_cannot_be() -> None:
    """A parallelogram's three joints turn together; two of them cannot both be free."""
    with pytest.raises(ts.ModelError, match="pin"):
        four_bar("revolute", independent=["drive", "swing"])


def test_unknown_names_are_listed() -> None:
    with pytest.raises(ts.ModelError, match=r"'pin'.*no joint 'dirve'.*drive"):
        four_bar("revolute", independent=["dirve"])
    with pytest.raises(ts.ModelError, match=r"'pin'.*unknown kind 'revolut'"):
        four_bar("revolut")

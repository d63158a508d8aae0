"""Starts that are no configurations, or near the end of all numbers: each state has its own end."""

from __future__ import annotations

import numpy as np
import pytest

import tarsus as ts
from tarsus._lib.files import Array
from tarsus.ik import PositionTask, Search, Solver


def open_start(model: ts.Model) -> Array:
    """Return a configuration in which a loop of the model cannot be closed."""
    for x in np.linspace(-20.0, 20.0, 401):
        q = np.full(model.nq, x)
        try:
            model.forward_kinematics(q)
        except ArithmeticError:
            return q
    raise AssertionError(f"{model.name} closes everywhere")


@pytest.mark.parametrize("name", ["spatial_four_bar", "slider_crank", "strandbeest_leg"])
@pytest.mark.parametrize("starts", [1, 3])
def test_a_start_that_cannot_be_closed_is_told(name: str, starts: int) -> None:
    """The others of its batch are found."""
    model = getattr(ts.robots, name)()
    frame = model.body_names[-1]
    goal = np.asarray(model.frame_pose(model.neutral(), frame))[:3, 3]
    q = np.stack([model.neutral(), open_start(model), model.neutral()])
    found = Solver(model, [PositionTask(frame, goal)], limits=False).solve(
        q, search=Search(starts=starts)
    )
    assert found.status.tolist() == ["solved", "open loop", "solved"]
    np.testing.assert_array_equal(found.q[1], q[1])
    assert np.isnan(found.error[1]) and np.isfinite(found.error[[0, 2]]).all()


def test_what_overflows_keeps_its_own_start() -> None:
    """An error that is infinite is better than none: nothing of other states is returned."""
    b = ts.Builder("gantry").body("x", 1.0).body("y", 1.0)
    b.joint("x", "prismatic", "world", "x", axis="x")
    gantry = b.joint("y", "prismatic", "x", "y", axis="y").build()
    far = np.array([-1.7e308, 0.0])
    starts = np.stack([np.zeros(2), far, np.ones(2)])
    targets = np.array([[0.3, 0.2, 0.0], [1.7e308, 0.0, 0.0], [0.1, 0.5, 0.0]])
    solver = Solver(gantry, [PositionTask("y", targets)], limits=False)
    found = solver.solve(starts, search=Search(starts=1))
    assert found.status[[0, 2]].tolist() == ["solved", "solved"] and found.status[1] != "solved"
    np.testing.assert_array_equal(found.q[1], far)

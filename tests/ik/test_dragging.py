"""Targets dragged on a page: the machine follows, and what it cannot do is told there."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import tarsus as ts
from tarsus.spatial import quaternion_from_rotation, rotation_from_rpy, scalar_first

sys.path.append(str(Path(__file__).parent.parent / "view"))
from waiting import wait_for

pytest.importorskip("websockets")


def arm() -> ts.Model:
    """Return six hinges and links of 0.3 m."""
    b = ts.Builder("arm")
    parent = "world"
    for k, axis in enumerate("zyyxyx"):
        b.body(f"link{k}", 1.0, (0.0, 0.0, 0.15), inertia=(0.01, 0.01, 0.01))
        at = (0.0, 0.0, 0.3 if k else 0.0)
        b.joint(
            *(f"joint{k}", "revolute", parent, f"link{k}"),
            axis=axis,
            position=at,
            lower=-2.5,
            upper=2.5,
        )
        parent = f"link{k}"
    b.frame("hand", parent, position=(0.0, 0.0, 0.2))
    return b.build()


Q = np.array([0.2, 0.6, 0.7, 0.3, 0.5, 0.1])


@pytest.fixture
def page() -> Iterator[ts.ik.Dragging]:
    model = arm()
    tasks = [ts.ik.FrameTask("hand", model.frame_pose(Q, "hand")), ts.ik.PostureTask(level=1)]
    with ts.ik.drag(ts.ik.Solver(model, tasks), Q, dt=0.01, port=18760) as shown:
        yield shown


def test_the_machine_follows(page: ts.ik.Dragging) -> None:
    """The frame comes to where its handle was put, and the bodies on the page with it."""
    model = page.solver.model
    goal = np.asarray(model.frame_pose(Q + 0.1, "hand"))
    page.lead("hand", goal[:3, 3], scalar_first(quaternion_from_rotation(goal[:3, :3])))

    def there() -> bool:
        return bool(np.abs(model.frame_pose(page.q, "hand") - goal).max() < 1e-6)

    assert wait_for(there)
    assert wait_for(lambda: page.status.startswith("solved"))
    assert wait_for(lambda: np.allclose(page.viewer.q, page.q, atol=1e-6))


def test_a_target_out_of_reach_is_told(page: ts.ik.Dragging) -> None:
    page.lead("hand", (5.0, 0.0, 0.0), scalar_first(quaternion_from_rotation(np.eye(3))))
    assert wait_for(lambda: "hand: 3" in page.status or "hand: 4" in page.status)
    assert np.isfinite(page.q).all()


def test_a_handle_calls_back(page: ts.ik.Dragging) -> None:
    """What the browser does to a handle becomes the target."""
    turned = rotation_from_rpy([0.1, 0.2, 0.3])
    wxyz = scalar_first(quaternion_from_rotation(turned)).tolist()
    page.viewer._hear({"handle": "hand", "position": [0.3, 0.2, 0.9], "wxyz": wxyz})
    target = page.solver["hand"].target  # type: ignore[attr-defined]
    assert target[:3, 3] == pytest.approx([0.3, 0.2, 0.9])
    assert target[:3, :3] == pytest.approx(turned, abs=1e-6)


def test_only_this_machine_can_connect(page: ts.ik.Dragging) -> None:
    assert page.url.startswith("http://127.0.0.1:") and len(page.url.split("/")[3]) > 20


def test_wrong_input_is_told() -> None:
    model = arm()
    with pytest.raises(ValueError, match="no task to drag"):
        ts.ik.drag(ts.ik.Solver(model, [ts.ik.PostureTask()]))
    solver = ts.ik.Solver(model, [ts.ik.PositionTask("hand")])
    with pytest.raises(ValueError, match=r"q .*\(6,\)"):
        ts.ik.drag(solver, [0.0, 1.0])
    with pytest.raises(ValueError, match="dt"):
        ts.ik.drag(solver, dt=-1.0)

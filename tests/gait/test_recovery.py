"""Machines that stand, having made their steps, are pushed: they step, or stay where they are."""

from __future__ import annotations

import numpy as np
import pytest
from walking_machines import machine

import tarsus as ts


def pushed(robot: str, share: tuple[float, float], *, adapt: bool = True) -> ts.walking.Walked:
    """A machine makes two steps on the spot; then a push of so many weights comes, for 0.1 s."""
    body = ts.gait.Anatomy.from_model(machine(robot))
    own = ts.walking.Biped.ready(body)
    start = own.supports.start + 2 * own.step_time + 0.6
    force = np.array([*share, 0.0]) * body.model.total_mass * 9.81
    push = ts.Push(body.trunk, tuple(force), start=start, duration=0.1)
    style = ts.walking.Style(adapt=adapt)
    return ts.walking.walk(body, speed=0.0, steps=2, push=push, style=style, duration=start + 3.0)


def lifted(walked: ts.walking.Walked) -> int:
    """How often a foot was lifted."""
    single = np.array(walked.control.cycles.single)[:, 0]
    return int((single[1:] & ~single[:-1]).sum())


def test_weak_pushes_are_for_ankles() -> None:
    walked = pushed("lola", (0.1, 0.0))
    assert not walked.fell
    assert lifted(walked) == 2


@pytest.mark.slow
@pytest.mark.parametrize("share", [(0.35, 0.0), (-0.35, 0.0)])
@pytest.mark.parametrize("robot", ["g1", "talos_reduced"])
def test_strong_pushes_are_for_steps(robot: str, share: tuple[float, float]) -> None:
    walked = pushed(robot, share)
    print(f"{robot} {share}: {lifted(walked)} steps\n{walked.report}")
    assert not walked.fell
    assert lifted(walked) > 3
    assert walked.report.steps == 2  # those that were planned
    # steps go where the push does, and end side by side
    moved = walked.control.stepping.position[0, -2:, 0]
    assert (moved * np.sign(share[0])).min() > 0.05
    assert np.abs(np.diff(moved)) < 0.1
    if robot == "g1":
        assert pushed(robot, share, adapt=False).fell

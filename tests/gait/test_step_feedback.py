"""Feedback from step to step makes gaits stable that are not."""

from __future__ import annotations

import numpy as np
import pytest

import tarsus as ts
from tarsus.gait import LimitCycle, StepFeedback
from tarsus.gait.walkers.planar import UNSTABLE, start


@pytest.fixture(scope="module")
def cycle() -> LimitCycle:
    found = ts.gait.limit_cycle(ts.gait.walkers.compass(), start(UNSTABLE))
    assert found.multipliers[0] == pytest.approx(4.4606, abs=1e-4)
    return found


@pytest.mark.parametrize("inputs", ["hip", "stiffness", ("hip", "slope"), ("slope", "lean")])
def test_slopes_are_differences(cycle: LimitCycle, inputs: str | tuple[str, ...]) -> None:
    """States and inputs a little off, through whole steps with other numbers and efforts."""
    feedback = StepFeedback(cycle, inputs)
    walker, (q, v), h = cycle.walker, cycle.state, 1e-6
    for k, name in enumerate(feedback.inputs):
        ends = []
        for way in (1, -1):
            if name in walker.numbers:
                other = walker.but(**{name: walker.numbers[name] + (way + 1) * h})
                ends.append(other.steps(q, v, rtol=1e-12, atol=1e-13))
            else:
                tau = np.zeros(2)
                tau[["lean", "hip"].index(name)] = (way + 1) * h
                ends.append(walker.steps(q, v, tau=tau, rtol=1e-12, atol=1e-13))
        there, here = (np.concatenate([end.q, end.v]) for end in ends)
        found = (there - here) / (2 * h)
        scale = np.abs(found).max()
        np.testing.assert_allclose(feedback.by_inputs[:, k], found, atol=2e-4 * scale)


@pytest.mark.parametrize("inputs", ["hip", "lean", "stiffness", ("hip", "slope")])
def test_an_unstable_gait_is_kept(cycle: LimitCycle, inputs: str | tuple[str, ...]) -> None:
    feedback = StepFeedback(cycle, inputs, input_cost=0.1)
    largest = np.abs(feedback.multipliers[0])
    assert largest < 0.7
    q, v = cycle.state
    assert len(cycle.walker.steps(q, 1.01 * v, 20).events) < 20  # alone it falls
    walk = feedback.walk(q, 1.01 * v, 20)
    assert not walk.fell and len(walk.times) == 20
    offsets = np.linalg.norm(walk.q - q, axis=1)
    assert offsets[-1] < 1e-6
    # the last offsets fade at the largest multiplier
    late = offsets[(offsets > 1e-7) & (offsets < 1e-4)]
    if len(late) > 3:
        assert late[-1] / late[-2] == pytest.approx(largest, abs=0.05)


def test_feedback_does_not_depend_on_when_a_state_is_measured(cycle: LimitCycle) -> None:
    feedback = StepFeedback(cycle, "hip")
    q, v = cycle.state
    later = ts.flow(cycle.walker.phases[0].model, q, v, duration=1e-4)
    np.testing.assert_allclose(feedback(later.q, later.v), 0.0, atol=1e-6)
    batch = feedback(np.stack([q, q]), np.stack([v, 1.01 * v]))
    assert batch.shape == (2, 1) and abs(batch[1, 0]) > 1e-3


def test_costs_and_limits_hold(cycle: LimitCycle) -> None:
    q, v = cycle.state
    dear = StepFeedback(cycle, "hip", input_cost=1e6)
    # with costs of inputs alone an unstable multiplier is mirrored at the unit circle
    assert np.abs(dear.multipliers).max() == pytest.approx(
        max(1 / 4.4606, np.sort(np.abs(cycle.multipliers))[-2]), abs=1e-3
    )
    bounded = StepFeedback(cycle, "stiffness", limits=0.05)
    assert bounded(q, 1.1 * v) == pytest.approx([0.05])


def test_what_cannot_be_done_is_told(cycle: LimitCycle) -> None:
    for arguments, message in (
        ({"inputs": "knee"}, "knee"),
        ({"inputs": ()}, "inputs is empty"),
        ({"inputs": "hip", "input_cost": np.zeros((2, 2))}, "input_cost"),
    ):
        with pytest.raises(ValueError, match=message):
            StepFeedback(cycle, **arguments)  # type: ignore[arg-type]

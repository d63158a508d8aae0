"""Functions of gaits refuse what is no walker or no gait, and say how to make one."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tarsus as ts

CALLS: dict[str, Callable[[Any], object]] = {
    "limit_cycle": ts.gait.limit_cycle,
    "limit_cycles": ts.gait.limit_cycles,
    "continuation": lambda walker: ts.gait.continuation(walker, "slope", to=0.1),
    "doublings": lambda walker: ts.gait.doublings(walker, "slope", to=0.1),
    "attractor": lambda walker: ts.gait.attractor(walker, "slope", [0.1]),
    "optimize": ts.gait.optimize,
    "front": lambda walker: ts.gait.front(walker, [0.8]),
    "impact_analysis": lambda walker: ts.gait.impact_analysis(walker, [0.1, -0.2]),
}
OF_GAITS: dict[str, Callable[[Any], object]] = {
    "basin": lambda gait: ts.gait.basin(gait, {"lean": [0.3]}),
    "survival": lambda gait: ts.gait.survival(gait, "push", [0.1]),
    "StepFeedback": lambda gait: ts.gait.StepFeedback(gait, "hip"),
}
FEET = ["left_foot", "right_foot"]
FROM_MODEL = f'ts.gait.Walker.from_model(model, feet={FEET}, stance="line")'


def refusal(call: Callable[[Any], object], argument: object) -> str:
    with pytest.raises(TypeError) as caught:
        call(argument)
    return str(caught.value)


def advised(message: str, **names: Any) -> Any:
    """Return the result of the call that a message advises."""
    return eval(message.partition(": use ")[2], {"ts": ts, **names})


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_model_is_refused_with_the_call_that_makes_a_walker(call: Callable[[Any], Any]) -> None:
    model = ts.robots.compass()
    message = refusal(call, model)
    assert message == (
        f"walker is the model 'compass', must be a tarsus.gait.Walker: use {FROM_MODEL}"
    )
    assert advised(message, model=model).phases[0].name == "swing"


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_other_objects_are_refused(call: Callable[[Any], object]) -> None:
    assert "walker is of type int, must be a tarsus.gait.Walker" in refusal(call, 3)
    message = refusal(call, "dribbel")
    assert message.startswith("walker is 'dribbel', must be")
    assert advised(message).name == "dribbel"
    assert 'from_model(ts.load("talos.urdf", base="free")' in refusal(call, "talos.urdf")
    phase = ts.gait.walkers.compass().phases[0]
    assert "ts.gait.Walker.from_phases(phases, " in refusal(call, phase)
    assert "ts.gait.Walker.from_phases(phases, " in refusal(call, [phase])


@pytest.mark.parametrize("call", OF_GAITS.values(), ids=OF_GAITS)
def test_what_is_no_gait_is_refused(call: Callable[[Any], object]) -> None:
    message = refusal(call, ts.robots.compass())
    assert f"must be a tarsus.gait.LimitCycle: use ts.gait.limit_cycle({FROM_MODEL})" in message
    message = refusal(call, ts.gait.walkers.compass())
    assert "is the walker 'compass'" in message
    assert message.endswith("use ts.gait.limit_cycle(walker)")


def test_a_gait_is_no_walker() -> None:
    gait = ts.gait.limit_cycle(ts.gait.walkers.compass(), ts.gait.walkers.compass().start)
    assert refusal(ts.gait.limit_cycle, gait).endswith("use its attribute walker")


def test_constructors_refuse_what_is_for_the_others() -> None:
    model, walker = ts.robots.compass(), ts.gait.walkers.compass()
    made: Any = ts.gait.Walker
    assert "make one from a model with ts.gait.Walker.from_model" in refusal(made, model)
    message = refusal(lambda m: made(model=m, feet=FEET), model)
    assert "make one from a model with ts.gait.Walker.from_model" in message
    assert "use ts.gait.Walker.from_phases(" in refusal(made.from_model, walker.phases)

    def from_phases(phases: Any) -> object:
        return made.from_phases(phases, ahead=walker.ahead)

    assert refusal(from_phases, model).startswith("phases is the model 'compass', must be")
    assert refusal(from_phases, model).endswith(FROM_MODEL)
    assert "phases is of type int, must be" in refusal(from_phases, [3])
    with pytest.raises(ValueError, match="phases is empty"):
        from_phases([])
    message = refusal(lambda m: made.from_model(m, FEET, stance="line", clock=True), model)
    assert re.search("no argument 'clock'.*did you mean 'clocked'", message)
    with pytest.raises(TypeError, match="'ahead'"):
        made.from_phases(walker.phases)
    for slope in (np.pi / 2, -2.0):
        with pytest.raises(ValueError, match=r"slope is .* must be between"):
            made.from_model(model, FEET, stance="line", slope=slope)
        with pytest.raises(ValueError, match=r"slope is .* must be between"):
            made.from_phases(walker.phases, ahead=walker.ahead, slope=slope)

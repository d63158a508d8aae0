"""What is asked of walks and cannot be is refused by name, before anything is planned."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from walking_machines import machine

import tarsus as ts
from tarsus.gait import Anatomy
from tarsus.walking.settings import Style

LINE = [(0.0, 0.0), (1.0, 0.0)]
WRONG: dict[str, dict[str, Any]] = {
    "speed is nan, must be finite": {"speed": np.nan},
    "sideways is nan, must be finite": {"sideways": np.nan},
    "turn is inf, must be finite": {"turn": np.inf},
    "turn is 9.0 rad/s: steps of .* rad in .* are longer": {"turn": 9.0},
    r"speed is \[0.1, 0.2\], must be one number, or state walkers": {"speed": [0.1, 0.2]},
    r"speed is \[0.1, 0.2\], must be one or 3 numbers": {"speed": [0.1, 0.2], "walkers": 3},
    "path is .*nan.*, must be finite": {"path": [(0.0, 0.0), (np.nan, 1.0)]},
    "speed is 0.0, must be one above zero along a path": {"path": LINE, "speed": 0.0},
    "speed is -0.1, must be one above zero along a path": {"path": LINE, "speed": -0.1},
    "speed is 9.0 m/s: steps of .* are longer": {"path": LINE, "speed": 9.0},
    "turn is 0.1, must be zero along a path": {"path": LINE, "turn": 0.1},
    "sideways is 0.01, must be zero along a path": {"path": LINE, "sideways": 0.01},
    "ground rises or sinks by 1.00 m": {"ground": ts.Steps(rise=-1.0, depth=0.4, start=0.4)},
    "ground rises or sinks by 0.50 m": {"ground": ts.Steps(rise=0.5, depth=0.4, start=0.4)},
}


@pytest.mark.parametrize("message", WRONG)
def test_arguments_of_walks(message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ts.Simulation, "run", lambda *_, **__: pytest.fail("it was simulated"))
    with pytest.raises(ValueError, match=message):
        ts.walking.walk(machine("lola"), **WRONG[message])


def test_styles() -> None:
    for name in ("single", "double", "width", "lift", "gain", "period"):
        for value in (-1.0, 0.0):
            with pytest.raises(ValueError, match=f"{name} is {value}, must be above zero"):
                Style(**{name: value})  # type: ignore[arg-type]
        with pytest.raises(ValueError, match=name):
            Style(**{name: np.nan})  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"crouch is 1.5, must be from 0"):
        Style(crouch=1.5)
    with pytest.raises(TypeError, match="adapt is 'no', must be True or False"):
        Style(adapt="no")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="style is of type dict"):
        ts.walking.walk(machine("lola"), style={})  # type: ignore[arg-type]


def test_feet_that_are_none() -> None:
    m = machine("talos_reduced")
    with pytest.raises(ts.ModelError, match="'base_link' is on the trunk"):
        Anatomy.from_model(m, feet=["base_link", "left_sole_link"])
    with pytest.raises(ts.ModelError, match="'leg_left_6_link' is behind 'leg_left_5_link'"):
        Anatomy.from_model(m, feet=["leg_left_5_link", "left_sole_link"])

"""Arms in walks with feedback, on the ground: still, swinging, against angular momentum."""

from __future__ import annotations

import numpy as np
import pytest
from tarsus_lab.scenes import humanoid

import tarsus as ts
from tarsus._lib.files import Array
from tarsus.gait import Anatomy
from tarsus.walking.biped import Biped
from tarsus.walking.ground_wrenches import vertical_torques
from tarsus.walking.settings import Style

WINDOW = np.ones(20) / 20
"""Rates and torques are means over 20 ms."""


def peaks(body: Anatomy, style: Style, speed: float) -> Array:
    """Peaks of the vertical angular momentum, of its rate, and of the torques of feet."""
    walked = ts.walking.walk(body, speed=speed, steps=3, style=style, duration=3.0)
    run = walked.run
    assert not walked.fell
    momentum = np.asarray(body.model.centroidal_momentum(run.q, run.v))[:, 5]
    rate = np.convolve(np.diff(momentum) / run.t[1], WINDOW, "same")
    torque = np.convolve(vertical_torques(run, body).sum(axis=1), WINDOW, "same")
    return np.array([np.abs(each).max() for each in (momentum, rate, torque)])


def lower(name: str, speed: float) -> dict[str, Array]:
    """What is left of the peaks beside arms that are still."""
    body = humanoid(name)
    found = {
        arms: peaks(body, Style(arms=arms), speed)  # type: ignore[arg-type]
        for arms in ("still", "swing", "momentum")
    }
    left = {arms: own / found["still"] for arms, own in found.items()}
    print(name, {arms: own.round(2) for arms, own in left.items()})
    return left


def test_arms_lower_momentum_and_torques() -> None:
    """Beside arms that swing with the legs all peaks are at least 15 % lower."""
    left = lower("lola", 0.4)
    assert (left["momentum"] < 0.85 * left["swing"]).all()


@pytest.mark.slow
@pytest.mark.parametrize(("name", "speed"), [("talos", 0.4), ("g1", 0.3)])
def test_arms_of_other_machines(name: str, speed: float) -> None:
    left = lower(name, speed)
    assert (left["momentum"] < 0.85).all()
    assert (left["momentum"][1:] < 0.85 * left["swing"][1:]).all()


def test_arms_that_are_not_there_are_named() -> None:
    body = Anatomy.from_model(ts.robots.lola(), arms=[])
    ready = Biped.ready(body, Style(arms="swing"))
    with pytest.raises(ts.ModelError, match="no arms for 'swing'"):
        ready.controller(ready.footsteps(0.2, steps=2), ts.Ground())

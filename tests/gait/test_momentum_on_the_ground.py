"""Whole-body control that asks for little angular momentum, in walks on the ground."""

from __future__ import annotations

import numpy as np

import tarsus as ts
from tarsus.gait import Style
from tarsus.gait.sole_forces import vertical_torques
from tarsus.scenes.humanoids import humanoid


def test_a_task_of_momentum_lowers_it_and_the_torques_of_feet() -> None:
    """Peaks of L_z, of its rate and of vertical torques on a walk with feedback, by arms alone."""
    body = humanoid("lola")
    peaks = {}
    for arms in ("still", "momentum"):
        style = Style(arms=arms)  # type: ignore[arg-type]
        run = ts.gait.walk(body, speed=0.4, steps=4, style=style, duration=4.0).run
        momentum = np.asarray(body.model.centroidal_momentum(run.q, run.v))[:, 5]
        window = np.ones(20) / 20
        rate = np.convolve(np.diff(momentum) / run.t[1], window, "same")
        torque = np.abs(np.convolve(vertical_torques(run, body).sum(axis=1), window, "same"))
        assert run.t[-1] == 4.0, "it has not fallen"
        peaks[arms] = np.abs(momentum).max(), np.abs(rate).max(), torque.max()
        print(arms, peaks[arms])
    lower = np.array(peaks["momentum"]) / peaks["still"]
    print("left of peaks:", lower.round(2))
    assert (lower < 0.85).all()

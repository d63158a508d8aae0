"""A snakeboard that drives itself forward: its rider swings and steers, no wheel is driven.

V. Duindam, "Port-Based Modeling and Control for Efficient Bipedal Walking Robots", University of
Twente 2006, example 2.21; A. Lewis, J. Ostrowski, R. Murray, J. Burdick, "Nonholonomic mechanics
and locomotion: the snakeboard example", ICRA 1994: torso and wheels swing in phase. All that the
board gains comes in at the torso, and only while the wheels are turned.
"""

from __future__ import annotations

import numpy as np

from tarsus.arrays import Array
from tarsus.control import PD
from tarsus.model.checks import number
from tarsus.robots import snakeboard as machine
from tarsus.scenes.scene import Scene, at_rest
from tarsus.simulation.contact.numbers import positive


def snakeboard(swing: float = 1.0, steering: float = 0.4, frequency: float = 0.5) -> Scene:
    """Return a board whose rider swings by `swing` [rad] and steers by `steering` [rad].

    Both at a `frequency` [1/s], in phase.
    """
    positive(frequency, "frequency")
    rate = 2.0 * np.pi * frequency
    model = machine()
    wanted = {"torso": number(swing, "swing"), "rear": number(steering, "steering")}

    def reference(t: float) -> tuple[Array, Array]:
        q, v = model.neutral(), np.zeros(model.nv)
        for name, size in wanted.items():
            joint = model.joint(name)
            q[joint.q_slice] = size * np.sin(rate * t)
            v[joint.v_slice] = size * rate * np.cos(rate * t)
        return q, v

    control = PD(model, {"torso": 20.0, "rear": 10.0}, {"torso": 2.0, "rear": 0.5}, reference)
    return Scene(
        *("snakeboard", model, model.neutral(), at_rest(model)),
        controller=control,
        duration=10.0,
        dt=2e-3,
    )

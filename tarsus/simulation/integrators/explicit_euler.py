"""Explicit Euler: positions with the old velocities. To see why one should not.

    v⁺ = v + dt H̃⁻¹ (τ − bias + …) + H̃⁻¹ Jᵀ p,      q⁺ = q exp(dt v)

A spring gains energy in every step unless a damper takes it: kd + damping > kp dt for each joint
(Ayit 2015, chapter 5, drives its quadruped with kd = 1, which this method cannot bear).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tarsus.control.joint_control import JointController
from tarsus.model import Model


@dataclass(frozen=True)
class ExplicitEuler:
    """Positions move with the old velocities."""

    name: ClassVar[str] = "explicit"
    explicit: ClassVar[bool] = True

    def check(self, model: Model, controller: object, dt: float) -> tuple[str, ...]:
        """Return a warning that names the joints whose gains gain energy."""
        if not isinstance(controller, JointController) or controller.adds != "effort":
            return ()
        kp = np.broadcast_to(controller.kp, (*controller.kp.shape[:-1], model.nv))
        weak = []
        for joint in model.joints:
            if len(joint.own_velocities) == joint.nv:
                enough = controller.kd[..., joint.v_slice] + joint.damping
                if (enough <= kp[..., joint.v_slice] * dt)[kp[..., joint.v_slice] > 0.0].any():
                    weak.append(joint.name)
        if not weak:
            return ()
        names = ", ".join(weak[:8]) + (f", … ({len(weak)} in all)" if len(weak) > 8 else "")
        return (
            "explicit Euler is likely to explode: it needs kd + damping > kp dt, which does not "
            f"hold for {names}; raise kd, or use semi_implicit",
        )

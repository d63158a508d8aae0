"""A walker in the plane whose legs give."""

from __future__ import annotations

import tarsus as ts


def sprung(stiffness: float = 2000.0, damping: float = 0.0, gravity: float = 9.81) -> ts.Model:
    """Return a compass walker whose legs are springs."""
    b = ts.Builder("sprung", gravity=(0, 0, -gravity))
    b.body("left_thigh", 0.5, (0, 0, -0.25), inertia=(0.01, 0.01, 0.001))
    b.joint("base", "planar", "world", "left_thigh", axis=(0, -1, 0)).body("hip", 5.0)
    b.joint("hip_mass", "fixed", "left_thigh", "hip")
    b.body("right_thigh", 0.5, (0, 0, -0.25), inertia=(0.01, 0.01, 0.001))
    b.joint("hip", "revolute", "left_thigh", "right_thigh", axis=(0, -1, 0))
    for side in ("left", "right"):
        b.body(f"{side}_shank", 0.5, (0, 0, -0.25), inertia=(0.01, 0.01, 0.001))
        b.joint(
            *(f"{side}_leg", "prismatic", f"{side}_thigh", f"{side}_shank"),
            position=(0, 0, -0.5),
            axis="z",
            stiffness=stiffness,
            damping=damping,
        )
        b.frame(f"{side}_foot", f"{side}_shank", position=(0, 0, -0.5))
    return b.build()

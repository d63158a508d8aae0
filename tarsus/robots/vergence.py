"""The drive that turns a pair of cameras towards each other: one lever, two couplers.

M. Schwienbacher, "Efficient Algorithms for Biped Robots, Simulation, Collision Avoidance and
Angular Momentum Tracking", TU München 2013, section 3.4. Lengths and masses are plausible, not
those of the robot Lola.
"""

from __future__ import annotations

import numpy as np

from tarsus.model import WORLD, Builder, Model
from tarsus.robots import solids

PIVOT, RECEPTACLE = (0.05, 0.0, 0.06), (-0.02, 0.0, -0.03)
"""Where the left camera turns, and from there its end of the coupler [m]; the right is mirrored."""
LEVER, LEVER_ANGLE = 0.02, 1.2
"""Length of the lever [m], and its angle where the cameras look straight ahead [rad]."""
RATIO = 50.0


def vergence() -> Model:
    """Return two cameras on one motor: "left" about y, which a lever moves by couplers.

    The lever turns about x by cos φ = s/(2 l z), s = x² + l² − c² + z², with (x, 0, z) the end of
    the left coupler, l and c the lengths of lever and coupler. "right" turns the other way, so
    that both angles are the vergence; "motor" turns `RATIO` times as far as the lever.
    """
    builder = Builder("vergence")
    builder.body("lever", 0.02, (0.0, 0.0, LEVER / 2), solids.box(0.02, (0.04, 0.004, LEVER)))
    builder.joint("lever", "revolute", WORLD, "lever", axis="x")
    tip = (0.0, 0.0, LEVER)
    end = np.add(PIVOT, RECEPTACLE)
    turned = LEVER * np.array([0.0, -np.sin(LEVER_ANGLE), np.cos(LEVER_ANGLE)])
    coupler = float(np.linalg.norm(end - turned))
    for side, sign in (("left", 1), ("right", -1)):
        camera = f"{side}_camera"
        builder.body(camera, 0.1, (0.0, 0.0, 0.02), solids.box(0.1, (0.03, 0.03, 0.06)))
        place = (sign * PIVOT[0], PIVOT[1], PIVOT[2])
        builder.joint(
            *(side, "revolute", WORLD, camera),
            position=place,
            axis=(0, sign, 0),
            lower=-0.25,
            upper=0.1,
        )
    for side, sign in (("left", 1), ("right", -1)):
        receptacle = (sign * RECEPTACLE[0], RECEPTACLE[1], RECEPTACLE[2])
        builder.close_loop(
            "distance",
            *("lever", tip, f"{side}_camera", receptacle),
            length=coupler,
            name=f"{side}_coupler",
            independent=["left"],
            start={"lever": LEVER_ANGLE},
        )
    builder.body("rotor", 0.01, inertia=solids.rotor("x", 1e-7, 1e-7))
    builder.joint("motor", "revolute", WORLD, "rotor", position=(0.0, 0.03, 0.0), axis="x")
    ratios, offset = [[1.0], [RATIO]], [0.0, -RATIO * LEVER_ANGLE]
    builder.couple(["lever", "motor"], ratios, offset=offset, name="gear", motor=True)
    return builder.build()

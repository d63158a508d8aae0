"""Draw fitting.png: `python docs/images/draw_fitting.py`, about a minute.

Volumes that were fitted around the meshes of a humanoid, and what is near what with its hands down.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image

import tarsus as ts
from tarsus.robots.load import example
from tarsus.view.frame_sequence import Stage
from tarsus.view.renderer import Renderer

HANDS = ("arm_left_5_link", "arm_right_5_link")
LEGS = ("leg_left_3_link", "leg_right_3_link", "leg_left_4_link", "leg_right_4_link")


def main() -> None:
    """Draw both pictures side by side."""
    m = example("talos_reduced")
    volumes = ts.geometry.fit(m, parts=3)
    print(volumes.report)
    pairs = [(a, b) for a in HANDS for b in (*LEGS, "base_link")] + [LEGS[:2], LEGS[2:]]
    distances = ts.geometry.Distances(m, volumes, pairs, activation=0.5)
    q = m.neutral()
    for side, sign in (("left", 1.0), ("right", -1.0)):
        for joint, angle in ((2, 0.25), (4, -0.5)):
            name = f"arm_{side}_{joint}_joint"
            q[m.joint(name).q_slice] = sign * angle if joint == 2 else angle
        for joint, angle in ((2, 0.2 * sign), (3, -0.5), (4, 1.0), (5, -0.5)):
            q[m.joint(f"leg_{side}_{joint}_joint").q_slice] = angle
    q = np.clip(q, m.lower, m.upper)
    view = {"width": 560, "height": 760, "azimuth": -35.0, "elevation": 8.0, "zoom": 1.35}
    pictures = [
        Renderer(Stage(m, shapes="collision", q=q, volumes=each), **view).picture(0)  # type: ignore[arg-type]
        for each in (volumes, distances)
    ]
    both = np.concatenate(pictures, axis=1).astype(np.uint8)
    Image.fromarray(both).save(Path(__file__).with_name("fitting.png"))


if __name__ == "__main__":
    main()

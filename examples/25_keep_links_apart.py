"""Keep links apart: Lola's volumes, the pairs worth watching, and joints that move out of the way.

The joints follow the derivatives of the distances that are too small, which is what a controller
needs to keep a robot from hitting itself; limits of joints are left aside.
"""

import numpy as np

import tarsus as ts
from tarsus.geometry import Distances, SweptSphere, Volumes, choose_pairs

CLEARANCE, STEP = 0.02, 0.2
m = ts.robots.lola()

# a line from each joint to the next one, thick enough to hold the link
limbs: dict[str, list[SweptSphere]] = {}
for joint in m.description.joints:
    end = joint.placement[:3, 3]
    if joint.parent != "world" and np.linalg.norm(end) > 0.05:
        limbs.setdefault(joint.parent, []).append(SweptSphere([np.zeros(3), end], 0.05))
volumes = Volumes(limbs)

# what never or always meets in random configurations is not watched
choice = choose_pairs(m, volumes, samples=2000)
print(choice)
distances = Distances(m, volumes, choice.pairs, activation=CLEARANCE)

# a posture in which it hits itself
postures = m.random_configuration(1, (200,))
postures[:, :7] = m.neutral()[:7]
least = distances.distance(postures).min(axis=1)
q = postures[np.argmin(least)]
print(
    f"{np.mean(least < 0):.0%} of random postures hit themselves, the worst by {-least.min():.3f} m"
)

for step in range(200):
    near = distances.near(q)
    if not len(near.pair):
        break
    # the smallest step of the joints that brings all close pairs to their clearance
    rows, lack = near.gradient.copy(), 1.001 * CLEARANCE - near.distance
    rows[:, :6] = 0.0
    q = m.integrate(q, STEP * np.linalg.lstsq(rows, lack, rcond=1e-3)[0])
    if step % 10 == 0:
        worst = np.argmin(near.distance)
        print(f"{distances.names[near.pair[worst]]:40} {1e3 * near.distance[worst]:7.1f} mm")
print(f"after {step} steps all {len(choice.pairs)} pairs are {1e3 * CLEARANCE:.0f} mm apart")
assert np.isinf(distances.distance(q)).all()

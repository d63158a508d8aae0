"""Build a mechanism in Python: a hopper in the plane, with a springy leg.

A hopper is three joints: its body moves in a vertical plane, a hip turns the leg, and the leg
telescopes against a spring. The builder checks each statement when it is made.
"""

import tempfile
from pathlib import Path

import numpy as np

import tarsus as ts

b = ts.Builder("hopper")
b.body("torso", mass=10.0, inertia=(0.5, 0.6, 0.5))
b.body("thigh", mass=1.0, com=(0, 0, -0.2), inertia=(0.02, 0.02, 0.002))
b.body("shin", mass=0.5, com=(0, 0, -0.1), inertia=(0.01, 0.01, 0.001))

# the plane is normal to y, so its two directions are z and x: q = [z, x, pitch]
b.joint("base", "planar", "world", "torso", axis="y")
b.joint("hip", "revolute", "torso", "thigh", axis="y", lower=-1.0, upper=1.0, armature=0.05)
b.joint(
    "leg",
    "prismatic",
    "thigh",
    "shin",
    position=(0, 0, -0.4),
    lower=-0.2,
    upper=0.0,
    stiffness=8000.0,  # N/m
    rest=0.0,  # relaxed when fully extended
    damping=20.0,  # N s/m
)
b.frame("foot", "shin", position=(0, 0, -0.3))
hopper = b.build()

print(hopper)
for name in hopper.joint_names:
    joint = hopper.joint(name)
    print(f"  {name:5} {joint.kind:10} q[{joint.q_slice.start}:{joint.q_slice.stop}]")

# coordinates are found by name, not by counting
q = hopper.neutral()
q[hopper.joint("base").q_slice] = 0.9, 0.0, 0.1  # z, x, pitch
q[hopper.joint("leg").q_slice] = -0.05
v = np.zeros(hopper.nv)

print("foot at", hopper.frame_pose(q, "foot")[:3, 3].round(4), "m")
forces = hopper.passive_forces(q, v)
print(f"the spring pushes with {forces[hopper.joint('leg').v_slice][0]:.1f} N")
print(f"and stores {hopper.elastic_energy(q):.2f} J")

# a file keeps everything that was stated, to the last bit
with tempfile.TemporaryDirectory() as folder:
    file = Path(folder) / "hopper.json"
    ts.save(hopper, file)
    print("read back the same:", ts.load(file) == hopper)

# mistakes are reported where they are made, with the names that would be right
try:
    b.frame("toe", "shinn")
except ts.ModelError as error:
    print("error:", error)

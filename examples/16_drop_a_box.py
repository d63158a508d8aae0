"""Drop a box on a slope: it tumbles, slides, and then stays where it is, to the last digit.

There is nothing to tune: the ground has a friction coefficient, the box a mass, and contacts are
solved so that bodies do not enter each other and what sticks, sticks. With --plot states, forces
and energies are drawn to drop.png.
"""

import sys

import numpy as np

import tarsus as ts

size, mass = np.array([0.4, 0.3, 0.2]), 10.0
b = ts.Builder("box")
b.body("box", mass, inertia=mass / 12 * (size @ size - size**2))
b.joint("root", "free", "world", "box")
for role in ("visual", "collision"):
    b.shape("box", "box", size, role=role)
m = b.build()

q0, v0 = m.neutral(), np.zeros(m.nv)
q0[2], v0[3:] = 0.8, [1.0, 2.0, 0.5]  # above the ground, spinning

sim = ts.Simulation(m, ground=ts.Ground(friction=0.7, slope=np.radians(10.0)), dt=1e-3)
run = sim.run(q0, v0, duration=4.0)
print(run)

# what the box did, sample by sample: open, stick, slip or impact
doing = run.contacts.state_of("box")
for state in ("open", "impact", "slip", "stick"):
    print(f"{state:7} {1e-3 * (doing == state).sum():6.3f} s")

resting = run.q[-1000:, :3]
print(f"it moves by {np.ptp(resting, axis=0).max():.1e} m in the last second")
print(f"and was never more than {1e3 * run.statistics.penetration.max():.3f} mm in the ground")
print("force of the ground [N]:", run.contacts.ground_force()[-1].round(3))
for contact in run.contacts.at(-1):
    print(f"  {contact.state} at {contact.point.round(3)}: {contact.normal_force:6.2f} N")

print(run.energy.table())
run.energy.check(1e-3)

if "--plot" in sys.argv:
    run.plot("drop.png")

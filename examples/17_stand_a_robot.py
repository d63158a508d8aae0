"""Put a robot on the ground, hold it with stiff joints, and push it.

Its collision shapes come from the file; `ts.stand` lowers it until its feet touch. `ImplicitPD` is
part of the step and stays stable whatever its gains; any Python function (t, q, v) → tau is a
controller, too. With --plot the run is drawn to stand.png; `ts.view(run)` shows it in a browser.
"""

import sys
from pathlib import Path

import numpy as np

import tarsus as ts

m = ts.load(Path(__file__).parent / "quadruped.urdf", base="free")
ground = ts.Ground(friction=0.7)
q0 = m.neutral()
for joint in m.joints:
    if joint.name.endswith("hip"):
        q0[joint.q_slice] = 0.7
    if joint.name.endswith("knee"):
        q0[joint.q_slice] = -1.4
q0 = ts.stand(m, q0, ground)
print(f"{m} stands with its trunk at {q0[2]:.3f} m")

hold = ts.control.ImplicitPD(m, kp=150.0, kd=6.0, reference=q0)
sim = ts.Simulation(m, ground=ground, dt=2e-3)
run = sim.run(q0, duration=2.0, controller=hold)
force = run.contacts.ground_force()[-1]
print(f"the ground carries {force[2]:.2f} N, the robot weighs {9.81 * m.total_mass:.2f} N:")
for foot in run.contacts.touching():
    print(f"  {foot:18} {run.contacts.force_on(foot)[-1].round(2)} N")

# a push: the trunk starts with 0.6 m/s to the side
v0 = np.zeros(m.nv)
v0[1] = 0.6
pushed = sim.run(q0, v0, duration=2.0, controller=hold)
for foot in pushed.contacts.touching():
    state = pushed.contacts.state_of(foot)
    print(f"{foot:18} sticks {100 * (state == 'stick').mean():5.1f} % of the time")
print(f"pushed, the trunk goes {1e3 * np.abs(pushed.q[:, 1]).max():.1f} mm to the side")


# the same controller by hand, with a lazier rate: a Python function with a period
def spring(t, q, v):
    return 60.0 * m.difference(q, q0) * driven - 3.0 * v * driven


driven = np.arange(m.nv) >= 6
spring.period = 4e-3
soft = sim.run(q0, duration=2.0, controller=spring)
print(f"held by soft springs from Python, it sinks {1e3 * (q0[2] - soft.q[-1, 2]):.1f} mm")

if "--plot" in sys.argv:
    pushed.plot("stand.png")

"""Follow every joule of a robot that is dropped: the ledger of energy.

Stored energy changes only by what motors supply and by what dampers, friction and impacts take.
What is left over, the residual, is the error of the integration; it shrinks with the step. With
--plot the ledger is drawn to ledger.png.
"""

import sys
from pathlib import Path

import numpy as np

import tarsus as ts

m = ts.load(Path(__file__).parent / "quadruped.urdf", base="free")
q0 = m.neutral()
for joint in m.joints:
    if joint.name.endswith("hip"):
        q0[joint.q_slice] = 0.7
    if joint.name.endswith("knee"):
        q0[joint.q_slice] = -1.4
stance = ts.stand(m, q0)
q0 = stance.copy()
q0[2] += 0.3
hold = ts.control.PD(m, kp=80.0, kd=2.0, reference=stance)

print("step [ms]  residual, of the energy that flowed")
for dt in (2e-3, 1e-3, 5e-4):
    sim = ts.Simulation(m, ground=ts.Ground(), dt=dt)
    run = sim.run(q0, duration=1.5, controller=hold)
    ledger = run.energy
    print(f"{1e3 * dt:9.1f}  {np.abs(ledger.relative_residual).max():.1e}")
print(ledger.table())

print("supplied by the motors (negative: they brake):")
for name, work in ledger.by_joint("supplied").items():
    if work[-1] != 0.0:
        print(f"  {name:22} {work[-1]:8.3f} J")
print("taken by contacts, from each body:")
for name, work in ledger.by_body().items():
    if work[-1] != 0.0:
        print(f"  {name:22} {work[-1]:8.3f} J")
ledger.check(1e-3)

if "--plot" in sys.argv:
    ledger.plot("ledger.png")

"""Simulate many robots at once, each with its own friction, masses and gains.

A batch runs in SIMD lanes and on threads, contacts included, with no Python in the loop when the
controller is one of `ts.control`. A state's result does not depend on its neighbours. With --plot
slipping distances are drawn to batch.png.
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
q0 = ts.stand(m, q0)

robots = 32
rng = np.random.default_rng(0)
friction = np.linspace(0.05, 0.8, robots)
trunk = rng.uniform(0.8, 1.5, robots)  # loads on the trunk
kp = rng.uniform(100.0, 300.0, (robots, 1)) * m.driven  # the free base has no motor

sim = ts.Simulation(m, ground=ts.Ground(friction=friction), dt=2e-3)
hold = ts.control.ImplicitPD(m, kp=kp, kd=8.0, reference=q0)
v0 = np.zeros((robots, m.nv))
v0[:, 0] = 0.8  # all start with the same speed
run = sim.run(
    np.tile(q0, (robots, 1)),
    v0,
    duration=0.8,
    controller=hold,
    mass_scale={"trunk": trunk},
    record=("q", "energy"),
    every=10,
    threads=2,
)
print(run)
way = run.q[:, -1, 0] - run.q[:, 0, 0]
for k in range(0, robots, 4):
    print(f"friction {friction[k]:.2f}, load {trunk[k]:.2f}: moves {1e3 * way[k]:6.1f} mm")
print("worst residual of all ledgers:", f"{np.abs(run.energy.relative_residual).max():.1e}")
print("robots that could not go on:", len(run.failures))

# open loop: 32 sequences of set points, each held for 10 steps
targets = np.tile(q0, (robots, 20, 1))
targets[:, :, 7:] += 0.1 * rng.normal(size=(robots, 1, m.nq - 7))
rolled = ts.rollout(sim, q0, setpoints=targets, controller=hold, hold=10, threads=2)
best = int(np.argmin(np.abs(rolled.q[:, -1, :2]).max(axis=1)))
print(f"{rolled}; sequence {best} moves the trunk least")

if "--plot" in sys.argv:
    import matplotlib.pyplot as plt

    plt.scatter(friction, 1e3 * way, c=trunk)
    plt.colorbar(label="scale of the trunk's mass")
    plt.gca().set(xlabel="friction coefficient", ylabel="way [mm]")
    plt.savefig("batch.png", dpi=150)

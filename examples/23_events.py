"""Events that are located: a ball in a net, a box that tumbles, a walker that finds its gait.

`ts.flow` follows a motion through phases that you state; a simulation with `contact="event"` finds
what touches by itself. Both know the times of events to 1e-12 s.
"""

import numpy as np

import tarsus as ts
from tarsus.gait.walkers.planar import STABLE, start, walking

# A ball falls, is caught by a net of springs, and flies again: two phases with forces of their own.
b = ts.Builder("ball").body("ball", 1.0).joint("fall", "prismatic", "world", "ball", axis="z")
flying = b.build()
netted = b.force(ts.forces.JointSpring({"fall": 1.0}, 2000.0)).build()
over_net = ts.guards.Height("ball")
net = [
    ts.Phase(flying, ts.Exit(over_net, to="net", name="caught"), name="flight"),
    ts.Phase(netted, ts.Exit(over_net, "flight", crossing="rising", name="thrown"), name="net"),
]
motion = ts.flow(net, [1.0], duration=3.0)
for event in motion.events[:4]:
    print(f"{event.t:.12f} s  {event.name:7} with {event.v[0]:+.9f} m/s")
assert abs(motion.events[1].v[0] + motion.events[0].v[0]) < 1e-9  # no energy is lost

# A box is thrown: corners strike, bounce, slip and stick until it lies.
b = ts.Builder("box").body("box", 1.0, inertia=(0.01, 0.012, 0.014))
b.joint("flight", "free", "world", "box").shape("box", "box", (0.2, 0.16, 0.1), role="collision")
box = b.build()
q0 = box.neutral()
q0[2] = 0.5
ground = ts.Ground(friction=0.4, restitution=0.3)
sim = ts.Simulation(box, ground=ground, contact="event", dt=0.01)
run = sim.run(q0, [1.0, 0.0, 0.0, 2.0, 3.0, 1.0], duration=2.0)
first = run.events[0]
print(f"\n{run.events}; the first at {first.t:.9f} s took {first.lost:.4f} J")
print(f"impacts took {run.events.lost.sum():.6f} J, the ledger has {-run.energy.impacts[-1]:.6f} J")
run.energy.check(1e-8)

# Two hundred compass walkers start beside their gait: each step brings them nearer to it.
q0, v0 = start(STABLE)
starts = v0 + 0.02 * np.random.default_rng(0).normal(size=(200, 2))
walks = ts.flow(walking(), np.tile(q0, (200, 1)), starts, duration=60.0, events=12, threads=2)
strikes = np.array([event.t for event in walks.events]).reshape(200, 12)
spread = np.ptp(np.diff(strikes, axis=1), axis=0)
print("\nlongest and shortest step differ by", " ".join(f"{x:.1e}" for x in spread), "s")
assert (walks.n_events == 12).all() and spread[-1] < 0.1 * spread[0]

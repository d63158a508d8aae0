"""Build a four-bar linkage, let it turn, and watch its loop and its energy.

Three rods form a tree; a pin closes the loop. The model then has one velocity, that of the
crank. The positions of the other joints stay in q: they say on which of the two branches the
linkage is, and Newton's method starts from them. With --plot the angles are drawn to four_bar.png.
"""

import sys

import numpy as np

import tarsus as ts

b = ts.Builder("four_bar")
for rod, length in (("crank", 0.1), ("coupler", 0.35), ("rocker", 0.25)):
    mass, inertia = 2.0 * length, length**3 / 6
    b.body(rod, mass, com=(length / 2, 0, 0), inertia=(inertia / 100, inertia, inertia))
upright = (np.pi / 2, 0, 0)  # all axes are z; this turns the plane of x and y up
b.joint("crank", "revolute", "world", "crank", rotation=upright)
b.joint("knuckle", "revolute", "crank", "coupler", position=(0.1, 0, 0))
b.joint("rocker", "revolute", "world", "rocker", position=(0.4, 0, 0), rotation=upright)
# the tips of coupler and rocker meet; `start` is near the branch that is wanted
b.close_loop(
    *("revolute", "coupler", (0.35, 0, 0), "rocker", (0.25, 0, 0)),
    name="pin",
    independent=["crank"],
    start={"knuckle": 0.8, "rocker": 1.8},
)
m = b.build()
print(m)
for cluster in m.clusters:
    print(f"{cluster.kind}: {', '.join(cluster.independent)} moves {', '.join(cluster.joints)}")
print("start", m.neutral().round(4), "with a gap of", np.abs(m.loop_gaps(m.neutral())).max(), "m")
print("velocities for one of the crank", m.coupling_matrix(m.neutral()).ravel().round(4))


def step(q, v, h):
    """Return configuration and velocity after a step of h seconds (Runge and Kutta)."""
    tau = np.zeros(1)
    v1, a1 = v, m.forward_dynamics(q, v, tau)
    v2 = v + h / 2 * a1
    a2 = m.forward_dynamics(m.integrate(q, h / 2 * v1), v2, tau)
    v3 = v + h / 2 * a2
    a3 = m.forward_dynamics(m.integrate(q, h / 2 * v2), v3, tau)
    v4 = v + h * a3
    a4 = m.forward_dynamics(m.integrate(q, h * v3), v4, tau)
    q = m.integrate(q, h / 6 * (v1 + 2 * v2 + 2 * v3 + v4))
    return q, v + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)


states = [(m.neutral(), np.array([25.0]))]
for _ in range(5000):
    states.append(step(*states[-1], h=1e-3))
q, v = map(np.array, zip(*states, strict=True))
energy = m.kinetic_energy(q, v) + m.potential_energy(q)
print(f"after 5 s and {q[-1, 0] / (2 * np.pi):.1f} turns of the crank:")
print(f"  widest gap {np.abs(m.loop_gaps(q)).max():.1e} m")
print(f"  largest drift of the energy {np.abs(energy / energy[0] - 1).max():.1e}")

if "--plot" in sys.argv:
    import matplotlib.pyplot as plt

    plt.plot(q[:1001, 0], q[:1001, 1:], label=["knuckle", "rocker"])
    plt.gca().set(xlabel="angle of the crank [rad]", ylabel="angle [rad]")
    plt.legend()
    plt.savefig("four_bar.png", dpi=150)

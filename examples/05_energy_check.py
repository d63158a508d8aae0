"""Check the equations of motion by the energy of a motion that nothing drives or brakes.

A mechanism with every kind of joint tumbles freely. Its configurations form a manifold, on
which `integrate` takes steps. Combined as follows, such steps make a Runge–Kutta method of
order four: E. Celledoni, A. Marthinsen, B. Owren, "Commutator-free Lie group methods", Future
Generation Computer Systems 19, 2003. The drift of the energy must fall as the fourth power of
the step, down to rounding. With --plot the drift is drawn to energy_check.png.
"""

import sys

import numpy as np

import tarsus as ts

m = ts.robots.random_mechanism(rng=4, n_bodies=11)
tau = np.zeros(m.nv)


def step(q, v, h):
    """Return configuration and velocity after a step of h seconds."""
    v1, a1 = v, m.forward_dynamics(q, v, tau)
    q2, v2 = m.integrate(q, h / 2 * v1), v + h / 2 * a1
    a2 = m.forward_dynamics(q2, v2, tau)
    q3, v3 = m.integrate(q, h / 2 * v2), v + h / 2 * a2
    a3 = m.forward_dynamics(q3, v3, tau)
    q4, v4 = m.integrate(q2, h * v3 - h / 2 * v1), v + h * a3
    a4 = m.forward_dynamics(q4, v4, tau)
    q = m.integrate(q, h / 12 * (3 * v1 + 2 * v2 + 2 * v3 - v4))
    q = m.integrate(q, h / 12 * (-v1 + 2 * v2 + 2 * v3 + 3 * v4))
    return q, v + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)


def drift(h, duration=0.5):
    """Return the energy's relative change at each step."""
    q = m.random_configuration(0)
    v = np.random.default_rng(1).normal(size=m.nv)
    energies = []
    for _ in range(round(duration / h) + 1):
        energies.append(m.kinetic_energy(q, v) + m.potential_energy(q))
        q, v = step(q, v, h)
    energies = np.array(energies)
    return (energies - energies[0]) / np.abs(energies[0])


print(f"{m}: {', '.join(m.joint(name).kind for name in m.joint_names)}")
print("step [ms]  drift of the energy   smaller by")
curves, last = {}, None
for h in (8e-3, 4e-3, 2e-3, 1e-3):
    curves[h] = np.abs(drift(h))
    largest = curves[h].max()
    print(f"{1e3 * h:9.1f}  {largest:19.1e}   " + (f"{last / largest:10.1f}" if last else ""))
    last = largest

if "--plot" in sys.argv:
    import matplotlib.pyplot as plt

    for h, curve in curves.items():
        plt.semilogy(h * np.arange(len(curve)), curve + 1e-17, label=f"{1e3 * h:g} ms")
    plt.xlabel("time [s]")
    plt.ylabel("relative drift of the energy")
    plt.legend(title="step")
    plt.savefig("energy_check.png", dpi=150)

"""Make the hand of an arm a spring: push it, let go, and watch where the energy goes.

The law τ = g + Jᵀ f, with the wrench f of a spring and a damper, leaves the inertia as it is: it
needs no sensor of force, and no contact can make it unstable. With --plot the way of the hand is
drawn to impedance.png.
"""

import sys

import numpy as np

import tarsus as ts

b = ts.Builder("arm")
parent = "world"
for k, axis in enumerate("zyzyzyz"):
    mass = 3.0 - 0.35 * k
    b.body(f"link_{k}", mass, com=(0, 0, 0.1), inertia=(0.01 * mass, 0.01 * mass, 0.004 * mass))
    b.joint(f"joint_{k}", "revolute", parent, f"link_{k}", position=(0, 0, 0.2), axis=axis)
    parent = f"link_{k}"
b.frame("hand", parent, position=(0, 0, 0.15))
m = b.build()

q0 = np.array([0.3, 0.7, -0.4, 0.9, 0.5, 0.8, -0.2])
target = m.frame_pose(q0, "hand")[:3, 3]
stiffness, force, h = np.array([400.0, 400.0, 1000.0]), np.array([20.0, 0.0, -30.0]), 2e-3


def pushed(control, released=1.5, duration=3.0):
    """Return displacements of the hand and energies, while a force acts and after that."""
    q, v = q0, np.zeros(7)
    displacements, energies = [], []
    for t in np.arange(0.0, duration, h):
        displacements.append(control.error(t, q))
        energies.append(control.energy(t, q, v))
        J = m.frame_jacobian(q, "hand", "local_world_aligned")[:3]
        tau = control(t, q, v) + J.T @ force * (t < released)
        a = m.forward_dynamics(q, v, tau)
        q, v = m.integrate(q, h * (v + h / 2 * a)), v + h * a
    return np.array(displacements), np.array(energies)


print("a spring of", stiffness, "N/m under", force, "N gives way by", force / stiffness, "m")
found = {}
for ratio in (0.3, 0.7, 1.0):
    control = ts.control.ImpedanceControl(
        m, "hand", stiffness, reference=target, task="position", damping_ratio=ratio
    )
    found[ratio] = displacements, energies = pushed(control)
    held, after = displacements[749], energies[751:]
    most = np.abs(displacements[:750] / (force + (force == 0))).max(axis=0) * stiffness
    print(f"damping ratio {ratio}: the hand gives way by", held.round(5), "m,")
    print(
        f"  at most {most[[0, 2]].max():.2f} times as far on the way, and after the push", end=" "
    )
    print("its energy only falls" if (np.diff(after) < 1e-6).all() else "its energy also rises")

# the inertia at the hand differs by direction, and so does the damping that suits it
J = m.frame_jacobian(q0, "hand", "local_world_aligned")[:3]
mobility = J @ m.inverse_mass_matrix(q0) @ J.T
print("inertia felt at the hand [kg]:")
print(np.linalg.inv(mobility).round(2))
print("damping for a ratio of 1 [N s/m]:")
print(control.damping_matrix(mobility).round(1))

if "--plot" in sys.argv:
    import matplotlib.pyplot as plt

    for ratio, (displacements, _) in found.items():
        plt.plot(h * np.arange(len(displacements)), displacements[:, 2], label=f"ratio {ratio}")
    plt.axhline(force[2] / stiffness[2], color="0.6", ls="--", lw=1)
    plt.gca().set(xlabel="time [s]", ylabel="height of the hand [m]")
    plt.legend()
    plt.savefig("impedance.png", dpi=150)

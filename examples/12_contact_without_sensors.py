"""Feel a collision without a sensor of force, from positions, velocities and motor torques.

The momentum of a mechanism changes by known forces and by those of contacts. An observer that
keeps the books of it reports the rest, with a delay of its own choice and without accelerations,
which nobody measures well. With --plot the forces are drawn to contact_without_sensors.png.
"""

import sys

import numpy as np

import tarsus as ts

# four links across each other, with rotors that count as much as the links
chain = ts.robots.rotor_chain(4, skew=np.pi / 2, ratio=6, mass=0.2, inertia=(0.004, 0.004, 0.006))
print(chain)
tip, h = chain.body_names.index("link_3"), 1e-3


def motors(t, q, v):
    """Return the torques of a simple controller that swings all joints."""
    error, rate = q - 0.5 * np.sin(2 * t), v - np.cos(2 * t)
    return chain.gravity_forces(q) - 40 * error - 8 * rate


def push(t):
    """Return the wrenches on all bodies: 5 N on the last link, from 0.5 s to 0.8 s."""
    wrenches = np.zeros((chain.n_bodies, 6))
    wrenches[tip, 1] = 5.0 * (0.5 < t < 0.8)
    return wrenches


# a digital controller holds its torques for a millisecond, in which the chain moves on
observer = ts.estimation.MomentumObserver(chain, bandwidth=50.0, held=True)
q, v, tau = np.zeros(4), np.ones(4), np.zeros(4)
times, residuals, forces = np.arange(0.0, 1.2, h), [], []
for t in times:
    residuals.append(observer.update(t, q, v, tau))
    J = chain.frame_jacobian(q, "link_3")
    forces.append(J.T @ push(t)[tip])
    tau = motors(t, q, v)
    for _ in range(4):
        a = chain.forward_dynamics(q, v, tau, push(t))
        q = chain.integrate(q, h / 4 * (v + h / 8 * a))
        v = v + h / 4 * a
residuals, forces = np.array(residuals), np.array(forces)

quiet = np.abs(residuals[times < 0.5]).max()
print(f"without contact the residual stays below {quiet:.4f} N·m")
noticed = times[np.abs(residuals).max(axis=1) > 0.5][0]
print(f"the push at 0.500 s is noticed at {noticed:.3f} s")
settled = (times > 0.65) & (times < 0.8)
print("pushed by", forces[settled].mean(axis=0).round(2), "N·m on average,")
print("observed ", residuals[settled].mean(axis=0).round(2))
over = times[np.abs(residuals).max(axis=1) > 0.5][-1]
print(f"its end at 0.800 s is noticed at {over:.3f} s")

if "--plot" in sys.argv:
    import matplotlib.pyplot as plt

    lines = plt.plot(times, residuals)
    for line, force in zip(lines, forces.T, strict=True):
        plt.plot(times, force, "--", color=line.get_color(), lw=1)
    plt.gca().set(xlabel="time [s]", ylabel="torque [N m]")
    plt.legend(lines, [f"joint {k}" for k in range(4)], title="observed; dashed: true")
    plt.savefig("contact_without_sensors.png", dpi=150)

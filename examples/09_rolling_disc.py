"""Roll a disc on the ground: five numbers say where it is, three how it moves.

A disc that rolls without slipping can get anywhere, but at every instant it has three ways to
move: it may turn, lean and roll. These are its velocities; the contact point follows. With --plot
the way of the contact point is drawn to rolling_disc.png.
"""

import sys

import numpy as np
from scipy.integrate import solve_ivp

import tarsus as ts

disc = ts.robots.rolling_disc(radius=0.3, mass=2.0)
q = np.array([0.0, 0.0, 0.0, 0.4, 0.0])  # x, y of the contact point, heading, lean, spin
print(disc, "leaning by 0.4 rad")


def lean_acceleration(turning, spinning):
    """Return how fast the disc begins to fall, or to rise."""
    return disc.forward_dynamics(q, [turning, 0.0, spinning], np.zeros(3))[1]


# a leaning disc runs in a circle if it rolls fast enough: the acceleration is linear in the spin
turning = -2.0  # towards the side to which it leans
slow, fast = lean_acceleration(turning, 0.0), lean_acceleration(turning, 1.0)
spinning = slow / (slow - fast)
circle = abs(0.3 * spinning / turning)
print(f"turns at {turning} rad/s, spins at {spinning:.3f} rad/s: a circle of {circle:.3f} m")

# steps along a constant velocity are exact: one step goes all round the circle
once = disc.integrate(q, np.array([turning, 0.0, spinning]) * 2 * np.pi / abs(turning))
print("back after one step:", np.abs(once[:2]).max() < 1e-12, once[:2])


def rate(time, state):
    """Return the rates of q and v, for a general solver of differential equations."""
    q, v = state[:5], state[5:]
    return np.concatenate([disc.configuration_rate(q, v), disc.forward_dynamics(q, v, np.zeros(3))])


# disturbed, it wobbles; nothing drives or brakes it, so the energy stays, and it does not slip
start = np.concatenate([q, [turning, 0.3, spinning]])
times = np.linspace(0.0, 10.0, 1001)
motion = solve_ivp(rate, (0.0, 10.0), start, t_eval=times, rtol=1e-11, atol=1e-12, method="DOP853")
q, v = motion.y[:5].T, motion.y[5:].T
energy = disc.kinetic_energy(q, v) + disc.potential_energy(q)
print(f"leans between {q[:, 3].min():.3f} and {q[:, 3].max():.3f} rad")
print(f"drift of the energy {np.abs(energy / energy[0] - 1).max():.1e}")

# the point of the disc that touches the ground is at rest: v + ω × r, from the centre downwards
velocity = disc.frame_velocity(q, v, "disc", "local_world_aligned")
ground = np.concatenate([q[:, :2], np.zeros((len(q), 1))], axis=1)
arm = ground - disc.frame_pose(q, "disc")[:, :3, 3]
slip = velocity[:, :3] + np.cross(velocity[:, 3:], arm)
print(f"the contact point slips by {np.abs(slip).max():.1e} m/s")

if "--plot" in sys.argv:
    import matplotlib.pyplot as plt

    plt.plot(q[:, 0], q[:, 1])
    plt.gca().set(xlabel="x [m]", ylabel="y [m]", aspect="equal")
    plt.savefig("rolling_disc.png", dpi=150)

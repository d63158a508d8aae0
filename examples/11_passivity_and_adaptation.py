"""Track a motion by passivity, then with a load of unknown mass that is learned on the way.

The law of Slotine and Li, τ = H a_r + C v_r + g − K_D s, does not cancel the dynamics: it lets the
energy ½ sᵀ H s of the error fall at every moment. It is linear in masses and inertias, so these
can be learned while it works. With --plot the errors are drawn to passivity_and_adaptation.png.
"""

import sys

import numpy as np

import tarsus as ts


def arm(load=0.0):
    """Return three links with geared motors, and a load at the tip of the last one."""
    b = ts.Builder("arm")
    parent = "world"
    for k, axis in enumerate("zyy"):
        mass = 2.0 + load * (k == 2)
        com = (0, 0, (0.4 + 0.4 * load * (k == 2)) / mass)  # the link's in its middle, 0.2 m
        b.body(f"link_{k}", mass, com=com, inertia=(0.03 + 0.02 * load,) * 2 + (0.004,))
        b.joint(f"joint_{k}", "revolute", parent, f"link_{k}", position=(0, 0, 0.4), axis=axis)
        b.body(f"rotor_{k}", 0.3, inertia=(1.5e-4, 1.5e-4, 2e-4))
        b.gear(f"joint_{k}", 20.0, f"rotor_{k}")
        parent = f"link_{k}"
    return b.build()


def wanted(t):
    """Return configuration, velocity and acceleration that the arm is to have."""
    size, w = np.array([0.8, 0.5, 0.7]), 2.0
    return size * np.sin(w * t), size * w * np.cos(w * t), -size * w**2 * np.sin(w * t)


def track(plant, control, duration=5.0, h=2e-3):
    """Return errors and energies of a motion under control, which starts 0.3 rad off."""
    q, v = wanted(0.0)[0] + 0.3, np.zeros(3)
    errors, energies = [], []
    for t in np.arange(0.0, duration, h):
        errors.append(np.abs(q - wanted(t)[0]).max())
        tau = control(t, q, v)
        learns = isinstance(control, ts.control.AdaptiveControl)
        energies.append(control.lyapunov(*([plant] if learns else []), t, q, v))
        a = plant.forward_dynamics(q, v, tau)
        q, v = plant.integrate(q, h * (v + h / 2 * a)), v + h * a
    return np.array(errors), np.array(energies)


bare, loaded = arm(), arm(load=3.0)
gains = 4.0, [4.0, 8.0, 4.0], wanted  # bandwidth [1/s], kd [N·m·s/rad], reference

laws = {
    "masses known": (loaded, ts.control.PassivityControl(loaded, *gains)),
    "load forgotten": (loaded, ts.control.PassivityControl(bare, *gains)),
    "load learned": (loaded, ts.control.AdaptiveControl(bare, *gains, adaptation=2.0)),
    "learned, physical": (loaded, ts.control.AdaptiveControl(bare, *gains, physical=True)),
}
# in steps of 2 ms, the energies of laws that learn fast may rise by what such a step costs
found = {}
for name, (plant, control) in laws.items():
    errors, energies = found[name] = track(plant, control)
    late = errors[-1000:].max()
    rise = max(0.0, np.diff(energies).max())
    print(f"{name:18} last errors {late:.4f} rad; energy {energies[0]:6.3f} J, ", end="")
    print(f"rises by {rise:.0e} J at most in a step")

# what is learned is what the motion needs, not each parameter by itself
learned = laws["load learned"][1]
print("masses learned", learned.parameters[:, 0].round(2), "kg")
print("their names   ", *bare.body_names)

if "--plot" in sys.argv:
    import matplotlib.pyplot as plt

    for name, (errors, _) in found.items():
        plt.semilogy(2e-3 * np.arange(len(errors)), errors, label=name)
    plt.gca().set(xlabel="time [s]", ylabel="largest error [rad]")
    plt.legend()
    plt.savefig("passivity_and_adaptation.png", dpi=150)

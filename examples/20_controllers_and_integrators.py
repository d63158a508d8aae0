"""Track a motion with several controllers, and see what integrators of higher order are good for.

The arm follows a wave. PD lags and sags, PID removes the sag, inverse dynamics cancels what it
knows, passivity control needs no cancellation. In free space, RK4 and Dormand–Prince give the
true motion with large steps; with contacts, semi-implicit Euler is the one to use. With --plot
errors are drawn to tracking.png.
"""

import sys

import numpy as np

import tarsus as ts

b = ts.Builder("arm")
parent = "world"
for k, axis in enumerate("zyyx"):
    b.body(f"link_{k}", 2.0 - 0.3 * k, com=(0, 0, 0.12), inertia=(0.03, 0.03, 0.01))
    b.joint(f"joint_{k}", "revolute", parent, f"link_{k}", position=(0, 0, 0.2), axis=axis)
    parent = f"link_{k}"
m = b.build()


def wave(t):
    """Return positions, velocities and accelerations of the motion to follow."""
    phase = 3.0 * t + np.arange(4)
    return 0.5 * np.sin(phase), 1.5 * np.cos(phase), -4.5 * np.sin(phase)


def without_acceleration(t):
    return wave(t)[:2]


controllers = {
    "PD": ts.control.PD(m, 400.0, 20.0, without_acceleration),
    "PID": ts.control.PID(m, 400.0, 2000.0, 20.0, without_acceleration),
    "inverse dynamics": ts.control.InverseDynamics(m, 100.0, 20.0, wave),
    "passivity": ts.control.PassivityControl(m, 10.0, 4.0, wave),
}
sim = ts.Simulation(m, dt=1e-3)
q0, v0, _ = wave(0.0)
errors = {}
for name, controller in controllers.items():
    run = sim.run(q0, v0, duration=2.0, controller=controller)
    errors[name] = np.abs(run.q - [wave(t)[0] for t in run.t]).max(axis=1)
    print(f"{name:17} {1e3 * errors[name][-1000:].max():8.3f} mrad off in the last second")


# a cascade: every 20 ms an outer loop corrects the setpoint of an inner one, which runs at 1 kHz
def outer(t, q, v):
    wanted = wave(t)[0]
    return wanted + 0.8 * (wanted - q)


cascade = ts.control.Cascade(outer, ts.control.PD(m, 400.0, 20.0), outer_period=0.02)
run = sim.run(q0, v0, duration=1.0, controller=cascade)
off = np.abs(run.q[-1] - wave(run.t[-1])[0]).max()
print(f"{'cascade':17} {1e3 * off:8.3f} mrad off at the end")

# the same free motion by all integrators, beside a very exact one
tight = ts.simulation.DormandPrince(rtol=1e-12, atol=1e-12)
exact = ts.Simulation(m, dt=0.5, integrator=tight).run(q0, v0, duration=0.5)
for name, dt in (("semi_implicit", 1e-3), ("rk4", 1e-2), ("dormand_prince", 1e-2)):
    run = ts.Simulation(m, dt=dt, integrator=name).run(q0, v0, duration=0.5)
    off = np.abs(run.q[-1] - exact.q[-1]).max()
    print(f"{name:14} samples each {1e3 * dt:4.0f} ms: off by {off:.1e} rad after 0.5 s")

if "--plot" in sys.argv:
    import matplotlib.pyplot as plt

    for name, error in errors.items():
        plt.semilogy(1e-3 * np.arange(len(error)), error, label=name)
    plt.gca().set(xlabel="time [s]", ylabel="error [rad]")
    plt.legend()
    plt.savefig("tracking.png", dpi=150)

"""Drives with controls of their own, a keyframe to start from, and sensors that err.

A cart with a pole: one motor pushes the cart, nothing holds the pole. A law that knows it by an
encoder and a gyroscope, with noise and a delay, balances it.
"""

import numpy as np

import tarsus as ts

b = ts.Builder("cart and pole")
b.body("cart", mass=1.0, inertia=(0.1, 0.1, 0.1))
b.joint("rail", "prismatic", "world", "cart", axis="x")
b.body("pole", mass=0.2, com=(0, 0, 0.5), inertia=(0.02, 0.02, 0.001))
b.joint("pin", "revolute", "cart", "pole", axis="y")
b.frame("chip", "pole", position=(0, 0, 0.3))
b.actuator("drive", "rail", gear=20.0, control=2.0)  # 20 N for a control of one
b.keyframe("leaning", {"pin": 0.15})
m = b.build()
print(m, "controls:", m.nu, m.actuator_names)

errors = ts.sensors.Errors(noise=0.01, quantum=1e-3, delay=0.003)
sensors = {
    "encoders": ts.sensors.JointPosition(("rail", "pin"), errors=errors),
    "tacho": ts.sensors.JointVelocity("rail", errors=errors),
    "gyro": ts.sensors.Gyroscope("chip", errors=errors),
}
live = ts.sensors.Live(m, sensors, seed=1)


def law(t: float, told: dict[str, np.ndarray]) -> np.ndarray:
    x, angle = told["encoders"]
    push = 2.0 * x + 4.0 * told["tacho"][0] + 45.0 * angle + 10.0 * told["gyro"][1]
    return np.array([push / 20.0])


controller = ts.control.Actuated(m, live.controlled(law))
q0 = m.keyframes["leaning"].q
chip = {"imu": ts.sensors.IMU("chip")}
run = ts.Simulation(m, dt=1e-3).run(q0, duration=8.0, controller=controller, sensors=chip)

first, last = np.degrees(run.q[[0, -1], 1])
print(f"the pole leans by {first:.1f}° at first, by {last:.1f}° at last")
print("what the chip feels at last [m/s²]:", run.sensors["imu"][-1, :3].round(2))
assert np.abs(run.q[4000:, 1]).max() < 0.05

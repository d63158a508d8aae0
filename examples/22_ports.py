"""A motor turns a pendulum: electric parts as a bond graph, a model, and a gearbox between them.

The motor is a bond graph with a battery, a coil, a winding and a gyrator; the pendulum is a model
in configurations and momenta. A transformer joins both shafts, and the ledger follows each joule
from the battery to where it stays.
"""

import numpy as np

import tarsus as ts

g = ts.ports.BondGraph("motor")
g.Se("battery", "electric", 6.0)
g.one("circuit", "electric")
g.I("coil", "electric", 2e-3)
g.R("winding", "electric", 1.5)
g.GY("motor", ("electric", "rotation"), 0.05)
g.one("shaft", "rotation")
g.I("rotor", "rotation", 1e-5)
g.Se("gear", "rotation")
g.bond("battery", "circuit")
g.bond("circuit", "coil", "winding", "motor")
g.bond("motor", "shaft")
g.bond("shaft", "rotor")
g.bond("gear", "shaft")
motor = g.system()
print(motor.equations(), "\n")

b = ts.Builder("pendulum")
b.body("bob", 0.5, (0.0, 0.0, -0.3), inertia=(0.02, 0.02, 0.01))
b.joint("pivot", "revolute", "world", "bob", axis="y", damping=0.05)
model = b.build()
pendulum = ts.ports.mechanical(model)

# a soft shaft between motor and gearbox: two inertias that turn as one would be one
shaft = ts.ports.spring_damper(20.0, 0.02)
ratio = 30.0
whole = ts.ports.connect(
    {"motor": motor, "pendulum": pendulum, "shaft": shaft},
    [
        ts.ports.link("motor.gear", "shaft.end"),
        ts.ports.transformer("pendulum.pivot", "shaft.end", -ratio),
    ],
)
motion = ts.ports.simulate(whole, np.zeros(whole.nx), 2.0, method="Radau", rtol=1e-8, atol=1e-10)
print(motion.ledger)
print(f"pendulum at {np.degrees(motion['pendulum.q_pivot'][-1]):.1f}° after {motion.t[-1]:g} s")
print(ts.ports.power_flow(motion))
motion.ledger.check(1e-5)

"""A police car on four springs that brakes into a slide.

P. Schröder, "The Virtual Erector Set", MIT 1990, section 7.3 ("Grinning Evil Death"): a box of
2000 kg, wheels 1.95 m ahead and 1.521 m behind its centre, springs and dampers under them,
front-wheel drive, and brakes that damp the points where wheels touch. The size of the box, its
height, the force of the motor and the steering are not stated: those here are a car's. At rest a
front wheel carries 4299 N and a rear one 5511 N, if wheels end as high as the centre of mass.
"""

from __future__ import annotations

import math

from tarsus.forces import Brake, Support, Wrench
from tarsus.model import WORLD, Builder, Model
from tarsus.parts import Part
from tarsus.robots import solids
from tarsus.scenes.looks import ACROSS, BLUE, DARK, WHITE, show
from tarsus.scenes.scene import Scene, at_rest

MASS, SIZE = 2000.0, (4.6, 1.8, 1.0)
FRONT, REAR, TRACK = 1.95, 1.521, 1.794
STIFFNESS, DAMPING = 50_000.0, {"front": 2500.0, "rear": 3500.0}
"""Of the springs under wheels [N/m, N s/m]."""
BRAKING = {"front": 1000.0, "rear": 500.0}
"""Of the brakes [N s/m]."""
WHEELS = {
    f"{axle}_{side}": (axle, (x, y * TRACK / 2))
    for axle, x in (("front", FRONT), ("rear", -REAR))
    for side, y in (("left", 1), ("right", -1))
}


def car(
    speed: float = 0.0,
    *,
    motor: float = 0.0,
    steering: float = 0.0,
    braking: bool = False,
    height: float = 0.6,
) -> Scene:
    """Return a car that drives at `speed` [m/s] along x, with brakes on if it is `braking`.

    Each front wheel pulls with a force of `motor` [N] in the direction of `steering` [rad]. Wheels
    end `height` [m] below the centre of mass.
    """
    model = car_model(height)
    q0, v0 = model.neutral(), at_rest(model)
    q0[2], v0[0] = height, speed
    parts = [*supports(), *motors(motor, steering), *(brakes() if braking else ())]
    return Scene("car", model, q0, v0, ground=None, forces=parts, duration=5.0, dt=2e-3)


def car_model(height: float = 0.6) -> Model:
    """Return the car, with a frame at the end of each wheel, such as "front_left"."""
    builder = Builder("car")
    builder.body("car", MASS, inertia=solids.box(MASS, SIZE))
    builder.joint("root", "free", WORLD, "car")
    show(builder, "car", "box", (SIZE[0], SIZE[1], 0.5), DARK)
    show(builder, "car", "box", (2.2, 1.5, 0.45), WHITE, (-0.3, 0.0, 0.45))
    show(builder, "car", "box", (0.25, 1.1, 0.12), BLUE, (-0.2, 0.0, 0.72))
    for name, (_, (x, y)) in WHEELS.items():
        builder.frame(name, "car", position=(x, y, -height))
        show(builder, "car", "cylinder", (0.32, 0.22), DARK, (x, y, 0.32 - height), ACROSS)
    return builder.build()


def supports() -> list[Part]:
    """Return the springs and dampers under the wheels."""
    return [
        Support(name, STIFFNESS, DAMPING[axle], name=f"support_{name}")
        for name, (axle, _) in WHEELS.items()
    ]


def motors(force: float, steering: float = 0.0) -> list[Part]:
    """Return the pull of the front wheels [N] in the direction of the steering [rad]."""
    pull = (force * math.cos(steering), force * math.sin(steering), 0.0)
    return [
        Wrench(name, pull, axes="local", name=f"motor_{name}")
        for name, (axle, _) in WHEELS.items()
        if axle == "front"
    ]


def brakes() -> list[Part]:
    """Return the brakes of all wheels."""
    return [Brake(name, BRAKING[axle], name=f"brake_{name}") for name, (axle, _) in WHEELS.items()]

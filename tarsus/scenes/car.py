"""A police car on four springs that brakes into a slide.

P. Schröder, "The Virtual Erector Set", MIT 1990, section 7.3 ("Grinning Evil Death"): a box of
2000 kg, wheels 1.95 m ahead and 1.521 m behind its centre, springs and dampers under them,
front-wheel drive, and brakes that damp the points where wheels touch. The size of the box, its
height, the force of the motor and the steering are not stated: those here are a car's. At rest a
front wheel carries 4299 N and a rear one 5511 N, if wheels end as high as the centre of mass. The
stunt is a script of actions with the times at which they happen, as the thesis made it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tarsus.forces import Brake, Support, Wrench
from tarsus.geometry import Ground
from tarsus.model import WORLD, Builder, Model
from tarsus.model.checks import suggestion
from tarsus.parts import Part
from tarsus.robots import solids
from tarsus.scenes.looks import ACROSS, BLUE, DARK, WHITE, show
from tarsus.scenes.scene import Scene, at_rest
from tarsus.simulation import Simulation, Trajectory

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
HEIGHT = 0.6
"""Of the centre of mass over the ends of wheels [m]."""
MOTOR, STEERING = 4000.0, 0.3
"""In a stunt: the pull of a front wheel [N], and where it goes [rad]."""
STEP = 1 / 600
"""About how long its steps are [s]."""
ACTIONS = {"straight": "motor", "turning": "turn", "braking": "brake", "rolling": "nothing"}
"""What is on, by the beginning of its name."""
SCRIPT = ((0.0, "straight"), (5.16, "turning"), (5.6, "braking"))
"""A drive that ends in a slide of 100°, found by trial."""
ROLL_OVER = ((0.0, "straight"), (8.0, "turning"), (8.5, "braking"))
"""The same at a higher speed, after which the car lies on its roof."""


def car(
    speed: float = 0.0,
    *,
    motor: float = 0.0,
    steering: float = 0.0,
    braking: bool = False,
    height: float = HEIGHT,
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


def stunt(
    script: Sequence[tuple[float, str]] = SCRIPT, duration: float = 12.0, frame: float = 1 / 30
) -> Trajectory:
    """Return a drive by a script of times [s] and actions: straight, turning, braking, rolling.

    Actions begin with the first of the frames, of `frame` [s], that is not before their time.
    """
    for _, action in script:
        if action not in ACTIONS:
            raise ValueError(f"unknown action {action!r}{suggestion(action, ACTIONS)}")
    model, steps = car_model(), max(1, round(frame / STEP))
    turned = [replace(part, name=f"turn_{part.name}") for part in motors(MOTOR, STEERING)]
    forces = [*supports(), *motors(MOTOR), *turned, *brakes()]
    sim = Simulation(model, forces=forces, dt=frame / steps)
    start = model.neutral()
    start[2] = HEIGHT
    sim.reset(start)
    states, times = [(sim.q, sim.v)], [0.0]
    for k in range(round(duration / frame)):
        begun = [action for at, action in script if at <= (k + 1e-9) * frame]
        _act(sim, begun[-1] if begun else "rolling")
        states.append(sim.step(steps=steps))
        times.append(sim.t)
    q, v = (np.stack(column) for column in zip(*states, strict=True))
    return Trajectory(model, np.array(times), {"q": q, "v": v}, ground=Ground())


def _act(sim: Simulation, action: str) -> None:
    """Put motors and brakes on and off."""
    for name, handle in sim.parts.items():
        if not name.startswith("support"):
            handle.on = name.startswith(ACTIONS[action])


def car_model(height: float = HEIGHT) -> Model:
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

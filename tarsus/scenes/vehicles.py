"""A car, a falling cat, and linkages of bars."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from tarsus._lib.checks import number, positive, suggestion
from tarsus._lib.errors import WORLD
from tarsus.control.controller import Table
from tarsus.control.joint_control import ImplicitPD
from tarsus.geometry.grounds import Ground
from tarsus.model.builder import Builder
from tarsus.model.model import Model
from tarsus.parts.body_forces import Brake, Wrench
from tarsus.parts.forces import Support
from tarsus.parts.part import Part
from tarsus.parts.rigid_constraints import Nail
from tarsus.robots import building as solids
from tarsus.scenes.scene import ACROSS as ACROSS_CAR
from tarsus.scenes.scene import BLUE, COLORS, DARK, LYING, ORANGE, WHITE, Scene, at_rest, show
from tarsus.simulation.simulation import Simulation
from tarsus.simulation.trajectory import Trajectory
from tarsus.walking.plans.swing import quintic

# A police car on four springs that brakes into a slide.
#
# P. Schröder, "The Virtual Erector Set", MIT 1990, section 7.3 ("Grinning Evil Death"): a box of
# 2000 kg, wheels 1.95 m ahead and 1.521 m behind its centre, springs and dampers under them,
# front-wheel drive, and brakes that damp the points where wheels touch. The size of the box, its
# height, the force of the motor and the steering are not stated: those here are a car's. At rest a
# front wheel carries 4299 N and a rear one 5511 N, if wheels end as high as the centre of mass. The
# stunt is a script of actions with the times at which they happen, as the thesis made it.


CAR_MASS, CAR_SIZE = 2000.0, (4.6, 1.8, 1.0)
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
    builder.body("car", CAR_MASS, inertia=solids.box(CAR_MASS, CAR_SIZE))
    builder.joint("root", "free", WORLD, "car")
    show(builder, "car", "box", (CAR_SIZE[0], CAR_SIZE[1], 0.5), DARK)
    show(builder, "car", "box", (2.2, 1.5, 0.45), WHITE, (-0.3, 0.0, 0.45))
    show(builder, "car", "box", (0.25, 1.1, 0.12), BLUE, (-0.2, 0.0, 0.72))
    for name, (_, (x, y)) in WHEELS.items():
        builder.frame(name, "car", position=(x, y, -height))
        show(builder, "car", "cylinder", (0.32, 0.22), DARK, (x, y, 0.32 - height), ACROSS_CAR)
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


# A cat that falls on its back turns over, though it never has any angular momentum.
#
# T. R. Kane, M. P. Scher, "A dynamical explanation of the falling cat phenomenon", International
# Journal of Solids and Structures 5, 1969. Two halves, bodies of revolution with moments of inertia
# C along their axes and A across, are bent by β each against a straight line; then both roll about
# their own axes by an angle s. All momentum stays zero if the bent line turns by
#
#     −s C cos β / (C cos² β + A sin² β)
#
# about itself meanwhile. Bent so that this is −s/2, one roll of both halves turns the cat by π: its
# shape is what it was, and its paws are below. The spine between the halves has no mass; the
# muscles have an inertia of their own, which turns nothing else.


CAT_MASS, LENGTH, RADIUS = 2.0, 0.22, 0.065
"""Of a half [kg, m]."""
ALONG, ACROSS = CAT_MASS * RADIUS**2 / 2, CAT_MASS * (3 * RADIUS**2 + LENGTH**2) / 12
ARMATURE = 1e-4
"""Of muscles [kg m²]: a straight cat's spine would turn without inertia."""
SAMPLE = 2e-3
"""Time between two rows of the plan [s]."""


def bend() -> float:
    """Return the angle β [rad] at which one roll turns the cat by half a turn."""
    share = ALONG / ACROSS
    return math.acos((math.sqrt(share**2 - share + 1) - share) / (1 - share))


def turned(roll: float, beta: float) -> float:
    """Return by what angle [rad] a cat has turned that bends by `beta`, rolls, and stretches."""
    c, s = math.cos(beta), math.sin(beta)
    return roll * (1 - ALONG * c / (ALONG * c * c + ACROSS * s * s))


def cat(roll: float = 2 * math.pi, beta: float | None = None, duration: float = 0.6) -> Scene:
    """Return a cat that falls with its paws up: it bends, rolls both halves, and stretches.

    `roll` [rad] is the angle of both halves, `beta` [rad] their bend, `bend()` unless stated. It
    takes `duration` [s].
    """
    positive(number(duration, "duration"), "duration")
    model = cat_model()
    beta = bend() if beta is None else beta
    t = np.arange(round(duration / SAMPLE) + 1) * SAMPLE
    phase = t / duration
    bent = beta * (quintic(phase / 0.25) - quintic((phase - 0.75) / 0.25))
    rolled = roll * quintic((phase - 0.25) / 0.5)
    q = np.tile(model.neutral(), (len(t), 1))
    for half, sign in (("front", 1), ("back", -1)):
        q[:, model.joint(f"{half}_bend").q_slice.start] = -sign * bent
        q[:, model.joint(f"{half}_roll").q_slice.start] = rolled
    q[:, :7] = 0.0, 0.0, 2.0, 1.0, 0.0, 0.0, 0.0  # on its back
    reference = Table(model, t, q)
    controller = ImplicitPD(model, 4000.0, 40.0, reference)
    return Scene(
        *("falling cat", model, q[0], at_rest(model), controller),
        ground=None,
        duration=duration,
        dt=5e-4,
    )


def cat_model() -> Model:
    """Return the cat: a spine without mass, on which two halves bend and roll."""
    builder = Builder("cat")
    builder.body("spine")
    builder.joint("root", "free", WORLD, "spine")
    for half, sign in (("front", 1), ("back", -1)):
        middle = sign * LENGTH / 2
        builder.body(f"{half}_hip")
        builder.body(half, CAT_MASS, (middle, 0.0, 0.0), (ALONG, ACROSS, ACROSS))
        for turn, axis, parent, child in (
            ("bend", "y", "spine", f"{half}_hip"),
            ("roll", "x", f"{half}_hip", half),
        ):
            name = f"{half}_{turn}"
            builder.joint(name, "revolute", parent, child, axis=axis, armature=ARMATURE)
        trunk = (RADIUS, LENGTH - 2 * RADIUS)
        show(builder, half, "capsule", trunk, ORANGE, (middle, 0.0, 0.0), LYING)
        for side in (-0.04, 0.04):
            show(builder, half, "capsule", (0.015, 0.1), WHITE, (1.4 * middle, side, -0.08))
    show(builder, "front", "sphere", (0.05,), ORANGE, (LENGTH + 0.02, 0.0, 0.05))
    for side in (-0.025, 0.025):
        show(builder, "front", "sphere", (0.015,), ORANGE, (LENGTH + 0.02, side, 0.1))
    tail = (-LENGTH - 0.06, 0.0, 0.05)
    show(builder, "back", "capsule", (0.012, 0.16), ORANGE, tail, (0.0, -0.9, 0.0))
    return builder.build()


# Chains of bars that drift in space: the experiments of Schröder with three and with four.
#
# P. Schröder, "The Virtual Erector Set", MIT 1990, sections 7.4 and 7.5. Bars are boxes of 10 × 1 ×
# 0.5 m and 1 kg along x, on revolute joints about z, 4 m from their centres. Masses are not stated
# there; the sticks of section 7.2, with which the numbers agree, have these. Three bars are one
# mechanism in four descriptions, which must move alike. They keep their energy and momentum; four
# bars on which a couple acts turn faster and faster, whichever end is nailed.


BAR_SIZE, BAR_MASS, ARM = (10.0, 1.0, 0.5), 1.0, 4.0
"""Size [m], mass [kg], and how far joints are from the centre of a bar [m]."""
RATE = 0.1
"""Of the bar that turns [rad/s]."""
COUPLE = 1.0
"""On the second of four bars [N m]; not stated in the thesis."""

DESCRIPTIONS = {
    "left": (("left", ""), ("middle", "left"), ("right", "middle")),
    "right": (("right", ""), ("middle", "right"), ("left", "middle")),
    "middle": (("middle", ""), ("left", "middle"), ("right", "middle")),
    "middle_reversed": (("middle", ""), ("right", "middle"), ("left", "middle")),
}
"""Bars and those that carry them, in order, by the name of the root."""
PLACES = {"left": -1, "middle": 0, "right": 1}


def three_bars(
    description: Literal["left", "right", "middle", "middle_reversed"] = "middle",
    idle: bool = False,
) -> Scene:
    """Return three bars in line, of which the right one turns; `description` says what is the root.

    `idle` adds a body that does nothing, and must change nothing.
    """
    if description not in DESCRIPTIONS:
        hint = suggestion(description, DESCRIPTIONS)
        raise ValueError(f"unknown description {description!r}{hint}")
    builder = Builder("three_bars", gravity=(0.0, 0.0, 0.0))
    add_bars(builder, DESCRIPTIONS[description], PLACES)
    if idle:
        add_bars(builder, (("idle", ""),), {"idle": 3})
    model = builder.build()
    q0, v0 = model.neutral(), at_rest(model)
    root = model.joint(DESCRIPTIONS[description][0][0])
    q0[root.q_slice.start] = 2 * ARM * PLACES[root.name]
    if root.name == "right":
        v0[root.v_slice] = 0.0, ARM * RATE, 0.0, 0.0, 0.0, RATE
        v0[model.joint("middle").v_slice] = -RATE
    else:
        v0[model.joint("right").v_slice] = RATE
    return Scene("three bars", model, q0, v0, ground=None, duration=60.0, dt=0.01)


def four_bars(nailed: Literal["root", "tip"] | None = None) -> Scene:
    """Return four bars in line, a couple on the second, free or with a bar `nailed` at one end."""
    nails = {None: None, "root": "bar_0", "tip": "bar_3"}
    if nailed not in nails:
        raise ValueError(f"nailed is {nailed!r}, must be 'root', 'tip' or None")
    names = [f"bar_{k}" for k in range(4)]
    builder = Builder("four_bars", gravity=(0.0, 0.0, 0.0))
    places = {name: k for k, name in enumerate(names)}
    add_bars(builder, tuple(zip(names, ["", *names[:-1]], strict=True)), places)
    model = builder.build()
    parts: list[Part] = [Wrench("bar_1", torque=(0.0, 0.0, COUPLE), name="couple")]
    held = nails[nailed]
    if held is not None:
        parts.append(Nail(held, pose=True, name="nail"))
    q0, v0 = model.neutral(), at_rest(model)
    return Scene(
        "four bars", model, q0, v0, ground=None, forces=tuple(parts), duration=15.0, dt=0.01
    )


def add_bars(
    builder: Builder, bars: tuple[tuple[str, str], ...], places: Mapping[str, int]
) -> None:
    """Add bars on those that carry them, "" for none; `places` are theirs in the row."""
    centers: dict[str, float] = {}
    for name, parent in bars:
        side = places[name] - places[parent] if parent else 0
        center = centers[name] = ARM * side
        builder.body(name, BAR_MASS, com=(center, 0.0, 0.0), inertia=solids.box(BAR_MASS, BAR_SIZE))
        if parent:
            at = (centers[parent] + center, 0.0, 0.0)
            builder.joint(name, "revolute", parent, name, position=at)
        else:
            builder.joint(name, "free", WORLD, name)
        builder.frame(f"{name}_center", name, position=(center, 0.0, 0.0))
        color = COLORS[places[name] % len(COLORS)]
        show(builder, name, "box", BAR_SIZE, color, (center, 0.0, 0.0))

"""Planar walkers: compass, Dribbel, round feet, simplest walker, rimless wheel."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from tarsus._lib.checks import number
from tarsus._lib.errors import WORLD, ModelError
from tarsus._lib.files import Array
from tarsus.events import guards, parameters, resets
from tarsus.events.phase import Exit, Phase
from tarsus.gait.walkers.stance import Stance
from tarsus.gait.walkers.touchdown import RELABEL as STRAIGHT
from tarsus.gait.walkers.touchdown import straight_strike
from tarsus.gait.walkers.walker import Factory, Section, Walker
from tarsus.model.builder import Builder
from tarsus.model.editor import Editor
from tarsus.model.model import Model
from tarsus.robots.walkers import LOWER, UPPER
from tarsus.robots.walkers import compass as compass_model
from tarsus.robots.walkers import dribbel as model

# The compass walker: two straight legs that step down a slope by themselves.
#
# The stance foot is a pivot, on which the walker leans by q₃, its legs q₄ apart.
#
# V. Duindam, "Port-Based Modeling and Control for Efficient Bipedal Walking Robots", University of
# Twente 2006, section 4.2; passive gaits at 3°, 9.8 m/s² and masses of 1 and 5 kg.


SLOPE, GRAVITY = math.radians(3.0), 9.8
"""Of the passive gaits [rad, m/s²]."""
STABLE = (0.2992945, -1.0729629, 0.7084066)
UNSTABLE = (0.2795542, -1.1647713, 0.5698736)
"""Passive gaits (q₃, q̇₃, q̇₄) just after a strike [rad, rad/s]."""
SECTION = Section(
    ("lean", "lean rate", "hip rate"),
    lambda x: (np.stack([x[..., 0], -2.0 * x[..., 0]], axis=-1), x[..., 1:]),
    lambda q, v: np.concatenate([q[..., :1], v], axis=-1),
)
"""Both feet are on the slope."""
PARAMETERS = {
    "leg_mass": parameters.Mass("left") + parameters.Mass("right"),
    "hip_mass": parameters.Mass("hip"),
    "slope": parameters.Slope(),
    "gravity": parameters.Gravity(),
    "stiffness": parameters.Stiffness("hip"),
    "damping": parameters.Damping("hip"),
}


def compass(
    leg_mass: float = 1.0,
    hip_mass: float = 5.0,
    slope: float = SLOPE,
    gravity: float = GRAVITY,
    stiffness: float = 0.0,
    damping: float = 0.0,
    center: float = 0.5,
) -> Walker:
    """Return the compass walker of unit legs: masses [kg] in them and at the hip.

    A spring [N m/rad] and a damper [N m s/rad] may act between the legs, whose masses are at
    `center` of their length from the feet. Goswami's walker has `leg_mass=5, hip_mass=10,
    gravity=9.81`.
    """
    numbers = {
        "leg_mass": leg_mass,
        "hip_mass": hip_mass,
        "slope": slope,
        "gravity": gravity,
        "stiffness": stiffness,
        "damping": damping,
        "center": center,
    }
    return Walker.from_phases(
        walking(**numbers),
        name="compass",
        start=start(),
        ahead=ahead,
        slope=slope,
        factory=Factory(compass, numbers, PARAMETERS),
        section=SECTION,
        machine=partial(_machine, **numbers),
    )


def _machine(slope: float, **numbers: float) -> Stance:
    """Return the walker on its feet, whose coordinates are those of the phase."""
    feet = (("left_foot", np.eye(4)), ("right_foot", np.eye(4)))
    masses = [numbers.pop(name) for name in ("leg_mass", "hip_mass")]
    return Stance(compass_model(*masses, rooted=False, **numbers), feet, "line", None, slope)


def walking(**numbers: float) -> Phase:
    """Return the phase "swing" of `ts.robots.compass(**numbers)`, which a strike leads back into.

    Its coordinates are (q₃, q₄); slope and gravity are those of the thesis unless stated.
    """
    numbers = {"slope": SLOPE, "gravity": GRAVITY, **numbers}
    free, pivoted = (compass_model(**numbers, rooted=rooted) for rooted in (False, True))
    strike = straight_strike(free, "right_foot")
    lean = guards.JointPosition("lean")
    fell = (
        Exit(lean + math.pi / 2, name="fell ahead"),
        Exit(math.pi / 2 - 1.0 * lean, name="fell back"),
    )
    return Phase(pivoted, (strike, *fell), name="swing")


def start(gait: tuple[float, float, float] = STABLE) -> tuple[Array, Array]:
    """Return (q₃, q₄) and their rates for a gait: both feet are on the slope."""
    return np.array([gait[0], -2.0 * gait[0]]), np.array([gait[1], gait[2]])


def ahead(q: Array) -> Array:
    """Return how far the swing foot is ahead of the stance foot [m]."""
    return np.asarray(np.sin(q[..., 0] + q[..., 1]) - np.sin(q[..., 0]))


# Dribbel: the swing knee bends, strikes its stop and locks, then the foot strikes.
#
# A step has two phases. In "swing" the stance foot is a pivot, the stance knee is locked, and the
# swing knee is free from a straight leg on; it ends where the knee is straight again. In "reach"
# both knees are locked, as those of a compass walker, until the foot strikes.
#
# V. Duindam, "Port-Based Modeling and Control for Efficient Bipedal Walking Robots", University of
# Twente 2006, section 4.3.


DRIBBEL_SLOPE = math.radians(3.0)
"""Of the passive gaits [rad]."""
DRIBBEL_STABLE = (0.268905, -1.145241, 0.339580)
DRIBBEL_UNSTABLE = (0.254846, -1.144223, 0.280173)
"""Passive gaits (q₃, q̇₃, q̇₅) just after a strike [rad, rad/s]."""
RELABEL = np.vstack([STRAIGHT, np.zeros(4)])
"""From (q₁, q₂, q₃, q₅) to (q₃, q₅, q₆), legs exchanged, the knee straight (4.29)."""
LOCK = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
"""From (q₃, q₅, q₆) to (q₃, q₅)."""


def dribbel(slope: float = DRIBBEL_SLOPE, gravity: float = 9.81) -> Walker:
    """Return Dribbel on a slope [rad] that falls along its way."""
    tilted = {"slope": slope, "gravity": gravity}
    bent, straight, free = (
        model(knees=knees, rooted=rooted, slope=slope, gravity=gravity)
        for knees, rooted in (("swing", True), ("none", True), ("none", False))
    )
    knee = Exit(
        guards.JointPosition("swing_knee"),
        to="reach",
        crossing="rising",
        reset=(resets.Impact(locked(bent)), resets.Linear(LOCK)),
        name="knee strike",
    )
    strike = straight_strike(free, "swing_foot", RELABEL)
    return Walker.from_phases(
        (Phase(bent, knee, name="swing"), Phase(straight, strike, name="reach")),
        start=dribbel_start(),
        ahead=_ahead,
        name="dribbel",
        slope=slope,
        factory=Factory(dribbel, tilted),
    )


def dribbel_start(gait: tuple[float, float, float] = DRIBBEL_STABLE) -> tuple[Array, Array]:
    """Return (q₃, q₅, q₆) and their rates for a gait: both feet are on the slope."""
    return np.array([gait[0], -2.0 * gait[0], 0.0]), np.array([gait[1], gait[2], 0.0])


def locked(model: Model) -> Model:
    """Return the model with its swing knee locked straight, by a constraint to fall onto."""
    at = np.eye(4)
    at[2, 3] = -UPPER
    editor = Editor(model)
    editor.close_loop("weld", "swing_thigh", at, "swing_shank", np.eye(4), constraint=True)
    return editor.build()


def _ahead(q: Array) -> Array:
    """Return how far the swing foot is ahead of the stance foot [m], knees locked."""
    return np.asarray((UPPER + LOWER) * (np.sin(q[..., 0] + q[..., 1]) - np.sin(q[..., 0])))


# A walker on round feet: straight legs whose soles roll, so that strikes take less than on points.
#
# The stance leg rolls on its sole by `roll` ahead, the swing leg hangs from the hip. With soles as
# round as legs are long the hip is the hub of a wheel, which nothing stops: McGeer's synthetic
# wheel.
#
# T. McGeer, "Passive dynamic walking", International Journal of Robotics Research 9, 1990, sections
# 3 and 5.


FEET = ("left_foot", "right_foot")
START = (-0.3, 1.1, 0.7)
"""Roll, its rate and the hip's after a strike, about those of a gait [rad, rad/s]."""
ROUND_SECTION = Section(
    ("roll", "roll rate", "hip rate"),
    lambda x: (np.stack([x[..., 0], 2.0 * x[..., 0]], axis=-1), x[..., 1:]),
    lambda q, v: np.concatenate([q[..., :1], v], axis=-1),
)
"""Both feet are on the slope: legs lean as much, one ahead, one back."""


def round_feet(
    radius: float = 0.3,
    leg_mass: float = 1.0,
    hip_mass: float = 5.0,
    slope: float = math.radians(3.0),
    gravity: float = 9.8,
    center: float = 0.5,
) -> Walker:
    """Return a walker of unit legs on soles of `radius` [m], that of a compass but for its feet.

    Masses [kg] are at the hip and at `center` of the legs from their feet.
    """
    numbers = {
        "radius": radius,
        "leg_mass": leg_mass,
        "hip_mass": hip_mass,
        "slope": slope,
        "gravity": gravity,
        "center": center,
    }
    if not 0.0 < number(radius, "radius") <= 1.0:
        raise ModelError(f"round_feet: radius is {radius:g} m, must be from above 0 to a leg's, 1")
    model = compass_model(leg_mass, hip_mass, gravity=gravity, center=center)
    return Walker.from_model(
        model,
        FEET,
        stance="round",
        radius=radius,
        slope=slope,
        start=ROUND_SECTION.place(np.array(START)),
        name="round feet",
        factory=Factory(round_feet, numbers),
        section=ROUND_SECTION,
    )


# The simplest walker: a mass at the hip, feet that weigh almost nothing, gravity and legs of 1.
#
# M. Garcia, A. Chatterjee, A. Ruina, M. Coleman, "The simplest walking model: stability,
# complexity, and scaling", Journal of Biomechanical Engineering 120, 1998.


LONG = (0.200310900544287, -0.199832473004977)
SHORT = (0.193937369810184, -0.203866927442010)
"""Stance leg and its rate after a strike at a slope of 0.009 with feet without mass (Garcia)."""


def simplest_walker(slope: float = 0.009, foot_mass: float = 1e-6) -> Walker:
    """Return the simplest walker on a `slope` [rad], whose feet weigh `foot_mass` of its hip.

    Lengths are in legs, masses in hips, times in √(l/g).
    """
    lean, rate = LONG
    # the swing foot leaves with no speed of its own: (1 − cos 2θ) θ̇ between the legs
    hip_rate = -(1.0 - np.cos(2.0 * lean)) * rate
    return Walker.from_phases(
        walking(leg_mass=foot_mass, hip_mass=1.0, slope=slope, gravity=1.0, center=0.0),
        name="simplest_walker",
        start=([lean, -2.0 * lean], [rate, hip_rate]),
        ahead=ahead,
        slope=slope,
        factory=Factory(
            simplest_walker,
            {"slope": slope, "foot_mass": foot_mass},
            {"slope": PARAMETERS["slope"]},
        ),
        section=SECTION,
        longest=20.0,
    )


# The rimless wheel: spokes that roll down a slope, each strike a step; the walker with an answer.
#
# T. McGeer, "Passive dynamic walking", International Journal of Robotics Research 9, 1990, section
# 2; M. Coleman, A. Chatterjee, A. Ruina, "Motions of a rimless spoked wheel", 1997.


def rimless_wheel(
    spokes: int = 8,
    slope: float = 0.1,
    mass: float = 1.0,
    inertia: float = 0.0,
    length: float = 1.0,
    gravity: float = 9.81,
) -> Walker:
    """Return a wheel of `spokes` without a rim on a `slope` [rad].

    Its `mass` [kg] is at the hub, with a moment of `inertia` [kg m²] about it; spokes have a
    `length` [m]. The coordinate is how far the stance spoke leans back from the normal of the
    slope.
    """
    if not number(spokes, "spokes") >= 3 or spokes != int(spokes):
        raise ValueError(f"spokes is {spokes}, must be a whole number from 3 on")
    between = 2.0 * math.pi / int(spokes)
    values = {"mass": mass, "inertia": inertia, "length": length, "gravity": gravity}
    # what turns about the new foot keeps its angular momentum
    kept = (inertia + mass * length**2 * math.cos(between)) / (inertia + mass * length**2)
    lean = guards.JointPosition("lean")
    strike = Exit(
        lean + 0.5 * between,
        to="rolling",
        reset=resets.Linear([[1.0]], shift=[between], rates=[[kept]]),
        name="strike",
    )
    back = Exit(0.5 * between + 1e-6 - 1.0 * lean, name="rolled back")
    phase = Phase(_model(between, slope, **values), (strike, back), name="rolling")
    rate = -math.sqrt(gravity / length) * max(1.0, 2.0 * math.sqrt(between))
    return Walker.from_phases(
        phase,
        name="rimless wheel",
        start=([0.5 * between], [rate]),
        ahead=lambda q: np.full(np.shape(q)[:-1], 2.0 * length * math.sin(0.5 * between)),
        slope=slope,
        factory=Factory(
            rimless_wheel,
            {"spokes": spokes, "slope": slope, **values},
            {"slope": parameters.Slope(), "gravity": parameters.Gravity()},
        ),
        section=_section(0.5 * between),
    )


def _section(lean: float) -> Section:
    def place(x: Array) -> tuple[Array, Array]:
        return np.full_like(x, lean), x

    return Section(("lean rate",), place, lambda q, v: v)


def _model(
    between: float,
    slope: float,
    *,
    mass: float,
    inertia: float,
    length: float,
    gravity: float,
) -> Model:
    builder = Builder("rimless wheel", gravity=(0.0, 0.0, -gravity))
    hub, tilt = (0.0, 0.0, length), (0.0, slope, 0.0)
    builder.body("wheel", mass, hub, inertia=(inertia, inertia, inertia))
    builder.joint("lean", "revolute", WORLD, "wheel", axis=(0.0, -1.0, 0.0), rotation=tilt)
    for k in range(round(2.0 * math.pi / between)):
        a = k * between
        middle = (0.5 * length * math.sin(a), 0.0, length - 0.5 * length * math.cos(a))
        builder.shape(
            *("wheel", "cylinder", (0.02 * length, length)),
            position=middle,
            rotation=(0.0, -a, 0.0),
        )
    return builder.build()

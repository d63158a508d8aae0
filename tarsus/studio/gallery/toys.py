"""Gallery entries: toys."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tarsus import scenes
from tarsus.studio.document import Guide, Slider

# What an entry of the gallery is.


@dataclass(frozen=True)
class Entry:
    """A scene of the gallery: how it is made, what it invites to, and what is charted at first.

    `make` returns a Scene, a Model or a Document. `sliders` are (name, target, low, high).
    """

    name: str
    invite: str
    """In a line, what is there to see."""
    make: Callable[[], Any]
    guide: Guide
    charts: tuple[str, ...] = ()
    sliders: tuple[tuple[str, str, float, float], ...] = ()
    lines: tuple[str, ...] = ()
    """What is said to the stage once the scene is there."""

    @property
    def title(self) -> str:
        """What it is called."""
        return self.guide.title

    def bound(self) -> dict[str, Slider]:
        """Return its sliders by name."""
        return {name: Slider(target, low, high) for name, target, low, high in self.sliders}


# Toys of the gallery: what snaps together, swings, spins, rolls and drives.


TOYS = (
    Entry(
        "tensegrity",
        "Five sticks, fifteen rubber bands, no stick touches another",
        scenes.tensegrity,
        Guide(
            "Tensegrity ball",
            "Five loose sticks hang between fifteen rubbers. Press play: they snap together to a "
            "ball that stands by pulling alone (P. Schröder, The Virtual Erector Set, 7.2).",
            (
                "Play, and wait eight seconds.",
                "Pull at a stick: the ball gives way and comes back.",
                "Delete one rubber and see what is left.",
                "Turn the stiffness while it runs.",
            ),
            ("energy:springs: what the rubbers store", "force:stringB1: the pull of one rubber"),
            "Does the ball at rest get larger or smaller when all rubbers are twice as stiff?",
            "Neither. Its shape is where the energy of the rubbers is least, and twice the energy "
            "is least at the same place: 4.49 m on top and below, 4.76 m across.",
        ),
        ("energy:springs", "energy:kinetic", "force:stringB1"),
        (("stiffness", "string*.stiffness", 5.0, 80.0),),
    ),
    Entry(
        "pendulum_wave",
        "Fifteen pendulums that part, dance, and meet again after twenty seconds",
        scenes.pendulum_wave,
        Guide(
            "Pendulum wave",
            "Each pendulum makes one swing more than its neighbour in twenty seconds.",
            ("Play, and look along the row.", "Stop one bob with the hand and let it go."),
            (
                "q:bob_0, q:bob_14: the slowest and the fastest",
                "energy:residual: what the steps make",
            ),
            "When do all swing together again, if you start them twice as far out?",
            "After the same twenty seconds times a factor that is the same for all: a wide swing "
            "is slower, but in the same share for each.",
        ),
        ("q:bob_0", "q:bob_14", "energy:residual"),
    ),
    Entry(
        "gyroscope",
        "A heavy wheel that does not fall while it spins",
        scenes.gyroscope,
        Guide(
            "Gyroscope",
            "A wheel spins on an axle that is held at one end only. Gravity turns it about the "
            "upright instead of down.",
            ("Play.", "Push the axle down with the hand: it yields sideways."),
            ("energy:kinetic: nearly all of it is spin",),
            "Which way does it turn if the wheel spins the other way round?",
            "The other way: its spin and the torque of gravity together say which way.",
        ),
        ("energy:kinetic", "energy:gravity"),
    ),
    Entry(
        "car",
        "A car on four springs: brake it into a slide",
        scenes.car,
        Guide(
            "Police car",
            "Two tonnes on four springs with dampers, as in the film that the thesis was made for "
            "(7.3). The front springs carry 4299 N each at rest, the rear ones 5511 N.",
            (
                "Play and let it settle.",
                "Grab the roof and rock it.",
                "Lower the damping in front.",
            ),
            ("force:support_front_left and its neighbours: the loads of the wheels",),
            "Which wheels carry more, and why?",
            "The rear ones, which are nearer to the centre of mass: 1.52 m behind it against "
            "1.95 m in front.",
        ),
        ("energy:kinetic", "energy:springs"),
    ),
    Entry(
        "cans",
        "Cans on wires behind a car, as after a wedding",
        scenes.cans,
        Guide(
            "Cans behind a car",
            "Cans hang on wires at the bumper, bounce on the road, and hit each other.",
            ("Play.", "Tear at the last can.", "Make the road slippery."),
            ("energy:kinetic", "work:contact_friction: what the road takes"),
            "Which can jumps most?",
            "The last one: every jerk of the others runs along the wires and ends there.",
        ),
        ("work:contact_friction", "work:impacts"),
        (("friction", "ground.friction", 0.0, 1.2),),
    ),
    Entry(
        "bowl",
        "A ball that rolls in a bowl, without slipping",
        scenes.bowl,
        Guide(
            "Ball in a bowl",
            "A ball rolls on a smooth surface, held by friction alone.",
            ("Play.", "Pull the ball up the wall and let go.", "Take the friction away."),
            ("energy:total", "work:contact_friction"),
            "Does a ball that rolls come to rest sooner than one that slides?",
            "Here neither does: friction that only holds does no work, and there is none without "
            "friction. Between the two, while it slips and turns, energy is lost.",
        ),
        ("energy:total", "work:contact_friction"),
        (("friction", "ground.friction", 0.0, 1.0),),
    ),
)

"""Walkers of the gallery: compass, round feet, the quadruped, Lola."""

from __future__ import annotations

from tarsus import scenes
from tarsus.gait import walkers
from tarsus.geometry import Ground
from tarsus.studio.document import Document, Guide
from tarsus.studio.gallery.entry import Entry
from tarsus.studio.opening import of_model


def compass() -> Document:
    """Return the compass walker on a slope of three degrees."""
    return _walker(walkers.compass())


def round_feet() -> Document:
    """Return a compass walker on round feet."""
    return _walker(walkers.round_feet())


def _walker(walker: walkers.Walker) -> Document:
    assert walker.stance is not None
    ground = Ground(slope=walker.slope)
    return of_model(walker.stance.model).but(walker=walker, ground=ground)


WALKERS = (
    Entry(
        "compass",
        "Two legs and a hip walk downhill, with no motor at all",
        compass,
        Guide(
            "Compass walker",
            "Gravity gives back what each strike of a foot takes. Press “Find the gait”: its "
            "speed, its multipliers and its return map are computed from no guess.",
            (
                "Find the gait, and play.",
                "Find it on a steeper slope, 0.07 rad, and a flatter one.",
                "Push it: start 2 % too fast.",
            ),
            (
                "q:hip over v:hip, the phase portrait",
                "the sizes of the multipliers: below one it is stable",
            ),
            "How much of a push of 2 % is left after five steps?",
            "About 0.49⁵, three in a hundred of it: each step keeps the largest multiplier of the "
            "deviation.",
        ),
        ("energy:kinetic", "energy:gravity"),
        lines=("gait",),
    ),
    Entry(
        "round_feet",
        "The same legs on round feet are faster, and lose less",
        round_feet,
        Guide(
            "Round feet",
            "T. McGeer's idea: feet that roll as wheels do lose less at each strike.",
            ("Find the gait, and compare its speed with that of the compass walker.",),
            ("speed and step length in the answer of the console",),
            "Why is it faster on the same slope?",
            "The same fall gives the same energy, but a round foot strikes less hard: it takes a "
            "higher speed until a strike takes all that the slope gives.",
        ),
        ("energy:kinetic", "energy:gravity"),
        lines=("gait",),
    ),
    Entry(
        "quadruped",
        "A quadruped trots, on contacts that are solved exactly",
        scenes.trot,
        Guide(
            "Quadruped",
            "Four legs with toes trot on the spot of a plan; the ground's forces are what the "
            "exact contact problem says, in each of two thousand steps a second (A. Ayit).",
            (
                "Play, and watch the arrows: stick, slip, impact.",
                "Make the ground slippery.",
                "Pull the trunk sideways.",
            ),
            ("work:contact_friction", "z of the trunk"),
            "At which friction does it begin to slip?",
            "Lower the slider until arrows change their kind: it is where the push of the feet, "
            "sideways over down, meets the coefficient.",
        ),
        ("energy:kinetic", "work:contact_friction", "work:supplied"),
        (("friction", "ground.friction", 0.05, 1.2),),
    ),
    Entry(
        "lola",
        "A humanoid with 46 freedoms: arms, elastic gears, spindles in its knees",
        scenes.elastic_lola,
        Guide(
            "Lola with arms",
            "Held at the torso. Each joint turns the rotor of its motor through a harmonic drive "
            "of ratio 100 that gives way like a spring; knees and ankles are moved by spindles.",
            (
                "Grab a hand and pull.",
                "Let go, and watch the gears swing out.",
                "Make the gear of an elbow softer.",
            ),
            ("energy:springs: what is in the gears",),
            "Why does a hand that you let go not just stop?",
            "The rotors count ten thousandfold at the joint: ratio squared. They swing on.",
        ),
        ("energy:springs", "energy:kinetic"),
    ),
)

"""Gallery entries: linkages and walkers."""

from __future__ import annotations

import numpy as np

from tarsus import robots, scenes
from tarsus.gait import walkers
from tarsus.geometry.grounds import Ground
from tarsus.model.model import Model
from tarsus.parts.motions import JointMotion
from tarsus.studio.document import Document, Guide
from tarsus.studio.gallery.toys import Entry
from tarsus.studio.opening import of_model

# Linkages of the gallery: bars, chains with nailed ends, Jansen's leg.


def four_bar() -> Document:
    """Return a four-bar over free space, whose crank falls."""
    return of_model(robots.four_bar()).but(ground=None)


def strandbeest() -> Document:
    """Return Jansen's leg with a crank that turns once in two seconds."""
    model: Model = robots.strandbeest_leg()
    crank = next(joint.name for joint in model.joints if not joint.dependent and joint.nv == 1)
    turning = JointMotion(crank, 0.0, name="crank_motor")
    return of_model(model).but(
        ground=None,
        parts={turning.name: turning},
        bindings={"crank_motor.target": f"{np.pi!r}*t"},
    )


LINKAGES = (
    Entry(
        "four_bar",
        "The mother of all linkages: one loop, one freedom",
        four_bar,
        Guide(
            "Four-bar linkage",
            "Three bars and the ground close a loop. Eighteen velocities and twenty equations "
            "leave one freedom: the tree view shows the cluster.",
            (
                "Play: the crank falls and swings.",
                "Drag the coupler around.",
                "Delete a joint while it runs, then undo.",
            ),
            ("energy:residual: what a loop costs in truth",),
            "How many of the twenty equations of the four hinges are needed?",
            "Seventeen: in the plane the others repeat what is true anyway.",
        ),
        ("energy:kinetic", "energy:gravity", "energy:residual"),
    ),
    Entry(
        "three_bars",
        "Three bars afloat, one of which turns a little",
        scenes.three_bars,
        Guide(
            "Three bars",
            "Nothing holds them and nothing pulls: what one bar does, the others answer "
            "(The Virtual Erector Set, 7.4).",
            ("Play at four times the speed.", "Pin one end."),
            ("energy:kinetic: 0.1221 J for ever",),
            "What stays the same however the bars swing?",
            "Energy, momentum and the momentum of turning: nothing from outside acts.",
        ),
        ("energy:kinetic", "energy:residual"),
    ),
    Entry(
        "nailed_chain",
        "Four bars in a row, one end nailed, turned by a couple",
        lambda: scenes.four_bars("root"),
        Guide(
            "Chain with a nailed end",
            "A couple turns the second bar; the first one is nailed and must not move (7.5).",
            ("Play.", "Delete the nail while it runs.", "Nail the other end instead."),
            ("force of the nail", "y:bar_3: how the far end swings"),
            "How far has the nailed bar gone after fifteen seconds?",
            "By less than a tenth of a millimetre. In the thesis it was up to two centimetres: its "
            "nail held accelerations only.",
        ),
        ("y:bar_3", "x:bar_0", "energy:kinetic"),
    ),
    Entry(
        "strandbeest",
        "Theo Jansen's leg: twelve lengths that turn a crank into a step",
        strandbeest,
        Guide(
            "Strandbeest leg",
            "Eleven bars, four loops, one freedom. The crank turns once in two seconds.",
            (
                "Play and watch the foot.",
                "Step slowly through one turn.",
                "Bind the crank to another expression of t.",
            ),
            ("the height of the foot over a turn",),
            "Which part of a turn is the foot on the ground?",
            "About half of it, nearly straight and level: that is what the lengths were bred for.",
        ),
        ("energy:kinetic",),
    ),
    Entry(
        "hanging_chain",
        "A chain between two poles",
        scenes.hanging_chain,
        Guide(
            "Hanging chain",
            "Links between two nails, let go from a line that is not their shape.",
            ("Play.", "Delete a nail.", "Grab the middle and shake."),
            ("energy:total: only what damping takes is lost",),
            "Which curve do the links come to rest on?",
            "A catenary, as near as so many links can follow it.",
        ),
        ("energy:kinetic", "energy:gravity"),
    ),
)


# Walkers of the gallery: compass, round feet, the quadruped, Lola.


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

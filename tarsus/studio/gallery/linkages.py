"""Linkages of the gallery: bars, chains with nailed ends, Jansen's leg."""

from __future__ import annotations

import numpy as np

from tarsus import robots, scenes
from tarsus.constraint import JointMotion
from tarsus.model import Model
from tarsus.studio.document import Document, Guide
from tarsus.studio.gallery.entry import Entry
from tarsus.studio.opening import of_model


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

"""A quadruped that trots: diagonal feet stand in turn, and springs lead its joints.

On two points it can fall about the line between them, which no joint prevents; it does so for a
step, and the other two feet catch it. Where both of them land at the same time, and how far ahead
of the body they stand, decides whether it pitches: `offset` levels it.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from tarsus.gait.walkers.footed import Feet, footed
from tarsus.gait.walkers.groups import Groups
from tarsus.gait.walkers.section import State
from tarsus.gait.walkers.trot_drive import TrotDrive, TrotPlan, Trotting
from tarsus.gait.walkers.walker import Walker
from tarsus.model import Editor, Model, ModelError
from tarsus.model.checks import number, numbers
from tarsus.robots.quadruped import quadruped
from tarsus.robots.quadruped import standing as posture_of
from tarsus.spatial import pose

FEET: Feet = (["front_left_tip", "hind_right_tip"], ["front_right_tip", "hind_left_tip"])
"""Those of `ts.robots.quadruped()`."""


def trot(
    model: Model | None = None,
    feet: Feet = FEET,
    posture: ArrayLike | None = None,
    *,
    step: float = 0.08,
    beat: float = 0.2,
    lift: float = 0.02,
    offset: float = 0.0,
    stiffness: float = 3000.0,
    damping: float = 40.0,
    slope: float = 0.0,
) -> Walker:
    """Return a quadruped that trots with steps of length `step` [m] in about `beat` [s].

    `feet` are the diagonal pairs, front left and hind right first, and `posture` (nq,) is the
    configuration around which it does; both are those of `ts.robots.quadruped()` unless stated.
    Feet swing as high as `lift` [m], all of them `offset` [m] ahead of where the posture has them;
    joints have `stiffness` [N m/rad] and `damping` [N m s/rad].
    """
    given = {
        "step": step,
        "beat": beat,
        "lift": lift,
        "offset": offset,
        "stiffness": stiffness,
        "damping": damping,
        "slope": slope,
    }
    for name in ("beat", "lift", "stiffness"):
        if not number(given[name], name) > 0.0:
            raise ModelError(f"trot: {name} is {given[name]:g}, must be positive")
    if model is None:
        model = _smooth(quadruped())
        posture = posture_of(model, "P2") if posture is None else posture
    elif posture is None:
        raise ValueError("posture is missing: the configuration around which the model trots")
    base = np.array(numbers(posture, (model.nq,), "posture"))
    made, told = footed(model, feet, "point", 0.0, slope, False)
    if not isinstance(made, Groups):
        raise ValueError(f"feet are {feet!r}, must be two lists of feet that stand together")
    way = Trotting(step, beat, lift, offset)
    standing = (made.stance.feet[0], *made.beside)
    plan = TrotPlan(model, base, standing, made.landing, way)
    drive = TrotDrive(plan, made.stance.standing, (stiffness, damping))
    walker = Walker(
        made.phases(drive),
        name="trot",
        start=_start(plan, made),
        ahead=made.ahead,
        slope=slope,
        numbers=given,
        recipe=partial(trot, model, feet, base),
        machine=partial(_same, made),
        events=made.events,
        heading=made.heading,
        clocked=True,
        longest=3.0 * beat,
    )
    walker.notes = (*told, *made.notes)
    return walker


def _smooth(model: Model) -> Model:
    """Return a model whose joints have no dry friction, which would jump wherever they turn."""
    editor = Editor(model)
    for joint in model.joints:
        if np.any(joint.friction):
            editor.change("joint", joint.name, friction=0.0)
    return editor.build()


def _start(plan: TrotPlan, support: Groups) -> State:
    """Return the state at the beginning of a step that goes as planned, its feet on the ground."""
    m, way = plan.model, plan.way
    q, soon = plan.angles(0.0), plan.angles(1e-4)
    v = np.asarray(m.difference(q, soon)) / (1e-4 * way.beat)
    v[0] = way.step / way.beat  # along x of the body, which is level
    name, at = support.stance.feet[0]
    place = pose((np.asarray(m.frame_pose(q, name)) @ at)[:3, 3])
    state = support.stance.standing.from_original(q, v, at=place @ support.stance.at)
    there, rates, _ = support.planted.strike(state.q, state.v)
    return there, rates


def _same(support: Groups) -> Groups:
    return support

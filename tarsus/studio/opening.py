"""What a stage begins with: a model, a scene or a document, as a document with a state."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from tarsus._lib.files import Array
from tarsus.geometry.ground_placement import stand
from tarsus.geometry.grounds import Terrain
from tarsus.model import Model
from tarsus.parts.part import Part
from tarsus.scenes.scene import Scene
from tarsus.simulation import StartError
from tarsus.simulation.contact import Compliant, Event, law_of
from tarsus.studio.document import Document
from tarsus.studio.live_model import simulation_of

State = tuple[Array, Array]
WHOLE_RUNS = (Event, Compliant)
"""Contact laws that make no steps."""


def opened(what: Any) -> tuple[Document, Model | None, State | None]:
    """Return a document, its model and its state, as far as they are known."""
    if what is None:
        return Document(), None, None
    if isinstance(what, Document):
        return what, None, None
    if isinstance(what, Model):
        document = of_model(what)
        return document, what, standing(document, what)
    if isinstance(what, Scene):
        return of_scene(what), what.model, (what.q0, what.v0)
    raise TypeError(f"what is {what!r}, must be a Model, a Scene or a Document")


def of_model(model: Model) -> Document:
    """Return a document with a model on level ground; its forces become parts with names."""
    stated = replace(model.description, forces=[])
    return Document(stated, parts=named(model.forces))


def of_scene(scene: Scene) -> Document:
    """Return a document of a scene; laws for whole runs become that which makes steps."""
    steps = makes_steps(scene)
    return of_model(scene.model).but(
        parts={**named(scene.model.forces), **named(scene.forces)},
        ground=scene.ground,
        collision=scene.collision,
        controller=scene.controller,
        dt=scene.dt if steps else stable_step(scene),
        contact=scene.contact if steps else "exact",
        settings=dict(scene.settings),
    )


def makes_steps(scene: Scene) -> bool:
    """Return whether the contact law of a scene makes steps, as the studio does."""
    return not isinstance(law_of(scene.contact), WHOLE_RUNS)


def differences(scene: Scene, document: Document) -> list[str]:
    """Return what is not as the scene has it, for people to know."""
    if makes_steps(scene):
        return []
    law = law_of(scene.contact).name
    told = [f"contact is {document.contact} here: {law} is for whole runs, and makes no steps"]
    if document.dt < scene.dt:
        told.append(f"steps are of {document.dt:g} s: the controller is too stiff for longer ones")
    elif diverges(scene, document.dt):
        told.append(f"the controller is too stiff for steps of {document.dt:g} s: it may diverge")
    return told


def named(parts: Iterable[Any]) -> dict[str, Part]:
    """Return parts by their names; those that have none get one."""
    found: dict[str, Part] = {}
    for number, part in enumerate(parts, 1):
        name = part.name or f"{part.kind}{number}"
        found[name] = replace(part, name=name)
    return found


def standing(document: Document, model: Model) -> State:
    """Return the neutral state, lifted onto the ground where it would stick in it."""
    q, v = model.initial_configuration, np.zeros(model.nv)
    ground = document.ground
    if not isinstance(ground, Terrain):
        return q, v
    simulation, _ = simulation_of(document, model, q)
    try:
        simulation.reset(q, v)
    except StartError:
        q = stand(model, q, ground)
    return q, v


# Steps short enough for the feedback of a controller that was made for whole runs.
#
# An adaptive run takes shorter steps for a stiff feedback, and `dt` is the period of its records.
# Steps of length `dt` may be too long: τ = −K x − D v, constant in a step, is stable only if all
# eigenvalues of
#
#     v⁺ = v − dt M⁻¹ (K x + D v),   x⁺ = x + dt v⁺
#
# are within the unit circle.


LEAST_PART = 2**-8
"""Of the scene's dt; a feedback that is not stable with such steps is left as it is, and told."""
GROWTH = 1.01
"""By which a disturbance may grow in a step, as what falls over does."""
NUDGE = 1e-6
"""By which slopes of the feedback are found [m, rad, m/s, rad/s]."""


def stable_step(scene: Scene) -> float:
    """Return the dt of a scene, halved until the feedback of its controller is stable [s]."""
    if not callable(scene.controller):
        return scene.dt
    rates = _rates(scene)
    dt = scene.dt
    while dt >= LEAST_PART * scene.dt:
        if _growth(*rates, dt) <= GROWTH:
            return dt
        dt /= 2
    return scene.dt


def diverges(scene: Scene, dt: float) -> bool:
    """Return whether the feedback of a scene's controller is not stable with steps of dt [s]."""
    return callable(scene.controller) and _growth(*_rates(scene), dt) > GROWTH


def _rates(scene: Scene) -> tuple[Array, Array]:
    """Return M⁻¹ K and M⁻¹ D (nv, nv) of the controller at the start, stiffness and damping."""
    model, q, v = scene.model, scene.q0, scene.v0

    def effort(dq: Array, dv: Array) -> Array:
        return np.asarray(scene.controller(0.0, model.integrate(q, dq), v + dv))

    none, nudges = np.zeros(model.nv), NUDGE * np.eye(model.nv)
    stiffness = [effort(-x, none) - effort(x, none) for x in nudges]
    damping = [effort(none, -x) - effort(none, x) for x in nudges]
    mass = model.mass_matrix(q)
    slopes = (np.transpose(each) / (2 * NUDGE) for each in (stiffness, damping))
    first, second = (np.asarray(np.linalg.solve(mass, each), float) for each in slopes)
    return first, second


def _growth(stiffness: Array, damping: Array, dt: float) -> float:
    """Return by which a disturbance grows in a step, at most; both (nv, nv) are per mass."""
    one = np.eye(len(stiffness))
    velocity = np.hstack([-dt * stiffness, one - dt * damping])
    whole = np.vstack([np.hstack([one, 0 * one]) + dt * velocity, velocity])
    return float(np.abs(np.linalg.eigvals(whole)).max(initial=0.0))

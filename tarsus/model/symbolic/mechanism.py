"""A mechanism in symbols: parameters, and exact numbers instead of floating-point ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy

from tarsus._lib.errors import ModelError
from tarsus._lib.files import Array
from tarsus.model.couplings import in_order
from tarsus.model.description import Coupling, SurfaceStatement
from tarsus.model.model import Model
from tarsus.model.rolling import NUMBERS
from tarsus.model.symbolic.joints import (
    MOTIONS,
    UNIT,
    Frame,
    Motion,
    Surface,
    axis_plane,
    closed_form,
    exact,
    exact_array,
)
from tarsus.model.symbolic.recursions import Inertia, Link, Values, diagonal, skew
from tarsus.model.views import BodyView, JointView

# From a model to symbols: coordinates named after joints, exact numbers, links, couplings.


@dataclass(frozen=True)
class Mechanism:
    """A tree of links whose velocities follow from v: motion (n, nv) times v.

    `coupling` G (Σ nv of all joints, nv) has the velocities of the joints, and `armature` (nv, …)
    is Gᵀ times the inertias that belong to them.
    Where the subspace of a joint depends on q, the links move by constant subspaces instead, and
    `motion` brings their velocities together.
    """

    q: Values
    v: Values
    a: Values
    links: tuple[Link, ...]
    gravity: Values
    coupling: Values
    motion: Values
    armature: Values
    rate: Values
    parameters: Parameters

    def rate_of(self, values: Values, v: Values) -> Values:
        """Return the rates of an array of functions of q, for velocities v (nv,)."""
        speeds = dict(zip(self.v, v, strict=True))
        rate = [sympy.sympify(entry).xreplace(speeds) for entry in self.rate]
        result = np.zeros(values.shape, dtype=object)
        for index in zip(*np.nonzero(values), strict=True):
            found = sympy.sympify(values[index]).free_symbols
            result[index] = sum(
                sympy.diff(values[index], symbol) * speed
                for symbol, speed in zip(self.q, rate, strict=True)
                if symbol in found
            )
        return result


def mechanism(model: Model, *, symbolic: bool) -> Mechanism:
    """Return a model in symbols; with `symbolic` masses, lengths and so on are symbols, too."""
    _refuse_loops(model)
    numbers = Parameters(symbolic=symbolic)
    q, v, a = (_coordinates(model, letter) for letter in "qva")
    positions = _positions(model, q, numbers)
    coupling = _coupling(model, positions, q)
    motions = [
        MOTIONS[joint.kind](
            _frame(joint, numbers),
            positions[joint.position_slice],
            coupling[joint.velocity_slice] @ v,
        )
        for joint in model.joints
    ]
    own = [motion.rate for motion, joint in _pairs(motions, model) if joint.dependent == ""]
    armature = [numbers(f"armature_{name}", x) for name, x in _armatures(model)]
    return Mechanism(
        *(q, v, a),
        links=tuple(_links(model, motions, numbers)),
        gravity=numbers.gravity(model.gravity),
        coupling=coupling,
        motion=_motion(motions, model, coupling),
        armature=coupling.T * np.array(armature, dtype=object),
        rate=np.concatenate([np.zeros(0, dtype=object), *own]),
        parameters=numbers,
    )


def _refuse_loops(model: Model) -> None:
    outside = {constraint.name for constraint in model.constraints}
    for loop in model.description.loops:
        if loop.name not in outside:
            raise ModelError(
                f"loop {loop.name!r} is closed by Newton's method and has no symbolic form; for "
                "the equations of the open tree state it with constraint=True",
                loop.source,
            )


def _coordinates(model: Model, letter: str) -> Values:
    """Return the symbols of q, v or a, named after their joints."""
    names: list[str] = []
    for joint in model.joints:
        own = joint.q_slice if letter == "q" else joint.v_slice
        count = own.stop - own.start
        new = [f"{letter}_{joint.name}" + (f"_{k}" if count > 1 else "") for k in range(count)]
        # joint "a" with two coordinates and a joint "a_1" have the same names
        names += [name + "_" * names.count(name) for name in new]
    return np.array([sympy.Symbol(name, real=True) for name in names], dtype=object)


def _positions(model: Model, q: Values, numbers: Parameters) -> Values:
    """Return the positions of all joints; those of followers are functions of q."""
    x = np.zeros(sum(joint.nq for joint in model.joints), dtype=object)
    for joint in model.joints:
        if joint.dependent == "":
            x[joint.position_slice] = q[joint.q_slice]
    at = {joint.name: joint.position_slice.start for joint in model.joints}
    for coupling in in_order(model.description.couplings):
        y = x[[at[name] for name in coupling.leaders]]
        linear = coupling.kind == "linear"
        follow = numbers.ratios(coupling, y) if linear else closed_form(coupling, y)
        x[[at[name] for name in coupling.followers]] = follow
    return x


def _coupling(model: Model, positions: Values, q: Values) -> Values:
    """Return G: the velocities of all joints for those that are the user's."""
    matrix = np.zeros((sum(joint.nv for joint in model.joints), model.nv), dtype=object)
    leaders = {
        q[joint.q_slice.start]: joint.v_slice.start
        for joint in model.joints
        if joint.dependent == "" and joint.nq == 1
    }
    for joint in model.joints:
        row = joint.velocity_slice
        if joint.dependent == "":
            matrix[row, joint.v_slice] = np.eye(joint.nv, dtype=int)
            continue
        position = positions[joint.position_slice.start]
        for symbol in position.free_symbols & leaders.keys():
            matrix[row.start, leaders[symbol]] = sympy.diff(position, symbol)
    return matrix


def _motion(motions: Sequence[Motion], model: Model, coupling: Values) -> Values:
    """Return the velocities of the links' constant subspaces for v = 1."""
    rows = [np.zeros((0, model.nv), dtype=object)]
    for motion, joint in _pairs(motions, model):
        own = coupling[joint.velocity_slice]
        rows.append(own if motion.mixing is None else motion.mixing @ own)
    return np.concatenate(rows)


def _frame(joint: JointView, numbers: Parameters) -> Frame:
    return Frame(
        exact_array(joint.axis),
        exact_array(joint.second_axis),
        axis_plane(joint.axis),
        *(numbers(f"{size}_{joint.name}", getattr(joint, size)) for size in SIZES),
        *(_surface(getattr(joint, role), f"{role}_{joint.name}", numbers) for role in SURFACES),
    )


def _surface(stated: SurfaceStatement | None, name: str, numbers: Parameters) -> Surface | None:
    if stated is None:
        return None
    named = zip(NUMBERS[stated.kind], stated.numbers, strict=True)
    return Surface(stated.kind, [numbers(f"{key}_{name}", value) for key, value in named])


SIZES = ("pitch", "radius", "track")
SURFACES = ("surface", "ground")


def _links(model: Model, motions: Sequence[Motion], numbers: Parameters) -> list[Link]:
    links: list[Link] = []
    carriers = {body.parent for body in model.bodies}
    start = 0
    for motion, joint in _pairs(motions, model):
        body = model.bodies[joint.index]
        placed = exact_array(joint.placement[:3, :3])
        position = numbers.vector(f"l_{joint.name}", joint.placement[:3, 3])
        # the angle of a round body that carries nothing does not matter
        round_ = not numbers.symbolic and body.index not in carriers and is_round(joint, body)
        rotation = UNIT if round_ else motion.rotation
        stop = start + motion.basis.shape[1]
        links.append(
            Link(
                body.parent,
                placed @ rotation,
                position + placed @ motion.translation,
                motion.basis,
                list(range(start, stop)),
                _inertia(body, numbers),
            )
        )
        start = stop
    return links


def is_round(joint: JointView, body: BodyView) -> bool:
    """Return whether a body looks the same at all angles of a revolute joint."""
    if joint.kind != "revolute":
        return False
    across = np.asarray(skew(joint.axis), dtype=np.float64)
    commutes = across @ body.inertia - body.inertia @ across
    return not (across @ body.com).any() and not commutes.any()


def _inertia(body: BodyView, numbers: Parameters) -> Inertia:
    """Return the inertia about the origin of the body's frame."""
    mass = numbers(f"m_{body.name}", body.mass, positive=True)
    com = numbers.vector(f"c_{body.name}", body.com)
    central = numbers.symmetric(f"I_{body.name}", 0.5 * (body.inertia + body.inertia.T))
    shift = diagonal(com @ com) - np.outer(com, com)
    return Inertia(mass, mass * com, central + mass * shift)


def _armatures(model: Model) -> list[tuple[str, float]]:
    return [
        (joint.name + (f"_{k}" if joint.nv > 1 else ""), value)
        for joint in model.joints
        for k, value in enumerate(joint.armature.tolist())
    ]


def _pairs(motions: Sequence[Motion], model: Model) -> Any:
    return zip(motions, model.joints, strict=True)


# The numbers of a model: exact, or symbols with a dictionary back to the exact numbers.


AXES = "xyz"


class Parameters:
    """Makes numbers exact; `symbolic` ones become symbols, but zeros stay: they are structure."""

    def __init__(self, *, symbolic: bool) -> None:
        self.symbolic = symbolic
        self.values: dict[Any, Any] = {}

    def __call__(
        self, name: str, value: float, scale: float = 0.0, *, positive: bool = False
    ) -> Any:
        """Return a number as `exact` makes it, or the symbol `name` for it."""
        number = exact(value, scale)
        if not self.symbolic or number == 0:
            return number
        # "n_a_b" may be the ratio of joint a to joint b, or that of a joint a_b
        while name in {symbol.name for symbol in self.values}:
            name += "_"
        symbol = sympy.Symbol(name, positive=True) if positive else sympy.Symbol(name, real=True)
        self.values[symbol] = number
        return symbol

    def vector(self, name: str, values: Array) -> Values:
        """Return a vector (3,) of lengths."""
        numbers = [self(f"{name}_{x}", value, 1.0) for x, value in zip(AXES, values, strict=True)]
        return np.array(numbers, dtype=object)

    def symmetric(self, name: str, values: Array) -> Values:
        """Return a symmetric matrix (3, 3)."""
        result, scale = np.zeros((3, 3), dtype=object), float(np.abs(values).max())
        for i in range(3):
            for j in range(i, 3):
                number = self(f"{name}_{AXES[i]}{AXES[j]}", values[i, j], scale)
                result[i, j] = result[j, i] = number
        return result

    def gravity(self, values: Array) -> Values:
        """Return the acceleration of free fall (3,), g times a direction."""
        size = float(np.linalg.norm(values))
        if size == 0.0:
            return exact_array(values)
        return np.asarray(exact_array(values / size) * self("g", size, positive=True))

    def ratios(self, coupling: Coupling, leaders: Values) -> Values:
        """Return the positions of followers by a linear coupling."""
        assert coupling.matrix is not None
        matrix = np.zeros(coupling.matrix.shape, dtype=object)
        for i, follower in enumerate(coupling.followers):
            for j, leader in enumerate(coupling.leaders):
                name = f"n_{follower}" + (f"_{leader}" if len(coupling.leaders) > 1 else "")
                matrix[i, j] = self(name, coupling.matrix[i, j])
        follow = matrix @ leaders
        return follow if coupling.offset is None else follow + exact_array(coupling.offset)

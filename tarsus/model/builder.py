"""`tarsus.Builder`: state a mechanism in Python, call by call, and build a `Model`.

b = Builder("pendulum")
b.body("rod", mass=1.0, com=(0, 0, -0.5), inertia=(0.083, 0.083, 0.001))
b.joint("hinge", "revolute", "world", "rod", axis="y", damping=0.1)
b.frame("tip", "rod", position=(0, 0, -1))
b.body("rotor", mass=0.1, inertia=(1e-5, 1e-5, 2e-5))
b.gear("hinge", 50, "rotor")
pendulum = b.build()
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from tarsus.model.checks import check_body_name, is_triple, numbers, suggestion
from tarsus.model.couplings import FORMS, check_coupled, check_follows, checked_coupling
from tarsus.model.defaults import filled
from tarsus.model.description import Array, Coupling, Loop, ModelError
from tarsus.model.gears import gear
from tarsus.model.kinds import COORDINATE_FIELDS
from tarsus.model.loops import checked_loop
from tarsus.model.model import Model
from tarsus.model.stating import Axis, Function, axis_of, linear_coupling, placement_of, spread
from tarsus.model.tree_builder import TreeBuilder

TRANSMISSIONS = tuple(kind for kind in FORMS if kind != "linear")


class Builder(TreeBuilder):
    """State bodies, joints, couplings and loops, frames and shapes, then `build()` a model.

    Each call is checked at once and returns the builder, so that calls can be chained.
    Everything has a place: `position` [m] with `rotation`, a 3×3 matrix or roll, pitch and yaw
    [rad], or both at once as `placement` (4, 4).
    """

    def __init__(self, name: str, gravity: ArrayLike = (0.0, 0.0, -9.81)) -> None:
        super().__init__(name, gravity)
        self._couplings: dict[str, Coupling] = {}
        self._follows: dict[str, Coupling] = {}
        self._loops: dict[str, Loop] = {}

    def gear(
        self,
        joint: str,
        ratio: float,
        rotor: str,
        mount: str | None = None,
        *,
        name: str | None = None,
        position: ArrayLike | None = None,
        rotation: ArrayLike | None = None,
        placement: ArrayLike | None = None,
        axis: Axis | None = None,
        approximate: str | None = None,
        motor: bool = True,
        **parameters: Any,
    ) -> Self:
        """Let the body `rotor` turn `ratio` times as fast as `joint`, on its own revolute joint.

        The rotor's joint `name` (by default the rotor's name with "_joint") carries it on the
        body `mount`, by default the one that carries `joint`; there it turns about the same axis
        unless a place and an axis are given. `joint` may carry a rotor itself: then this is a
        further stage. `parameters` (damping, friction, …) are those of the rotor's joint.
        `approximate="reflected"` welds the rotor to its mount and adds ratio² times its moment
        of inertia to the armature of `joint`, which leaves out what the rotor's spin does to
        its mount. `motor` lists the rotor among the model's motors.
        """
        what = f"gear of joint {joint!r}"
        check_body_name(rotor, self._bodies, what, "rotor")
        for key in parameters:
            if key not in COORDINATE_FIELDS:
                raise TypeError(f"{what}: no parameter {key!r}{suggestion(key, COORDINATE_FIELDS)}")
        placed = any(part is not None for part in (position, rotation, placement))
        carrier, coupling, armature = gear(
            self._joints,
            joint,
            ratio,
            self._bodies[rotor],
            name=name,
            mount=mount,
            placement=placement_of(what, position, rotation, placement) if placed else None,
            axis=axis_of(what, axis),
            approximate=approximate,
            motor=motor,
            **{key: spread(value, "revolute", key) for key, value in parameters.items()},
        )
        if coupling is not None and coupling.name in self._couplings:
            raise ModelError(f"the coupling name {coupling.name!r} is used twice")
        self._add_joint(carrier)
        self._joints[joint].armature = armature
        return self if coupling is None else self._add_coupling(coupling)

    def couple(
        self,
        joints: Sequence[str],
        matrix: ArrayLike,
        *,
        offset: ArrayLike | None = None,
        name: str | None = None,
        motor: bool = False,
    ) -> Self:
        """Let joints follow others linearly: positions of `joints` = matrix @ leaders + offset.

        `matrix` has a row for each joint and a column for each leader. A leader is a joint whose
        row has a one and zeros, and no offset; all others follow. A joint that mimics another:
        couple(["a", "b"], [[1], [n]]); a differential: couple(["pitch", "roll", "left",
        "right"], [[1, 0], [0, 1], [1, 1], [1, -1]]). `motor` lists the followers among the
        model's motors.
        """
        return self._add_coupling(linear_coupling(joints, matrix, offset, name, motor=motor))

    def transmission(
        self,
        kind: str,
        leaders: str | Sequence[str],
        followers: str | Sequence[str],
        *,
        name: str | None = None,
        motor: bool = False,
        function: Function | None = None,
        **parameters: Any,
    ) -> Self:
        """Let `followers` follow `leaders` by a closed form, or by a function of your own.

        Kinds, with their parameters in the frame of the first leader's joint [m]: "spindle"
        (pivot, nut, axis, lead), "tilting_spindle" (the same and reference), "parallel_ankle"
        (ankle, first_axis, second_axis, screw_axis, coupler, tops, bottoms, lead), and
        "function": `function` takes the leaders' positions (k,) and returns those of the n
        followers (n,), first (n, k), second derivatives (n, k, k) and, where derivatives of the
        dynamics are wanted, third ones (n, k, k, k). The `axis` of a spindle is by default that
        of its leader.
        """
        lead, follow = (
            (names,) if isinstance(names, str) else tuple(names) for names in (leaders, followers)
        )
        name = next(iter(follow), "") if name is None else name
        if kind not in TRANSMISSIONS:
            hint = suggestion(kind, TRANSMISSIONS)
            raise ModelError(f"coupling {name!r}: unknown kind {kind!r}{hint}")
        if "axis" in FORMS[kind].parameters and "axis" not in parameters and lead:
            joint = check_coupled(lead[0], self._joints, f"coupling {name!r}")
            parameters["axis"] = filled(joint).axis
        coupling = Coupling(
            name, kind, lead, follow, parameters=parameters, motor=motor, function=function
        )
        return self._add_coupling(coupling)

    def close_loop(
        self,
        kind: str,
        body_a: str,
        frame_a: str | ArrayLike,
        body_b: str,
        frame_b: str | ArrayLike,
        *,
        name: str | None = None,
        independent: Sequence[str] | None = None,
        length: float = 0.0,
        start: Mapping[str, float] | None = None,
        constraint: bool | None = None,
    ) -> Self:
        """Close a kinematic loop: a joint of `kind` between two bodies that hang on others already.

        A frame is a position (3,) or placement (4, 4) on its body, or the name of a frame there.
        Kinds: "weld", "revolute" (about z of both frames), "prismatic" (along z), "universal" (z
        of a and x of b), "cylindrical", "spherical", "planar" (normal z), "point_on_line" (the
        origin of b on z of a), "distance" (`length` [m] between the origins), "knife_edge" (the
        origin of b does not move on body a along y of b). `independent`, `start` and
        `constraint` are explained at `tarsus.Loop`.
        """
        name = self._loop_name(f"{body_a}_{body_b}") if name is None else name
        what = f"loop {name!r}"
        loop = Loop(
            name,
            kind,
            body_a,
            body_b,
            self._end(what, body_a, frame_a, "a"),
            self._end(what, body_b, frame_b, "b"),
            length,
            None if independent is None else tuple(independent),
            dict(start or {}),
            constraint,
        )
        loop = checked_loop(loop, self._bodies, self._joints)
        if name in self._loops:
            raise ModelError(f"the loop name {name!r} is used twice")
        self._loops[name] = loop
        self._description.loops.append(loop)
        return self

    def build(self) -> Model:
        """Return the model; there must be a body, and every body must hang on a joint by now."""
        if not self._description.bodies:
            raise ModelError(f"{self._description.name!r} has no bodies: state one with body()")
        return Model(self._description)

    def _add_coupling(self, coupling: Coupling) -> Self:
        coupling = checked_coupling(coupling, self._joints)
        if coupling.name in self._couplings:
            raise ModelError(f"the coupling name {coupling.name!r} is used twice")
        check_follows(coupling, self._follows)
        self._follows.update(dict.fromkeys(coupling.followers, coupling))
        self._couplings[coupling.name] = coupling
        self._description.couplings.append(coupling)
        return self

    def _end(self, what: str, body: str, frame: str | ArrayLike, end: str) -> Array:
        """Return the placement of an end of a loop on its body."""
        check_body_name(body, self._bodies, what, f"body_{end}")
        if isinstance(frame, str):
            there = {f.name: f.placement for f in self._description.frames if f.body == body}
            if frame not in there and frame != body:
                hint = suggestion(frame, [body, *there])
                raise ModelError(f"{what}: body {body!r} has no frame {frame!r}{hint}")
            return there.get(frame, np.eye(4))
        if is_triple(frame):
            return placement_of(f"{what}, frame {end}", frame, None, None)
        accepted = "(3,), a position, or (4, 4), a placement"
        return numbers(frame, (4, 4), f"{what}: frame_{end}", accepted=accepted)

    def _loop_name(self, name: str) -> str:
        """Return a name that no loop has: `name`, or else the first of name_2, name_3, …"""
        others = (f"{name}_{i}" for i in itertools.count(2))
        return next(free for free in itertools.chain([name], others) if free not in self._loops)

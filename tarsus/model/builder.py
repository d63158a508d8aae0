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

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.checks import check_body_name, find, is_triple, numbers, suggestion
from tarsus._lib.errors import ModelError
from tarsus.model import inertia as inertias
from tarsus.model.actuators import with_law
from tarsus.model.couplings import FORMS, check_coupled, gear
from tarsus.model.defaults import filled
from tarsus.model.description import (
    COORDINATE_FIELDS,
    Actuator,
    Body,
    Coupling,
    Description,
    Frame,
    Joint,
    Loop,
    Shape,
)
from tarsus.model.description_builder import (
    Axis,
    Draft,
    Function,
    Numbers,
    axis_of,
    linear_coupling,
    placement_of,
    spread,
)
from tarsus.model.keyframes import INITIAL, KEYFRAMES
from tarsus.model.model import Model
from tarsus.model.name_references import Force
from tarsus.model.validation import checked, checked_body

TRANSMISSIONS = tuple(kind for kind in FORMS if kind != "linear")


class Builder:
    """State bodies, joints, couplings, loops, frames, shapes, drives, then `build()` a model.

    Each call is checked at once and returns the builder, so that calls can be chained.
    Everything has a place: `position` [m] with `rotation`, a 3×3 matrix or roll, pitch and yaw
    [rad], or both at once as `placement` (4, 4).
    """

    def __init__(self, name: str, gravity: ArrayLike = (0.0, 0.0, -9.81)) -> None:
        self._draft = Draft(name, gravity)

    def body(
        self,
        name: str,
        mass: float = 0.0,
        com: ArrayLike = (0.0, 0.0, 0.0),
        inertia: ArrayLike = (0.0, 0.0, 0.0),
        *,
        inertia_at: str = "com",
    ) -> Self:
        """Add a body: mass [kg], centre of mass (3,) [m], inertia (3,) or (3, 3) [kg m²].

        The inertia is in body axes about the centre of mass, or about the origin of the body
        with `inertia_at="origin"`; three numbers are its diagonal.
        """
        if inertia_at not in ("com", "origin"):
            raise ModelError(f"inertia_at is {inertia_at!r}, must be 'com' or 'origin'")
        what = f"body {name!r}: inertia"
        if is_triple(inertia):
            tensor = np.diag(numbers(inertia, (3,), what, None))
        else:
            tensor = numbers(
                inertia, (3, 3), what, accepted="(3,), the diagonal, or (3, 3)", source=None
            )
        body = checked_body(
            Body(name, mass, numbers(com, (3,), f"body {name!r}: com", None), tensor)
        )
        if inertia_at == "origin":
            about_com = inertias.at_center(body.mass, body.com, body.inertia)
            body = dataclasses.replace(body, inertia=about_com)
        self._draft.add_body(body)
        return self

    def joint(
        self,
        name: str,
        kind: str,
        parent: str,
        child: str,
        *,
        position: ArrayLike | None = None,
        rotation: ArrayLike | None = None,
        placement: ArrayLike | None = None,
        axis: Axis | None = None,
        second_axis: Axis | None = None,
        pitch: float = 0.0,
        radius: float = 0.0,
        track: float = 0.0,
        surface: Any = None,
        ground: Any = None,
        lower: Numbers | None = None,
        upper: Numbers | None = None,
        velocity_limit: Numbers | None = None,
        effort_limit: Numbers | None = None,
        damping: Numbers | None = None,
        friction: Numbers | None = None,
        armature: Numbers | None = None,
        stiffness: Numbers | None = None,
        rest: Numbers | None = None,
    ) -> Self:
        """Add a joint of `kind` that carries the body `child` on `parent` (or on "world").

        The place is in the parent's frame. Axes are in the joint's frame, which is the child's
        in the neutral configuration; an axis may be "x", "y" or "z". `pitch` [m/rad] is for
        screws, `radius` [m] for wheels, discs, balls and cylinders that roll and `track` [m] for
        bases on two wheels, which need them. A joint of kind "rolling" needs the `surface` of its
        body and rolls on a `ground`, by default a plane: surfaces, or mappings as {"kind":
        "ellipsoid", "numbers": (0.1, 0.2, 0.3)}. A single number for a limit or parameter holds
        for all coordinates of the joint; `lower`, `upper` and `rest` of a spherical or free joint,
        which have a quaternion among them, need all nq numbers. `armature` is the reflected
        inertia of a motor, `friction` the dry friction, `stiffness` that of a spring relaxed at
        `rest`; SI units.
        """
        stated = locals()  # the parameters by name, so that they are listed once only
        what = f"joint {name!r}"
        self._draft.add_joint(
            Joint(
                name,
                kind,
                parent,
                child,
                placement=placement_of(what, position, rotation, placement),
                axis=axis_of(what, axis),
                second_axis=axis_of(what, second_axis),
                pitch=pitch,
                radius=radius,
                track=track,
                surface=surface,
                ground=ground,
                **{key: spread(stated[key], kind, key) for key in COORDINATE_FIELDS},
            )
        )
        return self

    def frame(
        self,
        name: str,
        body: str,
        *,
        position: ArrayLike | None = None,
        rotation: ArrayLike | None = None,
        placement: ArrayLike | None = None,
    ) -> Self:
        """Add a frame that is fixed to `body` (or to "world")."""
        place = placement_of(f"frame {name!r}", position, rotation, placement)
        self._draft.add_frame(Frame(name, body, place))
        return self

    def shape(
        self,
        body: str,
        kind: str,
        size: Sequence[float] = (1.0, 1.0, 1.0),
        *,
        role: str = "visual",
        position: ArrayLike | None = None,
        rotation: ArrayLike | None = None,
        placement: ArrayLike | None = None,
        file: str | Path | None = None,
        color: tuple[float, float, float, float] | None = None,
        name: str = "",
        friction: float | None = None,
        restitution: float | None = None,
        torsion: float | None = None,
        rolling: float | None = None,
        stiffness: float | None = None,
        damping: float | None = None,
    ) -> Self:
        """Add a shape to `body`, to look at (`role="visual"`) or to touch ("collision").

        `size` [m] by kind: box (x, y, z), sphere (radius,), cylinder and capsule (radius,
        length), ellipsoid (half axes x, y, z), torus (radius of its circle about z, radius of its
        tube), mesh (scale x, y, z) of a `file`. How its surface rubs and bounces is the ground's
        matter unless stated: `friction` (Coulomb's coefficient), `restitution` (0 to 1), `torsion`
        and `rolling` [m]; how it gives way is that of the contact law: `stiffness` [N/m] and
        `damping` [N·s/m]. See `tarsus.Collision.from_model` for what becomes of two that meet.
        """
        place = placement_of(f"shape {name!r}", position, rotation, placement)
        path = None if file is None else str(file)
        surface = friction, restitution, torsion, rolling, stiffness, damping
        shape = Shape(body, role, kind, tuple(size), place, path, color, name, *surface)
        self._draft.add_shape(shape)
        return self

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
        check_body_name(rotor, self._draft.bodies, what, "rotor", None)
        for key in parameters:
            if key not in COORDINATE_FIELDS:
                raise TypeError(f"{what}: no parameter {key!r}{suggestion(key, COORDINATE_FIELDS)}")
        placed = any(part is not None for part in (position, rotation, placement))
        carrier, coupling, armature = gear(
            self._draft.joints,
            joint,
            ratio,
            self._draft.bodies[rotor],
            name=name,
            mount=mount,
            placement=placement_of(what, position, rotation, placement) if placed else None,
            axis=axis_of(what, axis),
            approximate=approximate,
            motor=motor,
            **{key: spread(value, "revolute", key) for key, value in parameters.items()},
        )
        if coupling is not None and coupling.name in self._draft.couplings:
            raise ModelError(f"the coupling name {coupling.name!r} is used twice")
        self._draft.add_joint(carrier)
        self._draft.set_armature(joint, armature)
        if coupling is not None:
            self._draft.add_coupling(coupling)
        return self

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
        self._draft.add_coupling(linear_coupling(joints, matrix, offset, name, motor=motor))
        return self

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
            joint = check_coupled(lead[0], self._draft.joints, f"coupling {name!r}")
            parameters["axis"] = filled(joint).axis
        coupling = Coupling(
            name, kind, lead, follow, parameters=parameters, motor=motor, function=function
        )
        self._draft.add_coupling(coupling)
        return self

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
        name = self._draft.loop_name(f"{body_a}_{body_b}") if name is None else name
        what = f"loop {name!r}"
        loop = Loop(
            name,
            kind,
            body_a,
            body_b,
            self._draft.end_of_loop(what, body_a, frame_a, "a"),
            self._draft.end_of_loop(what, body_b, frame_b, "b"),
            length,
            None if independent is None else tuple(independent),
            dict(start or {}),
            constraint,
        )
        self._draft.add_loop(loop)
        return self

    def force(self, force: Force) -> Self:
        """Add a force of `tarsus.forces`, such as `ts.forces.Spring("hand", (0, 0, 1), 100.0)`.

        It acts in every simulation of the model. Whether its places and joints are there is
        checked by `build`.
        """
        self._draft.add_force(force)
        return self

    def actuator(
        self,
        name: str,
        joints: str | Mapping[str, float],
        kind: str = "motor",
        *,
        gear: float = 1.0,
        kp: float | None = None,
        kd: float | None = None,
        gain: ArrayLike | None = None,
        bias: ArrayLike | None = None,
        control: ArrayLike | None = None,
        force: ArrayLike | None = None,
    ) -> Self:
        """Add a drive with a control u that moves a joint, or several by their gears.

        Its length is l = gear · position and its force f is gear · f at the joint. Kinds: "motor"
        f = gain u, "position" f = kp (u − l) − kd l̇, "velocity" f = kd (u − l̇), and "general"
        f = (gain · [1, l, l̇]) u + bias · [1, l, l̇]. `control` (low, high) limits u and `force`
        the force at the drive; a number stands for both sides.
        """
        gears = {joints: gear} if isinstance(joints, str) else dict(joints)
        if not isinstance(joints, str) and gear != 1.0:
            raise ModelError(f"actuator {name!r}: gear is for one joint, several have their own")
        law = with_law(name, kind, kp=kp, kd=kd, gain=gain, bias=bias)
        limits = (_both_sides(control), _both_sides(force))
        self._draft.add_actuator(Actuator(name, gears, *law, *limits))
        return self

    def initial_configuration(self, positions: Mapping[str, Numbers]) -> Self:
        """State where joints are at the start, by name; others are as in `Model.neutral`."""
        self._draft.add_poses(INITIAL, _listed(positions))
        return self

    def keyframe(
        self,
        name: str,
        q: Mapping[str, Numbers],
        v: Mapping[str, Numbers] | None = None,
        u: Mapping[str, float] | None = None,
    ) -> Self:
        """State a pose by name: positions and velocities of joints, controls of actuators."""
        key: dict[str, Any] = {"q": _listed(q)}
        if v is not None:
            key["v"] = _listed(v)
        if u is not None:
            for actuator in u:
                find(self._draft.actuators, actuator, "actuator")
            key["u"] = {actuator: float(value) for actuator, value in u.items()}
        self._draft.add_poses(KEYFRAMES, {name: key})
        return self

    def sensor(self, name: str, sensor: Any) -> Self:
        """State a sensor of `tarsus.sensors` by name; `ts.sensors.of(model)` has it again."""
        if not callable(getattr(sensor, "stated", None)):
            raise ModelError(
                f"sensor {name!r} is {sensor!r}, must be a sensor such as ts.sensors.IMU(frame)"
            )
        self._draft.add_sensor(name, sensor.stated())
        return self

    def description(self) -> Description:
        """Return what has been stated so far."""
        return checked(self._draft.description)

    def build(self) -> Model:
        """Return the model; there must be a body, and every body must hang on a joint by now."""
        description = self._draft.description
        if not description.bodies:
            raise ModelError(f"{description.name!r} has no bodies: state one with body()")
        return Model(description, strict=self._draft.strict)


def _both_sides(limits: ArrayLike | None) -> Any:
    return (-float(limits), float(limits)) if isinstance(limits, (int, float)) else limits


def _listed(values: Mapping[str, Numbers]) -> dict[str, Any]:
    """Return numbers by name as lists; one number is a list of one."""
    return {
        name: np.atleast_1d(np.asarray(value, float)).tolist() for name, value in values.items()
    }

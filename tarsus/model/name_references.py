"""Names that elements of a description refer to, for renaming and removal; stated forces."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar, Protocol, TypeVar

import numpy as np

from tarsus._lib.checks import unused
from tarsus._lib.errors import WORLD, ModelError, Source
from tarsus._lib.files import Array
from tarsus.model.description import Actuator, Description, FrozenDict, Joint
from tarsus.model.keyframes import poses_of, renamed_poses
from tarsus.model.loops import without_missing

# What refers to what by its name: followed where a name changes, dropped where it goes.


EXCLUDED = "excluded_contacts"
"""Where the metadata of some files list pairs of bodies that never touch."""
PAIR_FRICTIONS = "pair_frictions"
"""Where they list pairs of shapes or bodies with the friction between them."""
SENSORS = "sensors"
"""Where the metadata have sensors by name: their kind, and the frames or joints they sit on."""
SENSOR_FRAMES, SENSOR_JOINTS = ("frame", "other", "body"), ("joints",)
"""What of a sensor is the name of a frame, and what are those of joints."""


def _with_sensors(
    stated: Description, fields: tuple[str, ...], new: Callable[[str], str]
) -> Description:
    """Return the description whose sensors follow what they sit on to new names."""
    if SENSORS not in stated.metadata:
        return stated
    sensors = {
        name: sensor_with_names(each, fields, new)
        for name, each in stated.metadata[SENSORS].items()
    }
    return dataclasses.replace(stated, metadata={**stated.metadata, SENSORS: sensors})


def sensor_with_names(
    sensor: dict[str, Any], fields: tuple[str, ...], new: Callable[[str], str]
) -> dict[str, Any]:
    """Return what is stated of a sensor, with new names in these fields."""
    return {
        key: (list(map(new, value)) if isinstance(value, (list, tuple)) else new(value))
        if key in fields and value is not None
        else value
        for key, value in sensor.items()
    }


def places_of(sensor: dict[str, Any], fields: tuple[str, ...]) -> list[str]:
    """Return the names that a sensor states in these fields."""
    values = [sensor[key] for key in fields if sensor.get(key) is not None]
    return [name for value in values for name in ([value] if isinstance(value, str) else value)]


def freed(stated: Description, cut: set[str]) -> Description:
    """Return the description with these joints free, where they are in the neutral position."""
    carried = {joint.child: joint for joint in stated.joints}
    taken = {joint.name for joint in stated.joints} - cut

    def at(body: str) -> Array:
        if body not in carried:
            return np.eye(4)
        joint = carried[body]
        return np.asarray(at(joint.parent) @ joint.placement)

    joints = [
        Joint(unused(f"{joint.child}_free", taken), "free", WORLD, joint.child, at(joint.child))
        if joint.name in cut
        else joint
        for joint in stated.joints
    ]
    return dataclasses.replace(stated, joints=joints)


def consistent(stated: Description) -> Description:
    """Return the description without what loops, drives and poses say of joints that are gone."""
    here = {joint.name for joint in stated.joints}
    loops = [without_missing(loop, here) for loop in stated.loops]
    actuators = [actuator for actuator in stated.actuators if here.issuperset(actuator.joints)]
    metadata = poses_of(stated.metadata, here, {actuator.name for actuator in actuators})
    return dataclasses.replace(stated, loops=loops, actuators=actuators, metadata=metadata)


def without_poses(stated: Description, joint: str) -> Description:
    """Return the description whose poses say nothing about a joint that has become another."""
    here = {each.name for each in stated.joints} - {joint}
    actuators = {actuator.name for actuator in stated.actuators}
    return dataclasses.replace(stated, metadata=poses_of(stated.metadata, here, actuators))


def without_body(stated: Description, name: str) -> Description:
    """Return the description without a body that carries none, and without what is on it."""
    gone = {name, *(frame.name for frame in stated.frames if frame.body == name)}
    stated = dataclasses.replace(
        stated,
        bodies=[body for body in stated.bodies if body.name != name],
        joints=[joint for joint in stated.joints if joint.child != name],
        loops=[loop for loop in stated.loops if name not in (loop.body_a, loop.body_b)],
        frames=[frame for frame in stated.frames if frame.body != name],
        shapes=[shape for shape in stated.shapes if shape.body != name],
        forces=[force for force in stated.forces if gone.isdisjoint(_places(force).values())],
    )
    return consistent(_with_contacts(stated, name, None))


def joints_of(force: Any) -> frozenset[str]:
    """Return the joints on which a force acts by name."""
    return frozenset(getattr(force, "joints", ()))


def _places(force: Any) -> dict[str, str]:
    """Return the frames to which a force is attached, by its fields."""
    fields = [field.name for field in dataclasses.fields(force) if field.type == "Where"]
    values = {name: getattr(force, name) for name in fields}
    first = {name: at[0] if isinstance(at, tuple) else at for name, at in values.items()}
    return {name: frame for name, frame in first.items() if isinstance(frame, str)}


def _moved(force: Any, old: str, new: str) -> Any:
    """Return a force that follows a frame to its new name."""
    changed: dict[str, Any] = {}
    for name, frame in _places(force).items():
        if frame == old:
            at = getattr(force, name)
            changed[name] = (new, *at[1:]) if isinstance(at, tuple) else new
    return dataclasses.replace(force, **changed)


def _with_contacts(stated: Description, old: str, new: str | None) -> Description:
    """Return the description whose pairs that never touch follow a body to its new name, or go."""
    if EXCLUDED not in stated.metadata:
        return stated
    pairs = [pair for pair in stated.metadata[EXCLUDED] if new is not None or old not in pair]
    pairs = [[new if name == old else name for name in pair] for pair in pairs]
    return dataclasses.replace(stated, metadata={**stated.metadata, EXCLUDED: pairs})


def _renamed_body(stated: Description, old: str, new: str) -> Description:
    def follow(elements: Sequence[Any], *keys: str) -> list[Any]:
        return [
            dataclasses.replace(
                element, **{key: new for key in keys if getattr(element, key) == old}
            )
            for element in elements
        ]

    stated = dataclasses.replace(
        stated,
        joints=follow(stated.joints, "parent", "child"),
        loops=follow(stated.loops, "body_a", "body_b"),
        frames=follow(stated.frames, "body"),
        shapes=follow(stated.shapes, "body"),
    )
    return _with_contacts(_renamed_frame(stated, old, new), old, new)


def _renamed_frame(stated: Description, old: str, new: str) -> Description:
    stated = _with_sensors(stated, SENSOR_FRAMES, lambda name: new if name == old else name)
    return dataclasses.replace(stated, forces=[_moved(f, old, new) for f in stated.forces])


def _renamed_joint(stated: Description, old: str, new: str) -> Description:
    def follow(names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(new if name == old else name for name in names)

    couplings = [
        dataclasses.replace(c, leaders=follow(c.leaders), followers=follow(c.followers))
        for c in stated.couplings
    ]
    loops = [
        dataclasses.replace(
            loop,
            independent=None if loop.independent is None else follow(loop.independent),
            start={(new if name == old else name): value for name, value in loop.start.items()},
        )
        for loop in stated.loops
    ]
    forces = [
        dataclasses.replace(
            f, joints={new if name == old else name: r for name, r in f.joints.items()}
        )
        if old in joints_of(f)
        else f
        for f in stated.forces
    ]

    def swapped(name: str) -> str:
        return new if name == old else name

    stated = _with_sensors(stated, SENSOR_JOINTS, swapped)
    return dataclasses.replace(
        stated,
        couplings=couplings,
        loops=loops,
        forces=forces,
        actuators=[with_new_joints(actuator, swapped) for actuator in stated.actuators],
        metadata=renamed_poses(stated.metadata, joint=swapped),
    )


def _renamed_actuator(stated: Description, old: str, new: str) -> Description:
    def swapped(name: str) -> str:
        return new if name == old else name

    metadata = renamed_poses(stated.metadata, actuator=swapped)
    return dataclasses.replace(stated, metadata=metadata)


def with_new_joints(actuator: Actuator, new: Callable[[str], str]) -> Actuator:
    """Return an actuator whose joints have new names."""
    joints = {new(name): gear for name, gear in actuator.joints.items()}
    return dataclasses.replace(actuator, joints=joints)


RENAMES: Mapping[str, Callable[[Description, str, str], Description]] = {
    "body": _renamed_body,
    "joint": _renamed_joint,
    "frame": _renamed_frame,
    "actuator": _renamed_actuator,
}
"""What has others that refer to it by its name -> how they follow."""


def with_names(stated: Description, new: Callable[[str], str]) -> Description:
    """Return the description in which everything has a new name, and all that refers to it."""

    def all_new(names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(map(new, names))

    metadata = renamed_poses(stated.metadata, joint=new, actuator=new, keyframe=new)
    if SENSORS in metadata:
        metadata[SENSORS] = {
            new(name): sensor_with_names(each, (*SENSOR_FRAMES, *SENSOR_JOINTS), new)
            for name, each in metadata[SENSORS].items()
        }
    if EXCLUDED in metadata:
        metadata[EXCLUDED] = [[new(name) for name in pair] for pair in metadata[EXCLUDED]]
    if PAIR_FRICTIONS in metadata:
        listed = metadata[PAIR_FRICTIONS]
        metadata[PAIR_FRICTIONS] = [
            [*(name if name == "ground" else new(name) for name in pair), mu]
            for *pair, mu in listed
        ]
    return dataclasses.replace(
        stated,
        bodies=[dataclasses.replace(x, name=new(x.name)) for x in stated.bodies],
        joints=[
            dataclasses.replace(x, name=new(x.name), parent=new(x.parent), child=new(x.child))
            for x in stated.joints
        ],
        couplings=[
            dataclasses.replace(
                x, name=new(x.name), leaders=all_new(x.leaders), followers=all_new(x.followers)
            )
            for x in stated.couplings
        ],
        loops=[
            dataclasses.replace(
                x,
                name=new(x.name),
                body_a=new(x.body_a),
                body_b=new(x.body_b),
                independent=None if x.independent is None else all_new(x.independent),
                start={new(name): value for name, value in x.start.items()},
            )
            for x in stated.loops
        ],
        frames=[dataclasses.replace(x, name=new(x.name), body=new(x.body)) for x in stated.frames],
        shapes=[dataclasses.replace(x, name=new(x.name), body=new(x.body)) for x in stated.shapes],
        forces=[_with_new_names(force, new) for force in stated.forces],
        actuators=[
            dataclasses.replace(with_new_joints(x, new), name=new(x.name)) for x in stated.actuators
        ],
        metadata=metadata,
    )


def _with_new_names(force: Any, new: Callable[[str], str]) -> Any:
    """Return a force with a new name, on frames and joints with new names."""
    changed: dict[str, Any] = {"name": new(force.name)}
    for name, frame in _places(force).items():
        at = getattr(force, name)
        changed[name] = (new(frame), *at[1:]) if isinstance(at, tuple) else new(frame)
    if joints_of(force):
        changed["joints"] = {new(name): ratio for name, ratio in force.joints.items()}
    if isinstance(getattr(force, "joint", None), str):
        changed["joint"] = new(force.joint)
    return dataclasses.replace(force, **changed)


# Forces that a description states: what is checked of them, whatever their laws.
#
# The laws are in `tarsus.forces`, above the model that they act on. Here a force is something with
# a name which can state itself for a model. It is kept as plain values that cannot change: numbers,
# words, tuples of these, and ratios by names.


class Force(Protocol):
    """A force of `tarsus.forces`, as far as a model knows it."""

    kind: ClassVar[str]
    __dataclass_fields__: ClassVar[dict[str, dataclasses.Field[Any]]]

    @property
    def name(self) -> str:
        """Its name, empty if it has none."""

    @property
    def source(self) -> Source | None:
        """Where it was stated."""

    def statement(self, model: Any) -> Any:
        """Return it by numbers; an error if the model lacks a place or a joint of it."""


Stated = TypeVar("Stated", bound=Force)


def checked_force(force: Stated) -> Stated:
    """Return a copy of `force` that nobody else can change."""
    is_one = dataclasses.is_dataclass(force) and hasattr(force, "statement")
    if isinstance(force, type) or not is_one:
        kind = type(force).__name__
        raise TypeError(f"a force is of type {kind}, must be an element of tarsus.forces")
    stated = [field.name for field in dataclasses.fields(force) if field.init]
    values = {name: plain(getattr(force, name)) for name in stated}
    return dataclasses.replace(force, **values)


def check_unique(forces: Iterable[Force]) -> None:
    """Raise if two forces have the same name; those without one may be many."""
    first: dict[str, Force] = {}
    for force in forces:
        other = first.setdefault(force.name, force)
        if force.name and other is not force:
            also = f" (first at {other.source})" if other.source else ""
            raise ModelError(f"the force name {force.name!r} is used twice{also}", force.source)


def check_stated(forces: Iterable[Force], model: Any) -> None:
    """Raise unless the model has all places and joints of the forces."""
    for number, force in enumerate(forces, 1):
        try:
            force.statement(model)
        except (TypeError, ValueError) as error:
            what = label(force.name, force.kind, number)
            raise ModelError(f"{what}: {error}", force.source) from None


def label(name: str, kind: str, number: int) -> str:
    """Return how messages call a force: by its name, else by its number in the list."""
    return f"force {name!r}" if name else f"force {number} (a {kind})"


def plain(value: Any) -> Any:
    """Return `value` with lists and arrays as tuples, frozen mappings, and numbers as floats."""
    if isinstance(value, (np.ndarray, np.generic)):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return tuple(plain(part) for part in value)
    if isinstance(value, Mapping):
        return FrozenDict({key: plain(part) for key, part in value.items()})
    if isinstance(value, int) and not isinstance(value, bool):
        try:
            return float(value)
        except OverflowError:  # the checks say what is wrong with it
            return value
    return value

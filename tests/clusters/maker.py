"""How random machines are made: gears, couplings, closed forms and loops are added to a tree.

Loops can be closed by construction: frame b is placed where frame a is in some configuration
of the tree. A loop is refused where its dependent joints are near a singular position.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from closures import ENTRIES
from oracle import Array
from projection import Projection
from random_parts import (
    SINGLE,
    allowed,
    axes,
    parameters,
    random_inertia,
    random_placement,
    replay,
    summands,
    unit,
)

from tarsus.model.description import Description, Joint
from tarsus.robots.trees import random_rotation


class Machine:
    """A machine in the making, with a configuration in which all loops are closed."""

    def __init__(self, rng: np.random.Generator, description: Description) -> None:
        self.rng = rng
        self.builder = replay(description)
        self.joints = {j.name: j for j in description.joints if j.kind != "fixed"}
        self.parents = {joint.child: joint.parent for joint in description.joints}
        self.start: dict[str, float] = {}
        self.dependent: set[str] = set()
        self.followers: set[str] = set()
        self.leads: dict[str, list[str]] = {}
        self.settled: set[str] = set()
        self.count = 0
        self.functions = True

    @property
    def description(self) -> Description:
        return self.builder.description()

    @property
    def body_names(self) -> list[str]:
        return ["world", *self.parents]

    def pick(self, choices: Any) -> Any:
        choices = list(choices)
        return choices[self.rng.integers(len(choices))]

    def path(self, body: str) -> list[str]:
        """Return the bodies from one up to the world."""
        found = [body]
        while found[-1] != "world":
            found.append(self.parents[found[-1]])
        return found

    def start_of(self, own: Projection) -> Array:
        """Return the configuration of all joints in which the loops are closed."""
        x = own.tree.neutral()
        for name, position in self.start.items():
            x[own.tree.joint(name).q_slice] = position
        return own.follow(x)

    # --- what can be added --------------------------------------------------------------------

    def link(self, kind: str, parent: str) -> str:
        """Add a body on a joint of some kind, and return the joint's name."""
        self.count += 1
        name = f"added_{self.count}"
        mass = self.rng.uniform(0.5, 2.0)
        self.builder.body(name, mass, self.rng.normal(size=3) * 0.1, random_inertia(self.rng, mass))
        place = {"position": self.rng.normal(size=3) * 0.4, "rotation": random_rotation(self.rng)}
        self.builder.joint(f"{kind}_{name}", kind, parent, name, **place, **axes(self.rng, kind))
        self.know(Joint(f"{kind}_{name}", kind, parent, name))
        return f"{kind}_{name}"

    def know(self, joint: Joint) -> None:
        self.joints[joint.name] = joint
        self.parents[joint.child] = joint.parent

    def follow(self, leaders: list[str], followers: list[str]) -> None:
        self.followers.update(followers)
        for name in followers:
            self.leads[name] = leaders

    def gear(self) -> None:
        """Add a rotor to any joint, often to another rotor: round or not, on any ancestor."""
        rotors = [name for name in self.joints if name.endswith("_joint")]
        few = rotors if rotors and self.rng.random() < 0.3 else self.joints
        joint = self.pick(name for name in few if self.joints[name].kind in SINGLE)
        ratio = self.rng.choice([-1, 1]) * self.rng.uniform(2.0, 12.0)
        axis, place, mount = unit(self.rng), dict[str, Any](), self.joints[joint].parent
        if self.rng.random() < 0.8 or self.joints[joint].kind != "revolute":
            # sometimes on the driven body, or on a body somewhere else
            choices = self.path(self.joints[joint].child)[self.rng.integers(0, 2) :]
            mount = self.pick(self.body_names if self.rng.random() < 0.1 else choices)
            place = {"mount": mount, "position": self.rng.normal(size=3) * 0.2, "axis": axis}
            place["rotation"] = random_rotation(self.rng)
        rotor = self.rotor(axis if place else None)
        damping = self.rng.uniform(0.0, 0.01)
        self.builder.gear(
            joint, ratio / (4.0 if "rotor" in joint else 1.0), rotor, **place, damping=damping
        )
        self.know(Joint(f"{rotor}_joint", "revolute", mount, rotor))
        self.follow([joint], [f"{rotor}_joint"])

    def rotor(self, axis: Array | None) -> str:
        """Add a body: without inertia, of any shape, or round about the axis (or about any)."""
        self.count += 1
        name, chance = f"rotor_{self.count}", self.rng.random()
        mass = 0.0 if chance < 0.1 else self.rng.uniform(0.05, 0.5)
        com, inertia = self.rng.normal(size=3) * 0.05, 0.1 * random_inertia(self.rng, mass)
        if chance > 0.5:
            com, inertia = np.zeros(3), 1e-3 * np.eye(3)
            if axis is not None:
                com, inertia = 0.05 * axis, inertia + 7e-4 * np.outer(axis, axis)
        self.builder.body(name, mass, com * (mass > 0), inertia)
        return name

    def coupling(self) -> None:
        """Add a linear coupling: one or two leaders, one or two followers, in any order."""
        leaders, followers = self.leaders_and_followers(*self.rng.integers(1, 3, size=2))
        names, matrix = [*leaders, *followers], np.eye(len(leaders))
        matrix = np.vstack([matrix, self.rng.uniform(-2.0, 2.0, (len(followers), len(leaders)))])
        offset = np.zeros(len(names))
        offset[len(leaders) :] = self.rng.normal(size=len(followers)) * self.rng.integers(2)
        order = self.rng.permutation(len(names))
        self.builder.couple([names[i] for i in order], matrix[order], offset=offset[order])
        self.follow(leaders, followers)

    def form(self) -> None:
        """Add a closed form; own functions only where there are no loops in clusters."""
        sizes = {"spindle": (1, 1), "tilting_spindle": (1, 2), "parallel_ankle": (2, 2)}
        if self.functions:
            sizes["function"] = (2, 2)
        kind = self.pick(sizes)
        leaders, followers = self.leaders_and_followers(*sizes[kind], chained=kind != "function")
        self.builder.transmission(kind, leaders, followers, **parameters(self.rng, kind))
        self.follow(leaders, followers)
        if kind == "function":
            self.settled.update(leaders)

    def leaders_and_followers(
        self, few: int, more: int, *, chained: bool = True
    ) -> tuple[list[str], list[str]]:
        """Return joints that may lead and follow; `chained` leaders may follow others."""
        single = [n for n, joint in self.joints.items() if joint.kind in SINGLE]
        leaders = [n for n in single if chained or n not in self.followers]
        leaders = [leaders[i] for i in self.rng.permutation(len(leaders))[:few]]
        while len(leaders) < few:
            leaders.append(self.link("revolute", self.pick(self.body_names)))
        taken = self.followers | self.dependent | self.ahead_of(leaders) | self.settled
        followers: list[str] = []
        for _ in range(more):
            old = [n for n in single if n not in taken and n not in (*leaders, *followers)]
            if old and self.rng.random() < 0.5:
                followers.append(self.pick(old))
            else:
                followers.append(self.link(self.pick(SINGLE), self.pick(self.body_names)))
        return leaders, followers

    def ahead_of(self, names: list[str]) -> set[str]:
        """Return the joints that these follow, near and far."""
        found, waiting = set(), list(names)
        while waiting:
            new = [n for n in self.leads.get(waiting.pop(), []) if n not in found]
            found.update(new)
            waiting += new
        return found

    def loop(self, *, constraint: bool) -> None:
        """Add a loop of any kind that can be closed, in a good position."""
        for _ in range(100):
            trial = copy.deepcopy(self)
            if trial.try_loop(constraint=constraint):
                self.__dict__.update(trial.__dict__)
                return
            self.rng.random()
        raise AssertionError("no loop found")

    def try_loop(self, *, constraint: bool) -> bool:
        kinds = [*ENTRIES, "distance", *(["knife_edge"] if constraint else [])]
        kind = kinds[self.rng.integers(len(kinds))]
        dependent = summands(self.rng, len(ENTRIES.get(kind, "1")))
        moving = [(k, True) for k in dependent] + [(k, False) for k in summands(self.rng, 2)]
        self.rng.shuffle(moving)
        # the loop goes up from some body of the machine, or has two new branches
        far = self.pick(self.body_names)
        root = self.pick(self.path(far))
        cut = len(moving) if far != root else self.rng.integers(len(moving) + 1)
        ends, added = [root, far], {}
        for i, part in enumerate((moving[:cut], moving[cut:])):
            for joint_kind, follows in part:
                name = self.link(joint_kind, ends[i])
                added[name] = follows
                ends[i] = self.joints[name].child
        if not constraint:
            self.dependent.update(name for name, follows in added.items() if follows)
        single = [name for name in added if self.joints[name].kind in SINGLE]
        self.start |= {name: float(self.rng.uniform(-0.6, 0.6)) for name in single}
        self.settled.update(added)
        stated = not constraint and far == root and self.rng.random() < 0.5
        independent = [name for name, follows in added.items() if not follows] if stated else None
        self.close(kind, ends, independent, constraint)
        return self.is_regular()

    def close(
        self, kind: str, ends: list[str], independent: list[str] | None, constraint: bool
    ) -> None:
        """Close a loop between two bodies as they are in the start configuration."""
        own = self.projection()
        poses = own.bodies.poses(self.start_of(own))
        at = [own.frame(poses, body, np.eye(4)) for body in ends]
        frame_a = random_placement(self.rng)
        relative = allowed(self.rng, kind)
        frame_b = np.linalg.inv(at[1]) @ at[0] @ frame_a @ relative
        frame_b[:3, :3] = np.linalg.svd(frame_b[:3, :3])[0] @ np.linalg.svd(frame_b[:3, :3])[2]
        length = float(np.linalg.norm(relative[:3, 3])) if kind == "distance" else 0.0
        self.builder.close_loop(
            kind,
            ends[0],
            frame_a,
            ends[1],
            frame_b,
            name=f"{kind}_{self.count}",
            length=length,
            independent=independent,
            start=dict(self.start),
            constraint=constraint,
        )

    def projection(self) -> Projection:
        """Return the oracle, with the dependent joints that the machine was made with."""
        description = self.description
        constraints = [loop.name for loop in description.loops if loop.constraint]
        own = dict.fromkeys(self.dependent | self.followers, ())
        return Projection(description, own, constraints)

    def is_regular(self) -> bool:
        """Whether the dependent joints of the loops are well determined."""
        own = self.projection()
        rows, count = own.rows(self.start_of(own)), len(own.differences(own.tree.neutral()))
        follows = np.zeros(own.tree.nv, dtype=bool)
        for name in self.followers:
            follows[own.tree.joint(name).v_slice] = True
        by_leaders = np.linalg.solve(rows[:count, follows], rows[:count, ~follows])
        loops = rows[count:, ~follows] - rows[count:, follows] @ by_leaders
        inside = own.eliminated[count:]
        inner, outer = loops[inside][:, ~own.free[~follows]], loops[~inside]
        sizes = [np.linalg.svd(m, compute_uv=False) for m in (inner, outer) if m.size]
        return all(size.min() > 0.03 * size.max() and size.min() > 0.05 for size in sizes)

"""What `tarsus.assemble` and `tarsus.take_apart` return: a kit and a tree, and states of both."""

from __future__ import annotations

from dataclasses import dataclass

from numpy.typing import ArrayLike

from tarsus.arrays import Array
from tarsus.kit.carry import carry
from tarsus.kit.snap import Snapped
from tarsus.model import WORLD, Model
from tarsus.model.diagnosis import Diagnosis


@dataclass(frozen=True)
class Cut:
    """A loop of the tree: how many equations it has, and how many velocities they take away.

    `reason` says why it is a constraint, and is empty if a cluster has it.
    """

    name: str
    kind: str
    rows: int
    rank: int
    reason: str

    def __str__(self) -> str:
        repeated = f", {self.rows - self.rank} repeat others" if self.rank < self.rows else ""
        kept = f"a constraint: {self.reason}" if self.reason else "in a cluster"
        rank = f"takes away {self.rank} of the velocities by {self.rows} rows"
        return f"{self.name} ({self.kind}): {rank}{repeated}; {kept}"


@dataclass(frozen=True, eq=False)
class Assembled:
    """A kit as a tree: `model` is the tree, `q` and `v` its state as the parts were put together.

    `roots` are the bodies (or the world) on which the linkages hang, `joints` the loop joints that
    have become joints of the tree, `cuts` those that stay loops, `implied` those that the joints
    of the tree keep closed, so that nothing is left to them. `diagnosis` tells the rank of the
    kit's equations and which repeat others, `snapped` how the parts came together.
    """

    model: Model
    kit: Model
    q: Array
    v: Array
    snapped: Snapped
    roots: tuple[str, ...]
    joints: tuple[str, ...]
    cuts: tuple[Cut, ...]
    implied: tuple[str, ...]
    diagnosis: Diagnosis

    @property
    def freedoms(self) -> int:
        """How many velocities the mechanism has, as it was put together."""
        return self.kit_velocities - self.diagnosis.rank

    @property
    def kit_velocities(self) -> int:
        """How many velocities the kit has with all loops open."""
        return len(self.diagnosis.step)

    def to_tree(self, q: ArrayLike, v: ArrayLike | None = None) -> tuple[Array, Array]:
        """Return a state q (…, nq), v (…, nv) of the kit as one of the tree."""
        found = carry(self.kit, self.model, q, v)
        return found.q, found.v

    def to_kit(self, q: ArrayLike, v: ArrayLike | None = None) -> tuple[Array, Array]:
        """Return a state q (…, nq), v (…, nv) of the tree as one of the kit."""
        found = carry(self.model, self.kit, q, v)
        return found.q, found.v

    def __str__(self) -> str:
        free = [name for name in self.roots if name != WORLD]
        hung = [WORLD] if WORLD in self.roots else []
        lines = [
            f"{self.model.name}: nv = {self.model.nv}, as a kit {self.kit_velocities}",
            f"degrees of freedom: {self.freedoms}",
            f"roots: {', '.join([*hung, *free]) or 'none'}",
            f"joints of the tree: {', '.join(self.joints) or 'none'}",
            *(f"cut: {cut}" for cut in self.cuts),
            *(f"left out: {name}, the joints of the tree keep it closed" for name in self.implied),
            *(f"redundant in the kit: {group}" for group in self.diagnosis.redundant),
            str(self.snapped).splitlines()[0],
        ]
        return "\n".join(lines)

"""Contact without springs: bodies that touch do not enter each other, and feet that hold hold.

At the end of each step, with impulses p and velocities v⁺ of contact points,

    p_n ≥ 0  ⊥  v⁺_n ≥ target,      ‖p_t‖ ≤ μ p_n + dt μ_v ‖v_t‖,      v⁺_t = 0 below that bound:

D. Stewart, J. Trinkle, "An implicit time-stepping scheme for rigid body dynamics with inelastic
collisions and Coulomb friction", IJNME 39, 1996; with the viscous bound of O. Ayit, "Contact
modeling as applied to the dynamic simulation of legged robots", Sabanci University, 2015, eq. 4.22.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

from tarsus import _core
from tarsus._lib.checks import choice, count, positive
from tarsus._lib.files import Array
from tarsus.model import Model

Solver = Literal["newton", "pgs"]


@dataclass(frozen=True)
class Exact:
    """Velocity-level complementarity with the true friction cone.

    The solver "newton" guesses which contacts open, stick or slip and solves all of them at once,
    at most `iterations` times, until the conditions are violated by no more than `tolerance`,
    relative to the velocities; "pgs" is Ayit's projected Gauss–Seidel method (algorithm of section
    4.4), which visits them in turn.
    With `ahead` a point that is still above the ground may come down to it in this step but no
    further; without, it is stopped in the step after it has entered, as in Ayit 2015.
    """

    name: ClassVar[str] = "exact"
    ignores: ClassVar[tuple[str, ...]] = ("stiffness", "damping")

    iterations: int = 1500
    tolerance: float = 1e-10
    ahead: bool = True
    solver: Solver = "newton"

    def __post_init__(self) -> None:
        count(self.iterations, "iterations")
        positive(self.tolerance, "tolerance")
        choice(self.solver, ("newton", "pgs"), "solver")

    @property
    def numbers(self) -> Mapping[str, float]:
        """What the core needs to know, by name."""
        return {
            "iterations": self.iterations,
            "tolerance": self.tolerance,
            "ahead": float(self.ahead),
            "newton": float(self.solver == "newton"),
        }

    def start_depth(self, model: Model, softest: float | None = None) -> float:
        """Return how deep shapes may be in each other when a run starts [m].

        What is inside is moved out without any velocity; what starts deeper is a mistake.
        """
        return 1e-3 if self.ahead else 1e-2

    def check(self, world: _core.World, q: Array, dt: float) -> tuple[str, ...]:
        """Return warnings about a run: none, there is nothing to tune."""
        return ()

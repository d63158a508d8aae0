"""A bungee jump in three representations: block diagram, behaviour, and ports.

V. Duindam, "Port-Based Modeling and Control for Efficient Bipedal Walking Robots", University of
Twente 2006, examples 1.1 and 1.2, figures 1.3 and 1.4: one person of 91 kg on a rope of 9 kg with
30 N/m and 1 Ns/m in all, as one spring without mass, or as n pieces with a mass each. What the
example does not say: the rope has no length of its own, hangs at 60 m, and the jumper starts
there at rest; each of n pieces is n times as stiff and has 1/n of the rope's mass at its end.

Height is upwards, s are the stretches of pieces downwards, v the velocities of their ends upwards.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from scipy.integrate import solve_ivp

from tarsus._lib.files import Array
from tarsus.ports.bond_graph import BondGraph
from tarsus.ports.motion import Motion, simulate
from tarsus.scenes.toys import DAMPING, PERSON, ROPE, STIFFNESS, TOP

GRAVITY = 9.81
TOLERANCES: dict[str, Any] = {"rtol": 1e-11, "atol": 1e-11}
Term: TypeAlias = tuple[str, int, float]
"""A variable, the piece it belongs to, and its coefficient."""


@dataclass(frozen=True)
class Bungee:
    """The jump with a rope of so many pieces; with none it is one spring without mass."""

    pieces: int = 0

    @property
    def count(self) -> int:
        """How many springs there are."""
        return max(1, self.pieces)

    @property
    def masses(self) -> Array:
        """Of the ends of the pieces, from the top; the last one is the person [kg]."""
        masses = np.full(self.count, ROPE / self.pieces if self.pieces else 0.0)
        masses[-1] += PERSON
        return masses

    @property
    def stiffness(self) -> float:
        """Of a piece [N/m]."""
        return STIFFNESS * self.count

    @property
    def damping(self) -> float:
        """Of a piece [Ns/m]."""
        return DAMPING * self.count

    def block_diagram(self, t: Array) -> Array:
        """Return heights (T,) by signals: integrators, gains and sums, one after the other."""
        n, masses = self.count, self.masses

        def blocks(_: float, state: Array) -> Array:
            heights, velocities = state[:n], state[n:]
            above, faster = np.array([TOP, *heights[:-1]]), np.array([0.0, *velocities[:-1]])
            spring = self.stiffness * (above - heights)
            damper = self.damping * (faster - velocities)
            pull = spring + damper
            below = np.array([*pull[1:], 0.0])
            return np.concatenate([velocities, (pull - below) / masses - GRAVITY])

        start = np.concatenate([np.full(n, TOP), np.zeros(n)])
        found = solve_ivp(blocks, (0.0, t[-1]), start, method="DOP853", t_eval=t, **TOLERANCES)
        return np.asarray(found.y[n - 1])

    def behaviour(self, t: Array) -> Array:
        """Return heights (T,) by relations between all variables of all parts.

        For each piece the spring's F, v and stretch rate, the damper's F and v, the mass' F, v and
        momentum rate, gravity's F, and the joints between them: equalities, none an assignment.
        They are solved together for whatever is unknown (J. Polderman, J. Willems, "Introduction
        to Mathematical Systems Theory: A Behavioral Approach", 1998).
        """
        n, masses = self.count, self.masses
        names = ("F_s", "v_s", "ds", "F_d", "v_d", "F_m", "v_m", "dp", "F_g")
        place = {(name, k): len(names) * k + i for k in range(n) for i, name in enumerate(names)}
        relations, known = np.zeros((len(place), len(place))), np.zeros((len(place), 2 * n))
        constant, row = np.zeros(len(place)), 0

        def relation(terms: list[Term], *states: tuple[int, float], value: float = 0.0) -> None:
            nonlocal row
            for name, k, coefficient in terms:
                relations[row, place[name, k]] += coefficient
            for state, coefficient in states:
                known[row, state] = coefficient
            constant[row] = value
            row += 1

        for k in range(n):
            relation([("F_s", k, 1.0)], (k, self.stiffness))  # F = k s
            relation([("ds", k, 1.0), ("v_s", k, -1.0)])
            relation([("F_d", k, 1.0), ("v_d", k, -self.damping)])  # F = d v
            relation([("v_d", k, 1.0), ("v_s", k, -1.0)])  # side by side
            relation([("v_m", k, masses[k])], (n + k, 1.0))  # m v = p
            relation([("dp", k, 1.0), ("F_m", k, -1.0)])
            relation([("F_g", k, 1.0)], value=-GRAVITY * masses[k])
            above = [("v_m", k - 1, -1.0)] if k else []
            relation([("v_s", k, 1.0), ("v_m", k, 1.0), *above])  # v_s = v_above − v
            below = [("F_s", k + 1, 1.0), ("F_d", k + 1, 1.0)] if k + 1 < n else []
            pull = [("F_s", k, -1.0), ("F_d", k, -1.0), ("F_g", k, -1.0)]
            relation([("F_m", k, 1.0), *pull, *below])

        wanted = [place[name, k] for name in ("ds", "dp") for k in range(n)]
        solved = np.linalg.solve(relations, np.column_stack([known, constant]))[wanted]

        def rates(_: float, state: Array) -> Array:
            return np.asarray(solved[:, :-1] @ state + solved[:, -1])

        found = solve_ivp(
            rates, (0.0, t[-1]), np.zeros(2 * n), method="DOP853", t_eval=t, **TOLERANCES
        )
        return np.asarray(TOP - found.y[:n].sum(axis=0))

    def graph(self) -> BondGraph:
        """Return the bond graph: a 1-junction for each end, a 0-junction for each piece."""
        graph = BondGraph(
            "bungee jump" if not self.pieces else f"bungee jump, {self.pieces} pieces"
        )
        for k, mass in enumerate(self.masses, start=1):
            graph.one(f"v{k}", "translation")
            graph.I(f"mass{k}", "translation", mass)
            graph.Se(f"weight{k}", "translation", -GRAVITY * mass)
            graph.one(f"piece{k}", "translation")
            graph.C(f"spring{k}", "translation", stiffness=self.stiffness)
            graph.R(f"damper{k}", "translation", self.damping)
            graph.bond(f"weight{k}", f"v{k}")
            graph.bond(f"v{k}", f"mass{k}")
            graph.bond(f"piece{k}", f"spring{k}", f"damper{k}")
            if k == 1:  # the piece at the top hangs on a wall: its stretch is −v of its end
                graph.bond(f"v{k}", f"piece{k}")
                continue
            graph.zero(f"between{k}", "translation")
            graph.bond(f"v{k}", f"between{k}")
            graph.bond(f"between{k}", f"v{k - 1}", f"piece{k}")
        return graph

    def motion(self, t: Array) -> Motion:
        """Return the motion of the bond graph's port-Hamiltonian system, with its ledger."""
        system = self.graph().system()
        return simulate(system, np.zeros(system.nx), float(t[-1]), samples=t, **TOLERANCES)

    def heights(self, motion: Motion) -> Array:
        """Return heights (T,) of the jumper; springs are bonded to the ends, stretched upwards."""
        stretches = [motion[f"spring{k}"] for k in range(1, self.count + 1)]
        return np.asarray(TOP + np.sum(stretches, axis=0))

"""An independent solver of frictional complementarity problems, to rounding.

Find impulses p with velocities w = A p + b such that

    contact   0 ≤ p_n ⊥ w_n ≥ 0, |p_t| ≤ μ p_n + min(s, 10 p_n), and w_t opposes p_t where it slips
    disc      one or two rows more of such a friction
    stop      0 ≤ p ⊥ w ≥ 0
    brake     |p| ≤ s, and w opposes p where it slips

A projected Gauss–Seidel sweep finds the neighbourhood, Newton's method on the projections
(Alart & Curnier 1991) finds the solution.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from lcp import Array as Array
from lcp import by_lemke

FADE = 10.0
"""The part of a bound besides μ p_n is at most so many times p_n."""


@dataclass(frozen=True)
class Block:
    """Some rows of a problem: what they are, friction μ and what the bound has besides μ p_n.

    A disc names the row of its normal impulse.

    That part of a contact's bound goes out with p_n: a jump to zero would leave some problems
    without a solution.
    """

    kind: str
    rows: tuple[int, ...]
    friction: float = 0.0
    slack: float = 0.0
    normal: int = -1

    @property
    def rubbing(self) -> list[int]:
        """Rows whose bound depends on a normal impulse."""
        return list({"contact": self.rows[1:], "disc": self.rows}.get(self.kind, ()))

    @property
    def first(self) -> int:
        """The row of the normal impulse, or the only one."""
        return self.normal if self.kind == "disc" else self.rows[0]

    def bound(self, normal: float) -> float:
        """Return the largest tangential impulse of a contact with this normal one."""
        return self.friction * max(normal, 0.0) + min(self.slack, FADE * max(normal, 0.0))


@dataclass(frozen=True)
class ConeProblem:
    """w = A p + b, with a block for each contact, stop and brake."""

    A: Array
    b: Array
    blocks: tuple[Block, ...]

    def velocities(self, p: Array) -> Array:
        """Return w (rows,) [m/s]."""
        return np.asarray(self.A @ p + self.b)

    @cached_property
    def steps(self) -> Array:
        """Return inverse masses (rows,): the same for both tangents of a contact."""
        found = np.diag(self.A).copy()
        for block in self.blocks:
            if tangents := block.rubbing:
                square = self.A[np.ix_(tangents, tangents)]
                found[tangents] = np.linalg.eigvalsh(square)[-1]
        return np.maximum(found, 1e-12)

    def residual(self, p: Array) -> float:
        """Return the largest violation [m/s] of the definitions, bounds included."""
        w, steps = self.velocities(p), self.steps
        worst = 0.0
        for block in self.blocks:
            rows = list(block.rows)
            off = p[rows] - projection(block, p[rows] - w[rows] / steps[rows], p[block.first])
            worst = max(worst, float(np.abs(off * steps[rows]).max()))
        return worst

    def solve(self, tolerance: float = 1e-13) -> Array:
        """Return p; raises if Newton's method does not arrive from any start."""
        if not self.blocks:
            return np.zeros(0)
        tolerance *= max(1.0, float(np.abs(self.b).max()))
        for start in self._starts():
            for stretch in (1.0, 0.3, 3.0, 1e-2, 1e-3):
                # projections of other lengths have the same solutions and other ways to them
                other = replace(self)
                other.__dict__["steps"] = self.steps * stretch
                p = self._tidy(other._newton(start, 1e-2 * tolerance))
                if self.residual(p) < tolerance:
                    return p
        raise AssertionError(f"the cone problem is not solved: {self.residual(p):.1e}")

    def _starts(self) -> Iterator[Array]:
        """Yield impulses near the solution: by sweeps, and with polyhedral cones by Lemke."""
        yield self._sweep(np.zeros(len(self.b)), 40)
        for facets in (16, 64):
            A, b, E = self.faceted(facets)
            if (u := by_lemke(A, b)) is not None:
                yield np.asarray(E @ u)
        yield self._sweep(np.zeros(len(self.b)), 4000)

    def faceted(self, facets: int) -> tuple[Array, Array, Array]:
        """Return A, b and E of the problem with polyhedral cones; impulses are p = E u.

        For each contact u has p_n, an impulse along each facet's direction, and the slip speed
        (Stewart & Trinkle 1996); without facets only p_n. A brake has two directions and its speed.
        """
        rows = len(self.b)
        columns: list[Array] = []
        links: list[tuple[int | None, list[int], Block]] = []
        pushes: dict[int, int] = {}  # where normal impulses are
        angles = 2.0 * np.pi * np.arange(facets) / max(facets, 1)
        for block in self.blocks:
            unit = np.eye(rows)
            ways = [unit[block.first], -unit[block.first]]
            if block.kind in ("contact", "stop"):
                pushes[block.first] = len(columns)
                columns.append(unit[block.first])
            if block.kind != "brake":
                rub = unit[block.rubbing]
                ways = [np.cos(a) * rub[0] + np.sin(a) * rub[1] for a in angles if len(rub) == 2]
                ways += [sign * row for row in rub for sign in (1, -1) if len(rub) == 1 and facets]
            normal = pushes.get(block.first)
            if ways:
                first = len(columns)
                columns += [*ways, np.zeros(rows)]  # the slip speed is no impulse
                links.append((normal, list(range(first, first + len(ways))), block))
        E = np.array(columns).T
        A, b = E.T @ self.A @ E, E.T @ self.b
        for normal, ways_of, block in links:
            slip = ways_of[-1] + 1
            A[ways_of, slip], A[slip, ways_of], b[slip] = 1.0, -1.0, block.slack
            if normal is not None:
                A[slip, normal] = block.friction
        return A, b, E

    def _sweep(self, p: Array, count: int) -> Array:
        """Return p after Gauss–Seidel sweeps with projection on the bounds."""
        p, steps = p.copy(), self.steps
        for _ in range(count):
            before = p.copy()
            for block in self.blocks:
                normal, rest = [block.first], block.rubbing
                if block.kind != "disc":
                    wish = p[normal] - self._w(p, normal) / steps[normal]
                    p[normal] = (
                        np.clip(wish, -block.slack, block.slack)
                        if block.kind == "brake"
                        else np.maximum(wish, 0.0)
                    )
                if rest:
                    wish = p[rest] - self._w(p, rest) / steps[rest]
                    p[rest] = disc(wish, block.bound(p[normal[0]]))
            if np.abs(p - before).max() <= 1e-15 * np.abs(p).max():
                break
        return p

    def _tidy(self, p: Array) -> Array:
        """Return p without the traces of contacts that Newton's method left open."""
        p, least = p.copy(), 1e-14 * float(np.abs(p).max())
        for block in self.blocks:
            if block.kind != "brake" and p[block.first] < least:
                p[list(block.rows)] = 0.0
        return p

    def _w(self, p: Array, rows: list[int]) -> Array:
        return np.asarray(self.A[rows] @ p + self.b[rows])

    def _newton(self, p: Array, tolerance: float) -> Array:
        """Return the best p of some Newton steps on p = projection(p − w / steps)."""
        best, least = p, self.residual(p)
        for _ in range(25):
            error, slope = self._linearised(p)
            step = np.linalg.lstsq(slope, error, rcond=1e-12)[0]
            merits = {}
            for length in (1.0, 0.5, 0.2, 0.05):
                merits[length] = float(np.linalg.norm(self._linearised(p - length * step)[0]))
                if merits[length] < 0.9 * np.linalg.norm(error):
                    break
            p = p - min(merits, key=merits.__getitem__) * step
            now = self.residual(p)
            if now < least:
                best, least = p, now
            if least < tolerance:
                break
        return best

    def _linearised(self, p: Array) -> tuple[Array, Array]:
        """Return the error p − projection and its derivative by p."""
        steps = self.steps
        ahead = np.eye(len(p)) - self.A / steps[:, None]
        wish = p - self.velocities(p) / steps
        error, slope = p.copy(), np.eye(len(p))
        for block in self.blocks:
            n, t = block.first, block.rubbing
            if block.kind == "brake":
                error[n] = p[n] - np.clip(wish[n], -block.slack, block.slack)
                slope[n] -= ahead[n] * (abs(wish[n]) < block.slack)
                continue
            if wish[n] <= 0.0:
                continue  # open: the error is p itself
            if block.kind != "disc":
                error[n], slope[n] = p[n] - wish[n], slope[n] - ahead[n]
            if not t:
                continue
            bound, length = block.bound(wish[n]), float(np.linalg.norm(wish[t]))
            if length <= bound:
                error[t], slope[t] = p[t] - wish[t], slope[t] - ahead[t]
                continue
            along = wish[t] / length
            across = (np.eye(len(t)) - np.outer(along, along)) * bound / length
            error[t] = p[t] - bound * along
            widening = block.friction + FADE * float(FADE * wish[n] < block.slack)
            slope[t] -= widening * np.outer(along, ahead[n]) + across @ ahead[t]
        return error, slope


def disc(wish: Array, bound: float) -> Array:
    """Return the point nearest to `wish` in a disc."""
    length = float(np.linalg.norm(wish))
    return wish if length <= bound else wish * (bound / length)


def projection(block: Block, wish: Array, normal: float) -> Array:
    """Return what the definitions allow, nearest to `wish`; `normal` is p_n of the contact."""
    if block.kind == "brake":
        return np.clip(wish, -block.slack, block.slack)
    if block.kind == "stop":
        return np.maximum(wish, 0.0)
    if block.kind == "disc":
        return disc(wish, block.bound(normal))
    return np.concatenate([np.maximum(wish[:1], 0.0), disc(wish[1:], block.bound(normal))])

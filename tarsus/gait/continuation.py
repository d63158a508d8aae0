"""Continuation of gaits over a parameter, period doublings and attractors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tarsus._lib.checks import count, find, number, numbers
from tarsus._lib.files import Array
from tarsus.gait.bifurcations import (
    KINDS,
    TESTS,
    Bifurcation,
    BranchSystem,
    Gait,
    NoReturnError,
    corrected,
    located,
    tangent,
)
from tarsus.gait.branch import Branch
from tarsus.gait.cycle import LimitCycle
from tarsus.gait.limit_cycle import NoGaitError, limit_cycle
from tarsus.gait.return_map import COARSE, FINE, kept_of
from tarsus.gait.walkers.walker import State, Walker, check_walker

# `ts.gait.continuation`: how gaits change with a number of the walker, and where they split.


TOLERANCE = 1e-10
SHORTEST, LONGEST = 1e-7, 0.05
"""Steps along a branch, in radians, metres, and scales of the number."""


def continuation(
    walker: Walker,
    name: str,
    start: LimitCycle | Bifurcation | None = None,
    *,
    to: float,
    scale: float | None = None,
    step: float = 0.02,
    most: int = 400,
    kinds: Sequence[str] = KINDS,
    until: str | None = None,
) -> Branch:
    """Follow a gait while the walker's number `name` goes on towards the value `to`.

    By pseudo-arclength, so that the branch goes round folds: it ends where the number reaches `to`
    or comes back to where it began, where steps fall, or after `most` gaits. From a `start` that is
    a flip the branch of doubled period is followed. Bifurcations of `kinds` are located to 1e-9 of
    `scale`, which is the number's size unless stated; at the first of the kind `until` the branch
    ends. Gaits of a family go on with the energy of the first, and meets of their branches are not
    looked for.
    """
    check_walker(walker)
    find(walker.numbers, name, "number of the walker")
    count(most, "most")
    for kind in kinds:
        find(dict.fromkeys(KINDS), kind, "kind of bifurcation")
    if until is not None:
        find(dict.fromkeys(KINDS), until, "kind of bifurcation")
    for value, word in ((step, "step"), (1.0 if scale is None else scale, "scale")):
        if not number(value, word) > 0.0:
            raise ValueError(f"{word} is {value:g}, must be positive")
    size = max(abs(walker.numbers[name]), abs(number(to, "to")))
    begun = limit_cycle(walker) if start is None else start
    kept = _kept(walker, name, begun)
    system = BranchSystem(walker, name, float(size if scale is None else scale), FINE, kept)
    first, way = _first(system, begun, to, step)
    branch = Branch(walker, name, [first], [way], [], "")
    for gait, along, why in _followed(system, first, way, to, step, most):
        if gait is None:
            branch.ended = why
            break
        _look_for(system, branch, gait, along, kinds)
        if until is not None and branch.of(until):
            branch.ended = f"at the first {until}"
            break
        branch.gaits.append(gait)
        branch.ways.append(along)
    return branch


def _kept(walker: Walker, name: str, start: LimitCycle | Bifurcation) -> Array:
    """Return what gaits of a family keep, of the one that the branch begins with (k,)."""
    if isinstance(start, LimitCycle):
        return np.asarray(kept_of(start.walker, start.q[:1], start.v[:1])[0])
    there = walker.but(**{name: start.value})
    return np.asarray(kept_of(there, start.gait.q[:1], start.gait.v[:1])[0])


def _first(
    system: BranchSystem, start: LimitCycle | Bifurcation, to: float, step: float
) -> tuple[Gait, Array]:
    """Return the first gait of a branch and the way to go."""
    if isinstance(start, Bifurcation):
        return _switched(system, start, step)
    value = start.walker.numbers.get(system.name, system.walker.numbers[system.name])
    if value == to:
        raise ValueError(f"to is {to:g}, where {system.name} is already")
    guess = system.gait(start.q, start.v, value)
    onward = np.zeros(guess.matrix.shape[1])
    onward[-1] = np.sign(to - value)
    gait, _ = corrected(system, guess, onward, TOLERANCE)
    if gait is None:
        raise NoGaitError(
            f"{system.walker.name} has no gait at {system.name} = {value:g} where the branch is to "
            "begin: is the start one of another walker?"
        )
    way = tangent(gait)
    return gait, way if way @ onward >= 0.0 else -way


def _switched(system: BranchSystem, start: Bifurcation, step: float) -> tuple[Gait, Array]:
    """Return a gait beside a flip, of twice as many steps, and the way from the flip to it.

    Where a multiplier is −1 the new branch begins along its eigenvector, forth and back.
    """
    if start.kind != "flip":
        raise ValueError(f"start is a {start.kind}, must be a flip: only these double the period")
    if start.gait.heading:
        raise ValueError(
            f"walker {system.walker.name!r} may head anywhere: gaits of two steps have others "
            "beside them, and no branch of them is followed"
        )
    values, vectors = np.linalg.eig(start.gait.product)
    push = np.real(vectors[:, np.argmin(np.abs(values + 1.0))])
    assert start.gait.at.slopes is not None
    pushes = []
    for _ in range(2):
        for slope in start.gait.at.slopes:
            pushes.append(push)
            push = slope[:, : len(push)] @ push
    way = np.append(np.concatenate(pushes), 0.0)
    way /= np.linalg.norm(way)
    twice = [np.concatenate([x, x]) for x in (start.gait.q, start.gait.v)]
    middle = system.gait(twice[0], twice[1], start.value)
    for length in (step, step / 4, step / 16, step / 64, step / 256):
        gait, _ = corrected(system, system.moved(middle, length * way), way, TOLERANCE)
        if gait is not None:
            return gait, tangent(gait, way)
    raise NoGaitError(f"no gait of doubled period was found beside the {start!r}")


def _followed(
    system: BranchSystem, gait: Gait, way: Array, to: float, length: float, most: int
) -> Iterator[tuple[Gait | None, Array, str]]:
    """Yield gaits along a branch, and at last None with the reason of the end."""
    began = gait.value
    for _ in range(most):
        why = ""
        try:
            found, rounds = corrected(system, system.moved(gait, length * way), way, TOLERANCE)
        except ValueError as error:
            found, rounds, why = None, 0, f"there is no such walker: {error}"
        turned = None if found is None else tangent(found, way)
        if found is None or turned is None or way @ turned < 0.9:
            length *= 0.4
            if length < SHORTEST:
                yield None, way, why or f"no gait follows: {_fell(system, gait, way)}"
                return
            continue
        for end, word in ((to, "has reached"), (began, "came back to")):
            if (gait.value - end) * (found.value - end) < 0.0:
                last = _at(system, gait, found, end)
                why = f"{system.name} {word} {end:g}"
                if last is None:
                    last = found
                    why += f", where no gait was found: the last one is at {found.value:.8g}"
                yield last, tangent(last, way), ""
                yield None, way, why
                return
        gait, way = found, turned
        yield gait, way, ""
        length = min(length * (1.6 if rounds <= 3 else 0.7 if rounds > 5 else 1.0), LONGEST)
    yield None, way, f"after {most} gaits"


def _at(system: BranchSystem, before: Gait, after: Gait, value: float) -> Gait | None:
    """Return the gait at a value between two others, or None if none is found there."""
    share = (value - before.value) / (after.value - before.value)
    guess = system.moved(before, share * system.away(before, after))
    across = np.zeros(guess.matrix.shape[1])
    across[-1] = 1.0
    return corrected(system, guess, across, TOLERANCE)[0]


def _fell(system: BranchSystem, gait: Gait, way: Array) -> str:
    then = system.moved(gait, 10.0 * SHORTEST * way)
    fallen = np.flatnonzero(~then.at.walked)
    return then.at.why_not(int(fallen[0])) if len(fallen) else "Newton's method does not converge"


def _look_for(
    system: BranchSystem, branch: Branch, gait: Gait, way: Array, kinds: Sequence[str]
) -> None:
    """Locate what lies between the last gait of a branch and the next one."""
    last, along = branch.gaits[-1], branch.ways[-1]
    length = float(system.away(last, gait) @ along)
    for kind in KINDS:
        before, after = TESTS[kind](last, along), TESTS[kind](gait, way)
        if kind not in kinds or not before * after < 0.0:
            continue
        try:
            found = located(system, kind, last, along, length, TOLERANCE)
        except NoReturnError as error:
            between = f"{system.name} {last.value:.8g} and {gait.value:.8g}"
            branch.notes.append(f"a {kind} between {between} was not located: {error}")
            continue
        if found is not None:
            branch.add(found)


# Period after period doubled: the way into chaos, and Feigenbaum's ratio.


@dataclass(frozen=True, eq=False)
class Doublings:
    """Branches of 1, 2, 4, … steps, each from the flip of the one before."""

    branches: list[Branch]

    def plot(
        self,
        path: str | Path | None = None,
        *,
        coordinate: int = 0,
        attractor: tuple[Array, Array] | None = None,
    ) -> Any:
        """Return a figure of all branches, over the points that `ts.gait.attractor` finds."""
        from tarsus.gait.plots import plot_branches

        return plot_branches(self.branches, path, coordinate=coordinate, attractor=attractor)

    def __repr__(self) -> str:
        values = ", ".join(f"{x:.8g}" for x in self.values)
        ratios = ", ".join(f"{x:.4f}" for x in self.ratios) or "none yet"
        return f"<Doublings of {self.branches[0].name} at {values}; ratios {ratios}>"

    @property
    def values(self) -> Array:
        """The numbers at which periods double."""
        flips = [branch.of("flip") for branch in self.branches]
        return np.array([found[0].value for found in flips if found])

    @property
    def ratios(self) -> Array:
        """How much shorter each interval is than the one before: 4.669… in the limit.

        M. J. Feigenbaum, "Quantitative universality for a class of nonlinear transformations",
        1978.
        """
        gaps = np.diff(self.values)
        return np.asarray(gaps[:-1] / gaps[1:])


def doublings(
    walker: Walker,
    name: str,
    start: LimitCycle | None = None,
    *,
    to: float,
    doubled: int = 4,
    step: float = 0.02,
) -> Doublings:
    """Follow a gait to its flip, the gait of twice its period to its own, and so on."""
    check_walker(walker)
    count(doubled, "doubled")
    branches: list[Branch] = []
    beginning: LimitCycle | Bifurcation | None = start
    for k in range(doubled + 1):
        branch = continuation(
            *(walker, name, beginning),
            to=to,
            step=step / 4.0**k,
            kinds=("flip",),
            until="flip",
        )
        branches.append(branch)
        if not branch.of("flip"):
            break
        beginning = branch.of("flip")[0]
    return Doublings(branches)


# `ts.gait.attractor`: where walkers come to by themselves, over a number that changes.


def attractor(
    walker: Walker,
    name: str,
    values: ArrayLike,
    start: State | None = None,
    *,
    coordinate: int = 0,
    forgotten: int = 200,
    kept: int = 60,
) -> tuple[Array, Array]:
    """Return a coordinate after each of the last `kept` strikes for each value of a number.

    Walkers begin where those with the value before ended, and the first `forgotten` steps are left
    out: what is left is a point for a gait, two where its period is doubled, many in chaos. Returns
    values and coordinates (N,), as `plot_branches` draws them; a walker that falls adds none, and
    the next begins where the last one that walked did.
    """
    check_walker(walker)
    find(walker.numbers, name, "number of the walker")
    count(forgotten, "forgotten")
    count(kept, "kept")
    given = np.atleast_1d(np.asarray(values, float))
    numbers(given, (given.size,), "values")
    if not 0 <= coordinate < walker.phases[0].model.nq:
        raise ValueError(
            f"coordinate is {coordinate}, must be from 0 to {walker.phases[0].model.nq - 1}"
        )
    q, v = walker.start if start is None else start
    found: list[tuple[float, float]] = []
    steps, per_step = forgotten + kept, walker.events
    for value in given.tolist():
        other = walker.but(**{name: value})
        flowed = other.steps(q[None], v[None], steps, **COARSE._asdict())
        if flowed.n_events[0] < steps * per_step:
            continue
        strikes = [event.next_q[coordinate] for event in flowed.events][per_step - 1 :: per_step]
        found += [(value, float(x)) for x in strikes[-kept:]]
        q, v = flowed.q[0], flowed.v[0]
    points = np.array(found).reshape(-1, 2)
    return points[:, 0], points[:, 1]

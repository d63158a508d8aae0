"""Figures 5.20 to 5.22 of V. Duindam: where a walker with its mass in its hip puts its feet."""

from __future__ import annotations

import math

import numpy as np

from tarsus._lib.files import Array
from tarsus.gait.return_map import take_step
from tarsus.gait.walkers.point_mass import FootPlacement, PointMassWalk, point_mass, point_mass_walk
from tarsus_lab.reproduce.port_4_2 import SOURCE
from tarsus_lab.reproduce.result import Curve, Result, Row, Verdict, judged

LEAN, RATES = (-0.3, -0.1), (2.0 / math.cos(0.1) ** 2, 0.1)
"""Where walks begin: momenta (2, 0.1), as in the thesis."""
PUSH = (2.0, (0.0, -0.3, 0.0))
SIZE = "the size of the push is not told; ours is 0.3 m/s to the right"
EARLY = (
    "the size of the push and when in a step it comes are not told: 0.161 m also by SciPy with the "
    "Hamiltonian of the thesis, 0.147 m for the same push to the left, 0.31 m 0.1 s later"
)
SHAPE = "the shape of the reference is not told; ours goes 0.5 m to the left and back"


def placed() -> Result:
    """Compare lateral foot placement with section 5.4.3."""
    fixed, steady = largest(0.0), largest(0.3)
    fell = _walk(FootPlacement(gain=0.0))
    calm, pushed = _walk(FootPlacement()), _walk(FootPlacement(), [PUSH])
    gained = float(pushed.energy[-1] - pushed.energy[0])
    aside = float(pushed.middles[-1][1][1] - calm.middles[-1][1][1])
    window = [gain for gain in np.arange(0.05, 0.8, 0.025).tolist() if largest(gain) < 1.0]
    rows = (
        judged("fixed feet: offsets grow each step by", "> 1", fixed, fixed > 1.0),
        judged("fixed feet: falls after [s]", "falls", fell.t[-1], fell.ended == "fell"),
        judged("gain 0.3: offsets fade each step by", "< 1", steady, steady < 1.0),
        judged("gains that are stable, from [s]", "", window[0], window[0] < 0.2),
        judged("to [s]", "", window[-1], window[-1] > 0.6),
        judged("pushed aside: steps", "walks on", len(pushed.strikes), pushed.ended == "walks on"),
        judged("energy that a push has added [m²/s²]", "> 0", gained, gained > 0.0, SIZE),
        judged("its line is displaced by [m]", "< 0", aside, aside < 0.0, SIZE),
    )
    return Result(
        "port-5.20",
        "Lateral foot placement, and a push aside",
        f"{SOURCE}, figure 5.20",
        rows,
        (_path("fixed feet", fell), _path("placed", calm), _path("pushed", pushed)),
        ("ahead [m]", "aside [m]"),
    )


def returning() -> Result:
    """Compare a walk back to its line with section 5.4.3."""
    walk = _walk(FootPlacement(line=0.0), [PUSH], 42.0)
    times = np.array([t for t, _, _ in walk.middles])
    aside = np.abs([place[1] for _, place, _ in walk.middles])
    first, later = float(aside.max()), float(aside[times > 4.5].max())
    rows = (
        judged("steps in 42 s", "walks on", len(walk.strikes), walk.ended == "walks on"),
        judged("furthest aside at mid-stance [m]", "", first, first < 0.2, EARLY),
        judged("and from 2.5 s after the push on [m]", "returns", later, later < 0.15, SIZE),
    )
    return Result(
        "port-5.21",
        "A walk that returns to its line after a push",
        f"{SOURCE}, figure 5.21",
        rows,
        (_path("hip", walk),),
        ("ahead [m]", "aside [m]"),
    )


def following() -> Result:
    """Compare a walk along a line that moves with section 5.4.3, and one that turns."""
    walk = _walk(FootPlacement(line=lambda t: 0.5 if 10.0 < t < 25.0 else 0.0), duration=40.0)
    off = []
    for begin, end, wanted in ((5.0, 10.0, 0.0), (18.0, 25.0, 0.5), (33.0, 40.0, 0.0)):
        aside = [place[1] for t, place, _ in walk.middles if begin < t < end]
        off.append(abs(float(np.mean(aside)) - wanted))
    turned = _walk(FootPlacement(heading=lambda t: min(0.1 * t, math.pi / 2)), duration=40.0)
    way = turned.feet[-1] - turned.feet[-9]
    heading = float(np.arctan2(way[1], way[0]))
    rows = (
        judged("steps in 40 s", "walks on", len(walk.strikes), walk.ended == "walks on"),
        judged("off the reference in the mean [m]", "follows", max(off), max(off) < 0.1, SHAPE),
        _turned(heading),
    )
    return Result(
        "port-5.22",
        "Walks along a line that moves, and around a corner",
        f"{SOURCE}, figure 5.22",
        rows,
        (_path("line that moves", walk), _path("turn", turned)),
        ("ahead [m]", "aside [m]"),
    )


def _turned(heading: float) -> Row:
    verdict: Verdict = "surpassed" if abs(heading - math.pi / 2) < 0.05 else "missed"
    reason = "the thesis describes how a heading may be followed, and does not try"
    return Row("heading after a turn of 90° [rad]", "", heading, verdict, reason)


def largest(gain: float) -> float:
    """Return the largest multiplier of the gait but that of its energy, which is one."""
    walker = point_mass(gain=gain)
    q, v = (x[None] for x in walker.start)
    slopes = take_step(walker, q, v, derivatives=True).slopes
    assert slopes is not None
    found: Array = np.linalg.eigvals(slopes[0])
    return float(np.abs(np.delete(found, np.argmin(np.abs(found - 1.0)))).max())


def _walk(
    placement: FootPlacement,
    pushes: list[tuple[float, tuple[float, float, float]]] | None = None,
    duration: float = 20.0,
) -> PointMassWalk:
    return point_mass_walk(
        placement, LEAN, RATES, duration=duration, disturbances=pushes or [], sample=0.05
    )


def _path(label: str, walk: PointMassWalk) -> Curve:
    x, y, _ = np.array(walk.hip).T
    return Curve(label, tuple(x.tolist()), tuple(y.tolist()))

"""Figure 5.12 of V. Duindam: Dribbel on level ground, over angles and gains of its hip."""

from __future__ import annotations

import math

from tarsus_lab.reproduce.port_4_2 import SOURCE
from tarsus_lab.reproduce.result import Curve, Result, Row, judged
from tarsus_lab.scenes import LevelWalk, level_walk

ANGLES, GAINS = (0.1, 0.2, 0.3, 0.4, 0.5), (2.0, 6.0, 10.0, 14.0, 18.0)
"""The box that the thesis sweeps: q_set [rad] and kp [A/rad]."""
NUMBERS = (
    "ratio, winding and ground are not told: ours are a gear of 43:1, the winding for 24 V and a "
    "rigid ground; strength is in proportion to the ratio"
)
STEPS = (
    "7.5 A at 10 A/rad tell of legs 0.45 rad apart at a strike: steps of 0.40 m in 0.74 s; "
    "ours take as long, but are 0.25 m, as on a rigid ground the setpoint changes with the strike. "
    "With ratios from 12 to 66 it walks at 0.25 to 0.39 m/s, with more it falls"
)
LEG = 0.9
"""Length of a leg [m]."""
SYMMETRIC = "ours is symmetric: feet strike one after the other, and the setpoint changes at once"


def run() -> Result:
    """Compare walks of Dribbel with section 5.3."""
    found = {(angle, gain): level_walk(angle, gain) for angle in ANGLES for gain in GAINS}
    walks = {key: walk for key, walk in found.items() if _walks(walk)}
    chosen, region = found[0.3, 10.0], _region(set(walks))
    rows = (
        judged("chosen gains: walks for 10 s", "walks", _word(chosen), _walks(chosen)),
        judged("speed [m/s]", "0.54", chosen.speed, chosen.speed > 0.5, STEPS, "unsupported"),
        _period(chosen),
        judged(
            "largest current [A]", "7.5, below 8", chosen.current, chosen.current < 8.0, NUMBERS
        ),
        judged(
            "specific resistance",
            "0.22",
            chosen.resistance,
            0.15 < chosen.resistance < 0.3,
            NUMBERS,
        ),
        judged("sets of gains that walk, of 25", "some", len(walks), len(walks) > 5),
        judged("of which hang together", "a region", region, region > 5),
        _cheaper(walks),
        *_experiment(),
    )
    curves = [
        Curve(f"{gain:g} A/rad", *zip(*points, strict=True))
        for gain in GAINS
        if len(points := [(w.speed, w.resistance) for (_, g), w in walks.items() if g == gain]) > 1
    ]
    return Result(
        "port-5.12",
        "Dribbel walks on level ground by the motor of its hip",
        f"{SOURCE}, section 5.3 and figure 5.12",
        rows,
        tuple(curves),
        ("speed [m/s]", "specific resistance"),
    )


def _period(walk: LevelWalk) -> Row:
    """Return how long steps take, which the thesis tells by its current and its speed.

    The current is largest where legs are furthest apart, at a strike: there i = kp (q + q_set).
    """
    apart = 7.5 / 10.0 - 0.3
    told = 2.0 * LEG * math.sin(0.5 * apart) / 0.54
    (one, _), (two, _) = walk.strikes[-2:]
    close = abs((two - one) / told - 1.0) < 0.05
    return judged("a step takes [s]", f"{told:.2f}, by current and speed", two - one, close)


def _walks(walk: LevelWalk) -> bool:
    return not walk.fell and len(walk.strikes) >= 10


def _word(walk: LevelWalk) -> str:
    return "walks" if _walks(walk) else "falls"


def _region(cells: set[tuple[float, float]]) -> int:
    """Return how many cells the largest region has, neighbours along angles and gains."""
    left = {(ANGLES.index(a), GAINS.index(g)) for a, g in cells}
    largest = 0
    while left:
        front, size = [left.pop()], 0
        while front:
            i, k = front.pop()
            size += 1
            near = {(i + 1, k), (i - 1, k), (i, k + 1), (i, k - 1)} & left
            left -= near
            front += near
        largest = max(largest, size)
    return largest


def _cheaper(walks: dict[tuple[float, float], LevelWalk]) -> Row:
    """Return the row about what slow walks cost."""
    ordered = sorted(walks.values(), key=lambda walk: walk.speed)
    share = ordered[0].resistance / ordered[-1].resistance
    return judged("slowest by fastest specific resistance", "< 1", share, share < 1.0, SYMMETRIC)


def _experiment() -> tuple[Row, ...]:
    """Return powers of the experiment, from what is measured there."""
    magnets = 3.74 * (2.0 + 0.6 * 2.0)
    idle = 11.2 + magnets
    eta = (30.0 - idle) / (9.2 * 9.81 * 0.32)
    return (
        judged("experiment: electronics and knees [W]", "23.2", idle, abs(idle - 23.2) < 0.05),
        judged("experiment: motor [W]", "6.8", 30.0 - idle, abs(30.0 - idle - 6.8) < 0.05),
        judged("experiment: specific resistance", "0.23", eta, abs(eta / 0.23 - 1.0) < 0.03),
    )

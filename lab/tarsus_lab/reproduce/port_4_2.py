"""Section 4.2 of V. Duindam: the compass walker, what its strikes take, and its passive gaits."""

from __future__ import annotations

import math

import numpy as np

from tarsus._lib.files import Array
from tarsus.events.flow import flow
from tarsus.events.flow_result import Flowed
from tarsus.gait.impact_analysis import ImpactAnalysis, impact_analysis
from tarsus.gait.limit_cycle import limit_cycles
from tarsus.gait.walkers.planar import STABLE, UNSTABLE, compass, start
from tarsus_lab.reproduce.result import Curve, Result, Row, compared, judged

SOURCE = "V. Duindam, Port-Based Modeling and Control …, University of Twente 2006"
ANGLE = (
    "the printed values do not belong to the angle that is stated: at 0.445 rad the lower one is "
    "0.22; the bound follows from it"
)
POLYNOMIALS = (
    "theirs is of an optimised polynomial that is nearly passive (its cost is 0.0010), ours of the "
    "gait itself"
)


def run() -> Result:
    """Compare the compass walker with section 4.2."""
    t, q, _ = _walk(STABLE, 6).samples
    return Result(
        "port-4.2",
        "A compass walker: what a strike does and takes, and two passive gaits",
        f"{SOURCE}, section 4.2",
        (*_map(), *_losses(), *_gaits()),
        (
            Curve("between the legs", tuple(t.tolist()), tuple(q[:, 1].tolist())),
            Curve("stance leg", tuple(t.tolist()), tuple(q[:, 0].tolist())),
        ),
        ("time [s]", "angle [rad]"),
    )


def printed_map(y: Array, m: float = 1.0, hip: float = 5.0) -> Array:
    """Return rates (2,) after a strike by (4.15), from (q₃, q₄) and their rates."""
    q3, _, w3, w4 = y
    d = -3 * m - 4 * hip + 2 * m * math.cos(4 * q3)
    first = (m - 2 * (m + 2 * hip) * math.cos(2 * q3)) * w3 + m * w4
    second = 8 * (m + hip) * (1 + 2 * math.cos(2 * q3)) * math.sin(q3) ** 2 * w3
    return np.array([first, second + (2 * m * math.cos(2 * q3) - m) * w4]) / d


def _walk(gait: tuple[float, float, float], steps: int, offset: float = 0.0) -> Flowed:
    q0, v0 = start((gait[0] + offset, *gait[1:]))
    return flow(compass().phases, q0, v0, duration=2.0 * steps, events=steps, sample=0.01)


def _map() -> list[Row]:
    events = [*_walk(STABLE, 10).events, *_walk(UNSTABLE, 3).events]
    off = max(
        float(np.abs(event.next_v - printed_map(np.concatenate([event.q, event.v]))).max())
        for event in events
    )
    return [judged("strikes beside (4.15) [rad/s]", "the same", off, off < 1e-12)]


def losses(q4: float, leg_mass: float = 1.0, hip_mass: float = 5.0) -> ImpactAnalysis:
    """Return what a strike takes with an angle q₄ between the legs (4.19)."""
    walker = compass(leg_mass, hip_mass, gravity=9.81)
    return impact_analysis(walker, [-q4 / 2, q4])


def _losses() -> list[Row]:
    found = losses(0.5)
    most, least = found.shares
    low, high = found.passive_energies
    across, bare = np.ptp(losses(math.pi / 2).shares), np.ptp(losses(0.5, hip_mass=0.0).shares)
    light = losses(0.5, leg_mass=1e-9).shares
    off = float(abs(light.min() - math.sin(0.5) ** 2))  # of m_H q̇₃²/2, (4.18)
    return [
        compared("gravity gives in a step [J]", "1.78", found.work),
        compared("largest share of energy lost", "1.0", most),
        compared("smallest share", "0.22", least, right="0.2704", reason=ANGLE),
        compared("energy at a strike, at least [J]", "1.78", low),
        compared("at most [J]", "8.08", high, right="6.58", reason=ANGLE),
        judged("shares differ at 90° by", "0", float(across), bool(across < 1e-12)),
        judged("shares differ without a hip mass by", "0", float(bare), bool(bare < 1e-12)),
        judged("light legs: share lost less sin² q₄", "0", off, off < 1e-7),
    ]


def _gaits() -> list[Row]:
    rows = []
    stable, unstable = limit_cycles(compass())
    for label, gait in (("first", unstable), ("second", stable)):
        growth = float(np.abs(gait.multipliers).max())
        word, good = ("unstable", growth > 1.0) if gait is unstable else ("stable", growth < 1.0)
        rows.append(judged(f"{label} gait: an offset grows each step by", word, growth, good))
    fallen = len(_walk(UNSTABLE, 30, offset=-3e-4).events) - 1  # the last event is the fall
    rows.append(judged("first gait, 0.3 mrad off: steps until it falls", "3", fallen, fallen < 6))
    walked = stable.walker.steps(*stable.state, 100)
    change = float(np.abs([*(walked.q - stable.q[0]), *(walked.v - stable.v[0])]).max())
    rows.append(judged("second gait: change in 100 steps", "none", change, change < 1e-6))
    speed = stable.speed
    rows.append(compared("its speed [m/s]", "0.76", speed, right="0.7533", reason=POLYNOMIALS))
    return rows

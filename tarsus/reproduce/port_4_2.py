"""Section 4.2 of V. Duindam: the compass walker, what its strikes take, and its passive gaits."""

from __future__ import annotations

import math

import numpy as np

from tarsus.arrays import Array
from tarsus.events import Flowed, flow
from tarsus.gait.walkers.compass import SLOPE, STABLE, UNSTABLE, start, walking
from tarsus.model import Model
from tarsus.reproduce.result import Curve, Result, Row, compared, judged
from tarsus.robots.compass import compass

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


def losses(model: Model, q4: float) -> Array:
    """Return the shares of kinetic energy that a strike takes (2,), largest first (4.19)."""
    q = np.array([0.0, 0.0, -q4 / 2, q4])
    mass = np.asarray(model.mass_matrix(q))
    rows = np.asarray(model.frame_jacobian(q, "right_foot", "local_world_aligned"))[[0, 2]]
    taken = rows.T @ np.linalg.solve(rows @ np.linalg.solve(mass, rows.T), rows)
    # the stance foot stands still before: only (q₃, q₄) move
    back = np.linalg.inv(np.linalg.cholesky(mass[2:, 2:]))
    return np.asarray(np.linalg.svd(back @ taken[2:, 2:] @ back.T, compute_uv=False))


def _walk(gait: tuple[float, float, float], steps: int, offset: float = 0.0) -> Flowed:
    q0, v0 = start((gait[0] + offset, *gait[1:]))
    return flow(walking(), q0, v0, duration=2.0 * steps, events=steps, sample=0.01)


def _map() -> list[Row]:
    events = [*_walk(STABLE, 10).events, *_walk(UNSTABLE, 3).events]
    off = max(
        float(np.abs(event.next_v - printed_map(np.concatenate([event.q, event.v]))).max())
        for event in events
    )
    return [judged("strikes beside (4.15) [rad/s]", "the same", off, off < 1e-12)]


def _losses() -> list[Row]:
    model = compass()
    given = model.total_mass * 9.81 * 2.0 * math.sin(0.25) * math.sin(SLOPE)
    most, least = losses(model, 0.5)
    across, bare = np.ptp(losses(model, math.pi / 2)), np.ptp(losses(compass(1.0, 0.0), 0.5))
    light = losses(compass(1e-9), 0.5)
    off = float(abs(light.min() - math.sin(0.5) ** 2))  # of m_H q̇₃²/2, (4.18)
    return [
        compared("gravity gives in a step [J]", "1.78", given),
        compared("largest share of energy lost", "1.0", most),
        compared("smallest share", "0.22", least, right="0.2704", reason=ANGLE),
        compared("energy at a strike, at least [J]", "1.78", given / most),
        compared("at most [J]", "8.08", given / least, right="6.58", reason=ANGLE),
        judged("shares differ at 90° by", "0", float(across), bool(across < 1e-12)),
        judged("shares differ without a hip mass by", "0", float(bare), bool(bare < 1e-12)),
        judged("light legs: share lost less sin² q₄", "0", off, off < 1e-7),
    ]


def _gaits() -> list[Row]:
    rows = []
    for label, gait in (("first", UNSTABLE), ("second", STABLE)):
        growth = multiplier(gait)
        word = "unstable" if gait is UNSTABLE else "stable"
        good = growth > 1.0 if gait is UNSTABLE else growth < 1.0
        rows.append(judged(f"{label} gait: an offset grows each step by", word, growth, good))
    fallen = len(_walk(UNSTABLE, 30, offset=-3e-4).events)
    rows.append(judged("first gait, 0.3 mrad off: steps until it falls", "3", fallen, fallen < 6))
    flowed = _walk(STABLE, 100)
    change = float(np.abs([flowed.q[0] - STABLE[0], *(flowed.v - STABLE[1:])]).max())
    rows.append(judged("second gait: change in 100 steps", "none", change, change < 1e-6))
    times = [event.t for event in flowed.events[-2:]]
    speed = 2.0 * math.sin(flowed.q[0]) / (times[1] - times[0])
    rows.append(compared("its speed [m/s]", "0.76", speed, right="0.7533", reason=POLYNOMIALS))
    return rows


def multiplier(gait: tuple[float, float, float]) -> float:
    """Return how much the largest offset from a gait grows in a step, by differences."""
    h = 1e-4
    offsets = np.concatenate([h * np.eye(3), -h * np.eye(3)])
    starts = [start(tuple(np.add(gait, offset))) for offset in offsets]
    q0, v0 = (np.array(each) for each in zip(*starts, strict=True))
    flowed = flow(walking(), q0, v0, duration=3.0, events=1)
    after = np.column_stack([flowed.q[:, 0], flowed.v])
    slope = (after[:3] - after[3:]).T / (2 * h)
    return float(np.abs(np.linalg.eigvals(slope)).max())

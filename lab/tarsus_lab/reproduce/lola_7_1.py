"""Figures 7.1 and 7.3 of M. Schwienbacher: arms that track angular momentum in a walk."""

from __future__ import annotations

from tarsus.walking.arms import Swinging, Tracking
from tarsus_lab.reproduce.humanoid_walks import (
    SETTINGS,
    HumanoidWalks,
    SteadySteps,
    change,
    peak,
    rms,
)
from tarsus_lab.reproduce.result import Result, Row, Verdict, judged

SOURCE = "M. Schwienbacher, TU München 2013"
SHARE = 0.7
"""Of the momentum for which arms make up by the damped inverse."""
LOWER = -15.0
"""Peaks must be lower by this to be called about 20 % lower [%]."""
SLOWER = 1.25
"""Steps on the robot took 1.0 s, those in simulation 0.8 s."""


def run(robot: str = "lola") -> Result:
    """Walk with arms that swing as legs do, and with arms that track."""
    walks = HumanoidWalks(robot)
    scale = walks.swing
    swinging, tracking = walks.walked(Swinging(scale)), walks.walked(Tracking())
    damped = walks.walked(Tracking(SHARE))
    less = change(walks.planned_peak(Tracking()), walks.planned_peak(Swinging(scale / 2)))
    reason = (
        "the thesis prints neither masses of arms nor how far they follow legs, which decide; here "
        f"they follow {scale:.2f} times as far. Beside arms that follow half as far the peak of "
        f"L_z is {-less:.0f} % lower by (7.9). How much that makes up for depends on the arms' "
        f"inertia; the damped inverse makes up for {100 * SHARE:.0f} % on any machine"
    )
    rows = (
        upright((swinging, tracking, damped)),
        *_peaks("as (7.9)", swinging, tracking, reason),
        *_peaks("by a damped inverse", swinging, damped, reason, theirs=False),
        *_torques(robot),
    )
    curves = {"reference swing": swinging, "tracking (7.9)": tracking, "tracking, damped": damped}
    return Result(
        "lola-7.1",
        f"Arms that track angular momentum, beside arms that swing with the legs: {robot}",
        f"{SOURCE}, section 7.3, Figures 7.1 and 7.3; in simulation with contact",
        rows,
        tuple(walk.curve(label) for label, walk in curves.items()),
        ("time [s]", "angular momentum about the vertical [N·m·s]"),
    )


def upright(walks: tuple[SteadySteps, ...]) -> Row:
    """Return a row of how far the torso leaned: whether these are walks."""
    tilt = max(walk.tilt for walk in walks)
    return judged("torso leans by [°]", "", tilt, tilt < 2.0)


def _peaks(
    label: str, before: SteadySteps, now: SteadySteps, reason: str, *, theirs: bool = True
) -> list[Row]:
    """Return rows of how much lower peaks are, by the thesis's way or by one that is not theirs."""
    rows = []
    for name, old, new in (
        ("L_z", before.momentum, now.momentum),
        ("dL_z/dt", before.rate, now.rate),
    ):
        lower = change(peak(new), peak(old))
        good: Verdict = "reproduced" if theirs else "surpassed"
        thesis = f"≈ −20: at least {-LOWER:.0f} % lower" if theirs else "≈ −20, by (7.9)"
        verdict: Verdict = good if lower <= LOWER else "unsupported"
        rows.append(Row(f"{label}: peak of {name} [%]", thesis, lower, verdict, reason))
    return rows


def _torques(robot: str) -> list[Row]:
    """Return rows of how much lower vertical torques of both feet are in slower steps."""
    usual = SETTINGS[robot].duration
    walks = HumanoidWalks(robot, duration=usual * SLOWER)
    arms = Tracking() if robot == "lola" else Tracking(SHARE)
    before, now = (walks.walked(each).torque for each in (Swinging(walks.swing), arms))
    speed = 3.6 * walks.length / walks.duration
    rows = []
    for k, side in enumerate(("left", "right")):
        lower = change(rms(now[:, k]), rms(before[:, k]))
        label = f"{speed:.1f} km/h: torque of the {side} foot, rms [%]"
        verdict: Verdict = "missed" if robot == "lola" else "unsupported"
        rows.append(judged(label, "lower", lower, lower < 0.0, "", verdict))
    return rows

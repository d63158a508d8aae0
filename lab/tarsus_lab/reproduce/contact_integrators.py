"""The integrator that O. Ayit does not name: with his gains explicit Euler diverges, also on exact
contact, and semi-implicit Euler does not.
"""

from __future__ import annotations

import numpy as np

from tarsus.scenes.robots import drop
from tarsus_lab.reproduce.contact_5_1 import SOURCE
from tarsus_lab.reproduce.contact_runs import THESIS, summary
from tarsus_lab.reproduce.result import Result, Row, Verdict

DAMPINGS = (1.0, 10.0, 20.0, 40.0, 50.0)
"""Derivative gains [N m s/rad]; the first is that of Table 5.3."""
NOT_NAMED = (
    "the thesis prints v(t + dt) = v(t) + a dt and no more; explicit Euler needs kd + b > kp dt, "
    "that is 35 N m s/rad at the knee, so that with kd = 1 the integrator cannot have been this one"
)
IMPULSE = (
    "not printed, but the force of an impact is its impulse over the step: at half the step it is "
    "twice as large, so that peaks of Figures 5.9 to 5.25 say as much of dt as of the robot"
)


def run() -> Result:
    """Drop the robot with both integrators and several gains, and with three steps."""
    rows = [
        _row(integrator, height, kd)
        for integrator, gains in (("semi_implicit", DAMPINGS[:1]), ("explicit", DAMPINGS))
        for kd in gains
        for height in (0.1, 0.5, 1.5)
    ]
    rows += _impulse_rows()
    title = "Integrators, and forces that depend on the step"
    source = f"{SOURCE}, (4.32), Table 5.2, Table 5.3"
    return Result("contact-integrators", title, source, tuple(rows))


def _row(integrator: str, height: float, kd: float) -> Row:
    found = summary(drop(height, kd=kd).but(integrator=integrator, duration=4.0))
    label = f"{integrator}, kd = {kd:g}, drop {height:g} m"
    text = f"diverges at {found.run.t[-1]:.2f} s" if found.failure else "finite"
    printed = "finite" if kd == DAMPINGS[0] else ""
    if integrator == "semi_implicit":
        verdict: Verdict = "missed" if found.failure else "reproduced"
        return Row(label, printed, text, verdict)
    return Row(label, printed, text, "corrected", NOT_NAMED)


def _impulse_rows() -> list[Row]:
    rows = []
    for dt in (5e-4, 2.5e-4, 1e-4):
        scene = drop(0.5, "P2").but(contact=THESIS, dt=dt, duration=0.33)
        force = summary(scene).run.contacts.force_on("hind_right_foot")[:, 2]
        first = float(force[np.flatnonzero(force)[0]])
        text = f"{first / 1e3:.1f} kN, {first * dt:.2f} N s"
        rows.append(Row(f"impact of a foot at dt = {dt:g} s", "", text, "corrected", IMPULSE))
    return rows

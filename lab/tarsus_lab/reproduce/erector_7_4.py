"""Section 7.4 of P. Schröder: three bars in four descriptions, after a second and nine minutes."""

from __future__ import annotations

from functools import cache

import numpy as np
from scipy.optimize import brentq

from tarsus import scenes
from tarsus._lib.files import Array
from tarsus.model.model import Model
from tarsus.scenes.vehicles import DESCRIPTIONS
from tarsus.simulation.integrators.methods import DormandPrince
from tarsus.simulation.trajectory import Trajectory
from tarsus_lab.reproduce.result import Curve, Result, Row, compared, judged

SOURCE = "P. Schröder, The Virtual Erector Set, MIT 1990"
BARS = ("left", "middle", "right")
QUANTITIES = ("ω_z [rad/s]", "v_x [m/s]", "v_y [m/s]")
EXACT = ("3.192743e-4", "1.326675e-2", "9.180747e-4")
"""Of the middle bar after a second: an independent integration of order eight at 1e-12."""

# what is printed of the middle bar "after one second": ω_z, v_x and v_y, and the root
PRINTED = {
    "two": (
        ("middle", "3.58176e-4", "1.40613e-2", "1.031e-3"),
        ("middle_reversed", "3.58294e-4", "1.40613e-2", "1.03091e-3"),
    ),
    "two and an idle body": (
        ("middle", "3.48003e-4", "1.38485e-2", "1.00062e-3"),
        ("middle_reversed", "3.46133e-4", "1.38486e-2", "0.998151e-3"),
    ),
    "all four": (
        ("middle", "3.63908e-4", "1.41807e-2", "1.04783e-3"),
        ("middle_reversed", "3.63802e-4", "1.41805e-2", "1.04814e-3"),
        ("left", "3.649e-4", "1.41806e-2", "1.04916e-3"),
        ("right", "3.649e-4", "1.41734e-2", "1.42664e-3"),
    ),
}
LONG = 540.0
TOLERANCES = {"thesis": (1e-6, 1e-7), "fine": (1e-10, 1e-11)}

OVERSHOOT = (
    "printed a little later than a second: the numbers of each run are those of the exact motion "
    "at one time from 1.044 to 1.070 s, so they were read where the integrator's step had ended; "
    "here samples are interpolated to the time that was asked for"
)
MISPRINT = "the last v_y is off by a third from all others, and its own ω_z and v_x: a misprint"
ROOTS = (
    "the largest errors of all bars in nine minutes, of the worse middle root and the better end; "
    "they are of one size, and which is larger depends on how errors are estimated"
)
NORM = (
    "the thesis explains the differences by the norm of its error estimate; but they are gone if "
    "the printed numbers are compared at one and the same time"
)


def run() -> Result:
    """Compare the motions of three bars with section 7.4."""
    spread = max(np.ptp([_accelerations(name) for name in DESCRIPTIONS], axis=0).ravel())
    rows = [
        judged(
            "accelerations at the start, largest difference",
            "1e-16 … 1e-14",
            float(spread),
            bool(spread <= 1e-14),
        )
    ]
    for group, lines in PRINTED.items():
        for name, *printed in lines:
            rows += _velocities(group, name, printed)
        rows += _time_of_reading(group, [line[1:] for line in lines])
    rows += _long_rows()
    return Result(
        "erector-7.4",
        "Three bars in four descriptions: velocities of the middle bar, energy, differences",
        f"{SOURCE}, section 7.4",
        tuple(rows),
        tuple(_curve(name) for name in DESCRIPTIONS),
        ("time [s]", "change of energy, relative"),
    )


def _velocities(group: str, name: str, printed: list[str]) -> list[Row]:
    """Return rows of the middle bar after a second."""
    velocity = _velocity(name, "idle" in group, 1.0)
    rows = []
    for k, quantity in enumerate(QUANTITIES):
        reason = MISPRINT if printed[k] == "1.42664e-3" else OVERSHOOT
        label = f"{group}, root {name}: {quantity}"
        rows.append(compared(label, printed[k], velocity[k], right=EXACT[k], reason=reason))
    return rows


def _time_of_reading(group: str, lines: list[tuple[str, ...]]) -> list[Row]:
    """Return when v_x is what is printed, and how well the other numbers fit to that time."""
    times, misfits = [], []
    for line in lines:
        omega, x, y = (float(number) for number in line)
        time = float(brentq(lambda t: _velocity("middle", False, t)[1] - x, 0.9, 1.2))  # noqa: B023
        times.append(time)
        exact = _velocity("middle", False, time)
        misfits.append(abs(exact[0] / omega - 1))
        if line[2] != "1.42664e-3":
            misfits.append(abs(exact[2] / y - 1))
    late = all(1.0 < time < 1.1 for time in times)
    shown = f"{min(times):.4f} … {max(times):.4f}"
    return [
        Row(f"{group}: read at [s]", "1", shown, "corrected" if late else "missed", OVERSHOOT),
        judged(
            f"{group}: the other numbers there, misfit", "", max(misfits), max(misfits) < 6e-3, NORM
        ),
    ]


def _long_rows() -> list[Row]:
    """Return rows of nine minutes: energy, and how far descriptions are from each other."""
    runs = {(name, tol): _run(name, tol) for name in DESCRIPTIONS for tol in TOLERANCES}
    exact = _centers(_run("middle", "exact"))
    errors = {key: float(np.abs(_centers(run) - exact).max()) for key, run in runs.items()}
    gain = {key: float(np.abs(_gain(run)).max()) for key, run in runs.items()}
    coarse, fine = (max(gain[name, tol] for name in DESCRIPTIONS) for tol in TOLERANCES)
    ends = min(errors["left", "thesis"], errors["right", "thesis"])
    middle = max(errors["middle", "thesis"], errors["middle_reversed", "thesis"])
    worst = max(errors[name, "thesis"] for name in DESCRIPTIONS)
    tight = max(errors[name, "fine"] for name in DESCRIPTIONS)
    apart = "the same tolerances, with steps of order five whose error is that of each step"
    return [
        judged("nine minutes: energy gained, relative", "none", coarse, coarse < 1e-4),
        judged("the same at 1e-10", "", fine, fine < 1e-8, "an acceptance test of ours"),
        Row("nine minutes: bars apart [m]", "clearly", worst, "surpassed", apart)
        if worst < 0.05
        else Row("nine minutes: bars apart [m]", "clearly", worst, "reproduced"),
        judged("the same at 1e-10", "", tight, tight < 1e-6, "an acceptance test of ours"),
        judged(
            "a root in the middle: error of that at an end",
            "less",
            middle / ends,
            middle < ends,
            ROOTS,
            "unsupported",
        ),
    ]


@cache
def _run(name: str, tolerance: str) -> Trajectory:
    rtol, atol = TOLERANCES.get(tolerance, (1e-12, 1e-12))
    scene = scenes.three_bars(name)  # type: ignore[arg-type]
    return scene.but(integrator=DormandPrince(rtol, atol), dt=1.0, duration=LONG).run()


def _velocity(name: str, idle: bool, t: float) -> Array:
    """Return ω_z, v_x and v_y of the middle bar at a time, in its own axes."""
    scene = scenes.three_bars(name, idle)  # type: ignore[arg-type]
    run = scene.but(integrator=DormandPrince(1e-11, 1e-12), dt=t, duration=t).run()
    found = run.model.frame_velocity(run.q[-1], run.v[-1], "middle_center", reference="local")
    return np.asarray(found)[[5, 0, 1]]


def _accelerations(name: str) -> Array:
    """Return accelerations (3, 6) of the bars at the start, in their own axes."""
    scene = scenes.three_bars(name)  # type: ignore[arg-type]
    model = scene.model
    a = model.forward_dynamics(scene.q0, scene.v0, np.zeros(model.nv))
    return np.stack(
        [
            model.frame_acceleration(scene.q0, scene.v0, a, f"{bar}_center", reference="local")
            for bar in BARS
        ]
    )


def _centers(run: Trajectory) -> Array:
    model: Model = run.model
    places = [model.frame_pose(run.q, f"{bar}_center")[..., :3, 3] for bar in BARS]
    return np.stack(places, axis=-2)


def _gain(run: Trajectory) -> Array:
    return np.asarray(run.energy.stored / run.energy.stored[0] - 1)


def _curve(name: str) -> Curve:
    run = _run(name, "fine")
    return Curve(f"root {name}", tuple(run.t[1:].tolist()), tuple(np.abs(_gain(run))[1:].tolist()))

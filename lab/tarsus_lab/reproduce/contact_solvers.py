"""Section 4.3 of O. Ayit: Lemke's pivoting and projected Gauss–Seidel on the same contacts."""

from __future__ import annotations

import numpy as np

from tarsus import _core
from tarsus._lib.errors import WORLD
from tarsus.geometry.grounds import Ground
from tarsus.model.builder import Builder
from tarsus.model.model import Model
from tarsus.simulation.contact.exact import Exact
from tarsus.simulation.contact.law import ContactLaw
from tarsus.simulation.contact.lemke import Lemke
from tarsus.simulation.simulation import Simulation
from tarsus_lab.bench.timing import Contender
from tarsus_lab.reproduce.contact_5_1 import SOURCE
from tarsus_lab.reproduce.contact_5_2 import landing
from tarsus_lab.reproduce.contact_pgs import projected_gauss_seidel
from tarsus_lab.reproduce.result import Curve, Result, Row, compared, judged
from tarsus_lab.reproduce.timing import measure

COUNTS = (2, 3, 4, 6, 8, 10)
"""Feet along an edge of the square on which a plate stands: 4 to 100 contacts."""
STEPS = 20
"""Steps in a row that are timed."""
QUOTED = (
    "the thesis quotes this and measures nothing; here both solve steps of a plate on springy legs "
    "without friction, in the compiled core, where most of the time is the dynamics: which one is "
    "faster, and from how many contacts on, depends on the machine and the program"
)
LAND = "not printed; the digits of an independent prototype, for posture P1 at 3.13 m/s"
NORMALS = [2, 5, 8, 11]


def run() -> Result:
    """Compare both solvers on the landing of the quadruped, and time them on many legs."""
    inverse, velocity = landing()
    gauss_seidel = projected_gauss_seidel(inverse, velocity, 0.0, tolerance=1e-14).impulse[:, 2]
    pivoting = _core.solve_lcp(inverse[np.ix_(NORMALS, NORMALS)], velocity[:, 2].copy())
    apart = float(np.abs(gauss_seidel - pivoting).max())
    rows = [
        judged("four feet land: largest difference [N s]", "none", apart, apart < 1e-8),
        compared(
            "four feet land: impulse [N s]", "", float(pivoting[0]), right="10.8984", reason=LAND
        ),
    ]
    times = step_times()
    sizes = [count**2 for count in COUNTS]
    rows += [_faster(size, times["lemke", size] / times["pgs", size]) for size in sizes]
    curves = tuple(
        Curve(name, tuple(map(float, sizes)), tuple(times[name, size] for size in sizes))
        for name in ("lemke", "pgs", "newton")
    )
    title = "Lemke's method and projected Gauss–Seidel"
    axes = ("contacts", "time of a step [µs]")
    return Result("contact-solvers", title, f"{SOURCE}, section 4.3", tuple(rows), curves, axes)


def many_legs(count: int) -> Model:
    """Return a plate on count × count feet, each on its own sliding leg."""
    builder = Builder("many_legs")
    builder.body("plate", 10.0, inertia=(1.0, 1.0, 2.0))
    builder.joint("root", "free", WORLD, "plate")
    for k in range(count**2):
        at = (0.2 * (k % count), 0.2 * (k // count), 0.0)
        builder.body(f"leg_{k}", 0.5, inertia=(1e-2, 1e-2, 1e-3))
        builder.joint(f"slide_{k}", "prismatic", "plate", f"leg_{k}", position=at, stiffness=1e3)
        builder.shape(f"leg_{k}", "sphere", (0.02,), role="collision")
    return builder.build()


def step_times() -> dict[tuple[str, int], float]:
    """Return the median time of a step [µs] by solver and number of contacts."""
    laws: dict[str, ContactLaw] = {
        "lemke": Lemke(facets=0),
        "pgs": Exact(solver="pgs"),
        "newton": Exact(),
    }
    contenders = {}
    for count in COUNTS:
        model = many_legs(count)
        q = model.neutral()
        q[2] = 0.02
        for name, law in laws.items():
            simulation = Simulation(
                model, ground=Ground(friction=0.0), contact=law, max_contacts=count**2
            )
            simulation.reset(q)
            contenders[name, count**2] = Contender(f"s.step(steps={STEPS})", {"s": simulation})
    return {key: time / STEPS for key, time in measure(contenders).items()}


def _faster(size: int, ratio: float) -> Row:
    thesis, ours = "PGS" if size > 10 else "Lemke", "PGS" if ratio > 1.0 else "Lemke"
    text = f"{ours} ({max(ratio, 1.0 / ratio):.2f}×)"
    label = f"{size} contacts: the faster one"
    return judged(label, thesis, text, thesis == ours, QUOTED, "unsupported")

"""Table 3.3 of S. F. Echeandia: run times of symbolic mass matrices and Christoffel symbols."""

from __future__ import annotations

import time

from tarsus import robots
from tarsus.model.model import Model
from tarsus_lab.reproduce.result import Result, Row, Verdict
from tarsus_lab.reproduce.rotor_tables import SOURCE
from tarsus_lab.reproduce.timing import contender, measure

# seconds for the mass matrix and for the Christoffel symbols, by number of joints
PRINTED = {5: ("0.06", "0.25"), 10: ("0.18", "1.11"), 15: ("0.36", "2.13")}
EVALUATIONS = 3000
REPEATS = 3
ANGLES = (
    "of MATLAB in the thesis, of SymPy here; the links are at right angles, which it leaves open"
)
CLAIM = "how often the Christoffel symbols are evaluated while H alone is found in symbols"


def run() -> Result:
    """Measure chains of 5, 10 and 15 links."""
    rows: list[Row] = []
    chains = {n: robots.chain(n) for n in PRINTED}
    calls = {n: contender(chain, "m.christoffel_symbols(q)") for n, chain in chains.items()}
    numeric = measure(calls)
    for n, printed in PRINTED.items():
        times = [symbolic_time(chains[n], name) for name in ("mass_matrix", "christoffel_symbols")]
        for name, thesis, ours in zip(("H", "Γ"), printed, times, strict=True):
            verdict: Verdict = "surpassed" if ours < float(thesis) else "missed"
            rows.append(Row(f"N = {n}: symbolic {name} [s]", thesis, ours, verdict, ANGLES))
        count = round(1e6 * times[0] / numeric[n])
        verdict = "reproduced" if count > EVALUATIONS else "missed"
        rows.append(Row(f"N = {n}: numeric Γ meanwhile", f"> {EVALUATIONS}", count, verdict, CLAIM))
    title = "Run times of symbolic mass matrices and Christoffel symbols of chains"
    return Result("coriolis-3.3", title, f"{SOURCE} 3.3", tuple(rows))


def symbolic_time(model: Model, name: str) -> float:
    """Return the shortest time for an equation in symbols [s], from the model on, caches empty."""
    from sympy.core.cache import clear_cache

    times = []
    for _ in range(REPEATS):
        clear_cache()
        start = time.thread_time()
        getattr(model.symbolic(), name)
        times.append(time.thread_time() - start)
    return min(times)

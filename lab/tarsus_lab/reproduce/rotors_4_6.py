"""Table 4.6 of S. F. Echeandia: run times of forward dynamics with and without rotors."""

from __future__ import annotations

from tarsus import robots
from tarsus.robots.building import Rotors
from tarsus_lab.reproduce.result import Result, Row, Verdict
from tarsus_lab.reproduce.rotor_tables import SOURCE
from tarsus_lab.reproduce.timing import method_times

JOINTS = 20
ROTORS: tuple[Rotors, Rotors] = ("exact", "none")
# milliseconds with rotors and without
PRINTED = {"serial chain": (1.0, "1.4", "0.6"), "branching mechanism": (2.0, "1.5", "0.6")}
COMPILED = "the thesis' times are those of MATLAB; the ratio tells more"


def run() -> Result:
    """Measure a chain and a tree of 20 links with and without rotors."""
    models = {
        f"{label}/{rotors}": robots.rotor_tree(JOINTS, branching, rotors=rotors)
        for label, (branching, _, _) in PRINTED.items()
        for rotors in ROTORS
    }
    times = method_times(models, ["articulated"])
    rows: list[Row] = []
    for label, (_, slow, fast) in PRINTED.items():
        ours = [times[f"{label}/{rotors}", "articulated"] for rotors in ROTORS]
        for word, printed, time in zip(("with", "without"), (slow, fast), ours, strict=True):
            verdict: Verdict = "surpassed" if time < 1e3 * float(printed) else "missed"
            title = f"{label}, {word} rotors [µs]"
            rows.append(Row(title, f"{1e3 * float(printed):.0f}", time, verdict, COMPILED))
        ratio, limit = ours[0] / ours[1], float(slow) / float(fast)
        verdict = "surpassed" if ratio < limit else "missed"
        rows.append(Row(f"{label}, ratio of both", f"{limit:.2f}", ratio, verdict))
    title = "Run times of forward dynamics with and without rotors, 20 degrees of freedom"
    return Result("rotors-4.6", title, f"{SOURCE} 4.6", tuple(rows))

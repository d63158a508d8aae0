"""Table of `docs/benchmarks.md` about contact: every motion of every robot, hard ones first."""

from __future__ import annotations

from typing import Any

from significant import significant

MOTIONS = {
    "tips": "tipping over a sole edge",
    "twists its soles": "soles at the friction limit",
    "steps in place": "stepping in place",
    "falls limp": "falling without control",
    "lies": "lying without control",
    "trots": "trotting",
    "stands": "standing",
    "learns": "`WalkVectorEnv`, 256 robots",
    "sim.step in a loop": "`sim.step` in a loop",
    "sim.run of one step": "`sim.run` of one step",
}
"""Names of the motions in the results and in the table, in the order of the table."""
COLUMNS = ("mujoco", "one", "mujoco_per_state", "per_state")


def contact_table(contact: dict[str, Any]) -> list[str]:
    """Return the lines of the table of contact steps against MuJoCo, and the failures."""
    steps = sorted(contact["steps"], key=_rank)
    lines = [
        "| one step of 2 ms (contact points) | MuJoCo | Tarsus | batch: MuJoCo | batch: Tarsus |",
        "|---|" + "---|" * 4,
        *(_line(f"{_motion(row)}: {row['model']}{_points(row)}", row) for row in steps),
        *(_line(f"{row['model']}{_points(row)}", row) for row in contact.get("piles", ())),
        *(_line(f"{_motion(row)}: {row['model']}", row) for row in contact.get("learning", ())),
        _creep(contact["creep"]),
    ]
    failures = [
        f"{_motion(row)}: {row['model']}".removeprefix(": ") + f": {row['failure']}"
        for row in (*steps, *contact.get("piles", ()))
        if "failure" in row
    ]
    if failures:
        lines += ["", "Failures (*):", "", *(f"- {text}" for text in failures)]
    operator = contact["operator"]
    slopes = [operator[key]["median"] for key in ("links_slope", "contacts_slope")]
    return [
        *lines,
        "",
        f"The time of the contact operator of {operator['contacts']} points grows with the power "
        f"{slopes[0]:.2f} of the chain length. For a chain of {operator['links']} links it grows "
        f"with the power {slopes[1]:.2f} of the number of points.",
    ]


def _rank(row: dict[str, Any]) -> int:
    """Return the position of a motion in the table; unknown motions of old results come first."""
    return list(MOTIONS).index(row["motion"]) if row["motion"] in MOTIONS else -1


def _motion(row: dict[str, Any]) -> str:
    return MOTIONS.get(row["motion"], row["motion"])


def _line(what: str, row: dict[str, Any]) -> str:
    star = " *" if "failure" in row else ""
    cells = [f"{significant(row[key]['median'])} µs" if key in row else "–" for key in COLUMNS]
    return f"| {what}{star} | " + " | ".join(cells) + " |"


def _points(row: dict[str, Any]) -> str:
    return f" ({row['contacts']:.0f})" if "contacts" in row else ""


def _creep(creep: dict[str, Any]) -> str:
    distances = [
        f"{1e3 * abs(creep[key]):.2g} mm" if key in creep else "–" for key in ("mujoco", "tarsus")
    ]
    return (
        f"| creep of a box on a slope in {creep['seconds']:g} s | {distances[0]} | {distances[1]} "
        "| | |"
    )

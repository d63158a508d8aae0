"""The table of the README about contact: every motion of every robot, hard ones first."""

from __future__ import annotations

from typing import Any

HARDEST = ("tips", "twists its soles", "steps in place", "falls limp", "lies", "trots", "stands")
"""Motions in the order of the table."""
COLUMNS = ("mujoco", "one", "mujoco_per_state", "per_state")


def contact_table(contact: dict[str, Any]) -> list[str]:
    """Return the lines of a table about steps in contact beside MuJoCo, and what failed."""
    steps = sorted(contact["steps"], key=_rank)
    lines = [
        "| a step of 2 ms in contact (points) | MuJoCo | Tarsus | in a batch: MuJoCo | Tarsus |",
        "|---|" + "---|" * 4,
        *(_line(f"{row['motion']}: {row['model']}{_points(row)}", row) for row in steps),
        *(_line(f"{row['model']}{_points(row)}", row) for row in contact.get("piles", ())),
        *(_line(_learning(row), row) for row in contact.get("learning", ())),
        _creep(contact["creep"]),
    ]
    failures = [
        f"{row['model']} {row['motion']}".strip() + f": {row['failure']}"
        for row in (*steps, *contact.get("piles", ()))
        if "failure" in row
    ]
    if failures:
        lines += ["", "What did not go well (*):", "", *(f"- {text}" for text in failures)]
    operator = contact["operator"]
    slopes = [operator[key]["median"] for key in ("links_slope", "contacts_slope")]
    return [
        *lines,
        "",
        f"The contact operator of {operator['contacts']} points grows with the power "
        f"{slopes[0]:.2f} of the length of a chain, and that of a chain of {operator['links']} "
        f"links with the power {slopes[1]:.2f} of the number of points.",
    ]


def _rank(row: dict[str, Any]) -> int:
    """Return how early a motion comes; one that is not known, of older results, comes first."""
    return HARDEST.index(row["motion"]) if row["motion"] in HARDEST else -1


def _line(what: str, row: dict[str, Any]) -> str:
    star = " *" if "failure" in row else ""
    cells = [f"{row[key]['median']:.3g} µs" if key in row else "–" for key in COLUMNS]
    return f"| {what}{star} | " + " | ".join(cells) + " |"


def _points(row: dict[str, Any]) -> str:
    return f" ({row['contacts']:.0f})" if "contacts" in row else ""


def _learning(row: dict[str, Any]) -> str:
    return f"{row['motion']}: {row['model']}"


def _creep(creep: dict[str, Any]) -> str:
    way = [
        f"{1e3 * abs(creep[key]):.2g} mm" if key in creep else "–" for key in ("mujoco", "tarsus")
    ]
    return f"| a box creeps down a slope in {creep['seconds']:g} s | {way[0]} | {way[1]} | | |"

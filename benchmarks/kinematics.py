"""Inverse kinematics in the bench: `ik.py` in an environment of its own, with its peers.

placo needs an older Pinocchio than the rest of the bench; `make bench` installs it into
`.venv/peers`. Without that environment the bench runs here, and peers that are missing are left
out.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from target import Target
from tarsus_lab.bench import Plan

HERE = Path(__file__).parent


def measure_kinematics(
    plan: Plan, progress: Callable[[str, float], None] | None = None
) -> dict[str, Any]:
    """Measure in a process of its own; returns plain data for JSON."""
    del plan  # rounds take turns in the scripts
    tell = progress or (lambda section, share: None)
    tell("inverse kinematics", 0.0)
    found = _measured("ik.py")
    tell("whole-body control", 0.8)
    return {**found, "body": _measured("whole_body.py")}


def _measured(script: str) -> dict[str, Any]:
    """Return what a script of this folder measures among its peers."""
    peers = Path(sys.prefix) / "peers" / "bin" / "python"
    python = str(peers) if peers.exists() else sys.executable
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "found.json"
        subprocess.run(
            [python, str(HERE / script), "--json", str(file)],
            check=True,
            stdout=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": str(HERE.parent)},
        )
        found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return found


def kinematics_table(found: dict[str, Any]) -> list[str]:
    """Return the lines of a table of `docs/benchmarks.md`."""

    def steps(section: str) -> str:
        names = ("tarsus", "placo", "pink", "mink")
        own = [
            f"{n} {found[section][n]['median [us]']:.3g} µs" for n in names if n in found[section]
        ]
        return ", ".join(own)

    poses, lola = found["poses"], found["lola"]
    rows = {
        "IK step of talos_reduced: three frames, posture, limits": steps("step"),
        "– with distance limits for 400 pairs of capsules and momentum": steps("capsules"),
        "– state of a batch / one state, random targets": (
            f"{found['batch']['in a batch [us]']:.3g} / {found['batch']['one [us]']:.3g} µs"
        ),
        "poses of a Panda to 1e-8 from one start: poses per second, solved": (
            f"{poses['one start: poses a second']:,.0f}, {poses['one start: found']:.1%}"
        ),
        "– with restarts": (
            f"{poses['restarts: poses a second']:,.0f}, {poses['restarts: found']:.2%}"
        ),
        f"control cycle of Lola: {lola['rows']} rows, {lola['pairs']} pairs, momentum": (
            f"{lola['cycle [us]']:.3g} µs"
        ),
    }
    if body := found.get("body"):
        peer = f" / {body['placo']:.3g}" if "placo" in body else ""
        rows["whole-body control of talos_reduced on two soles: Tarsus / placo"] = (
            f"{body['tarsus']:.3g}{peer} µs"
        )
        rows["– state of a batch"] = f"{body['tarsus, each of 1024']:.3g} µs"
    lines = ["| inverse kinematics and whole-body control | |", "|---|---|"]
    return lines + [f"| {what} | {number} |" for what, number in rows.items()]


def _of(*keys: str) -> Callable[[dict[str, Any]], dict[str, float]]:
    """Return a function from results to one number of this section, if it was measured."""

    def values(results: dict[str, Any]) -> dict[str, float]:
        found: Any = results.get("kinematics", {})
        for key in keys:
            found = found.get(key, {})
        return {keys[0]: float(found)} if isinstance(found, float) and found == found else {}

    return values


KINEMATICS_TARGETS = (
    Target("step of IK, time / placo", 0.5, 0.3, True, _of("step", "tarsus", "by placo")),
    Target("– with capsules, momentum", 0.1, 0.05, True, _of("capsules", "tarsus", "by placo")),
    Target("– alone, time / in a batch", 3.0, 6.0, False, _of("batch", "times as fast")),
    Target("poses a second", 5e4, 2e5, False, _of("poses", "one start: poses a second")),
    Target("– found from one start", 0.9, 0.9, False, _of("poses", "one start: found")),
    Target("– found with restarts", 0.999, 0.999, False, _of("poses", "restarts: found")),
    Target("Lola's control cycle, µs", 60.0, 25.0, True, _of("lola", "cycle [us]")),
    Target("whole-body control, µs", 150.0, 60.0, True, _of("body", "tarsus")),
    Target("– time / placo", 0.5, 0.5, True, _of("body", "by placo")),
    Target("– alone, time / in a batch", 3.0, 6.0, False, _of("body", "alone / in a batch")),
)

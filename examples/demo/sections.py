"""The sections of the demo: each runs an experiment, draws its film and collects its figures."""

from __future__ import annotations

import inspect
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import experiments
import numpy as np
from films import write_batch_film, write_film

import tarsus as ts
from tarsus.robots.examples import example_folder

NO_ROBOTS = "example-robot-data is not installed: {}. Install it: pip install example-robot-data"
NO_PINOCCHIO = "Pinocchio is not installed: its column is empty. Install it: pip install pin"
TIMED = ("RNEA", "CRBA", "ABA", "RNEA derivatives", "ABA derivatives")
STUDIO_START_S = 30.0
"""How long the studio may take to print its address [s]."""
SERVERS: list[subprocess.Popen[bytes]] = []
"""Processes that continue after the demo."""
SHORT_PICTURES = 0.1
"""Pictures of a film in the short demo, as a share of those in the full demo."""


@dataclass
class Demo:
    """Settings of the demo, and how progress is reported."""

    folder: Path
    short: bool
    studio_seconds: float
    progress: Callable[[str], None]

    def fps(self, full: float) -> float:
        """Return pictures a second of a film."""
        return SHORT_PICTURES * full if self.short else full

    def drawing(self, share: float) -> None:
        """Report how much of a film is drawn."""
        self.progress(f"drawing {share:4.0%}")


@dataclass
class Section:
    """What the page shows of an experiment."""

    text: str
    figures: dict[str, str] = field(default_factory=dict)
    summary: str = ""
    """One line for the terminal."""
    film: str = ""
    caption: str = ""
    view_3d: str = ""
    command: str = ""
    code: str = ""
    table: list[tuple[str, ...]] = field(default_factory=list)
    """Rows of text, the first of them the header."""
    address: str = ""
    notes: list[str] = field(default_factory=list)


def walking(demo: Demo) -> Section:
    """A humanoid walks and is pushed."""
    robot, trunk, name = "talos_reduced", "torso_2_link", "Talos"
    notes = []
    if example_folder() is None:
        robot, trunk, name = "lola", "torso", "Lola"
        notes.append(NO_ROBOTS.format("Lola walks instead of Talos"))
    steps = 3 if demo.short else 8
    walked, seconds = timed(experiments.walk, robot, trunk, steps)
    run, report = complete(walked.run), walked.report
    if walked.fell:
        raise RuntimeError(f"{name} fell after {report.time:.2f} s: {report}")
    write_film(run, demo.folder / "walk.webp", demo.drawing, fps=demo.fps(8), zoom=1.25)
    run.animate(demo.folder / "walk.html", fps=12.5)
    speed = f"{report.speed:.2f} m/s"
    return Section(
        f"{name} walks on level ground in simulation with contact and is pushed sideways. Steps "
        "are planned with the divergent component of motion and adapted to the measured state; a "
        "whole-body controller (a QP every 4 ms) computes the torques.",
        {
            "mean speed": speed,
            "distance": f"{report.distance:.2f} m in {report.steps} steps",
            "push": "40 N for 0.3 s",
            "cost of transport": f"{report.cost_of_transport:.2f}",
            **run_figures(run, seconds),
        },
        f"{speed}, {run.duration / seconds:.1f} × real time",
        *("walk.webp", "Arrows are contact forces and the push.", "walk.html"),
        f"tarsus walk {robot} --speed 0.4 --steps {steps} --push {trunk}:0,40,0@3+0.3 --view",
        code(experiments.walk, f'walk("{robot}", "{trunk}", steps={steps}).run', "walk.html"),
        notes=notes,
    )


def trotting(demo: Demo) -> Section:
    """A quadruped trots over rough ground."""
    robot, name, notes = "anymal", "ANYmal", []
    if example_folder() is None:
        robot, name = "quadruped", "The quadruped of Ayit (2015)"
        notes.append(NO_ROBOTS.format("a quadruped of the package trots instead of ANYmal"))
    duration = 3.0 if demo.short else 6.0
    run, seconds = timed(experiments.trot, robot, duration)
    complete(run)
    write_film(
        *(run, demo.folder / "trot.webp", demo.drawing), fps=demo.fps(12.5), elevation=15, zoom=0.95
    )
    run.animate(demo.folder / "trot.html", fps=12.5)
    moving = run.t >= 0.3  # it stands before
    distance = float(np.linalg.norm(run.q[-1, :2] - run.q[moving][0, :2]))
    speed = f"{distance / np.ptp(run.t[moving]):.2f} m/s"
    limit = float(run.model.effort_limit[6:].max())
    return Section(
        f"{name} trots over bumps of up to ±4 cm. The feet follow a plan for level ground through "
        "inverse kinematics and implicit PD control; contacts are solved exactly in every step, "
        "so feet that stick do not creep.",
        {
            "mean speed": speed,
            "distance": f"{distance:.2f} m",
            "height of the bumps": f"{100 * np.ptp(run.ground.heights):.0f} cm",
            "largest torque": f"{np.abs(run.tau).max():.0f} N·m"
            + (f" of {limit:.0f}" if np.isfinite(limit) else ""),
            **run_figures(run, seconds),
        },
        f"{speed}, {run.duration / seconds:.1f} × real time",
        *("trot.webp", "Green arrows: feet that stick. Orange: feet that slip.", "trot.html"),
        code=code(experiments.trot, f'trot("{robot}", duration={duration})', "trot.html"),
        notes=notes,
    )


def linkage(demo: Demo) -> Section:
    """A four-bar linkage runs."""
    duration = 1.0 if demo.short else 2.0
    run, seconds = timed(experiments.four_bar, duration)
    complete(run)
    middle = run.model.forward_kinematics(run.q)[:600:5, run.model.body_names.index("coupler")]
    path = [("world", tuple(point)) for point in middle[:, :3, 3] + 0.175 * middle[:, :3, 0]]
    lines = [(("world", (0.0, 0.0, 0.0)), ("world", (0.4, 0.0, 0.0))), *pairwise(path)]
    camera = {"azimuth": -90.0, "elevation": 6.0, "zoom": 1.5}
    file = demo.folder / "four_bar.webp"
    write_film(
        run, file, demo.drawing, fps=demo.fps(15), speed=0.4, lines=lines, below=90, **camera
    )
    run.animate(demo.folder / "four_bar.html", fps=50)
    gap = float(np.abs(run.loop_gaps).max())
    turns = float(run.q[-1, 0]) / (2 * np.pi)
    return Section(
        "A four-bar linkage turns freely under gravity. The loop is part of the model: the "
        "linkage is one cluster with one velocity, and the loop stays closed to rounding.",
        {
            "turns of the crank": f"{turns:.1f}",
            "largest loop error": f"{gap:.0e} m",
            **run_figures(run, seconds),
        },
        f"{turns:.1f} turns, loop error {gap:.0e} m",
        *("four_bar.webp", "Slow motion; the curve is the path of the coupler's middle."),
        "four_bar.html",
        code=code(experiments.four_bar, f"four_bar(duration={duration})", "four_bar.html"),
    )


def falling(demo: Demo) -> Section:
    """A thousand robots fall in one batch."""
    robots, duration = (24, 0.8) if demo.short else (1000, 1.8)
    run, seconds = timed(experiments.fall, robots, duration)
    complete(run)
    camera = {"azimuth": -70.0, "elevation": 28.0, "zoom": 1.75}
    file = demo.folder / "fall.webp"
    write_batch_film(run, file, demo.drawing, fps=demo.fps(10), speed=0.8, spacing=1.7, **camera)
    steps = robots * round(duration / 2e-3)
    rate = steps / seconds
    x, y = np.moveaxis(run.q[:, -1, 3:5], -1, 0)  # of the quaternion (x, y, z, w)
    upright = int((1.0 - 2.0 * (x**2 + y**2) > 0.9).sum())
    return Section(
        f"{robots} quadrupeds with {run.model.nv} degrees of freedom fall from random heights and "
        "attitudes, all in one batch on one core; joints are held by implicit PD control. Each "
        "robot is alone in its world; the film draws them side by side.",
        {
            "robot steps per second": f"{rate:,.0f}",
            "all robots together": f"{robots * duration / seconds:.0f} × real time",
            "robots that end upright": f"{upright} of {robots}",
            "unsolved steps": f"{run.unsolved.total} of {steps:,}",
            "largest energy residual": residual(run),
        },
        f"{rate:,.0f} robot steps per second",
        *("fall.webp", f"{robots} robots, 2 ms steps."),
        code=code(experiments.fall, f"fall(robots={robots}, duration={duration})"),
    )


def timings(demo: Demo) -> Section:
    """Timings beside Pinocchio."""
    robot, notes = "talos_reduced", []
    if example_folder() is None:
        robot = "chain(30)"
        notes.append(NO_ROBOTS.format("a chain of 30 links is measured instead of Talos"))
    demo.progress("measuring")
    rows = [row for row in experiments.timings(robot) if row["algorithm"] in TIMED]
    table = [("", "Pinocchio µs", "Tarsus µs", "batch µs", "speed", "batch speed")]
    for row in rows:
        one, batch, peer = row["one"]["median"], row["per_state"]["median"], row["pinocchio"]
        cells = [f"{peer['median']:.2f}" if peer else "–", f"{one:.2f}", f"{batch:.2f}"]
        ratios = (peer["median"] / one, row["throughput_ratio"]) if peer else ()
        cells += [f"{ratio:.1f}×" for ratio in ratios] or ["–", "–"]
        table.append((row["algorithm"], *cells))
    if not any(row["pinocchio"] for row in rows):
        notes.append(NO_PINOCCHIO)
    aba = next(row for row in rows if row["algorithm"] == "ABA")
    return Section(
        f"CPU time of one state of {robot} (nv {aba['nv']}), called from Python, and of one state "
        "in a batch of 1024 on one thread. The last two columns are the speed relative to "
        "one call of Pinocchio. This is a short measurement; `make bench` measures all "
        "algorithms and more robots.",
        summary=f"ABA {aba['one']['median']:.2f} µs, {aba['per_state']['median']:.2f} µs in batch",
        command=f"tarsus bench --quick {robot}",
        table=table,
        notes=notes,
    )


def studio(demo: Demo) -> Section:
    """The studio in the browser."""
    text = (
        "The studio is a browser application to build mechanisms and to simulate them "
        "interactively: drag bodies while they move, edit them, and plot forces and energies."
    )
    command = "tarsus studio quadruped"
    if not demo.studio_seconds:
        return Section(text, summary="not started", command=command)
    demo.progress("starting")
    server = [sys.executable, str(Path(__file__).with_name("studio_server.py"))]
    log = demo.folder / "studio.log"
    with log.open("w", encoding="utf-8") as output:
        process = subprocess.Popen(
            [*server, f"{demo.studio_seconds:g}"],
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    try:
        address = studio_address(process, log)
    except BaseException:
        process.terminate()
        raise
    SERVERS.append(process)
    ends = time.strftime("%H:%M", time.localtime(time.time() + demo.studio_seconds))
    return Section(
        f"{text} It runs until {ends}; `kill {process.pid}` ends it before.",
        summary=f"in the browser until {ends}",
        command=command,
        address=address,
    )


SECTIONS: dict[str, Callable[[Demo], Section]] = {
    "A humanoid walks": walking,
    "A quadruped trots over rough ground": trotting,
    "A four-bar linkage runs": linkage,
    "A thousand robots fall in one batch": falling,
    "Timings beside Pinocchio": timings,
    "The studio": studio,
}


def studio_address(process: subprocess.Popen[bytes], log: Path) -> str:
    """Wait until the studio has printed its address, and return it."""
    end = time.monotonic() + STUDIO_START_S
    while time.monotonic() < end and process.poll() is None:
        lines = log.read_text("utf-8").splitlines(keepends=True)
        if lines and lines[0].startswith("http") and lines[0].endswith("\n"):
            return lines[0].strip()
        time.sleep(0.1)
    raise RuntimeError(f"the studio did not start: {log.read_text('utf-8').strip() or 'no output'}")


def timed(experiment: Callable[..., Any], *arguments: Any) -> tuple[Any, float]:
    """Return the result of an experiment and the CPU time it took [s]."""
    start = time.process_time()
    result = experiment(*arguments)
    return result, time.process_time() - start


def complete(run: ts.Trajectory) -> ts.Trajectory:
    """Return a run that reached its end; Ctrl-C ends a run early without an exception."""
    if run.interrupted:
        raise KeyboardInterrupt
    return run


def run_figures(run: ts.Trajectory, seconds: float) -> dict[str, str]:
    """Return the figures that all runs have."""
    return {
        "CPU time": f"{seconds:.2f} s for {run.duration:.1f} s",
        "real-time factor": f"{run.duration / seconds:.1f}",
        "largest energy residual": residual(run),
    }


def residual(run: ts.Trajectory) -> str:
    """Return the largest residual of the energy balance, as a share of the energy that flowed."""
    return f"{np.abs(run.energy.relative_residual).max():.0e} of the flow"


def code(experiment: Callable[..., Any], call: str, view: str = "") -> str:
    """Return the lines of Python that produce a result."""
    source = inspect.getsource(experiment)
    imports = ["import numpy as np"] * ("np." in source) + ["import tarsus as ts"]
    lines = [*imports, "", source, f"run = {call}"]
    return "\n".join(lines + [f'run.animate("{view}")'] * bool(view))

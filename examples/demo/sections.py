"""The sections of the demo: each runs an experiment, writes its film and collects its figures."""

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
from films import write_film
from tarsus_lab.bench import Plan, measure

import tarsus as ts
from tarsus.robots.load import example_folder

TIMED = ("RNEA", "CRBA", "ABA", "RNEA derivatives", "ABA derivatives")
SERVERS: list[subprocess.Popen[str]] = []
"""Processes that continue after the demo."""


@dataclass
class Demo:
    """Settings of the demo, and how progress is reported."""

    folder: Path
    short: bool
    studio_seconds: float
    progress: Callable[[str], None] = lambda text: None

    def film(self, name: str, run: Any, fps: float, camera: Any, **more: Any) -> dict[str, str]:
        """Write the film of a run, and its page in 3D unless it is a batch; return their names."""
        fps = 0.1 * fps if self.short else fps
        write_film(run, self.folder / f"{name}.webp", self.progress, camera, fps=fps, **more)
        if run.batch:
            return {"film": f"{name}.webp"}
        run.animate(self.folder / f"{name}.html", fps=12.5)
        return {"film": f"{name}.webp", "view_3d": f"{name}.html"}


@dataclass
class Section:
    """What the page shows of an experiment."""

    text: str = ""
    summary: str = ""
    """One line for the terminal and for the link to the section."""
    figures: dict[str, str] = field(default_factory=dict)
    film: str = ""
    caption: str = ""
    view_3d: str = ""
    table: list[list[str]] = field(default_factory=list)
    """Rows, the first of them the header."""
    address: str = ""
    notes: list[str] = field(default_factory=list)
    command: str = ""
    code: str = ""
    error: str = ""


def perform(experiment: Callable[..., Any], **arguments: Any) -> tuple[Any, float, str]:
    """Return the result of an experiment, its CPU time [s] and its code."""
    start = time.process_time()
    result = experiment(**arguments)
    seconds = time.process_time() - start
    run = getattr(result, "run", result)
    if run.interrupted:
        raise KeyboardInterrupt  # Ctrl-C ends a run early without an exception
    source, name = inspect.getsource(experiment), experiment.__name__
    imports = "import numpy as np\n" * ("np." in source) + "import tarsus as ts\n\n"
    call = ", ".join(f"{key}={value!r}" for key, value in arguments.items())
    lines = [source, f"run = {name}({call})" + ".run" * (run is not result)]
    lines += [f'run.animate("{name}.html")'] * (not run.batch)
    return result, seconds, imports + "\n".join(lines)


def run_figures(run: ts.Trajectory, seconds: float) -> dict[str, str]:
    """Return the figures that all runs have."""
    residual = np.abs(run.energy.relative_residual).max()
    return {
        "CPU time": f"{seconds:.2f} s for {run.duration:.1f} s",
        "real-time factor": f"{(run.batch or 1) * run.duration / seconds:.1f}",
        "largest energy residual": f"{residual:.0e} (relative)",
    }


def available(robot: str, substitute: str) -> tuple[str, list[str]]:
    """Return the robot, or without example-robot-data the substitute and a note."""
    if example_folder() is not None:
        return robot, []
    missing = f"example-robot-data is not installed: {substitute} instead of {robot}"
    return substitute, [f"{missing}. Install it: pip install example-robot-data"]


def walking(demo: Demo) -> Section:
    """A humanoid walks."""
    robot, notes = available("talos_reduced", "lola")
    steps = 3 if demo.short else 8
    walk, seconds, code = perform(experiments.walk, robot=robot, steps=steps)
    run, report = walk.run, walk.report
    if walk.fell:
        raise RuntimeError(f"{robot} fell after {report.time:.2f} s: {report}")
    speed, push = f"{report.speed:.2f} m/s", f"{run.model.body_names[0]}:0,40,0@3+0.3"
    return Section(
        f"The humanoid {robot} walks in simulation with contact and is pushed sideways. Steps "
        "are planned with the divergent component of motion and adapted to the measured state; a "
        "whole-body controller (a QP every 4 ms) computes the torques.",
        f"{speed}, {run.duration / seconds:.1f} × real time",
        {
            "mean speed": speed,
            "distance": f"{report.distance:.2f} m in {report.steps} steps",
            "push": "40 N for 0.3 s",
            "cost of transport": f"{report.cost_of_transport:.2f}",
            **run_figures(run, seconds),
        },
        **demo.film("walk", run, 8, {"zoom": 1.25}),
        caption="Arrows are contact forces and the push.",
        command=f"tarsus walk {robot} --speed 0.4 --steps {steps} --push {push} --view",
        code=code,
        notes=notes,
    )


def trotting(demo: Demo) -> Section:
    """A quadruped trots over rough ground."""
    robot, notes = available("anymal", "quadruped")
    duration = 3.0 if demo.short else 6.0
    run, seconds, code = perform(experiments.trot, robot=robot, duration=duration)
    moving = run.t >= 0.3  # it stands before
    distance = float(np.linalg.norm(run.q[-1, :2] - run.q[moving][0, :2]))
    speed = f"{distance / np.ptp(run.t[moving]):.2f} m/s"
    return Section(
        f"The quadruped {robot} trots over bumps of up to ±4 cm. The feet follow a plan for level "
        "ground through inverse kinematics and implicit PD control; contacts are solved exactly "
        "in every step, so feet that stick do not creep.",
        f"{speed}, {run.duration / seconds:.1f} × real time",
        {
            "mean speed": speed,
            "distance": f"{distance:.2f} m",
            "height of the bumps": f"{100 * np.ptp(run.ground.heights):.0f} cm",
            "largest torque": f"{np.abs(run.tau).max():.0f} N·m",
            **run_figures(run, seconds),
        },
        **demo.film("trot", run, 12.5, {"elevation": 15, "zoom": 0.95}),
        caption="Green arrows: feet that stick. Orange: feet that slip.",
        code=code,
        notes=notes,
    )


def linkage(demo: Demo) -> Section:
    """A four-bar linkage runs."""
    run, seconds, code = perform(experiments.four_bar, duration=1.0 if demo.short else 2.0)
    coupler = run.model.forward_kinematics(run.q)[:600:5, run.model.body_names.index("coupler")]
    path = [("world", tuple(point)) for point in coupler[:, :3, 3] + 0.175 * coupler[:, :3, 0]]
    lines = [(("world", (0.0, 0.0, 0.0)), ("world", (0.4, 0.0, 0.0))), *pairwise(path)]
    camera = {"azimuth": -90, "elevation": 6, "zoom": 1.5, "height": 465}
    turns, error = f"{run.q[-1, 0] / (2 * np.pi):.1f}", f"{np.abs(run.loop_gaps).max():.0e} m"
    return Section(
        "A four-bar linkage turns freely under gravity. The loop is part of the model: the "
        "linkage is one cluster with one velocity, and the loop stays closed to rounding.",
        f"{turns} turns, loop error {error}",
        {"turns of the crank": turns, "largest loop error": error, **run_figures(run, seconds)},
        **demo.film("four_bar", run, 15, camera, speed=0.4, lines=lines),
        caption="Slow motion; the curve is the path of the coupler's middle.",
        code=code,
    )


def falling(demo: Demo) -> Section:
    """A thousand robots fall in one batch."""
    robots, duration = (24, 0.8) if demo.short else (1000, 1.8)
    run, seconds, code = perform(experiments.fall, robots=robots, duration=duration)
    steps = robots * round(duration / 2e-3)
    rate = f"{steps / seconds:,.0f}"
    x, y = np.moveaxis(run.q[:, -1, 3:5], -1, 0)  # of the quaternion (x, y, z, w)
    upright = int((1.0 - 2.0 * (x**2 + y**2) > 0.9).sum())
    camera = {"azimuth": -70, "elevation": 28, "zoom": 1.75}
    return Section(
        f"{robots} quadrupeds with {run.model.nv} degrees of freedom fall from random heights and "
        "attitudes, all in one batch on one core; joints are held by implicit PD control. Each "
        "robot is alone in its world; the film draws them side by side.",
        f"{rate} robot steps per second",
        {
            "robot steps per second": rate,
            "robots that end upright": f"{upright} of {robots}",
            "unsolved steps": f"{run.unsolved.total} of {steps:,}",
            **run_figures(run, seconds),
        },
        **demo.film("fall", run, 10, camera, speed=0.8),
        caption=f"{robots} robots, steps of 2 ms.",
        code=code,
    )


def timings(demo: Demo) -> Section:
    """Timings beside Pinocchio."""
    robot, notes = available("talos_reduced", "chain(30)")
    demo.progress("measuring")
    rows = measure({robot: ts.load(robot)}, Plan.quick())["rows"]
    table = [["", "Pinocchio µs", "Tarsus µs", "batch µs", "speed", "batch speed"]]
    for row in (row for row in rows if row["algorithm"] in TIMED):
        one, batch = (f"{row[key]['median']:.2f}" for key in ("one", "per_state"))
        cells = ["–", one, batch, "–", "–"]
        if row["pinocchio"]:
            cells[0] = f"{row['pinocchio']['median']:.2f}"
            cells[3:] = f"{1 / row['one_ratio']:.1f}×", f"{row['throughput_ratio']:.1f}×"
        if row["algorithm"] == "ABA":
            summary = f"ABA {one} µs, {batch} µs in batch"
        table.append([row["algorithm"], *cells])
    if not rows[0]["pinocchio"]:
        notes.append("Pinocchio is not installed: its column is empty. Install it: pip install pin")
    return Section(
        f"CPU time of one state of {robot} (nv {rows[0]['nv']}), called from Python, and of one "
        "state in a batch of 1024 on one thread. The last two columns are the speed relative to "
        "one call of Pinocchio. This is a short measurement; `make bench` measures all "
        "algorithms and more robots.",
        summary,
        table=table,
        command=f"tarsus bench --quick {robot}",
        notes=notes,
    )


def studio(demo: Demo) -> Section:
    """The studio."""
    section = Section(
        "The studio is a browser application to build mechanisms and to simulate them "
        "interactively: drag bodies while they move, edit them, and plot forces and energies.",
        "not started",
        command="tarsus studio quadruped",
    )
    if demo.studio_seconds > 0:
        demo.progress("starting")
        server, log = Path(__file__).with_name("studio_server.py"), demo.folder / "studio.log"
        command = [sys.executable, str(server), f"{demo.studio_seconds:g}"]
        with log.open("w", encoding="utf-8") as errors:
            process = subprocess.Popen(
                command, stdout=subprocess.PIPE, stderr=errors, text=True, start_new_session=True
            )
        try:
            with process.stdout:
                section.address = process.stdout.readline().strip()  # empty if the server failed
        except KeyboardInterrupt:
            process.terminate()
            raise
        if not section.address:
            raise RuntimeError(f"the studio did not start: {log.read_text('utf-8').strip()}")
        SERVERS.append(process)
        ends = time.strftime("%H:%M", time.localtime(time.time() + demo.studio_seconds))
        section.summary = f"in the browser until {ends}"
        section.text += f" It runs until {ends}; `kill {process.pid}` ends it before."
    return section


SECTIONS: dict[str, Callable[[Demo], Section]] = {
    section.__doc__.rstrip("."): section
    for section in (walking, trotting, linkage, falling, timings, studio)
}

"""Draw the pictures and films of docs/ports.md: `python docs/images/draw_ports.py [name …]`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
from films import Film
from tarsus_lab.reproduce import port_2_21
from tarsus_lab.reproduce.bungee import Bungee

import tarsus as ts
from tarsus.view.figures import LINES, legend, new_figure, style_axes, write_figure

FOLDER = Path(__file__).parent


def motor() -> ts.ports.BondGraph:
    """Return the graph of the page: a motor that lifts nothing."""
    g = ts.ports.BondGraph("motor")
    g.Se("battery", "electric", 12.0)
    g.one("circuit", "electric")
    g.I("coil", "electric", 1e-3)
    g.R("winding", "electric", 2.0)
    g.GY("motor", ("electric", "rotation"), 0.05)
    g.one("shaft", "rotation")
    g.I("rotor", "rotation", 1e-4)
    g.R("bearing", "rotation", 1e-5)
    g.bond("battery", "circuit")
    g.bond("circuit", "coil", "winding", "motor")
    g.bond("motor", "shaft")
    g.bond("shaft", "rotor", "bearing")
    return g


def draw_motor(file: Path) -> None:
    motor().plot(file)


def draw_snakeboard_graph(file: Path) -> None:
    places = {
        "torso": (0.0, 1.0),
        "psi_rate": (1.0, 1.0),
        "psi": (1.0, 2.0),
        "turning": (2.0, 1.0),
        "torso_spin": (2.0, 2.0),
        "steer": (3.1, 1.0),
        "forward": (4.2, 1.0),
        "board": (4.2, 2.0),
        "place": (5.4, 1.0),
        "pose": (6.6, 1.0),
        "wheels": (1.9, 0.0),
        "phi_rate": (3.1, 0.0),
        "axles": (4.2, 0.0),
        "phi": (3.1, -0.8),
    }
    port_2_21.graph().plot(file, places=places)


def draw_flow(file: Path) -> None:
    run = ts.scenes.walk("quadruped", duration=3.0).run()
    ts.ports.power_flow(run, 1.0, 3.0).plot(file)


def draw_bungee(file: Path) -> None:
    """Draw heights of both models, and how far representations of each are apart."""
    t = np.linspace(0.0, 15.0, 601)
    figure = new_figure(7.6, 4.2)
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=(2, 1))
    for color, jump, name in zip(
        LINES, (Bungee(), Bungee(10)), ("one spring", "ten pieces"), strict=False
    ):
        heights = jump.heights(jump.motion(t))
        above.plot(t, heights, color=color, lw=1.4, label=name)
        for style, way in (("-", jump.block_diagram), ("--", jump.behaviour)):
            apart = np.maximum(np.abs(way(t) - heights), 1e-16)
            below.semilogy(
                t,
                apart,
                style,
                color=color,
                lw=0.9,
                label=f"{name}, {way.__name__}".replace("_", " "),
            )
    above.axhline(0.0, color="#3c8a4f", lw=2.0)
    style_axes(above, "height of the jumper", "m")
    style_axes(below, "other representations are apart from ports", "m")
    below.set_xlabel("time [s]", fontsize=8)
    legend(above)
    legend(below, 1)
    write_figure(figure, file)


def film_snakeboard(file: Path) -> None:
    camera = {"zoom": 0.9, "elevation": 35.0}
    Film(lambda: ts.scenes.snakeboard().run(every=10), 10, camera=camera).write(file)


def film_bungee(file: Path) -> None:
    camera = {"zoom": 0.014, "elevation": 4.0, "azimuth": -70.0}
    Film(lambda: ts.scenes.bungee().run(duration=11.0), 8, 1.5, camera).write(file)


PICTURES: dict[str, Callable[[Path], None]] = {
    "ports_motor.png": draw_motor,
    "ports_snakeboard_graph.png": draw_snakeboard_graph,
    "ports_flow.png": draw_flow,
    "ports_bungee.png": draw_bungee,
    "ports_snakeboard.webp": film_snakeboard,
    "ports_bungee.webp": film_bungee,
}

if __name__ == "__main__":
    for name in sys.argv[1:] or PICTURES:
        PICTURES[name](FOLDER / name)
        print(f"{name}: {(FOLDER / name).stat().st_size / 1e3:.0f} kB")

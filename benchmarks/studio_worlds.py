"""Worlds of many things in the studio: how fast they run, and how many frames are made for pages.

Time of the processor: whatever else runs on the machine counts little.

    python benchmarks/studio_worlds.py
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator

import numpy as np

from tarsus.studio import Stage
from tarsus.studio.messages import frame

SIZES = {
    "box": "-size .2 .2 .2",
    "sphere": "-radius .1",
    "rod": "-length .25",
    "plate": "-size .2 .2 .03",
    "wheel": "-radius .1",
}
FRAMES, STEPS = 60, 17
"""That are measured at a time, and steps in each."""


def scattered(kinds: tuple[str, ...], count: int) -> Iterator[str]:
    """Yield lines that put things above the ground, side by side."""
    rng, side = np.random.default_rng(0), int(np.ceil(np.sqrt(count)))
    for k in range(count):
        x, y = 0.3 * np.array([k % side, k // side]) + rng.uniform(-0.04, 0.04, 2)
        kind = kinds[k % len(kinds)]
        z = 0.2 + rng.uniform(0.0, 0.1)
        yield f"add {kind} thing{k} {SIZES[kind]} -t {x:.4f} {y:.4f} {z:.4f}"


def towers(count: int, high: int = 10) -> Iterator[str]:
    """Yield lines that put boxes on each other."""
    for k in range(count):
        column, level = divmod(k, high)
        x, y, z = 0.6 * (column % 5), 0.6 * (column // 5), 0.1 + 0.2 * level
        yield f"add box thing{k} {SIZES['box']} -t {x:.4f} {y:.4f} {z:.4f}"


def worlds(count: int) -> dict[str, Iterator[str]]:
    """Return the lines of each world by its name."""
    found = {f"{kind} scattered": scattered((kind,), count) for kind in ("box", "sphere", "rod")}
    mixed = scattered(tuple(SIZES), count)
    return {**found, "mixed scattered": mixed, "boxes in towers": towers(count)}


def measure(stage: Stage) -> tuple[float, float]:
    """Return seconds of the world in a second of the processor, and frames in such a second."""
    start = time.process_time()
    for _ in range(FRAMES):
        stage.advance(STEPS)
        frame(stage, 1.0)
    spent = time.process_time() - start
    return FRAMES * STEPS * stage.document.dt / spent, FRAMES / spent


def main() -> None:
    """Measure and print a line for each world."""
    parser = argparse.ArgumentParser(description="worlds of many things in the studio")
    parser.add_argument("--count", type=int, default=100, help="things in a world")
    count = parser.parse_args().count
    print(f"{count} things: seconds in a second, and frames; while they fall, and a second later")
    for name, lines in worlds(count).items():
        stage, start = Stage(), time.process_time()
        stage.run(list(lines))
        built = time.process_time() - start
        first, last = measure(stage), measure(stage)
        print(
            f"{name:16}  built in {built:5.1f} s   {first[0]:5.2f} ×, {first[1]:5.1f} a second"
            f"   {last[0]:5.2f} ×, {last[1]:5.1f} a second",
            flush=True,
        )


if __name__ == "__main__":
    main()

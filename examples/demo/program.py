"""The program of the demo: runs all sections, reports progress, and writes the page.

The exit code is 0, 1 if a section failed, 2 if the page cannot be written, 130 after Ctrl-C.
"""

from __future__ import annotations

import argparse
import sys
import time
import traceback
import warnings
from pathlib import Path

from page import write_page
from sections import SECTIONS, Demo, Section
from tarsus_lab.bench.timing import describe_machine, today

import tarsus as ts

ROOT = Path(__file__).resolve().parents[2]


def run_section(demo: Demo, number: int, title: str) -> Section:
    """Run a section and print one line: number, title, time and main figure."""
    line = f"{number}/{len(SECTIONS)}  {title:42}"
    print(line, end="", flush=True)
    if sys.stdout.isatty():
        demo.progress = lambda text: print(f"\r{line}{text}\033[K", end="", flush=True)
    start = time.perf_counter()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ts.ConvergenceWarning)  # the page states the count
            section = SECTIONS[title](demo)
    except Exception as error:
        cause = f"failed: {type(error).__name__}: {error}"
        section = Section(summary=cause, error=traceback.format_exc())
    demo.progress("")
    print(f"{time.perf_counter() - start:6.1f} s  {section.summary}")
    for note in section.notes:
        print(f"     {note}")
    return section


def machine_text(seconds: float) -> str:
    """Return what the demo ran on, and how long it took."""
    machine = describe_machine()
    return (
        f"Tarsus {machine['tarsus']} ({machine['instruction_set']}), Python {machine['python']}, "
        f"NumPy {machine['numpy']}, Pinocchio {machine['pinocchio']}, on {machine['processor']}, "
        f"{machine['cores']} cores, {today()}. The demo took {seconds:.0f} s "
        f"({time.process_time():.0f} s CPU). Speeds and real-time factors are computed from the "
        "CPU time of one core."
    )


def main(arguments: list[str] | None = None) -> int:
    """Run the demo and return its exit code."""
    parser = argparse.ArgumentParser(description="run the demo of Tarsus and write its page")
    parser.add_argument("--output", type=Path, default=ROOT / "demo", help="folder of the page")
    parser.add_argument("--short", action="store_true", help="short runs, few robots and pictures")
    seconds = "how long the studio runs, 0: not at all"
    parser.add_argument("--studio-seconds", type=float, default=300.0, help=seconds)
    options = parser.parse_args(arguments)
    start, page = time.perf_counter(), options.output / "index.html"
    try:
        options.output.mkdir(parents=True, exist_ok=True)
        page.unlink(missing_ok=True)  # no page of an earlier demo if this one is interrupted
    except OSError as error:
        print(f"cannot write the page: {error}. Name another folder: --output", file=sys.stderr)
        return 2
    demo = Demo(options.output, options.short, options.studio_seconds)
    results = {title: run_section(demo, k, title) for k, title in enumerate(SECTIONS, 1)}
    write_page(page, results, machine_text(time.perf_counter() - start))
    print(f"\nThe page:    {page.resolve().as_uri()}")
    for section in results.values():
        if section.address:
            print(f"The studio:  {section.address}")
    return int(any(section.error for section in results.values()))

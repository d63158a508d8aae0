"""The program of the demo: runs all sections, reports progress, and writes the page.

The page is `demo/index.html`, or in the folder that the environment variable TARSUS_DEMO names.
The studio runs for TARSUS_DEMO_VIEW seconds (300). The exit code is 0, 1 if a section failed, and
130 after Ctrl-C.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
import traceback
import warnings
from pathlib import Path

from page import write_page
from sections import SECTIONS, Demo, Section

import tarsus as ts
from tarsus.bench.machine import describe_machine, today

ROOT = Path(__file__).resolve().parents[2]
WIDTH = 42
"""Columns of the terminal for the title of a section."""


class Progress:
    """One line for each section: its number and title, then its time and its main figure."""

    def __init__(self) -> None:
        self.terminal, self.line = sys.stdout.isatty(), ""

    def begin(self, number: int, title: str) -> None:
        """Begin the line of a section."""
        self.line = f"{number}/{len(SECTIONS)}  {title:{WIDTH}}"
        print(self.line, end="", flush=True)

    def update(self, text: str) -> None:
        """Show what is being done, on a terminal only."""
        if self.terminal:
            print(f"\r{self.line}{text}\033[K", end="", flush=True)

    def end(self, seconds: float, text: str) -> None:
        """Complete the line."""
        self.update("")
        print(f"{seconds:6.1f} s  {text}", flush=True)


def run_sections(demo: Demo, progress: Progress) -> dict[str, Section | str]:
    """Run all sections and return them; one that failed is the text of its error."""
    results: dict[str, Section | str] = {}
    for number, (title, section) in enumerate(SECTIONS.items(), 1):
        progress.begin(number, title)
        start = time.perf_counter()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ts.ConvergenceWarning)  # the page states the count
                result = section(demo)
        except Exception as error:
            results[title] = traceback.format_exc()
            progress.end(time.perf_counter() - start, f"failed: {type(error).__name__}: {error}")
        else:
            results[title] = result
            progress.end(time.perf_counter() - start, result.summary)
            for note in result.notes:
                print(f"     {note}")
    return results


def machine_text(seconds: float) -> str:
    """Return what the demo ran on, and how long it took."""
    machine = describe_machine()
    cpu = time.process_time()
    return (
        f"Tarsus {machine['tarsus']} ({machine['instruction_set']}), Python {machine['python']}, "
        f"NumPy {machine['numpy']}, Pinocchio {machine['pinocchio']}, on {machine['processor']}, "
        f"{machine['cores']} cores, {today()}. The demo took {seconds:.0f} s ({cpu:.0f} s CPU). "
        "Speeds and real-time factors are computed from the CPU time of one core."
    )


def main(arguments: list[str] | None = None) -> int:
    """Run the demo and return its exit code."""
    parser = argparse.ArgumentParser(description="run the demo of Tarsus and write its page")
    parser.add_argument(
        *("--output", "-o"),
        type=Path,
        default=Path(os.environ.get("TARSUS_DEMO", ROOT / "demo")),
        help="folder of the page (TARSUS_DEMO)",
    )
    parser.add_argument(
        "--studio-seconds",
        type=float,
        default=float(os.environ.get("TARSUS_DEMO_VIEW", "300")),
        help="how long the studio runs, 0 to leave it out (TARSUS_DEMO_VIEW)",
    )
    parser.add_argument("--short", action="store_true", help="short runs, few robots and pictures")
    chosen = parser.parse_args(arguments)
    start, progress, page = time.perf_counter(), Progress(), chosen.output / "index.html"
    try:
        chosen.output.mkdir(parents=True, exist_ok=True)
        page.unlink(missing_ok=True)  # no page of an earlier demo if this one is interrupted
    except OSError as error:
        print(f"cannot write the page: {error}. Name another folder: --output", file=sys.stderr)
        return 2
    demo = Demo(chosen.output, chosen.short, chosen.studio_seconds, progress.update)
    results = run_sections(demo, progress)
    write_page(page, results, machine_text(time.perf_counter() - start))
    print(f"\nThe page:    {page.resolve().as_uri()}")
    for section in results.values():
        if isinstance(section, Section) and section.address:
            print(f"The studio:  {section.address}")
    return int(any(isinstance(result, str) for result in results.values()))

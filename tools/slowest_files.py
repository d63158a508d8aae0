"""List the source files of a build that took longest to compile, from Ninja's log.

    python tools/slowest_files.py build/cp311-cp311-linux_x86_64 --limit 60

Times are wall-clock times: they are longer than the CPU time of the compiler where the machine
had other work to do.
"""

from __future__ import annotations

import argparse
import sys
from collections import defaultdict
from pathlib import Path


def compile_times(log: str) -> dict[str, float]:
    """Return the seconds of the last build of each object file in the text of a `.ninja_log`."""
    seconds = {}
    for line in log.splitlines():
        if line.startswith("#"):
            continue
        start, end, _, output, _ = line.split("\t")
        if output.endswith((".o", ".gch")):
            seconds[output.removeprefix("CMakeFiles/")] = (int(end) - int(start)) / 1000.0
    return seconds


def target_times(seconds: dict[str, float]) -> dict[str, float]:
    """Return the sum of the seconds of each CMake target, such as `kernels_avx2`."""
    sums: dict[str, float] = defaultdict(float)
    for output, time in seconds.items():
        sums[output.split(".dir/")[0]] += time
    return dict(sums)


def main() -> int:
    """Print the slowest files and the sum of each target; return 1 if a file is over the limit."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=Path, help="the build directory, which has a .ninja_log")
    parser.add_argument("--count", type=int, default=10, help="how many files to list")
    parser.add_argument("--limit", type=float, help="fail if a file takes longer [s]")
    arguments = parser.parse_args()
    log = arguments.build / ".ninja_log"
    if not log.is_file():
        parser.error(f"there is no {log}; give the directory in which Ninja has built")
    seconds = compile_times(log.read_text(encoding="utf-8"))
    slowest = sorted(seconds, key=lambda output: -seconds[output])
    for output in slowest[: arguments.count]:
        print(f"{seconds[output]:8.1f} s  {output}")
    for target, time in sorted(target_times(seconds).items()):
        print(f"{time:8.1f} s  all of {target}")
    over = [output for output in slowest if seconds[output] > (arguments.limit or float("inf"))]
    for output in over:
        print(f"{output} took {seconds[output]:.1f} s, more than {arguments.limit:g} s: split it")
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())

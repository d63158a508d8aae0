"""`make bench-gate`: compare the speed of the working tree with that of another revision.

    python benchmarks/gate.py [REVISION] [--rounds 40] [--limit 1.05]

The other revision (HEAD unless given) is checked out and built in `build/gate`; where its core is
that of the working tree, the compiled core is shared. One process per revision measures the cases
of `gate_cases.py` in turns on one pinned core. The exit code is 1 if the median ratio of a case and
the ratio of its smallest times are both above the limit.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import IO

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "build" / "gate"
CASES = "benchmarks/gate_cases.py"
SAMPLE = 0.02
"""Duration of a sample [s]."""
COMPILED = ("core", "CMakeLists.txt")
"""What the compiled core is made of."""


def git(*arguments: str) -> str:
    """Return what git prints."""
    return subprocess.run(
        ["git", *arguments], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.strip()


def checked_out(revision: str) -> Path:
    """Return a folder with a revision of the package and a compiled core."""
    commit = git("rev-parse", "--verify", f"{revision}^{{commit}}")
    folder = FOLDER / commit[:12]
    if not (folder / CASES).is_file():
        shutil.rmtree(folder, ignore_errors=True)
        git("worktree", "prune")
        git("worktree", "add", "--detach", "--force", str(folder), commit)
        (folder / CASES).write_bytes((ROOT / CASES).read_bytes())
    if not git("diff", "--stat", commit, "--", *COMPILED):
        cores = (ROOT / "tarsus").glob("_core*")
    else:
        cores = built(folder).glob("_core.*")
    for file in cores:
        shutil.copy(file, folder / "tarsus")
    return folder


def built(folder: Path) -> Path:
    """Return a folder with the compiled core of a revision, built for this machine."""
    tools = Path(sys.executable).parent
    build = folder / "build" / "gate"
    subprocess.run(
        [
            *(str(tools / "cmake"), "-S", str(folder), "-B", str(build), "-G", "Ninja"),
            *(f"-DCMAKE_MAKE_PROGRAM={tools / 'ninja'}", f"-DPython_EXECUTABLE={sys.executable}"),
            "-DCMAKE_BUILD_TYPE=Release",
        ],
        check=True,
    )
    subprocess.run([str(tools / "cmake"), "--build", str(build)], check=True)
    return build


class Worker:
    """A process that measures the cases of one revision when it is asked to."""

    def __init__(self, folder: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-P", __file__, "--measure", str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(folder)},
        )
        self.cases = self._read().split("\t")

    def sample(self, case: int) -> float:
        """Return the time of one unit of a case [µs]."""
        print(case, file=self._pipe(self.process.stdin), flush=True)
        return float(self._read())

    def _read(self) -> str:
        line = self._pipe(self.process.stdout).readline()
        if not line:
            raise SystemExit(f"a revision cannot be measured, exit code {self.process.wait()}")
        return line.strip()

    @staticmethod
    def _pipe(pipe: IO[str] | None) -> IO[str]:
        assert pipe is not None
        return pipe


def measure(folder: Path) -> None:
    """Answer on standard output what is asked on standard input: a sample of a case."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    sys.path.insert(0, str(folder / "benchmarks"))
    from gate_cases import cases

    import tarsus

    assert Path(tarsus.__file__).is_relative_to(folder), tarsus.__file__
    calls = dict(cases())
    numbers = []
    for call, _ in calls.values():
        call()
        start = time.thread_time()
        call()
        once = time.thread_time() - start
        numbers.append(max(1, int(SAMPLE / max(once, 1e-7))))
    print("\t".join(calls), file=answers, flush=True)
    for line in sys.stdin:
        (call, units), number = list(calls.values())[int(line)], numbers[int(line)]
        start = time.thread_time()
        for _ in range(number):
            call()
        print(1e6 * (time.thread_time() - start) / number / units, file=answers, flush=True)


def main() -> int:
    """Measure both revisions in turns and print the ratios."""
    parser = argparse.ArgumentParser(description="Compare the speed of two revisions.")
    parser.add_argument("revision", nargs="?", default="HEAD")
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--limit", type=float, default=1.05)
    parser.add_argument("--measure", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        measure(options.measure)
        return 0
    before = checked_out(options.revision)
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    workers = Worker(before), Worker(ROOT)
    cases = workers[1].cases
    if workers[0].cases != cases:
        raise SystemExit(f"the revisions have other cases: {workers[0].cases} and {cases}")
    slower = []
    print(f"{'case':34}{options.revision[:12]:>14}{'now':>10}  {'ratio':>7}{'of min':>8}")
    for k, case in enumerate(cases):
        samples: tuple[list[float], list[float]] = ([], [])
        for turn in range(options.rounds):
            for which in (0, 1) if turn % 2 else (1, 0):
                samples[which].append(workers[which].sample(k))
        ratio = statistics.median(new / old for old, new in zip(*samples, strict=True))
        of_min = min(samples[1]) / min(samples[0])
        old, new = map(statistics.median, samples)
        slower += [case] if min(ratio, of_min) > options.limit else []
        print(f"{case:34}{old:11.3f} µs{new:7.3f} µs  {ratio:7.3f}{of_min:8.3f}")
    print(f"slower than {options.limit} times: {', '.join(slower) or 'none'}")
    return int(bool(slower))


if __name__ == "__main__":
    sys.exit(main())

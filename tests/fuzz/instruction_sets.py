"""The same computation on every instruction set that this processor runs, for fuzzers.

The set is chosen when the core is imported, so each of the others has a process that is started
once and computes what it is sent.
"""

from __future__ import annotations

import atexit
import os
import pickle
import subprocess
import sys
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import tarsus as ts

OWN: str = ts._core.instruction_set()
OTHERS: tuple[str, ...] = tuple(name for name in ts._core.instruction_sets() if name != OWN)
FUSED = ("avx2", "avx512")
"""Sets with a fused multiply-add, whose results have the same bits."""
EPSILON = float(np.finfo(np.float64).eps)


class Answer(NamedTuple):
    """What a process computed, or the name of the exception that it raised."""

    value: Any
    error: str | None


class Worker:
    """A process in which the core uses one instruction set."""

    def __init__(self, name: str) -> None:
        folders = [str(Path(ts.__file__).parents[1]), *filter(None, sys.path)]
        self._process = subprocess.Popen(
            [sys.executable, "-P", __file__],
            env={
                **os.environ,
                "TARSUS_INSTRUCTION_SET": name,
                "PYTHONPATH": os.pathsep.join(folders),
            },
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        atexit.register(self._process.kill)

    def compute(self, module: str, function: str, *arguments: Any) -> Answer:
        """Return what a function of a test module returns in the process."""
        assert self._process.stdin and self._process.stdout
        pickle.dump((module, function, arguments), self._process.stdin)
        self._process.stdin.flush()
        return Answer(*pickle.load(self._process.stdout))


@cache
def worker(name: str) -> Worker:
    """Return the process of an instruction set, started once."""
    return Worker(name)


def are_fused(*names: str) -> bool:
    """Return whether all of these sets have a fused multiply-add."""
    return all(name in FUSED for name in names)


def same_bits(a: Any, b: Any) -> bool:
    """Return whether two arrays have the same bits; any NaN is like any other."""
    a, b = (np.where(np.isnan(x), np.nan, x) for x in (np.asarray(a), np.asarray(b)))
    return a.shape == b.shape and a.tobytes() == b.tobytes()


def _serve() -> None:
    """Answer what is asked on standard input until it is closed."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what tests print
    while True:
        try:
            module, function, arguments = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        try:
            answer = getattr(import_module(module), function)(*arguments), None
        except Exception as error:
            answer = None, type(error).__name__
        pickle.dump(answer, answers)
        answers.flush()


if __name__ == "__main__":
    _serve()

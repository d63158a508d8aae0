"""A study as a script, for tests that kill it: python study_script.py EXECUTOR FOLDER LOG."""

from __future__ import annotations

import sys
from pathlib import Path

from swept_functions import GRID, logging, noted

import tarsus as ts


def main() -> None:
    executor, folder, log = sys.argv[1:]
    function = logging(noted, Path(log), pause=0.05)
    print(ts.sweep(function, GRID, executor=executor, workers=2, checkpoint=folder))


if __name__ == "__main__":
    main()

"""Random machines with gears, couplings and loops are those of the tests of clusters."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path += [str(Path(__file__).parents[1] / name) for name in ("clusters", "control")]

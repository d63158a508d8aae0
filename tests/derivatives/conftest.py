"""The mechanisms are those of the tests of dynamics, of clusters and of the Coriolis matrix."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path += [
    str(Path(__file__).parents[1] / name) for name in ("dynamics", "clusters", "robots", "coriolis")
]

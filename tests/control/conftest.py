"""Random machines and arms of other folders are test data here, too."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path += [str(Path(__file__).parents[1] / name) for name in ("clusters", "ik")]

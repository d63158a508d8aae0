"""Worlds and scenes are those of the tests of contact."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path += [str(Path(__file__).parents[1] / name) for name in ("contact", "dynamics", "clusters")]

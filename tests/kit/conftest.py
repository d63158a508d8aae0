"""The random machines of the clusters' tests are mechanisms to take apart, too."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path += [str(Path(__file__).parent.parent / "clusters")]

"""Draw lola_arms.png: `python docs/images/draw_lola_arms.py`."""

from __future__ import annotations

from pathlib import Path

from tarsus_lab.reproduce import plot, reproduce

if __name__ == "__main__":
    plot(reproduce("lola-7.1"), Path(__file__).parent / "lola_arms.png")

"""Draw walk.gif, a quadruped that trots over steps: `python docs/images/draw_walk.py`."""

from __future__ import annotations

from pathlib import Path

from tarsus import scenes
from tarsus.geometry import Steps
from tarsus.view.films import animate

if __name__ == "__main__":
    ground = Steps(rise=0.02, depth=0.3, count=4, start=0.45, friction=0.8)
    run = scenes.walk("anymal", duration=3.0).but(ground=ground).run()
    print(run, run.energy)
    file = Path(__file__).with_name("walk.gif")
    animate(run, file, fps=12.5, width=480, height=300, zoom=1.1)
    print(f"{file.stat().st_size / 1e3:.0f} kB")

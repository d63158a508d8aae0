"""Draw what G1 survives: pushes to the left, on grounds that rub less, with other masses."""

from pathlib import Path

import tarsus as ts
from tarsus.robots.load import example

found = ts.walking.robustness(
    example("g1"),
    push=[0.0, 30.0, 60.0, 90.0, 120.0, 150.0],
    friction=[0.1, 0.2, 0.3, 0.5, 0.7],
    mass=[0.9, 1.0, 1.2],
    known=0.5,
    steps=5,
    threads=2,
)
print(found)
found.plot(Path(__file__).with_name("robustness.png"))

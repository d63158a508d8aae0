"""When a run shall end, a file each: `run(until=ts.until.Height("trunk", below=0.2))`."""

from tarsus.simulation.until.condition import Condition, Samples
from tarsus.simulation.until.function import Function
from tarsus.simulation.until.height import Height
from tarsus.simulation.until.position import Position
from tarsus.simulation.until.touch import Touch

__all__ = ["Condition", "Function", "Height", "Position", "Samples", "Touch"]

"""How machines walk: `plans` of feet, body and loads, made before a step is taken."""

from tarsus.gait import plans

__all__ = ["plans"]

"""How machines walk: what they walk with, and `plans` of feet, body and loads."""

from tarsus.gait import plans
from tarsus.gait.anatomy import Anatomy, Leg, Limb
from tarsus.gait.posture import stance
from tarsus.gait.soles import Sole

__all__ = ["Anatomy", "Leg", "Limb", "Sole", "plans", "stance"]

"""Gaits: phases of legs, plans of feet and body, support, zero moment point, legs that reach.

from tarsus import gait

walk = gait.Walk(gait.TROT, speed=(0.2, 0.0))
feet = walk.feet(t, stance)
"""

from tarsus.gait.legs import reach
from tarsus.gait.loads import Loads, static_loads
from tarsus.gait.phases import CRAWL, GAITS, PACE, TROT, Gait
from tarsus.gait.preview import Sway, ZmpPreview
from tarsus.gait.profiles import quintic, raised_cosine
from tarsus.gait.support import support_margin, support_polygon
from tarsus.gait.walk import Walk

__all__ = [
    "CRAWL",
    "GAITS",
    "PACE",
    "TROT",
    "Gait",
    "Loads",
    "Sway",
    "Walk",
    "ZmpPreview",
    "quintic",
    "raised_cosine",
    "reach",
    "static_loads",
    "support_margin",
    "support_polygon",
]

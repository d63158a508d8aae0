"""Plans of walks: footfalls, feet and body, support, zero moment point, legs that reach.

from tarsus.gait import plans

walk = plans.Walk(plans.TROT, speed=(0.2, 0.0))
feet = walk.feet(t, stance)
"""

from tarsus.gait.plans.footfalls import CRAWL, FOOTFALLS, PACE, TROT, Footfalls
from tarsus.gait.plans.legs import reach
from tarsus.gait.plans.loads import Loads, static_loads
from tarsus.gait.plans.preview import Sway, ZmpPreview
from tarsus.gait.plans.profiles import quintic, raised_cosine
from tarsus.gait.plans.support import support_margin, support_polygon
from tarsus.gait.plans.walk import Walk

__all__ = [
    "CRAWL",
    "FOOTFALLS",
    "PACE",
    "TROT",
    "Footfalls",
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

"""Plans of walks: footfalls, feet and body, support, zero moment point, legs that reach.

from tarsus.gait import plans

walk = plans.Walk(plans.TROT, speed=(0.2, 0.0))
feet = walk.feet(t, stance)

On two legs: `Footsteps`, the divergent component of motion along them (`DivergentPlan`,
`Supports`), steps that are adapted to the measured state (`StepAdaptation`), feet that `Swing`.
"""

from tarsus.gait.soles import support_margin, support_polygon
from tarsus.walking.plans.adaptation import Adapted, StepAdaptation, StepLimits
from tarsus.walking.plans.dcm import Centre, Divergent, DivergentPlan, Supports
from tarsus.walking.plans.footsteps import CRAWL, FOOTFALLS, PACE, TROT, Footfalls, Footsteps
from tarsus.walking.plans.swing import Swing, Way, bend, quintic, raised_cosine
from tarsus.walking.plans.walk import Loads, Walk, reach, static_loads
from tarsus.walking.plans.zmp_preview import PreviewSupports, Sway, ZmpPreview

__all__ = [
    "CRAWL",
    "FOOTFALLS",
    "PACE",
    "TROT",
    "Adapted",
    "Centre",
    "Divergent",
    "DivergentPlan",
    "Footfalls",
    "Footsteps",
    "Loads",
    "PreviewSupports",
    "StepAdaptation",
    "StepLimits",
    "Supports",
    "Sway",
    "Swing",
    "Walk",
    "Way",
    "ZmpPreview",
    "bend",
    "quintic",
    "raised_cosine",
    "reach",
    "static_loads",
    "support_margin",
    "support_polygon",
]

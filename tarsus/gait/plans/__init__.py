"""Plans of walks: footfalls, feet and body, support, zero moment point, legs that reach.

from tarsus.gait import plans

walk = plans.Walk(plans.TROT, speed=(0.2, 0.0))
feet = walk.feet(t, stance)

On two legs: `Footsteps`, the divergent component of motion along them (`DivergentPlan`,
`Supports`), steps that are adapted to the measured state (`StepAdaptation`), feet that `Swing`.
"""

from tarsus.gait.plans.adaptation import Adapted, StepAdaptation, StepLimits
from tarsus.gait.plans.divergent import Centre, Divergent, DivergentPlan
from tarsus.gait.plans.footfalls import CRAWL, FOOTFALLS, PACE, TROT, Footfalls
from tarsus.gait.plans.footsteps import Footsteps
from tarsus.gait.plans.legs import reach
from tarsus.gait.plans.loads import Loads, static_loads
from tarsus.gait.plans.preview import Sway, ZmpPreview
from tarsus.gait.plans.preview_supports import PreviewSupports
from tarsus.gait.plans.profiles import quintic, raised_cosine
from tarsus.gait.plans.support import support_margin, support_polygon
from tarsus.gait.plans.supports import Supports
from tarsus.gait.plans.swing import Swing, Way, bend
from tarsus.gait.plans.walk import Walk

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

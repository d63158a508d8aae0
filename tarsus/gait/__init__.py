"""How machines walk: what they walk with, `plans`, `walk`, and maps of their `robustness`."""

from tarsus.gait import plans
from tarsus.gait.aims import Aims, Measured
from tarsus.gait.anatomy import Anatomy, Leg, Limb
from tarsus.gait.biped import Biped
from tarsus.gait.body_tasks import BodyGains, BodyTasks
from tarsus.gait.posture import stance
from tarsus.gait.robustness import Robustness, robustness
from tarsus.gait.soles import Sole
from tarsus.gait.stepping import Stepping
from tarsus.gait.style import Style
from tarsus.gait.walk import walk
from tarsus.gait.walk_report import WalkReport
from tarsus.gait.walked import Walked
from tarsus.gait.walking import Walking

__all__ = [
    "Aims",
    "Anatomy",
    "Biped",
    "BodyGains",
    "BodyTasks",
    "Leg",
    "Limb",
    "Measured",
    "Robustness",
    "Sole",
    "Stepping",
    "Style",
    "WalkReport",
    "Walked",
    "Walking",
    "plans",
    "robustness",
    "stance",
    "walk",
]

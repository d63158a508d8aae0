"""Contact laws, a file each, all with `name`, `ignores`, `numbers`, `start_depth` and `check`.

Their parameters are those of nature (a friction coefficient and restitution, which belong to the
ground; N/m and N·s/m) or of the solver. None of them depends on masses or on the step.
`Compliant` consists of a law of pushing (`Spring`, `Hertz`, `HuntCrossley`) and one of slipping
(`Stick`, `Saturation`, `Bristle`), a file each, too.
"""

from tarsus.simulation.contact.bristle import Bristle
from tarsus.simulation.contact.compliant import NORMAL_LAWS, SLIP_LAWS, Compliant
from tarsus.simulation.contact.event import Event
from tarsus.simulation.contact.exact import Exact
from tarsus.simulation.contact.hertz import Hertz
from tarsus.simulation.contact.hunt_crossley import HuntCrossley
from tarsus.simulation.contact.law import (
    LAWS,
    ContactLaw,
    IgnoredNumbersWarning,
    StabilityWarning,
    law_of,
    refuse_law,
)
from tarsus.simulation.contact.lemke import Lemke
from tarsus.simulation.contact.penalty import Penalty, Stability
from tarsus.simulation.contact.saturation import Saturation
from tarsus.simulation.contact.spring import Spring
from tarsus.simulation.contact.stick import Stick

__all__ = [
    "LAWS",
    "NORMAL_LAWS",
    "SLIP_LAWS",
    "Bristle",
    "Compliant",
    "ContactLaw",
    "Event",
    "Exact",
    "Hertz",
    "HuntCrossley",
    "IgnoredNumbersWarning",
    "Lemke",
    "Penalty",
    "Saturation",
    "Spring",
    "Stability",
    "StabilityWarning",
    "Stick",
    "law_of",
    "refuse_law",
]

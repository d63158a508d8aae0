"""Contact laws, a file each, with the same list: `name`, `numbers`, `start_depth`, `check`.

Their parameters are those of nature (a friction coefficient and restitution, which belong to the
ground; N/m and N·s/m) or of the solver. None of them depends on masses or on the step.
"""

from tarsus.simulation.contact.exact import Exact
from tarsus.simulation.contact.law import LAWS, ContactLaw, StabilityWarning, law_of
from tarsus.simulation.contact.lemke import Lemke
from tarsus.simulation.contact.penalty import Penalty, Stability

__all__ = [
    "LAWS",
    "ContactLaw",
    "Exact",
    "Lemke",
    "Penalty",
    "Stability",
    "StabilityWarning",
    "law_of",
]

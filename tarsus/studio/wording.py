"""What the library says, in words for people who build: their names, and no advice for programs."""

from __future__ import annotations

import re

from tarsus.model.description import Description
from tarsus.studio.carriers import helpers

FOR_PROGRAMS = (
    r"; check its frames, or give joint positions near the closed loop as `start`",
    r"\. That is too deep to start from: .*",
    r", which is singular; give another `start`",
)
"""Advice that needs Python to be followed."""


def spoken(stated: Description, text: str) -> str:
    """Return a text with the names that people gave."""
    for name, meant in helpers(stated).items():
        if name in text:
            text = re.sub(rf"(?<![\w.]){re.escape(name)}(?!\w|\.\w)", meant, text)
    for advice in FOR_PROGRAMS:
        text = re.sub(advice, "", text)
    return text

"""Surfaces that never slip: all sliding and twisting deforms them.

V. Duindam, "Port-based modeling and control for efficient bipedal walking robots", University of
Twente, 2006, eq. 3.23.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True)
class Stick:
    """Surfaces that hold however hard they are pulled."""

    name: ClassVar[str] = "stick"

    @property
    def numbers(self) -> Mapping[str, float]:
        """What the core needs to know, by name."""
        return {}

"""What an identity is: a text, a limit, and the function that computes its residual."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tarsus.check.states import States
from tarsus.model import Model

EXACT = 1e-10
DIFFERENCES = 1e-7
"""Limit of identities with finite differences."""


@dataclass(frozen=True)
class Identity:
    """An identity of a quantity (a method of the model, written with spaces).

    `applies` tells whether a model has what the identity is about, `topic` is the title of the
    table that it stands in ("" for the first). What is `asked` of other libraries uses only
    methods that these have.
    """

    quantity: str
    text: str
    limit: float
    residual: Callable[[States], float]
    applies: Callable[[Model], bool] = lambda model: True
    topic: str = ""
    asked: bool = False

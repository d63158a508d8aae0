"""How places that may touch rub, bounce and give way, where shapes have numbers of their own.

A shape may state friction, restitution, friction against spinning and rolling, stiffness and
damping. Two numbers that meet become one by a rule; what states none is as the ground says, to
whatever it touches. What states no stiffness is rigid to what does: that one's counts, and the
contact law's where neither does. For each candidate and number there is a row (scale, offset, low,
high): of the number x of its state, or of the law, it makes scale x + offset, at least low and at
most high.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from tarsus._lib.checks import UnknownNameError, suggestion, surface_number
from tarsus._lib.files import Array
from tarsus.geometry.contact_candidates import GROUND, Candidate
from tarsus.model.description import SURFACE_NUMBERS

Rule: TypeAlias = Literal["min", "max", "mean", "product", "series"]
RULES: dict[str, Rule] = {
    "friction": "min",
    "restitution": "max",
    "torsion": "max",
    "rolling": "max",
    "stiffness": "series",
    "damping": "series",
}
"""How two numbers become one, unless stated: grounds have friction, and nothing else."""
GIVING_WAY = ("stiffness", "damping")
"""Numbers of springs and dampers, which no ground has."""

NONE = 1e300
"""No upper bound."""
AS_IT_IS = (1.0, 0.0, 0.0, NONE)

Row: TypeAlias = tuple[float, float, float, float]
Frictions: TypeAlias = Mapping[str, float]
PairFrictions: TypeAlias = Mapping[tuple[str, str], float]


class Rubbing(NamedTuple):
    """Rules by number, numbers by names of shapes, links or bodies, and frictions of pairs.

    Pairs of a file may name what does not touch here.
    """

    rules: Mapping[str, Rule]
    named: Mapping[str, Frictions]
    pairs: PairFrictions
    of_file: PairFrictions = MappingProxyType({})


def stated_rules(combine: Rule | Mapping[str, Rule] | None) -> dict[str, Rule]:
    """Return the rule of each number: one for friction, or some by name; an error names others."""
    given = {} if combine is None else combine
    chosen = dict(given) if isinstance(given, Mapping) else {"friction": given}
    for name, rule in chosen.items():
        if name not in RULES:
            raise UnknownNameError(f"combine has no number {name!r}{suggestion(name, RULES)}")
        unfit = "product" if name in GIVING_WAY else "series"
        valid = [each for each in get_args(Rule) if each != unfit]
        if rule not in valid:
            raise ValueError(f"combine of {name} is {rule!r}, must be one of {', '.join(valid)}")
    return {**RULES, **chosen}


def blends(candidates: Sequence[Candidate], rubbing: Rubbing) -> dict[str, Array]:
    """Return rows (n, 4) of all candidates for each number that some of them states."""
    _check_names(candidates, rubbing)
    found = {}
    surfaces = {id(x): x for each in candidates for x in (each.surface, each.other_surface)}
    for name in SURFACE_NUMBERS:
        own = rubbing.named.get(name, {})
        # the first that fits counts
        pairs = {**rubbing.pairs, **rubbing.of_file} if name == "friction" else {}
        # of many things in one world most state nothing: no look at each of their pairs
        if not own and not pairs and all(getattr(x, name) is None for x in surfaces.values()):
            continue
        stated = [_two(each, name, own) for each in candidates]
        fixed = [_of_pair(each, pairs) for each in candidates]
        if any(x is not None for two in (*stated, tuple(fixed)) for x in two):
            rule = rubbing.rules[name]
            row = _spring_row if name in GIVING_WAY else _row
            rows = [row(rule, *two, pair) for two, pair in zip(stated, fixed, strict=True)]
            found[name] = np.array(rows)
    return found


def blended(rows: Array, x: float) -> Array:
    """Return what rows (n, 4) make of a number of the ground (n,)."""
    scale, offset, low, high = rows.T
    return np.asarray(np.clip(scale * x + offset, low, high))


def _row(rule: Rule, own: float | None, other: float | None, pair: float | None) -> Row:
    if pair is not None:
        return 0.0, pair, 0.0, NONE
    if own is not None and other is not None:
        return 0.0, mixed(rule, own, other), 0.0, NONE
    one = own if other is None else other
    if one is None:
        return AS_IT_IS
    rows: dict[str, Row] = {
        "min": (1.0, 0.0, 0.0, one),
        "max": (1.0, 0.0, one, NONE),
        "mean": (0.5, 0.5 * one, 0.0, NONE),
        "product": (one, 0.0, 0.0, NONE),
    }
    return rows[rule]


def _spring_row(rule: Rule, own: float | None, other: float | None, _: float | None) -> Row:
    if own is not None and other is not None:
        return 0.0, mixed(rule, own, other), 0.0, NONE
    one = own if other is None else other
    return AS_IT_IS if one is None else (0.0, one, 0.0, NONE)


def mixed(rule: Rule, a: float, b: float) -> float:
    """Return the number of two that meet; "series": of two springs or dampers, one on the other."""
    series = a * b / (a + b) if a + b > 0.0 else 0.0
    mean, product = (a + b) / 2, a * b
    return {"min": min(a, b), "max": max(a, b), "mean": mean, "product": product, "series": series}[
        rule
    ]


def _two(each: Candidate, name: str, named: Frictions) -> tuple[float | None, float | None]:
    """The numbers of both shapes, by the first name that has one: shape, link, body."""
    found = []
    sides = (
        (each.surface, (each.shape, each.link, each.body)),
        (each.other_surface, (each.other_shape, each.other_link, each.other_body)),
    )
    for surface, names in sides:
        by_name = (named[key] for key in names if key in named)
        found.append(next(by_name, getattr(surface, name)))
    return found[0], found[1]


def _of_pair(each: Candidate, pairs: PairFrictions) -> float | None:
    for (a, b), value in pairs.items():
        first = {each.shape, each.link, each.body}
        second = {each.other_shape, each.other_link, each.other_body}
        if (a in first and b in second) or (b in first and a in second):
            return value
    return None


def _check_names(candidates: Sequence[Candidate], rubbing: Rubbing) -> None:
    if not rubbing.named and not rubbing.pairs:
        return
    known: dict[str, None] = {}
    for each in candidates:
        own = (each.shape, each.link, each.body)
        known |= dict.fromkeys((*own, each.other_shape, each.other_link, each.other_body))
    for what, named in rubbing.named.items():
        _check_known(what, named, {name: None for name in known if name != GROUND})
        for key, value in named.items():
            surface_number(what, value, f"{what} of {key!r}")
    for pair, value in rubbing.pairs.items():
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise ValueError(f"pairs has {pair!r}, must be pairs of names with their friction")
        _check_known("pairs", pair, known | {GROUND: None})
        surface_number("friction", value, f"pairs {pair!r}")


def _check_known(what: str, names: Iterable[str], known: Mapping[str, None]) -> None:
    for name in names:
        if name not in known:
            message = f"{what}: no shape, link or body that may touch is called {name!r}"
            raise UnknownNameError(message + suggestion(name, known))

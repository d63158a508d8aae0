"""Intermediate results: expressions stay small, and what is used twice is computed once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

import sympy

Expression = Any


class Steps:
    """Names for expressions, in the order in which they were met."""

    def __init__(self) -> None:
        self._names: dict[Expression, Expression] = {}
        self._values: dict[Expression, Expression] = {}

    def share(self, value: Expression) -> Expression:
        """Return a number or a symbol as it is, and a name, or a multiple of one, for others."""
        factor, rest = sympy.sympify(value).as_coeff_Mul()
        if _is_plain(rest):
            return value
        if rest not in self._names:
            self._names[rest] = self._name(rest)
        return factor * self._names[rest]

    def _name(self, value: Expression) -> Expression:
        """Return a new name; parts of a large expression have names of their own."""
        if not all(map(_is_small, value.args)):
            return self.share(value.func(*map(self.share, value.args)))
        if value.is_Add and -value in self._names:
            return -self._names[-value]
        name = sympy.Dummy("x", real=True)
        self._values[name] = value
        return name

    def program(
        self, results: list[Expression]
    ) -> tuple[list[tuple[Expression, Expression]], list[Expression]]:
        """Return assignments to x0, x1, … and the results in terms of these.

        What is used only once stands where it is used.
        """
        uses: Counter[Expression] = Counter()
        needed = self._needed(results)
        for value in (*results, *(self._values[name] for name in needed)):
            uses.update(node for node in sympy.preorder_traversal(value) if node in self._values)
        known: dict[Expression, Expression] = {}
        steps: list[tuple[Expression, Expression]] = []
        for name in needed:
            value = self._values[name].xreplace(known)
            if uses[name] > 1:
                known[name] = sympy.Symbol(f"x{len(steps)}")
                steps.append((known[name], value))
            else:
                known[name] = value
        return steps, [result.xreplace(known) for result in results]

    def _needed(self, results: Iterable[Expression]) -> list[Expression]:
        """Return the names that results depend on, each after those that it depends on."""
        found: set[Expression] = set()
        waiting = list(results)
        while waiting:
            symbols = waiting.pop().free_symbols
            new = [name for name in symbols if name in self._values and name not in found]
            found.update(new)
            waiting += [self._values[name] for name in new]
        return [name for name in self._values if name in found]


def _is_plain(value: Expression) -> bool:
    return bool(value.is_Atom or value.is_number)


def _is_small(value: Expression) -> bool:
    operation = value.is_Mul or value.is_Pow
    return _is_plain(value) or bool(operation and all(map(_is_plain, value.args)))

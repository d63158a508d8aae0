"""Source code in C and in Python: intermediate results first, then results."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import sympy
from sympy.printing.c import C99CodePrinter
from sympy.printing.numpy import NumPyPrinter


@dataclass(frozen=True)
class Program:
    """A function as a list of assignments, in symbols such as q[0]; results row by row."""

    name: str
    arguments: Mapping[str, int]
    steps: Sequence[tuple[Any, Any]]
    results: Sequence[Any]
    shape: tuple[int, ...]

    @classmethod
    def of(
        cls,
        name: str,
        arguments: Mapping[str, Sequence[Any]],
        steps: Sequence[tuple[Any, Any]],
        results: Sequence[Any],
        shape: tuple[int, ...],
    ) -> Program:
        """Write the symbols of each argument as elements of an array."""
        inputs = {
            symbol: sympy.Symbol(f"{key}[{i}]")
            for key, symbols in arguments.items()
            for i, symbol in enumerate(symbols)
        }
        return cls(
            name,
            {key: len(symbols) for key, symbols in arguments.items()},
            [(symbol, value.xreplace(inputs)) for symbol, value in steps],
            [value.xreplace(inputs) for value in results],
            shape,
        )

    def unused(self) -> list[str]:
        """Return the arguments on which neither steps nor results depend."""
        values = [*(value for _, value in self.steps), *self.results]
        found = {symbol.name.partition("[")[0] for x in values for symbol in x.free_symbols}
        return [key for key in self.arguments if key not in found]

    def entries(self) -> Iterator[tuple[int, tuple[int, ...], Any]]:
        """Return number, index and value of the results that are not zero."""
        indices = product(*map(range, self.shape))
        for number, (index, value) in enumerate(zip(indices, self.results, strict=True)):
            if value != 0:
                yield number, index, value


def c_code(model: str, programs: Sequence[Program]) -> str:
    """Return C functions with pointers to their arguments and to the result."""
    printer = C99CodePrinter({"math_macros": {}})
    lines = [
        f"/* Equations of motion of {_plain(model)}, written by Tarsus. */",
        "#include <math.h>",
    ]
    for program in programs:
        sizes = [f"{key} ({size})" for key, size in program.arguments.items()]
        size, shape = math.prod(program.shape), " x ".join(map(str, program.shape))
        inputs = [f"const double *{key}" for key in program.arguments]
        lines += [
            "",
            f"/* {program.name} ({shape}, row by row) of {', '.join(sizes)} */",
            f"void {program.name}({', '.join([*inputs, 'double *result'])}) {{",
            # compilers warn of arguments on which nothing depends
            *(f"    (void){key};" for key in program.unused()),
            *(f"    const double {x} = {printer.doprint(value)};" for x, value in program.steps),
            f"    for (int i = 0; i < {size}; ++i) result[i] = 0.0;",
            *(f"    result[{i}] = {printer.doprint(x)};" for i, _, x in program.entries()),
            "}",
        ]
    return "\n".join([*lines, ""])


def python_code(model: str, programs: Sequence[Program]) -> str:
    """Return Python functions of arrays with leading batch dimensions."""
    printer = NumPyPrinter()
    lines = [
        f'"""Equations of motion of {_plain(model)}, written by Tarsus."""',
        "",
        "import numpy",
    ]
    for program in programs:
        shape = ", ".join(map(str, program.shape))
        sizes = [f"{key} (…, {size})" for key, size in program.arguments.items()]
        lines += ["", "", f"def {program.name}({', '.join(program.arguments)}):"]
        lines += [f'    """Return the {program.name} (…, {shape}) for {", ".join(sizes)}."""']
        for key, size in program.arguments.items():
            wrong = f"{key} must have shape (…, {size}), got {{{key}.shape}}"
            lines += [
                f"    {key} = numpy.asarray({key}, dtype=float)",
                f"    if {key}.shape[-1:] != ({size},):",
                f'        raise ValueError(f"{wrong}")',
                f"    {key} = numpy.moveaxis({key}, -1, 0)",
            ]
        shapes = ", ".join(f"{key}.shape[1:]" for key in program.arguments)
        lines += [f"    {x} = {printer.doprint(value)}" for x, value in program.steps]
        lines += [f"    lead = numpy.broadcast_shapes({shapes})"]
        lines += [f"    result = numpy.zeros((*lead, {shape}))"]
        for _, index, value in program.entries():
            place = ", ".join(map(str, index))
            lines += [f"    result[..., {place}] = {printer.doprint(value)}"]
        lines += ["    return result"]
    return "\n".join([*lines, ""])


LANGUAGES: Mapping[str, Callable[[str, Sequence[Program]], str]] = {
    "C": c_code,
    "python": python_code,
}


def _plain(name: str) -> str:
    """Return a name without what could end a comment or a string."""
    return "".join(character for character in name if character not in '*/"\\\n\r')

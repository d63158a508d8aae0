"""Damage to files and data: bytes, words and entries in the place of others, or none at all."""

from __future__ import annotations

import copy
import random
import re
from collections.abc import Iterator
from typing import Any

WORDS = [
    *("", "0", "-1", "1", "nan", "inf", "-inf", "1e308", "-1e308", "1e-320", "1e400", "-0.0"),
    *("2147483648", "9223372036854775808", "99999999999999999999999999", "0x10", "1_000"),
    *("0 0 0", "1 2", "nan nan nan", "x", "world", "true", "null", "[]", "{}", "[[]]", '""'),
    *("../..", "/etc/passwd", "a" * 3000, "\u00fc", "\ufeff", "mesh", "free", "fixed"),
]
VALUES: list[Any] = [
    *(None, True, False, 0, 1, -1, 0.5, -0.0, 1e308, float("inf"), float("nan"), 2**31, 2**63),
    *(10**30, "", "x", "world", "../..", "a" * 3000, [], {}, [[]], [0.0], [None], [[0.0], 0.0]),
    *({"": 0}, {"x": []}, [0.0] * 3, ["x"] * 3, [[1.0, 0.0], [0.0]]),
]
TOKENS = re.compile(r'"[^"\n]*"|[\w.+-]+|[^\w\s]')


def damaged_bytes(data: bytes, randomness: random.Random) -> bytes:
    """Return bytes with some flipped, cut off, doubled, moved, or set to a limit."""
    data = bytearray(data or b"\0")
    for _ in range(randomness.choice((1, 1, 2, 5, 20))):
        first, second = sorted(randomness.randrange(len(data) + 1) for _ in range(2))
        second = min(second, first + randomness.choice((1, 4, 16, 4096)))
        way = randomness.randrange(7)
        if way == 0 and first < len(data):
            data[first] ^= 1 << randomness.randrange(8)
        elif way == 1:
            data[first:second] = randomness.randbytes(second - first)
        elif way == 2:
            data[first:first] = data[first:second]
        elif way == 3:
            del data[first:second]
        elif way == 4:
            limit = randomness.choice((b"\0", b"\xff", b"\x7f", b"\x80"))
            data[first:second] = limit * (second - first)
        elif way == 5 and randomness.randrange(4) == 0:
            del data[first:]
        else:
            part = data[first:second]
            del data[first:second]
            place = randomness.randrange(len(data) + 1)
            data[place:place] = part
        data = data or bytearray(b"\0")
    return bytes(data)


def damaged_text(data: bytes, randomness: random.Random) -> bytes:
    """Return a text with tokens replaced, removed, doubled or swapped; sometimes bytes instead."""
    if randomness.randrange(5) == 0:
        return damaged_bytes(data, randomness)
    text = data.decode(errors="replace")
    for _ in range(randomness.choice((1, 1, 1, 2, 5))):
        tokens = list(TOKENS.finditer(text))
        if not tokens:
            break
        # a value in the place of another goes deeper into a reader than a bracket does
        kind = _kind(randomness.choice(tokens)) if randomness.randrange(4) else None
        alike = [token for token in tokens if kind in (None, _kind(token))]
        first, second = sorted(randomness.choices(alike, k=2), key=re.Match.start)
        one, other = first[0], second[0]
        way = randomness.randrange(5)
        if way == 0 and first.end() <= second.start():
            between = text[first.end() : second.start()]
            text = text[: first.start()] + other + between + one + text[second.end() :]
            continue
        word = randomness.choice(WORDS)
        quoted = f'"{word}"' if one.startswith('"') else word
        new = ("", other, one * 2, quoted, f"{one} {other}")[way]
        text = text[: first.start()] + new + text[first.end() :]
    return text.encode(errors="surrogatepass")


def _kind(token: re.Match[str]) -> str:
    """Whether a token is quoted, a number, a word, or something between them."""
    first = token[0][0]
    return "0" if first in "0123456789+-." else "a" if first.isalpha() else first


def damaged_data(data: Any, randomness: random.Random) -> Any:
    """Return nested lists and mappings with entries replaced, removed, doubled or swapped."""
    data = copy.deepcopy(data)
    for _ in range(randomness.choice((1, 1, 1, 3))):
        places = list(_places(data))
        if not places:
            return randomness.choice(VALUES)
        (holder, key), (other, second) = randomness.choice(places), randomness.choice(places)
        way = randomness.randrange(4)
        if way == 0:
            holder[key] = copy.deepcopy(randomness.choice(VALUES))
        elif way == 1:
            holder[key] = copy.deepcopy(other[second])
        elif way == 2:
            del holder[key]
        elif isinstance(holder, list):
            holder.insert(key, copy.deepcopy(holder[key]))
        else:
            holder[randomness.choice(WORDS)] = holder[key]
    return data


def _places(data: Any) -> Iterator[tuple[Any, Any]]:
    """Yield where entries are: what holds them, and their key."""
    waiting = [data]
    while waiting:
        holder = waiting.pop()
        if isinstance(holder, dict | list):
            keys = list(holder) if isinstance(holder, dict) else range(len(holder))
            yield from ((holder, key) for key in keys)
            waiting += [holder[key] for key in keys]

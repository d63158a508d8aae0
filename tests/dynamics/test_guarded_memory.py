"""Builds with AddressSanitizer (`make sanitize`) see what goes wrong inside work memory."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from processes import ran

import tarsus as ts

core: Any = ts._core  # type: ignore[attr-defined]
pytestmark = pytest.mark.skipif(
    not hasattr(core, "_element_of_scratch"), reason="only in builds with AddressSanitizer"
)


def killed_by(call: str) -> str:
    """Return what AddressSanitizer says about a call, which must end the process."""
    done = ran(f"import tarsus as ts\nts._core.{call}\nprint('not seen')")
    assert done.returncode != 0 and not done.stdout, done.stdout
    return done.stderr


@pytest.mark.parametrize("count", [1, 5, 8, 64])
def test_numbers_that_nobody_has_set_are_not_numbers(count: int) -> None:
    assert math.isnan(core._element_of_scratch(count, count - 1))


@pytest.mark.parametrize("count", [1, 5, 8, 64])
@pytest.mark.parametrize("beyond", [0, 1, 15])
def test_an_overrun_into_the_next_block_is_seen(count: int, beyond: int) -> None:
    """Both blocks are parts of one piece of memory, of which the sanitizer alone knows nothing."""
    assert "use-after-poison" in killed_by(f"_element_of_scratch({count}, {count + beyond})")


def test_memory_that_was_given_back_is_not_used() -> None:
    assert "heap-use-after-free" in killed_by("_read_after_return()")


@pytest.mark.parametrize("helpers", [1, 3])
def test_what_is_thrown_in_a_thread_reaches_the_caller(helpers: int) -> None:
    """The process goes on, and so do the threads."""
    model = ts.robots.chain(4)
    q = np.random.default_rng(0).normal(size=(3000, 4))
    expected = model.mass_matrix(q).tobytes()
    for _ in range(20):
        assert 1 <= core._throw_in_threads(helpers) <= helpers
        assert model.mass_matrix(q, threads=helpers + 1).tobytes() == expected

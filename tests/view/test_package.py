"""The package of pictures beside the function of the same name, and what it may not load."""

from __future__ import annotations

import subprocess
import sys

from tarsus.simulation.contact_record import STATES
from tarsus.view import plots, view
from tarsus.view.frame_sequence import STATE_COLORS

SLOW = ("matplotlib", "scipy", "websockets", "PIL", "trimesh")


def test_the_function_stands_in_front_of_the_package() -> None:
    import tarsus.view

    assert tarsus.view is view
    assert plots.__name__ == "tarsus.view.plots"


def test_every_state_of_a_contact_has_a_colour() -> None:
    assert tuple(STATE_COLORS) == STATES


def test_importing_tarsus_loads_nothing_that_is_slow() -> None:
    code = f"import sys, tarsus; print([name for name in {SLOW} if name in sys.modules])"
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120
    )
    assert found.stdout.strip() == "[]"

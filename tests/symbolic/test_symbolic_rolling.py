"""Every body and every ground that roll, in symbols: rates and mass matrices of the core."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy

import tarsus as ts

PAIRS: list[tuple[tuple[str, tuple[float, ...]], tuple[str, tuple[float, ...]]]] = [
    (("sphere", (0.3,)), ("sphere", (3.0,))),
    (("ellipsoid", (0.3, 0.2, 0.25)), ("plane", ())),
    (("disc", (0.3,)), ("ellipsoid", (3.0, 2.5, 2.0))),
    (("torus", (0.3, 0.1)), ("paraboloid", (-0.1, -0.3))),
    (("sphere", (0.3,)), ("sinusoid", (0.05, 0.6))),
]


@pytest.mark.parametrize(("body", "ground"), PAIRS)
def test_rates_and_masses(body: Any, ground: Any) -> None:
    surfaces = [{"kind": kind, "numbers": numbers} for kind, numbers in (body, ground)]
    b = ts.Builder("rolling").body("body", 2.0, (0.1, 0.0, -0.2), (0.2, 0.3, 0.4))
    b.joint("root", "rolling", "world", "body", surface=surfaces[0], ground=surfaces[1])
    model = b.build()
    s, rng = model.symbolic(), np.random.default_rng(0)
    rate = sympy.lambdify([*s.q, *s.v], list(s.configuration_rate), cse=True)
    mass = sympy.lambdify([*s.q], s.mass_matrix.tolist(), cse=True)
    for q in model.random_configuration(rng, 5):
        v = rng.normal(size=3)
        assert np.allclose(rate(*q, *v), model.configuration_rate(q, v), rtol=1e-11, atol=1e-12)
        assert np.allclose(mass(*q), model.mass_matrix(q), rtol=1e-11, atol=1e-12)

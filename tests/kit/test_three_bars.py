"""Three bars in four descriptions (Schröder 1990, section 7.4), against planar mechanics."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.integrate
from kits import BAR, accelerations, three_bars

import tarsus as ts
from tarsus._lib.files import Array

BARS = ["left", "middle", "right"]
ROOTS = {"left": "left", "right": "right", "middle": "middle", "chosen": None}


def moving(kit: ts.Model) -> tuple[Array, Array]:
    """Return all bars in line and at rest but for the right one, which turns at 0.1 rad/s."""
    v = np.zeros(kit.nv)
    part = kit.joint("right_free").v_slice
    v[part] = (0.0, 0.4, 0.0, 0.0, 0.0, 0.1)  # its pin, four metres back, is at rest
    return kit.neutral(), v


def planar(angles: Array, rates: Array) -> Array:
    """Return x, y and angle accelerations (3, 3) of bars in a plane, by Lagrange multipliers."""
    mass = np.diag([1.0, 1.0, BAR["inertia"][2]] * 3)
    rows, bias = np.zeros((4, 9)), np.zeros(4)
    for pin, (a, b) in enumerate(((0, 1), (1, 2))):
        for body, sign in ((a, 1.0), (b, -1.0)):
            arm = sign * 4.0 * np.array([np.cos(angles[body]), np.sin(angles[body])])
            mine = slice(2 * pin, 2 * pin + 2)
            rows[mine, 3 * body : 3 * body + 2] = sign * np.eye(2)
            rows[mine, 3 * body + 2] = sign * np.array([-arm[1], arm[0]])
            bias[mine] -= sign * arm * rates[body] ** 2
    matrix = np.block([[mass, rows.T], [rows, np.zeros((4, 4))]])
    found = np.linalg.solve(matrix, np.concatenate([np.zeros(9), -bias]))
    return found[:9].reshape(3, 3)


@pytest.mark.parametrize("root", ROOTS)
def test_accelerations_agree_in_all_descriptions(root: str) -> None:
    kit = three_bars()
    whole = ts.assemble(kit, *moving(kit), root=ROOTS[root])
    assert whole.roots == ("middle" if root == "chosen" else root,)
    found = accelerations(whole.model, whole.q, whole.v, BARS)
    wanted = planar(np.zeros(3), np.array([0.0, 0.0, 0.1]))
    error = np.abs(found[:, [0, 1, 5]] - wanted).max()
    out_of_plane = np.abs(found[:, [2, 3, 4]]).max()
    own = np.abs(found - accelerations(kit, *moving(kit), BARS)).max()
    print(f"{error:.1e}, out of the plane {out_of_plane:.1e}, from the kit {own:.1e}")
    assert max(error, out_of_plane, own) < 1e-12


@pytest.mark.parametrize("root", ROOTS)
def test_the_middle_bar_after_one_second(root: str) -> None:
    kit = three_bars()
    whole = ts.assemble(kit, *moving(kit), root=ROOTS[root])
    model = whole.model

    def rate(t: float, y: Array) -> Array:
        q, v = np.split(y, [model.nq])
        a = model.forward_dynamics(q, v, np.zeros(model.nv))
        return np.concatenate([model.configuration_rate(q, v), a])

    start = np.concatenate([whole.q, whole.v])
    run = scipy.integrate.solve_ivp(
        rate, (0.0, 1.0), start, method="DOP853", rtol=1e-11, atol=1e-12
    )
    q, v = np.split(run.y[:, -1], [model.nq])
    found = model.frame_velocity(q, v, "middle")
    print(f"ω_z {found[5]:.7e}, v {found[0]:.7e} {found[1]:.6e}")
    assert found[5] == pytest.approx(3.192743e-4, rel=1e-6)
    assert found[0] == pytest.approx(1.3266748e-2, rel=1e-6)
    assert found[1] == pytest.approx(9.180747e-4, rel=1e-6)
    assert model.kinetic_energy(q, v) == pytest.approx(0.12208333, rel=1e-7)

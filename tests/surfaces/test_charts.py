"""Charts of surfaces: derivatives against differences, curvatures against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from saddle import SADDLE

from tarsus._lib.files import Array
from tarsus.geometry import surfaces as sf

SURFACES = (
    sf.Sphere(0.7),
    sf.Ellipsoid(1.0, 0.7, 0.5),
    sf.Disc(0.4),
    sf.Cylinder(0.3),
    sf.Torus(0.8, 0.25),
    sf.Plane(),
    sf.Paraboloid(0.6, -0.4),
    sf.Sinusoid(0.1, 0.8),
    SADDLE,
)
SMOOTH = tuple(s for s in SURFACES if not isinstance(s, sf.Disc))
named = pytest.mark.parametrize("surface", SURFACES, ids=lambda s: type(s).__name__)
smooth = pytest.mark.parametrize("surface", SMOOTH, ids=lambda s: type(s).__name__)


def places(count: int = 40) -> Array:
    return np.random.default_rng(1).uniform(-0.9, 0.9, (count, 2))


def slope(function, u: Array, step: float = 1e-5) -> Array:  # type: ignore[no-untyped-def]
    """Central differences by both coordinates, as a last axis."""
    columns = [(function(u + step * e) - function(u - step * e)) / (2 * step) for e in np.eye(2)]
    return np.stack(columns, axis=-1)


@named
def test_derivatives_are_those_of_the_chart(surface: sf.Surface) -> None:
    u = places()
    for name, derived in (
        ("point", "tangents"),
        ("tangents", "second_derivatives"),
        ("normal", "normal_derivatives"),
    ):
        off = np.abs(slope(getattr(surface, name), u) - getattr(surface, derived)(u)).max()
        print(f"{type(surface).__name__:12} {derived:20} {off:.1e}")
        assert off < 1e-8


@named
def test_normals_are_unit_vectors_across_the_tangents(surface: sf.Surface) -> None:
    u = places()
    n, t = surface.normal(u), surface.tangents(u)
    assert np.abs(np.linalg.norm(n, axis=-1) - 1).max() < 1e-14
    assert np.abs(np.einsum("ni,nij->nj", n, t)).max() < 1e-14
    if not isinstance(surface, sf.Disc):  # out of the solid: along the cross product
        assert (np.einsum("ni,ni->n", n, np.cross(t[..., 0], t[..., 1])) > 0).all()


@smooth
def test_the_shape_operator_turns_normals_with_their_points(surface: sf.Surface) -> None:
    u, rate = places(), np.array([0.3, -0.8])
    operator = surface.shape_operator(u)
    step = 1e-5
    moved = (surface.normal(u + step * rate) - surface.normal(u - step * rate)) / (2 * step)
    velocity = surface.tangents(u) @ rate
    assert np.abs((operator @ velocity[..., None])[..., 0] - moved).max() < 1e-8
    assert np.abs(operator - np.swapaxes(operator, -1, -2)).max() < 1e-12
    assert np.abs(operator @ surface.normal(u)[..., None]).max() < 1e-12


def test_curvatures_of_textbooks() -> None:
    u = places()
    assert np.allclose(sf.Sphere(0.7).principal_curvatures(u), 1 / 0.7, atol=1e-13)
    assert np.allclose(sf.Cylinder(0.3).principal_curvatures(u), [0, 1 / 0.3], atol=1e-13)
    tube = np.cos(u[:, 1]) / (0.8 + 0.25 * np.cos(u[:, 1]))
    found = sf.Torus(0.8, 0.25).principal_curvatures(u)
    assert np.allclose(found, np.column_stack([tube, np.full(len(u), 4.0)]), atol=1e-12)
    # Gauss' curvature of z = a x² + b y², by its formula
    a, b = 0.6, -0.4
    gauss = 4 * a * b / (1 + 4 * a**2 * u[:, 0] ** 2 + 4 * b**2 * u[:, 1] ** 2) ** 2
    assert np.allclose(sf.Paraboloid(a, b).principal_curvatures(u).prod(axis=-1), gauss, atol=1e-13)
    # a bowl is hollow, a hill is not
    assert (sf.Paraboloid(1, 1).principal_curvatures(u) < 0).all()
    disc = sf.Disc(0.4).principal_curvatures([[0.3, 0.0]])
    assert disc.tolist() == [[2.5, np.inf]]


def test_the_gauss_map_of_the_sinusoidal_ground() -> None:
    """Duindam 2006, (3.11), with the sign of its second entry that unit vectors need."""
    amplitude, f = 0.1, 0.8
    u = places()
    y = u[:, 1]
    c = 2 * np.pi * amplitude * f * np.cos(2 * np.pi * f * y)
    zero = np.zeros_like(y)
    golden = 4 * np.pi**2 * amplitude * f**2 / (1 + c**2) ** 1.5
    golden = golden[:, None] * np.column_stack(
        [zero, np.sin(2 * np.pi * f * y), np.pi * amplitude * f * np.sin(4 * np.pi * f * y)]
    )
    surface = sf.Sinusoid(amplitude, f)
    normal = np.column_stack([zero, -c, np.ones_like(y)]) / np.sqrt(1 + c**2)[:, None]
    assert np.abs(surface.normal(u) - normal).max() < 1e-14
    assert np.abs(surface.normal_derivatives(u)[..., 1] - golden).max() < 1e-13
    assert np.abs(surface.normal_derivatives(u)[..., 0]).max() < 1e-14


@pytest.mark.parametrize("pole", [np.pi / 2, -np.pi / 2])
def test_poles_of_an_ellipsoid_are_points_as_others(pole: float) -> None:
    body, u = sf.Ellipsoid(1.0, 0.7, 0.5), np.array([0.4, pole])
    assert np.allclose(body.normal(u), [0, 0, np.sign(pole)], atol=1e-15)
    # at the end of an axis, curvatures are rz / rx² and rz / ry²
    assert np.allclose(body.principal_curvatures(u), [0.5, 0.5 / 0.49], atol=1e-12)
    moves, turns = body.moves(u)
    assert np.linalg.matrix_rank(moves) == 2
    step = np.array([1e-6, -2e-6])
    there = body.moved(u, step)
    assert np.abs(body.point(there) - body.point(u) - moves @ step).max() < 1e-11
    assert np.abs(body.normal(there) - body.normal(u) - turns @ step).max() < 1e-11


@named
def test_many_places_at_once_are_the_same_as_one_by_one(surface: sf.Surface) -> None:
    u = places(6).reshape(2, 3, 2)
    names = ["point", "tangents", "second_derivatives", "normal", "normal_derivatives"]
    if not isinstance(surface, sf.Disc):
        names += ["shape_operator", "principal_curvatures"]
    for name in names:
        many = getattr(surface, name)(u)
        one = getattr(surface, name)(u[1, 2])
        assert many.shape == (2, 3, *one.shape)
        assert np.allclose(many[1, 2], one, rtol=1e-14, atol=1e-15)


def test_numbers_are_what_was_stated() -> None:
    assert sf.Sphere(0.7).numbers == (0.7,)
    assert sf.Ellipsoid(3, 2, 1).numbers == (3.0, 2.0, 1.0)
    assert sf.Torus(0.8, 0.25).numbers == (0.8, 0.25)
    assert sf.Sphere(0.7) == sf.Sphere(0.7) != sf.Sphere(0.8)
    assert repr(sf.Sphere(0.7)) == "Sphere(radius=0.7)"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: sf.Sphere(0.0), "radius is 0.0, must be above zero"),
        (lambda: sf.Ellipsoid(1.0, -1.0, 1.0), "ry is -1.0, must be above zero"),
        (lambda: sf.Ellipsoid(1.0, np.nan, 1.0), "ry is not finite"),
        (lambda: sf.Torus(0.2, 0.3), "r is 0.3, must be less than R"),
        (lambda: sf.Sinusoid(0.1, 0.0), "frequency is 0.0"),
        (lambda: sf.Paraboloid("x", 1.0), "a is not an array of numbers"),
        (lambda: sf.Sphere(1.0).point([1.0, 2.0, 3.0]), r"u has shape \(3,\), must be \(…, 2\)"),
        (lambda: sf.Disc(1.0).shape_operator([0.0, 0.0]), "has no shape operator"),
    ],
)
def test_what_is_no_surface_is_an_error(make, message: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ValueError, match=message):
        make()

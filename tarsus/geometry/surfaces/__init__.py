"""Smooth surfaces: charts, normals, curvatures, and where two of them are nearest."""

from tarsus.geometry.surfaces.closest import ClosestPoints, NoClosestPointsError, closest_points
from tarsus.geometry.surfaces.graphs import Graph, Paraboloid, Plane, Sinusoid
from tarsus.geometry.surfaces.round import Cylinder, Disc, Ellipsoid, Sphere, Torus
from tarsus.geometry.surfaces.surface import Parametric, Surface
from tarsus.geometry.surfaces.tracking import (
    ContactRates,
    OverPlane,
    Track,
    contact_rates,
    over_plane,
    track,
)

__all__ = [
    "ClosestPoints",
    "ContactRates",
    "Cylinder",
    "Disc",
    "Ellipsoid",
    "Graph",
    "NoClosestPointsError",
    "OverPlane",
    "Paraboloid",
    "Parametric",
    "Plane",
    "Sinusoid",
    "Sphere",
    "Surface",
    "Torus",
    "Track",
    "closest_points",
    "contact_rates",
    "over_plane",
    "track",
]

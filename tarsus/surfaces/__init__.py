"""Smooth surfaces: charts, normals, curvatures, and where two of them are nearest."""

from tarsus.surfaces.cylinder import Cylinder
from tarsus.surfaces.disc import Disc
from tarsus.surfaces.ellipsoid import Ellipsoid
from tarsus.surfaces.graph import Graph
from tarsus.surfaces.over_plane import OverPlane, over_plane
from tarsus.surfaces.paraboloid import Paraboloid
from tarsus.surfaces.parametric import Parametric
from tarsus.surfaces.plane import Plane
from tarsus.surfaces.rates import ContactRates, contact_rates
from tarsus.surfaces.search import ClosestPoints, NoClosestPointsError, closest_points
from tarsus.surfaces.sinusoid import Sinusoid
from tarsus.surfaces.sphere import Sphere
from tarsus.surfaces.surface import Surface
from tarsus.surfaces.torus import Torus
from tarsus.surfaces.track import Track, track

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

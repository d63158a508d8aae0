"""Geometry: grounds, what of a model can touch, and volumes whose distances are kept."""

from tarsus.formats.side_files import DisabledPair, SemanticFile, load_srdf, save_srdf
from tarsus.geometry.collision import Collision
from tarsus.geometry.contact_candidates import Candidate
from tarsus.geometry.distances import (
    Distances,
    LinkPair,
    NearestPoints,
    NearPairs,
    PairChoice,
    choose_pairs,
    link_pairs,
)
from tarsus.geometry.fitting.fit import FitReport, Fitted, LinkFit, fit
from tarsus.geometry.ground_placement import clear_posture, height_over_ground, stand
from tarsus.geometry.grounds import Ground, SmoothGround, Space, Terrain
from tarsus.geometry.height_field import HeightField, Profile, Steps
from tarsus.geometry.swept_spheres import SweptDistance, SweptSphere, swept_distance
from tarsus.geometry.volume_draft import VolumeDraft
from tarsus.geometry.volumes import Volumes

__all__ = [
    "Candidate",
    "Collision",
    "DisabledPair",
    "Distances",
    "FitReport",
    "Fitted",
    "Ground",
    "HeightField",
    "LinkFit",
    "LinkPair",
    "NearPairs",
    "NearestPoints",
    "PairChoice",
    "Profile",
    "SemanticFile",
    "SmoothGround",
    "Space",
    "Steps",
    "SweptDistance",
    "SweptSphere",
    "Terrain",
    "VolumeDraft",
    "Volumes",
    "choose_pairs",
    "clear_posture",
    "fit",
    "height_over_ground",
    "link_pairs",
    "load_srdf",
    "save_srdf",
    "stand",
    "swept_distance",
]

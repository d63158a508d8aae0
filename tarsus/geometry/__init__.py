"""Geometry: grounds, what of a model can touch, and volumes whose distances are kept."""

from tarsus.formats.srdf import DisabledPair, SemanticFile, load_srdf, save_srdf
from tarsus.geometry.candidates import Candidate
from tarsus.geometry.clearing import clear_posture
from tarsus.geometry.collision import Collision
from tarsus.geometry.distances import Distances, NearestPoints, NearPairs
from tarsus.geometry.fitting import FitReport, Fitted, LinkFit, fit
from tarsus.geometry.ground import Ground
from tarsus.geometry.height_field import HeightField
from tarsus.geometry.link_pairs import LinkPair, link_pairs
from tarsus.geometry.pair_choice import PairChoice, choose_pairs
from tarsus.geometry.pair_distance import SweptDistance, swept_distance
from tarsus.geometry.profile import Profile
from tarsus.geometry.smooth_ground import SmoothGround
from tarsus.geometry.space import Space
from tarsus.geometry.standing import height_over_ground, stand
from tarsus.geometry.steps import Steps
from tarsus.geometry.swept_sphere import SweptSphere
from tarsus.geometry.terrain import Terrain
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

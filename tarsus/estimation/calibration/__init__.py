"""Calibration: encoders that know where they are, and machines whose errors are found.

from tarsus import calibration as cal

encoders = cal.Encoders(arm)
experiment = cal.Experiment(encoders, cal.Pose("hand"), cal.chain_parameters(arm, "hand"))
found = cal.identify(experiment, readings, poses)
"""

from tarsus.estimation.calibration.encoders import Encoders, Homed, HomingSearch, home
from tarsus.estimation.calibration.experiment import Experiment
from tarsus.estimation.calibration.identify import Identified, identify
from tarsus.estimation.calibration.jig import Disagreement, Jig, JigOffsets
from tarsus.estimation.calibration.measures import Distance, JointPosition, Pose, Position
from tarsus.estimation.calibration.parameters import (
    EncoderGain,
    EncoderOffset,
    FrameError,
    JointError,
    LoopError,
    chain_parameters,
)
from tarsus.estimation.calibration.poses import Selection, observability, select_poses
from tarsus.estimation.observability import Combination, Observability

__all__ = [
    "Combination",
    "Disagreement",
    "Distance",
    "EncoderGain",
    "EncoderOffset",
    "Encoders",
    "Experiment",
    "FrameError",
    "Homed",
    "HomingSearch",
    "Identified",
    "Jig",
    "JigOffsets",
    "JointError",
    "JointPosition",
    "LoopError",
    "Observability",
    "Pose",
    "Position",
    "Selection",
    "chain_parameters",
    "home",
    "identify",
    "observability",
    "select_poses",
]

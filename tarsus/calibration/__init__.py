"""Calibration: encoders that know where they are, and machines whose errors are found.

from tarsus import calibration as cal

encoders = cal.Encoders(arm)
experiment = cal.Experiment(encoders, cal.Pose("hand"), cal.chain_parameters(arm, "hand"))
found = cal.identify(experiment, readings, poses)
"""

from tarsus.calibration.encoders import Encoders
from tarsus.calibration.experiment import Experiment
from tarsus.calibration.homing import Homed, HomingSearch, home
from tarsus.calibration.identified import Identified
from tarsus.calibration.identify import identify
from tarsus.calibration.jig import Disagreement, Jig, JigOffsets
from tarsus.calibration.joint_measure import JointPosition
from tarsus.calibration.measures import Distance, Pose, Position
from tarsus.calibration.observability import Combination, Observability
from tarsus.calibration.parameters import (
    EncoderGain,
    EncoderOffset,
    FrameError,
    JointError,
    LoopError,
    chain_parameters,
)
from tarsus.calibration.pose_observability import observability
from tarsus.calibration.selection import Selection, select_poses

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

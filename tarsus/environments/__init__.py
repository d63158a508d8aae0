"""Gymnasium environments on the batched core: one robot, or thousands in lanes.

import gymnasium, tarsus.environments

env = gymnasium.make("tarsus/Robot-v0", model="solo12", task="trot")
envs = tarsus.environments.RobotVectorEnv("solo12", "trot", num_envs=1024)
"""

from __future__ import annotations

try:
    import gymnasium
except ModuleNotFoundError:
    message = "environments need gymnasium: pip install 'tarsus[rl]'"
    raise ModuleNotFoundError(message, name="gymnasium") from None

from tarsus.environments.actions import Action, ActuatorControls, JointEfforts, JointTargets
from tarsus.environments.command import Command
from tarsus.environments.curriculum import Curriculum
from tarsus.environments.ending_terms import Tilted, TooFast, TooLow
from tarsus.environments.observation_terms import (
    BaseHeight,
    BaseVelocity,
    Clock,
    CommandedVelocity,
    FeetForces,
    FeetHeights,
    Gravity,
    GroundScan,
    JointPositions,
    JointVelocities,
    LastAction,
    Noisy,
)
from tarsus.environments.ray_vector_env import RayVectorEnv
from tarsus.environments.residual_task import ResidualTask
from tarsus.environments.reward import Outcome, WalkReward
from tarsus.environments.reward_terms import (
    ActionRate,
    Alive,
    Energy,
    FootClearance,
    HeightKept,
    PoseKept,
    Progress,
    Trot,
    TurnTracking,
    Upright,
    VelocityTracking,
)
from tarsus.environments.robot_env import RobotEnv
from tarsus.environments.robot_lanes import RobotLanes
from tarsus.environments.robot_task import RobotTask
from tarsus.environments.robot_tasks import TASKS, robot_task
from tarsus.environments.robot_vector_env import RobotVectorEnv
from tarsus.environments.sensed_term import Sensed
from tarsus.environments.task import WalkTask
from tarsus.environments.variations import (
    Friction,
    Gains,
    Masses,
    Pushes,
    StartAngles,
    Variation,
)
from tarsus.environments.walk import WalkEnv
from tarsus.environments.walk_vector import WalkVectorEnv

__all__ = [
    "TASKS",
    "Action",
    "ActionRate",
    "ActuatorControls",
    "Alive",
    "BaseHeight",
    "BaseVelocity",
    "Clock",
    "Command",
    "CommandedVelocity",
    "Curriculum",
    "Energy",
    "FeetForces",
    "FeetHeights",
    "FootClearance",
    "Friction",
    "Gains",
    "Gravity",
    "GroundScan",
    "HeightKept",
    "JointEfforts",
    "JointPositions",
    "JointTargets",
    "JointVelocities",
    "LastAction",
    "Masses",
    "Noisy",
    "Outcome",
    "PoseKept",
    "Progress",
    "Pushes",
    "RayVectorEnv",
    "ResidualTask",
    "RobotEnv",
    "RobotLanes",
    "RobotTask",
    "RobotVectorEnv",
    "Sensed",
    "StartAngles",
    "Tilted",
    "TooFast",
    "TooLow",
    "Trot",
    "TurnTracking",
    "Upright",
    "Variation",
    "VelocityTracking",
    "WalkEnv",
    "WalkReward",
    "WalkTask",
    "WalkVectorEnv",
    "robot_task",
]

WALK, RESIDUAL, ROBOT = "tarsus/Walk-v0", "tarsus/ResidualWalk-v0", "tarsus/Robot-v0"

if WALK not in gymnasium.registry:
    gymnasium.register(
        WALK,
        entry_point="tarsus.environments.walk:WalkEnv",
        vector_entry_point="tarsus.environments.walk_vector:WalkVectorEnv",
    )
    gymnasium.register(
        RESIDUAL,
        entry_point="tarsus.environments.residual:residual_env",
        vector_entry_point="tarsus.environments.residual:residual_vector_env",
    )
    gymnasium.register(
        ROBOT,
        entry_point="tarsus.environments.robot_env:RobotEnv",
        vector_entry_point="tarsus.environments.robot_vector_env:RobotVectorEnv",
    )

"""Sensors in runs, controllers and environments, a kind a file.

run = sim.run(q, duration=2.0, sensors={"imu": ts.sensors.IMU("torso"), "zmp": …})
run.sensors["imu"]                                      # (…, T, 6)

live = ts.sensors.Live(model, {"imu": ts.sensors.IMU("torso")})
sim.run(q, duration=2.0, controller=live.controlled(lambda t, readings: …))
"""

from tarsus.sensors.accelerometer import Accelerometer
from tarsus.sensors.center_of_pressure import CenterOfPressure
from tarsus.sensors.contact_wrench import ContactWrench
from tarsus.sensors.distance import Distance
from tarsus.sensors.errors import Errors
from tarsus.sensors.frame_acceleration import FrameAcceleration
from tarsus.sensors.frame_pose import FramePose
from tarsus.sensors.frame_velocity import FrameVelocity
from tarsus.sensors.gyroscope import Gyroscope
from tarsus.sensors.inertial_unit import IMU
from tarsus.sensors.joint_sensors import JointEffort, JointPosition, JointVelocity
from tarsus.sensors.joint_wrench import JointWrench
from tarsus.sensors.live import Live
from tarsus.sensors.sensor import Sample, Sensor
from tarsus.sensors.stated import of
from tarsus.sensors.suite import Suite
from tarsus.sensors.touch import Touch
from tarsus.sensors.touches import Touches
from tarsus.sensors.zero_moment_point import ZeroMomentPoint

__all__ = [
    "IMU",
    "Accelerometer",
    "CenterOfPressure",
    "ContactWrench",
    "Distance",
    "Errors",
    "FrameAcceleration",
    "FramePose",
    "FrameVelocity",
    "Gyroscope",
    "JointEffort",
    "JointPosition",
    "JointVelocity",
    "JointWrench",
    "Live",
    "Sample",
    "Sensor",
    "Suite",
    "Touch",
    "Touches",
    "ZeroMomentPoint",
    "of",
]

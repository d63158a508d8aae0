"""Where a machine is and how it moves, from its sensors: encoders, an inertial unit, contacts.

`BaseEstimator` follows a base that floats; `Sensors` makes the measurements that it reads from
states that are known, with `Noise`, and `LiveSensors` makes them one by one, in a loop.
"""

from tarsus.estimation.base_estimator import BaseEstimate, BaseEstimator
from tarsus.estimation.live_sensors import LiveSensors, Reading
from tarsus.estimation.sensors import Measurements, Noise, Sensors

__all__ = [
    "BaseEstimate",
    "BaseEstimator",
    "LiveSensors",
    "Measurements",
    "Noise",
    "Reading",
    "Sensors",
]

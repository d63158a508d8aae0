"""Unknowns inferred from measurements: states, contact forces, parameters.

`BaseEstimator` follows a base that floats; `Sensors` makes the measurements that it reads from
states that are known, with `Noise`, and `LiveSensors` makes them one by one, in a loop.
`MomentumObserver` estimates contact forces: residual = observer.update(t, q, v, tau).
`ts.calibration` and `ts.identification` estimate parameters by least squares.
"""

from tarsus.estimation.base_estimator import BaseEstimate, BaseEstimator
from tarsus.estimation.live_sensors import LiveSensors, Reading
from tarsus.estimation.momentum_observer import MomentumObserver
from tarsus.estimation.sensors import Measurements, Noise, Sensors

__all__ = [
    "BaseEstimate",
    "BaseEstimator",
    "LiveSensors",
    "Measurements",
    "MomentumObserver",
    "Noise",
    "Reading",
    "Sensors",
]

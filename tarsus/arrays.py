"""`Array`: numbers in double precision, what all functions here take and return."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

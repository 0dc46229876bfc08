"""Ids that index hot loops, made unsigned: Numba counts a negative index from the end, a check that costs a quarter."""

import numpy as np

index = np.uint32

"""Numbers that index hot loops, made unsigned: Numba counts negative ones from the end, which costs a quarter."""

import numpy as np

index = np.uint32  # an id
offset = np.uint64  # a place among more than 2^32

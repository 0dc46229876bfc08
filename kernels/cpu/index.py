"""Casts for the indices of hot loops: a signed one may count from the end, and to check that costs a quarter more."""

import numpy as np

index = np.uint32  # an id
offset = np.uint64  # a place among more than 2^32

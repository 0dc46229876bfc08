"""The array types, each with its reason. Everything that is stored in bulk uses one of these names."""

import numpy as np

ITEM = np.int32  # items, terminals and frontier positions: small numbers, kept wide so that Numba does no conversions
ROW = np.int32  # rows of the matrix: tens of millions at most
SEGMENT = np.int32  # segments of the matrix: fewer than rows times columns, still below 2**31
FEATURE = np.int32  # atomic features: one or two million
OFFSET = np.int64  # positions in the features of all segments: may pass 2**31
COLUMN = np.uint8  # segment columns: about a dozen
CHOICE = np.uint8  # which of a candidate's rows a label takes; 255 is "not allowed"
POSITION = np.int16  # frontier and word positions where millions of them are stored
SIGN = np.int8  # +1 correct, -1 incorrect
REAL = np.float64  # biases, margins, costs: sums must not depend on the device

"""How the inner loops of the search are compiled: without counting references to arrays.

The arrays of a pool and a batch outlive every call, so there is nothing to count; counting them, at each call and for
each array, took a third of the time. A function compiled so can't make arrays.

A call hands over every array of a named tuple by itself, seven numbers each: hundreds of pushes for a batch. What is
called for each feature or column is therefore `inlined`, wherever it is called from.
"""

from numba import njit

compiled = njit(cache=True, nogil=True, _nrt=False)
inlined = njit(cache=True, nogil=True, _nrt=False, forceinline=True)

"""n ln n in fixed point, of which the likelihood of a class bigram model is made.

With N(c, d) the number of times that a word of class d follows one of class c, and N(c) the number of words of class c,
the log-likelihood of a text is, but for a term that no classes change,

    F = sum over c, d of N(c, d) ln N(c, d)  -  2 sum over c of N(c) ln N(c)

(Martin, Liermann and Ney 1998). In integers the sums do not depend on the order of adding, differences are exact, and
the logarithms are computed from integers alone: so the classes are the same on every machine.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from gpuparse.jit import inlined

UNIT = 1 << 20  # of fixed point, in nats
TABLE = 1 << 16  # n ln n is looked up below, and interpolated from there on
_BITS = 64  # of a logarithm
LN2, FINER = 46_516_320, 6  # ln 2, in units of UNIT 2^FINER


@cache
def n_ln_n_table() -> np.ndarray:
    """n ln n for n from 0 to TABLE, in units.

    >>> n_ln_n_table()[[0, 1, 2]].tolist()
    [0, 0, 1453635]
    """
    one, half = 1 << _BITS, 1 << (_BITS - 1)
    logarithm, entries = 0, [0, 0]
    for n in range(2, TABLE + 1):
        # ln n - ln(n - 1) = 2 artanh(1 / z) = 2 (1/z + 1/(3 z^3) + 1/(5 z^5) + ...), where z = 2 n - 1
        z, odd = 2 * n - 1, 1
        power = 2 * one // z
        while power:
            logarithm += power // odd
            power //= z * z
            odd += 2
        entries.append((n * logarithm * UNIT + half) >> _BITS)
    return np.array(entries, np.int64)


@inlined
def n_ln_n(n, table):
    """n ln n in units; beyond the table, n = m 2^s gives 2^s m ln m + s n ln 2, with m ln m interpolated.

    >>> round(n_ln_n(10_000_000, n_ln_n_table()) / UNIT)
    161180957
    """
    if n <= TABLE:
        return table[n]
    shift = 1
    while (n >> shift) >= TABLE:
        shift += 1
    whole = n >> shift
    rest = n - (whole << shift)
    return table[whole] * ((1 << shift) - rest) + table[whole + 1] * rest + ((shift * n * LN2) >> FINER)

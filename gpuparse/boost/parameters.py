"""The parameters of a task: theta by compound feature, compared as sets of literals.

A compound's key is the exclusive or of 128-bit hashes of its literals: one operation extends it or takes a literal
away, and order does not matter. Two different compounds agree in a key with a chance of about 2^-128.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from hashlib import blake2b

ROOT = 0  # the key of the always-true feature, which has no literals


@lru_cache(maxsize=1 << 20)
def literal(feature: int, there: bool) -> int:
    """The key of one literal.

    >>> literal(3, True) != literal(3, False)
    True
    """
    return int.from_bytes(blake2b(f"{feature}{'+' if there else '-'}".encode(), digest_size=16).digest())


def compound(literals: Iterable[tuple[int, bool]]) -> int:
    """The key of a conjunction.

    >>> compound([(1, True), (2, False)]) == compound([(2, False), (1, True)])
    True
    """
    key = ROOT
    for feature, there in literals:
        key ^= literal(feature, there)
    return key


class Parameters:
    """Every compound feature met so far that has a non-zero parameter.

    >>> parameters = Parameters()
    >>> parameters.add(((1, True), (2, False)), 0.5)
    >>> parameters.theta(compound([(2, False), (1, True)]))
    0.5
    >>> sorted(parameters.extensions(literal(1, True)))
    [2]
    """

    def __init__(self) -> None:
        self._theta: dict[int, float] = {}
        self._extensions: dict[int, set[int]] = {}
        self.last_feature = -1  # the greatest in any compound

    def __len__(self) -> int:
        return len(self._theta)

    def theta(self, key: int) -> float:
        """The parameter of a compound feature, 0 if it was never met."""
        return self._theta.get(key, 0.0)

    def extensions(self, key: int) -> Iterable[int]:
        """The atomic features that, there or not there, may turn this compound into one with a parameter."""
        return self._extensions.get(key, ())

    def add(self, literals: Iterable[tuple[int, bool]], change: float) -> None:
        """Change the parameter of a compound feature."""
        literals = tuple(literals)
        key = compound(literals)
        theta = self.theta(key) + change
        if theta == 0.0:
            self._theta.pop(key, None)
            return
        if key not in self._theta:
            for feature, there in literals:
                self._extensions.setdefault(key ^ literal(feature, there), set()).add(feature)
                self.last_feature = max(self.last_feature, feature)
        self._theta[key] = theta

    def values(self) -> Iterable[float]:
        """All of them that are not 0."""
        return self._theta.values()

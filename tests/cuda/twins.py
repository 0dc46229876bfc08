"""Calls an operation on the CPU and its twin on the device with the same arguments."""

from __future__ import annotations

from typing import Any

import numpy as np

from gpuparse.kernels import cpu


class Outcome:
    """What an operation returned, and its arguments afterwards."""

    def __init__(self, returned: Any, arguments: list[Any]) -> None:
        self.returned, self.arguments = returned, arguments


def _host(cuda: Any, value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(_host(cuda, part) for part in value)
    return cuda.to_host(value) if hasattr(value, "nbytes") and not isinstance(value, np.generic) else value


def both(cuda: Any, name: str, *arguments: Any) -> tuple[Outcome, Outcome]:
    """The outcomes on the CPU and on the device, both on the host."""
    ours = [a.copy() if isinstance(a, np.ndarray) else a for a in arguments]
    theirs = [cuda.to_device(a) if isinstance(a, np.ndarray) else a for a in arguments]
    expected = Outcome(getattr(cpu, name)(*ours), ours)
    returned = getattr(cuda, name)(*theirs)
    return expected, Outcome(_host(cuda, returned), [_host(cuda, a) for a in theirs])


def same(cuda: Any, name: str, *arguments: Any) -> Outcome:
    """Asserts that both outcomes are the same to the bit; returns it."""
    expected, found = both(cuda, name, *arguments)
    assert_equal(expected.returned, found.returned)
    for a, b in zip(expected.arguments, found.arguments, strict=True):
        assert_equal(a, b)
    return found


def assert_equal(a: Any, b: Any) -> None:
    """Equal values, of equal types where they are arrays."""
    if isinstance(a, tuple):
        assert len(a) == len(b)
        for x, y in zip(a, b, strict=True):
            assert_equal(x, y)
    elif isinstance(a, np.ndarray):
        assert a.dtype == b.dtype
        assert a.tolist() == b.tolist()
    else:
        assert a == b

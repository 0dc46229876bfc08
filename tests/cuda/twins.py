"""Calls an operation on the CPU and its twin on the device with the same arguments."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any

import numpy as np

from gpuparse.kernels import cpu


class Outcome:
    """What an operation returned, and its arguments afterwards."""

    def __init__(self, returned: Any, arguments: list[Any]) -> None:
        self.returned, self.arguments = returned, arguments


def _host(cuda: Any, value: Any) -> Any:
    if isinstance(value, tuple):
        return _each(lambda part: _host(cuda, part), value)
    return cuda.to_host(value) if hasattr(value, "nbytes") and not isinstance(value, np.generic) else value


def _each(call: Callable[[Any], Any], value: tuple[Any, ...]) -> tuple[Any, ...]:
    """The same tuple, named if it is, of what a call makes of its parts."""
    parts = map(call, value)
    return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)


def _copied(copy: Callable[[np.ndarray], Any], value: Any) -> Any:
    if isinstance(value, tuple):
        return _each(lambda part: _copied(copy, part), value)
    return copy(value) if isinstance(value, np.ndarray) else value


def both(cuda: Any, name: str, *arguments: Any) -> tuple[Outcome, Outcome]:
    """The outcomes on the CPU and on the device, both on the host; a loss's operation is called `loss.name`."""
    operation = attrgetter(name)
    ours = [_copied(np.ndarray.copy, a) for a in arguments]
    theirs = [_copied(cuda.to_device, a) for a in arguments]
    expected = Outcome(operation(cpu)(*ours), ours)
    returned = operation(cuda)(*theirs)
    return expected, Outcome(_host(cuda, returned), [_host(cuda, a) for a in theirs])


def same(cuda: Any, name: str, *arguments: Any) -> Outcome:
    """Asserts that both outcomes are the same to the bit; returns it."""
    expected, actual = both(cuda, name, *arguments)
    assert_equal(expected.returned, actual.returned)
    for a, b in zip(expected.arguments, actual.arguments, strict=True):
        assert_equal(a, b)
    return actual


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

"""The flavours of compiled functions.

    compiled     called by compiled code; called from Python it runs as Python
    inlined      the same, and its machine code is copied into every caller
    spliced      the same, and its source is copied into every caller, so that loops around it can be vectorised
    kernel       called from Python, compiled by Numba when it is first called, and kept in the cache
    eventual     the same, but it runs as Python until a process in the background has compiled it
    vectorised   a kernel that divides without a check for zero, which would keep loops from being vectorised
    intrinsic    an LLVM instruction, and what it does in Python

A function of the first three flavours stays a plain function, so that Python runs it at full speed. It only gets an
attribute that Numba asks for, `_numba_type_`, once Numba is imported.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Generic, ParamSpec, TypeVar

import numpy as np

from gpuparse.jit.settings import compiles_at_once, interprets

Function = Callable[..., Any]
Written = TypeVar("Written", bound=Function)  # a function as it is written: the first flavours keep it
Arguments = ParamSpec("Arguments")
Returned = TypeVar("Returned")
Adopt = Callable[[Function, dict[str, Any]], None]

# Arrays outlive every call of compiled code, so their references need not be counted; counting them, at each call and
# for each array, took a third of the time of the search. A function compiled like this can't make arrays, nor return
# any, since a caller that does count would free them: one that returns views of its arguments is spliced.
UNCOUNTED = {"_nrt": False}
INNER = {"nogil": True, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
OUTER = {"nogil": True, "no_cfunc_wrapper": True}

_making = threading.RLock()  # held while a dispatcher is made, which changes a setting of Numba's
_waiting: list[tuple[Function, dict[str, Any]]] = []  # functions that are not yet registered with Numba
_adopt: Adopt | None = None  # registers a function with Numba, once Numba is imported


def adopt_with(adopt: Adopt) -> None:
    """From now on register every function with Numba, including those that were defined before."""
    global _adopt
    _adopt = adopt
    while _waiting:
        adopt(*_waiting.pop())


def _inner(function: Written, options: dict[str, Any]) -> Written:
    if _adopt is None:
        _waiting.append((function, options))
    else:
        _adopt(function, options)
    return function


def compiled(function: Function | None = None, *, allocates: bool = False) -> Any:
    """For compiled code to call; `allocates` if it makes arrays.

    >>> @compiled
    ... def twice(number):
    ...     return 2 * number
    >>> twice(4)
    8
    """
    options = INNER if allocates else INNER | UNCOUNTED
    if function is None:
        return lambda decorated: _inner(decorated, options)
    return _inner(function, options)


def inlined(function: Written) -> Written:
    """For compiled code to call, copied into every caller.

    A call passes every array of a named tuple separately, as seven numbers: hundreds of pushes for a large tuple. A
    function that is called for each feature is therefore inlined.
    """
    return _inner(function, INNER | UNCOUNTED | {"forceinline": True})


def spliced(function: Written) -> Written:
    """For compiled code to call, its source copied into every caller."""
    function.py_func = function  # type: ignore[attr-defined]  # where Numba looks for what to copy
    function.targetoptions = {"inline": "always"}  # type: ignore[attr-defined]  # and whether to
    return _inner(function, {"nogil": True, "inline": "always"})


def intrinsic(make: Function) -> Callable[[Function], Function]:
    """An instruction of LLVM: `make` is for `numba.extending.intrinsic`, the function does the same in Python."""

    def decorate(function: Function) -> Function:
        function.make = make  # type: ignore[attr-defined]  # found by numba_side.py
        return _inner(function, INNER | UNCOUNTED | {"forceinline": True})

    return decorate


class Kernel(Generic[Arguments, Returned]):
    """A function that Numba compiles when it is first called."""

    is_entry = False  # whether only Python calls it

    def __init__(self, function: Callable[Arguments, Returned], **options: Any) -> None:
        self.function = function
        self.options = OUTER | options
        self.__doc__, self.__name__, self.__module__ = function.__doc__, function.__name__, function.__module__
        self._called: Callable[Arguments, Returned] | None = None

    def __call__(self, *arguments: Arguments.args, **named: Arguments.kwargs) -> Returned:
        return (self._called or self.compiled())(*arguments, **named)

    def compiled(self) -> Callable[Arguments, Returned]:
        """The function as Numba compiles it, or where nothing is to be compiled, as it is."""
        with _making:
            if self._called is None:
                if interprets():
                    self._called = self.interpreted
                else:
                    from gpuparse.jit.numba_side import make_dispatcher

                    self._called = make_dispatcher(self.function, self.options, self.is_entry)
        return self._called

    def interpreted(self, *arguments: Arguments.args, **named: Arguments.kwargs) -> Returned:
        """The function as Python runs it; hashes overflow, as they should, and numbers come back as Python's."""
        with np.errstate(over="ignore"):
            returned = self.function(*arguments, **named)
        return returned.item() if isinstance(returned, np.generic) else returned

    @property
    def _numba_type_(self) -> Any:
        """What compiled code sees when it calls the kernel."""
        if self.is_entry:
            raise AttributeError(f"{self.__name__} is only called by Python")
        from gpuparse.jit.numba_side import type_of

        return type_of(self.compiled())


class Eventual(Kernel[Arguments, Returned]):
    """A function that runs as Python until it is compiled, so that nobody waits for the first result."""

    is_entry = True

    def __call__(self, *arguments: Arguments.args, **named: Arguments.kwargs) -> Returned:
        if self._called is None and is_slow():
            return self.interpreted(*arguments, **named)
        return super().__call__(*arguments, **named)


def is_slow() -> bool:
    """Whether `eventual` functions run as Python for now."""
    if compiles_at_once():
        return False
    from gpuparse.jit.background import Background

    return not Background.here().is_ready()


def compile_meanwhile() -> None:
    """Have the `eventual` functions compiled in the background, since they will be needed."""
    if not compiles_at_once():
        from gpuparse.jit.background import Background

        Background.here().begin()


def wait_until_compiled() -> None:
    """Return when the `eventual` functions are compiled: for long work, and for measurements."""
    if not compiles_at_once():
        from gpuparse.jit.background import Background

        Background.here().wait()


def eventual(function: Callable[Arguments, Returned]) -> Eventual[Arguments, Returned]:
    """For Python to call; compiled in the background."""
    return Eventual(function)


def kernel(function: Written) -> Written:
    """For Python to call."""
    return Kernel(function)  # type: ignore[return-value]  # is called as the function is, which mypy can check


def vectorised(function: Written) -> Written:
    """For Python to call; divides without looking at the divisor."""
    return Kernel(function, error_model="numpy")  # type: ignore[return-value]  # is called as the function is, which mypy can check

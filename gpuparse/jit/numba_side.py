"""The functions as Numba sees them. Importing this imports Numba.

Numba asks a value that it does not know for its `_numba_type_`: that is how plain functions become functions that
compiled code can call. Numba's private interfaces are in numba_private.py; where a version of Numba lacks one, only
public interfaces are used: the results are the same, with more to compile and slower calls.
"""

from __future__ import annotations

import gc
import inspect
from collections.abc import Callable
from contextlib import contextmanager
from typing import Any

import numba
from numba import types
from numba.extending import intrinsic, models, register_model

from gpuparse.jit import flavours, telling
from gpuparse.jit.store import Store

try:
    from gpuparse.jit import numba_private as private
except ImportError:
    private = None  # type: ignore[assignment]  # then the public ways serve

PUBLIC_FLAGS = ("nogil", "inline", "error_model")
_dispatchers: list[Any] = []  # kept alive here, since types hold them weakly


class WideCalls(types.Dispatcher):
    """A function to which integers are passed as 64 bits, and constants like any other number.

    Otherwise Numba would compile it again for each width and, while it infers types, for each constant.
    """

    def get_call_type(self, context: Any, args: Any, kws: Any) -> Any:
        """The signature of a call."""
        signature = super().get_call_type(context, tuple(map(_widened, args)), kws)
        if self.dispatcher.targetoptions.get("_nrt") is False and _holds_arrays(signature.return_type):
            raise numba.TypingError(f"{self.dispatcher.__name__} returns an array, whose references nobody counts")
        return signature


register_model(WideCalls)(models.OpaqueModel)


def _njit(function: Callable[..., Any], flags: dict[str, Any], is_inner: bool) -> Any:
    """The function for Numba to compile, with those of the flags that it knows."""
    if private is None:
        return numba.njit(**{name: flag for name, flag in flags.items() if name in PUBLIC_FLAGS})(function)
    usable = {n: f for n, f in flags.items() if n in PUBLIC_FLAGS or hasattr(private.CPUTargetOptions, n)}
    compiler = private.InnerCompiler if is_inner else private.OuterCompiler
    return numba.njit(**usable, pipeline_class=compiler)(function)


def _widened(kind: Any) -> Any:
    if isinstance(kind, types.BaseTuple) and not isinstance(kind, types.BaseNamedTuple):
        return types.unliteral(kind)
    plain = types.unliteral(kind) if isinstance(kind, (types.IntegerLiteral, types.BooleanLiteral)) else kind
    return types.int64 if isinstance(plain, types.Integer) and plain.signed else plain


def _holds_arrays(kind: Any) -> bool:
    return isinstance(kind, types.Array) or (isinstance(kind, types.BaseTuple) and any(map(_holds_arrays, kind)))


def _adopt(function: Callable[..., Any], options: dict[str, Any]) -> None:
    make = getattr(function, "make", None)
    dispatcher = _njit(function if make is None else _calling(intrinsic(make), function), options, is_inner=True)
    _dispatchers.append(dispatcher)
    function._numba_type_ = WideCalls(dispatcher) if make is None else types.Dispatcher(dispatcher)  # type: ignore[attr-defined]


def _calling(instruction: Any, function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that Numba can compile: it only calls the instruction, with the arguments of its Python version."""
    if len(inspect.signature(function).parameters) == 1:
        return lambda first: instruction(first)
    return lambda first, second: instruction(first, second)


def make_dispatcher(function: Callable[..., Any], options: dict[str, Any], is_entry: bool) -> Any:
    """A function for Python to call, whose machine code is kept in the cache; an entry is only called by Python."""
    is_called = hasattr(function, "_numba_type_")  # by compiled code as well: Python gets a function that calls it
    dispatcher = _njit(_entry_to(function) if is_called else function, options, is_inner=False)
    with _cache_in(Store.here().numba_folder()):
        if private is None:
            dispatcher.enable_caching()
        else:
            dispatcher._cache = (private.EntryCache if is_entry else private.QuickCache)(dispatcher.py_func)
    return dispatcher


def _entry_to(function: Callable[..., Any]) -> Callable[..., Any]:
    def entry(*arguments: Any) -> Any:
        return function(*arguments)

    entry.__qualname__ = f"entry_to_{function.__name__}"  # names its files in the cache
    return entry


def type_of(dispatcher: Any) -> Any:
    """What compiled code sees of a function that Python can call, too."""
    return types.Dispatcher(dispatcher)


@contextmanager
def _cache_in(folder: Any) -> Any:
    """Numba's cache depends on the file of a function, but not on those of the functions it calls; the folder does.

    The setting is global to Numba, so it is restored afterwards.
    """
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(folder)
    try:
        yield
    finally:
        numba.config.CACHE_DIR = before


class _Watch(private.event.Listener if private else object):  # type: ignore[misc]  # known when it runs
    """Counts our functions as they are compiled; garbage collection is off in the meantime, since there is little."""

    def __init__(self) -> None:
        self._depth = 0
        self._compiled = 0
        self._collects = gc.isenabled()

    def on_start(self, event: Any) -> None:
        """A function, perhaps one that another calls, is about to be compiled."""
        if self._depth == 0:
            self._collects = gc.isenabled()
            gc.disable()
        self._depth += 1
        if _is_ours(event):
            telling.heard(self._compiled)

    def on_end(self, event: Any) -> None:
        """It is compiled."""
        self._depth -= 1
        if self._depth == 0 and self._collects:
            gc.enable()
        if _is_ours(event):
            self._compiled += 1
            telling.heard(self._compiled)


def _is_ours(compilation: Any) -> bool:
    return compilation.data["dispatcher"].py_func.__module__.startswith("gpuparse.")


flavours.adopt_with(_adopt)
if private is not None:
    private.event.register("numba:compile", _Watch())

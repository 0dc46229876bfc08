"""What is private to Numba: all of it is here, and where a version of Numba lacks one of these, nothing here is used.

Numba makes machine code of every function, and optimises it together with all that it calls: what is called from five
places is optimised six times. Here a function that only compiled code calls stays as it was lowered (InnerLibrary).
When one is compiled that Python calls (OuterLibrary), all that it needs is linked and optimised with it, once.
"""

from __future__ import annotations

from typing import Any

import llvmlite.binding as llvm
from numba.core import event
from numba.core.caching import CompileResultCacheImpl, FunctionCache
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.cpu import CPUTargetOptions
from numba.core.environment import lookup_environment
from numba.core.runtime import rtsys

__all__ = ["CPUTargetOptions", "EntryCache", "InnerCompiler", "OuterCompiler", "QuickCache", "event"]


class QuickCache(FunctionCache):
    """Loads machine code without first loading all that Numba needs to compile, which takes longer than the rest of a
    start. A compilation sees to that itself.
    """

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The function as it was compiled for these arguments; None if it was not."""
        rtsys.initialize(target_context)  # what machine code calls
        with self._guard_against_spurious_io_errors():
            return self._load_overload(sig, target_context)


class WithoutBitcode(CompileResultCacheImpl):
    """Keeps machine code alone. Numba would also keep bitcode, for functions that compiled code calls, and read it."""

    def reduce(self, cres: Any) -> Any:
        """What is kept; in the place of the bitcode, only the names that are looked up."""
        (name, kind, (machine_code, _)), description, *others, environments = super().reduce(cres)
        names = [description.env_name, *(environment.env_name for environment in environments)]
        lines = [f'define void @"{description.llvm_cpython_wrapper_name}"() {{ unreachable }}']
        lines += [f'@"{name}" = global i64 0' for name in dict.fromkeys(names)]
        bitcode = llvm.parse_assembly("\n".join(lines)).as_bitcode()
        return ((name, kind, (machine_code, bitcode)), description, *others, environments)


class EntryCache(QuickCache):
    """For functions that only Python calls."""

    _impl_class = WithoutBitcode


class InnerLibrary(JITCodeLibrary):
    """A function that compiled code calls: no machine code of its own."""

    def finalize(self) -> None:
        """What there is to do before others call it: nothing is linked yet."""
        self._raise_if_finalized()
        self._finalize_dynamic_globals()
        for library in self._linking_libraries:
            self._reload_init.update(library._reload_init)
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """Where its machine code is: nowhere."""
        return 0

    @property
    def codegen(self) -> Any:
        """The code generator, for Numba to note what belongs to a function; that waits for the machine code."""
        return _NotYet()


class _NotYet:
    def set_env(self, name: str, environment: Any) -> None:
        """See OuterLibrary."""


class OuterLibrary(JITCodeLibrary):
    """A function that Python calls, with all that it needs."""

    def finalize(self) -> None:
        """Link, optimise, and make machine code."""
        needed: dict[Any, None] = {}
        _add_needed(self, needed)
        self._linking_libraries = list(reversed(needed))  # callers before what they call
        super().finalize()
        for variable in self._final_module.global_variables:
            environment = lookup_environment(variable.name)
            if environment is not None:
                self._codegen.set_env(variable.name, environment)


def _add_needed(library: Any, needed: dict[Any, None]) -> None:
    """Add the libraries that this one calls, each after those that it calls in turn."""
    for called in library._linking_libraries:
        if called not in needed:
            if isinstance(called, InnerLibrary):
                _add_needed(called, needed)
            needed[called] = None


class InnerCompiler(Compiler):
    """Compiles for other functions."""

    library = InnerLibrary

    def compile_extra(self, func: Any) -> Any:
        """Compile a function."""
        self.state.library = self.library(self.state.targetctx.codegen(), func.__qualname__)
        self.state.library.enable_object_caching()
        return super().compile_extra(func)


class OuterCompiler(InnerCompiler):
    """Compiles for Python."""

    library = OuterLibrary

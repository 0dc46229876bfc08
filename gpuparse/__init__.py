"""gpuparse: learns to parse language from a treebank, and parses with what it learned.

>>> import gpuparse
>>> parser = gpuparse.load()  # the bundled English model, or gpuparse.load("my.model")
>>> tree = parser.parse("She saw the man.")
>>> print(tree)
(TOP (S (NP (PRP She)) (VP (VBD saw) (NP (DT the) (NN man))) (. .)))

Importing gpuparse is quick: what is slow to import comes with the first use of one of these names (see api.py).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpuparse.version import VERSION

if TYPE_CHECKING:
    from gpuparse.api import LoadedParser, ParsedTree, load

__all__ = ["LoadedParser", "ParsedTree", "load"]
__version__ = VERSION


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'gpuparse' has no attribute {name!r}")
    from gpuparse import api

    return getattr(api, name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])

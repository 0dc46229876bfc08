"""Trees for NLTK, which does not come with gpuparse."""

from __future__ import annotations

from typing import Any

from gpuparse.errors import MissingPackageError
from gpuparse.trees import Tree


def nltk_tree(tree: Tree) -> Any:
    """A tree of ours as one of NLTK's; however deep, since nothing recurses."""
    try:
        from nltk.tree import Tree as NltkTree
    except ImportError as error:
        raise MissingPackageError("to_nltk() needs NLTK, which is not installed. pip install nltk does it.") from error
    built: list[Any] = [None] * len(tree)
    for node in range(len(tree) - 1, -1, -1):
        word = tree.words[node]
        inside = [word] if word is not None else [built[child] for child in tree.children(node)]
        built[node] = NltkTree(tree.labels[node], inside)
    return built[0]

"""Generated prepared trees: punctuation inside, unary chains, wide nodes, and all sorts of heads."""

from __future__ import annotations

from hypothesis import strategies as st

from gpuparse.trees import Tree, parse_tree

TAGS = ("NN", "NNS", "DT", "VB", "VBD", "IN", "CC", "POS", "CD", "X", "-LRB-")  # X is also a label
PUNCTUATION = (",", ":", ".")
LABELS = ("NP", "VP", "S", "PP", "X", "QP")  # each with rules of another kind; X has none
WORDS = ("the", "The", "dog", "Dogs", "of", "sees", "'s", "3")


@st.composite
def trees(draw: st.DrawFn, max_words: int = 9, max_width: int = 7) -> Tree:
    """A prepared tree: built from below, as the logic would; the last item is not always alone under TOP."""
    n_words = draw(st.integers(1, max_words))
    tags = draw(st.lists(st.sampled_from(TAGS + PUNCTUATION), min_size=n_words, max_size=n_words))
    tags[0], tags[-1] = (tag if tag in TAGS else "NN" for tag in (tags[0], tags[-1]))
    frontier = [(tag, f"({tag} {draw(st.sampled_from(WORDS))})", (tag,)) for tag in tags]
    for _ in range(draw(st.integers(0, 2 * n_words))):
        i = draw(st.integers(0, len(frontier) - 1))
        j = min(i + draw(st.integers(0, max_width - 1)), len(frontier) - 1)
        _merge(frontier, draw(st.sampled_from(LABELS)), i, j)
    if draw(st.integers(0, 9)):
        _merge(frontier, draw(st.sampled_from(LABELS)), 0, len(frontier) - 1)
    return parse_tree(f"(TOP {' '.join(text for _, text, _ in frontier)})")


def _merge(frontier: list[tuple[str, str, tuple[str, ...]]], label: str, i: int, j: int) -> None:
    """Put an item over `frontier[i..j]`, unless punctuation stands at its edge or its unary chain has the label."""
    run = frontier[i : j + 1]
    chain = run[0][2] if i == j else ()
    if run[0][0] in PUNCTUATION or run[-1][0] in PUNCTUATION or label in chain:
        return
    frontier[i : j + 1] = [(label, f"({label} {' '.join(text for _, text, _ in run)})", (*chain, label))]

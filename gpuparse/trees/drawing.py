"""Trees for people: brackets broken over lines, and an outline drawn with lines for the terminal.

Each level of the outline is indented by three characters, and a unary chain takes one line, so that a sentence of
thirty words stays within a hundred characters.
"""

from __future__ import annotations

from gpuparse.trees.tree import ESCAPES, Tree

NO_LABEL = "()"  # how the outline shows an empty label


def indented(tree: Tree, width: int = 80) -> str:
    """Brackets over several lines: a node is on one line if it fits into the width, else its children are below it.

    >>> from gpuparse.trees import parse_tree
    >>> print(indented(parse_tree("(S (NP (NNP Ann)) (VP (VBZ sings)))"), width=30))
    (S
      (NP (NNP Ann))
      (VP (VBZ sings)))
    """
    lengths = _lengths(tree)
    lines: list[str] = []
    open_ends: list[int] = []  # where the nodes that are broken over lines end
    node = 0
    while node < len(tree):
        indent = 2 * len(open_ends)
        fits = indent + lengths[node] <= width or tree.words[node] is not None or tree.ends[node] == node + 1
        lines.append(" " * indent + (str(tree.subtree(node)) if fits else f"({tree.labels[node].translate(ESCAPES)}"))
        if not fits:
            open_ends.append(tree.ends[node])
        node = tree.ends[node] if fits else node + 1
        while open_ends and open_ends[-1] == node:
            open_ends.pop()
            lines[-1] += ")"
    return "\n".join(lines)


def _lengths(tree: Tree) -> list[int]:
    """The length of each node in brackets on one line."""
    lengths = [0] * len(tree)
    for node in range(len(tree) - 1, -1, -1):
        word = tree.words[node]
        inside = len(word) + 1 if word is not None else sum(lengths[child] + 1 for child in tree.children(node))
        lengths[node] = len(tree.labels[node]) + inside + 2
    return lengths


def drawn(tree: Tree) -> str:
    """An outline with a line for each branching node and each word; unary chains run along the line.

    >>> from gpuparse.trees import parse_tree
    >>> print(drawn(parse_tree("(TOP (S (NP (NNP Ann)) (VP (VBZ sings) (NP (NNS hymns)))))")))
    TOP ─ S
    ├─ NP ─ NNP Ann
    └─ VP
       ├─ VBZ sings
       └─ NP ─ NNS hymns
    """
    lines: list[str] = []
    pending = [
        (0, "", "")
    ]  # nodes to draw, the next one last, with what is drawn before the node and before its children
    while pending:
        node, before, below = pending.pop()
        names = [_name(tree, node)]
        while tree.words[node] is None and tree.ends[node] > node + 1 and tree.ends[node + 1] == tree.ends[node]:
            node += 1
            names.append(_name(tree, node))
        lines.append(before + " ─ ".join(names))
        children = list(tree.children(node))
        branches = [(f"{below}├─ ", f"{below}│  ")] * (len(children) - 1) + [(f"{below}└─ ", f"{below}   ")]
        pending += [(child, *branch) for child, branch in zip(children, branches, strict=False)][::-1]
    return "\n".join(lines)


def _name(tree: Tree, node: int) -> str:
    word = tree.words[node]
    label = tree.labels[node] or NO_LABEL
    return label if word is None else f"{label} {word}"

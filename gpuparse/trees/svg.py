"""A tree as an SVG image: constituents from the top down, all words on the lowest line.

Every node has a column of its own, as wide as its label and everything below it, and edges bend only between two rows;
so texts never overlap, however long the words or deep the tree. The colour is that of the surrounding text
(`currentColor`), so that the image can be read on a light page and on a dark one.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import escape

from gpuparse.trees.drawing import NO_LABEL
from gpuparse.trees.tree import Tree

FONT = 15  # pixels, the size of words and labels
TAG_FONT = 12
LABEL_HEIGHT = 24  # the height of a label with its frame
ROW_HEIGHT = 46  # from one row of constituents to the next
GAP = 16  # between neighbours, at least
BORDER = 12
_NARROW = set("ijlrtfI.,:;'`!|()[]-/ ")
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True)
class Placement:
    """Where the nodes of a tree are: the middle of each, and the row it is in, the words in the lowest."""

    middles: tuple[float, ...]
    rows: tuple[int, ...]
    widths: tuple[float, ...]  # of the text of each node
    width: float
    height: float

    def top(self, node: int) -> float:
        """Where the label of a node begins."""
        return BORDER + self.rows[node] * ROW_HEIGHT


def draw_svg(tree: Tree, attributes: Mapping[int, Mapping[str, str]] | None = None, role: str = "img") -> str:
    """The tree as one SVG element. `attributes` are added to the groups of their nodes.

    `role` is the ARIA role of the image; its ARIA label is the sentence.

    >>> from gpuparse.trees import parse_tree
    >>> image = draw_svg(parse_tree("(NP (NNP Ann) (CC &) (NNP Bob))"))
    >>> image.count("<text"), "&amp;" in image
    (7, True)
    """
    placement = place_nodes(tree)
    width, height = _pixels(placement.width), _pixels(placement.height)
    words = " ".join(token.word for token in tree.tokens())
    opening = (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="gpuparse-tree" role="{role}" aria-label="{_escaped(words)}" '
        f'width="{width}" height="{height}" viewBox="0 0 {width} {height}" fill="currentColor" text-anchor="middle" '
        f'font-family="system-ui, sans-serif" font-size="{FONT}">'
    )
    edges = "".join(f'<path d="{path}"/>' for path in _edges(tree, placement))
    nodes = [_node(tree, placement, node, (attributes or {}).get(node, {})) for node in range(len(tree))]
    lines = (
        '<g class="edges" aria-hidden="true" fill="none" stroke="currentColor" stroke-opacity="0.4" stroke-width="1.4">'
        f"{edges}</g>"
    )
    return "\n".join([opening, lines, *nodes, "</svg>"])


def place_nodes(tree: Tree) -> Placement:
    """Find a place for every node.

    >>> from gpuparse.trees import parse_tree
    >>> placement = place_nodes(parse_tree("(S (NP (NNP Ann)) (VBZ sings))"))
    >>> placement.rows, placement.middles[1] == placement.middles[2]
    ((0, 1, 2, 2), True)
    """
    widths = tuple(_text_width(tree, node) for node in range(len(tree)))
    columns = _column_widths(tree, widths)
    lefts = _column_lefts(tree, columns)
    middles = [0.0] * len(tree)
    for node in range(len(tree) - 1, -1, -1):
        ends = [middles[child] for child in tree.children(node)] or [lefts[node] + columns[node] / 2]
        spare = (widths[node] + GAP) / 2
        middle = (ends[0] + ends[-1]) / 2
        middles[node] = min(max(middle, lefts[node] + spare), lefts[node] + columns[node] - spare)
    rows = _rows(tree)
    lowest = 2 if any(word is not None for word in tree.words) else 1  # lines: a tag and its word, or a label
    height = 2 * BORDER + max(rows) * ROW_HEIGHT + lowest * LABEL_HEIGHT
    return Placement(tuple(middles), rows, widths, 2 * BORDER + columns[0], height)


def _column_widths(tree: Tree, widths: tuple[float, ...]) -> list[float]:
    columns = [0.0] * len(tree)
    for node in range(len(tree) - 1, -1, -1):
        columns[node] = max(widths[node] + GAP, sum(columns[child] for child in tree.children(node)))
    return columns


def _column_lefts(tree: Tree, columns: list[float]) -> list[float]:
    """Where each node's column begins; what is below a wider label is centred."""
    lefts = [float(BORDER)] * len(tree)
    for node in range(len(tree)):
        below = sum(columns[child] for child in tree.children(node))
        left = lefts[node] + (columns[node] - below) / 2
        for child in tree.children(node):
            lefts[child] = left
            left += columns[child]
    return lefts


def _rows(tree: Tree) -> tuple[int, ...]:
    """A constituent's row is the number of those above it; all terminals are in the row below the lowest."""
    depths = [0] * len(tree)
    for node in range(len(tree)):
        for child in tree.children(node):
            depths[child] = depths[node] + 1
    lowest = max(depths)
    return tuple(lowest if word is not None else depth for word, depth in zip(tree.words, depths, strict=True))


def _edges(tree: Tree, placement: Placement) -> Iterator[str]:
    """The paths from parents to children: a bend to the child's column between two rows, then straight down."""
    for node in range(len(tree)):
        from_x, from_y = _pixels(placement.middles[node]), placement.top(node) + LABEL_HEIGHT
        bent = placement.top(node) + ROW_HEIGHT  # where the row below begins
        half = _pixels((from_y + bent) / 2)
        for child in tree.children(node):
            x, y = _pixels(placement.middles[child]), _pixels(placement.top(child))
            bend = "" if x == from_x else f"C{from_x} {half} {x} {half} {x} {_pixels(bent)}"
            yield f"M{from_x} {_pixels(from_y)}{bend}V{y}"


def _node(tree: Tree, placement: Placement, node: int, attributes: Mapping[str, str]) -> str:
    word, label = tree.words[node], _escaped(tree.labels[node] or NO_LABEL)
    x, top = placement.middles[node], placement.top(node)
    extra = "".join(f' {name}="{_escaped(value)}"' for name, value in attributes.items())
    if word is not None:
        return (
            f'<g class="terminal" data-node="{node}"{extra}>'
            f'<text class="tag" x="{_pixels(x)}" y="{_pixels(top + 16)}" font-size="{TAG_FONT}" fill-opacity="0.75">'
            f'{label}</text><text class="word" x="{_pixels(x)}" y="{_pixels(top + LABEL_HEIGHT + 14)}">{_escaped(word)}'
            "</text></g>"
        )
    width = placement.widths[node] + 10
    return (
        f'<g class="constituent" data-node="{node}"{extra}>'
        f'<rect x="{_pixels(x - width / 2)}" y="{_pixels(top)}" width="{_pixels(width)}" height="{LABEL_HEIGHT}" '
        'rx="6" fill-opacity="0.07"/>'
        f'<text x="{_pixels(x)}" y="{_pixels(top + 17)}" font-weight="600">{label}</text></g>'
    )


def _text_width(tree: Tree, node: int) -> float:
    word, label = tree.words[node], tree.labels[node] or NO_LABEL
    return _width(label, FONT) if word is None else max(_width(label, TAG_FONT), _width(word, FONT))


def _width(text: str, font: int) -> float:
    """About how wide a text is, more rather than less: fonts differ."""
    return font * sum(map(_ems, text))


def _ems(character: str) -> float:
    if unicodedata.combining(character):
        return 0.0
    if character in _NARROW:
        return 0.42
    if character.isascii():
        return 0.98 if character in "mwMW@%" else 0.76 if character.isupper() else 0.64
    return 1.1 if unicodedata.east_asian_width(character) in "WFA" else 0.76


def _pixels(length: float) -> str:
    return f"{length:.1f}".removesuffix(".0")


def _escaped(text: str) -> str:
    """The text for XML, in which some control characters are not allowed in any form."""
    return escape(_NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text))

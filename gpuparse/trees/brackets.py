"""Penn brackets, in and out: `(S (NP (NNP Ann)) (VP (VBZ sings)))`.

One regular expression cuts the text into whole terminals, opening and closing brackets; line numbers are counted only
when an error needs one. Space, tab and line breaks separate. Any other white space does between brackets; inside a word
it is part of the word. A line between trees that begins with # or ; is a comment.
"""

from __future__ import annotations

import os
import re
import sys
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path

from gpuparse.errors import TreebankError, UsageError
from gpuparse.trees.meter import Meter
from gpuparse.trees.tree import UNPARSED, Tree

TREEBANK_SUFFIXES = (".mrg", ".ptb", ".parse", ".tree")
STDIN = "-"

# group 1: the label after an opening bracket; group 2: the word, where a terminal follows whole; group 3: a word alone
_PIECE = re.compile(r"\([ \t\r\n]*([^ \t\r\n()]*)(?:[ \t\r\n]+([^ \t\r\n()]+)[ \t\r\n]*\))?|\)|([^ \t\r\n()]+)")
_LABEL, _WORD, _STRAY = 1, 2, 3
_NO_PARSE = re.compile(r"\([ \t\r\n]*(?:\([ \t\r\n]*\)[ \t\r\n]*)?\)")  # `()` or `(())`
_LINE_BREAK = re.compile(r"\r\n|\r|\n")
_TREE_ON_NEW_LINE = re.compile(r"(?<=[\r\n])\(")
_UNDECODED = re.compile("[\udc80-\udcff]")  # bytes that are not UTF-8, as surrogateescape decodes them


_NOT_UTF8 = "found bytes that are not UTF-8"
_ONE_WORD = "a word stands alone with its tag, as in (NN rain)"
_BYTE_ORDER_MARK = "\ufeff"  # skipped between trees, so that concatenated files can be read
_COMMENT = re.compile(r"^[#;]", re.MULTILINE)


class _Malformed(Exception):
    """A tree can't be read: where it begins in the text, where the problem is, and what it is."""

    def __init__(self, begin: int, position: int, problem: str) -> None:
        super().__init__(problem)
        self.begin = begin
        self.position = position
        self.problem = problem

    def error(self, line_starts: list[int], source: str) -> TreebankError:
        return TreebankError(source, bisect_right(line_starts, self.position), self.problem)


def read_trees(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    *,
    skip_bad: bool = False,
    skipped: list[TreebankError] | None = None,
    meter: Meter | None = None,
) -> Iterator[Tree]:
    """The trees of files and folders, one after the other; `-` is the standard input.

    A malformed tree is an error. With `skip_bad` it is left out and its error is added to `skipped`, if there is such
    a list; from there on every line of the file that starts with an opening bracket starts a tree.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "a.mrg").write_text("( (S (VP (VB Go))))")
    ...     [str(tree) for tree in read_trees(folder)]
    ['( (S (VP (VB Go))))']
    """
    for path in treebank_files(paths):
        text, source = _read_text(path, strict=not skip_bad)
        if skip_bad:
            yield from _parse_skipping(text, source, [] if skipped is None else skipped)
            _advance(meter, path, 1.0)
        else:
            yield from _parse_metered(text, source, path, meter)


def treebank_files(paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]]) -> list[Path]:
    """The files that these paths stand for: a folder stands for its .mrg .ptb .parse .tree files, in sorted order.

    >>> [str(path) for path in treebank_files("-")]
    ['-']
    """
    files: list[Path] = []
    for path in [paths] if isinstance(paths, str | os.PathLike) else paths:
        path = Path(path)
        if path.is_dir():
            inside = sorted(
                file for file in path.rglob("*") if file.suffix.lower() in TREEBANK_SUFFIXES and file.is_file()
            )
            if not inside:
                raise UsageError(
                    f"{path}: no treebank in this folder; its files should end in {' '.join(TREEBANK_SUFFIXES)}"
                )
            files += inside
        elif str(path) == STDIN or path.exists():
            files.append(path)
        else:
            raise UsageError(f"{path}: no such file or folder")
    return files


def parse_tree(text: str) -> Tree:
    """The one tree in a text.

    >>> len(parse_tree("(NP (DT the) (NN rain))"))
    3
    """
    trees = list(parse_trees(text))
    if len(trees) != 1:
        raise TreebankError("<text>", 1, f"found {len(trees)} trees where one was expected")
    return trees[0]


def parse_trees(text: str, source: str = "<text>") -> Iterator[Tree]:
    """The trees in a text, one after another; `source` names it in errors.

    >>> [str(tree) for tree in parse_trees("(NP (NN rain)) (NP (NN snow))")]
    ['(NP (NN rain))', '(NP (NN snow))']
    """
    try:
        text = _without_comments(text)
        for tree, _, _ in _scan(text, 0, len(text)):
            yield tree
    except _Malformed as bad:
        raise bad.error(_line_starts(text), source) from None


def _parse_metered(text: str, source: str, path: Path, meter: Meter | None) -> Iterator[Tree]:
    """The trees of a file's text; the meter learns how far each reaches."""
    reached = 0
    try:
        for tree, _, end in _scan(text, 0, len(text)):
            yield tree
            _advance(meter, path, (end - reached) / len(text))
            reached = end
    except _Malformed as bad:
        raise bad.error(_line_starts(text), source) from None


def _advance(meter: Meter | None, path: Path, share: float) -> None:
    if meter is not None and path.is_file():
        meter.advance(path.stat().st_size * share)


def _parse_skipping(text: str, source: str, skipped: list[TreebankError]) -> Iterator[Tree]:
    line_starts = _line_starts(text)

    def decoded_trees(begin: int, end: int) -> Iterator[Tree]:
        for tree, tree_begin, tree_end in _scan(text, begin, end):
            undecoded = _UNDECODED.search(text, tree_begin, tree_end)
            if undecoded is None:
                yield tree
            else:
                skipped.append(_Malformed(tree_begin, undecoded.start(), _NOT_UTF8).error(line_starts, source))

    try:
        yield from decoded_trees(0, len(text))
        return
    except _Malformed as bad:
        starts = [bad.begin, *(match.start() for match in _TREE_ON_NEW_LINE.finditer(text, bad.begin + 1))]
    for begin, end in pairwise([*starts, len(text)]):  # up to the next start, so that a bad tree hides no good one
        try:
            yield from decoded_trees(begin, end)
        except _Malformed as bad:
            skipped.append(bad.error(line_starts, source))


def _scan(text: str, start: int, stop: int) -> Iterator[tuple[Tree, int, int]]:
    """The trees between two positions, each with the positions where it begins and ends in the text."""
    labels: list[str] = []
    words: list[str | None] = []
    ends: list[int] = []
    open_nodes: list[int] = []
    begin = start
    strings: dict[str, str] = {}  # one string for all the nodes with a label
    for piece in _PIECE.finditer(text, start, stop):
        kind = piece.lastindex
        if kind == _STRAY and piece[_STRAY].isspace():
            continue
        if not open_nodes:
            if kind == _STRAY and piece[_STRAY] == _BYTE_ORDER_MARK:
                continue
            begin = piece.start()
            if kind is None or kind == _STRAY:
                raise _Malformed(begin, begin, f"found {piece[0]!r} where '(' was expected")
            labels, words, ends = [], [], []
        if kind == _WORD:
            label, word, _ = piece.groups()
            labels.append(strings.setdefault(label, label))
            words.append(word)
            ends.append(len(labels))
        elif kind == _LABEL:
            open_nodes.append(len(labels))
            label = piece[_LABEL]
            labels.append(strings.setdefault(label, label))
            words.append(None)
            ends.append(0)
            continue
        elif kind is None:
            node = open_nodes.pop()
            ends[node] = len(labels)
            if ends[node] == node + 1 and _NO_PARSE.match(text, begin) is None:
                raise _Malformed(begin, piece.start(), f"found ')' after '({labels[node]}', expected a word or '('")
        else:
            raise _Malformed(begin, piece.start(), f"found {piece[0]!r} where '(' or ')' was expected; {_ONE_WORD}")
        if not open_nodes:
            yield (Tree(labels, words, ends) if any(labels) else UNPARSED), begin, piece.end()
    if open_nodes:
        raise _Malformed(begin, begin, f"the tree that starts here never ends: expected {len(open_nodes)} more ')'")


def _read_text(path: Path, strict: bool) -> tuple[str, str]:
    """The text of a file and its name in errors. If not strict, bytes that are not UTF-8 become surrogates."""
    source = "<stdin>" if str(path) == STDIN else str(path)
    try:
        content = sys.stdin.buffer.read() if str(path) == STDIN else path.read_bytes()
    except OSError as error:
        raise UsageError(f"{source}: can't be read: {error.strerror}") from error
    try:
        return _without_comments(content.decode("utf-8", errors="strict" if strict else "surrogateescape")), source
    except UnicodeDecodeError as error:
        before = content[: error.start].decode("utf-8")
        raise TreebankError(source, len(_line_starts(before)), _NOT_UTF8) from error


def _without_comments(text: str) -> str:
    """The text with spaces in place of the comments between trees, so that all else stays where it is.

    >>> _without_comments("# (a\\n(S (# #)\\n# (NN b))")
    '    \\n(S (# #)\\n# (NN b))'
    """
    if _COMMENT.search(text) is None:
        return text
    lines, depth = [], 0
    for line in re.split("([\r\n]+)", text):
        is_comment = depth <= 0 and line[:1] in ("#", ";")
        lines.append(" " * len(line) if is_comment else line)
        depth += 0 if is_comment else line.count("(") - line.count(")")
    return "".join(lines)


def _line_starts(text: str) -> list[int]:
    return [0, *(line_break.end() for line_break in _LINE_BREAK.finditer(text))]

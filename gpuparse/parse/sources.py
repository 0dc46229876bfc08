"""Where training data comes from: files, and lists of files with weights and the conventions of each source.

Treebanks differ in what they call a tag or a label. A convention turns a source's into those of the others:

    [source.map]
    TO = { tag = "IN", unless_before = ["VB"], skipping = ["RB"] }     # "to" before a noun phrase
    RP = { tag = "RB", words = ["out"] }
    HYPH = ":"
    CODE = ""                                                          # the token is left out
    [source.labels]
    NML = ""                                                           # the node goes, what is below it stays
    WHPP = "PP"
    NP = { label = "WHNP", begins = ["WDT", "WP"] }                    # if its first child is a token with this tag

Nodes whose label is among `removed` go with all that is below them.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import msgspec

from gpuparse.errors import InputError, TreebankError
from gpuparse.trees import Language, Meter, Token, Tree, read_trees, strip, treebank_files

LIST_SUFFIX = ".toml"
MOST_WEIGHT = 1000


class TagMapping(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a tag of a source becomes."""

    tag: str  # "" leaves the token out
    unless_before: tuple[str, ...] = ()  # it stays if the next word has one of these tags
    skipping: tuple[str, ...] = ()  # words with these tags are not counted as the next
    words: tuple[str, ...] = ()  # the words that it is for, in small letters; empty: all


class LabelMapping(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a label of a source becomes."""

    label: str  # "" takes the node out, and leaves what is below it
    begins: tuple[str, ...] = ()  # the tags, as they become, of which its first child must have one; empty: any child

    def becomes(self, first_tag: str | None) -> bool:
        """Whether it is for a node whose first child is a token with this tag, None for a non-terminal."""
        return not self.begins or first_tag in self.begins


@dataclass(frozen=True)
class Convention:
    """What becomes of a source's tags and labels."""

    tags: Mapping[str, TagMapping] = field(default_factory=dict)
    labels: Mapping[str, LabelMapping] = field(default_factory=dict)
    removed: frozenset[str] = frozenset()  # labels of nodes that go with all that is below them

    def retagged(self, tokens: Sequence[Token]) -> list[Token]:
        """The tokens of a sentence, each with its new tag, "" if it is left out.

        >>> to = Convention({"TO": TagMapping("IN", unless_before=("VB",))})
        >>> [token.tag for token in to.retagged([Token("to", "TO"), Token("us", "PRP")])]
        ['IN', 'PRP']
        """
        return [Token(word, self._new_tag(tokens, place)) for place, (word, _) in enumerate(tokens)]

    def _new_tag(self, tokens: Sequence[Token], place: int) -> str:
        word, tag = tokens[place]
        mapping = self.tags.get(tag)
        if mapping is None or (mapping.words and word.lower() not in mapping.words):
            return tag
        if mapping.unless_before:
            following = (token.tag for token in tokens[place + 1 :] if token.tag not in mapping.skipping)
            if next(following, None) in mapping.unless_before:
                return tag
        return mapping.tag

    def converted(self, tree: Tree, language: Language) -> Tree | None:
        """A tree, stripped, with the new tags and labels; None where no token is left.

        >>> from gpuparse.trees import load_language, parse_tree
        >>> tree = parse_tree("(NP (NML (NN sea) (NN water)) (EDITED (NN wat)) (NN level))")
        >>> convention = Convention(labels={"NML": LabelMapping("")}, removed=frozenset({"EDITED"}))
        >>> str(convention.converted(tree, load_language()))
        '(NP (NN sea) (NN water) (NN level))'
        """
        stripped = strip(tree, language)
        retagged = iter(self.retagged(stripped.tokens()))
        tags = [None if word is None else next(retagged).tag for word in stripped.words]
        labels, stays, gone_until = [], [], 0
        for node, (label, tag, end) in enumerate(zip(stripped.labels, tags, stripped.ends, strict=True)):
            new = tag if tag is not None else self._new_label(label, tags[node + 1] if node + 1 < end else None)
            if tag is None and label in self.removed:
                gone_until = max(gone_until, end)
            labels.append(new or label)
            stays.append(node >= gone_until and (bool(new) or node == 0))
        return _pruned(stripped.relabelled(labels), stays)

    def _new_label(self, label: str, first_tag: str | None) -> str:
        mapping = self.labels.get(label)
        return mapping.label if mapping is not None and mapping.becomes(first_tag) else label


def _pruned(tree: Tree, stays: Sequence[bool]) -> Tree | None:
    """The tree of the nodes marked True that are tokens or have a token below them."""
    before = [0]
    for word, keep in zip(tree.words, stays, strict=True):
        before.append(before[-1] + (keep and word is not None))
    if before[-1] == 0:
        return None
    kept = [keep and before[end] > before[node] for node, (keep, end) in enumerate(zip(stays, tree.ends, strict=True))]
    return tree.only([True, *kept[1:]])


@dataclass(frozen=True)
class SourceFile:
    """A file to learn from, and how."""

    path: Path
    weight: float = 1.0  # what each of its sentences counts
    convention: Convention = Convention()
    without: frozenset[str] = frozenset()  # sentences with one of these words are left out


class WeightedTree(NamedTuple):
    """A tree to learn from, and what it counts."""

    tree: Tree
    weight: float = 1.0


def read_treebanks(
    files: Sequence[SourceFile],
    language: Language,
    skip_bad: bool = False,
    skipped: list[TreebankError] | None = None,
    meter: Meter | None = None,
) -> Iterator[WeightedTree]:
    """The trees of files, each with what it counts. Those of a source with a convention are stripped, and follow it."""
    for file in files:
        for tree in read_trees(file.path, skip_bad=skip_bad, skipped=skipped, meter=meter):
            converted = tree if file.convention == Convention() else file.convention.converted(tree, language)
            if converted is not None and file.without.isdisjoint(word for word in converted.words if word):
                yield WeightedTree(converted, file.weight)


def source_files(names: Sequence[str]) -> list[SourceFile]:
    """The files that names stand for: lists of sources, folders of treebanks, and files."""
    return [file for name in names for file in (read_list(Path(name)) if is_list(name) else _plain_files(name))]


def _plain_files(name: str) -> list[SourceFile]:
    return [SourceFile(path) for path in treebank_files([name])]


def is_list(name: str) -> bool:
    """Whether a name on the command line is that of a list of sources."""
    return Path(name).suffix == LIST_SUFFIX


def read_list(path: Path) -> list[SourceFile]:
    """A list of sources; its files are relative to it, and may be patterns such as `*.tagged`."""
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise InputError(f"{path}: can't be read as TOML: {error}") from error
    sources = content.get("source")
    if not isinstance(sources, list) or not sources or set(content) != {"source"}:
        raise InputError(f"{path}: a list of sources consists of tables [[source]], each with its files")
    return [file for number, source in enumerate(sources, 1) for file in _files_of(path, source, f"source {number}")]


_Mapping = TypeVar("_Mapping", TagMapping, LabelMapping)
_ENTRIES = ("files", "weight", "map", "labels", "removed", "without")


def _files_of(path: Path, source: Any, place: str) -> Iterator[SourceFile]:
    where = f"{path}, {place}"
    if not isinstance(source, dict) or not set(source) <= set(_ENTRIES):
        raise InputError(f"{where}: it can have {', '.join(_ENTRIES[:-1])} and {_ENTRIES[-1]}, and nothing else")
    for name in ("files", "removed", "without"):
        strings = source.get(name, [])
        if not isinstance(strings, list) or not all(isinstance(string, str) for string in strings):
            raise InputError(f"{where}: {name} must be a list of strings")
    weight = source.get("weight", 1.0)
    if isinstance(weight, bool) or not isinstance(weight, int | float) or not 0 < weight <= MOST_WEIGHT:
        raise InputError(f"{where}: weight must be a number above 0, at most {MOST_WEIGHT}")
    convention = Convention(
        _tag_mappings(source.get("map", {}), where),
        _label_mappings(source.get("labels", {}), where),
        frozenset(source.get("removed", [])),
    )
    for pattern in source.get("files", []):
        matches = sorted(path.parent.glob(pattern)) if not Path(pattern).is_absolute() else [Path(pattern)]
        if not matches:
            raise InputError(f"{where}: there is no file {pattern}")
        for match in matches:
            yield SourceFile(match, float(weight), convention, frozenset(source.get("without", [])))


def _label_mappings(entries: Any, where: str) -> dict[str, LabelMapping]:
    return _mappings(entries, LabelMapping, "label", f"{where}: labels")


def _tag_mappings(entries: Any, where: str) -> dict[str, TagMapping]:
    return _mappings(entries, TagMapping, "tag", f"{where}: map")


def _mappings(entries: Any, kind: type[_Mapping], symbol: str, where: str) -> dict[str, _Mapping]:
    """What tags or labels become; where nothing but the new one is given, it stands for itself."""
    if not isinstance(entries, dict):
        raise InputError(f"{where} must be a table from {symbol}s to {symbol}s")
    mappings = {}
    for name, entry in entries.items():
        try:
            mappings[name] = msgspec.convert({symbol: entry} if isinstance(entry, str) else entry, kind)
        except msgspec.ValidationError as error:
            raise InputError(
                f"{where}.{name} must be a {symbol}, or a table of a {symbol} and lists: {error}"
            ) from error
    return mappings

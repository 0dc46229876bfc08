"""What is particular to a language and to the style of its treebanks: head rules, POS tag classes, punctuation, how
labels are written, and which of all that counts when trees are scored. It is read from a TOML file.

The packaged file is English; its comments say what the entries mean. The text of the file is kept, so that a model can
carry its language with it. Where a file has no entry for tags, labels or scoring, English's holds.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib import resources
from pathlib import Path
from typing import Any

from gpuparse.errors import LanguageError
from gpuparse.trees.tag_rules import TagRules
from gpuparse.trees.tree import TOP

MOST_CHARACTERS = 100_000  # of a language file: the English one has six thousand
MOST_DOTS = 50  # in a line of it: a dotted key has two

_HEADS = ("heads", "default", "tagclasses", "punctuation", "tagger")  # tables that mean nothing where a file lacks them
_STYLE = {  # tables that are English's, entry by entry, where a file lacks them
    "tags": ("conjunctions", "traces"),
    "labels": ("cut", "renamed", "roots", "headed_like"),
    "scoring": ("name", "deleted", "deleted_for_length", "equal_labels", "cut"),
}
_NO_LABEL = re.compile(r"[\s()]|^$")  # what no label can have in brackets


@dataclass(frozen=True)
class Scan:
    """One scan over the children: the first one met whose label is among these is the head."""

    from_left: bool
    labels: tuple[str, ...]


@dataclass(frozen=True)
class HeadRule:
    """How a label finds its head child; heads.py says in which order the parts apply."""

    scans: tuple[Scan, ...]  # tried in order; labels in order of priority are one scan each
    fallback_from_left: bool  # no scan finds a child: the first non-punctuation child from this end
    last: str | None = None  # a last child with this label is the head, before any scan


@dataclass(frozen=True)
class Scoring:
    """What counts when trees are compared."""

    name: str  # printed with the figures
    deleted: frozenset[str]  # tags whose words don't count, and labels whose brackets don't
    deleted_for_length: frozenset[str]  # tags that are not counted in the length of a sentence
    equal_labels: tuple[tuple[str, str], ...]  # labels or tags that count as the same, in either direction
    cut: tuple[str, ...]  # a bracket's label ends where the first of these begins


@dataclass(frozen=True)
class Language:
    """Head rules, tag classes, punctuation, tags, labels and scoring. Two languages are equal if their texts are.

    >>> english = load_language()
    >>> english.tag_class("NNS"), english.tag_class("-X-")
    ('N', '-X-')
    """

    text: str  # the TOML file, as it was
    rules: Mapping[str, HeadRule] = field(compare=False, repr=False)
    default_rule: HeadRule = field(compare=False, repr=False)  # for a label with no rule
    classes: Mapping[str, str] = field(compare=False, repr=False)  # from a tag to its class
    raised: frozenset[str] = field(compare=False, repr=False)  # never at the edge of an item, never a head
    quotes: frozenset[str] = field(compare=False, repr=False)  # removed before parsing
    notwords: frozenset[str] = field(compare=False, repr=False)  # not counted as words of a sentence
    conjunctions: frozenset[str] = field(compare=False, repr=False)  # of `A CC B` the head is that of A
    traces: frozenset[str] = field(compare=False, repr=False)  # the tags of tokens that are no words of the text
    cut: tuple[str, ...] = field(compare=False, repr=False)  # a label ends where the first of these begins
    renamed: Mapping[str, str] = field(compare=False, repr=False)  # from a label of the treebank to one that is learned
    roots: frozenset[str] = field(compare=False, repr=False)  # the labels of the node above a sentence; TOP is one
    scoring: Scoring = field(compare=False, repr=False)
    tag_rules: TagRules = field(compare=False, repr=False, default_factory=TagRules)  # for the tagger

    def tag_class(self, tag: str) -> str:
        """The class of a tag; a tag in no class is its own.

        >>> load_language().tag_class("VBZ")
        'V'
        """
        return self.classes.get(tag, tag)

    def rule(self, label: str) -> HeadRule:
        """The head rule of a label.

        >>> load_language().rule("PP").scans[0]
        Scan(from_left=False, labels=('IN',))
        """
        return self.rules.get(label, self.default_rule)

    def plain_label(self, label: str) -> str:
        """A label without what is cut off it; one that would be empty then stays whole.

        >>> [load_language().plain_label(label) for label in ("NP-SBJ-1", "NP=2", "ADVP|PRT", "-LRB-")]
        ['NP', 'NP', 'ADVP', '-LRB-']
        """
        cut = self._cuts.search(label)
        return label[: cut.start()] or label if cut else label

    @cached_property
    def _cuts(self) -> re.Pattern[str]:
        return re.compile("|".join(map(re.escape, self.cut)) or r"(?!)")  # which is found nowhere

    @cached_property
    def scored_as_penn(self) -> bool:
        """Whether the treebank's trees can be scored as they are, since they have the style that EVALB's rules know."""
        english = _english()
        return (self.traces, self.cut, self.renamed) == (english.traces, english.cut, english.renamed)


def load_language(path: Path | None = None) -> Language:
    """The language described by a TOML file; None is the packaged English.

    >>> sorted(load_language().quotes)
    ['"', "''", '``']
    """
    if path is None:
        return _english()
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise LanguageError(f"{path}: can't be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise LanguageError(f"{path}: is not UTF-8 text (byte {error.start})") from error
    return parse_language(text, str(path))


@cache
def _english() -> Language:
    return parse_language(_english_text(), "english.toml")


@cache
def _english_text() -> str:
    return resources.files("gpuparse.trees.data").joinpath("english.toml").read_text(encoding="utf-8")


@cache
def _english_tables() -> Mapping[str, Any]:
    return tomllib.loads(_english_text())


def parse_language(text: str, source: str = "<text>") -> Language:
    """The language described by the text of a TOML file; `source` names it in errors.

    >>> latin = parse_language('[heads]\\nPP = { from = "left", labels = ["P"] }\\n[default]\\nfrom = "right"')
    >>> latin.rule("PP").scans, latin.rule("NP").fallback_from_left
    ((Scan(from_left=True, labels=('P',)),), False)
    """
    _check_size(text, source)
    try:
        tables = tomllib.loads(text)
    except RecursionError as error:
        raise LanguageError(f"{source}: its tables and lists are nested too deeply") from error
    except ValueError as error:  # tomllib's own, or that of a number with too many digits
        raise LanguageError(f"{source}: not valid TOML: {error}") from error
    reader = _Reader(source)
    reader.check_keys(tables, "the file", {*_HEADS, *_STYLE})
    default = reader.table(tables, "default")
    reader.check_keys(default, "default", {"from"})
    punctuation = reader.table(tables, "punctuation")
    reader.check_keys(punctuation, "punctuation", {"raised", "quotes", "notwords"})
    tags, labels, scoring = (reader.style(tables, name) for name in _STYLE)
    return Language(
        text=text,
        rules=reader.head_rules(reader.table(tables, "heads"), labels, "headed_like" in tables.get("labels", ())),
        default_rule=HeadRule(scans=(), fallback_from_left=reader.from_left(default, "default", "left")),
        classes=reader.tag_classes(reader.table(tables, "tagclasses")),
        raised=frozenset(reader.strings(punctuation, "raised", "punctuation")),
        quotes=frozenset(reader.strings(punctuation, "quotes", "punctuation")),
        notwords=frozenset(reader.strings(punctuation, "notwords", "punctuation")),
        conjunctions=frozenset(reader.strings(tags, "conjunctions", "tags")),
        traces=frozenset(reader.strings(tags, "traces", "tags")),
        cut=reader.marks(labels, "cut", "labels"),
        renamed=reader.renamed(labels),
        roots=frozenset(reader.strings(labels, "roots", "labels")) | {TOP},
        scoring=reader.scoring(scoring),
        tag_rules=reader.tag_rules(reader.table(tables, "tagger")),
    )


def _check_size(text: str, source: str) -> None:
    """Refuse what takes tomllib far more memory than its size promises: it takes the square of a dotted key's depth."""
    if len(text) > MOST_CHARACTERS:
        raise LanguageError(f"{source}: it has {len(text):,} characters; at most {MOST_CHARACTERS:,} can be read")
    for number, line in enumerate(text.split("\n"), 1):
        if line.count(".") > MOST_DOTS and not line.lstrip().startswith("#"):
            raise LanguageError(f"{source}, line {number}: over {MOST_DOTS} dots in a line; break the line")


def _is_pair(pair: Any) -> bool:
    return isinstance(pair, list) and len(pair) == 2 and all(isinstance(label, str) for label in pair)


class _Reader:
    """Takes checked values out of the TOML tables of one source."""

    def __init__(self, source: str) -> None:
        self.source = source

    def fail(self, problem: str) -> LanguageError:
        return LanguageError(f"{self.source}: {problem}")

    def check_keys(self, table: Mapping[str, Any], place: str, names: set[str]) -> None:
        unknown = sorted(set(table) - names)
        if unknown:
            raise self.fail(f"{place} has an unknown entry {unknown[0]!r}; known are {', '.join(sorted(names))}")

    def table(self, tables: Mapping[str, Any], name: str, place: str | None = None) -> Mapping[str, Any]:
        table = tables.get(name, {})
        if not isinstance(table, dict):
            raise self.fail(f"{place or name} must be a table")
        return table

    def style(self, tables: Mapping[str, Any], name: str) -> Mapping[str, Any]:
        """A table of which every entry that the file lacks is English's."""
        entries = self.table(tables, name)
        self.check_keys(entries, name, set(_STYLE[name]))
        return entries if entries.keys() == set(_STYLE[name]) else {**_english_tables()[name], **entries}

    def strings(self, table: Mapping[str, Any], key: str, place: str) -> tuple[str, ...]:
        strings = table.get(key, [])
        if not isinstance(strings, list) or not all(isinstance(string, str) for string in strings):
            raise self.fail(f"{place}: {key} must be a list of strings")
        return tuple(strings)

    def marks(self, table: Mapping[str, Any], key: str, place: str) -> tuple[str, ...]:
        marks = self.strings(table, key, place)
        if "" in marks:
            raise self.fail(f"{place}: {key} has an empty string")
        return marks

    def scoring(self, table: Mapping[str, Any]) -> Scoring:
        name, pairs = table["name"], table["equal_labels"]
        if not isinstance(name, str):
            raise self.fail("scoring: name must be a string")
        if not isinstance(pairs, list) or not all(_is_pair(pair) for pair in pairs):
            raise self.fail("scoring: equal_labels must be a list of pairs of labels")
        return Scoring(
            name=name,
            deleted=frozenset(self.strings(table, "deleted", "scoring")),
            deleted_for_length=frozenset(self.strings(table, "deleted_for_length", "scoring")),
            equal_labels=tuple((first, second) for first, second in pairs),
            cut=self.marks(table, "cut", "scoring"),
        )

    def label_pairs(self, table: Mapping[str, Any], key: str) -> Mapping[str, str]:
        pairs = table[key]
        if not isinstance(pairs, Mapping) or not all(isinstance(label, str) for label in pairs.values()):
            raise self.fail(f"labels: {key} must be a table from labels to labels")
        return pairs

    def renamed(self, table: Mapping[str, Any]) -> Mapping[str, str]:
        renamed = self.label_pairs(table, "renamed")
        for label, name in renamed.items():
            if _NO_LABEL.search(name):
                raise self.fail(f"labels: renamed.{label} can't be {name!r}, which is no label")
        return renamed

    def from_left(self, table: Mapping[str, Any], place: str, default: str | None = None) -> bool:
        end = table.get("from", default)
        if end not in ("left", "right"):
            raise self.fail(f'{place}: from must be "left" or "right", not {end!r}')
        return bool(end == "left")

    def head_rules(self, table: Mapping[str, Any], labels: Mapping[str, Any], own: bool) -> dict[str, HeadRule]:
        """The rules of all labels; `own` says whether the file itself lets labels be headed like others."""
        rules = {label: self.head_rule(entry, f"heads.{label}") for label, entry in table.items()}
        like = self.label_pairs(labels, "headed_like")
        for label, model in like.items():
            if own and model not in rules:
                raise self.fail(f"labels: headed_like.{label} is {model}, which has no rule among the heads")
        return {label: rules[model] for label, model in like.items() if model in rules} | rules

    def head_rule(self, entry: Any, place: str) -> HeadRule:
        if not isinstance(entry, dict):
            raise self.fail(f"{place} must be a table")
        if "steps" in entry:
            return self.stepwise_rule(entry, place)
        self.check_keys(entry, place, {"from", "labels"})
        from_left = self.from_left(entry, place)
        labels = self.strings(entry, "labels", place)
        return HeadRule(scans=tuple(Scan(from_left, (label,)) for label in labels), fallback_from_left=from_left)

    def stepwise_rule(self, entry: Mapping[str, Any], place: str) -> HeadRule:
        self.check_keys(entry, place, {"last", "steps"})
        last = entry.get("last")
        if last is not None and not isinstance(last, str):
            raise self.fail(f"{place}: last must be a string")
        if not isinstance(entry["steps"], list) or not all(isinstance(step, dict) for step in entry["steps"]):
            raise self.fail(f"{place}: steps must be a list of tables")
        for step in entry["steps"]:
            self.check_keys(step, f"a step of {place}", {"from", "labels"})
        scans = tuple(Scan(self.from_left(step, place), self.strings(step, "labels", place)) for step in entry["steps"])
        return HeadRule(scans=scans, fallback_from_left=False, last=last)

    def tag_rules(self, table: Mapping[str, Any]) -> TagRules:
        self.check_keys(table, "tagger", {"runs", "tokens", "predicates", "commands", "statements"})
        runs = self.table(table, "runs", "tagger.runs")
        for tag, characters in runs.items():
            if not isinstance(characters, str):
                raise self.fail(f"tagger.runs: {tag} must be a string of characters")
        lists = {
            name: {tag: self.strings(entries, tag, f"tagger.{name}") for tag in entries}
            for name in ("tokens", "commands", "statements")
            for entries in [self.table(table, name, f"tagger.{name}")]
        }
        return TagRules(runs=runs, predicates=self.strings(table, "predicates", "tagger"), **lists)

    def tag_classes(self, table: Mapping[str, Any]) -> dict[str, str]:
        classes: dict[str, str] = {}
        for name in table:
            for tag in self.strings(table, name, "tagclasses"):
                if classes.setdefault(tag, name) != name:
                    raise self.fail(f"tagclasses: {tag} is in two classes, {classes[tag]} and {name}")
        return classes

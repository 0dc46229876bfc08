"""Tagged text beyond the treebank: `word/TAG` lines, CoNLL-U, treebanks, and lists of such files with weights and maps.

Corpora differ in what they call a tag. A map turns the tags of a source into those of the treebank:

    TO = { tag = "IN", unless_before = ["VB"], skipping = ["RB"] }    # "to" before a noun phrase
    HYPH = ":"
    CODE = ""                                                          # the token is left out
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gpuparse.errors import InputError
from gpuparse.tag import TaggedSource
from gpuparse.text.tokens import ROUND_BRACKETS
from gpuparse.trees import Language, Token, read_trees, strip, treebank_files

LIST_SUFFIX = ".toml"
COLUMNS = 10  # of CoNLL-U
FORM, UPOS, XPOS = 1, 3, 4
NOT_GIVEN = "_"
TAGGED = re.compile(r"(.+)[/_]([^/_]+)")


@dataclass(frozen=True)
class TagMapping:
    """What a tag of a source becomes."""

    tag: str  # of the treebank; "" leaves the token out
    unless_before: tuple[str, ...] = ()  # it stays if the next word has one of these tags
    skipping: tuple[str, ...] = ()  # words with these tags are not counted as the next


@dataclass(frozen=True)
class SourceFile:
    """A file of tagged text, and how it is used."""

    path: Path
    weight: float = 1.0
    mappings: Mapping[str, TagMapping] = field(default_factory=dict)
    without: frozenset[str] = frozenset()  # sentences with one of these words are left out


def read_sources(names: Sequence[str], language: Language) -> list[TaggedSource]:
    """The tagged sentences of files, folders of treebanks, and lists of sources."""
    files = [file for name in names for file in _files_of(Path(name))]
    return [TaggedSource(list(_sentences_of(file, language)), file.weight) for file in files]


def _sentences_of(file: SourceFile, language: Language) -> Iterator[list[Token]]:
    for sentence in mapped(read_tagged_file(file.path, language), file.mappings):
        if file.without.isdisjoint(token.word for token in sentence):
            yield sentence


def read_tagged_file(path: Path, language: Language) -> Iterator[list[Token]]:
    """The sentences of a file of tagged text; what it is, its first line with words tells."""
    if path.is_dir():
        yield from _read_treebank(path, language)
        return
    try:
        with path.open(encoding="utf-8-sig") as lines:
            beginning = next((line for line in lines if line.strip() and not line.startswith("#")), "")
            lines.seek(0)
            if beginning.lstrip().startswith("("):
                yield from _read_treebank(path, language)
            elif beginning.count("\t") == COLUMNS - 1:
                yield from _read_conllu(lines, str(path))
            else:
                yield from _read_slashed(lines, str(path))
    except OSError as error:
        raise InputError(f"{path}: can't be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise InputError(
            f"{path}: this is not UTF-8 text ({error.reason}). Convert it first, with iconv say."
        ) from error


def mapped(sentences: Iterable[Sequence[Token]], mappings: Mapping[str, TagMapping]) -> Iterator[list[Token]]:
    """Sentences with the tags of the treebank.

    >>> to = TagMapping("IN", unless_before=("VB",))
    >>> [[token.tag for token in sentence] for sentence in mapped(
    ...     [[Token("to", "TO"), Token("go", "VB")], [Token("to", "TO"), Token("us", "PRP")]], {"TO": to})]
    [['TO', 'VB'], ['IN', 'PRP']]
    """
    for sentence in sentences:
        tokens = [Token(word, _mapped_tag(sentence, place, mappings)) for place, (word, _) in enumerate(sentence)]
        kept = [token for token in tokens if token.tag]
        if kept:
            yield kept


def _mapped_tag(sentence: Sequence[Token], place: int, mappings: Mapping[str, TagMapping]) -> str:
    tag = sentence[place].tag
    mapping = mappings.get(tag)
    if mapping is None:
        return tag
    if mapping.unless_before:
        following = (token.tag for token in sentence[place + 1 :] if token.tag not in mapping.skipping)
        if next(following, None) in mapping.unless_before:
            return tag
    return mapping.tag


def _read_treebank(path: Path, language: Language) -> Iterator[list[Token]]:
    for tree in read_trees([str(path)]):
        yield strip(tree, language).tokens()


def _read_slashed(lines: Iterable[str], source: str) -> Iterator[list[Token]]:
    for number, line in enumerate(lines, 1):
        tokens = []
        for piece in line.split():
            match = TAGGED.fullmatch(piece)
            if match is None:
                raise InputError(f"{source}, line {number}: {piece!r} has no tag; write word/TAG or word_TAG")
            tokens.append(Token(ROUND_BRACKETS.get(match[1], match[1]), match[2]))
        if tokens:
            yield tokens


def _read_conllu(lines: Iterable[str], source: str) -> Iterator[list[Token]]:
    """The words with their XPOS, or where there is none their UPOS; not ranges (3-4) nor empty nodes (3.1)."""
    tokens: list[Token] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            if tokens:
                yield tokens
            tokens = []
            continue
        if line.startswith("#"):
            continue
        columns = line.rstrip("\r\n").split("\t")
        if len(columns) != COLUMNS:
            raise InputError(f"{source}, line {number}: CoNLL-U has {COLUMNS} columns, this line has {len(columns)}")
        if not columns[0].isdecimal():
            continue
        word, tag = columns[FORM], columns[XPOS] if columns[XPOS] != NOT_GIVEN else columns[UPOS]
        if not word.strip() or tag in ("", NOT_GIVEN):
            raise InputError(f"{source}, line {number}: {word!r} has no tag, neither as XPOS nor as UPOS")
        tokens.append(Token(ROUND_BRACKETS.get(word, word).replace(" ", NOT_GIVEN), tag))
    if tokens:
        yield tokens


def _files_of(path: Path) -> list[SourceFile]:
    if path.suffix == LIST_SUFFIX:
        return _read_list(path)
    if path.is_dir():
        return [SourceFile(Path(file)) for file in treebank_files([str(path)])]
    return [SourceFile(path)]


def _read_list(path: Path) -> list[SourceFile]:
    """A list of sources; its files are relative to it, and may be patterns such as `*.tagged`."""
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise InputError(f"{path}: can't be read as TOML: {error}") from error
    sources = content.get("source")
    if not isinstance(sources, list) or not sources or set(content) != {"source"}:
        raise InputError(f"{path}: a list of tagged text consists of tables [[source]], each with its files")
    return [
        file for number, source in enumerate(sources, 1) for file in _source_files(path, source, f"source {number}")
    ]


def _source_files(path: Path, source: Any, place: str) -> Iterator[SourceFile]:
    if not isinstance(source, dict) or not set(source) <= {"files", "weight", "map", "without"}:
        raise InputError(f"{path}, {place}: it can have files, weight, map and without, and nothing else")
    patterns, weight, without = source.get("files"), source.get("weight", 1.0), source.get("without", [])
    for name, strings in (("files", patterns), ("without", without)):
        if not isinstance(strings, list) or not all(isinstance(string, str) for string in strings):
            raise InputError(f"{path}, {place}: {name} must be a list of strings")
    if isinstance(weight, bool) or not isinstance(weight, int | float) or not 0 < weight <= 1000:
        raise InputError(f"{path}, {place}: weight must be a number above 0, at most 1000")
    mappings = _mappings(source.get("map", {}), f"{path}, {place}")
    for pattern in patterns or []:
        matches = sorted(path.parent.glob(pattern)) if not Path(pattern).is_absolute() else [Path(pattern)]
        if not matches:
            raise InputError(f"{path}, {place}: there is no file {pattern}")
        yield from (SourceFile(match, float(weight), mappings, frozenset(without)) for match in matches)


def _mappings(entries: Any, place: str) -> dict[str, TagMapping]:
    if not isinstance(entries, dict):
        raise InputError(f"{place}: map must be a table from tags to tags")
    mappings = {}
    for tag, entry in entries.items():
        entry = {"tag": entry} if isinstance(entry, str) else entry
        lists = {"unless_before", "skipping"}
        whole = isinstance(entry, dict) and isinstance(entry.get("tag"), str) and set(entry) <= {"tag", *lists}
        if not whole or not all(
            isinstance(entry.get(name, []), list) and all(isinstance(other, str) for other in entry.get(name, []))
            for name in lists
        ):
            raise InputError(f"{place}: map.{tag} must be a tag, or have a tag, and lists unless_before and skipping")
        mappings[tag] = TagMapping(
            entry["tag"], *(tuple(entry.get(name, ())) for name in ("unless_before", "skipping"))
        )
    return mappings

"""Tagged text beyond the treebank: `word/TAG` lines, CoNLL-U, treebanks, and lists of such files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from gpuparse.errors import InputError
from gpuparse.parse.sources import SourceFile, source_files
from gpuparse.tag import TaggedSource
from gpuparse.text.tokens import ROUND_BRACKETS
from gpuparse.trees import Language, Token, read_trees, strip

COLUMNS = 10  # of CoNLL-U
FORM, UPOS, XPOS = 1, 3, 4
NOT_GIVEN = "_"
TAGGED = re.compile(r"(.+)[/_]([^/_]+)")


def read_sources(names: Sequence[str], language: Language) -> list[TaggedSource]:
    """The tagged sentences of files, folders of treebanks, and lists of sources."""
    files = source_files(names)
    return [TaggedSource(list(_sentences_of(file, language)), file.weight) for file in files]


def _sentences_of(file: SourceFile, language: Language) -> Iterator[list[Token]]:
    for tokens in read_tagged_file(file.path, language):
        sentence = [token for token in file.convention.retagged(tokens) if token.tag]
        if sentence and file.without.isdisjoint(token.word for token in sentence):
            yield sentence


def read_tagged_file(path: Path, language: Language) -> Iterator[list[Token]]:
    """The sentences of a file of tagged text; its first line with words shows of which kind it is."""
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

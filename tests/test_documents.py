"""The documents do what they say: their commands run, print what is shown, and name only what there is.

`python -m tests.test_documents` writes the output that commands print now into the documents. Where shown output holds
`...`, which stands for anything, it is left alone.
"""

from __future__ import annotations

import doctest
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import chdir, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from gpuparse.boost.log import Attempt
from gpuparse.cli.main import app
from gpuparse.options import TrainingOptions
from gpuparse.parse.features.cache import _arrays as cache_arrays
from gpuparse.parse.features.examples import Source, build_training_data
from gpuparse.parse.logic.vocabulary import build_vocabulary
from gpuparse.parse.model.contents import CLASSES_TYPES, PARSER_TYPES, TAGGER_TYPES, Header
from gpuparse.parse.properties import PROPERTIES
from gpuparse.tag.stored import STRINGS
from gpuparse.trees import load_language, parse_tree, synthetic_treebank
from gpuparse.words.file import TYPES as CLASSES_ARRAYS
from gpuparse.words.file import ClassesHeader
from tests.warm import plain_environment, warm_gpuparse

PROJECT = Path(__file__).resolve().parents[1]
DOCUMENTS = ["README.md", *(f"docs/{path.name}" for path in sorted((PROJECT / "docs").glob("*.md")))]

NOT_RUN = {  # why a block is not run, as the line above it says, and where there are such blocks
    "they take minutes": {"README.md": 1},
    "they take the GUM treebank": {"README.md": 1, "docs/performance.md": 2},
    "it installs": {"docs/gpu.md": 1},
    "they need a GPU": {"docs/gpu.md": 2},
}
# What the documents call their treebank is a synthetic one here, and the model is learned from it.
TREEBANK = {"train/a.mrg": (30, 0), "train/b.mrg": (10, 1), "dev/a.mrg": (5, 2), "test/a.mrg": (5, 3)}
PRACTICE = (
    "train my-treebank/train --output my.model --eta 0.6 --min-lambda 0.5",
    "parse my.model my-treebank/test --input trees --limit 2000",
    "explain 'Dogs bark.'",
)
OTHER_OPTIONS = {"--stats", "--set"}  # of programs that are not ours

FENCE = "```"
SAVED = re.compile(r"[Ss]ave (?:this|it) as `([\w.-]+)`:$")
WHY_NOT_RUN = re.compile(r"^\*Not run by the tests: (.+)\.\*$")


@dataclass
class Block:
    """A fenced block of a document."""

    kind: str  # sh, console, python, or whatever else a document shows
    above: str  # the last line before it that is not blank
    first: int  # the number of its first line, from 0
    lines: list[str] = field(default_factory=list)

    @property
    def saved_as(self) -> str | None:
        """The file that the document asks the reader to save it as."""
        match = SAVED.search(self.above)
        return match[1] if match else None

    @property
    def why_not_run(self) -> str | None:
        """What the document says of why it is not run."""
        match = WHY_NOT_RUN.match(self.above)
        return match[1] if match else None


@dataclass
class Shown:
    """Output that a document shows, and the output that there is."""

    first: int  # the number of its first line
    lines: list[str]
    printed: list[str]

    @property
    def agrees(self) -> bool:
        checker = doctest.OutputChecker()
        shown, printed = ("".join(f"{line.rstrip()}\n" for line in lines) for lines in (self.lines, self.printed))
        return checker.check_output(shown, printed, doctest.ELLIPSIS)


@dataclass
class Command:
    """A shell command of a block."""

    text: str
    output: int  # the number of the line after it, where its output begins
    shown: list[str] | None = None  # None: the document shows none


def blocks(text: str) -> list[Block]:
    """The fenced blocks of a document."""
    blocks: list[Block] = []
    above, inside = "", False
    for number, line in enumerate(text.splitlines()):
        if line.startswith(FENCE):
            inside = not inside
            if inside:
                blocks.append(Block(line.removeprefix(FENCE).strip(), above, number + 1))
        elif inside:
            blocks[-1].lines.append(line)
        elif line.strip():
            above = line
    assert not inside, "a block without an end"
    return blocks


def commands(block: Block) -> list[Command]:
    """The commands of a block: all lines of a `sh` block, those after a `$` in a `console` block."""
    commands: list[Command] = []
    for number, line in enumerate(block.lines, block.first):
        if block.kind == "console":
            if line.startswith("$ "):
                commands.append(Command(line[2:], number + 1, []))
            else:
                shown = commands[-1].shown
                assert shown is not None
                shown.append(line)
        elif commands and commands[-1].text.endswith("\\"):
            commands[-1].text = commands[-1].text[:-1] + line.strip()
        elif line.strip() and not line.startswith("#"):
            commands.append(Command(line, number + 1))
    return commands


def run(command: str, folder: Path, path: Path) -> str:
    """What a command prints; that it succeeds is asserted. `path` comes first on the PATH."""
    if "gpuparse train" in command and "--output my.model" in command:  # the reader has none yet
        (folder / "my.model").unlink(missing_ok=True)
        shutil.rmtree(folder / "my.model.training", ignore_errors=True)
    places = [str(path), str(Path(sys.executable).parent), os.environ["PATH"]]
    environment = plain_environment() | {"PATH": os.pathsep.join(places)}
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", command],
        cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, f"{command}\nends with {done.returncode}:\n{done.stderr}"
    return done.stdout


class Examples(doctest.DocTestRunner):
    """Runs the examples of a Python block, and keeps those that print something else than is shown."""

    def __init__(self) -> None:
        super().__init__(optionflags=doctest.ELLIPSIS)
        self.wrong: list[Shown] = []

    def report_failure(self, out: Any, test: doctest.DocTest, example: doctest.Example, got: str) -> None:
        first = (test.lineno or 0) + example.lineno + example.source.count("\n")
        self.wrong.append(Shown(first, example.want.splitlines(), got.splitlines()))

    def report_unexpected_exception(
        self, out: Any, test: doctest.DocTest, example: doctest.Example, exc_info: Any
    ) -> None:
        raise exc_info[1]


def run_document(text: str, name: str, folder: Path, path: Path) -> Iterator[Shown]:
    """Run what a document tells the reader to run, from top to bottom; what it shows and what there is."""
    names: dict[str, Any] = {}
    for block in blocks(text):
        if block.why_not_run:
            continue
        if block.saved_as:
            (folder / block.saved_as).write_text("\n".join(block.lines) + "\n", encoding="utf-8")
        elif block.kind in ("sh", "console"):
            for command in commands(block):
                printed = run(command.text, folder, path)
                if command.shown is not None:
                    yield Shown(command.output, command.shown, printed.rstrip("\n").splitlines())
        elif block.kind == "python":
            examples = doctest.DocTestParser().get_doctest("\n".join(block.lines), names, name, name, block.first)
            assert examples.examples, f"{name}, line {block.first}: neither an example nor a file to save"
            runner = Examples()
            with chdir(folder):
                runner.run(examples, out=io.StringIO().write, clear_globs=False)
            names.update(examples.globs)
            yield from runner.wrong


@dataclass(frozen=True)
class Reader:
    """Somebody who follows the documents: has the treebank and the model they speak of, and gpuparse on the PATH."""

    possessions: Path
    path: Path

    def follow(self, document: str, folder: Path) -> list[Shown]:
        """The outputs that are not as the document shows them."""
        shutil.copytree(self.possessions, folder)
        return [shown for shown in run_document(read(document), document, folder, self.path) if not shown.agrees]


@contextmanager
def a_reader(folder: Path) -> Iterator[Reader]:
    possessions = folder / "possessions"
    for name, (sentences, seed) in TREEBANK.items():
        file = possessions / "my-treebank" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("".join(f"{tree}\n" for tree in synthetic_treebank(sentences, seed)), encoding="utf-8")
    with warm_gpuparse(folder / "path", possessions, PRACTICE):
        yield Reader(possessions, folder / "path")


@pytest.fixture(scope="session")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reader]:
    with a_reader(tmp_path_factory.mktemp("documents")) as someone:
        yield someone


def read(document: str) -> str:
    return (PROJECT / document).read_text(encoding="utf-8")


@pytest.mark.parametrize("document", DOCUMENTS)
def test_what_a_document_runs_succeeds_and_prints_what_it_shows(document: str, reader: Reader, tmp_path: Path) -> None:
    wrong = reader.follow(document, tmp_path / "here")
    assert not wrong, "\n".join([*map(difference, wrong), "python -m tests.test_documents writes what there is"])


def difference(shown: Shown) -> str:
    return "\n".join([f"line {shown.first + 1} shows", *shown.lines, "but there is", *shown.printed])


def test_few_blocks_are_not_run_and_each_says_why() -> None:
    reasons: dict[str, Counter[str]] = {}
    for document in DOCUMENTS:
        for block in blocks(read(document)):
            if block.why_not_run:
                reasons.setdefault(block.why_not_run, Counter())[document] += 1
    assert reasons == NOT_RUN


@pytest.mark.parametrize("document", DOCUMENTS)
def test_commands_that_are_not_run_could_be(document: str) -> None:
    for block in blocks(read(document)):
        if block.why_not_run and block.kind == "sh":
            for command in commands(block):
                check_command(command.text)


def check_command(text: str) -> None:
    """Every program of a command line that is ours is there, and takes its arguments."""
    lexer = shlex.shlex(text, posix=True, punctuation_chars="|<>")
    lexer.whitespace_split = True
    words = list(lexer)
    for words_of_one in split(words, "|"):
        program, *arguments = next(iter(split(words_of_one, ">")))
        if program == "gpuparse":
            check_arguments(arguments)
        elif program.startswith("./"):
            assert os.access(PROJECT / program, os.X_OK), program
        elif program == "pip":
            extras = tomllib.loads(read("pyproject.toml"))["project"]["optional-dependencies"]
            assert set(re.findall(r"\[(\w+)\]", text)) <= set(extras), text
        else:
            assert program in ("pytest", "nsys"), f"{text}: what is {program}?"


def split(words: Sequence[str], at: str) -> Iterator[list[str]]:
    part: list[str] = []
    for word in words:
        if word == at:
            yield part
            part = []
        else:
            part.append(word)
    yield part


def find_command(arguments: Sequence[str]) -> tuple[Any, list[str]]:
    """The subcommand that arguments begin with, and the others."""
    command, rest = get_command(app), list(arguments)
    while rest and rest[0] in getattr(command, "commands", {}):
        command = command.commands[rest.pop(0)]
    return command, rest


def check_arguments(arguments: Sequence[str]) -> None:
    """The command line would be understood; nothing is run."""
    command, rest = find_command(arguments)
    assert not hasattr(command, "commands"), f"gpuparse {shlex.join(arguments)} names no command"
    command.make_context(command.name, rest)


def all_options(command: Any) -> set[str]:
    own = {name for parameter in command.params for name in parameter.opts if name.startswith("--")}
    return own.union({"--help"}, *(all_options(inner) for inner in getattr(command, "commands", {}).values()))


def inline_code(text: str) -> list[str]:
    """What stands between single backticks outside of blocks."""
    outside = re.sub(rf"^{FENCE}.*?^{FENCE}$", "", text, flags=re.MULTILINE | re.DOTALL)
    return re.findall(r"(?<!`)`([^`\n]+)`(?!`)", outside)


@pytest.mark.parametrize("document", DOCUMENTS)
def test_commands_and_options_in_sentences_are_there(document: str) -> None:
    everywhere = all_options(get_command(app)) | OTHER_OPTIONS
    for code in inline_code(read(document)):
        options = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", code))
        if code.startswith("gpuparse "):
            words = shlex.split(code)[1:]
            command, rest = find_command(words)
            assert rest != words or words[0].startswith("-"), f"{code}: there is no such command"
            assert options <= all_options(command), code
        assert options <= everywhere, code


@pytest.mark.parametrize("document", DOCUMENTS)
def test_files_that_a_document_names_are_there(document: str) -> None:
    text = read(document)
    for code in inline_code(text):
        if re.fullmatch(r"(gpuparse|kernels|scripts|tests|docs)/[\w./-]*", code):
            assert (PROJECT / code).exists(), code
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", text):
        if "://" not in target:
            assert (PROJECT / document).parent.joinpath(target).exists(), target


def test_a_word_of_the_glossary_is_at_home_where_it_says() -> None:
    rows = re.findall(r"^\| \*\*(.+)\*\* \|.*\| ([^|]+) \|$", read("docs/glossary.md"), re.MULTILINE)
    assert [word for word, _ in rows] == sorted((word for word, _ in rows), key=str.lower)
    for word, homes in rows:
        for home in inline_code(homes):
            assert word.split()[-1] in (PROJECT / home).read_text(encoding="utf-8").lower(), (word, home)


@pytest.mark.parametrize("document", DOCUMENTS)
def test_commands_stand_in_fenced_blocks_where_they_are_run(document: str) -> None:
    text = read(document)
    assert not re.findall(r"^(?: {4}|\t).*gpuparse (?:train|parse|eval|bench|explain).*$", text, flags=re.MULTILINE)
    assert {block.kind for block in blocks(text)} <= {"sh", "console", "python", "toml", "text", "json"}


@pytest.mark.parametrize("document", DOCUMENTS)
def test_a_document_names_no_place_of_one_machine(document: str) -> None:
    assert not re.findall(r"/(?:home|tmp|root|work|Users)/", read(document))


def test_the_page_on_files_names_every_array_and_key() -> None:
    named = set(inline_code(read("docs/files.md")))
    tree = parse_tree("(TOP (NP (NNP Ann)))")
    data = build_training_data(Source([tree], build_vocabulary([tree], load_language())))
    assert {*PARSER_TYPES, *TAGGER_TYPES, *CLASSES_TYPES, *CLASSES_ARRAYS} <= named
    assert set(ClassesHeader.__struct_fields__) <= named
    assert {prop.name for prop in PROPERTIES} <= named
    assert {*Header.__struct_fields__, *STRINGS, "templates", "style"} <= named
    assert set(cache_arrays(data)) <= named
    assert set(Attempt(0, False, 0.5, 1.0, 1.0, 1, 0, 0.1, None).to_json()) <= named
    assert set(TrainingOptions().as_json()) <= named


def write_documents() -> None:
    """Put the output that there is in place of the output that is shown."""
    with tempfile.TemporaryDirectory() as place, a_reader(Path(place)) as someone:
        for number, document in enumerate(DOCUMENTS):
            lines = read(document).splitlines()
            wrong = someone.follow(document, Path(place, str(number)))
            for shown in reversed(wrong):
                if any("..." in line for line in shown.lines):
                    print(f"{document}, to be seen to by hand: {difference(shown)}")
                else:
                    lines[shown.first : shown.first + len(shown.lines)] = shown.printed
            (PROJECT / document).write_text("\n".join(lines) + "\n", encoding="utf-8")
            print(f"{document}: {len(wrong)} outputs were not as shown")


if __name__ == "__main__":
    write_documents()

"""`--help` of every command fits a screen, in plain words, and one word stands for one thing in all of them."""

from __future__ import annotations

from typing import Any

import pytest
import typer

from gpuparse.cli.main import app
from tests.cli.terminal import Stream, run_with_streams
from tests.cli.test_command import COMMAND, run

SCREEN = 50  # lines
COMMON = 24  # lines up to the first heading of what few people need: a terminal of the usual size
WIDTH = 80  # columns
READ_MODELS = {"parse", "tag", "explain", "inspect", "bench parse"}
WRITE_FILES = {"train", "classes", "parse", "tag", "explain", "prepare", "examples", "synth"}
UNIDIOMATIC = (
    "unless told",
    "come along",
    "comes along",
    "side by side",
    "tree a line",
    "sentence a line",
    "one a line",
    " a second",
    "None",
)


def commands(group: Any, before: str = "") -> dict[str, Any]:
    """The commands by name, those within others too."""
    inner = {f"{before}{name}": command for name, command in group.commands.items()}
    return {
        **inner,
        **{
            n: c
            for name, group in inner.items()
            if hasattr(group, "commands")
            for n, c in commands(group, f"{name} ").items()
        },
    }


COMMANDS = commands(typer.main.get_command(app))
SIMPLE = {name: command for name, command in COMMANDS.items() if not hasattr(command, "commands")}


def options(name: str) -> dict[str, Any]:
    """The options of a command that its help shows, by their long names."""
    shown = [param for param in SIMPLE[name].params if param.param_type_name == "option" and not param.hidden]
    return {max(param.opts, key=len): param for param in shown}


@pytest.mark.parametrize("name", ["", *COMMANDS])
def test_the_help_of_a_command_fits_a_screen_and_is_plain_text_everywhere(name: str) -> None:
    shown = run_with_streams([*COMMAND, *name.split(), "--help"], stderr=Stream.SAME)
    lines = shown.stdout.decode().replace("\r", "").splitlines()
    assert shown.code == 0
    assert len(lines) <= (SCREEN if name else COMMON - 1)  # and the prompt after it
    assert max(map(len, lines)) <= WIDTH
    assert not [line for line in lines for phrase in UNIDIOMATIC if phrase in line]
    assert shown.stdout == run_with_streams([*COMMAND, *name.split(), "--help"], Stream.PIPE).stdout


@pytest.mark.parametrize("name", SIMPLE)
def test_every_option_says_what_it_is_for_and_what_it_takes(name: str) -> None:
    for option, param in options(name).items():
        assert param.help, option
        assert param.is_flag or param.metavar, option


def test_the_list_of_commands_tells_all_of_what_each_does() -> None:
    for arguments in ([], ["bench"]):
        assert "..." not in run(*arguments, "--help").stdout.partition("Commands:")[2]


def test_what_a_command_writes_is_output_and_the_model_it_reads_is_model() -> None:
    assert {name for name in SIMPLE if "--output" in options(name)} == WRITE_FILES
    assert {name for name in SIMPLE if "--model" in options(name)} == READ_MODELS


def test_the_common_options_come_first_and_the_others_under_headings() -> None:
    shown = run("train", "--help").stdout
    places = [shown.index(word) for word in ("--output", "--device", "--resume", "Learning:", "--eta", "Tuning")]
    assert places == sorted(places)


@pytest.mark.parametrize("name", SIMPLE)
def test_what_most_people_need_fits_the_smallest_screen(name: str) -> None:
    lines = run(*name.split(), "--help").stdout.splitlines()
    panels = {f"{param.rich_help_panel}:" for param in options(name).values() if param.rich_help_panel}
    first = next((number for number, line in enumerate(lines) if line in panels), len(lines))
    assert len("\n".join(lines[:first]).rstrip().splitlines()) <= COMMON


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--k", "0"], "'--k': "),
        (["--limit", "many"], "'--limit': "),
        (["--input", "treess"], "'--input': 'treess' is not one of 'auto', 'text', "),
    ],
)
def test_a_wrong_value_is_told_without_the_words_of_the_library_that_found_it(
    arguments: list[str], problem: str
) -> None:
    answer = run("parse", *arguments, "She left.")
    assert answer.returncode == 2
    assert f"Invalid value for {problem}" in answer.stderr
    assert "Input should" not in answer.stderr


def test_a_model_is_named_by_the_first_argument_or_by_the_option() -> None:
    by_argument = run("inspect", "english", "--label", "PP", "--top", "1")
    assert by_argument.stdout.startswith("The heaviest rules of PP")
    assert run("inspect", "--model", "english", "--label", "PP", "--top", "1").stdout == by_argument.stdout
    assert run("inspect", "english", "--model", "english").returncode == 2


def test_the_treebank_of_a_benchmark_is_not_taken_for_a_model() -> None:
    answer = run("bench", "parse", "english")
    assert (answer.returncode, "no treebank" in answer.stderr) == (2, True)

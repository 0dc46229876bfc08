"""`gpuparse parse` as a user runs it: what an argument means, how trees are printed, streams, files, interruptions."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest

from gpuparse.cli.output import results_to
from gpuparse.cli.parse import Format, InputSource, laid_out, read_sentences, sort_arguments
from gpuparse.errors import GpuparseError, OutputError, UsageError
from gpuparse.parse.model.file import load_model, save_model
from gpuparse.pretrained.bundled import FOLDER
from gpuparse.trees import parse_trees, strip, synthetic_treebank
from tests.cli.test_command import COMMAND, run
from tests.processes import start
from tests.small_model import small_model
from tests.test_api import TAGGED, parser

ENGLISH = FOLDER / "english.model"
SAW = "(TOP (S (NP (PRP She)) (VP (VBD saw) (NP (DT the) (NN man))) (. .)))\n"
LINE = "She/PRP saw/VBD the/DT man/NN ./.\n"


def text(words: str) -> InputSource:
    return InputSource("<text>", words)


def test_an_argument_is_a_model_a_file_or_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    save_model(small_model(), Path("mine"))
    Path("notes").touch()
    Path("a file.").touch()
    stdin, mine = InputSource("-"), Path("mine")
    for arguments, expected in {
        (): (ENGLISH, [stdin]),
        ("english",): (ENGLISH, [stdin]),
        ("-",): (ENGLISH, [stdin]),
        ("mine",): (mine, [stdin]),
        ("mine", "notes", "-"): (mine, [InputSource("notes"), stdin]),
        ("notes",): (ENGLISH, [InputSource("notes")]),
        ("She left",): (ENGLISH, [text("She left")]),
        ("Go!", "a file.", "."): (ENGLISH, [text("Go!"), InputSource("a file."), InputSource(".")]),
        ("mine", "Why?", "english is."): (mine, [text("Why?"), text("english is.")]),
    }.items():
        assert sort_arguments(arguments) == expected


@pytest.mark.parametrize("argument", ["no/such/file.txt", "my file.txt", "nothere.mrg", "my folder/notes"])
def test_an_argument_that_looks_like_a_path_and_is_not_there_is_wrong_usage(argument: str) -> None:
    with pytest.raises(UsageError, match=r"no such file or folder\. If this is text to parse, add --text"):
        sort_arguments([argument])
    assert sort_arguments([argument], all_text=True) == (ENGLISH, [text(argument)])


def test_bytes_that_are_no_text_are_wrong_usage() -> None:
    with pytest.raises(UsageError, match="neither the name of a file nor UTF-8 text"):
        sort_arguments(["caf\udce9 noir."])


@pytest.mark.parametrize("argument", ["Hello", "He and/or she left.", "A/DT dog/NN", "(Hello) there", "x" * 5000])
def test_an_argument_that_is_no_path_is_text(argument: str) -> None:
    assert sort_arguments([argument]) == (ENGLISH, [text(argument)])


def test_the_model_can_be_named_by_an_option_and_its_name_be_text() -> None:
    assert sort_arguments(["english"], all_text=True) == (ENGLISH, [text("english")])
    assert sort_arguments(["english", "english"], all_text=True) == (ENGLISH, [text("english")])
    assert sort_arguments(["Hello"], model="english") == (ENGLISH, [text("Hello")])


@pytest.mark.parametrize("line", ["(A dog barks.)", "(A) First point.", "(See (1) for more.)", "(S a b)"])
def test_text_that_begins_with_a_bracket_is_text(line: str) -> None:
    (sentence,) = read_sentences([text(line)], "auto", load_model(ENGLISH))
    assert sentence.tokens[0].word == "-LRB-"


def test_an_error_in_what_was_taken_for_trees_names_the_option() -> None:
    with pytest.raises(GpuparseError, match="--input text"):
        list(read_sentences([text("(S (NP (DT the)")], "auto", load_model(ENGLISH)))


def test_each_line_is_a_sentence_if_the_input_is_lines() -> None:
    sentences = read_sentences([text("He left. She stayed\n\nso I\n")], "lines", load_model(ENGLISH))
    assert [len(sentence.tokens) for sentence in sentences] == [5, 2]


def test_json_can_be_asked_for_as_everywhere_else() -> None:
    assert json.loads(run("parse", "She saw the man.", "--json").stdout)["tree"] + "\n" == SAW
    assert run("parse", "She left.", "--json", "--format", "drawn").returncode == 2


def test_what_the_parser_overrules_is_explained_as_it_is_parsed() -> None:
    sentences = ("The complex houses married soldiers.", "Dogs like cats.", "Bees sting.")
    plain, *overruled = (
        [json.loads(line) for line in run(command, *sentences, "--text", "--json", *tags).stdout.splitlines()]
        for command, tags in (("parse", ("--tags", "1")), ("parse", ()), ("explain", ()))
    )
    parsed, explained = overruled
    assert [one["tree"] for one in explained] == [one["tree"] for one in parsed] != [one["tree"] for one in plain]
    assert [[token["tag"] for token in one["tokens"]] for one in explained] == [one["tags"] for one in parsed]


def test_sequences_of_tags_can_not_be_compared_by_least_confidence() -> None:
    refused = run("parse", "She left.", "--tags", "2", "--max-min")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "--max-min" in refused.stderr


def test_a_model_after_what_it_should_parse_is_wrong_usage() -> None:
    with pytest.raises(UsageError, match="english: this is a model"):
        sort_arguments(["Some text.", "english"])


def test_a_model_by_its_suffix_that_is_not_there_is_told_as_a_model() -> None:
    with pytest.raises(UsageError, match="no such file"):
        sort_arguments(["none.model", "Some text."])


def test_text_is_parsed_right_after_installation() -> None:
    assert run("parse", "She saw the man.").stdout == SAW
    answer = run("parse", "--format", "json", stdin="She saw the man.\n")
    assert (answer.returncode, json.loads(answer.stdout)["tree"] + "\n") == (0, SAW)


@pytest.mark.parametrize(
    ("kind", "content"), [("tagged", "\n \na/DT dog\n"), ("auto", "\n \n(S (DT a)"), ("auto", "\n \n(S (X a b))")]
)
def test_an_error_names_the_line_as_an_editor_counts_it(kind: str, content: str) -> None:
    with pytest.raises(GpuparseError, match="<text>, line 3"):
        list(read_sentences([text(content)], kind, parser().model))


def test_several_sources_are_parsed_in_order(tmp_path: Path) -> None:
    file = tmp_path / "tagged"
    file.write_text(LINE)
    answer = run("parse", "english", "We have a problem.", file, "(X (PRP She) (VBD saw))", "-", stdin="He saw her.")
    words = [[token.word for token in tree.tokens()] for tree in parse_trees(answer.stdout)]
    assert [sentence[0] for sentence in words] == ["We", "She", "She", "He"]


def test_each_format_shows_the_tree() -> None:
    tree = parser().parse(TAGGED)
    brackets = f"{tree}\n"
    assert laid_out(tree, Format.BRACKETS) == brackets
    assert laid_out(tree, Format.PRETTY) == f"{tree.pretty()}\n\n"
    assert laid_out(tree, Format.DRAWN) == f"{tree.drawn()}\n\n"
    image = laid_out(tree, Format.SVG)
    assert (image.count("\n"), ElementTree.fromstring(image).tag) == (1, "{http://www.w3.org/2000/svg}svg")
    output = json.loads(laid_out(tree, Format.JSON))
    assert output["tree"] == str(tree)
    assert output["spans"] == [list(span) for span in tree.spans]
    assert (output["score"], output["cost"], output["status"], output["optimal"]) == (
        tree.score,
        tree.cost,
        "optimal",
        True,
    )


@pytest.mark.parametrize(
    ("kind", "content", "tokens", "originals"),
    [
        ("text", "\n\n  She (“Ann”)\r\nleft. He didn’t.", "She -LRB- “ Ann ” -RRB- left . He did n’t .",
         "She ( “ Ann ” ) left . He did n’t ."),
        ("lines", "She left. He (too)\r\n\r\nI…", "She left . He -LRB- too -RRB- I …", "She left . He ( too ) I …"),
        ("tokens", "She  ( left )\n\n He\n", "She -LRB- left -RRB- He", "She ( left ) He"),
        ("tagged", "She/PRP left/VBD\r\n\n he_PRP 1/2_CD", "She left he 1/2", "She left he 1/2"),
    ],
)  # fmt: skip
def test_json_has_each_token_as_the_input_has_it_and_where(
    kind: str, content: str, tokens: str, originals: str, tmp_path: Path
) -> None:
    (tmp_path / "input").write_bytes(content.encode())
    for answer in (
        run("parse", "--json", "--input", kind, tmp_path / "input"),
        run("parse", "--json", "--input", kind, stdin=content),
    ):
        outputs = [json.loads(line) for line in answer.stdout.splitlines()]
        assert [token for one in outputs for token in one["tokens"]] == tokens.split()
        assert [token for one in outputs for token in one["originals"]] == originals.split()
        assert [content[start:end] for one in outputs for start, end in one["offsets"]] == originals.split()


def test_json_of_trees_has_no_places_in_a_text() -> None:
    answer = run("parse", "--json", "--input", "trees", stdin="(S (NP (PRP She)) (VP (VBD left)))")
    assert not {"originals", "offsets"} & json.loads(answer.stdout).keys()


def test_json_of_a_sentence_that_was_not_searched_whole_has_no_cost() -> None:
    for tree in (parser(max_words=1).parse(TAGGED), parser().parse([(".", ".")])):
        output = json.loads(laid_out(tree, Format.JSON), parse_constant=pytest.fail)
        assert (output["score"], output["cost"]) == (None, None)
        assert output["status"] in ("long", "flat")


def test_the_k_best_trees_are_printed_one_after_the_other() -> None:
    tree = parser(k=3).parse(TAGGED)
    assert laid_out(tree, Format.BRACKETS).splitlines() == [str(parse.tree) for parse in tree.k_best]
    assert len(laid_out(tree, Format.SVG).splitlines()) == 3


def test_long_sentences_and_short_times_lose_no_sentence() -> None:
    trees = [strip(tree) for tree in synthetic_treebank(6, seed=2)]
    content = "".join(" ".join(f"{word}/{tag}" for word, tag in tree.tokens()) + "\n" for tree in trees)
    for options, status in ((["--max-words", "1"], "long"), (["--timeout", "1e-9"], "timeout")):
        answer = run("parse", "english", "--input", "tagged", "--format", "json", *options, stdin=content)
        outputs = [json.loads(line) for line in answer.stdout.splitlines()]
        assert [one["tokens"] for one in outputs] == [[token.word for token in tree.tokens()] for tree in trees]
        assert status in {one["status"] for one in outputs}
    assert run("parse", "--timeout", "0", stdin=LINE).returncode == 2


@pytest.fixture(params=[1, 3])
def parsing(request: pytest.FixtureRequest) -> Iterator[subprocess.Popen[str]]:
    """A parser that waits for tagged sentences on its standard input, one after the other."""
    command = [*COMMAND, "parse", "--input", "tagged", "--batch", "1", "--jobs", str(request.param)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with start(command, **pipes) as process:
        yield process
        process.kill()


def ask(process: subprocess.Popen[str], line: str) -> str:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(line)
    process.stdin.flush()
    ready, _, _ = select.select([process.stdout], [], [], 60)
    assert ready, "no tree within a minute"
    return process.stdout.readline()


def test_each_line_of_a_pipe_is_answered_before_the_next_is_read(parsing: subprocess.Popen[str]) -> None:
    for line in (LINE, "./.\n", LINE):
        assert ask(parsing, line) == (SAW if line == LINE else "(TOP (. .))\n")
    _, said = parsing.communicate()
    assert (parsing.returncode, said) == (0, "")


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_an_interruption_tears_no_line_and_loses_none_that_was_answered(
    parsing: subprocess.Popen[str], how: signal.Signals
) -> None:
    assert [ask(parsing, LINE) for _ in range(3)] == [SAW] * 3
    parsing.send_signal(how)
    rest, said = parsing.communicate()
    assert parsing.returncode == (130 if how == signal.SIGINT else -how)
    assert rest == ""
    assert "Traceback" not in said


@pytest.mark.parametrize("jobs", [1, 3])
def test_an_interruption_amid_long_searches_is_heeded_at_once(jobs: int, tmp_path: Path) -> None:
    long = " ".join(f"word{at}/{tag}" for at, tag in enumerate(["DT", "NN", "VBD", "IN"] * 30))
    file = tmp_path / "long.txt"
    file.write_text(f"{LINE}{long}\n{long}\n{long}\n")
    command = [*COMMAND, "parse", "--input", "tagged", "--limit", "20000000", "--jobs", str(jobs), str(file)]
    with start(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == SAW
        process.send_signal(signal.SIGINT)
        rest, said = process.communicate(timeout=60)
    assert (process.returncode, rest, said) == (130, "", "gpuparse: interrupted\n")


def test_any_number_of_jobs_prints_the_same_bytes(tmp_path: Path) -> None:
    file = tmp_path / "synthetic.mrg"
    file.write_text("".join(f"{tree}\n" for tree in synthetic_treebank(40)))
    command = ("parse", "--input", "trees", "--json", "--k", "3", "--limit", "20000", str(file))
    outputs = {run(*command, "--jobs", str(jobs)).stdout for jobs in (1, 2, 3)}
    assert len(outputs) == 1
    assert outputs.pop().count("\n") == 40


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_comes_before_a_mistake_in_the_input_is_printed(jobs: int) -> None:
    failed = run("parse", "--input", "tagged", "--jobs", str(jobs), stdin=f"{LINE}{LINE}untagged\n{LINE}")
    assert (failed.returncode, failed.stdout) == (1, SAW * 2)
    assert "line 3" in failed.stderr


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_an_interruption_keeps_the_old_file_and_what_was_done_beside_it(tmp_path: Path, how: signal.Signals) -> None:
    out, part = tmp_path / "out", tmp_path / "out.part"
    out.write_text("old")
    command = [*COMMAND, "parse", "--input", "tagged", "--batch", "1", "--output", str(out)]
    pipes = {"stdin": subprocess.PIPE, "stderr": subprocess.PIPE}
    with start(command, **pipes) as process:
        assert process.stdin is not None
        process.stdin.write(LINE * 2)
        process.stdin.flush()
        while process.poll() is None and not (part.exists() and part.read_text() == SAW * 2):
            os.sched_yield()
        process.send_signal(how)
        said = process.communicate()[1]
    assert (out.read_text(), part.read_text()) == ("old", SAW * 2)
    if how == signal.SIGINT:
        assert (process.returncode, str(part) in said) == (130, True)


def test_a_file_takes_its_name_when_it_is_complete(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.write_text("old")
    (tmp_path / "link").symlink_to(out)
    with results_to(tmp_path / "link") as write:
        write("é\n")
        assert out.read_text() == "old"
        assert (tmp_path / "out.part").read_text(encoding="utf-8") == "é\n"
    assert out.read_text(encoding="utf-8") == "é\n"
    assert sorted(os.listdir(tmp_path)) == ["link", "out"]


def test_a_failure_before_the_first_line_leaves_nothing_behind(tmp_path: Path) -> None:
    def fail() -> None:
        with results_to(tmp_path / "out"):
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert os.listdir(tmp_path) == []


def test_a_place_that_can_not_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for path, cause in ((tmp_path / "file" / "out", "Not a directory"), (tmp_path / "no" / "out", "No such file")):
        with pytest.raises(OutputError, match=f"{path}: can't be written: {cause}"), results_to(path):
            pass
    with pytest.raises(OutputError, match="Is a directory"), results_to(tmp_path):
        pass


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_device_is_told_with_its_name() -> None:
    answer = run("parse", "She saw the man.", "--output", "/dev/full")
    assert (answer.returncode, answer.stderr) == (
        1,
        "gpuparse: /dev/full: can't be written: No space left on device.\n",
    )


@pytest.mark.skipif(sys.platform != "linux", reason="a limit on the size of files stands for a full disk")
def test_a_full_disk_leaves_the_old_file_and_whole_lines(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.write_text("old")
    line = "x" * 999 + "\n"
    program = (
        "import resource, signal, sys\n"
        "from pathlib import Path\n"
        "from gpuparse.cli.output import results_to\n"
        "from gpuparse.errors import OutputError\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (2500, 2500))\n"
        "try:\n"
        "    with results_to(Path(sys.argv[1])) as write:\n"
        "        for _ in range(5):\n"
        "            write('x' * 999 + '\\n')\n"
        "except OutputError as error:\n"
        "    print(error)\n"
    )
    answer = subprocess.run([sys.executable, "-c", program, str(out)], capture_output=True, text=True, check=True)
    assert answer.stdout == f"{out}: can't be written: File too large.\n"
    assert out.read_text() == "old"
    assert (tmp_path / "out.part").read_text() == line * 2
    assert "out.part" in answer.stderr


def test_the_models_that_come_along_are_listed() -> None:
    listing = json.loads(run("models", "--json").stdout)
    assert {"name", "language", "bytes", "data", "licence", "f1", "f1_tagger"} <= set(listing[0])
    assert listing[0]["bytes"] == ENGLISH.stat().st_size
    table = run("models")
    assert all(word in table.stdout for word in ("english", "MB", "GUM", "CC BY", listing[0]["card"]))


def test_inspect_takes_the_name_of_a_model() -> None:
    assert json.loads(run("inspect", "english", "--json").stdout)["file_bytes"] == ENGLISH.stat().st_size

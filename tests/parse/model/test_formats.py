"""Model files of every format that ever was stay readable; each format has a small model of its own among the data."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import load_file, save_file

from gpuparse.errors import ModelError
from gpuparse.kernels import cpu
from gpuparse.parse.model.contents import TAGGER_TYPES
from gpuparse.parse.model.file import MODEL_FILE, load_model
from gpuparse.parse.model.formats import MODEL_VERSION, PARSER_TYPES_2
from gpuparse.parse.search.parser import Parser
from gpuparse.sealed import checksum
from gpuparse.trees import Token

DATA = Path(__file__).resolve().parents[2] / "data"
TAGGED = "A/DT man/NN saw/VBD the/DT box/NN with/IN the/DT woman/NN"
TREE = "(TOP (S (NP (DT A) (NN man)) (VP (VBD saw) (NP (DT the) (NN box) (IN with) (DT the) (NN woman)))))"


def test_every_format_has_a_model_among_the_data() -> None:
    assert {path.name for path in DATA.glob("*.model")} == {
        f"format-{number}.model" for number in range(1, MODEL_VERSION + 1)
    }


@pytest.mark.parametrize("number", range(1, MODEL_VERSION + 1))
def test_a_model_of_each_format_is_read_and_parses_as_it_did_when_it_was_written(number: int) -> None:
    model = load_model(DATA / f"format-{number}.model")
    parser = Parser(model.vocabulary, model.rules(), model.strategy, model.max_children, cpu)
    (result,) = parser.parse([[Token(*word.split("/")) for word in TAGGED.split()]])
    assert str(result.tree) == TREE
    assert model.tagger is not None
    assert [token.tag for token in model.tagger.tag(["The", "dog", "sleeps", "."])] == ["DT", "NN", "VBD", "."]


def test_a_format_that_is_not_known_yet_is_refused_with_what_to_do(tmp_path: Path) -> None:
    content = (DATA / f"format-{MODEL_VERSION}.model").read_bytes()
    named = f'\\"version\\":{MODEL_VERSION},'.encode()
    assert named in content
    newer = tmp_path / "newer.model"
    newer.write_bytes(content.replace(named, f'\\"version\\":{MODEL_VERSION + 1},'.encode()))
    with pytest.raises(ModelError, match="newer gpuparse"):
        load_model(newer)


Arrays = dict[str, np.ndarray]


def put(name: str, place: int, value: int) -> Callable[[Arrays], Arrays]:
    def edit(arrays: Arrays) -> Arrays:
        array = arrays[name].copy()
        array[place] = value
        return {**arrays, name: array}

    return edit


@pytest.mark.parametrize(
    ("edit", "flaw"),
    [
        (put("yes", 0, 10_000), "pre-order"),
        (put("no", 0, 0), "pre-order"),
        (put("nodes", 0, 10**18), "nodes"),
        (put("nodes", 0, -1), "nodes"),
        (lambda arrays: {**arrays, "value": arrays["value"][:-1]}, "as many entries"),
        (lambda arrays: {**arrays, "yes": arrays["yes"][:-1]}, "as many entries"),
    ],
)
def test_trees_of_format_2_that_are_none_are_refused_although_the_checksum_is_right(
    edit: Callable[[Arrays], Arrays], flaw: str, tmp_path: Path
) -> None:
    source = DATA / "format-2.model"
    stored = load_file(source)
    types = [*PARSER_TYPES_2, *TAGGER_TYPES]
    arrays = edit({name: stored[name] for name in types})
    with safe_open(source, "np") as file:
        header = json.loads(file.metadata()[MODEL_FILE.name])["header"]
    text = json.dumps(header)
    envelope = f'{{"version":2,"checksum":"{checksum(text.encode(), arrays)}","header":{text}}}'
    save_file(arrays, tmp_path / "edited.model", {MODEL_FILE.name: envelope})
    with pytest.raises(ModelError, match=flaw):
        load_model(tmp_path / "edited.model")

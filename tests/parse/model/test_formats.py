"""Model files of every format that ever was stay readable; each format has a small model of its own among the data."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuparse.errors import ModelError
from gpuparse.kernels import cpu
from gpuparse.parse.model.file import load_model
from gpuparse.parse.model.formats import MODEL_VERSION
from gpuparse.parse.search.parser import Parser
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

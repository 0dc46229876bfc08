"""Properties are rows of a table: one more row is learned, stored, parsed with and read out like the others."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from gpuparse.errors import ModelError
from gpuparse.parse.features.inventory import inventory_with
from gpuparse.parse.logic.items import HEAD_VALUES
from gpuparse.parse.model.file import load_model
from gpuparse.parse.model.formats import INVENTORY_1
from gpuparse.parse.properties import LABEL, PROPERTIES

# All words have one tag, and those to be parsed were never seen: only the first letter tells an A from a B.
TREEBANK = "\n".join(
    f"(TOP (S ({a} (X {a.lower()}{n})) ({b} (X {b.lower()}{n + 1}))))"
    for n in range(0, 12, 2)
    for a, b in ("AB", "BA", "AA", "BB")
)
PROGRAM = """
import json, sys
from pathlib import Path

from gpuparse.parse import properties
from gpuparse.parse.properties import Predicate, Property

properties.PROPERTIES += (
    Property(
        "headletter",
        lambda token, language: token.word[:1],
        of_item=Predicate("has a head that begins with {}", "does not have a head that begins with {}"),
        of_word=Predicate("begins with {}", "does not begin with {}"),
        quoted=True,
    ),
)

import gpuparse
from gpuparse.boost import Options
from gpuparse.cli.train import TrainingRun, train_model
from gpuparse.parse.explain.english import in_english
from gpuparse.parse.model.file import load_model
from gpuparse.options import TrainingOptions

json.JSONEncoder.default = lambda self, number: number.item()  # what is not compiled gives numbers of NumPy's
treebank, path = sys.argv[1], Path(sys.argv[2])
options = TrainingOptions(tune_fraction=0.0, tagger=False, learn=Options(max_trees=4, eta=0.5, min_lambda=0.1))
train_model(TrainingRun(path, [treebank]), options, "cpu")
model = load_model(path)
rules = model.ensembles["A"].compounds(0.0)
parser = gpuparse.load(path)
sentences = [["az", "bz"], ["bz", "bz"]]
print(json.dumps({
    "parses": [str(parser.parse([(word, "X") for word in words])) for words in sentences],
    "values": model.vocabulary.values_of("headletter"),
    "names": [model.space.name(feature) for literals in rules for feature, _ in literals],
    "said": [said for literals in rules for said in in_english(literals, model.space, {})],
}))
"""


def test_the_label_is_the_one_property_that_items_have_themselves_and_comes_first() -> None:
    assert [prop.name for prop in PROPERTIES if prop.of_token is None] == [PROPERTIES[LABEL].name] == ["label"]
    assert LABEL == 0
    assert len(PROPERTIES) == 1 + HEAD_VALUES


def test_a_new_property_is_one_row_and_a_model_that_has_it_is_refused_where_it_is_absent(tmp_path: Path) -> None:
    treebank, path = tmp_path / "letters.mrg", tmp_path / "letters.model"
    treebank.write_text(TREEBANK)
    answer = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(treebank), str(path)],
        env={**os.environ, "GPUPARSE_COMPILE": "never", "GPUPARSE_CACHE": str(tmp_path / "cache")},
        capture_output=True,
        text=True,
        check=True,
    )
    learned = json.loads(answer.stdout)
    assert learned["parses"] == ["(TOP (S (A (X az)) (B (X bz))))", "(TOP (S (B (X bz)) (B (X bz))))"]
    assert learned["values"] == ["a", "b"]
    assert "words(children).headletter=a" in learned["names"]
    assert "one of its words begins with “a”" in learned["said"]
    with pytest.raises(ModelError, match=r"letters\.model.*other features.*it has the property headletter"):
        load_model(path)


def test_models_without_an_inventory_have_the_features_of_today() -> None:
    plain = inventory_with(())
    assert plain.difference(INVENTORY_1) == ""
    assert plain == INVENTORY_1

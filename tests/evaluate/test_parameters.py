"""Parameter files as EVALB's users have them."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuparse.errors import ParametersError
from gpuparse.evaluate import COLLINS, evaluate, read_rules
from gpuparse.trees import parse_tree

COLLINS_FILE = """\
##------------------------------------------##
## Debug mode                               ##
##------------------------------------------##
DEBUG 0
MAX_ERROR 10
CUTOFF_LEN 40
LABELED 1
DELETE_LABEL TOP
DELETE_LABEL -NONE-
DELETE_LABEL ,
DELETE_LABEL :
DELETE_LABEL ``
DELETE_LABEL ''
DELETE_LABEL .
DELETE_LABEL_FOR_LENGTH -NONE-
EQ_LABEL ADVP PRT
# EQ_WORD  Example example
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "rules.prm"
    path.write_text(text)
    return path


def test_collins_prm_gives_the_default_rules_and_a_limit_on_errors(tmp_path: Path) -> None:
    rules = read_rules(write(tmp_path, COLLINS_FILE))
    assert rules.max_errors == 10
    for name in ("deleted", "deleted_for_length", "equal_labels", "equal_words", "labeled", "cutoff"):
        assert getattr(rules, name) == getattr(COLLINS, name)


def test_every_key_changes_its_rule(tmp_path: Path) -> None:
    rules = read_rules(write(tmp_path, "LABELED 0\r\nCUTOFF_LEN 15\r\nMAX_ERROR 3\r\nEQ_WORD Colour color\r\n\r\n"))
    assert (rules.labeled, rules.cutoff, rules.max_errors) == (False, 15, 3)
    assert rules.equal_words == (("Colour", "color"),)


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("DELET_LABEL TOP", "unknown key 'DELET_LABEL'"),
        ("DELETE_LABEL", "DELETE_LABEL takes one value, found 0"),
        ("EQ_LABEL ADVP", "EQ_LABEL takes two values, found 1"),
        ("CUTOFF_LEN many", "CUTOFF_LEN takes a whole number, found 'many'"),
    ],
)
def test_a_wrong_line_is_an_error_with_file_and_line(tmp_path: Path, line: str, problem: str) -> None:
    path = write(tmp_path, f"LABELED 1\n{line}\n")
    with pytest.raises(ParametersError) as caught:
        read_rules(path)
    assert str(caught.value).startswith(f"{path}, line 2: {problem}")


def test_the_cutoff_names_the_second_set_of_totals(tmp_path: Path) -> None:
    tree = parse_tree("(TOP (S (N a) (V b)))")
    answer = evaluate([tree], [tree], read_rules(write(tmp_path, "CUTOFF_LEN 1\n"))).as_json()
    assert answer["max1"]["sentences"] == 0
    assert answer["sentences"] == 1

"""Lists of sources: weights, conventions, and what is wrong with a bad list."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpuparse.errors import InputError
from gpuparse.parse.sources import Convention, LabelMapping, TagMapping, read_list, read_treebanks, source_files
from gpuparse.trees import Token, load_language, parse_tree

LANGUAGE = load_language()


def converted(tree: str, convention: Convention) -> str:
    return str(convention.converted(parse_tree(tree), LANGUAGE))


def test_a_tag_stays_before_what_a_map_says_words_between_not_counted() -> None:
    to = Convention({"TO": TagMapping("IN", unless_before=("VB",), skipping=("RB",))})
    sentence = [Token("to", "TO"), Token("boldly", "RB"), Token("go", "VB")]
    assert to.retagged(sentence) == sentence
    assert to.retagged(sentence[:2]) == [Token("to", "IN"), sentence[1]]


def test_a_map_may_be_for_certain_words_alone() -> None:
    convention = Convention({"IN": TagMapping("TO", words=("to",))})
    assert convention.retagged([Token("To", "IN"), Token("at", "IN")]) == [Token("To", "TO"), Token("at", "IN")]


def test_a_label_becomes_another_or_its_node_goes_and_leaves_its_children() -> None:
    convention = Convention(labels={"NML": LabelMapping(""), "NX": LabelMapping("NP")})
    tree = "(NP (NML-TTL (NN sea) (NX (NN air))) (NN trip))"
    assert converted(tree, convention) == "(NP (NN sea) (NP (NN air)) (NN trip))"


def test_a_label_may_become_another_only_where_its_first_child_is_a_token_with_a_tag() -> None:
    convention = Convention({"WP": TagMapping("WDT")}, {"NP": LabelMapping("WHNP", begins=("WDT",))})
    tree = "(SBAR (NP (NP (WP who)) (NP (NN rain))) (S (NP (WDT what))))"
    expected = "(SBAR (NP (WHNP (WDT who)) (NP (NN rain))) (S (WHNP (WDT what))))"
    assert converted(tree, convention) == expected


def test_what_is_removed_goes_with_all_below_it_and_with_nodes_left_without_words() -> None:
    convention = Convention(removed=frozenset({"EDITED"}))
    tree = "(S (ADVP (EDITED (NP (PRP I)) (VP (VBP m)))) (NP (PRP I)) (VP (VBP am)))"
    assert converted(tree, convention) == "(S (NP (PRP I)) (VP (VBP am)))"


def test_a_token_is_left_out_and_so_is_a_tree_of_nothing_else() -> None:
    convention = Convention({"CODE": TagMapping("")})
    assert converted("(S (CODE A.1) (NP (NN rain)))", convention) == "(S (NP (NN rain)))"
    assert convention.converted(parse_tree("( (CODE A.1))"), LANGUAGE) is None


@pytest.mark.parametrize("root", ["", "S"])
def test_the_root_stays_whatever_becomes_of_its_label(root: str) -> None:
    assert (
        converted(f"({root} (NP (NN rain)))", Convention(labels={root: LabelMapping("")})) == f"({root} (NP (NN rain)))"
    )


def test_treebanks_of_a_list_follow_their_conventions_and_have_their_weights(tmp_path: Path) -> None:
    (tmp_path / "plain.mrg").write_text("( (S (NML (NN rain))))")
    (tmp_path / "other.mrg").write_text("( (S (NML (NN snow)))) ( (S (NN hail))) ( (CODE x))")
    (tmp_path / "mixture.toml").write_text(
        '[[source]]\nfiles = ["other.mrg"]\nweight = 3\nwithout = ["hail"]\n'
        'map = { CODE = "" }\nlabels = { NML = "NP" }'
    )
    names = [str(tmp_path / name) for name in ("plain.mrg", "mixture.toml")]
    trees = [(str(tree), weight) for tree, weight in read_treebanks(source_files(names), LANGUAGE)]
    assert trees == [("( (S (NML (NN rain))))", 1.0), ("( (S (NP (NN snow))))", 3.0)]


BAD_LISTS = {
    "no TOML": ("[[", "can't be read as TOML"),
    "nothing": ("", "tables"),
    "another entry": ("[[source]]\nfile = 1", "nothing else"),
    "files that are one": ('[[source]]\nfiles = "a"', "list of strings"),
    "no such file": ('[[source]]\nfiles = ["none"]', "no file none"),
    "no weight": ("[[source]]\nfiles = []\nweight = 0", "weight"),
    "a weight that is true": ("[[source]]\nfiles = []\nweight = true", "weight"),
    "a map that is a list": ("[[source]]\nfiles = []\nmap = []", "map must be a table"),
    "a tag that is a number": ("[[source]]\nfiles = []\nmap = { TO = 1 }", "map.TO"),
    "a label that is a number": ("[[source]]\nfiles = []\nlabels = { NML = 1 }", "labels.NML"),
    "a label's unknown condition": (
        "[[source]]\nfiles = []\nlabels = { NP = { label = 'X', over = [] } }",
        "labels.NP",
    ),
    "an unknown condition": ('[[source]]\nfiles = []\nmap = { TO = { tag = "IN", after = [] } }', "map.TO"),
}


@pytest.mark.parametrize("name", BAD_LISTS)
def test_a_bad_list_is_told(tmp_path: Path, name: str) -> None:
    content, problem = BAD_LISTS[name]
    path = tmp_path / "list.toml"
    path.write_text(content)
    with pytest.raises(InputError, match=problem):
        read_list(path)


def test_labels_that_are_no_table_and_removed_ones_that_are_no_list_are_told(tmp_path: Path) -> None:
    path = tmp_path / "list.toml"
    for entry in ("labels = 1", 'removed = "EDITED"'):
        path.write_text(f"[[source]]\nfiles = []\n{entry}")
        with pytest.raises(InputError, match=entry.split()[0]):
            read_list(path)

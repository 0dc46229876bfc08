"""Tagged text beyond the treebank: its formats, its maps, and what is wrong with a bad file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from gpuparse.errors import InputError, UsageError
from gpuparse.parse.tagged_text import read_sources
from gpuparse.trees import Token, load_language

CONLLU = """# text = (Go on)
1	(	(	PUNCT	-LRB-	_	3	punct	_	_
2-3	Goon	_	_	_	_	_	_	_	_
2	Go	go	VERB	VB	_	0	root	_	_
3	on	on	ADP	_	_	2	advmod	_	_
3.1	on	_	_	_	_	_	_	_	_

1	Stop	stop	VERB	VB	_	0	root	_	_
"""


def read(*names: Path) -> list[Sequence[Sequence[Token]]]:
    return [source.sentences for source in read_sources([str(name) for name in names], load_language())]


def test_words_with_tags_are_read_line_by_line_up_to_the_last_slash(tmp_path: Path) -> None:
    path = tmp_path / "a.tagged"
    path.write_text("1/2/CD cups/NNS\n\n(/-LRB- go_VB\n")
    assert read(path) == [
        [[Token("1/2", "CD"), Token("cups", "NNS")], [Token("-LRB-", "-LRB-"), Token("go", "VB")]],
    ]


def test_conllu_gives_its_xpos_or_where_there_is_none_its_upos(tmp_path: Path) -> None:
    path = tmp_path / "a.conllu"
    path.write_text(CONLLU)
    first = [Token("-LRB-", "-LRB-"), Token("Go", "VB"), Token("on", "ADP")]
    assert read(path) == [[first, [Token("Stop", "VB")]]]


def test_trees_give_their_words_and_tags_and_a_folder_all_its_files(tmp_path: Path) -> None:
    for name in ("a.mrg", "b.mrg"):
        (tmp_path / name).write_text("( (S (NP-SBJ (-NONE- *)) (VP (VB Go))))")
    assert read(tmp_path / "a.mrg") == [[[Token("Go", "VB")]]]
    assert read(tmp_path) == [[[Token("Go", "VB")]]] * 2


def test_a_list_gives_each_source_its_weight_and_its_map(tmp_path: Path) -> None:
    (tmp_path / "a.tagged").write_text("to/TO go/VB to/TO her/PRP uh/CODE\nuh/CODE\n")
    (tmp_path / "b.tagged").write_text("to/TO\n")
    (tmp_path / "list.toml").write_text(
        '[[source]]\nfiles = ["a.*"]\nweight = 0.5\n[source.map]\nCODE = ""\n'
        'TO = { tag = "IN", unless_before = ["VB"] }\n'
        '[[source]]\nfiles = ["b.tagged"]\n'
    )
    first, second = read_sources([str(tmp_path / "list.toml")], load_language())
    assert [[token.tag for token in sentence] for sentence in first.sentences] == [["TO", "VB", "IN", "PRP"]]
    assert (first.weight, second.weight) == (0.5, 1.0)
    assert second.sentences == [[Token("to", "TO")]]


def test_sentences_with_certain_words_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "a.tagged").write_text("a/DT -/: b/NN\ngo/VB\n")
    (tmp_path / "list.toml").write_text('[[source]]\nfiles = ["a.tagged"]\nwithout = ["-"]')
    assert read(tmp_path / "list.toml") == [[[Token("go", "VB")]]]


BAD_FILES = {
    "no tag": ("go/VB on\n", "line 1: 'on' has no tag"),
    "too few columns": (CONLLU.replace("1\tStop", "1 Stop"), "line 8: CoNLL-U has 10 columns"),
    "no tag in CoNLL-U": (CONLLU.replace("ADP", "_"), "line 5: 'on' has no tag"),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_a_bad_file_is_told_with_its_line(tmp_path: Path, name: str) -> None:
    content, problem = BAD_FILES[name]
    path = tmp_path / "bad.txt"
    path.write_text(content)
    with pytest.raises(InputError, match=problem):
        read(path)


def test_a_file_that_is_not_there_and_one_that_is_no_text_are_told(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such file"):
        read(tmp_path / "none.tagged")
    (tmp_path / "bytes.tagged").write_bytes(b"\xff\xfe/NN")
    with pytest.raises(InputError, match="UTF-8"):
        read(tmp_path / "bytes.tagged")

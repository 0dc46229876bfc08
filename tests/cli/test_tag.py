"""`gpuparse tag` as a user runs it: its formats, and what it takes."""

from __future__ import annotations

import json
from pathlib import Path

from gpuparse.api import load
from gpuparse.cli.tag import TagFormat, laid_out
from gpuparse.parse.model.file import save_model
from gpuparse.trees import Original, TagOdds, Token
from gpuparse.trees.preparation import Sentence
from tests.cli.test_command import run
from tests.small_model import small_model

GO = Sentence(
    tokens=(Token("Go", "VB"), Token("-LRB-", "-LRB-"), Token(".", ".")),
    kept=(0, 1),
    originals=(Original("Go", 0, 2), Original("(", 3, 4), Original(".", 4, 5)),
    odds=(TagOdds(0.75, "NN", 0.25), TagOdds(1.0, None, 0.0), TagOdds(1.0, None, 0.0)),
)


def test_words_are_written_with_their_tags_punctuation_included() -> None:
    assert laid_out(GO, TagFormat.TAGGED) == "Go/VB -LRB-/-LRB- ./.\n"


def test_conllu_has_the_words_of_the_text_the_tags_as_xpos_and_the_odds() -> None:
    assert laid_out(GO, TagFormat.CONLLU, 7).splitlines() == [
        "# sent_id = 7",
        "# text = Go (.",
        "1\tGo\t_\t_\tVB\t_\t_\t_\t_\tOdds=0.7500|RunnerUp=NN|RunnerUpOdds=0.2500",
        "2\t(\t_\t_\t-LRB-\t_\t_\t_\t_\tSpaceAfter=No|Odds=1.0000",
        "3\t.\t_\t_\t.\t_\t_\t_\t_\tOdds=1.0000",
        "",
    ]


def test_json_has_the_odds_of_each_tag_and_the_runner_up() -> None:
    answer = run("tag", "She saw the man.", "--json")
    tagged = json.loads(answer.stdout)
    assert tagged["tokens"] == tagged["originals"] == ["She", "saw", "the", "man", "."]
    assert tagged["tags"] == ["PRP", "VBD", "DT", "NN", "."]
    assert tagged["offsets"][1] == [4, 7]
    assert all(0.5 < odds <= 1.0 for odds in tagged["tag_odds"])
    pairs = zip(tagged["runner_up_tags"], tagged["runner_up_odds"], strict=True)
    assert all((tag is None) == (odds == 0.0) or 0 <= odds < 0.5 for tag, odds in pairs)


def test_what_was_tagged_is_tagged_anew_but_for_punctuation(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("She/NN saw/NN it/NN ./,\n")
    assert run("tag", str(path)).stdout == "She/PRP saw/VBD it/PRP ./,\n"
    tree = tmp_path / "a.mrg"
    tree.write_text("( (S (NP (X She)) (VP (X left))))")
    assert run("tag", str(tree)).stdout == "She/PRP left/VBD\n"


def test_tokens_and_lines_are_taken_as_they_are_for_parsing(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("She left .\nHe did n't .\n")
    lines = run("tag", str(path), "--input", "tokens").stdout.splitlines()
    assert [line.split()[0] for line in lines] == ["She/PRP", "He/PRP"]


def test_parsing_tells_the_same_odds_and_given_tags_have_none() -> None:
    parser = load(limit=1000)
    tree = parser.parse("She left.")
    tagged = json.loads(run("tag", "She left.", "--json").stdout)
    assert [odds.odds for odds in tree.tag_odds] == tagged["tag_odds"] == tree.to_dict()["tag_odds"]
    parse = parser.parse([("She", "PRP"), ("left", "VBD")])
    assert parse.tag_odds == ()
    assert "tag_odds" not in parse.to_dict()


def test_json_and_another_format_exclude_each_other_and_a_model_needs_a_tagger(tmp_path: Path) -> None:
    both = run("tag", "Go.", "--json", "--format", "conllu")
    assert (both.returncode, "exclude" in both.stderr) == (2, True)
    save_model(small_model(), tmp_path / "small.model")
    without = run("tag", str(tmp_path / "small.model"), "Go.")
    assert (without.returncode, "has no tagger" in without.stderr) == (2, True)

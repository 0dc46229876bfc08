"""scripts/train-english: which documents it learns from, and that the card tells what was measured."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from gpuparse.parse.model.file import load_model
from gpuparse.pretrained.bundled import bundled_models
from gpuparse.trees import read_trees, strip, synthetic_treebank
from tests.cli.test_command import run as call

SCRIPT = Path(__file__).resolve().parents[1] / "scripts" / "english_model.py"
OPTIONS = ["--max-words", "8", "--max-trees", "1", "--eta", "0.5", "--jobs", "1"]


@pytest.fixture(scope="module")
def treebank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Synthetic documents with the names of GUM's; the words of those in restricted genres are marked."""
    folder = tmp_path_factory.mktemp("gum")
    for part, genre, seed in (("train", "news", 1), ("train", "fiction", 2), ("dev", "news", 3), ("dev", "whow", 4)):
        (folder / part).mkdir(exist_ok=True)
        trees = [str(tree) for tree in synthetic_treebank(40, seed)]
        if part == "train" and genre == "fiction":
            trees = ["( (S (NP (NNP Restricted)) (VP (VBZ sleeps)) (. .)))"]
        (folder / part / f"GUM_{genre}_x.ptb").write_text("\n".join(trees))
    return folder


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(SCRIPT), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_model_knows_no_restricted_document_and_its_card_tells_how_it_was_made(
    treebank: Path, tmp_path: Path
) -> None:
    answer = run(treebank, "--folder", tmp_path / "out", "--work", tmp_path / "work", *OPTIONS)
    assert answer.returncode == 0, answer.stderr
    (found,) = bundled_models(tmp_path / "out")
    model = load_model(found.path)
    assert model.tagger is not None
    assert not {"Restricted", "restricted"} & {*model.vocabulary.words, *model.tagger.lexicon.words}
    assert found.figures["name"] == "english"
    for name, tags in (("f1", []), ("f1_tagger", ["--tagger"])):
        parsed = tmp_path / "dev.parsed"
        parsed.write_text(call("parse", found.path, treebank / "dev", "--input", "trees", *tags).stdout)
        scores = json.loads(call("eval", treebank / "dev", parsed, "--json").stdout)
        assert found.figures[name] == f"{scores['f1']:.2f}"
        assert scores["valid"] == 80
    card = found.card.read_text(encoding="utf-8")
    assert "scripts/train-english gum --max-words 8 --max-trees 1 --eta 0.5 --jobs 1\n" in card
    assert "| news | 1 | CC BY 2.5 (Wikinews) |" in card
    assert f"| all | {found.figures['f1']} (" in card
    assert "fiction" not in card
    assert "learned from the same documents and from nothing else" in card
    assert str(tmp_path) not in card


def test_the_card_tells_of_tagged_text_and_how_well_known_and_unknown_words_are_tagged(
    treebank: Path, tmp_path: Path
) -> None:
    corpora = tmp_path / "corpora"
    (corpora / "masc" / "train").mkdir(parents=True)
    for name in ("110CYL067", "117CWL008", "sw2015"):
        (corpora / "masc" / "train" / f"{name}.mrg").write_text("( (S (NP (NNP Masc)) (VP (VBZ speaks)) (. .)))\n" * 9)
    (corpora / "amalgum").mkdir()
    (corpora / "amalgum" / "news.tagged").write_text("Amalgum/NNP speaks/VBZ ./.\n" * 9)
    places = ("--folder", tmp_path / "out", "--work", tmp_path / "work")
    answer = run(treebank, "--tagged-text", corpora, *places, *OPTIONS)
    assert answer.returncode == 0, answer.stderr
    (found,) = bundled_models(tmp_path / "out")
    tagger = load_model(found.path).tagger
    assert tagger is not None
    assert {"Masc", "Amalgum"} <= {*tagger.lexicon.words}
    card = found.card.read_text(encoding="utf-8")
    assert "scripts/train-english gum --tagged-text . --max-words 8 --max-trees 1 --eta 0.5 --jobs 1\n" in card
    assert "--tagged english-tagged.toml" in card
    assert "- `amalgum`: " in card
    gold = [strip(tree).tokens() for tree in read_trees(str(treebank / "dev"))]
    answers = [tagger.tag([token.word for token in sentence]) for sentence in gold]
    tokens = sum(map(len, gold))
    right = sum(
        token == answer for pair in zip(gold, answers, strict=True) for token, answer in zip(*pair, strict=True)
    )
    rows = [line.split("|")[1:-1] for line in card.splitlines() if line.startswith(("| news |", "| whow |", "| all |"))]
    tagging = {cells[0].strip(): [cell.strip() for cell in cells[1:]] for cells in rows if len(cells) == 5}
    assert set(tagging) == {"news", "whow", "all"}
    assert tagging["all"][:2] == [str(tokens), f"{100 * right / tokens:.2f}"]
    assert str(tmp_path) not in card


def test_a_folder_without_tagged_text_is_told(treebank: Path, tmp_path: Path) -> None:
    answer = run(treebank, "--tagged-text", tmp_path, "--folder", tmp_path / "out", "--work", tmp_path / "work")
    assert answer.returncode == 1
    assert "there is no folder masc" in answer.stderr


def test_a_folder_without_documents_is_told(tmp_path: Path) -> None:
    answer = run(tmp_path, "--folder", tmp_path / "out", "--work", tmp_path / "work")
    assert answer.returncode == 1
    assert "no documents named GUM_genre_name.ptb" in answer.stderr
    assert not (tmp_path / "out").exists()

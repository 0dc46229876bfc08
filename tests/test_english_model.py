"""scripts/train-english: which documents it learns from, and that the card tells what was measured."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from gpuparse.parse.model.file import load_model
from gpuparse.pretrained.bundled import bundled_models
from gpuparse.tag import Tagger
from gpuparse.trees import read_trees, strip, synthetic_treebank
from tests.cli.test_command import run as call

SCRIPT = Path(__file__).resolve().parents[1] / "scripts" / "english_model.py"
OPTIONS = ["--max-words", "8", "--max-trees", "1", "--eta", "0.5", "--jobs", "1"]


@pytest.fixture(scope="module")
def corpora(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Synthetic documents with the names of the real ones; the words of those in restricted genres are marked."""
    folder = tmp_path_factory.mktemp("corpora")
    documents = {
        "gum/train/GUM_academic_x.ptb": 1, "gum/train/GUM_bio_x.ptb": 2, "gum/train/GUM_court_x.ptb": 3,
        "gum/train/GUM_interview_x.ptb": 4, "gum/train/GUM_news_x.ptb": 5, "gum/train/GUM_voyage_x.ptb": 6,
        "gum/dev/GUM_news_y.ptb": 7, "gum/dev/GUM_whow_y.ptb": 8, "masc/train/a.mrg": 9, "masc/dev/b.mrg": 10,
    }  # fmt: skip
    for name, seed in documents.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("\n".join(map(str, synthetic_treebank(20, seed))))
    (folder / "gum/train/GUM_fiction_x.ptb").write_text("( (S (NP (NNP Restricted)) (VP (VBZ sleeps)) (. .)))")
    (folder / "masc/train/c.mrg").write_text("( (S (NP (NML (NNP Masc))) (VP (VBZ speaks)) (. .)))\n" * 9)
    (folder / "masc/dev/c.mrg").write_text("(S")  # a tree that can't be read
    (folder / "amalgum").mkdir()
    (folder / "amalgum/news.tagged").write_text("Amalgum/NNP speaks/VBZ ./.\n" * 9)
    return folder


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(SCRIPT), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_model_knows_no_restricted_document_and_its_card_tells_how_it_was_made(
    corpora: Path, tmp_path: Path
) -> None:
    few = ("--granularities", "8,4")
    answer = run(corpora, "--folder", tmp_path / "out", "--work", tmp_path / "work", *few, *OPTIONS)
    assert answer.returncode == 0, answer.stderr
    (bundle,) = bundled_models(tmp_path / "out")
    model = load_model(bundle.path)
    assert model.tagger is not None
    words = {*model.vocabulary.words, *model.tagger.lexicon.words}
    assert not {"Restricted", "restricted"} & words
    assert {"Masc", "Amalgum", "masc"} <= words
    assert "NML" in model.vocabulary.labels
    assert bundle.figures["name"] == "english"
    for name, tags in (("f1", []), ("f1_tagger", ["--tagger"])):
        parsed = tmp_path / "dev.parsed"
        parsed.write_text(call("parse", bundle.path, corpora / "gum/dev", "--input", "trees", *tags).stdout)
        scores = json.loads(call("eval", corpora / "gum/dev", parsed, "--json").stdout)
        assert bundle.figures[name] == f"{scores['f1']:.2f}"
        assert scores["valid"] == 40
    card = bundle.card.read_text(encoding="utf-8")
    assert "scripts/train-english corpora --granularities 8,4 --max-words 8 --max-trees 1 --eta 0.5 --jobs 1\n" in card
    assert "classes english-treebanks.toml english-tagged.toml --output english.classes" in card
    train = "train english-treebanks.toml --tagged english-tagged.toml --classes english.classes"
    assert f"{train} --output english.model --max-words 8" in card
    assert model.vocabulary.classes is not None
    assert {"masc", "amalgum"} <= {*model.vocabulary.classes.words}
    assert "restricted" not in model.vocabulary.classes.words
    assert "| gum, news | 1 | CC BY 2.5 (Wikinews) |" in card
    assert "| masc | 2 | " in card
    assert f"| gum/dev | all | {bundle.figures['f1']} (40) | {bundle.figures['f1_tagger']} (40) |" in card
    assert "| masc/dev | all | " in card
    assert "fiction |" not in card
    assert str(tmp_path) not in card
    _check_tagging(card, model.tagger, corpora / "gum/dev")


def _check_tagging(card: str, tagger: Tagger, dev: Path) -> None:
    gold = [strip(tree).tokens() for tree in read_trees(str(dev))]
    answers = [tagger.tag([token.word for token in sentence]) for sentence in gold]
    pairs = zip(gold, answers, strict=True)
    right = sum(token == answer for pair in pairs for token, answer in zip(*pair, strict=True))
    tokens = sum(map(len, gold))
    assert f"| gum/dev | {tokens} | {100 * right / tokens:.2f} | " in card


@pytest.mark.parametrize("missing", ["gum", "masc", "amalgum"])
def test_a_folder_that_is_missing_is_told(tmp_path: Path, missing: str) -> None:
    for name in {"gum", "masc", "amalgum"} - {missing}:
        (tmp_path / name).mkdir()
    answer = run(tmp_path, "--folder", tmp_path / "out", "--work", tmp_path / "work")
    assert answer.returncode == 1
    assert f"there is no folder {missing}" in answer.stderr
    assert not (tmp_path / "out").exists()

"""scripts/train-english: which documents it learns from, and that the card tells what was measured."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from gpuparse.parse.model.file import load_model
from gpuparse.pretrained.bundled import bundled_models
from gpuparse.trees import synthetic_treebank
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
    assert str(tmp_path) not in card


def test_a_folder_without_documents_is_told(tmp_path: Path) -> None:
    answer = run(tmp_path, "--folder", tmp_path / "out", "--work", tmp_path / "work")
    assert answer.returncode == 1
    assert "no documents named GUM_genre_name.ptb" in answer.stderr
    assert not (tmp_path / "out").exists()

"""What the name or path of a model stands for, and what the cards of bundled models say."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gpuparse.errors import UsageError
from gpuparse.model import bundled
from gpuparse.model.bundled import bundled_models, find_model, names_model, read_figures
from gpuparse.model.file import load_model, save_model
from tests.small_model import small_model


def test_without_a_name_the_english_model_is_meant() -> None:
    assert find_model() == find_model("english") == bundled.FOLDER / "english.model"


def test_a_name_wins_over_a_file_of_that_name_but_a_path_is_a_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("english").touch()
    assert find_model("english") == bundled.FOLDER / "english.model"
    assert find_model("./english") == Path("english")


def test_a_model_that_is_not_there_is_wrong_usage(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such file"):
        find_model(tmp_path / "none.model")


def test_an_installation_without_models_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundled.bundled_models, "__defaults__", (tmp_path,))
    with pytest.raises(UsageError, match="no model comes with this gpuparse"):
        find_model()


def test_a_model_file_is_known_by_its_beginning_whatever_its_name(tmp_path: Path) -> None:
    save_model(small_model(), tmp_path / "wsj")
    (tmp_path / "notes").write_text("I like this gpuparse thing.")
    os.mkfifo(tmp_path / "pipe")  # looking into it would wait for ever
    found = {name: names_model(str(tmp_path / name)) for name in ("wsj", "notes", "pipe", "none", "none.model", "")}
    assert found == {"wsj": True, "notes": False, "pipe": False, "none": False, "none.model": True, "": False}


@pytest.mark.parametrize("argument", ["a\0b", "x" * 100_000, "\udcff", ""])
def test_what_can_be_no_file_name_is_no_model(argument: str) -> None:
    assert not names_model(argument)


@pytest.mark.parametrize("text", ["", "---", "---\nname: x", "# Title\n---\na: b\n---"])
def test_a_card_without_figures_has_none(text: str) -> None:
    assert read_figures(text.splitlines()) == {}


def test_every_bundled_model_loads_is_small_and_has_a_card_with_all_that_is_listed() -> None:
    assert bundled_models()
    for model in bundled_models():
        loaded = load_model(model.path)
        assert loaded.tagger is not None
        assert model.size < 10_000_000
        assert {"name", "language", "data", "licence", "f1", "f1_tagger"} <= set(model.figures)
        card = model.card.read_text(encoding="utf-8")
        words = " ".join(
            ["scripts/train-english", "CC BY 4.0", "gucorpling.org/gum", "Zeldes", "at most 15 words", "bad at"]
        )
        assert all(word in card for word in words.split())
        assert f"{model.size / 1e6:.1f} MB" in card

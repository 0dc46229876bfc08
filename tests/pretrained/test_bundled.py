"""What the name or path of a model stands for, and what the cards of bundled models say."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from gpuparse.errors import UsageError
from gpuparse.options import SearchOptions
from gpuparse.parse.model.file import load_model, save_model
from gpuparse.parse.sources import Convention
from gpuparse.pretrained import bundled
from gpuparse.pretrained.bundled import bundled_models, find_model, names_model, read_figures
from scripts import english_model
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
    answers = {name: names_model(str(tmp_path / name)) for name in ("wsj", "notes", "pipe", "none", "none.model", "")}
    assert answers == {"wsj": True, "notes": False, "pipe": False, "none": False, "none.model": True, "": False}


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
        assert model.size <= 12_000_000
        assert {"name", "language", "data", "licence", "f1", "f1_tagger"} <= set(model.figures)
        card = model.card.read_text(encoding="utf-8")
        text = " ".join(card.split())
        assert (
            "The annotations of GUM are licensed under [CC BY 4.0](https://creativecommons.org/licenses/by/4.0/). They "
            "were made by the annotators listed at <https://gucorpling.org/gum/>. For scholarly work cite: Zeldes, "
            'Amir (2017), "The GUM Corpus: Creating Multilayer Resources in the Classroom", Language Resources and '
            "Evaluation 51(3), 581-612. As far as this model is a work derived from texts under CC BY-SA, its licence "
            "is [CC BY-SA 4.0](https://creativecommons.org/licenses/by-sa/4.0/)."
        ) in text
        licence = "CC BY-SA 4.0 as far as it derives from its texts; annotations CC BY 4.0"
        assert model.figures["licence"] == licence
        genres = model.figures["data"].partition("GUM (")[2].partition(")")[0].split(", ")
        rows = dict(re.findall(r"^\| gum, (\w+) \| \d+ \| (.+) \|$", card, re.MULTILINE))
        assert list(rows) == genres
        assert all(licence.startswith("CC BY") for licence in rows.values())


def test_the_figures_on_a_card_are_those_of_its_model() -> None:
    for bundled_model in bundled_models():
        figures, card = bundled_model.figures, bundled_model.card.read_text(encoding="utf-8")
        model = load_model(bundled_model.path)
        assert model.tagger is not None
        ensembles = model.ensembles.values()
        trees = sum(ensemble.trees_at(model.lambda_) for ensemble in ensembles)
        rules = sum(len(ensemble.compounds(model.lambda_)) for ensemble in ensembles)
        assert (
            f"{bundled_model.size / 1e6:.1f} MB: {len(ensembles)} labels, {trees:,} trees and {rules:,} rules at "
            f"lambda {model.lambda_:.4g}, {len(model.vocabulary.words):,} words; its tagger has "
            f"{len(model.tagger.row_weights):,} weights."
        ) in card
        configuration = model.configuration
        assert figures["trained_on"].startswith(f"{configuration['positive_examples']['TOP']:,} sentences of ")
        assert f" --max-children {model.max_children} " in card
        assert (" --retag" in card) == configuration["retag"]
        overall = rf"^\| gum/dev \| all \| {figures['f1']} \(.*\| {figures['f1_tagger']} \("
        assert re.search(overall, card, re.MULTILINE)


@pytest.mark.gum
@pytest.mark.parametrize("name", english_model.DEV)
def test_the_scores_on_the_card_are_those_of_its_model(gum: Path, name: str, tmp_path: Path) -> None:
    for folder in (gum.parent / corpus for corpus in (name, *english_model.CORPORA)):
        if not folder.is_dir():
            pytest.skip(f"{folder} is not there")
    conventions = english_model.conventions_of(english_model.place_lists(gum.parent, tmp_path))
    convention = conventions.get(name.partition("/")[0], Convention())
    file = find_model("english")
    card, model = file.with_suffix(".md").read_text(encoding="utf-8"), load_model(file)
    measured = english_model.Measured.of(model, name, gum.parent / name, convention, SearchOptions.limit)
    rows = [*english_model.length_rows(model, measured), english_model.tagging_row(model, measured)]
    assert len(rows) == 4
    assert set(rows) <= {*card.splitlines()}

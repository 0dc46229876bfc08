"""Rules that were laid out are kept, and only what was kept whole is used."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gpuparse.jit.store import Store
from gpuparse.parse.model import laid_out, model
from gpuparse.parse.model.file import load_model, save_model
from gpuparse.parse.model.laid_out import MOST_FILES, kept_rules
from gpuparse.parse.model.rules import Rules
from tests.small_model import small_model


def arrays_of(rules: Rules) -> list[np.ndarray]:
    return [*rules[:4], *rules.marks, *rules.layout]


def assert_same(rules: Rules, expected: Rules) -> None:
    for array, other in zip(arrays_of(rules), arrays_of(expected), strict=True):
        assert (array.dtype, array.shape, array.tobytes()) == (other.dtype, other.shape, other.tobytes())


def never() -> Rules:
    raise AssertionError("the rules were there")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    kept_rules("a", small_model().rules, tmp_path / "laid-out")
    return tmp_path / "laid-out"


def test_rules_are_read_as_they_were_kept(folder: Path) -> None:
    rules = kept_rules("a", never, folder)
    assert_same(rules, small_model().rules())
    flags = [array.flags for array in arrays_of(rules)]
    assert all(of.c_contiguous and of.aligned and of.writeable for of in flags)  # else compiled code is compiled again


def test_rules_kept_under_another_name_do_not_count(folder: Path) -> None:
    (folder / "a.safetensors").rename(folder / "b.safetensors")
    with pytest.raises(AssertionError, match="were there"):
        kept_rules("b", never, folder)


def test_a_damaged_file_is_laid_out_anew(folder: Path) -> None:
    path = folder / "a.safetensors"
    whole = path.read_bytes()
    positions = [*range(0, len(whole), max(1, len(whole) // 300)), len(whole) - 1]
    damaged = [whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :] for at in positions]
    for content in (*damaged, whole[:-1], whole[:100], whole[:4], b"", whole + b"\0"):
        path.write_bytes(content)
        made: list[Rules] = []
        rules = kept_rules("a", lambda made=made: made.append(small_model().rules()) or made[0], folder)
        assert made
        assert rules is made[0]
        assert path.read_bytes() == whole


@pytest.mark.parametrize("obstacle", ["file", "link to nowhere"])
def test_a_folder_that_can_not_be_made_is_no_obstacle(tmp_path: Path, obstacle: str) -> None:
    place = tmp_path / "place"
    if obstacle == "file":
        place.write_text("somebody's")
    else:
        place.symlink_to(tmp_path / "no" / "such")
    assert_same(kept_rules("a", small_model().rules, place), small_model().rules())
    assert obstacle != "file" or place.read_text() == "somebody's"


def test_the_files_used_last_stay(folder: Path) -> None:
    names = ["a", *(f"n{number}" for number in range(1, MOST_FILES))]
    for time, name in enumerate(names):
        kept_rules(name, small_model().rules, folder)
        os.utime(folder / f"{name}.safetensors", (time, time))
    (folder / "notes.txt").write_text("somebody's")
    kept_rules("a", never, folder)  # which was the oldest
    kept_rules("new", small_model().rules, folder)
    assert {path.stem for path in folder.iterdir()} == {*names, "new", "notes"} - {"n1"}


def test_only_a_model_as_it_was_read_uses_what_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Store, "here", lambda: Store(tmp_path / "store", "key"))
    save_model(small_model(), tmp_path / "a.model")
    loaded = load_model(tmp_path / "a.model")
    kept = tmp_path / "store" / "key" / "laid-out"
    replace(loaded, lambda_=0.2).rules()
    small_model().rules()
    assert not kept.exists()
    assert_same(loaded.rules(), small_model().rules())
    assert_same(loaded.rules(0.3), small_model().rules(0.3))
    assert len([*kept.iterdir()]) == 2
    monkeypatch.setattr(model, "lay_out", never)
    assert_same(load_model(tmp_path / "a.model").rules(), laid_out._read(next(kept.glob(f"*-{(0.1).hex()}*"))))

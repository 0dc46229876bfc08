"""Training data in a folder: what comes back is what went in, or nothing."""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gpuparse.errors import UsageError
from gpuparse.options import Strategy
from gpuparse.parse.features import cache as cache_file
from gpuparse.parse.features.cache import CACHE_FORMAT, CONTENTS, cache_key, load, save, training_data
from gpuparse.parse.features.examples import Source, TrainingData, build_training_data
from gpuparse.parse.features.inventory import inventory_of
from gpuparse.parse.logic.vocabulary import build_vocabulary
from gpuparse.trees import load_language, parse_language, parse_tree, prepare
from gpuparse.trees.synthetic import synthetic_treebank
from tests.parse.features.test_examples import assert_same

ENGLISH = load_language()
TREES = [
    parse_tree("(TOP (S (NP (DT the) (NN rain)) (VP (VBZ falls) (PP (IN on) (NP (NNP Spain))))))"),
    parse_tree("(TOP (S (NP (NNP Ann) (, ,) (CC and) (NNP Bob)) (VP (VBP sing))))"),
]
VOCABULARY = build_vocabulary(TREES, ENGLISH)
KEY = "0" * 64


@pytest.fixture
def training() -> TrainingData:
    return build_training_data(Source(TREES, VOCABULARY))


def test_what_was_saved_comes_back_to_the_bit(tmp_path: Path, training: TrainingData) -> None:
    save(training, tmp_path / "cache", KEY)
    for check in (True, False):
        loaded = load(tmp_path / "cache", KEY, check)
        assert loaded is not None
        assert_same(loaded, training)
    assert [path.name for path in tmp_path.iterdir()] == ["cache"]


def test_arrays_are_mapped_and_writing_to_them_leaves_the_files_alone(tmp_path: Path, training: TrainingData) -> None:
    save(training, tmp_path / "cache", KEY)
    loaded = load(tmp_path / "cache", KEY)
    assert loaded is not None
    assert isinstance(loaded.matrix.features.base, np.memmap)
    loaded.matrix.features[:] = 0
    again = load(tmp_path / "cache", KEY)
    assert again is not None
    assert_same(again, training)


def _sum_in_another_process(folder: Path, pipe) -> None:
    loaded = load(folder, KEY, check=False)
    pipe.send(None if loaded is None else int(loaded.matrix.features.sum()))


def test_another_process_reads_the_same(tmp_path: Path, training: TrainingData) -> None:
    save(training, tmp_path / "cache", KEY)
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_sum_in_another_process, args=(tmp_path / "cache", sender))
    process.start()
    process.join(60)
    assert receiver.recv() == training.matrix.features.sum()


def test_training_data_without_any_example_comes_back(tmp_path: Path) -> None:
    tree = parse_tree("(TOP (NN big) (NN rain))")  # TOP is the only label, and can't stand over two items
    empty = build_training_data(Source([tree], build_vocabulary([tree], ENGLISH)))
    assert len(empty.matrix.segments) == 0
    save(empty, tmp_path / "cache", KEY)
    loaded = load(tmp_path / "cache", KEY)
    assert loaded is not None
    assert_same(loaded, empty)


def test_an_absent_or_stale_cache_is_not_used(tmp_path: Path, training: TrainingData, monkeypatch) -> None:
    assert load(tmp_path / "cache", KEY) is None
    save(training, tmp_path / "cache", KEY)
    assert load(tmp_path / "cache", "1" * 64) is None
    monkeypatch.setattr(cache_file, "CACHE_FORMAT", CACHE_FORMAT + 1)
    assert load(tmp_path / "cache", KEY) is None


def test_a_flipped_byte_in_any_file_is_noticed(tmp_path: Path, training: TrainingData) -> None:
    save(training, tmp_path / "cache", KEY)
    arrays = sorted((tmp_path / "cache").glob("*.npy"))
    assert len(arrays) == 17
    for path in arrays:
        content = path.read_bytes()
        for place in (0, len(content) // 2, len(content) - 1):
            path.write_bytes(content[:place] + bytes([content[place] ^ 64]) + content[place + 1 :])
            assert load(tmp_path / "cache", KEY) is None, (path, place)
        path.write_bytes(content)
    assert load(tmp_path / "cache", KEY) is not None


def test_a_truncated_or_missing_file_is_noticed_even_without_checksums(tmp_path: Path, training: TrainingData) -> None:
    save(training, tmp_path / "cache", KEY)
    for path in sorted((tmp_path / "cache").iterdir()):
        content = path.read_bytes()
        for shorter in (content[:-1], content[: len(content) // 2], b""):
            path.write_bytes(shorter)
            assert load(tmp_path / "cache", KEY, check=False) is None, path
        path.unlink()
        assert load(tmp_path / "cache", KEY, check=False) is None, path
        path.write_bytes(content)


@pytest.mark.parametrize("nonsense", ["[]", "7", '{"format": 1}', "{", "\x00"])
def test_a_table_of_contents_that_makes_no_sense_is_no_cache(
    tmp_path: Path, training: TrainingData, nonsense: str
) -> None:
    save(training, tmp_path / "cache", KEY)
    (tmp_path / "cache" / CONTENTS).write_text(nonsense)
    assert load(tmp_path / "cache", KEY) is None


def test_a_table_of_contents_that_lacks_an_array_is_no_cache(tmp_path: Path, training: TrainingData) -> None:
    save(training, tmp_path / "cache", KEY)
    path = tmp_path / "cache" / CONTENTS
    contents = json.loads(path.read_text())
    del contents["files"]["matrix.numbers"]
    path.write_text(json.dumps(contents))
    assert load(tmp_path / "cache", KEY) is None


@pytest.mark.parametrize("step", ["_write_array", "write_atomically", "_replace"])
def test_an_interrupted_write_leaves_the_old_cache_and_nothing_else(
    tmp_path: Path, training: TrainingData, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    save(training, tmp_path / "cache", KEY)

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(cache_file, step, interrupted)
        with pytest.raises(KeyboardInterrupt):
            save(training, tmp_path / "cache", "1" * 64)
    assert load(tmp_path / "cache", KEY) is not None
    assert [path.name for path in tmp_path.iterdir()] == ["cache"]


def test_what_a_killed_process_left_is_cleared_away_when_it_is_old(tmp_path: Path, training: TrainingData) -> None:
    for name in ("cache.1.unfinished", "cache.2.unfinished", "other.1.unfinished"):
        (tmp_path / name).mkdir()
    for name in ("cache.1.unfinished", "other.1.unfinished"):
        os.utime(tmp_path / name, (0, 0))
    save(training, tmp_path / "cache", KEY)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cache", "cache.2.unfinished", "other.1.unfinished"]


def test_a_folder_with_anything_else_in_it_is_refused_and_left_alone(tmp_path: Path, training: TrainingData) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "thesis.txt").write_text("years of work")
    for folder in (mine, mine / "thesis.txt"):
        with pytest.raises(UsageError, match="can't be kept here"):
            training_data(Source(TREES, VOCABULARY), cache=folder)
    save(training, tmp_path / "cache", KEY)
    (tmp_path / "cache" / "notes").write_text("mine too")
    with pytest.raises(UsageError, match="'notes'"):
        save(training, tmp_path / "cache", KEY)
    assert (mine / "thesis.txt").read_text() == "years of work"
    assert (tmp_path / "cache" / "notes").read_text() == "mine too"


def test_leftovers_that_this_program_did_not_write_stay(tmp_path: Path, training: TrainingData) -> None:
    folder = tmp_path / "cache.old.unfinished"
    folder.mkdir()
    (folder / "thesis.txt").write_text("years of work")
    os.utime(folder, (0, 0))
    save(training, tmp_path / "cache", KEY)
    assert (folder / "thesis.txt").exists()


@pytest.mark.parametrize(
    ("name", "place", "value"),
    [
        ("matrix.segments", (0, 0), 10**6),
        ("matrix.features", -1, 10**6),
        ("matrix.features", 0, -1),
        ("matrix.starts", 1, 10**6),
        ("matrix.column", 0, 200),
        ("candidates.states", 0, 10**6),
        ("candidates.first_rows", -1, 10**6),
        ("candidates.choices", (0, 0), 254),
        ("candidates.gold", 0, 99),
    ],
)
def test_an_edited_index_never_reaches_compiled_code_and_the_cache_is_built_anew(
    tmp_path: Path, training: TrainingData, caplog: pytest.LogCaptureFixture, name: str, place, value: int
) -> None:
    cache = tmp_path / "cache"
    training_data(Source(TREES, VOCABULARY), cache=cache)
    array = np.load(cache / f"{name}.npy")
    array[place] = value
    contents = json.loads((cache / CONTENTS).read_text())
    contents["files"][name] = cache_file._write_array(cache / f"{name}.npy", array)
    (cache / CONTENTS).write_text(json.dumps(contents, indent=1))
    assert_same(training_data(Source(TREES, VOCABULARY), cache=cache), training)
    assert "is damaged, and is built again" in caplog.text


def test_a_newer_save_replaces_the_older_while_that_is_mapped(tmp_path: Path, training: TrainingData) -> None:
    save(training, tmp_path / "cache", KEY)
    older = load(tmp_path / "cache", KEY)
    assert older is not None
    newer = build_training_data(Source(TREES[:1], VOCABULARY))
    save(newer, tmp_path / "cache", "1" * 64)
    loaded = load(tmp_path / "cache", "1" * 64)
    assert loaded is not None
    assert_same(loaded, newer)
    assert_same(older, training)


def test_the_second_run_builds_nothing_and_a_changed_one_builds_again(tmp_path: Path) -> None:
    built: list[int] = []
    folder = tmp_path / "deep" / "cache"
    first = training_data(Source(TREES, VOCABULARY), cache=folder, on_sentence=built.append)
    second = training_data(Source(TREES, VOCABULARY), cache=folder, on_sentence=built.append)
    assert built == [0, 1]
    assert_same(first, second)
    assert_same(first, build_training_data(Source(TREES, VOCABULARY)))
    training_data(Source(TREES, VOCABULARY, Strategy.l2r), cache=folder, on_sentence=built.append)
    assert built == [0, 1, 0, 1]
    damaged = folder / "matrix.features.npy"
    damaged.write_bytes(damaged.read_bytes()[:-4])
    rebuilt = training_data(Source(TREES, VOCABULARY, Strategy.l2r), cache=folder, on_sentence=built.append)
    assert built == [0, 1, 0, 1, 0, 1]
    assert_same(rebuilt, build_training_data(Source(TREES, VOCABULARY, Strategy.l2r)))


def test_a_cache_that_can_not_be_written_costs_nothing_but_a_warning(
    tmp_path: Path, training: TrainingData, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("in the way")
    assert_same(training_data(Source(TREES, VOCABULARY), cache=tmp_path / "file" / "cache"), training)
    assert "can't be kept" in caplog.text


def test_the_key_depends_on_all_that_the_data_depends_on() -> None:
    other_words = build_vocabulary([*TREES, parse_tree("(TOP (NP (NN snow)))")], ENGLISH)
    other_language = build_vocabulary(TREES, parse_language(ENGLISH.text + "\n# changed"))
    like_two_trees = parse_tree(f"(TOP {TREES[0]} {TREES[1]})")
    keys = [
        cache_key(Source(TREES, VOCABULARY, Strategy.r2l, 5, 0)),
        cache_key(Source(TREES[::-1], VOCABULARY, Strategy.r2l, 5, 0)),
        cache_key(Source(TREES[:1], VOCABULARY, Strategy.r2l, 5, 0)),
        cache_key(Source([like_two_trees], VOCABULARY, Strategy.r2l, 5, 0)),
        cache_key(Source(TREES, other_words, Strategy.r2l, 5, 0)),
        cache_key(Source(TREES, other_language, Strategy.r2l, 5, 0)),
        cache_key(Source(TREES, VOCABULARY, Strategy.l2r, 5, 0)),
        cache_key(Source(TREES, VOCABULARY, Strategy.r2l, 4, 0)),
        cache_key(Source(TREES, VOCABULARY, Strategy.r2l, 5, 1)),
    ]
    assert len(set(keys)) == len(keys)
    assert keys[0] == cache_key(Source(list(TREES), build_vocabulary(TREES, ENGLISH), Strategy.r2l, 5, 0))


def test_the_key_changes_with_the_inventory_of_features(monkeypatch: pytest.MonkeyPatch) -> None:
    key = cache_key(Source(TREES, VOCABULARY, Strategy.r2l, 5, 0))
    other = replace(inventory_of(VOCABULARY), lengths=12)
    monkeypatch.setattr(cache_file, "inventory_of", lambda vocabulary: other)
    assert cache_key(Source(TREES, VOCABULARY, Strategy.r2l, 5, 0)) != key


# In 3 there is one more array, which is empty here.
FINGERPRINTS = {1: "896e05b2fdda1656", 2: "b361212ba31087ab", 3: "b361212ba31087ab", 4: "3267f9d9cea70e59"}


def test_the_format_changes_with_the_features() -> None:
    """If this fails, the training data is no longer that of old caches: raise CACHE_FORMAT, add the new fingerprint."""
    trees = [*TREES, parse_tree("(TOP (S (NP (NP (NN rain)) (: :) (NP (DT the) (NN sun))) (VP (VBD fell) (RP down))))")]
    digest = hashlib.sha256()
    for strategy in Strategy:
        training = build_training_data(Source(trees, build_vocabulary(trees, ENGLISH), strategy))
        for array in (*training.matrix, *training.candidates):
            digest.update(np.ascontiguousarray(array).tobytes())
    assert digest.hexdigest()[:16] == FINGERPRINTS[CACHE_FORMAT]


def test_synthetic_trees_come_back_too(tmp_path: Path) -> None:
    trees = [tree for tree in (prepare(tree, ENGLISH).tree for tree in synthetic_treebank(20, seed=1)) if tree]
    vocabulary = build_vocabulary(trees, ENGLISH)
    kept = training_data(Source(trees, vocabulary, Strategy.bu), cache=tmp_path / "cache")
    assert_same(kept, build_training_data(Source(trees, vocabulary, Strategy.bu)))

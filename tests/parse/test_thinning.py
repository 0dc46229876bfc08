"""Thinning keeps what the plain version keeps, leaves sums as they were on average, and fits any memory."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from gpuparse.boost import Options
from gpuparse.device import find_device
from gpuparse.errors import UsageError
from gpuparse.kernels import cpu
from gpuparse.options import Strategy, TrainingOptions
from gpuparse.parse.features.examples import Source, TrainingData, build_training_data
from gpuparse.parse.logic.vocabulary import build_vocabulary
from gpuparse.parse.model.file import save_model
from gpuparse.parse.model.model import Model
from gpuparse.parse.needs import estimate_needs
from gpuparse.parse.pilot import Thinning, plan_thinning
from gpuparse.parse.run_folder import THINNING
from gpuparse.parse.sources import WeightedTree
from gpuparse.parse.thinning import FLOOR, Thinner, threshold_for
from gpuparse.parse.train import Corpus, Observer, split_corpus, train
from gpuparse.trees import load_language, synthetic_treebank
from tests.small_model import small_model, synthetic_trees

TREES = synthetic_trees(30, seed=3)
Place = tuple[int, int, int, int]  # of a row: its state, the first and the last child, the head child


def source(strategy: Strategy = Strategy.r2l) -> Source:
    return Source(TREES, small_model(strategy=strategy).vocabulary, strategy)


def thinners(pilot: Model, threshold: float, seed: int = 0) -> Callable[[], Thinner]:
    return lambda: Thinner(pilot, threshold, seed, cpu.score_rows)


def places(data: TrainingData) -> list[Place]:
    """Where each row stands."""
    candidates = data.candidates
    ends = np.append(candidates.first_rows[1:], len(data.matrix.segments))
    return [
        (int(state), int(left), int(right), int(candidates.heads[row]))
        for state, (left, right), first, end in zip(
            candidates.states, candidates.children, candidates.first_rows, ends, strict=True
        )
        for row in range(first, end)
    ]


def probabilities(data: TrainingData, pilot: Model, threshold: float) -> np.ndarray:
    """The probability of every row to be kept, as gpuparse/parse/thinning.py defines it."""
    squares, least = np.zeros(len(data.matrix.segments)), np.zeros(len(data.matrix.segments))
    correct = np.zeros(len(data.matrix.segments), bool)
    for number, label in enumerate(pilot.vocabulary.labels):
        scores = pilot.ensembles[label].predict(data.matrix, pilot.lambda_)
        task = data.candidates.of_label(number)
        for row, sign, importance in zip(*task, strict=True):
            if sign > 0:
                correct[row] = True
            else:
                squares[row] += (importance / (1 + np.exp(-scores[row]))) ** 2
                least[row] += (importance / 2) ** 2
    weight = np.maximum(np.sqrt(squares), FLOOR * np.sqrt(least))
    return np.where(correct, 1.0, np.minimum(1.0, weight / threshold))


@pytest.mark.parametrize("strategy", [*Strategy])
def test_rows_are_kept_by_their_weight_under_the_pilot(strategy: Strategy) -> None:
    pilot, threshold = small_model(strategy=strategy), 0.004
    whole = build_training_data(source(strategy))
    thin = build_training_data(source(strategy), make_thinner=thinners(pilot, threshold))
    p = dict(zip(places(whole), probabilities(whole, pilot, threshold), strict=True))
    kept = dict(zip(places(thin), thin.candidates.factors, strict=True))
    assert kept.keys() < p.keys()
    np.testing.assert_allclose(list(kept.values()), [1 / p[place] for place in kept], rtol=1e-6)
    assert all(place in kept for place, probability in p.items() if probability == 1)
    assert 0.005 < np.mean([place in kept for place, probability in p.items() if probability < 1]) < 0.7
    expected = sum(p.values())
    assert abs(len(kept) - expected) < 5 * np.sqrt(expected)


def test_rows_over_the_same_children_are_drawn_together() -> None:
    """Of the rows over the same two words those are kept whose probability exceeds one number."""
    pilot, threshold = small_model(), 0.004
    whole = build_training_data(source())
    kept = set(places(build_training_data(source(), make_thinner=thinners(pilot, threshold))))
    by_run: dict[tuple[int, int, int], list[tuple[float, bool]]] = {}
    for place, probability in zip(places(whole), probabilities(whole, pilot, threshold), strict=True):
        state, left, right, _ = place
        before = states_before(whole, state)  # as long as nothing is inferred to the left, places there are words
        if right == left + 1 and right < len(before):
            by_run.setdefault((int(whole.candidates.sentences[state]), left, right), []).append(
                (probability, place in kept)
            )
    mixed = [rows for rows in by_run.values() if len({is_kept for _, is_kept in rows}) == 2]
    assert len(mixed) > 10
    for rows in mixed:
        assert min(p for p, is_kept in rows if is_kept) > max(p for p, is_kept in rows if not is_kept)


def states_before(data: TrainingData, state: int) -> list[int]:
    """The words of a sentence that no item of a state under r2l can cover yet: those before all that was inferred."""
    candidates = data.candidates
    of_state = candidates.states == state
    words: list[int] = []
    for (left, right), (start, end) in zip(candidates.children[of_state], candidates.spans[of_state], strict=True):
        if left == right and end == start + 1 and left == start == len(words):
            words.append(int(start))
    first = int(np.flatnonzero(candidates.sentences == candidates.sentences[state])[0])
    gold_steps = state - first
    return words if gold_steps == 0 else words[: max(0, len(words) - 1)]


def test_a_kept_row_has_the_features_and_labels_that_it_had() -> None:
    whole = build_training_data(source())
    thin = build_training_data(source(), make_thinner=thinners(small_model(), 0.004))
    row_of = {place: row for row, place in enumerate(places(whole))}
    for row, place in enumerate(places(thin)):
        ids = thin.matrix.numbers[thin.matrix.row(row)]
        assert set(ids) == set(whole.matrix.numbers[whole.matrix.row(row_of[place])])
    assert thin.uninferable == whole.uninferable
    for name in ("sentences", "correct", "incorrect"):
        np.testing.assert_array_equal(getattr(thin.candidates, name), getattr(whole.candidates, name))
    for label in range(len(small_model().vocabulary.labels)):
        rows, signs, importance = whole.candidates.of_label(label)
        of_row = {int(row): (int(sign), float(b)) for row, sign, b in zip(rows, signs, importance, strict=True)}
        kept = thin.candidates.of_label(label)
        at = places(thin)
        for row, sign, b in zip(*kept, strict=True):
            before, worth = of_row[row_of[at[row]]]
            assert sign == before
            assert b == pytest.approx(worth * (thin.candidates.factors[row] if sign < 0 else 1.0))


def test_sums_over_examples_stay_what_they_were_on_average() -> None:
    whole = build_training_data(source())
    label = small_model().vocabulary.labels.index("NP")
    _, signs, importance = whole.candidates.of_label(label)
    sums = []
    for seed in range(25):
        thin = build_training_data(source(), make_thinner=thinners(small_model(), 0.001, seed))
        _, kept_signs, kept = thin.candidates.of_label(label)
        sums.append(kept[kept_signs < 0].sum())
    error = np.std(sums) / np.sqrt(len(sums))
    assert abs(np.mean(sums) - importance[signs < 0].sum()) < 4 * error
    assert error < 0.1 * np.mean(sums)


def test_a_sentence_that_counts_twice_as_much_is_thinned_as_if_the_threshold_were_half() -> None:
    once = build_training_data(source(), make_thinner=thinners(small_model(), 0.002))
    heavy = source()._replace(weights=[2.0] * len(TREES))
    twice = build_training_data(heavy, make_thinner=thinners(small_model(), 0.004))
    assert places(twice) == places(once)
    np.testing.assert_array_equal(twice.candidates.factors, once.candidates.factors)


def test_a_low_threshold_keeps_everything() -> None:
    whole = build_training_data(source())
    thin = build_training_data(source(), make_thinner=thinners(small_model(), 1e-9))
    assert places(thin) == places(whole)
    np.testing.assert_array_equal(thin.candidates.factors, np.ones(len(thin.matrix.segments)))
    for one, other in zip(thin.matrix, whole.matrix, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("threads", [2, 3])
def test_threads_keep_what_one_keeps(threads: int) -> None:
    one, many = (
        build_training_data(source(), threads=n, make_thinner=thinners(small_model(), 0.004)) for n in (1, threads)
    )
    for mine, yours in zip([*one.matrix, *one.candidates], [*many.matrix, *many.candidates], strict=True):
        np.testing.assert_array_equal(mine, yours)


def options(**changes: object) -> TrainingOptions:
    learn = Options(eta=0.5, min_lambda=0.3, max_trees=4)
    return TrainingOptions(tagger=False, tune_fraction=0.0, thinned_from=0, learn=learn, **changes)  # type: ignore[arg-type]


def corpus() -> Corpus:
    return split_corpus(list(map(WeightedTree, synthetic_treebank(60))), None, load_language(), options())


def trained(folder: Path, **changes: object) -> bytes:
    model = train(corpus(), load_language(), options(**changes), folder / "log.jsonl", [find_device("cpu").kernels])
    save_model(model, folder / "model")
    return (folder / "model").read_bytes()


def test_a_thinned_training_is_the_same_for_any_jobs_and_goes_on_from_its_log(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    model = trained(tmp_path / "one")
    assert trained(tmp_path / "one") == model
    (tmp_path / "jobs").mkdir()
    assert trained(tmp_path / "jobs", jobs=3) == model
    log = (tmp_path / "one" / "log.jsonl").read_bytes().splitlines(keepends=True)
    (tmp_path / "two" / "log.jsonl").write_bytes(b"".join(log[: len(log) // 2]))
    (tmp_path / "two" / THINNING).write_bytes((tmp_path / "one" / THINNING).read_bytes())
    assert trained(tmp_path / "two") == model


def test_all_is_kept_where_that_is_asked_for_and_of_small_treebanks(tmp_path: Path) -> None:
    one = Source(TREES, build_vocabulary(TREES, load_language()))
    assert plan_thinning(one, options(keep_all=True), tmp_path, Observer()) is None
    assert plan_thinning(one, TrainingOptions(), tmp_path, Observer()) is None
    assert plan_thinning(one, options(), tmp_path, Observer()) is not None


def test_the_threshold_rises_until_the_memory_suffices_and_is_remembered(tmp_path: Path) -> None:
    one = Source(TREES, build_vocabulary(TREES, load_language()))
    plenty = plan_thinning(one, options(), tmp_path, Observer())
    assert plenty is not None
    assert plenty.threshold == threshold_for(0.3)
    thinner = Thinning(one, 5, 8 * plenty.threshold, 1, 0)
    little = options(memory=estimate_needs(one, 1, thinner.make_thinner).memory)
    remembered = plan_thinning(one, little, tmp_path, Observer())
    assert remembered is not None
    assert remembered.threshold == plenty.threshold
    (tmp_path / THINNING).unlink()
    tight = plan_thinning(one, little, tmp_path, Observer())
    assert tight is not None
    assert plenty.threshold < tight.threshold <= 8 * plenty.threshold
    (tmp_path / THINNING).unlink()
    with pytest.raises(UsageError, match="more --memory"):
        plan_thinning(one, options(memory=100_000_000), tmp_path, Observer())


def test_the_threshold_and_the_seed_are_part_of_what_data_are_known_by() -> None:
    one = Source(TREES, build_vocabulary(TREES, load_language()))
    thinnings = [Thinning(one, 5, 0.1, 1, 0), Thinning(one, 5, 0.2, 1, 0), Thinning(one, 6, 0.1, 1, 0)]
    thinnings.append(Thinning(one._replace(seed=1), 5, 0.1, 1, 0))
    assert len({str(sorted(thinning.settings.items())) for thinning in thinnings}) == 4

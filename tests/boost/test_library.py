"""The learner as a library: matrices from anywhere, many tasks, and a second client that is no parser."""

from __future__ import annotations

import ast
import os
import random
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuparse.boost import Attempt, Csr, Matrix, Options, Session, Task, Watcher, fit, learn
from gpuparse.boost.path import Workplace, learn_task
from gpuparse.errors import MatrixError, TrainingError, UsageError
from gpuparse.kernels import cpu
from tests.boost.oracle import score_of_trees
from tests.boost.problems import Problem, problem, problems


def dense(matrix: Matrix, n_features: int) -> np.ndarray:
    table = np.zeros((len(matrix.segments), n_features), bool)
    indptr, indices, _ = matrix.to_csr()
    for row in range(len(table)):
        table[row, indices[indptr[row] : indptr[row + 1]]] = True
    return table


tables = st.integers(0, 6).flatmap(
    lambda rows: st.integers(1, 9).flatmap(
        lambda features: st.lists(
            st.lists(st.booleans(), min_size=features, max_size=features), min_size=rows, max_size=rows
        ).map(lambda table: np.array(table, bool).reshape(rows, features))
    )
)


def csr_of(table: np.ndarray) -> Csr:
    indptr = np.concatenate([[0], np.cumsum(table.sum(axis=1))]).astype(np.int64)
    return Csr(indptr, np.nonzero(table)[1].astype(np.int32), table.shape)


@given(tables)
@settings(deadline=None)
def test_a_plain_matrix_comes_back_as_it_was(table: np.ndarray) -> None:
    matrix = Matrix.from_csr(csr_of(table))
    assert np.array_equal(dense(matrix, table.shape[1]), table)
    counts = table.sum(axis=0)[matrix.numbers]
    assert (np.diff(counts) <= 0).all()
    assert (counts > 0).all()


@given(problems(), st.randoms(use_true_random=False))
@settings(deadline=None, max_examples=30)
def test_segments_in_any_numbering_give_the_same_rows(case: Problem, chance: random.Random) -> None:
    segments, starts, features, column, _ = case.matrix
    shuffled = np.array(chance.sample(range(len(column)), len(column)), np.int32)
    by_id = np.empty(len(column), np.uint8)
    by_id[shuffled] = column
    matrix = Matrix.from_segments(segments, starts, shuffled[features], by_id, threads=2)
    assert np.array_equal(dense(matrix, len(column))[:, shuffled], case.dense)


def test_scipys_matrix_is_taken() -> None:
    sparse = pytest.importorskip("scipy.sparse", reason="SciPy is not installed; only `gpuparse bench learn` uses it")
    table = np.array([[1, 0, 1], [0, 0, 1]])
    for kind in (sparse.csr_matrix, sparse.csr_array):
        assert np.array_equal(dense(Matrix.from_csr(kind(table)), 3), table)
    with pytest.raises(MatrixError, match="csc, not CSR"):
        Matrix.from_csr(sparse.csc_matrix(table))


@given(tables)
@settings(deadline=None, max_examples=30)
def test_three_arrays_in_scipys_order_are_taken(table: np.ndarray) -> None:
    indptr, indices, _ = csr_of(table)
    matrix = Matrix.from_csr((np.ones(len(indices)), indices, indptr))
    assert np.array_equal(dense(matrix, table.shape[1]), table)


class OnDevice:
    """An array as CuPy has it: what it holds must be asked for."""

    def __init__(self, array: np.ndarray) -> None:
        self._array = array

    def get(self) -> np.ndarray:
        return self._array


class Table:
    """A CSR matrix as cupyx has it."""

    def __init__(self, data: np.ndarray, rows: int = 1) -> None:
        self.indptr, self.indices = OnDevice(np.array([0, 1])), OnDevice(np.array([2]))
        self.data, self.shape = OnDevice(data), (rows, 3)


def test_a_matrix_on_a_device_is_copied_from_there() -> None:
    assert dense(Matrix.from_csr(Table(np.ones(1))), 3).tolist() == [[False, False, True]]
    with pytest.raises(MatrixError, match="binary"):
        Matrix.from_csr(Table(np.array([0.5])))
    with pytest.raises(MatrixError, match="5 rows by its shape, and 1 by its indptr"):
        Matrix.from_csr(Table(np.ones(1), rows=5))


def test_whatever_has_indptr_and_indices_is_taken() -> None:
    matrix = Matrix.from_csr(SimpleNamespace(indptr=np.array([0, 1, 2]), indices=np.array([2, 0])))
    assert dense(matrix, 3).tolist() == [[False, False, True], [True, False, False]]


@pytest.mark.parametrize(
    ("table", "flaw"),
    [
        ((np.array([1, 1]), np.array([0]), 1), "begin with 0"),
        ((np.array([0, 2, 1]), np.array([0]), 1), "never fall"),
        ((np.array([0, 1]), np.array([3]), 3), "outside 0 .. 2"),
        ((np.array([0, 1]), np.array([-1]), 3), "outside 0 .. 2"),
        ((np.array([0, 2]), np.array([2, 2]), 3), "feature 2 twice"),
        ((np.array([0, 1]), np.array([2**32]), 3), "outside 0 .. 2"),  # not taken for 0
        ((np.array([0, 1]), np.array([0.5]), 3), "must be integers"),
        ((np.array([0.0, 1.0]), np.array([0]), 3), "must be integers"),
        ((np.array([0, 1]), np.array([[0]]), 3), "along one axis"),
        ((np.array([2.0]), np.array([0]), np.array([0, 1])), "binary"),
        ((np.array([1.0]), np.array([0, 1]), np.array([0, 2])), "each index has one"),
        ((np.array([0, 1]), np.array([0]), 3.7), "whole number, not 3.7"),
        ((np.array([0]), np.array([], int), -1), "whole number, not -1"),
        ((np.array([0, 1]), np.array([0])), "three things"),
        (np.ones((2, 2)), "ndarray, not CSR"),
    ],
)
def test_what_is_no_matrix_is_refused_with_the_reason(table: tuple, flaw: str) -> None:
    with pytest.raises(MatrixError, match=flaw):
        Matrix.from_csr(table)


@pytest.mark.parametrize(
    ("segments", "starts", "features", "flaw"),
    [
        ([[1, 0]], [0, 1, 1], [0], "segment 0 must be the empty one"),
        ([[9, 0]], [0, 0, 1], [0], "segment outside"),
        ([[1, 0]], [0, 0, 2], [0, 1], "two columns"),
        ([[0, 1]], [0, 0, 1], [0], "row 0 has a segment in a column"),
        ([[1]], [0, 0, 1], [0], "column of a feature is outside 0 .. 0"),
    ],
)
def test_segments_that_make_no_matrix_are_refused(segments, starts, features, flaw: str) -> None:
    column = np.array([0, 1], np.uint8)
    with pytest.raises(MatrixError, match=flaw):
        Matrix.from_segments(np.array(segments, np.int32), np.array(starts), np.array(features, np.int32), column)


@pytest.mark.parametrize(
    ("segments", "column", "flaw"),
    [
        (np.array([[1.0, 0.0]]), np.zeros(2, np.uint8), "integers along two axes, not float64 along 2"),
        (np.array([1, 0]), np.zeros(2, np.uint8), "integers along two axes, not int64 along 1"),
        (np.array([[1, 0]]), np.zeros(2), "integers along one axis, not float64 along 1"),
    ],
)
def test_arrays_of_other_types_are_refused(segments: np.ndarray, column: np.ndarray, flaw: str) -> None:
    with pytest.raises(MatrixError, match=flaw):
        Matrix.from_segments(segments, np.array([0, 0, 1]), np.array([0], np.int32), column)


TWO_ROWS = Matrix.from_csr((np.array([0, 1, 1]), np.array([3]), 10))


@pytest.mark.parametrize(
    ("rows", "signs", "importance", "flaw"),
    [
        ([0, 1], [1, 0], [1, 1], "X: signs must be"),
        ([0, 1], [True, False], [1, 1], "X: signs must be"),
        ([0, 2], [1, -1], [1, 1], "X: an example's row is outside the matrix of 2 rows"),
        ([0.0, 1.0], [1, -1], [1, 1], "X: rows are named by integers"),
        ([[0, 1]], [[1, -1]], [[1, 1]], "X: rows, signs and importances have one axis each"),
        ([0, 1], [1], [1, 1], "X: 2 rows, 1 signs and 2 importances"),
        ([0, 1], [1, -1], [1, float("nan")], "X: importances must be finite"),
    ],
)
def test_what_is_no_task_is_refused_with_the_reason(rows: list, signs: list, importance: list, flaw: str) -> None:
    with pytest.raises(TrainingError, match=flaw):
        fit(TWO_ROWS, {"X": Task(np.array(rows), np.array(signs), np.array(importance))})


def test_a_task_of_other_types_of_numbers_is_learned_as_one_of_the_usual_types() -> None:
    usual = Task(np.array([0, 1], np.int32), np.array([1, -1], np.int8), np.ones(2))
    others = Task(np.array([0, 1], np.uint64), np.array([1.0, -1.0]), np.ones(2, np.int64))
    scores = [fit(TWO_ROWS, {"X": task}, Options(max_trees=2))["X"].predict(TWO_ROWS) for task in (usual, others)]
    assert np.array_equal(*scores)
    assert scores[0].any()
    with pytest.raises(UsageError, match="at least one task"):
        fit(TWO_ROWS, {"X": usual}, jobs=0)


@given(problems(), st.sampled_from(["l1", "l2"]))
@settings(deadline=None, max_examples=20)
def test_predictions_are_the_sums_of_the_leaves(case: Problem, penalty: str) -> None:
    options = Options(penalty=penalty, max_trees=4, min_lambda=0.0)  # type: ignore[arg-type]
    ensemble = fit(case.matrix, {"X": case.task}, options)["X"]
    expected = [score_of_trees(ensemble, set(np.flatnonzero(row).tolist())) for row in case.dense]
    assert ensemble.predict(case.matrix).tolist() == pytest.approx(expected, abs=1e-12)


LEARN_ONE_WAY = """
import sys, tempfile
from pathlib import Path
import numpy as np
from gpuparse.boost import Matrix, Options, Session, Task, learn
from gpuparse.kernels import cpu
matrix = Matrix.from_csr((np.array([0, 1, 1, 2]), np.array([3, 2]), 10))
task = Task(np.array([0, 1, 2], np.int32), np.array([1, -1, 1], np.int8), np.ones(3))
options = Options(loss=sys.argv[1], splitter=sys.argv[2], max_trees=2, min_lambda=0.01, sample=2)
with tempfile.TemporaryDirectory() as folder:
    learn(matrix, {"X": task}, options, [cpu], session=Session(Path(folder, "log")))
called = {name for name, module in sys.modules.items() if name.startswith("gpuparse.kernels.cpu")
          for value in vars(module).values() if getattr(value, "_called", None) and value.__module__ == name}
print(sorted(name.split(".")[-1] for name in called))
"""


@pytest.mark.parametrize("loss", ["logistic", "exponential"])
@pytest.mark.parametrize("splitter", ["gain", "impurity"])
def test_nothing_but_the_chosen_loss_and_splitter_is_called_and_so_compiled(loss: str, splitter: str) -> None:
    environment = {**os.environ, "GPUPARSE_COMPILE": "never"}
    command = [sys.executable, "-c", LEARN_ONE_WAY, loss, splitter]
    run = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    called = set(ast.literal_eval(run.stdout))
    assert called & {"logistic", "exponential"} == {loss}
    assert ("both_sums" in called) == (splitter == "impurity")


def test_a_matrix_of_other_rows_may_lack_features_of_the_trees() -> None:
    matrix = Matrix.from_csr((np.array([0, 1, 1]), np.array([3]), 10))
    ensemble = fit(matrix, {"X": Task(np.array([0, 1]), np.array([1, -1], np.int8), np.ones(2))})["X"]
    other = Matrix.from_csr((np.array([0, 1, 2]), np.array([7, 3]), 10))
    scores = ensemble.predict(other)
    assert scores[0] < 0 < scores[1]


class Counter(Watcher):
    def __init__(self) -> None:
        self.trees = 0

    def tree(self, task: str, attempt: Attempt) -> None:
        self.trees += attempt.kept


def test_thousands_of_small_tasks_share_one_log_and_learn_what_each_learns_alone(tmp_path: Path) -> None:
    data = problem(5, 600, 80, 3)
    rng = np.random.default_rng(0)
    signs = np.where(data.dense[:, :1].any(axis=1), 1, -1).astype(np.int8)
    tasks = {}
    for number in range(2000):
        rows = np.sort(rng.choice(600, 12, replace=False)).astype(np.int32)
        tasks[f"word {number}"] = Task(rows, signs[rows], np.full(12, 0.5))
    options, counter = Options(max_trees=2, min_lambda=0.1), Counter()
    histories = learn(data.matrix, tasks, options, [cpu], 2, Session(tmp_path / "log.jsonl", watcher=counter))
    assert counter.trees == sum(len(history.kept) for history in histories.values()) > 1000
    assert [path.name for path in tmp_path.iterdir()] == ["log.jsonl"]
    whole = Workplace.on(data.matrix, cpu)
    for name in list(tasks)[::100]:
        alone = learn_task(name, tasks[name], whole, options)
        mine = [attempt.tree.to_json() for attempt in histories[name].kept if attempt.tree is not None]
        assert mine == [attempt.tree.to_json() for attempt in alone.kept if attempt.tree is not None]
    again = learn(data.matrix, tasks, options, [cpu], 2, Session(tmp_path / "log.jsonl", watcher=(rest := Counter())))
    assert rest.trees == 0
    assert {name: history.end for name, history in again.items()} == {n: h.end for n, h in histories.items()}


SUBJECTS = {
    "weather": ["rain", "sun", "wind", "cloud", "storm", "snow", "fog", "frost", "thunder", "sky"],
    "kitchen": ["salt", "oven", "bread", "knife", "butter", "soup", "plate", "onion", "pan", "flour"],
    "music": ["drum", "song", "violin", "chord", "choir", "tune", "piano", "rhythm", "flute", "melody"],
}
COMMON = ["the", "a", "of", "and", "we", "had", "some", "old", "new", "there", "was", "then", "more", "little"]


def sentence(subject: str, chance: random.Random) -> set[str]:
    """Ten words, of which three or so are about a subject, and one about another."""
    other = chance.choice([name for name in SUBJECTS if name != subject])
    return {*chance.sample(SUBJECTS[subject], 3), chance.choice(SUBJECTS[other]), *chance.sample(COMMON, 6)}


def test_a_text_classifier_is_another_client() -> None:
    chance = random.Random(1)
    texts = [(subject, sentence(subject, chance)) for subject in SUBJECTS for _ in range(120)]
    words = sorted({word for _, text in texts for word in text})
    number = {word: at for at, word in enumerate(words)}
    indices = [sorted(number[word] for word in text) for _, text in texts]
    matrix = Matrix.from_csr((np.cumsum([0, *map(len, indices)]), np.concatenate(indices), len(words)))
    train = np.flatnonzero(np.arange(len(texts)) % 3 > 0).astype(np.int32)
    test = np.flatnonzero(np.arange(len(texts)) % 3 == 0)
    subjects = np.array([subject for subject, _ in texts])
    tasks = {
        name: Task(train, np.where(subjects[train] == name, 1, -1).astype(np.int8), np.ones(len(train)))
        for name in SUBJECTS
    }
    ensembles = fit(matrix, tasks, Options(min_lambda=2.0, eta=0.5), jobs=2)
    scores = np.stack([ensembles[name].predict(matrix)[test] for name in SUBJECTS])
    right = np.array(list(SUBJECTS))[scores.argmax(axis=0)] == subjects[test]
    assert right.mean() > 0.95
    heaviest = max(ensembles["music"].compounds().items(), key=lambda rule: rule[1])[0]
    assert any(words[feature] in SUBJECTS["music"] and there for feature, there in heaviest)

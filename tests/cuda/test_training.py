"""Whole training runs on the device: the same models as on the CPU, few copies, and matrices larger than the memory."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from gpuparse.boost import Attempt, Options, Session, Watcher
from gpuparse.boost import learn as learn_tasks
from gpuparse.boost.path import Workplace, learn_task
from gpuparse.boost.percolation import Percolator
from gpuparse.boost.task import Task
from gpuparse.boost.team import Team
from gpuparse.errors import DeviceError
from gpuparse.kernels import cpu
from tests.boost.problems import Problem, problem, problems
from tests.boost.test_path import OPTIONS, check_against_oracle, learn
from tests.kernels.test_learning_operations import chain

CASE = problem(7, 40, 10, 3)
SMALL = Options(max_trees=2, min_lambda=0.0, split_margin=0.05)


def facts(attempts: list[Attempt]) -> list[dict[str, Any]]:
    """All that a log says of the trees but how long they took."""
    return [{k: v for k, v in a.to_json().items() if k != "seconds"} for a in attempts]


def assert_same_path(cuda: Any, case: Problem, options: Options) -> None:
    assert facts(learn(case, options, cuda)[1]) == facts(learn(case, options)[1])


@pytest.mark.parametrize(
    "options",
    [
        SMALL,
        Options(max_trees=3, min_lambda=0.0, sample=15),
        Options(max_trees=2, min_lambda=0.0, penalty="l2", sample=15),
        Options(max_trees=2, min_lambda=0.0, gain="unregularized", split_margin=1.0),
        Options(max_trees=2, min_lambda=0.0, stumps=True),
        Options(max_trees=2, min_lambda=0.0, loss="exponential", sample=15),
        Options(max_trees=2, min_lambda=0.0, splitter="impurity", split_margin=0.1),
    ],
    ids=["all examples", "a sample", "l2", "unregularized", "stumps", "exponential", "impurity"],
)
def test_a_path_is_the_same_as_on_the_cpu(cuda: Any, options: Options) -> None:
    assert_same_path(cuda, CASE, options)


@given(problems(20), OPTIONS)
@settings(max_examples=6, deadline=None)
def test_generated_paths_are_the_same_as_on_the_cpu(cuda: Any, case: Problem, options: Options) -> None:
    assert_same_path(cuda, case, replace(options, max_trees=2, patience=2))


def test_a_path_follows_the_oracle(cuda: Any) -> None:
    assert check_against_oracle(problem(3, 24, 8, 2), Options(max_trees=2, min_lambda=0.0), cuda) == 2


@pytest.mark.parametrize(
    "case",
    [problem(1, 1, 2, 1), problem(2, 12, 0, 2), problem(4, 16, 300, 2, density=0.05)],
    ids=["one row", "no feature", "wide"],
)
def test_degenerate_problems_end_as_on_the_cpu(cuda: Any, case: Problem) -> None:
    assert_same_path(cuda, case, SMALL)


def test_no_example_at_all_ends_at_once(cuda: Any) -> None:
    nothing = Task(np.empty(0, np.int32), np.empty(0, np.int8), np.empty(0))
    assert learn(CASE._replace(task=nothing), SMALL, cuda)[1] == []


def test_an_iteration_copies_a_few_kilobytes_back_and_looks_a_few_times(cuda: Any) -> None:
    counts = []
    before = dict(vars(cuda.traffic))

    def count(*_: Any) -> None:
        counts.append(cuda.traffic.since(before))
        before.update(vars(cuda.traffic))

    options = Options(max_trees=4, min_lambda=0.0, sample=20)
    learn_task("NP", CASE.task, Workplace.on(CASE.matrix, cuda), options, on_tree=count)
    assert len(counts) >= 4
    for spent in counts:
        assert spent["to_host"] <= 4096
        assert spent["waits"] <= 60
        assert spent["launches"] <= 120


@pytest.fixture
def small_memory(cuda: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Pretends that the device has so many bytes free, and lets pieces be small."""
    hold, memory = (import_module(f"gpuparse.kernels.cuda.{name}") for name in ("boost.hold", "memory"))

    def pretend(free: int) -> None:
        monkeypatch.setattr(memory, "free_bytes", lambda: free)
        monkeypatch.setattr(hold, "LEAST_PIECE", 16)

    return pretend


def table_bytes(case: Problem) -> int:
    segments, starts, _, column, _ = case.matrix
    return segments.nbytes + starts.nbytes + column.nbytes + 8 * (len(starts) - 1) + 8 * (len(column) + 1)


def test_a_matrix_larger_than_the_memory_is_streamed_and_the_path_is_the_same(cuda: Any, small_memory: Any) -> None:
    assert cuda.plan(CASE.matrix).endswith(": resident")
    small_memory(table_bytes(CASE) + 80)
    plan = cuda.plan(CASE.matrix)
    assert int(plan.split("streamed in ")[1].split()[0]) > 3, plan
    assert_same_path(cuda, CASE, Options(max_trees=2, min_lambda=0.0, sample=20))


def test_several_passes_lead_to_the_same_leaves_where_the_matrix_is_streamed(cuda: Any, small_memory: Any) -> None:
    case = problem(3, 12, 100, 2, density=0.2)
    tree = chain(np.random.default_rng(0).permutation(100)[:80].tolist())
    small_memory(table_bytes(case) + 400)
    leaves = []
    for kernels in (cpu, cuda):
        place = Workplace.on(case.matrix, kernels)
        segments = kernels.arrays.take(place.matrix.segments, kernels.to_device(case.task.rows), axis=0)
        percolator = Percolator(segments, place.marks, place.postings, kernels, Team(1))
        leaves.append(kernels.to_host(percolator.percolate(tree)).tolist())
    assert leaves[0] == leaves[1]


TASKS = dict.fromkeys(("NP", "VP", "PP", "S"), CASE.task)


class Plans(Watcher):
    """Keeps what is said of the devices' memory."""

    def __init__(self) -> None:
        self.plans: list[str] = []

    def plan(self, plan: str) -> None:
        self.plans.append(plan)


def train(*devices: Any, watcher: Watcher | None = None) -> dict[str, list[dict[str, Any]]]:
    options = Options(max_trees=1, min_lambda=0.0)
    histories = learn_tasks(CASE.matrix, TASKS, options, devices, session=Session(watcher=watcher or Watcher()))
    return {name: [attempt.tree.to_json() for attempt in history.kept] for name, history in histories.items()}


class Counted:
    """Kernels of a device that count the trees begun on it."""

    def __init__(self, kernels: Any) -> None:
        self.kernels, self.planted = kernels, 0

    def __getattr__(self, name: str) -> Any:
        self.planted += name == "total"
        return getattr(self.kernels, name)


def test_tasks_are_shared_out_over_devices_and_come_out_the_same(cuda: Any) -> None:
    devices = [Counted(cuda), Counted(cuda)]
    plans = Plans()
    assert train(*devices, watcher=plans) == train(cpu)
    assert sum(device.planted for device in devices) == len(TASKS)
    assert all(device.planted for device in devices)
    assert [plan.split(": ")[1] for plan in plans.plans] == ["resident", "resident"]


def test_a_matrix_that_can_not_even_be_streamed_fails_before_anything_is_learned(cuda: Any, small_memory: Any) -> None:
    small_memory(100)
    with pytest.raises(DeviceError, match=r"at once, of which 0.0 MiB are free. Fewer jobs") as caught:
        train(cuda)
    assert caught.value.exit_code == 2


def test_running_out_of_memory_says_what_to_do(cuda: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> None:
        raise MemoryError("Out of memory allocating 4,096 bytes")

    monkeypatch.setattr(cuda.logistic, "weigh", full)
    with pytest.raises(DeviceError, match=r"Out of memory allocating 4,096 bytes. Fewer jobs"):
        train(cuda)

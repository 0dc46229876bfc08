"""`gpuparse bench learn`: the time to grow one tree, compared with XGBoost's hist on the same matrix.

On a CPU it is CPU time that counts; on a GPU, wall-clock time.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gpuparse.cli.arguments import DeviceOption, Json
from gpuparse.cli.bench.measuring import Step, measuring, no_step
from gpuparse.cli.tables import print_json, print_table

if TYPE_CHECKING:
    import numpy as np

    from gpuparse.boost.matrix import Matrix
    from gpuparse.boost.task import Task
    from gpuparse.boost.team import Team
    from gpuparse.device import Device

REPEATS = 20  # the best counts: other work on the machine only adds time
ALTERNATIONS = 120  # of one thread and several: the best turn of each is closest to that of an idle machine
XGBOOST_TREES = 3  # after a first one that warms up
PLANTED = 200  # features that decide the answer, among the frequent ones


def learn_command(
    rows: Annotated[int, typer.Option(min=10, metavar="N", help="Examples.")] = 100_000,
    features: Annotated[int, typer.Option(min=10, metavar="N", help="Atomic features.")] = 1_100_000,
    active: Annotated[int, typer.Option(min=1, metavar="N", help="Features per example, about.")] = 300,
    leaves: Annotated[int, typer.Option(min=2, metavar="N", help="Leaves of the tree, about.")] = 40,
    threads: Annotated[int, typer.Option(min=1, metavar="N", help="Threads, on a CPU.")] = 1,
    device: DeviceOption = "cpu",
    as_json: Json = False,
) -> None:
    """Measure how fast a tree is grown, compared with XGBoost.

    In CPU seconds, or on a GPU those of the clock. XGBoost is the extra `bench` and runs on the CPU.
    """
    with measuring(2 * REPEATS + ALTERNATIONS) as progress:
        figures = learning_speed(rows, features, active, leaves, threads, device, progress.advance)
    if figures["xgboost_tree_cpu_s"] is None:
        typer.echo("XGBoost is not installed: pip install 'gpuparse[bench]' for the comparison", err=True)
    if as_json:
        print_json(figures)
    else:
        print_table("Learning", ["figure", "value"], [[name, shown(value)] for name, value in figures.items()])


def shown(value: Any) -> str:
    """A figure for a table.

    >>> shown(None), shown("cpu"), shown(1234.5678)
    ('-', 'cpu', '1,235')
    """
    return "-" if value is None else value if isinstance(value, str) else f"{value:,.4g}"


def learning_speed(
    rows: int,
    features: int,
    active: int,
    leaves: int,
    threads: int = 1,
    device: str = "cpu",
    step: Step = no_step,
) -> dict[str, Any]:
    """The least seconds per tree, ours and XGBoost's, and what bounds them.

    >>> learning_speed(300, 1000, 10, 3)["rows"]
    300
    """
    from gpuparse.device import find_device

    target = find_device(device)
    matrix, task = zipf_problem(rows, features, active)
    figures: dict[str, Any] = {"device": target.name, "device_about": target.about, "rows": rows, "features": features}
    figures |= {"ids": len(matrix.features), "threads": threads}
    held = target.kernels.hold(matrix)
    figures |= _our_tree(held, task, leaves, threads, target, step)

    def stream() -> None:
        held.features.max()
        target.kernels.wait()

    clock, tree = (0, figures["tree_cpu_s"]) if target.name == "cpu" else (1, figures["tree_wall_s"])
    streaming = min(_seconds(stream)[clock] for _ in range(REPEATS))
    figures["bandwidth_gb_s"] = matrix.features.nbytes / streaming / 1e9
    figures["streaming_fraction"] = streaming / tree
    other = _xgboost_tree(matrix, task, figures["leaves"], threads) if find_spec("xgboost") else None
    figures["xgboost_tree_cpu_s"] = other
    figures["ratio"] = None if other is None else other / tree
    return figures


def zipf_problem(rows: int, features: int, active: int, seed: int = 0) -> tuple[Matrix, Task]:
    """A task whose features follow Zipf's law, as words do, and whose answer is a noisy sum of some frequent ones.

    >>> matrix, task = zipf_problem(50, 1000, 10)
    >>> matrix.segments.shape, len(task.signs)
    ((50, 1), 50)
    """
    import numpy as np

    from gpuparse.boost.matrix import Matrix
    from gpuparse.boost.task import Task

    random = np.random.default_rng(seed)
    ids, ends = _zipf_rows(random, rows, features, active)
    starts = np.concatenate([[0, 0], ends])
    effect = np.zeros(features)
    effect[random.integers(0, max(features // 400, 1), PLANTED)] = random.normal(size=PLANTED)
    score = np.add.reduceat(effect[ids], starts[1:-1])
    score += 0.3 * score.std() * random.normal(size=rows)
    y = np.where(score > np.quantile(score, 0.7), 1, -1).astype(np.int8)
    segments = np.arange(1, rows + 1, dtype=np.int32).reshape(-1, 1)
    numbers = np.arange(features, dtype=np.int32)
    matrix = Matrix(segments, starts.astype(np.int64), ids, np.zeros(features, np.uint8), numbers)
    return matrix, Task(np.arange(rows, dtype=np.int32), y, np.full(rows, 0.5))


def _zipf_rows(random: np.random.Generator, rows: int, features: int, active: int) -> tuple[np.ndarray, np.ndarray]:
    """The feature ids of all rows, ascending within each, numbered by frequency; and where each row ends."""
    import numpy as np

    def draw(rows: int, width: int) -> np.ndarray:
        ranks = 10.0 * (features / 10.0 + 1.0) ** random.random((rows, width), np.float32) - 10.0
        return np.minimum(ranks.astype(np.int32), features - 1)

    def distinct(drawn: np.ndarray) -> np.ndarray:
        drawn.sort(axis=1)
        return np.concatenate([np.ones((len(drawn), 1), bool), drawn[:, 1:] != drawn[:, :-1]], axis=1)

    width = active
    while distinct(draw(100, width)).sum() < 100 * active and width < 4 * active:
        width += -(-active // 20)
    drawn = draw(rows, width)
    counts = np.bincount(drawn[distinct(drawn)], minlength=features)
    number = np.empty(features, np.int32)
    number[np.argsort(-counts, kind="stable")] = np.arange(features, dtype=np.int32)
    drawn = number[drawn]
    kept = distinct(drawn)
    return drawn[kept], np.cumsum(kept.sum(axis=1))


def _our_tree(matrix: Matrix, task: Task, leaves: int, threads: int, device: Device, step: Step) -> dict[str, Any]:
    """Seconds to grow a tree of about so many leaves, and to percolate the examples and rate the leaves."""
    from gpuparse.boost.options import Options
    from gpuparse.boost.path import LambdaPath, Workplace
    from gpuparse.boost.postings import Postings
    from gpuparse.boost.team import Team

    kernels = device.kernels
    postings = Postings.of(matrix, kernels)

    def path_of(team: Team) -> LambdaPath:
        options = Options(threads=team.threads, sample=len(task.rows), epsilon=float("inf"))  # no tree is kept
        return LambdaPath("bench", task, Workplace(matrix, postings, kernels, team), options)

    with Team(threads) as team, Team(1) as one, Team(max(threads, 2)) as many:
        path = path_of(team)
        lambda_ = _lambda_for(leaves, lambda lambda_: path.grow(path.begin(), lambda_).leaves())
        tree = path.grow(path.begin(), lambda_)

        def grow(path: LambdaPath) -> None:
            path.grow(path.begin(), lambda_)

        def finish() -> None:
            path.rate(tree, path.percolator.percolate(tree), lambda_)

        finish()
        growing = [_seconds(partial(grow, path), step) for _ in range(REPEATS)]
        finishing = [_seconds(finish, step) for _ in range(REPEATS)]
        speedups = _speedups(one, many, lambda team: partial(grow, path_of(team)), step) if device.name == "cpu" else {}
    return {
        "leaves": tree.leaves(),
        "lambda": lambda_,
        "tree_cpu_s": min(cpu for cpu, _ in growing),
        "tree_wall_s": min(wall for _, wall in growing),
        "leaves_cpu_s": min(cpu for cpu, _ in finishing),
        "leaves_wall_s": min(wall for _, wall in finishing),
        **speedups,
    }


def _speedups(one: Team, many: Team, grower: Callable[[Team], Callable[[], object]], step: Step) -> dict[str, float]:
    """The speedup of threads that share a tree, and of threads that grow one each, which is the most to expect.

    By the least wall-clock seconds; they take turns, so that other work on the machine affects all alike.
    """
    alone, together = grower(one), grower(many)
    each = [(grower(one),) for _ in range(many.threads)]
    calls = (alone, together, lambda: many.each(lambda grow: grow(), each))
    for call in calls:
        call()
    turns = []
    for _ in range(ALTERNATIONS):
        turns.append([_seconds(call)[1] for call in calls])
        step()
    slow, shared, side_by_side = (min(walls) for walls in zip(*turns, strict=True))
    return {"threads_speedup": slow / shared, "jobs_speedup": many.threads * slow / side_by_side}


def _lambda_for(leaves: int, count: Callable[[float], int]) -> float:
    """A lambda under which a tree has about so many leaves: a smaller one gives more."""
    low, high = 1e-3, 1e5
    for _ in range(14):
        middle = (low * high) ** 0.5
        grown = count(middle)
        if abs(grown - leaves) * 20 <= leaves:
            break
        low, high = (middle, high) if grown > leaves else (low, middle)
    return middle


def _xgboost_tree(matrix: Matrix, task: Task, leaves: int, threads: int) -> float:
    """CPU seconds of one of XGBoost's trees, once warm."""
    import numpy as np
    import xgboost
    from scipy.sparse import csr_matrix

    shape = (len(task.rows), len(matrix.column))
    ones = np.ones(len(matrix.features), np.float32)
    table = xgboost.DMatrix(csr_matrix((ones, matrix.features, matrix.starts[1:]), shape=shape), task.signs > 0)
    parameters = {
        "tree_method": "hist", "grow_policy": "lossguide", "max_leaves": leaves, "max_depth": 0,
        "objective": "binary:logistic", "nthread": threads,
    }  # fmt: skip
    booster = xgboost.Booster(parameters, [table])
    seconds = [_seconds(partial(booster.update, table, n))[0] for n in range(1 + XGBOOST_TREES)]
    return min(seconds[1:])


def _seconds(call: Callable[[], object], step: Step = no_step) -> tuple[float, float]:
    """CPU and wall-clock seconds of a call, which is a step."""
    cpu, wall = time.process_time(), time.perf_counter()
    call()
    seconds = time.process_time() - cpu, time.perf_counter() - wall
    step()
    return seconds

"""Threads that share tasks: results in order, errors where they belong, nothing done beyond what is wanted."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from gpuparse.errors import UsageError
from gpuparse.options import Method, SearchOptions, Strategy
from gpuparse.parse.search import crew
from gpuparse.parse.search import parser as parser_module
from gpuparse.parse.search.crew import MOST_READY, Crew
from tests.parse.search.test_batches import some_parser, some_sentences

PATIENCE = 60.0  # seconds, for what takes no time

ROOM = 1000  # results that may wait


def squares(tasks: Iterator[int], is_halted: Callable[[], bool]) -> Iterator[int]:
    """Takes its time, more for some than for others."""
    for task in tasks:
        time.sleep(random.Random(task).choice([0.0, 0.002]))
        yield task**2


def in_pairs(tasks: Iterator[int], is_halted: Callable[[], bool]) -> Iterator[int]:
    """Takes two tasks before it gives a result."""
    for task in tasks:
        other = next(tasks, None)
        yield task**2
        if other is not None:
            yield other**2


@pytest.mark.parametrize("work", [squares, in_pairs])
@pytest.mark.parametrize("jobs", [1, 2, 5])
@pytest.mark.parametrize("number", [0, 1, 2, 99])
def test_each_task_has_its_result_in_order(
    work: Callable[[Iterator[int], Callable[[], bool]], Iterator[int]], jobs: int, number: int
) -> None:
    assert list(Crew(work, range(number), jobs, ROOM).results()) == [task**2 for task in range(number)]


def test_several_threads_are_at_work_at_once() -> None:
    together = threading.Barrier(3)

    def meet(tasks: Iterator[int], is_halted: Callable[[], bool]) -> Iterator[int]:
        for _ in tasks:
            yield together.wait(PATIENCE)

    assert sorted(Crew(meet, range(3), 3, ROOM).results()) == [0, 1, 2]


def test_a_result_can_be_taken_while_the_next_task_is_waited_for() -> None:
    taken = threading.Event()

    def tasks() -> Iterator[int]:
        yield 1
        assert taken.wait(PATIENCE)
        yield 2

    results = Crew(squares, tasks(), 2, ROOM).results()
    assert next(results) == 1
    taken.set()
    assert list(results) == [4]


def test_an_error_of_the_tasks_comes_after_the_results_before_it() -> None:
    def tasks() -> Iterator[int]:
        yield from range(5)
        raise ValueError("the sixth")

    results = Crew(squares, tasks(), 3, ROOM).results()
    assert [next(results) for _ in range(5)] == [0, 1, 4, 9, 16]
    with pytest.raises(ValueError, match="the sixth"):
        next(results)


def test_an_error_of_the_work_comes_in_the_place_of_its_result() -> None:
    def divide(tasks: Iterator[int], is_halted: Callable[[], bool]) -> Iterator[float]:
        for task in tasks:
            yield 1 / (task - 4)

    results = Crew(divide, range(9), 2, ROOM).results()
    assert [next(results) for _ in range(4)] == [-1 / 4, -1 / 3, -1 / 2, -1]
    with pytest.raises(ZeroDivisionError):
        next(results)


def test_what_nobody_takes_is_not_worked_on() -> None:
    asked: list[int] = []

    def tasks() -> Iterator[int]:
        for task in range(1000):
            asked.append(task)
            yield task

    results = Crew(squares, tasks(), 2, ROOM).results()
    next(results)
    before = -1
    while len(asked) > before:  # until all threads wait
        before = len(asked)
        time.sleep(0.1)
    assert before <= 1 + 2 * MOST_READY + 2
    results.close()  # type: ignore[attr-defined]  # a generator
    assert len(asked) <= before + 2


def test_who_stops_taking_waits_for_those_at_work_and_for_nobody_who_waits_for_a_task() -> None:
    begun, at_work, input_comes = threading.Event(), threading.Event(), threading.Event()
    halted: list[bool] = []

    def tasks() -> Iterator[int]:
        yield 1
        yield 2
        input_comes.wait(PATIENCE)

    def work(own: Iterator[int], is_halted: Callable[[], bool]) -> Iterator[int]:
        for task in own:
            if task == 2:
                at_work.set()
                while not is_halted():
                    time.sleep(0.001)
                halted.append(True)
                return
            begun.set()
            yield task

    results = Crew(work, tasks(), 2, ROOM).results()
    assert next(results) == 1
    assert at_work.wait(PATIENCE)
    results.close()  # type: ignore[attr-defined]  # a generator
    assert halted == [True]
    input_comes.set()


def test_one_thread_works_until_there_is_machine_code(monkeypatch: pytest.MonkeyPatch) -> None:
    slow = True
    monkeypatch.setattr(crew, "is_slow", lambda: slow)
    workers: list[int] = []

    def work(tasks: Iterator[int], is_halted: Callable[[], bool]) -> Iterator[int]:
        for task in tasks:
            workers.append(threading.get_ident())
            time.sleep(0.002)
            yield task

    assert list(Crew(work, range(50), 3, ROOM).results()) == list(range(50))
    assert len(set(workers)) == 1
    slow = False
    workers.clear()
    assert list(Crew(work, range(50), 3, ROOM).results()) == list(range(50))
    assert len(set(workers)) > 1


@pytest.mark.parametrize("strategy", list(Strategy))
@pytest.mark.parametrize("method", list(Method))
def test_parses_do_not_depend_on_the_jobs(strategy: Strategy, method: Method) -> None:
    parser, sentences = some_parser(strategy), [*some_sentences(24, 7), [], *some_sentences(24, 7, 1)]
    alone = list(parser.parse(sentences, SearchOptions(method, limit=700, k=2)))
    for jobs, batch in ((2, 1), (3, 1), (2, 5)):
        options = SearchOptions(method, limit=700, k=2, batch=batch)
        assert list(parser.parse(sentences, options, jobs)) == alone


def test_jobs_are_cores_of_the_cpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parser_module, "computes_on_host", lambda kernels: False)
    parser = some_parser()
    assert len(list(parser.parse(some_sentences(2, 3)))) == 2
    with pytest.raises(UsageError, match="jobs are cores of the CPU"):
        parser.parse(some_sentences(2, 3), jobs=2)

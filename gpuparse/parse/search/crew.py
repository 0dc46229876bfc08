"""Threads that share a stream of tasks and give the results in its order. They know nothing of what the tasks are.

Whoever is free takes the next task: the tasks are asked for in those threads, by one at a time, so that results can be
taken while a task is waited for. One thread works alone as long as Python runs what is being compiled.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

from gpuparse.jit import is_slow

SomeTask = TypeVar("SomeTask")
SomeResult = TypeVar("SomeResult")
IsHalted = Callable[[], bool]

MOST_READY = 8  # results, for each thread, that may wait for whoever takes them
LOOKS_EVERY = 0.05  # seconds, while it is being compiled


@dataclass(frozen=True)
class _Failure:
    """What stands for the result of a task that came to none."""

    error: BaseException


class Crew(Generic[SomeTask, SomeResult]):
    """Works through tasks: `work(tasks, is_halted)` gives one result for each, in order, and ends early when halted.

    >>> list(Crew(lambda tasks, is_halted: (task.upper() for task in tasks), "abc", jobs=2, most_waiting=9).results())
    ['A', 'B', 'C']
    """

    def __init__(
        self,
        work: Callable[[Iterator[SomeTask], IsHalted], Iterator[SomeResult]],
        tasks: Iterable[SomeTask],
        jobs: int,
        most_waiting: int,  # results that wait for an earlier one
    ) -> None:
        self._work, self._tasks, self._jobs, self._most_waiting = work, iter(tasks), jobs, most_waiting
        self._asking = threading.Lock()  # held by the thread that asks for the next task
        self._changed = threading.Condition()  # guards all that follows
        self._done: dict[int, SomeResult | _Failure] = {}  # results that were not given yet, by the number of the task
        self._asked, self._given = 0, 0  # how many tasks there were, and how many results were given
        self._exhausted, self._halted = False, False
        self._busy = 0  # threads that are at work on a task

    def results(self) -> Iterator[SomeResult]:
        """The results in order. Where one is an error, it is raised, and nothing follows."""
        for number in range(self._jobs):
            threading.Thread(target=self._labour, args=(number == 0,), daemon=True).start()  # it may wait for input
        try:
            while True:
                with self._changed:
                    self._changed.wait_for(lambda: self._given in self._done or self._is_over())
                    if self._given not in self._done:
                        return
                    done = self._done.pop(self._given)
                    self._given += 1
                    self._changed.notify_all()
                if isinstance(done, _Failure):
                    raise done.error
                yield done
        finally:
            with self._changed:
                self._halted = True
                self._changed.notify_all()
                self._changed.wait_for(lambda: not self._busy)

    def _is_over(self) -> bool:
        return self._exhausted and self._given == self._asked

    def _is_halted(self) -> bool:
        return self._halted

    def _labour(self, is_first: bool) -> None:
        """What a thread does."""
        under_way: deque[int] = deque()
        if not (is_first or self._is_worth_it()):
            return
        self._become(busy=True)
        try:
            for done in self._work(self._own_tasks(under_way), self._is_halted):
                self._hand_in(under_way.popleft(), done)
        except BaseException as error:  # is raised where the results are taken
            self._hand_in(under_way[0] if under_way else self._given, _Failure(error))
        finally:
            self._become(busy=False)

    def _is_worth_it(self) -> bool:
        """Wait until there is machine code: before, threads only take turns. False if there is nothing left to do."""
        while is_slow():
            with self._changed:
                if self._changed.wait_for(lambda: self._exhausted or self._halted, LOOKS_EVERY):
                    return False
        return True

    def _become(self, busy: bool) -> None:
        with self._changed:
            self._busy += 1 if busy else -1
            self._changed.notify_all()

    def _own_tasks(self, under_way: deque[int]) -> Iterator[SomeTask]:
        """The tasks of one thread, each when it is asked for; their numbers go to the end of `under_way`."""
        while True:
            self._become(busy=False)
            asked = self._ask()
            self._become(busy=True)
            if asked is None:
                return
            under_way.append(asked[0])
            yield asked[1]

    def _ask(self) -> tuple[int, SomeTask] | None:
        """The number of the next task and the task, when there is room for its result; None if there is none."""
        with self._asking:
            with self._changed:
                self._changed.wait_for(lambda: self._halted or self._exhausted or self._has_room())
                if self._halted or self._exhausted:
                    return None
            try:
                task = next(self._tasks)
            except BaseException as error:
                with self._changed:
                    self._exhausted = True
                    if not isinstance(error, StopIteration):
                        self._done[self._asked] = _Failure(error)
                        self._asked += 1
                    self._changed.notify_all()
                return None
            with self._changed:
                self._asked += 1
                return self._asked - 1, task

    def _has_room(self) -> bool:
        return len(self._done) < (MOST_READY * self._jobs if self._given in self._done else self._most_waiting)

    def _hand_in(self, number: int, done: SomeResult | _Failure) -> None:
        with self._changed:
            self._done[number] = done
            self._changed.notify_all()

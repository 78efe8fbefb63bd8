"""Who makes tasks and repetitions, and who counts rows: threads of this process, or workers elsewhere.

An engine moves bytes and decides nothing: it gets a parcel (the coded table, the settings and the seed) and the names of pieces, and gives the
pieces in the order of their names, a batch at a time. A piece follows from the parcel and its name alone, so the result is the same to the last
byte wherever the pieces were made and however many made them.

An engine with ``ask`` and ``look`` also keeps rows: of a table in files with more rows than are held its workers look at the files, each at some
of them, code them and say what they are asked. Paths and questions go there, rows that are held and sums come back.
"""

from __future__ import annotations

import itertools
import time
from typing import Any, Callable, Iterator

from clausality import _arguments
from clausality import _clausality as core

#: What the core calls: a parcel and names, to batches of pieces.
Engine = Callable[[bytes, list[str]], Iterator[list[str]]]

#: Batches for each worker: few enough that a batch is worth its way, enough that nobody waits long for the last one.
BATCHES = 4
#: Seconds that a batch of Dask should take: a scheduler with many short ones has little time for anybody else.
LEAST = 1.5


def engine(given: str | None, client: Any = None) -> Engine | None:
    """The engine of a name; None works with the threads of this process, unless there is a client of Dask."""
    if given == "dask" or (given is None and client is not None):
        return _with_dask(client)
    if client is not None:
        raise core.InputError(f"client is one of Dask, and engine is '{given}': leave one of them out")
    if given is None or given == "threads":
        return None
    if given == "joblib":
        return _with_joblib()
    if given == "ray":
        return _with_ray()
    raise _arguments.refused("engine", given, "'threads', 'joblib', 'dask' or 'ray'")


class Parcel:
    """What every batch needs. An object of its own, so that an engine that knows it again (Dask does) sends it once to each worker."""

    __slots__ = ("content", "__weakref__")

    def __init__(self, content: bytes):
        self.content = content

    def __reduce__(self) -> tuple[Any, ...]:
        return Parcel, (self.content,)

    def __sizeof__(self) -> int:
        return object.__sizeof__(self) + len(self.content)


def work(parcel: Parcel, names: list[str]) -> list[str]:
    """Makes some pieces: what a worker does."""
    return core.pieces(parcel.content, names)


def timed_work(parcel: Parcel, names: list[str]) -> tuple[float, list[str]]:
    """The same, and how many seconds it took."""
    start = time.monotonic()
    pieces = work(parcel, names)
    return time.monotonic() - start, pieces


def batches(names: list[str], workers: int, each: int = BATCHES) -> list[list[str]]:
    """Names one beside the other stay together: tasks of one target share what they have in common.

    :param each: how many batches a worker is to have.

    >>> batches(list("abcdefg"), 1)
    [['a', 'b'], ['c', 'd'], ['e', 'f'], ['g']]
    """
    size = max(1, -(-len(names) // max(1, each * workers)))
    return [names[start : start + size] for start in range(0, len(names), size)]


def longer(names: list[str], seconds: float, workers: int) -> list[list[str]]:
    """What is left once each worker has made one of its batches and a piece is known to take so many seconds: batches that are worth their way.

    >>> longer(list("abcdef"), 10.0, 2), longer(list("abcdef"), 0.3, 1)
    ([['a'], ['b'], ['c'], ['d'], ['e'], ['f']], [['a', 'b', 'c', 'd', 'e', 'f']])
    """
    worth = int(len(names) * seconds / (LEAST * max(1, workers)))
    return batches(names, workers, max(1, min(BATCHES - 1, worth)))


def _with_joblib() -> Engine:
    """Batches as calls of joblib, with the backend and the jobs of `joblib.parallel_config`, else with processes on all cores."""
    try:
        import joblib
        from joblib.parallel import get_active_backend
    except ImportError:
        raise core.InputError("engine='joblib' needs joblib, which is not installed: pip install joblib") from None

    def make(content: bytes, names: list[str]) -> Iterator[list[str]]:
        _, jobs = get_active_backend()
        jobs = -1 if jobs is None else jobs
        parcel = Parcel(content)
        calls = [joblib.delayed(work)(parcel, some) for some in batches(names, joblib.effective_n_jobs(jobs))]
        try:
            parallel = joblib.Parallel(n_jobs=jobs, batch_size=1, return_as="generator")
        except ValueError:  # a backend that gives all at the end
            parallel = joblib.Parallel(n_jobs=jobs, batch_size=1)
        yield from parallel(calls)

    return make


def _with_dask(client: Any) -> Engine:
    """The cluster of this client of Dask, else of the one that is there."""
    try:
        import distributed
    except ImportError:
        raise core.InputError("engine='dask' needs Dask, which is not installed: pip install 'dask[distributed]'") from None
    if client is not None and not isinstance(client, distributed.Client):
        raise core.InputError(f"client={client!r} is no client of Dask: connect first, client=distributed.Client('tcp://…')")
    if client is None:
        try:
            client = distributed.get_client()
        except ValueError:
            raise core.InputError("engine='dask' needs a cluster: make a distributed.Client first, or hand one over (client=)") from None
    return Dask(client)


class Dask:
    """Tasks of a cluster of Dask: batches of pieces, and parts of a table that workers keep and count."""

    def __init__(self, client: Any):
        self._client = client
        #: The parts of the table, in the order of its files, and the worker that each is meant for.
        self._parts: list[tuple[Any, str]] = []

    def __call__(self, content: bytes, names: list[str]) -> Iterator[list[str]]:
        import dask

        # A task like any other, not data that was sent: whoever holds it may be lost, and it is made again.
        with dask.config.set({"distributed.admin.large-graph-warning-threshold": "64GiB"}):
            parcel = self._client.submit(Parcel, content, pure=False)
        workers = sum(self._workers().values())
        first = batches(names, workers)[:workers]
        futures = [self._client.submit(timed_work, parcel, some, pure=False) for some in first]
        try:
            if futures:
                seconds, _ = futures[0].result()
                left = longer(names[sum(map(len, first)) :], seconds / len(first[0]), workers)
                futures += [self._client.submit(timed_work, parcel, some, pure=False) for some in left]
            for future in futures:
                yield future.result()[1]
        finally:
            self._client.cancel([parcel, *futures])

    def ask(self, recipe: str, lengths: list[int], question: str) -> str:
        """What all rows of the files say to a question: that of each part, added up in a tree."""
        while True:
            if not self._parts:
                for first, last, address in self._shared(lengths):
                    self._parts.append((self._near(address, Rows, recipe, first, last), address))
            answers = [self._near(address, said, part, question) for part, address in self._parts]
            while len(answers) > FAN:
                answers = [self._client.submit(core.together, answers[k : k + FAN], pure=False) for k in range(0, len(answers), FAN)]
            try:
                return core.together([self._result(answer) for answer in answers])
            except _Stuck:  # whoever is there now keeps the rows
                self._client.cancel([part for part, _ in self._parts])
                self._parts = []

    def look(self, recipe: str, lengths: list[int]) -> Iterator[bytes]:
        """What workers see in the files, each in some of them, in the order of these."""
        shares = self._shared(lengths, LOOKED_AT)
        seen = [self._near(address, core.look, recipe, first, last) for first, last, address in shares]
        try:
            for k in range(len(shares)):
                try:
                    found = self._result(seen[k])
                except _Stuck:
                    seen[k:] = [self._client.submit(core.look, recipe, first, last, pure=False) for first, last, _ in shares[k:]]
                    found = seen[k].result()
                yield found
        finally:
            self._client.cancel(seen)

    def _shared(self, lengths: list[int], most: int | None = None) -> list[tuple[int, int, str]]:
        """From which file to before which each worker has its share: one for every thread, or more where that would be more than so many bytes; where there
        are fewer files, for as many workers as can be.
        """
        workers = sorted(self._workers().items())
        threads = [address for _, address in sorted((k, address) for address, count in workers for k in range(count))]
        parts = len(threads) if most is None else max(len(threads), -(-sum(lengths) // most))
        return [(first, last, address) for (first, last), address in zip(spans(lengths, parts), itertools.cycle(threads))]

    def _workers(self) -> dict[str, int]:
        """The workers that are there and their threads. Where none is, the first to come is waited for, as any task of Dask waits: an adaptive cluster
        begins some only for tasks that do."""
        while not (workers := self._client.nthreads()):
            self._client.submit(int, pure=False).result()
        return dict(workers)

    def _result(self, future: Any) -> Any:
        """What a task found that was meant for one worker.

        Dask gives it to another if that one is lost, but where none is left it does not give it to those that come later: the task is then not under way anywhere.
        """
        from asyncio import TimeoutError as Late  # Dask has imported it; the built-in one from Python 3.11 on

        idle = 0
        while idle < 2:
            try:
                return future.result(timeout=PATIENCE)
            except Late:
                if future.done():
                    return future.result()
                under_way = any(self._client.processing().values())
                idle = 0 if under_way or not self._client.nthreads() else idle + 1
        raise _Stuck

    def _near(self, address: str, what: Callable[..., Any], *arguments: Any) -> Any:
        """Has something done by a worker, and if that one is lost by any other."""
        return self._client.submit(what, *arguments, workers=[address], allow_other_workers=True, pure=False)


class _Stuck(Exception):
    """A task that no worker will make."""


#: Seconds after which it is asked whether a task is still under way.
PATIENCE = 3.0
#: Answers that are added up by one task.
FAN = 8
#: Bytes of files that one task looks at: what it sends, the rows that are held of them, is whole in the caller's memory.
LOOKED_AT = 3 << 27


def spans(lengths: list[int], parts: int) -> list[tuple[int, int]]:
    """Files one beside the other, in at most so many parts that are about equally long: from one file to before another.

    >>> spans([5, 5, 5, 5, 10], 3)
    [(0, 2), (2, 4), (4, 5)]
    >>> spans([100, 1, 1], 2)
    [(0, 1), (1, 3)]
    """
    ends, sum_, total = [], 0, sum(lengths)
    for k, length in enumerate(lengths):
        sum_ += length
        if sum_ * parts >= total * (len(ends) + 1) and len(ends) < parts - 1:
            ends.append(k + 1)
    starts = [0, *(end for end in ends if end < len(lengths))]
    return list(zip(starts, [*starts[1:], len(lengths)]))


class Rows:
    """The rows of some files, coded onto the disk of whoever makes it: a file without a name, gone with this object or its process.

    What is sent elsewhere is how to make it: the files are read again there.
    """

    def __init__(self, recipe: str, first: int, last: int):
        self._made_of = recipe, first, last
        self._part = core.Part(recipe, first, last, _own_folder())

    def __reduce__(self) -> tuple[Any, ...]:
        return Rows, self._made_of

    def answer(self, question: str) -> str:
        return self._part.answer(question)


def said(rows: Rows, question: str) -> str:
    """What rows say to a question: what a worker does."""
    return rows.answer(question)


def _own_folder() -> str | None:
    """Where the worker of Dask that this is keeps its files."""
    import distributed

    try:
        return distributed.get_worker().local_directory
    except ValueError:  # none
        return None


def _with_ray() -> Engine:
    """Batches as tasks of Ray; where none runs (``ray.init``), one is begun on this machine, for itself alone."""
    try:
        import ray
    except ImportError:
        raise core.InputError("engine='ray' needs Ray, which is not installed: pip install ray") from None

    def make(content: bytes, names: list[str]) -> Iterator[list[str]]:
        if not ray.is_initialized():
            ray.init(include_dashboard=False, log_to_driver=False)
        task = ray.remote(work)
        parcel = ray.put(Parcel(content))
        sent = [task.remote(parcel, some) for some in batches(names, int(ray.cluster_resources().get("CPU", 1)))]
        try:
            for one in sent:
                yield ray.get(one)
        finally:
            for one in sent:
                ray.cancel(one)

    return make

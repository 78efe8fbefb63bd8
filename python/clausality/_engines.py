"""Who makes tasks and repetitions: threads of this process, or workers elsewhere.

An engine moves bytes and decides nothing: it gets a parcel (the coded table, the settings and the seed) and the names of pieces, and gives the
pieces in the order of their names, a batch at a time. A piece follows from the parcel and its name alone, so the result is the same to the last
byte wherever the pieces were made and however many made them.
"""

from __future__ import annotations

from typing import Any, Callable, Iterator

from clausality import _arguments
from clausality import _clausality as core

#: What the core calls: a parcel and names, to batches of pieces.
Engine = Callable[[bytes, list[str]], Iterator[list[str]]]

#: Batches for each worker: few enough that a batch is worth its way, enough that nobody waits long for the last one.
BATCHES = 4


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


def batches(names: list[str], workers: int) -> list[list[str]]:
    """Names one beside the other stay together: tasks of one target share what they have in common.

    >>> batches(list("abcdefg"), 1)
    [['a', 'b'], ['c', 'd'], ['e', 'f'], ['g']]
    """
    size = -(-len(names) // max(1, BATCHES * workers))
    return [names[start : start + size] for start in range(0, len(names), size)]


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
    """Batches as tasks of a cluster of Dask: of this client, else of the one that is there."""
    try:
        import dask
        import distributed
    except ImportError:
        raise core.InputError("engine='dask' needs Dask, which is not installed: pip install 'dask[distributed]'") from None
    if client is None:
        try:
            client = distributed.get_client()
        except ValueError:
            raise core.InputError("engine='dask' needs a cluster: make a distributed.Client first, or hand one over (client=)") from None

    def make(content: bytes, names: list[str]) -> Iterator[list[str]]:
        # A task like any other, not data that was sent: whoever holds it may be lost, and it is made again.
        with dask.config.set({"distributed.admin.large-graph-warning-threshold": "64GiB"}):
            parcel = client.submit(Parcel, content, pure=False)
        workers = sum(client.nthreads().values())
        futures = [client.submit(work, parcel, some, pure=False) for some in batches(names, workers)]
        try:
            for future in futures:
                yield future.result()
        finally:
            client.cancel([parcel, *futures])

    return make


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

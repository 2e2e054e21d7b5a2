"""The engine of a Ray cluster, by Ray Data: readers stream the items in, a pool of actors does the work.

The cluster is the user's, or one on this machine for as long as the work takes.

When a worker is lost, Ray starts another one and does its block again, as often as it takes. So that an item of which
workers die does not keep them dying, it is written down which blocks are begun, and of one that was begun too often
each item; the one at which the next worker dies is given up.
"""

from __future__ import annotations

import logging
import os
import pickle
import shutil
import socket
import tempfile
from collections import Counter
from collections.abc import Callable, Container, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from memsum._version import __version__
from memsum.batch.inputs import Input, Item, Part
from memsum.batch.run import Job, Results
from memsum.errors import DocumentError, MemsumError, MissingExtraError, reason_of
from memsum.isolation import cores, without_secrets
from memsum.jsonl import is_remote

if TYPE_CHECKING:
    import pyarrow  # type: ignore[import-untyped]
    import ray.data

R = TypeVar("R")

_BLOCK = 1 << 20  # bytes of items that a worker gets at a time: a second of work on papers, which hides Ray's 10 ms
_AHEAD = 2  # blocks of a worker, so that it has the next one when it has done one
_TRIES = 2  # of a block, before each of its items is written down
_HOPELESS = 16  # items given up, and none done: it is not the items
_TEMPORARY, _PREFIX = Path("/tmp"), "memsum-ray-"  # noqa: S108
_OBJECT_STORE, _MORE = 200_000_000, 20_000_000  # bytes, and for each worker: a few blocks of documents on their way


@dataclass(frozen=True)
class RayEngine:
    """The workers of a Ray cluster, which read the items themselves; by default of one on this machine."""

    address: str | None = None
    workers: int | None = None

    def check(self, source: Input) -> None:
        if source.once:
            raise DocumentError(
                "The workers of a Ray cluster read files, which can be read again when one of them is lost.",
                "Write the documents to a file first, or use --engine local.",
            )

    def __call__(self, job: Job, source: Input, done: Container[int], *, ordered: bool) -> Results:
        """Distribute the items; only their positions are needed here."""
        positions = np.fromiter((position for position in source.positions() if position not in done), np.int64)
        if not len(positions):
            return
        with connect(self.address, self.workers, threads=job.threads) as pool:
            yield from map_on_ray(job.work, source, positions, pool, ordered=ordered, lost=job.lost)


@dataclass(frozen=True)
class Pool:
    """How many workers a job has, and how many cores each of them."""

    workers: int
    cores: int = 1


@contextmanager
def connect(address: str | None, workers: int | None, *, threads: int = 1) -> Iterator[Pool]:
    """Join the cluster at an address (`auto`: the one of this machine), or start one here and end it afterwards.

    A process that is connected to a cluster already stays so. By default there are as many workers as cores for them.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")  # what is less fills the terminal and helps nobody
    try:
        import ray
    except ImportError:
        raise MissingExtraError("Working on a Ray cluster", "cluster") from None
    logging.getLogger("ray").setLevel(logging.ERROR)
    if ray.is_initialized():
        yield _pool(workers, threads)
        return
    if address is None:
        with _local(workers or max(1, cores() // threads), threads) as pool:
            yield pool
        return
    try:
        host, colon, port = address.removeprefix("ray://").rpartition(":")
        if colon:  # does somebody answer? Ray itself would ask for a quarter of an hour
            socket.create_connection((host.strip("[]"), int(port)), timeout=10).close()
        with _quiet():
            ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
    except (OSError, ValueError, RuntimeError) as error:
        raise MemsumError(
            f"There is no Ray cluster at {address}: {reason_of(error)}.", "Start one, or leave out --address."
        ) from None
    try:
        yield _pool(workers, threads)
    finally:
        ray.shutdown()


@contextmanager
def _local(workers: int, threads: int) -> Iterator[Pool]:
    import ray

    for left in _TEMPORARY.glob(f"{_PREFIX}*-*"):  # by processes that were killed
        number = left.name.removeprefix(_PREFIX).split("-")[0]
        if number.isdecimal() and not Path(f"/proc/{number}").exists() and Path("/proc/self").exists():
            shutil.rmtree(left, ignore_errors=True)
    # For sockets and logs; a socket's path may have hardly more than a hundred characters, which rules out where some
    # systems keep temporary files.
    below = _TEMPORARY if _TEMPORARY.is_dir() else None
    folder = tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-", dir=below)
    os.environ.setdefault("RAY_worker_niceness", "0")  # nobody else is served by this cluster
    try:
        try:
            with _quiet(), without_secrets():
                ray.init(
                    address="local",
                    num_cpus=workers * threads,
                    include_dashboard=False,
                    object_store_memory=_OBJECT_STORE + _MORE * workers,
                    log_to_driver=False,
                    logging_level=logging.ERROR,
                    _temp_dir=folder,
                )
        except Exception as error:  # Ray raises just that
            raise MemsumError(
                f"Ray does not start on this machine: {reason_of(error)}.", "Try again, or use --engine local."
            ) from error
        yield Pool(workers, threads)
    finally:
        ray.shutdown()
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep Ray's core from announcing on stderr that it says little; what fails is raised."""
    before = os.dup(2)
    with open(os.devnull, "wb") as nowhere:  # noqa: PTH123
        os.dup2(nowhere.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(before, 2)
        os.close(before)


def _pool(workers: int | None, threads: int) -> Pool:
    import ray

    resources = ray.cluster_resources()  # type: ignore[no-untyped-call]
    return Pool(workers or max(1, int(resources.get("CPU", 1)) // threads), threads)


@dataclass(frozen=True)
class _Lost:
    """The result of an item that was given up."""

    result: Any


def map_on_ray(
    function: Callable[[Item], R],
    source: Input,
    positions: NDArray[np.int64],
    pool: Pool,
    *,
    ordered: bool,
    lost: Callable[[Item, int | None], R],
) -> Generator[tuple[int, R], None, None]:
    """Yield the results of the items at these positions, each with its position, in order or as they come.

    The function is pickled and must answer for its own errors, except for a MemsumError, which ends the map; `lost`
    tells the result of an item of which workers die, with None for the exit status.
    """
    import ray
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    pending = np.zeros(int(positions.max(initial=0)) + 1, bool)
    pending[positions] = True
    here = NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=False)
    ledger = ray.remote(_Ledger).options(num_cpus=0, scheduling_strategy=here).remote()
    done = given_up = 0
    try:
        for number, result in _results(function, lost, ledger, source, pending, pool, ordered=ordered):
            if isinstance(result, MemsumError):
                raise result
            if isinstance(result, _Lost):
                given_up += 1
                result = result.result
            else:
                done += 1
            if not done and given_up == min(_HOPELESS, len(positions)):
                raise MemsumError(
                    "The workers of the cluster die before they have finished anything.",
                    f"Each node needs memsum {__version__} and memory for a model; Ray's logs say more.",
                )
            yield number, result
    except ray.exceptions.RayError as error:
        raise MemsumError(
            f"The Ray cluster has failed: {reason_of(error)}.", "Finished work is saved: run the same command again."
        ) from error


def _results(
    function: Callable[[Item], R],
    lost: Callable[[Item, int | None], R],
    ledger: Any,
    source: Input,
    pending: NDArray[np.bool_],
    pool: Pool,
    *,
    ordered: bool,
) -> Iterator[tuple[int, Any]]:
    import ray.data

    logging.getLogger("ray.data").setLevel(logging.CRITICAL)  # what matters of a failure is reported by us
    parts = source.parts()
    context = ray.data.DataContext.get_current().copy()
    context.target_max_block_size = max(1, _BLOCK // source.weight)
    context.enable_progress_bars = context.print_on_execution_start = False
    context.execution_options.preserve_order = ordered
    folder = os.getcwd()  # noqa: PTH109
    with ray.data.DataContext.current(context):
        items = ray.data.read_datasource(
            _datasource(parts, ray.put(pending), folder, here=not is_remote(source.path)),
            num_cpus=0,
            override_num_blocks=len(parts),  # else Ray cuts the blocks of few readers into ones of an item each
        )
        results = items.map_batches(
            _Mapper,
            fn_constructor_args=(function, lost, ledger, folder),
            batch_size=None,
            batch_format="pyarrow",
            compute=ray.data.ActorPoolStrategy(size=pool.workers, max_tasks_in_flight_per_actor=_AHEAD),
            num_cpus=pool.cores,
        )
    for batch in results.iter_batches(batch_size=None, batch_format="pyarrow"):
        for number, value in zip(batch["number"].to_pylist(), batch["value"].to_pylist(), strict=True):
            yield number, pickle.loads(value)  # noqa: S301 - made by our own workers


class _Ledger:
    """An actor that outlives the workers: how often was a block begun, and of which of its items did workers die?"""

    def __init__(self) -> None:
        self._begun: Counter[int] = Counter()
        self._current: dict[int, int | None] = {}
        self._deadly: dict[int, set[int]] = {}

    def begin(self, block: int) -> tuple[int, set[int]]:
        """Count once more; the item that was current when it was done before is what the worker died of."""
        self._begun[block] += 1
        if (current := self._current.pop(block, None)) is not None:
            self._deadly.setdefault(block, set()).add(current)
        return self._begun[block], self._deadly.get(block, set())

    def take(self, block: int, number: int | None) -> None:
        """Note the item that is done now; none when all are done."""
        self._current[block] = number


class _Mapper:
    """An actor: holds the function, and with it a loaded model."""

    def __init__(
        self, function: Callable[[Any], Any], lost: Callable[[Any, int | None], Any], ledger: Any, folder: str
    ) -> None:
        with suppress(OSError):  # go where the driver is, so that relative paths of models mean the same
            os.chdir(folder)
        self._function = function
        self._lost = lost
        self._ledger = ledger

    def __call__(self, batch: pyarrow.Table) -> pyarrow.Table:
        """Do the items of a block, which is called by the first of them."""
        import ray

        numbers = batch["number"].to_pylist()
        times, deadly = ray.get(self._ledger.begin.remote(numbers[0]))
        careful = times > _TRIES
        results: list[Any] = []
        for number, value in zip(numbers, batch["value"].to_pylist(), strict=True):
            item = pickle.loads(value)  # noqa: S301 - made by our own readers
            if number in deadly:
                results.append(_Lost(self._lost(item, None)))
                continue
            if careful:
                ray.get(self._ledger.take.remote(numbers[0], number))
            if not isinstance(item, MemsumError):  # of a reader
                try:
                    item = self._function(item)
                except MemsumError as error:
                    item = MemsumError(error.message, error.hint)
            results.append(item)
        if careful:
            ray.get(self._ledger.take.remote(numbers[0], None))
        return _block(numbers, results)


def _datasource(
    parts: Sequence[Part], pending: ray.ObjectRef[NDArray[np.bool_]], folder: str, *, here: bool
) -> ray.data.Datasource:
    from ray.data import Datasource
    from ray.data.block import BlockMetadata
    from ray.data.datasource import ReadTask

    class Items(Datasource):
        """The pending items of an input; `here` means that only this machine can read it."""

        def estimate_inmemory_data_size(self) -> int | None:
            return None

        def get_read_tasks(
            self,
            parallelism: int,
            per_task_row_limit: int | None = None,
            data_context: ray.data.DataContext | None = None,
        ) -> list[ReadTask]:
            metadata = BlockMetadata(num_rows=None, size_bytes=None, input_files=None, exec_stats=None)
            return [ReadTask(_Reader(part, pending, folder), metadata) for part in parts]

        @property
        def supports_distributed_reads(self) -> bool:
            return not here

    return Items()  # type: ignore[no-untyped-call]


@dataclass(frozen=True)
class _Reader:
    """Reads a part: a block for each item, which Ray puts together to blocks of the size that is wanted."""

    part: Part
    pending: ray.ObjectRef[NDArray[np.bool_]]
    folder: str

    def __call__(self) -> Iterator[pyarrow.Table]:
        import ray

        with suppress(OSError):  # go where the driver is, so that relative paths mean the same
            os.chdir(self.folder)
        pending: NDArray[np.bool_] = ray.get(self.pending)
        try:
            for item in self.part():
                if item.position < len(pending) and pending[item.position]:
                    yield _block([item.position], [item])
        except MemsumError as error:
            yield _block([0], [MemsumError(error.message, error.hint)])


def _block(numbers: Sequence[int], values: Iterable[Any]) -> pyarrow.Table:
    import pyarrow

    pickled = pyarrow.array([pickle.dumps(value) for value in values], pyarrow.large_binary())
    return pyarrow.table({"number": pyarrow.array(numbers, pyarrow.int64()), "value": pickled})

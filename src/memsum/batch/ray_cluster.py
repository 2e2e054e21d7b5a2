"""A Ray cluster to work on: the user's, or one on this machine for as long as the work takes."""

from __future__ import annotations

import logging
import os
import shutil
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from memsum.errors import MemsumError, MissingExtraError, reason_of
from memsum.isolation import cores, without_secrets

_TEMPORARY, _PREFIX = Path("/tmp"), "memsum-ray-"  # noqa: S108
_OBJECT_STORE, _MORE = 200_000_000, 20_000_000  # bytes, and for each worker: a few blocks of documents on their way


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

"""Which device a process computes on, told by stand-ins for the GPUs that are not here."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import torch

from memsum.errors import TrainingError
from memsum_train.learning import distributed
from memsum_train.learning.distributed import default_processes, join_world
from memsum_train.policy.device import choose_device, require_precision


@pytest.fixture
def two_gpus(monkeypatch: pytest.MonkeyPatch) -> list[torch.device]:
    """Two GPUs, and those that processes have set as theirs."""
    current: list[torch.device] = []
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    monkeypatch.setattr(torch.cuda, "set_device", current.append)
    return current


@contextmanager
def as_rank(monkeypatch: pytest.MonkeyPatch, rank: int, size: int) -> Iterator[None]:
    """Be one of several processes of torchrun, without the others."""
    for name, value in (("RANK", rank), ("LOCAL_RANK", rank), ("WORLD_SIZE", size)):
        monkeypatch.setenv(name, str(value))
    begun: list[str] = []
    monkeypatch.setattr(distributed, "rendezvous", lambda *_, **__: iter([(None, rank, size)]))
    monkeypatch.setattr(distributed, "_fresh", lambda *_: None)
    monkeypatch.setattr(torch.distributed, "init_process_group", lambda backend, **_: begun.append(backend))
    monkeypatch.setattr(torch.distributed, "barrier", lambda: begun.append("all connected"))
    monkeypatch.setattr(torch.distributed, "destroy_process_group", lambda: begun.append("end"))
    yield
    assert begun == ["nccl", "all connected", "end"]


@pytest.mark.parametrize("name", ["auto", "cuda"])
@pytest.mark.parametrize("rank", [0, 1])
def test_each_process_has_a_gpu_of_its_own(
    name: str, rank: int, two_gpus: list[torch.device], monkeypatch: pytest.MonkeyPatch
):
    with as_rank(monkeypatch, rank, 2), join_world(name) as world:
        assert (world.rank, world.size, world.device) == (rank, 2, torch.device("cuda", rank))
    assert two_gpus == [torch.device("cuda", rank)]


def test_one_process_sets_the_gpu_that_is_named(two_gpus: list[torch.device]):
    with join_world("cuda:1") as world:
        assert world.device == torch.device("cuda:1")
    assert two_gpus == [torch.device("cuda:1")]


@pytest.mark.usefixtures("two_gpus")
def test_there_is_a_process_per_gpu_and_one_for_a_gpu_that_is_named(monkeypatch: pytest.MonkeyPatch):
    assert [default_processes(name) for name in ("auto", "cuda", "cuda:1")] == [2, 2, 1]
    monkeypatch.setattr(distributed, "cores", lambda: 5)
    assert default_processes("cpu") == 5


@pytest.mark.usefixtures("two_gpus")
def test_more_processes_than_gpus_are_refused(monkeypatch: pytest.MonkeyPatch):
    with pytest.raises(TrainingError, match=r"no GPU 2: this machine has 2\."):
        choose_device("cuda", 2)
    with pytest.raises(TrainingError, match="no GPU 3"):
        choose_device("cuda:3")
    monkeypatch.setenv("WORLD_SIZE", "2")
    with pytest.raises(TrainingError, match="cuda:1 is one GPU, and there are 2 processes"), join_world("cuda:1"):
        pass


@pytest.mark.parametrize("name", ["mps", "xpu", "nonsense", "meta"])
def test_other_devices_are_refused_in_a_sentence(name: str):
    with pytest.raises(TrainingError, match=f"'{name}' is not a valid device") as refused:
        choose_device(name)
    assert refused.value.hint == "Use auto, cpu, cuda or cuda:N."


def test_half_precision_is_for_gpus():
    require_precision(torch.device("cuda:0"), "fp16")
    require_precision(torch.device("cuda:0"), "bf16")
    require_precision(torch.device("cpu"), "fp32")
    for precision in ("fp16", "bf16"):
        with pytest.raises(TrainingError, match=f"{precision} is for GPUs"):
            require_precision(torch.device("cpu"), precision)

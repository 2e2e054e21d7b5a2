"""Several processes: the same weights as one process on the same batches."""

from __future__ import annotations

import multiprocessing
import os
import socket
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import safetensors.torch
import torch
from torch import nn

from memsum.errors import TrainingError
from memsum.model import verify_model
from memsum.model.runtime import Runtime
from memsum.training.corpus import Example
from memsum.training.learning.adapt import adapt, judge
from memsum.training.learning.distributed import World, join_world
from memsum.training.learning.metrics import METRICS_FILE, read_metrics
from memsum.training.learning.trainer import Trainer
from memsum.training.policy.device import choose_device

pytestmark = pytest.mark.slow

MakeTrainer = Callable[..., Trainer]


def together(count: int, work: Callable[[World], None]) -> list[int]:
    """Run the work in several processes that have joined each other; gives their exit codes."""

    def joined(rank: int) -> None:
        with join_world("cpu") as world:
            work(world)

    return as_torchrun(count, joined)


def as_torchrun(count: int, work: Callable[[int], None]) -> list[int]:
    """Run the work, given its rank, in several processes that torchrun's variables tell of each other."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]

    def run(rank: int) -> None:
        os.environ.update(
            RANK=str(rank),
            LOCAL_RANK=str(rank),
            WORLD_SIZE=str(count),
            LOCAL_WORLD_SIZE=str(count),
            MASTER_ADDR="127.0.0.1",
            MASTER_PORT=str(port),
        )
        work(rank)

    fork = multiprocessing.get_context("fork")
    processes = [fork.Process(target=run, args=(rank,)) for rank in range(count)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(120)
    exit_codes = [process.exitcode for process in processes]
    for process in processes:
        process.kill()  # one that hangs would outlive the tests
    return exit_codes


# 12 documents in batches of 5, 5 and 2: neither deals out evenly to two processes.
SETTINGS = {"batch": 5, "epochs": 3, "validate_every": 4, "states": 1, "learning_rate": 3e-3}

# A softmax does not see what is added to all its logits: the gradient is rounding error, which Adam makes large.
WITHOUT_EFFECT = ("attention.bias", "key.bias")


def test_two_processes_learn_what_one_does(tmp_path: Path, make_trainer: MakeTrainer):
    one = make_trainer(tmp_path / "one", **SETTINGS)
    one.run()
    assert together(2, lambda world: make_trainer(tmp_path / "two", world=world, **SETTINGS).run()) == [0, 0]
    for file in ("model/policy.safetensors", "checkpoint.safetensors"):
        found = safetensors.torch.load_file(tmp_path / "two" / file)
        wanted = safetensors.torch.load_file(tmp_path / "one" / file)
        assert found.keys() == wanted.keys()
        for name in wanted:
            if name.endswith(WITHOUT_EFFECT):
                continue
            torch.testing.assert_close(found[name], wanted[name], atol=1e-4, rtol=1e-3, msg=name)
    for mine, theirs in zip(
        read_metrics(tmp_path / "one" / METRICS_FILE), read_metrics(tmp_path / "two" / METRICS_FILE), strict=True
    ):
        assert mine["update"] == theirs["update"]
        assert mine.get("loss", 0) == pytest.approx(theirs.get("loss", 0), rel=1e-4)
        assert mine.get("validation", {}).get("score", 0) == pytest.approx(
            theirs.get("validation", {}).get("score", 0), abs=1e-3
        )


def test_what_two_processes_began_one_can_finish(tmp_path: Path, make_trainer: MakeTrainer):
    """A resumed training depends on the batches, not on who computed them."""

    def begin(world: World) -> None:
        trainer = make_trainer(tmp_path, world=world, **SETTINGS)
        trainer.learner.updates = 4
        trainer.run()

    assert together(2, begin) == [0, 0]
    trainer = make_trainer(tmp_path, **SETTINGS)
    assert trainer.run().update == 9


def test_two_processes_adapt_a_model(
    tmp_path: Path, make_trainer: MakeTrainer, make_examples: Callable[..., list[Example]]
) -> None:
    """What both have learned and judged is what the one that writes reports."""
    make_trainer(tmp_path / "first", epochs=1).run()
    documents = make_examples(14, seed=4, sentences=8)
    held_out = documents[10:]
    settings = {"held_out": held_out, "minutes": 20, "device": "cpu", "processes": 2}
    result = adapt(documents[:10], tmp_path / "first" / "model", tmp_path / "mine", **settings)
    assert not (tmp_path / "mine" / "run").exists()
    verify_model(tmp_path / "mine")
    runtime = Runtime.load(tmp_path / "mine", threads=1)
    better = result.after if result.kept else result.before
    assert np.array_equal([judge(runtime, example)[0] for example in held_out], better.values)


def test_processes_of_torchrun_adapt_a_model(
    tmp_path: Path, make_trainer: MakeTrainer, make_examples: Callable[..., list[Example]]
) -> None:
    """One of them writes, and both say the same of it."""
    make_trainer(tmp_path / "first", epochs=1).run()
    documents = make_examples(14, seed=4, sentences=8)

    def work(rank: int) -> None:
        result = adapt(documents, tmp_path / "first" / "model", tmp_path / "mine", minutes=20, device="cpu")
        (tmp_path / str(rank)).write_text(str(result))

    assert as_torchrun(2, work) == [0, 0]
    assert (tmp_path / "0").read_text() == (tmp_path / "1").read_text()
    assert not (tmp_path / "mine" / "run").exists()
    verify_model(tmp_path / "mine")


def test_sums_and_lists_of_all_processes(tmp_path: Path):
    def work(world: World) -> None:
        mine = [f"{world.rank}:{i}" for i in range(world.rank, 5, world.size)]
        gathered = world.gather(mine)
        layer = nn.Linear(2, 1)
        if world.rank == 0:  # the other has seen nothing, as with a batch smaller than the number of processes
            layer.weight.grad = torch.tensor([[1.0, 2.0]])
        world.sum_gradients(layer)
        world.barrier()
        total = world.sum(world.rank + 1.5)
        (tmp_path / str(world.rank)).write_text(f"{gathered} {total} {layer.weight.grad.tolist()} {world.is_main}")

    assert together(2, work) == [0, 0]
    listed = "['0:0', '1:1', '0:2', '1:3', '0:4'] 4.0 [[1.0, 2.0]]"
    assert (tmp_path / "0").read_text() == f"{listed} True"
    assert (tmp_path / "1").read_text() == f"{listed} False"


def test_one_process_needs_no_others(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("WORLD_SIZE", raising=False)
    with join_world("cpu") as world:
        assert world.is_main
        assert world.gather([1, 2]) == [1, 2]
        assert world.sum(2.5) == 2.5
        world.barrier()


def test_without_a_gradient_one_process_moves_as_many_do():
    """A batch in which no episode has begun tells the history encoder nothing, whoever computed it."""
    layer = nn.Linear(2, 1)
    World(0, 1, torch.device("cpu")).sum_gradients(layer)
    assert layer.weight.grad.tolist() == [[0, 0]]


@pytest.mark.parametrize("name", ["gpu", "cuda:one", ""])
def test_an_unknown_device_is_named(name: str):
    with pytest.raises(TrainingError, match="is not a valid device"):
        choose_device(name, 0)


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is one")
def test_a_missing_gpu_is_said():
    with pytest.raises(TrainingError, match="no usable GPU"):
        choose_device("cuda", 0)
    assert choose_device("auto", 0) == torch.device("cpu")


def test_a_failure_of_one_ends_all(tmp_path: Path, make_trainer: MakeTrainer):
    """Only the first process reads the corpus; the other does not wait for ever, and needs no traceback to say so."""
    (tmp_path / "bad.jsonl").write_text('{"text": ["No episodes."], "summary": ["None."]}\n')

    def work(world: World) -> None:
        try:
            make_trainer(tmp_path / "run", world=world, train=tmp_path / "bad.jsonl")
        except TrainingError as error:
            (tmp_path / str(world.rank)).write_text(error.message)
            os._exit(3)

    assert together(2, work) == [3, 3]
    assert (tmp_path / "0").read_text() == "None of the corpus's 1 documents has episodes."
    assert (tmp_path / "1").read_text() == "Another process of this training has failed."


def test_all_refuse_a_training_of_other_settings(tmp_path: Path, make_trainer: MakeTrainer):
    make_trainer(tmp_path, **SETTINGS).run()

    def other(world: World) -> None:
        try:
            make_trainer(tmp_path, world=world, **{**SETTINGS, "seed": 5})
        except TrainingError:
            os._exit(3)

    assert together(2, other) == [3, 3]

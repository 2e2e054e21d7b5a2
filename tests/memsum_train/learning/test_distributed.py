"""Several processes: the same weights as one process on the same batches, even if one of them is killed.

Two machines are two agents of the kind that torchrun starts, which meet over a socket.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import socket
from collections.abc import Callable
from multiprocessing.context import ForkProcess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors.torch
import torch
from torch import nn

from memsum.cli.app import app
from memsum.errors import TrainingError
from memsum.model import verify_model
from memsum.model.runtime import Runtime
from memsum.text import WordVectors
from memsum_train.corpus import Example, write_examples
from memsum_train.learning import trainer as training
from memsum_train.learning.adapt import adapt, judge
from memsum_train.learning.distributed import World, join_world
from memsum_train.learning.learner import Learner
from memsum_train.learning.trainer import METRICS_FILE, read_metrics
from memsum_train.policy.device import choose_device

from ...helpers import metrics_without_time
from .conftest import MakeTrainer

pytestmark = pytest.mark.slow

fork = multiprocessing.get_context("fork")  # of this process, which has imported torch


def together(count: int, work: Callable[[World], None]) -> list[int | None]:
    """Run the work in several processes that have joined each other; gives their exit codes."""

    def joined(rank: int) -> None:
        with join_world("cpu") as world:
            work(world)

    return as_torchrun(count, joined)


def as_torchrun(count: int, work: Callable[[int], object], local: bool = True) -> list[int | None]:
    """Run the work, given its rank, in several processes that torchrun's variables tell of each other."""
    port = free_port()

    def run(rank: int) -> None:
        here, size = (rank, count) if local else (0, 1)  # or each on a machine of its own
        names = {"RANK": rank, "LOCAL_RANK": here, "WORLD_SIZE": count, "LOCAL_WORLD_SIZE": size, "MASTER_PORT": port}
        os.environ.update({name: str(value) for name, value in names.items()}, MASTER_ADDR="127.0.0.1")
        work(rank)

    return run_all([fork.Process(target=run, args=(rank,)) for rank in range(count)])


def run_all(processes: list[ForkProcess]) -> list[int | None]:
    """Run processes to their end; gives their exit codes."""
    for process in processes:
        process.start()
    for process in processes:
        process.join(300)
    exit_codes = [process.exitcode for process in processes]
    for process in processes:
        process.terminate()  # an agent ends its workers too
        process.join(60)
        process.kill()  # one that hangs would outlive the tests
    return exit_codes


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


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


# --- restarted by torchrun --------------------------------------------------------------------------------------------


KILLED_AT = 5


def train_until_killed(arguments: list[str], log: Path) -> None:
    """Train with a checkpoint after each update; the first process kills itself once, as `kill -9` would."""
    os.cpu_count = lambda: 1  # both machines are this one
    training._CHECKPOINT_SECONDS = 0.0
    update = Learner.update

    def watched(self: Learner, *given: Any) -> Any:
        if self.world.is_main:
            if self.progress.update == KILLED_AT and not log.read_text().endswith("killed\n"):
                with log.open("a") as file:
                    file.write("killed\n")
                os.kill(os.getpid(), signal.SIGKILL)
            with log.open("a") as file:
                file.write(f"{self.progress.update}\n")
        return update(self, *given)

    Learner.update = watched
    app(arguments)


def run_agent(port: int, arguments: list[str], log: Path) -> None:
    """Run one agent, as torchrun does, that starts one process and restarts it."""
    from torch.distributed.launcher.api import LaunchConfig, elastic_launch

    config = LaunchConfig(
        min_nodes=2,
        max_nodes=2,
        nproc_per_node=1,
        max_restarts=3,
        run_id="test",
        rdzv_backend="c10d",
        rdzv_endpoint=f"127.0.0.1:{port}",
        local_addr="127.0.0.1",
        start_method="fork",
    )
    elastic_launch(config, train_until_killed)(arguments, log)


@pytest.fixture
def arguments(
    tmp_path: Path, short_file: Path, make_examples: Callable[..., list[Example]], vectors: WordVectors
) -> list[str]:
    """A training of nine updates and three validations, without its --output."""
    write_examples(tmp_path / "valid.jsonl", make_examples(12, seed=2, sentences=8)[::3])
    vectors.save(tmp_path / "vectors")
    settings = tmp_path / "settings.toml"
    training = "[training]\nvalidate_every = 3\nmax_sentences = 4\nepochs = 3\nbatch = 4\n"
    settings.write_text(f'{training}[network]\nlocal = "mean"\n[corpus]\nreject_copies = false\n')
    options = f"--config {settings} --device cpu --processes 1"
    files = [str(short_file), str(tmp_path / "valid.jsonl"), "--vectors", str(tmp_path / "vectors")]
    return ["train", *files, *options.split()]


def test_a_killed_process_is_restarted_from_the_last_checkpoint(
    tmp_path: Path, arguments: list[str], make_trainer: MakeTrainer, capfd: pytest.CaptureFixture[str]
):
    make_trainer(tmp_path / "imports", epochs=1).run()  # imports what takes seconds once for all processes
    log = tmp_path / "updates"
    log.touch()
    command = [*arguments, "--output", str(tmp_path / "elastic")]
    port = free_port()
    assert run_all([fork.Process(target=run_agent, args=(port, command, log)) for _ in range(2)]) == [0, 0]
    assert log.read_text().split() == [*map(str, range(KILLED_AT)), "killed", *map(str, range(KILLED_AT, 9))]

    capfd.readouterr()

    def uninterrupted(rank: int) -> None:
        os.cpu_count = lambda: 1
        app([*arguments, "--output", str(tmp_path / "whole")])

    assert as_torchrun(2, uninterrupted, local=False) == [0, 0]
    assert capfd.readouterr().err.count("The model is in") == 1
    model = Path("model") / "policy.safetensors"
    assert (tmp_path / "elastic" / model).read_bytes() == (tmp_path / "whole" / model).read_bytes()
    elastic, whole = (tmp_path / name / "phases" / "training" for name in ("elastic", "whole"))
    assert metrics_without_time(elastic) == metrics_without_time(whole)
    assert metrics_without_time(whole)[-1]["documents"] == 36
    found, wanted = (safetensors.torch.load_file(folder / "checkpoint.safetensors") for folder in (elastic, whole))
    assert found.keys() == wanted.keys()
    for name in wanted:
        assert torch.equal(found[name], wanted[name]), name


class Elsewhere(World):
    """The second of two processes, on a machine that does not see what the first one writes."""

    def barrier(self) -> None:
        pass

    def gather(self, mine: list[Any]) -> list[Any]:
        return [7, *mine]


def test_machines_without_a_common_folder_are_refused(tmp_path: Path, make_trainer: MakeTrainer):
    world = Elsewhere(1, 2, torch.device("cpu"))
    with pytest.raises(TrainingError, match="this one does not see it") as refusal:
        make_trainer(tmp_path, world=world)
    assert "shared file system" in refusal.value.hint
    make_trainer(tmp_path)  # what was encoded is there, but not the checkpoint that the others go on from
    trainer = make_trainer(tmp_path, world=world)
    with pytest.raises(TrainingError, match=r"Not all processes see the same checkpoint"):
        trainer.run()

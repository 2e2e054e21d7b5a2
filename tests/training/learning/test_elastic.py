"""Two machines, here two agents of the kind that torchrun starts, which meet over a socket: a process may be killed."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import socket
from collections.abc import Callable
from multiprocessing.context import ForkProcess
from pathlib import Path
from typing import Any

import pytest
import safetensors.torch
import torch

from memsum.cli.app import app
from memsum.errors import TrainingError
from memsum.text import WordVectors
from memsum.training.corpus import Example, write_examples
from memsum.training.learning import trainer
from memsum.training.learning.algorithm import Learner
from memsum.training.learning.distributed import World
from memsum.training.learning.metrics import METRICS_FILE, read_metrics
from memsum.training.learning.trainer import Trainer

pytestmark = pytest.mark.slow

MakeTrainer = Callable[..., Trainer]

KILLED_AT = 5
fork = multiprocessing.get_context("fork")  # of this process, which has imported torch


def train_until_killed(arguments: list[str], log: Path) -> None:
    """Train with a checkpoint after each update; the first process kills itself once, as `kill -9` would."""
    os.cpu_count = lambda: 1  # both machines are this one
    trainer._CHECKPOINT_SECONDS = 0.0
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
def port() -> int:
    """A free port of this machine."""
    try:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            return int(free.getsockname()[1])
    except OSError as error:
        pytest.skip(f"no sockets here: {error}")


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


def uninterrupted(arguments: list[str], port: int) -> None:
    """The same training by two processes that nothing happens to."""

    def run(rank: int) -> None:
        os.cpu_count = lambda: 1
        names = {"RANK": rank, "LOCAL_RANK": 0, "WORLD_SIZE": 2, "LOCAL_WORLD_SIZE": 1, "MASTER_PORT": port}
        os.environ.update({name: str(value) for name, value in names.items()}, MASTER_ADDR="127.0.0.1")
        app(arguments)

    run_both([fork.Process(target=run, args=(rank,)) for rank in range(2)])


def run_both(processes: list[ForkProcess]) -> None:
    """Run processes to their end, which is to be a good one."""
    for process in processes:
        process.start()
    try:
        for process in processes:
            process.join(900)
    finally:
        for process in processes:
            process.terminate()  # an agent ends its workers too
            process.join(60)
    assert [process.exitcode for process in processes] == [0, 0]


def metrics(folder: Path) -> list[dict[str, Any]]:
    return [{k: v for k, v in line.items() if k != "seconds"} for line in read_metrics(folder / METRICS_FILE)]


def test_a_killed_process_is_restarted_from_the_last_checkpoint(
    tmp_path: Path, arguments: list[str], port: int, make_trainer: MakeTrainer, capfd: pytest.CaptureFixture[str]
):
    make_trainer(tmp_path / "imports", epochs=1).run()  # imports what takes seconds once for all processes
    log = tmp_path / "updates"
    log.touch()
    command = [*arguments, "--output", str(tmp_path / "elastic")]
    run_both([fork.Process(target=run_agent, args=(port, command, log)) for _ in range(2)])
    assert log.read_text().split() == [*map(str, range(KILLED_AT)), "killed", *map(str, range(KILLED_AT, 9))]

    capfd.readouterr()
    uninterrupted([*arguments, "--output", str(tmp_path / "whole")], port)
    assert capfd.readouterr().err.count("The model is in") == 1
    model = Path("model") / "policy.safetensors"
    assert (tmp_path / "elastic" / model).read_bytes() == (tmp_path / "whole" / model).read_bytes()
    elastic, whole = (tmp_path / name / "phases" / "training" for name in ("elastic", "whole"))
    assert metrics(elastic) == metrics(whole)
    assert metrics(whole)[-1]["documents"] == 36
    found, wanted = (safetensors.torch.load_file(folder / "checkpoint.safetensors") for folder in (elastic, whole))
    assert found.keys() == wanted.keys()
    for name in wanted:
        assert torch.equal(found[name], wanted[name]), name
    assert json.loads((elastic / "training.json").read_text())["training"]["seed"] == 0


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


def test_beginning_anew_and_being_restarted_exclude_each_other(
    tmp_path: Path, make_trainer: MakeTrainer, monkeypatch: pytest.MonkeyPatch
):
    """Each restart would throw away what the one before had learned."""
    monkeypatch.setenv("TORCHELASTIC_MAX_RESTARTS", "3")
    make_trainer(tmp_path)
    with pytest.raises(TrainingError, match="--restart would discard the training"):
        make_trainer(tmp_path, restart=True)

"""The loop: it learns, it averages, it stops early, and it gives up on a loss that is none."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from memsum.errors import TrainingError
from memsum_train.corpus import Example
from memsum_train.learning import trainer as training
from memsum_train.learning.learner import CHECKPOINT_FILE, Average, Learner, TrainingProgress
from memsum_train.learning.trainer import METRICS_FILE, Callbacks, Trainer, plot_metrics, read_metrics
from memsum_train.policy.folder import load_policy

from .conftest import MakeTrainer


def test_it_learns_which_sentences_summaries_are_made_of(
    tmp_path: Path, make_trainer: MakeTrainer, make_examples: Callable[..., list[Example]]
):
    losses: list[float] = []
    trainer = make_trainer(
        tmp_path, epochs=25, learning_rate=1e-2, validate_every=25, valid=make_examples(6, seed=5, sentences=12)
    )
    trainer.callbacks = Callbacks(lambda progress, loss: losses.append(loss))
    before = trainer.validation.validate(trainer.learner.policy.eval(), 4, trainer.world).score
    done = trainer.run()
    assert sum(losses[-20:]) < 0.7 * sum(losses[:20])
    assert done.best > before + 0.1
    policy, _, config = load_policy(tmp_path / "model")
    assert config.training["updates"] == done.best_update
    again = trainer.validation.validate(policy, 4, trainer.world)
    assert again.score == pytest.approx(done.best)
    assert (config.stop.threshold, config.stop.max_sentences) == (again.overall.threshold, again.overall.maximum)


@pytest.mark.parametrize(
    ("epochs", "documents", "updates"),
    [(2, 0, 6), (2, 16, 4), (2, 1_000, 6), (2, 1, 1), (1, 0, 3), (0.5, 0, 2), (0.01, 0, 1)],
)
def test_epochs_and_documents_both_bound_a_training(
    tmp_path: Path, make_trainer: MakeTrainer, epochs: float, documents: int, updates: int
):
    learner = make_trainer(tmp_path, epochs=epochs, documents=documents).learner
    assert (learner.updates_per_epoch, learner.updates) == (3, updates)


def test_the_model_is_the_average_not_the_last_weights(tmp_path: Path, make_trainer: MakeTrainer):
    trainer = make_trainer(tmp_path, average=0.9, epochs=1)
    trainer.run()
    policy, _, _ = load_policy(tmp_path / "model")
    for name, weight in policy.named_parameters():
        assert torch.equal(weight, trainer.learner.average.weights[name])
    assert not torch.equal(policy.extractor.hidden1.weight, trainer.learner.policy.extractor.hidden1.weight)


def test_the_average_follows_its_definition():
    layer = nn.Linear(2, 1, bias=False)
    with torch.no_grad():
        layer.weight.copy_(torch.tensor([[1.0, 2.0]]))
    average = Average(layer, 0.5)
    wanted = torch.tensor([[1.0, 2.0]])
    for update in range(6):
        with torch.no_grad():
            layer.weight.add_(1)
        average.update(layer, update)
        decay = min(0.5, (1 + update) / (10 + update))
        wanted = decay * wanted + (1 - decay) * layer.weight.detach()
        torch.testing.assert_close(average.weights["weight"], wanted)


def test_swapping_twice_changes_nothing():
    layer = nn.Linear(2, 2)
    average = Average(layer, 0.9)
    kept = {name: weight.detach().clone() for name, weight in layer.named_parameters()}
    with torch.no_grad():
        layer.weight.add_(1)
    average.swap(layer)
    assert torch.equal(layer.weight, kept["weight"])
    average.swap(layer)
    assert torch.equal(layer.weight, kept["weight"] + 1)
    assert torch.equal(average.weights["weight"], kept["weight"])


def rates(trainer: Trainer) -> list[float]:
    found = []
    for update in range(trainer.learner.updates):
        trainer.learner.progress.update = update
        found.append(trainer.learner._rate())
    return found


def test_the_rate_warms_up_then_falls_to_its_end(tmp_path: Path, make_trainer: MakeTrainer):
    trainer = make_trainer(tmp_path, epochs=100, warmup=10, learning_rate=0.2, final_rate=0.05)
    found = rates(trainer)
    assert found[:10] == pytest.approx([0.02 * (i + 1) for i in range(10)])
    assert max(found) == found[9] == found[10] == pytest.approx(0.2)
    assert all(a > b for a, b in pairwise(found[10:]))
    assert found[-1] == pytest.approx(0.2 * 0.05, rel=0.01)
    middle = found[10 + (300 - 10) // 2]
    assert middle == pytest.approx(0.2 * (0.05 + 0.95 / 2), rel=0.01)


def test_a_short_training_warms_up_for_a_tenth_of_it(tmp_path: Path, make_trainer: MakeTrainer):
    found = rates(make_trainer(tmp_path, epochs=4, warmup=100, learning_rate=1.0))
    assert found[1] == 1.0
    assert found[-1] < 0.2


def test_it_uses_the_rate_it_says(tmp_path: Path, make_trainer: MakeTrainer):
    trainer = make_trainer(tmp_path, epochs=8)
    used: list[float] = []
    trainer.callbacks = Callbacks(lambda progress, loss: used.append(trainer.learner.optimizer.param_groups[0]["lr"]))
    trainer.run()
    assert used == rates(trainer)
    noted = [line["learning_rate"] for line in read_metrics(tmp_path / METRICS_FILE) if "loss" in line]
    assert noted == [used[19], used[23]]


def test_it_stops_when_validation_no_longer_improves(tmp_path: Path, make_trainer: MakeTrainer):
    trainer = make_trainer(tmp_path, epochs=50, validate_every=1, patience=3, learning_rate=1e-12)
    done = trainer.run()
    assert done.best_update == 1
    assert done.update == 4
    assert trainer.learner.updates == 150
    assert make_trainer(tmp_path, epochs=50, validate_every=1, patience=3, learning_rate=1e-12).run().update == 4


def test_the_last_weights_are_kept_where_asked_for(tmp_path: Path, make_trainer: MakeTrainer):
    """A learning rate of next to nothing never gets better, and yet it is the last model, and goes on to the end."""
    settings = {"epochs": 3, "validate_every": 1, "patience": 2, "learning_rate": 1e-12}
    done = make_trainer(tmp_path, keep="last", **settings).run()
    assert (done.update, done.best_update) == (9, 9)
    assert load_policy(tmp_path / "model")[2].training["updates"] == 9


@pytest.mark.parametrize("settings", [{"states": 0}, {"part_sentences": 1}, {"batch": 99}, {"split_noise": 1.0}])
def test_other_ways_to_train(tmp_path: Path, make_trainer: MakeTrainer, settings: dict[str, Any]):
    losses: list[float] = []
    trainer = make_trainer(tmp_path, epochs=1, **settings)
    trainer.callbacks = Callbacks(lambda progress, loss: losses.append(loss))
    trainer.run()
    assert all(math.isfinite(loss) and loss > 0 for loss in losses)


def test_small_parts_give_the_same_as_whole_batches(tmp_path: Path, make_trainer: MakeTrainer):
    whole, parts = make_trainer(tmp_path / "a"), make_trainer(tmp_path / "b", part_sentences=10)
    whole.run(), parts.run()
    others = dict(parts.learner.policy.named_parameters())
    for name, weight in whole.learner.policy.named_parameters():
        if not name.endswith(("attention.bias", "key.bias")):  # a softmax cancels their gradient: Adam follows rounding
            torch.testing.assert_close(weight, others[name], atol=1e-4, rtol=1e-3)


def spoil(monkeypatch: pytest.MonkeyPatch, bad: Callable[[int], bool]) -> None:
    """Make the loss of some updates not a number."""
    real, calls = Learner.backward, iter(range(10_000))

    def backward(self: Learner, loss: Tensor) -> float:
        return real(self, loss * (math.nan if bad(next(calls)) else 1))

    monkeypatch.setattr(Learner, "backward", backward)


def test_a_loss_that_is_no_number_ends_the_training_and_keeps_what_was_good(
    tmp_path: Path, make_trainer: MakeTrainer, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(training, "_CHECKPOINT_SECONDS", 0.0)
    spoil(monkeypatch, lambda call: call >= 7)
    trainer = make_trainer(tmp_path, epochs=10, validate_every=4)
    saved: list[bytes] = []

    def update(progress: TrainingProgress, loss: float) -> None:
        if not math.isfinite(loss):
            saved.append((tmp_path / CHECKPOINT_FILE).read_bytes())

    trainer.callbacks = Callbacks(update)
    with pytest.raises(TrainingError, match="loss is not finite at update 12"):
        trainer.run()
    assert len(saved) == 4
    assert set(saved) == {(tmp_path / CHECKPOINT_FILE).read_bytes()}  # that of update 7, the last good one
    monkeypatch.undo()
    resumed = make_trainer(tmp_path, epochs=10, validate_every=4)
    assert resumed.run().update == 30
    assert all(weight.isfinite().all() for weight in resumed.learner.policy.parameters())


def test_one_bad_update_is_passed_over(tmp_path: Path, make_trainer: MakeTrainer, monkeypatch: pytest.MonkeyPatch):
    spoil(monkeypatch, lambda call: call == 2)
    trainer = make_trainer(tmp_path, epochs=8)
    assert trainer.run().update == 24
    assert all(weight.isfinite().all() for weight in trainer.learner.policy.parameters())
    assert all(math.isfinite(line["loss"]) for line in read_metrics(tmp_path / METRICS_FILE) if "loss" in line)


def test_a_short_training_of_bad_updates_only_is_no_success(
    tmp_path: Path, make_trainer: MakeTrainer, monkeypatch: pytest.MonkeyPatch
):
    spoil(monkeypatch, lambda call: True)
    with pytest.raises(TrainingError, match="not finite at update 3"):
        make_trainer(tmp_path, epochs=1).run()
    assert not (tmp_path / CHECKPOINT_FILE).exists()
    assert not (tmp_path / "model").exists()


def test_weights_that_are_no_numbers_are_never_saved(tmp_path: Path, make_trainer: MakeTrainer):
    make_trainer(tmp_path, epochs=2).run()
    files = {path: path.read_bytes() for path in tmp_path.rglob("*.safetensors")}
    trainer = make_trainer(tmp_path, epochs=2)
    with torch.no_grad():
        trainer.learner.policy.extractor.score.bias.fill_(math.inf)
    with pytest.raises(TrainingError, match="network is not finite"):
        trainer._save()
    with pytest.raises(TrainingError, match="network is not finite"):
        trainer._validate()
    assert {path: path.read_bytes() for path in files} == files


def test_the_metrics_and_their_plot(tmp_path: Path, make_trainer: MakeTrainer):
    make_trainer(tmp_path, epochs=8, validate_every=10).run()
    lines = read_metrics(tmp_path / METRICS_FILE)
    assert [line["update"] for line in lines if "loss" in line] == [20, 24]
    assert [line["update"] for line in lines if "validation" in line] == [3, 6, 9, 12, 15, 18, 21, 24]  # every pass
    assert [line["documents"] for line in lines if "validation" in line] == [12, 24, 36, 48, 60, 72, 84, 96]
    assert set(lines[0]["validation"]["sources"]) == {"papers", "reports"}
    assert plot_metrics(tmp_path).read_bytes().startswith(b"\x89PNG")


def test_a_plot_of_nothing(tmp_path: Path):
    assert plot_metrics(tmp_path).stat().st_size > 0

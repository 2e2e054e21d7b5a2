"""Repeats: episodes take either copy, the loss knows what is left of a pair, and a policy learns to avoid it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import safetensors
import torch

from memsum.features.encoding import TextSettings
from memsum_train.corpus import Example, write_examples
from memsum_train.corpus.variants import repeat_sentences
from memsum_train.learning.data import EncodedDocument
from memsum_train.learning.objectives.imitation import draw_states, find_repeats, penalize_repeats
from memsum_train.paper.train import States
from memsum_train.policy.folder import POLICY_FILE, load_policy

from ...helpers import encode_words
from .conftest import MakeTrainer


def make_document(said: list[int], *episodes: list[int]) -> EncodedDocument:
    """A document of one-word sentences."""
    return encode_words([[word] for word in said], *episodes)


@pytest.fixture(scope="module")
def doubled(short_examples: list[Example], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Settings of a training on documents with every sentence twice."""
    path = tmp_path_factory.mktemp("doubled") / "doubled.jsonl"
    write_examples(path, map(repeat_sentences, short_examples))
    return {"train": path, "objective": "repeats", "text": TextSettings(collapse_repeats=False)}


def targets_of(document: EncodedDocument, seed: int = 0) -> tuple[States, torch.Tensor]:
    targets = draw_states([document], [np.random.default_rng(seed)], 0)
    return targets, find_repeats([document], targets)


def test_sentences_of_the_same_words_say_the_same():
    assert make_document([7, 8, 7, 9, 8], [0]).meanings.tolist() == [0, 1, 0, 3, 1]


def test_episodes_take_either_of_two_copies():
    document = make_document([7, 7, 8, 9, 9], [0, 2, 3])
    seen: Counter[tuple[int, ...]] = Counter()
    for seed in range(200):
        targets = draw_states([document], [np.random.default_rng(seed)], 0)
        seen[tuple(sorted(targets.action[~targets.stops].tolist()))] += 1
    assert set(seen) == {(0, 2, 3), (0, 2, 4), (1, 2, 3), (1, 2, 4)}
    assert min(seen.values()) > 25


def test_an_episode_with_both_copies_takes_one():
    targets = draw_states([make_document([7, 7, 8], [0, 1, 2])], [np.random.default_rng(0)], 0)
    taken = targets.action[~targets.stops].tolist()
    assert len(taken) == 2
    assert 2 in taken


@pytest.mark.parametrize("seed", range(10))
def test_what_remains_of_a_pair_is_a_repeat(seed: int):
    targets, repeats = targets_of(make_document([1, 1, 3, 4], [0, 2]), seed)
    for row, found in enumerate(repeats.tolist()):
        taken = set(targets.state.extracted[row][targets.state.taken[row]].tolist())
        assert found == [1 in taken, 0 in taken, False, False]


def test_a_repeat_should_score_below_the_others_and_be_marked():
    targets, repeats = targets_of(make_document([1, 1, 2, 3], [0, 2]))
    low = torch.where(repeats, -3.0, 1.0)
    flat = torch.zeros_like(low)
    avoided, taken = (
        float(penalize_repeats(low, None, targets, repeats)),
        float(penalize_repeats(-low, None, targets, repeats)),
    )
    assert avoided < float(penalize_repeats(flat, None, targets, repeats)) < taken
    # It is the difference that counts: to lower all scores is no way out.
    assert float(penalize_repeats(low - 5, None, targets, repeats)) == pytest.approx(avoided, rel=1e-4)
    known = float(penalize_repeats(flat, -low, targets, repeats))
    unknown = float(penalize_repeats(flat, low, targets, repeats))
    assert known < float(penalize_repeats(flat, flat, targets, repeats)) < unknown


def test_by_hand():
    targets, repeats = targets_of(make_document([1, 1, 2], [0]))
    copy = 1 - int(targets.action[0])  # which of the two the episode left
    assert repeats[1].tolist() == [copy == 0, copy == 1, False]
    logits, marks = torch.zeros(2, 3), torch.zeros(2, 3)
    logits[1, copy], logits[1, 2], marks[1, copy], marks[1, 2] = 2.0, 0.5, 1.0, -3.0
    soft = torch.nn.functional.softplus
    expected = 0.5 / 2 * (0.5 * soft(torch.tensor(1.5)) + soft(torch.tensor(-1.0)) + soft(torch.tensor(-3.0)))
    assert float(penalize_repeats(logits, marks, targets, repeats)) == pytest.approx(float(expected), rel=1e-5)


def test_where_nothing_repeats_the_extracted_nothing_is_to_be_marked():
    both = [make_document([1, 1, 2], [0]), make_document([4, 5, 6], [0])]
    targets = draw_states(both, [np.random.default_rng(n) for n in range(2)], 0)
    repeats = find_repeats(both, targets)
    marks = torch.zeros(4, 3)  # two states each: before and after the only extraction
    silent = float(penalize_repeats(torch.zeros(4, 3), marks, targets, repeats))
    marks[3, 1:] = 4.0  # of the second document, which has no repeats, after its extraction
    assert float(penalize_repeats(torch.zeros(4, 3), marks, targets, repeats)) > silent + 0.5
    marks[3, 1:], marks[2] = 0.0, 4.0  # before it there is nothing to tell
    assert float(penalize_repeats(torch.zeros(4, 3), marks, targets, repeats)) == pytest.approx(silent)


def test_without_repeats_there_is_nothing_to_lose():
    targets, repeats = targets_of(make_document([1, 2, 3], [0, 1]))
    assert float(penalize_repeats(torch.randn(3, 3), torch.randn(3, 3), targets, repeats)) == 0


def test_a_document_of_nothing_but_repeats_gives_a_finite_loss():
    targets, repeats = targets_of(make_document([1, 1], [0]))
    logits = torch.zeros(2, 2, requires_grad=True)
    loss = penalize_repeats(logits, torch.zeros(2, 2), targets, repeats)
    loss.backward()
    assert torch.isfinite(loss)
    assert logits.grad is not None
    assert torch.isfinite(logits.grad).all()


def test_the_marker_learns_and_is_not_kept(tmp_path: Path, make_trainer: MakeTrainer, doubled: dict[str, Any]):
    trainer = make_trainer(tmp_path, epochs=1, **doubled)
    before = trainer.learner.policy.marker.weight.detach().clone()
    trainer.run()
    assert not torch.equal(trainer.learner.policy.marker.weight, before)
    with safetensors.safe_open(tmp_path / "model" / POLICY_FILE, "pt") as file:
        assert not [name for name in file.keys() if "marker" in name]  # noqa: SIM118
    policy, _, _ = load_policy(tmp_path / "model")
    assert not hasattr(policy, "marker")


@pytest.mark.parametrize("settings", [{}, {"objective": "repeats", "network": {"history": "none"}}])
def test_no_marker_where_nothing_could_learn_from_it(tmp_path: Path, make_trainer: MakeTrainer, settings):
    assert not hasattr(make_trainer(tmp_path, **settings).learner.policy, "marker")


def test_a_training_with_a_marker_is_resumed_on_its_path(
    tmp_path: Path, make_trainer: MakeTrainer, doubled: dict[str, Any]
):
    whole = make_trainer(tmp_path / "whole", **doubled)
    whole.run()
    parted = make_trainer(tmp_path / "parted", **doubled)
    for _ in range(3):
        parted.learner.update()
    parted._save()
    again = make_trainer(tmp_path / "parted", **doubled)
    again.run()
    for (name, one), (_, other) in zip(
        whole.learner.policy.named_parameters(), again.learner.policy.named_parameters(), strict=True
    ):
        assert torch.equal(one, other), name

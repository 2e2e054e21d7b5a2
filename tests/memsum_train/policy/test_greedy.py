"""Playing an episode: the highest score first, ties to the earlier sentence, stops remembered."""

from __future__ import annotations

import math
from dataclasses import dataclass
from types import SimpleNamespace

import pytest
import torch

from memsum_train.paper.model import Extraction, StopScores, extract
from memsum_train.paper.variants import StopSentenceScores
from memsum_train.policy import State, StepScores


@dataclass
class Scripted:
    """A policy that thinks the same of its sentences at every step, and of stopping what is written down."""

    scores: list[list[float]]
    stops: list[float] | None = None
    stop_sentence: list[float] | None = None  # its logit a step

    @property
    def batch(self) -> SimpleNamespace:
        lengths = torch.tensor([len(row) for row in self.scores])
        return SimpleNamespace(mask=torch.arange(int(lengths.max())) < lengths[:, None], lengths=lengths)

    def encode(self, batch: object) -> None:
        pass

    def step(self, encoded: None, state: State) -> StepScores:
        time, (rows, longest) = state.extracted.shape[1], state.remaining.shape
        logits = torch.full((rows, longest + 1), 99.0)  # padding must not be chosen, however good it looks
        for row, scores in enumerate(self.scores):
            logits[row, : len(scores)] = torch.tensor(scores)
            if self.stop_sentence is not None:
                logits[row, len(scores)] = self.stop_sentence[time]
        if self.stop_sentence is not None:
            return StopSentenceScores(logits[:, :-1], logits, self.batch.lengths)
        if self.stops is None:
            return StepScores(logits[:, :-1])
        return StopScores(logits[:, :-1], torch.full((rows,), self.stops[time]))


def played(policy: Scripted, maximum: int) -> list[Extraction]:
    return extract(policy, policy.batch, maximum)  # type: ignore[arg-type]


def test_the_highest_score_first_and_ties_to_the_earlier():
    policy = Scripted([[0.5, 2.0, 0.5, 2.0, -1.0]])
    [episode] = played(policy, 4)
    assert episode.choices == (1, 3, 0, 2)
    assert episode.scores == pytest.approx([1 / (1 + math.exp(-x)) for x in (2, 2, 0.5, 0.5)])
    assert played(Scripted([[0.0] * 40]), 40)[0].choices == tuple(range(40))


def test_no_more_than_there_are():
    episodes = played(Scripted([[1.0], [1.0, 3.0, 2.0]]), 9)
    assert [episode.choices for episode in episodes] == [(0,), (1, 2, 0)]
    assert [len(episode.stops) for episode in episodes] == [2, 4]


def test_stops_are_remembered_before_each_choice_and_after_the_last():
    policy = Scripted([[1.0, 2.0, 3.0, 4.0]], stops=[-2.0, 0.0, 2.0])
    [episode] = played(policy, 2)
    assert episode.stops == pytest.approx([1 / (1 + math.exp(-x)) for x in (-2, 0, 2)])


def test_where_nothing_remains_stopping_is_certain():
    policy = Scripted([[1.0, 2.0], [1.0, 2.0, 3.0]], stops=[-9.0] * 4)
    first, second = played(policy, 3)
    assert first.stops[-1] == second.stops[-1] == 1
    assert max(*first.stops[:-1], *second.stops[:-1]) < 0.01


def test_a_fixed_policy_never_wants_to_stop():
    [episode] = played(Scripted([[1.0, 2.0, 3.0]]), 2)
    assert episode.stops == (0, 0, 0)
    assert episode.length(0.1, 2) == 2


def test_a_stop_sentence_ends_the_episode_where_it_would_win():
    policy = Scripted([[4.0, 3.0, 2.0, 1.0], [9.0, 3.5, 0.0]], stop_sentence=[0.0, 3.2, 3.2, 3.2, 3.2])
    first, second = played(policy, 4)
    assert first.choices == (0, 1, 2, 3)  # it is never extracted itself
    assert first.stops == (0, 1, 1, 1, 1)
    assert first.length(0.5, 4) == 1
    assert second.stops[:3] == (0, 0, 1)
    assert second.length(0.5, 4) == 2


@pytest.mark.parametrize(
    ("threshold", "maximum", "minimum", "length"),
    [
        (0.6, 7, 1, 2),
        (0.6, 1, 1, 1),
        (0.3, 7, 1, 1),
        (0.3, 7, 0, 1),
        (0.1, 7, 0, 0),
        (0.95, 7, 1, 4),
        (1.0, 3, 1, 3),
        (0.6, 7, 3, 4),
    ],
)
def test_how_many_sentences_a_threshold_gives(threshold: float, maximum: int, minimum: int, length: int):
    episode = Extraction((3, 0, 2, 1), (0.9, 0.8, 0.7, 0.6), (0.1, 0.3, 0.6, 0.5, 1.0))
    assert episode.length(threshold, maximum, minimum) == length


def test_states_move_sentences_from_what_remains():
    state = State.start(torch.tensor([[True, True, True], [True, True, False]]))
    assert state.extracted.shape == (2, 0)
    state = state.extract(torch.tensor([2, 0]), torch.tensor([True, False]))
    assert state.remaining.tolist() == [[True, True, False], [True, True, False]]
    assert state.extracted[0].tolist() == [2]
    assert state.taken.tolist() == [[True], [False]]

"""Validation: episodes in the documents' own indices, scored by source at each source's best stop."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from memsum.errors import TrainingError
from memsum.features.encoding import TextEncoder
from memsum_train.corpus import Example
from memsum_train.learning.validation import ValidationSet
from memsum_train.policy import Policy, PolicyConfig
from memsum_train.policy.folder import new_policy
from memsum_train.rouge import score_many

from .conftest import ALONE


@pytest.fixture
def policy(tiny: PolicyConfig, encoder: TextEncoder) -> Policy:
    torch.manual_seed(0)
    return new_policy(tiny, encoder)


def test_scores_are_those_of_the_sentences_played(held_out: list[Example], encoder: TextEncoder, policy: Policy):
    policy.eval()
    held = ValidationSet(held_out, encoder)
    result = held.validate(policy, 6, ALONE)
    assert set(result.by_source) == {"papers", "reports"}
    assert result.score == pytest.approx(np.mean([point.mean for point in result.by_source.values()]))
    played = held.play(policy, 6, ALONE)
    for source, point in result.by_source.items():
        rows = []
        for example, episode in zip(held_out, played, strict=True):
            if example.extra["source"] == source:
                count = episode.length(point.threshold, point.maximum)
                said = [example.text[i] for i in sorted(episode.choices[:count])]
                [found] = score_many([said], [example.summary])
                rows.append([*found[[0, 1, 3], 2], count])  # F1 of ROUGE-1, 2 and Lsum
        wanted = np.mean(rows, axis=0)
        assert [point.rouge1, point.rouge2, point.rouge_lsum, point.sentences] == pytest.approx(wanted)


def test_repeats_are_played_in_the_documents_own_indices(encoder: TextEncoder, policy: Policy):
    text = ("Data were kept.", "Data were kept.", "Costs rose.", "Data were kept.", "Staff were trained.")
    [episode] = ValidationSet([Example(text, ("Costs rose.",))], encoder).play(policy.eval(), 9, ALONE)
    assert sorted(episode.choices) == [0, 2, 4]


def test_documents_without_a_source_are_one_source(held_out: list[Example], encoder: TextEncoder, policy: Policy):
    plain = [replace(example, extra={}) for example in held_out[:2]]
    result = ValidationSet(plain, encoder).validate(policy, 3, ALONE)
    assert list(result.by_source) == ["all"]
    assert result.by_source["all"] == result.overall
    assert result.overall.maximum <= 3


def test_the_policy_is_validated_without_dropout_and_trains_on(
    held_out: list[Example], encoder: TextEncoder, tiny: PolicyConfig
):
    policy = new_policy(replace(tiny, dropout=0.5), encoder).train()
    held = ValidationSet(held_out[:2], encoder)
    assert held.validate(policy, 3, ALONE) == held.validate(policy, 3, ALONE)
    assert policy.training


def test_nothing_to_validate_on_is_refused(encoder: TextEncoder):
    for examples in ([], [Example(("Text.",), ())], [Example((), ("Summary.",))]):
        with pytest.raises(TrainingError, match="no document with a summary"):
            ValidationSet(examples, encoder)


def test_the_result_as_json_has_numbers_of_each_source(held_out: list[Example], encoder: TextEncoder, policy: Policy):
    found = ValidationSet(held_out, encoder).validate(policy, 3, ALONE).to_dict()
    assert " ".join(found["sources"]["papers"]) == "threshold maximum rouge1 rouge2 rouge_lsum sentences"

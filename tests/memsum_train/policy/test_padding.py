"""What the policy says of a document does not depend on its neighbours in the batch; every variant runs."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import get_args

import numpy as np
import pytest
import torch

from memsum.features.encoding import EncodedText, TextEncoder
from memsum_train.corpus import Example
from memsum_train.paper.model import extract
from memsum_train.policy import Policy, PolicyConfig
from memsum_train.policy.batch import collate
from memsum_train.policy.config import Context, History, Local, Stopping
from memsum_train.policy.folder import new_policy

VARIANTS = [
    variant
    for variant in product(get_args(Local), get_args(Context), get_args(History), get_args(Stopping))
    if variant[2] != "counted" or variant[3] == "policy"
]


@pytest.fixture(scope="module")
def texts(examples: list[Example], counting_encoder: TextEncoder) -> list[EncodedText]:
    """Documents of one, a few and many sentences, short and long ones."""
    documents = [examples[0].text[:20], ("Only one.",), examples[1].text[3:9], ("Yes.", "", "No.")]
    return [counting_encoder.encode(document) for document in documents]


def make(tiny: PolicyConfig, encoder: TextEncoder, variant: tuple[str, ...]) -> Policy:
    torch.manual_seed(11)
    blocks = dict(zip(("local", "context", "history", "stopping"), variant, strict=True))
    return new_policy(replace(tiny, **blocks), encoder).eval()


@pytest.mark.parametrize("variant", VARIANTS, ids="-".join)
def test_episodes_do_not_depend_on_the_batch(
    variant: tuple[str, ...], tiny: PolicyConfig, encoder: TextEncoder, texts: list[EncodedText]
):
    policy = make(tiny, encoder, variant)
    together = extract(policy, collate(texts), 8)
    back = extract(policy, collate(texts[::-1]), 8)[::-1]
    assert [one.choices for one in together] == [one.choices for one in back]
    for text, found in zip(texts, together, strict=True):
        [alone] = extract(policy, collate([text]), 8)
        assert len(alone.choices) == min(8, len(text)) == len(set(alone.choices))
        assert found.choices == alone.choices
        np.testing.assert_allclose(found.scores, alone.scores, atol=1e-5)
        np.testing.assert_allclose(found.stops, alone.stops, atol=1e-5)
        assert np.isfinite([*alone.scores, *alone.stops]).all()

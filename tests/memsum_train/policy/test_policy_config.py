"""The settings of a network: what is possible, and how they survive JSON."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memsum.errors import ModelError
from memsum_train.policy import PolicyConfig

configs = st.builds(
    PolicyConfig,
    local=st.sampled_from(["lstm", "mean", "pooled"]),
    context=st.sampled_from(["lstm", "none"]),
    history=st.sampled_from(["attention", "gru", "none"]),
    stopping=st.sampled_from(["policy", "fixed", "stop-sentence"]),
    dimension=st.sampled_from([8, 200]),
    dropout=st.floats(0, 0.9),
)


@given(configs)
def test_settings_survive_json(config: PolicyConfig):
    assert PolicyConfig.from_dict(json.loads(json.dumps(config.to_dict()))) == config


@pytest.mark.parametrize(
    "wrong",
    [
        {"local": "bert"},
        {"history": "lstm"},
        {"dimension": 20},
        {"heads": 0},
        {"word_dimension": "200"},
        {"dropout": 1.0},
    ],
)
def test_impossible_networks_are_refused(wrong: dict[str, object]):
    with pytest.raises(ModelError, match=next(iter(wrong))):
        PolicyConfig(**wrong)


def test_a_setting_of_a_later_version_is_named():
    with pytest.raises(ModelError, match="'mixture' is not a setting of a network"):
        PolicyConfig.from_dict({"mixture": 1, "experts": 2})

"""The presets are the paper's settings, and a training by one of them leaves nothing out and chooses nothing."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

import memsum
from memsum.errors import ModelError, TrainingError
from memsum.model import ModelConfig
from memsum_train.corpus import Example, read_corpus, write_examples
from memsum_train.learning.config import TrainingConfig
from memsum_train.policy import PolicyConfig
from memsum_train.recipe.settings import read_recipe, recipe_names

SECTION_4 = {  # N_max, p_thres, L_sen, L_doc
    "pubmed": (7, 0.6, 100, 500),
    "arxiv": (5, 0.5, 150, 500),
    "pubmed-trunc": (7, 0.8, 100, 50),
    "govreport": (22, 0.6, 100, 500),
}


@pytest.mark.parametrize("name", SECTION_4)
def test_a_preset_is_the_paper(name: str):
    recipe = read_recipe(f"paper:{name}")
    [stage] = recipe.stages
    config, network = stage.config, PolicyConfig.from_dict(dict(recipe.network))
    n_max, p_thres, l_sen, l_doc = SECTION_4[name]
    assert (config.max_sentences, config.threshold, recipe.episodes.maximum) == (n_max, p_thres, n_max)
    assert (recipe.text.max_tokens, recipe.text.max_sentences) == (l_sen, l_doc)
    assert (config.optimizer, config.betas, config.learning_rate, config.schedule) == (
        "adam", (0.9, 0.999), 1e-4, "constant",
    )  # fmt: skip
    assert (config.weight_decay, config.batch, config.clip, config.average) == (1e-6, 128, 0, 0.999)
    assert network == PolicyConfig(local="lstm")
    assert (network.dropout, network.dimension, network.heads, network.feed_forward) == (0.1, 200, 8, 1024)
    assert (network.local_layers, network.context_layers, network.history_layers) == (2, 2, 3)
    assert recipe.keep_repeats
    assert recipe.corpus.keep_all
    assert not recipe.corpus.reject_copies
    assert (recipe.episodes.branching, recipe.vectors.unknown) == (2, "drop")
    changes = ("block_dropout", "split_noise", "layout_noise", "feature_dropout")
    assert [getattr(config, change) for change in changes] == [0] * 4


def test_presets_are_listed_and_files_name_every_setting_they_change():
    assert recipe_names() == ["default", "paper-small", *sorted(f"paper:{name}" for name in SECTION_4)]
    for name in SECTION_4:
        content = tomllib.loads((files("memsum_train") / "paper" / f"{name}.toml").read_text(encoding="utf-8"))
        assert content["training"].keys() <= TrainingConfig().to_dict().keys()
    with pytest.raises(TrainingError, match="no recipe 'paper'") as refused:
        read_recipe("paper")
    assert "paper:pubmed" in str(refused.value.hint)


def test_a_training_by_a_preset_keeps_all_documents_and_the_papers_stop(
    tmp_path: Path, make_examples: Callable[..., list[Example]], vectors_file: Path
):
    examples = make_examples(6, sentences=8)
    twice = [*examples, examples[0]]  # a repeated document, and one that begins with its own summary
    copy = Example((*examples[1].summary, *examples[1].text), examples[1].summary)
    write_examples(tmp_path / "train.jsonl", [Example(e.text, e.summary) for e in [*twice, copy]])
    write_examples(tmp_path / "valid.jsonl", [Example(e.text, e.summary) for e in examples[:3]])
    with pytest.raises(ModelError, match="vectors have 16 dimensions, the model needs 200"):
        memsum.train(
            tmp_path / "train.jsonl", tmp_path / "valid.jsonl", tmp_path / "wide", recipe="paper:pubmed",
            vectors=vectors_file, processes=1,
        )  # fmt: skip
    small = {"dimension": 8, "heads": 2, "feed_forward": 8, "word_dimension": 16}
    settings = {f"network.{name}": value for name, value in small.items()} | {"training.epochs": 1}
    model = memsum.train(
        tmp_path / "train.jsonl", tmp_path / "valid.jsonl", tmp_path / "run", recipe="paper:pubmed",
        vectors=vectors_file, settings=settings, processes=1,
    )  # fmt: skip
    phases = tmp_path / "run" / "phases"
    assert len(list(read_corpus(phases / "corpus" / "train.jsonl.zst"))) == 8
    assert np.load(phases / "encoded" / "sources.npy").shape == (8,)
    config = ModelConfig.load(model)
    assert (config.stop.threshold, config.stop.max_sentences) == (0.6, 7)
    assert (config.text.max_tokens, config.text.max_sentences, config.text.collapse_repeats) == (100, 500, False)
    assert config.training["threshold"] == 0.6
    memsum.Summarizer.load(model).summarize("One sentence is here. Another is there. A third one follows.")


@pytest.mark.parametrize("setting", ["clip", "threshold", "learning_rate", "weight_decay", "epochs"])
@pytest.mark.parametrize("value", [float("inf"), float("nan"), -1.0])
def test_settings_that_are_no_numbers_are_refused_at_once(setting: str, value: float):
    with pytest.raises(TrainingError, match=f"{setting} must be a number"):
        read_recipe("paper:pubmed", changes={f"training.{setting}": value})

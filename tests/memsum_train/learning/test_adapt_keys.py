"""Adapting to keys: what readers of one's own documents must know is learned from a dozen of them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memsum.errors import MemsumError, TrainingError
from memsum.features.source_text import SourceText
from memsum.model import ModelConfig, find_model
from memsum.model.runtime import Runtime
from memsum.select import Selection
from memsum_train.corpus.keys import Key
from memsum_train.learning.adapt import adapt_to_keys, key_examples, read_sources

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("adapt keys")]

DEFAULT = find_model("default").folder
PLACES = ("pier", "beach", "quay", "garden", "market", "station", "museum", "school", "park", "harbor", "pool", "hall")

Sources = list[tuple[Key, SourceText]]


def notice(place: str, number: int, folder: Path) -> Key:
    """Write a notice whose key has a line that nobody else would quote: the color of its door."""
    door = f"The door of the {place} is painted in color number {number}."
    (folder / f"{place}.md").write_text(
        f"# The {place}\n\nYou must leave the {place} before 8 p.m. on working days. {door}\n\n"
        f"Groups must pay a fee of 5 euros at the {place}. Dogs are not allowed in the {place} in summer.\n\n"
        f"## Hours\n\nThe {place} opens at nine every day. Please call the office if you lose your keys. "
        f"Children under six must come with an adult. Bicycles may be left at the gate of the {place}.\n"
    )
    return Key(place, "policy", f"{place}.md", ((door,),), ())


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Sources:
    folder = tmp_path_factory.mktemp("notices")
    return read_sources([notice(place, number, folder) for number, place in enumerate(PLACES)], folder)


def test_what_one_would_quote_is_learned(sources: Sources, tmp_path: Path) -> None:
    result = adapt_to_keys(sources, DEFAULT, tmp_path / "mine")
    assert (result.trained_on, result.judged_on) == (12, 12)
    assert result.kept
    assert result.after.mean > result.before.mean + 0.3
    (gain,) = result.gains
    assert gain.low != gain.low  # no interval of too few documents
    runtime = Runtime.load(tmp_path / "mine", threads=1)
    episode = Selection(runtime, sources[0][1]).episode()
    episode.extend(1)
    assert "door" in sources[0][1].sentences[episode.choices[0]]
    assert ModelConfig.load(tmp_path / "mine").training["adapted"] == {"from": "default", "keys": 12}


def test_keys_teach_other_models_as_summaries(sources: Sources) -> None:
    examples = key_examples(sources)
    assert [len(example.summary) for example in examples] == [1] * len(PLACES)
    assert all("color number" in example.summary[0] for example in examples)
    assert examples[0].text == tuple(sources[0][1].sentences)


def test_a_key_of_another_document_is_named(tmp_path: Path) -> None:
    key = notice("pier", 1, tmp_path)
    other = Key(key.name, key.kind, key.file, (("Penguins cannot fly over the mountains.",),), ())
    with pytest.raises(TrainingError, match="has none of the sentences of its key pier"):
        read_sources([other], tmp_path)


def test_too_few_keys_and_a_folder_in_use_are_refused(sources: Sources, tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match="at least 10 documents with keys; there are 4"):
        adapt_to_keys(sources[:4], DEFAULT, tmp_path)

    def another(what: str, left: float) -> None:
        with pytest.raises(MemsumError, match=f"in use by process {os.getpid()}"):
            adapt_to_keys(sources, DEFAULT, tmp_path)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        adapt_to_keys(sources, DEFAULT, tmp_path, report=another)
    assert not (tmp_path / ".lock").exists()

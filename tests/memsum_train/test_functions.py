"""`memsum.train` and `memsum.adapt`: the commands as functions."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import memsum
from memsum import MemsumError
from memsum_train.corpus import Example, write_examples

SETTINGS = {
    "corpus.reject_copies": False,
    "network.local": "mean",
    "network.context": "none",
    "network.history": "none",
    "training.epochs": 1,
    "training.batch": 2,
    "training.states": 2,
}


@pytest.mark.slow
def test_a_model_is_trained_and_adapted(
    tmp_path: Path, make_examples: Callable[..., list[Example]], vectors_file: Path
) -> None:
    examples = make_examples(14, sentences=6)
    write_examples(tmp_path / "train.jsonl", examples[:4])
    write_examples(tmp_path / "valid.jsonl", examples[4:6])
    arguments = (tmp_path / "train.jsonl", [tmp_path / "valid.jsonl"], tmp_path / "run")
    options = {"recipe": "paper-small", "settings": SETTINGS, "vectors": vectors_file, "processes": 1}
    folder = memsum.train(*arguments, **options, device="cpu")
    assert (folder / "config.json").exists()
    records = [replace(example, indices=None, scores=None).to_json() for example in examples]
    result = memsum.adapt(
        records[:10], tmp_path / "mine", model=folder, validation=records[10:], minutes=20, processes=1
    )
    assert (result.trained_on, result.judged_on) == (10, 4)
    assert memsum.Summarizer.load(tmp_path / "mine").summarize("The tide rose. It fell.").text


def test_the_extra_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    packages = ("memsum_train.learning", "memsum_train.recipe")
    for name in [name for name in sys.modules if name.startswith(packages)]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MemsumError) as caught:
        memsum.train("train.jsonl", "valid.jsonl", tmp_path)
    assert "memsum[train]" in (caught.value.hint or "")
    with pytest.raises(MemsumError, match="Adapting a model needs"):
        memsum.adapt([], tmp_path)

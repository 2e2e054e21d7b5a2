"""The corpora of a run: cut to the budget, with episodes, each document in one part only."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from memsum.errors import MemsumError
from memsum_train.corpus import Example, read_examples, write_examples
from memsum_train.experiments.config import Config, Corpus, Documents
from memsum_train.experiments.context import Context


def test_documents_are_cut_to_the_budget_and_get_episodes(config: Config, tmp_path: Path) -> None:
    [corpus] = Context(replace(config, documents=Documents(train=5, valid=2)), tmp_path).corpora
    learned = list(read_examples(corpus.train))
    assert [len(learned), len(corpus.data("valid")), len(corpus.data("test"))] == [5, 2, 6]
    most = config.training.max_sentences
    for example in learned:
        assert isinstance(example, Example)
        assert example.indices
        assert all(0 < len(episode) <= most for episode in example.indices)
    assert corpus.data("test").signature.startswith("data:trials-test|sha256:")


def test_a_prepared_corpus_is_not_prepared_again(config: Config, tmp_path: Path) -> None:
    said: list[str] = []
    [first] = Context(config, tmp_path, say=said.append).corpora
    assert len(said) == 3
    [again] = Context(config, tmp_path, say=said.append).corpora
    assert again == first
    assert len(said) == 3


def test_a_file_that_changed_is_another_corpus(files: Corpus, config: Config, tmp_path: Path) -> None:
    train = tmp_path / "train.jsonl"
    lines = files.train.read_text(encoding="utf-8").splitlines(keepends=True)
    train.write_text("".join(lines[:4]), encoding="utf-8")
    changed = replace(config, corpora=(replace(files, train=train),))
    [before] = Context(changed, tmp_path / "run").corpora
    train.write_text("".join(lines[:5]), encoding="utf-8")
    [after] = Context(changed, tmp_path / "run").corpora
    assert before.sha256 != after.sha256
    assert before.train != after.train


def test_a_derived_corpus_gets_new_episodes(config: Config, tmp_path: Path) -> None:
    def half(example: Example) -> Example:
        return replace(example, text=example.text[:6], indices=None, scores=None)

    context = Context(config, tmp_path)
    [corpus] = context.corpora
    short = context.derive(corpus, "short", half)
    learned = [example for example in read_examples(short.train) if isinstance(example, Example)]
    assert len(learned) == 12
    assert all(len(example.text) <= 6 and example.indices is not None for example in learned)
    assert (short.name, corpus.sha256 != short.sha256) == ("trials-short", True)


def test_a_document_to_test_on_that_was_learned_from_is_refused(files: Corpus, config: Config, tmp_path: Path) -> None:
    leaking = replace(config, corpora=(replace(files, test=files.train),))
    with pytest.raises(MemsumError, match="both in train and in test"):
        _ = Context(leaking, tmp_path).corpora


def test_bad_files_are_named(files: Corpus, config: Config, tmp_path: Path) -> None:
    bad = tmp_path / "bad.jsonl"
    bad.write_text('{"text": ["A sentence."]}\n')
    with pytest.raises(MemsumError, match=r"bad\.jsonl, line 1: The record has no"):
        _ = Context(replace(config, corpora=(replace(files, valid=bad),)), tmp_path).corpora
    write_examples(bad, [])
    with pytest.raises(MemsumError, match="no documents to test on"):
        _ = Context(replace(config, corpora=(replace(files, test=bad),)), tmp_path).corpora

"""The corpus of numpy's documentation can be learned from, and is the same again."""

from __future__ import annotations

from pathlib import Path

from memsum_train.corpus import read_corpus
from memsum_train.corpus.check import check_corpus
from memsum_train.corpus.sample import SIZES

from ...helpers import run


def test_a_sample_is_a_corpus_in_three_files(tmp_path: Path):
    said = run("corpus", "sample", tmp_path / "one").output
    corpora = {name: list(read_corpus(tmp_path / "one" / f"{name}.jsonl")) for name in SIZES}
    for name, examples in corpora.items():
        assert f"{len(examples)} documents to" in said
        assert not check_corpus(tmp_path / "one" / f"{name}.jsonl").faulty
    assert len(corpora["train"]) == SIZES["train"]
    assert len(corpora["test"]) >= 20  # enough for intervals
    texts = [example.text for examples in corpora.values() for example in examples]
    assert len(set(texts)) == len(texts)
    assert not any("`" in sentence or ".. math" in sentence for text in texts for sentence in text)
    run("corpus", "sample", tmp_path / "two")
    for name in SIZES:
        files = [tmp_path / folder / f"{name}.jsonl" for folder in ("one", "two")]
        assert files[0].read_bytes() == files[1].read_bytes()

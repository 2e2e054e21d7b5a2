from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from memsum.text import WordVectors
from memsum_train.corpus import Example
from memsum_train.evaluation import Prediction
from memsum_train.experiments.positions import CUT, WORDS, beginning, introduction, run, whole
from memsum_train.policy import PolicyConfig
from memsum_train.report.table import Number

from .untrained import untrained_context, with_sections

LONG = "The dyke was raised again by half a metre after the storm of that autumn."  # 15 words
DOCUMENT = Example(
    text=("Ferries stopped.", "Bridges cost more.", "Tolls pay for them.", "Traffic doubled.", "Nobody swims."),
    summary=("Bridges replaced ferries.",),
    sections=("Preface", "1 Introduction", "Data", "I. INTRODUCTION and aims", "Data"),
)


def test_an_introduction_knows_where_its_sentences_stand() -> None:
    part = introduction(DOCUMENT)
    assert part is not None
    assert part.example.text == ("Bridges cost more.", "Traffic doubled.")
    assert part.example.sections == ("1 Introduction", "I. INTRODUCTION and aims")
    assert part.restore(Prediction(("Traffic doubled.",), (1,))) == (3,)
    assert DOCUMENT.text[3] == "Traffic doubled."


def test_a_document_without_introduction_has_none() -> None:
    assert introduction(replace(DOCUMENT, sections=None)) is None
    assert introduction(replace(DOCUMENT, sections=("Data",) * 5)) is None


def test_the_beginning_has_no_more_words_than_a_model_reads() -> None:
    document = replace(DOCUMENT, text=(LONG,) * 60, sections=None)
    part = beginning(document)
    assert len(part.example.text) == WORDS // 15
    assert part.indices == tuple(range(WORDS // 15))


def test_the_beginning_has_a_sentence_even_if_it_is_too_long() -> None:
    assert beginning(replace(DOCUMENT, text=("word " * 2000, LONG), sections=None)).indices == (0,)
    assert beginning(DOCUMENT).indices == whole(DOCUMENT).indices == (0, 1, 2, 3, 4)


def test_the_report_looks_at_whole_documents_and_at_introductions(
    make_examples: Callable[..., list[Example]], tiny: PolicyConfig, vectors: WordVectors, tmp_path: Path
) -> None:
    pytest.importorskip("matplotlib")
    splits = {split: list(map(with_sections, make_examples(4, seed=i))) for i, split in enumerate(_SPLITS, start=21)}
    splits["test"].append(make_examples(1, seed=30)[0])  # has no introduction: is left out
    context, _ = untrained_context(tmp_path, splits, tiny, vectors)
    report = run(context)
    [table] = report.tables
    rows = [(row[0], row[1]) for row in table.rows if not isinstance(row, str)]
    assert rows == [
        ("Whole documents", "oracle"),
        ("Whole documents", "MemSum"),
        ("Whole documents", CUT),
        ("Whole documents", "MemSum, introductions"),
        ("Introductions", "oracle"),
        ("Introductions", "MemSum"),
        ("Introductions", CUT),
    ]
    by_name = {(row[0], row[1]): row for row in table.rows if not isinstance(row, str)}
    mean = by_name["Whole documents", "MemSum, introductions"][3]
    assert isinstance(mean, Number)
    assert mean.value < 100 / 3  # an introduction is the first third, and is counted as that
    assert "n:4" in report.signatures[0]
    assert [said.split(":")[0] for said in report.conclusions] == ["Whole documents", "Introductions"]
    assert len(report.figures[0].figure.axes) == 2


def test_a_corpus_without_sections_is_looked_at_as_a_whole(
    make_examples: Callable[..., list[Example]], tiny: PolicyConfig, vectors: WordVectors, tmp_path: Path
) -> None:
    pytest.importorskip("matplotlib")
    splits = {split: make_examples(3, seed=i) for i, split in enumerate(_SPLITS, start=21)}
    context, _ = untrained_context(tmp_path, splits, tiny, vectors)
    report = run(context)
    assert [row[1] for row in report.tables[0].rows if not isinstance(row, str)] == ["oracle", "MemSum", CUT]
    # No document has 512 words, so that both are the same; and three documents are too few for a verdict.
    assert "difference 0.0 %): no verdict" in report.conclusions[0]


_SPLITS = ("train", "valid", "test")

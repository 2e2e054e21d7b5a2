"""The table of features: named columns of sentences in their context."""

from __future__ import annotations

import numpy as np
import pytest

from memsum import Summarizer
from memsum.document import read_document
from memsum.features.columns import ANY_LANGUAGE, COLUMNS, INPUTS, IS_ENGLISH, columns_of, ngrams_of
from memsum.features.source_text import SourceText
from memsum.select import Selection

RULES = """# House rules

You must leave the hall before ten. When? The neighbors of the hall sleep.

## Fees

We decided the following:

- The hall costs 40 euros a day.
- Members pay half, because they help.
"""


def columns(runtime: object, text: str, *, foreign: bool = False) -> dict[str, np.ndarray]:
    source = SourceText.of_documents([read_document(text, format="markdown")])
    selection = Selection(runtime, source, foreign)  # type: ignore[arg-type]
    read, lexicon, _ = selection.read(0, len(source.sentences), source.title)
    table = columns_of(read, lexicon)
    assert table.shape == (len(source.sentences), INPUTS)
    assert np.isfinite(table).all()
    return dict(zip(COLUMNS, table[:, : len(COLUMNS)].T, strict=True))


def test_every_column_has_a_name_of_its_own() -> None:
    assert len(set(COLUMNS)) == len(COLUMNS)
    assert len(IS_ENGLISH) == INPUTS == 4 * len(COLUMNS)
    assert not IS_ENGLISH[: len(ANY_LANGUAGE)].any()


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("item", [0, 0, 0, 0, 1, 1]),
        ("first item", [0, 0, 0, 0, 1, 0]),
        ("leads to items", [0, 0, 0, 1, 0, 0]),
        ("led by a colon", [0, 0, 0, 0, 1, 1]),
        ("ends in a colon", [0, 0, 0, 1, 0, 0]),
        ("question", [0, 1, 0, 0, 0, 0]),
        ("after a question", [0, 0, 1, 0, 0, 0]),
        ("number", [0, 0, 0, 0, 1, 0]),
        ("opens section", [1, 0, 0, 1, 0, 0]),
        ("opens paragraph", [1, 0, 0, 1, 1, 1]),
        ("last section", [0, 0, 0, 1, 1, 1]),
        ("level 2", [0, 0, 0, 1, 1, 1]),
    ],
)
def test_columns_state_where_sentences_stand_and_how_they_are_written(
    default: Summarizer, name: str, values: list[int]
) -> None:
    for foreign in (False, True):
        assert columns(default.runtime, RULES, foreign=foreign)[name].tolist() == values


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("duty", [1, 0, 0, 0, 0, 0]),
        ("decision", [0, 0, 0, 1, 0, 0]),
        ("begins you", [1, 0, 0, 0, 0, 0]),
        ("begins we", [0, 0, 0, 1, 0, 0]),
        ("cause", [0, 0, 0, 0, 0, 1]),
    ],
)
def test_words_of_english_are_known_in_english_alone(default: Summarizer, name: str, values: list[int]) -> None:
    assert columns(default.runtime, RULES)[name].tolist() == values
    assert not columns(default.runtime, RULES, foreign=True)[name].any()


def test_means_tell_what_kind_of_text_a_sentence_stands_in(default: Summarizer) -> None:
    table = columns(default.runtime, RULES)
    assert np.allclose(table["document item"], 2 / 6)
    assert np.allclose(table["section item"], [0, 0, 0, 2 / 3, 2 / 3, 2 / 3])


def test_sentences_on_lines_of_their_own_are_no_paragraphs(default: Summarizer) -> None:
    lines = [f"Boat {number} came back to the harbor at noon." for number in range(9)]
    table = columns(default.runtime, "\n\n".join(lines))
    assert table["opens paragraph"].tolist() == [1] + 8 * [0]
    assert not table["alone in paragraph"].any()


def test_ngrams_hold_the_words_of_headings(default: Summarizer) -> None:
    source = SourceText.of_documents([read_document(RULES, format="markdown")])
    read, lexicon, _ = Selection(default.runtime, source).read(0, len(source.sentences), source.title)
    buckets, rows, shares = ngrams_of(read.encoded, read.outline, lexicon)
    other = SourceText.of_documents([read_document(RULES.replace("Fees", "Colors"), format="markdown")])
    changed, _, _ = Selection(default.runtime, other).read(0, len(other.sentences), other.title)
    others = ngrams_of(changed.encoded, changed.outline, lexicon).buckets
    assert set(rows[buckets != others].tolist()) == {3, 4, 5}
    counts = np.bincount(rows)
    assert np.allclose(shares, 1 / np.sqrt(counts[rows]))

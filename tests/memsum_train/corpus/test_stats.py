from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memsum.errors import CorpusError
from memsum_train.corpus.records import Example
from memsum_train.corpus.stats import all_statistics, measure, measure_example, render, words_of

words = st.lists(st.sampled_from(["river", "flood", "gauge", "level", "town", "rose", "fell"]), min_size=1, max_size=25)


def slow_fragments(text: list[str], summary: list[str]) -> list[int]:
    """The definition: at each place of the summary, the longest run that also stands somewhere in the text."""
    lengths, start = [], 0
    while start < len(summary):
        runs = [
            length
            for length in range(1, len(summary) - start + 1)
            for place in range(len(text) - length + 1)
            if text[place : place + length] == summary[start : start + length]
        ]
        if runs:
            lengths.append(max(runs))
        start += max(runs, default=1)
    return lengths


def test_words_are_runs_of_letters_and_numbers_in_raw_and_tokenized_text() -> None:
    expected = ["the", "6", "year", "old", "s", "fever", "38", "5", "c", "fell"]
    assert words_of(["The 6-year-old's fever (38.5 °C) fell."]) == expected
    assert words_of(["the 6-year - old 's fever ( 38.5 c ) fell ."]) == expected
    assert words_of(["naïve Größe_2 — …"]) == ["naïve", "größe", "2"]


def test_extractiveness_of_a_hand_made_pair() -> None:
    text = words_of(["The river rose by two metres in one night.", "The old town was flooded."])
    summary = words_of(["The river rose fast and the old town was flooded."])
    result = measure(text, summary)
    # "the river rose" (3) + "the old town was flooded" (5) of 10 words; "fast" and "and" are new
    assert result["coverage"] == pytest.approx(8 / 10)
    assert result["density"] == pytest.approx((9 + 25) / 10)
    assert result["compression"] == pytest.approx(14 / 10)
    assert result["novel_bigrams"] == pytest.approx(3 / 9)


@given(words, words)
def test_fragments_agree_with_the_definition(text: list[str], summary: list[str]) -> None:
    lengths = slow_fragments(text, summary)
    result = measure(text, summary)
    assert result["coverage"] == pytest.approx(sum(lengths) / len(summary))
    assert result["density"] == pytest.approx(sum(n * n for n in lengths) / len(summary))


def test_repeated_sentences_and_the_oracle() -> None:
    text = ("It rained.", "It rained.", "The dam held.", "It rained.")
    searched = Example(text, ("The dam held.",), indices=((2, 0), (2,)), scores=(0.6, 0.9))
    measures = measure_example(searched)
    assert measures["repeated_sentences"] == 0.5
    assert (measures["oracle_score"], measures["oracle_sentences"]) == (0.9, 1)
    nothing = measure_example(Example(text, ("Unrelated.",), indices=(), scores=()))
    assert (nothing["oracle_score"], nothing["oracle_sentences"]) == (0.0, 0)
    assert "oracle_score" not in measure_example(Example(text, ("Unrelated.",)))


def test_means_over_files_and_over_all(write_jsonl: Callable[..., str]) -> None:
    one = write_jsonl("one.jsonl", {"text": ["a b c", "d"], "summary": ["a b"]})
    two = write_jsonl("two.jsonl", *[{"text": ["a b c d e f g h"], "summary": ["a"]}] * 3)
    first, second, together = all_statistics([one, two])
    assert [statistics.name for statistics in (first, second, together)] == ["one", "two", "all"]
    assert [one.means["text_words"] for one in (first, second, together)] == [4, 8, 7]
    assert together.pairs == 4
    assert together.means["text_sentences"] == 1.25


def test_one_file_has_no_total_and_same_names_show_their_paths(write_jsonl: Callable[..., str]) -> None:
    path = write_jsonl("one.jsonl", {"text": ["a"], "summary": ["a"]})
    assert len(all_statistics([path])) == 1
    assert [statistics.name for statistics in all_statistics([path, path])] == [path, path, "all"]


def test_a_summary_without_words_is_counted_but_not_compared(write_jsonl: Callable[..., str]) -> None:
    path = write_jsonl("one.jsonl", {"text": ["a b"], "summary": ["…"]})
    (statistics,) = all_statistics([path])
    assert statistics.means["summary_words"] == 0
    assert statistics.means["coverage"] is None


def test_bad_lines_are_counted_and_the_first_are_shown(write_jsonl: Callable[..., str]) -> None:
    path = write_jsonl("one.jsonl", {"text": ["a"], "summary": ["a"]}, *[{"text": 1}] * 9)
    (statistics,) = all_statistics([path])
    assert (statistics.pairs, statistics.bad_lines, len(statistics.complaints)) == (1, 9, 5)
    assert statistics.complaints[0] == 'one, line 2: "text" must be a list of sentences, not a number.'


def test_a_file_without_records_is_an_error(write_jsonl: Callable[..., str]) -> None:
    with pytest.raises(CorpusError, match="There is no record in"):
        all_statistics([write_jsonl("empty.jsonl")])
    with pytest.raises(CorpusError, match=r"None of the 2 lines of .* is a record"):
        all_statistics([write_jsonl("bad.jsonl", 1, 2)])


def test_the_forms_show_the_same_numbers(write_jsonl: Callable[..., str], capsys: pytest.CaptureFixture[str]) -> None:
    path = write_jsonl("rain.jsonl", {"text": ["a b c", "d"], "summary": ["a b"], "indices": [[0]], "score": [0.8]})
    corpora = all_statistics([path])
    render(corpora, "json")
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["corpus"], row["pairs"], row["oracle_score"]) == ("rain", 1, 0.8)
    render(corpora, "markdown")
    assert "| oracle: mean ROUGE-1/2/L | 0.8000 |" in capsys.readouterr().out
    render(corpora, "table")
    assert "0.8000" in capsys.readouterr().out

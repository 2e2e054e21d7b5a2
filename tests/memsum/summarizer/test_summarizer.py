"""Any document, any length: quotes with their places, from one order of extraction."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from memsum import Document, Failure, Length, MemsumError, Summarizer, Summary, read_document
from memsum.errors import DocumentError
from memsum.summary import count_words
from memsum_train.corpus import Example
from memsum_train.paper.model import extract
from memsum_train.policy.batch import collate
from memsum_train.policy.folder import load_policy


def indices(summary: Summary) -> list[int]:
    return [sentence.index for sentence in summary]


def test_quotes_stand_where_they_say(summarizer: Summarizer, paper: str) -> None:
    summary = summarizer.summarize(paper, sentences=6)
    assert len(summary) == 6
    for sentence in summary:
        assert summary.document.text[sentence.start : sentence.end] == sentence.text
        assert summary.document.sentences[sentence.index].text == sentence.text
        assert 0 <= sentence.score <= 1
    assert {sentence.section for sentence in summary} <= {"Background", "Methods", "Results", "Conclusion"}


def test_the_model_decides_where_nothing_else_does(summarizer: Summarizer, paper: str) -> None:
    own = summarizer.runtime.config.stop
    summary = summarizer.summarize(paper)
    assert len(summary) == own.max_sentences == 4
    assert summary.stop.reason == "max_sentences"
    assert summary.stop.probability < own.threshold
    assert summary.model == summarizer.name


def test_it_selects_what_the_policy_in_pytorch_selects(
    summarizer: Summarizer, model_folder: Path, held_out: list[Example]
) -> None:
    policy, encoder, _ = load_policy(model_folder)
    for example in held_out:
        (extraction,) = extract(policy, collate([encoder.encode(example.text)]), 6)
        summary = summarizer.summarize(example.text, sentences=6, order="extraction")
        assert tuple(indices(summary)) == extraction.choices
        assert [sentence.score for sentence in summary] == pytest.approx(extraction.scores, abs=1e-4)
        assert summary.stop.probability == pytest.approx(extraction.stops[6], abs=1e-4)


def test_the_policys_stop(summarizer: Summarizer, paper: str) -> None:
    stops = summarizer.summarize(paper, sentences=8, explain=True).explanation.stops  # type: ignore[union-attr]
    threshold = max(stops[1:8])
    expected = next(count for count in range(1, 8) if stops[count] >= threshold)
    summary = summarizer.summarize(paper, stop_threshold=threshold, max_sentences=11)
    assert (len(summary), summary.stop.reason) == (expected, "policy")
    assert summary.stop.probability == threshold

    at_once = summarizer.summarize(paper, stop_threshold=0)
    assert (len(at_once), at_once.stop.reason) == (1, "policy")
    nothing = summarizer.summarize(paper, stop_threshold=0, min_sentences=0)
    assert (len(nothing), nothing.text, nothing.stop.reason) == (0, "", "policy")
    at_most = summarizer.summarize(paper, stop_threshold=1, max_sentences=2)
    assert (len(at_most), at_most.stop.reason) == (2, "max_sentences")
    at_least = summarizer.summarize(paper, stop_threshold=0, min_sentences=6)
    assert (len(at_least), at_least.stop.reason) == (6, "policy")


@pytest.mark.parametrize("budget", [1, 12, 25, 60, 10_000])
def test_a_budget_of_words(summarizer: Summarizer, paper: str, budget: int) -> None:
    summary = summarizer.summarize(paper, words=budget)
    everything = summarizer.summarize(paper, ratio=1, order="extraction")
    words = sum(count_words(sentence.text) for sentence in summary)
    assert words <= budget or len(summary) == 1
    if len(summary) < len(everything):
        assert summary.stop.reason == "words"
        assert words + count_words(everything.sentences[len(summary)].text) > budget
    else:
        assert summary.stop.reason == "document"


@pytest.mark.parametrize("budget", [1, 80, 200, 10_000])
def test_a_budget_of_characters_is_one_of_the_summarys_text(summarizer: Summarizer, paper: str, budget: int) -> None:
    summary = summarizer.summarize(paper, characters=budget)
    longer = summarizer.summarize(paper, sentences=len(summary) + 1)
    assert len(summary.text) <= budget or len(summary) == 1
    assert len(longer.text) > budget or summary.stop.reason == "document"


def test_a_budget_too_small_for_any_sentence_gives_one_unless_none_is_asked_for(
    summarizer: Summarizer, paper: str
) -> None:
    assert len(summarizer.summarize(paper, words=1)) == 1
    empty = summarizer.summarize(paper, words=1, min_sentences=0)
    assert len(empty) == 0
    assert empty.stop.reason == "words"
    assert empty.to_dict()["sentences"] == []


@pytest.mark.parametrize(("ratio", "expected"), [(0.01, 1), (0.2, 2), (0.5, 6), (1.0, 11)])
def test_a_share_of_the_document(summarizer: Summarizer, paper: str, ratio: float, expected: int) -> None:
    summary = summarizer.summarize(paper, ratio=ratio)
    assert len(summary) == expected
    assert summary.stop.reason == ("document" if expected == 11 else "ratio")


def test_more_sentences_than_there_are_is_all_of_them(summarizer: Summarizer, paper: str) -> None:
    summary = summarizer.summarize(paper, sentences=500)
    assert indices(summary) == list(range(11))
    assert summary.stop.reason == "document"
    assert summary.stop.probability == 1


def test_orders(summarizer: Summarizer, paper: str) -> None:
    document = summarizer.summarize(paper, sentences=6)
    extraction = summarizer.summarize(paper, sentences=6, order="extraction")
    assert indices(document) == sorted(indices(document))
    assert set(document) == set(extraction)
    assert [sentence.step for sentence in extraction] == list(range(6))


def test_a_document_in_every_form_gives_the_same(summarizer: Summarizer, paper: str, tmp_path: Path) -> None:
    path = tmp_path / "paper.md"
    path.write_text(paper)
    document = read_document(paper)
    expected = summarizer.summarize(paper)
    from_path = summarizer.summarize(path)
    assert summarizer.summarize(document) == expected
    assert from_path.id == str(path)
    assert from_path.sentences == expected.sentences
    listed = summarizer.summarize([sentence.text for sentence in document.sentences])
    assert indices(listed) == indices(expected)
    assert listed.sentences[0].section is None
    assert summarizer.summarize(paper, id=7).id == 7


def test_exact_repeats_are_quoted_once(summarizer: Summarizer) -> None:
    sentences = ["No serious adverse events were reported.", "The rule was last amended in 1999."] * 4
    summary = summarizer.summarize(sentences, sentences=5)
    assert indices(summary) == [0, 1]
    assert summary.stop.reason == "document"


def test_blank_sentences_keep_their_places_and_are_not_quoted(summarizer: Summarizer) -> None:
    sentences = ["", "Both readers were unaware of the group.", "  ", "Costs are given in dollars of 1999.", "\t"]
    summary = summarizer.summarize(sentences, ratio=1, explain=True)
    assert indices(summary) == [1, 3]
    assert summary.explanation is not None
    first = summary.explanation.scores[0]
    assert [score is None for score in first] == [True, False, True, False, True]


def test_blocking_trigrams(summarizer: Summarizer) -> None:
    sentences = [
        "Staff were trained for 12 hours before the start.",
        "Staff were trained for 30 hours after the start.",
        "Nothing in the contract set a date for delivery.",
    ]
    summary = summarizer.summarize(sentences, ratio=1, block_trigrams=True)
    assert len(summary) == 2
    assert 2 in indices(summary)
    assert summary.stop.reason == "document"


def test_an_explanation_has_every_steps_scores(summarizer: Summarizer, paper: str) -> None:
    summary = summarizer.summarize(paper, sentences=3, explain=True, order="extraction")
    explanation = summary.explanation
    assert explanation is not None
    assert [len(step) for step in explanation.scores] == [11, 11, 11]
    assert len(explanation.stops) == 4
    assert explanation.stops[3] == summary.stop.probability
    for sentence, scores in zip(summary, explanation.scores, strict=True):
        assert scores[sentence.index] == sentence.score == max(score for score in scores if score is not None)
        assert all(scores[earlier.index] is None for earlier in summary.sentences[: sentence.step])
    assert summarizer.summarize(paper).explanation is None


def test_a_reading_gives_every_length_without_reading_again(
    summarizer: Summarizer, paper: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = {count: summarizer.summarize(paper, sentences=count) for count in (7, 2, 5)}
    by_policy = summarizer.summarize(paper)
    reading = summarizer.read(paper)
    reading.summarize()
    monkeypatch.setattr(type(summarizer.runtime), "read", None)
    for count, summary in expected.items():
        assert reading.summarize(sentences=count) == summary
    assert reading.summarize() == by_policy
    assert reading.summarize(length=Length(sentences=5)) == expected[5]
    assert reading.document == by_policy.document


def test_many_documents_come_in_order_and_only_when_asked_for(summarizer: Summarizer, held_out: list[Example]) -> None:
    asked: list[int] = []

    def sources() -> Any:
        for number, example in enumerate(held_out):
            asked.append(number)
            yield example.text

    summaries = summarizer.summarize_many(sources(), sentences=2)
    assert asked == []
    first = next(summaries)
    assert asked == [0]
    assert first == summarizer.summarize(held_out[0].text, sentences=2)
    assert len(list(summaries)) == len(held_out) - 1


def test_a_bad_document_among_many(summarizer: Summarizer, paper: str, tmp_path: Path) -> None:
    sources = [paper, tmp_path / "absent.txt", "", paper]
    with pytest.raises(DocumentError, match=r"absent\.txt"):
        list(summarizer.summarize_many(sources))
    good, absent, empty, again = summarizer.summarize_many(sources, errors="return")
    assert isinstance(absent, Failure)
    assert absent.source == tmp_path / "absent.txt"
    assert "cannot be read" in absent.error.message
    assert isinstance(empty, Failure)
    assert good == again


def test_a_bad_length_is_said_before_the_first_document(summarizer: Summarizer) -> None:
    with pytest.raises(MemsumError, match="Use only one of"):
        summarizer.summarize_many([], sentences=3, words=20, errors="return")
    with pytest.raises(MemsumError, match="order cannot be"):
        summarizer.summarize("One sentence.", order="alphabetical")  # type: ignore[arg-type]
    with pytest.raises(MemsumError, match="either as a Length or in keywords"):
        summarizer.summarize("One sentence.", length=Length(), sentences=3)


def test_the_same_document_gives_the_same_summary(model_folder: Path, held_out: list[Example]) -> None:
    one, two = (Summarizer.load(model_folder, threads=threads) for threads in (1, 2))
    for example in held_out[:2]:
        assert one.summarize(example.text) == one.summarize(example.text)
        assert indices(one.summarize(example.text)) == indices(two.summarize(example.text))


def test_a_documents_own_warnings_are_the_summarys(summarizer: Summarizer, tmp_path: Path) -> None:
    path = tmp_path / "latin.txt"
    path.write_bytes("The café was closed. Nobody came to the café.".encode("cp1252"))
    assert "Windows-1252" in summarizer.summarize(path).warnings[0]


def test_threads_must_be_some(model_folder: Path) -> None:
    with pytest.raises(MemsumError, match="threads must be at least 1"):
        Summarizer.load(model_folder, threads=0)


def test_a_document_type_is_kept(summarizer: Summarizer) -> None:
    document = Document.from_sentences(["Outliers beyond three standard deviations were kept."])
    assert summarizer.summarize(document).document is document

"""Whatever the input: a summary of verbatim quotes, or one sentence that says why not."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memsum import Summarizer, select
from memsum.document import source as sources
from memsum.errors import DocumentError, MemsumError
from memsum.model.scorers import ATTENTION_SPAN


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("", "empty"),
        ("  \n\t ", "empty"),
        ([], "no sentences"),
        (["", "  "], "no sentences"),
        ("REFERENCES\n\n1. Smith J. Bees. 2001.\n", "no sentences"),
        ("%PDF-1.7 and so on", "A PDF is binary"),
        (3, "got int"),
        (b"\x00\x01\x02 of a file", "binary data"),
        (["One sentence.", 3], "got list with int items"),
        (None, "got NoneType"),
        ("paper.pdf", "'paper.pdf' is the name of a file, not a text"),
        ("  papers/My notes.ODT\n", "is the name of a file"),
        ("https://example.org/paper", "is an address"),
    ],
)
def test_what_is_no_document_is_refused_in_one_sentence(summarizer: Summarizer, source: Any, says: str) -> None:
    with pytest.raises(DocumentError, match=says) as caught:
        summarizer.summarize(source)
    assert caught.value.message.endswith(".")


def test_a_text_that_names_an_existing_file_is_refused(
    summarizer: Summarizer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("notes").write_text("The tide turned.")
    with pytest.raises(DocumentError, match="is the name of a file") as caught:
        summarizer.summarize("notes")
    assert caught.value.hint == "Give a path: Path('notes')."
    assert summarizer.summarize(Path("notes")).text == "The tide turned."
    assert summarizer.summarize("notes of the tide").text == "notes of the tide"
    assert summarizer.summarize("See https://example.org for more.").text == "See https://example.org for more."


def test_a_wrong_keyword_gets_a_sentence(summarizer: Summarizer) -> None:
    with pytest.raises(MemsumError, match="no option 'sentence'") as caught:
        summarizer.summarize("The tide turned.", sentence=3)  # type: ignore[call-arg]
    assert caught.value.hint == "Did you mean sentences?"
    with pytest.raises(MemsumError, match="no option 'zzz'") as caught:
        summarizer.read("The tide turned.").summarize(zzz=3)  # type: ignore[call-arg]
    assert "ratio" in (caught.value.hint or "")


def test_one_sentence_is_its_own_summary(summarizer: Summarizer) -> None:
    summary = summarizer.summarize("The committee met 12 times during the year.")
    assert summary.text == "The committee met 12 times during the year."
    assert summary.stop.reason == "document"
    assert summary.warnings == ()


@pytest.mark.parametrize("text", ["12 13 14. 15 16 17.\n\n1,000 0.5 12.", "!!! ??? ... !!!", "___"])
def test_only_numbers_are_summarized_with_a_warning(summarizer: Summarizer, text: str) -> None:
    summary = summarizer.summarize(text)
    assert len(summary) >= 1
    (warning,) = summary.warnings
    assert "numbers and symbols" in warning


@pytest.mark.parametrize(
    "text",
    [
        "Die Brücke wurde gestern für den Verkehr gesperrt. Niemand wusste, wann sie wieder geöffnet wird.",
        "Мост вчера закрыли. Никто не знал, когда его откроют снова.",
        "橋は昨日閉鎖されました。いつ再開するかは誰も知りません。",
    ],
)
def test_another_language_is_summarized_with_a_warning(default: Summarizer, summarizer: Summarizer, text: str) -> None:
    summary = default.summarize(text)
    assert summary.text in text or len(summary) > 1
    (warning,) = summary.warnings
    assert re.match("The document seems to be in [A-Z][a-z]+, and the model reads English. ", warning)
    assert "chosen by position and by the words they share" in warning
    assert summary.to_dict()["warnings"] == [warning]
    (warning,) = summarizer.summarize(text).warnings  # of a model that reads nothing but words
    assert warning.endswith("and the model reads English. Its quotes may be poor.")


def test_an_abstract_alone_is_summarized(summarizer: Summarizer) -> None:
    text = "Abstract\n\nNo serious adverse events were reported. The rule was last amended in 1999."
    summary = summarizer.summarize(text, sentences=1)
    assert text[summary.sentences[0].start : summary.sentences[0].end] == summary.text
    assert "abstract" in summary.warnings[0]


def test_a_very_long_document_says_what_was_approximated(summarizer: Summarizer) -> None:
    sentences = [f"The archive of {year} holds {pages},000 pages." for year in range(1900, 1930) for pages in range(40)]
    assert len(sentences) > 2 * ATTENTION_SPAN
    summary = summarizer.summarize(sentences, sentences=3)
    assert len(summary) == 3
    assert any("1,200 sentences" in warning for warning in summary.warnings)


PIECES = [
    *(". ", "\n\n", "\n", " ", "# ", "- ", "1. ", "Results\n\n", "References\n\n", "p < 0.05", "et al. ", "\x1b[31m"),
    *(
        "```\n",
        "| a | b |\n",
        "<b>",
        "&amp;",
        "iron",
        "Bees ",
        "桥",
        "é",
        "\u202e",
        "\ufeff",
        "\ud800",
        "…",
        "\x00",
        "{",
    ),
]
TEXTS = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=8)), max_size=60).map("".join)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(text=st.one_of(st.text(max_size=300), TEXTS))
def test_no_text_crashes_it_and_all_quotes_are_verbatim(summarizer: Summarizer, text: str) -> None:
    try:
        summary = summarizer.summarize(text, explain=True)
    except DocumentError:
        return
    assert len(summary) >= 1
    for sentence in summary:
        assert summary.document.text[sentence.start : sentence.end] == sentence.text
        if summary.document.format == "plain":
            assert text[sentence.start : sentence.end] == sentence.text
    summary.to_dict()
    for shown in (summary.to_text(), summary.to_text(60, color=False), summary.to_markdown()):
        assert "\x1b" not in shown
        shown.encode()


@settings(max_examples=60, deadline=None)
@given(sentences=st.lists(st.text(max_size=40), max_size=30), words=st.integers(1, 50))
def test_no_list_of_sentences_crashes_it(summarizer: Summarizer, sentences: list[str], words: int) -> None:
    try:
        summary = summarizer.summarize(sentences, words=words, block_trigrams=True)
    except DocumentError:
        assert not any(sentence.strip() for sentence in sentences)
        return
    assert len(summary) >= 1
    assert all(sentences[sentence.index] == sentence.text for sentence in summary)
    assert all(sentence.text.strip() for sentence in summary)


def test_of_more_sentences_than_a_model_reads_the_first_are_read(
    summarizer: Summarizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    sentences = [f"The {word} was old." for word in ("pump", "well", "road", "bridge", "tower")]
    assert not any("The model reads" in warning for warning in summarizer.summarize(sentences, sentences=2).warnings)
    monkeypatch.setattr(select, "MAX_SENTENCES", 4)
    summary = summarizer.summarize(sentences, ratio=1.0)
    assert len(summary) == 4
    assert any("The model reads 4 sentences: the last 1 of" in warning for warning in summary.warnings)


def test_more_sentences_than_have_words_are_chosen_by_their_form(
    default: Summarizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    sentences = [f"The {word} was old." for word in ("pump", "well", "road", "bridge", "tower")]
    monkeypatch.setattr(select, "MAX_SENTENCES", 4)
    monkeypatch.setattr(type(default.runtime), "read", None)
    summary = default.summarize(sentences, sentences=2)
    assert len(summary) == 2
    assert any("has 5 sentences, and the model reads 4" in warning for warning in summary.warnings)


def test_a_list_has_no_more_sentences_than_a_text(summarizer: Summarizer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "MAX_PARTS", 3)
    with pytest.raises(DocumentError, match="more than 3 sentences"):
        summarizer.summarize(["", "", "", "The pump ran."])

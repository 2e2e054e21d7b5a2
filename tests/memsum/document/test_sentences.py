from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memsum.document.sentences import split_sentences

GOLD = Path(__file__).parents[2] / "data" / "sentences" / "gold.jsonl"


class Case(NamedTuple):
    text: str
    sentences: list[str]
    note: str


CASES = [Case(**json.loads(line)) for line in GOLD.read_text(encoding="utf-8").splitlines()]


def split(text: str) -> list[str]:
    return [text[start:end] for start, end in split_sentences(text)]


def inner_ends(text: str, sentences: list[str]) -> set[int]:
    """Ends of all sentences but the last, whose end cannot be missed."""
    ends, at = set(), 0
    for sentence in sentences[:-1]:
        at = text.index(sentence, at) + len(sentence)
        ends.add(at)
    return ends


def precision_and_recall(cases: list[Case]) -> tuple[float, float]:
    right = found = wanted = 0
    for case in cases:
        gold, ours = inner_ends(case.text, case.sentences), inner_ends(case.text, split(case.text))
        right += len(gold & ours)
        found += len(ours)
        wanted += len(gold)
    return right / found, right / wanted


def test_the_gold_file_is_large_and_consistent() -> None:
    assert len(CASES) >= 180
    assert len({case.text for case in CASES}) == len(CASES)
    for case in CASES:
        assert len(inner_ends(case.text, case.sentences)) == len(case.sentences) - 1
        assert "".join("".join(case.sentences).split()) == "".join(case.text.split())


def test_gold_precision_and_recall(capfd: pytest.CaptureFixture[str]) -> None:
    precision, recall = precision_and_recall(CASES)
    held_precision, held_recall = precision_and_recall([case for case in CASES if case.note.startswith("held out")])
    with capfd.disabled():  # stderr is what reaches the terminal from the workers of `-n auto` too
        print(
            f"\nsentence boundaries, {len(CASES)} gold cases: precision {precision:.3f}, recall {recall:.3f} "
            f"(held-out part: {held_precision:.3f}, {held_recall:.3f})",
            file=sys.stderr,
        )
    assert precision >= 0.97
    assert recall >= 0.97


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("", []),
        (" \n\t ", []),
        ("One sentence without an end", ["One sentence without an end"]),
        ("\n\n  Padded.  \n\n", ["Padded."]),
        ("...", ["..."]),
        ("A lone surrogate \ud800 is kept. It is not lost.", ["A lone surrogate \ud800 is kept.", "It is not lost."]),
        ("Größe und β-Zellen 😀 zählen. Das Maß bleibt.", ["Größe und β-Zellen 😀 zählen.", "Das Maß bleibt."]),
    ],
)
def test_edges(text: str, sentences: list[str]) -> None:
    assert split(text) == sentences


@pytest.mark.parametrize(
    "text",
    [
        "It is run by Ann Hale, a.k.a. Queen of Pumps. | It works.",
        "We meet at 12 p.m. EST on Monday. | Be there.",
        "They close at 5 p.m. | Maria left.",
        "Read Chs. 1-17 of it. | Then rest.",
        "The macro panic! doesn't return. | It stops.",
        "Update the security policy. #40",
        "The work is done.| However, the pump leaks.",
        "Use time.Sleep and time.Now in tests.",
        '"The pump lowers the bar. | It is a lot easier to run. | As a farmer, I feel safer." | She smiled.',
        'He said "It is good. We like it." and left.',
        "“Nothing said here binds you. | This is only research.”",
    ],
)
def test_sentences_of_everyday_documents(text: str) -> None:
    assert split(text.replace("| ", "")) == [part.strip() for part in text.split("|")]


def test_twenty_thousand_sentences_and_very_long_ones() -> None:
    assert len(split_sentences("The pump was opened at noon. " * 20_000)) == 20_000
    long = "word " * 5_000 + "end."
    assert split(f"{long} {long}") == [long, long]


@pytest.mark.parametrize(
    "unit",
    [".", ". ", "?!", "(", ")", '"', "“a. ", "'a' ", "[1]. ", "\n- ", "1. a\n", "\r\n", "A.", "a.1,1", "<!--", "。a"],
)
def test_only_punctuation_ends(unit: str) -> None:
    text = unit * 30_000
    spans = split_sentences(text)
    assert all(text[start:end].strip() == text[start:end] for start, end in spans)


@given(st.text() | st.text(alphabet=st.sampled_from('aB1 .?!\n\r\t()[]"“”-•é\u2029')))
def test_sentences_cover_all_text_in_order(text: str) -> None:
    spans = split_sentences(text)
    at = 0
    for start, end in spans:
        assert not text[at:start].strip()
        assert start < end
        assert text[start:end] == text[start:end].strip()
        at = end
    assert not text[at:].strip()


def test_citations_of_law_do_not_end_sentences() -> None:
    text = "Ford raised a claim under FELA, 35 Stat. 65, as amended. U.S. Const. Amdt. 14 applies. See Arts. 5 and 6."
    found = [text[start:end] for start, end in split_sentences(text)]
    assert found == [
        "Ford raised a claim under FELA, 35 Stat. 65, as amended.",
        "U.S. Const. Amdt. 14 applies.",
        "See Arts. 5 and 6.",
    ]

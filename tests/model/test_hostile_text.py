"""No text and no file crashes a summarizer or keeps it busy: a summary of quotes, or one sentence that says why not."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memsum import Summarizer, Summary
from memsum.errors import MemsumError

LONG = 100_000  # characters
PATIENCE = 30.0  # seconds of this process's own work, after which a document counts as endless

# What is repeated until the text is long: words, marks, markup and half characters, most of them without a space.
UNITS = [
    *("a", "A.", "x y. ", "1", "1,", "12.5 ", "1. \n", ".", "!? ", "(", '"', "“", "'s ", "don't", "cannot", "-", "…"),
    *("é", "e\u0301", "\u0301", "日本語", "😀", "\u202e", "\ud800", "\x00", "\x0c", "\r", "\t"),
    *("[1] ", "et al. ", "(et al ", "@xcite ", "-lrb-", "Fig. 1. ", "I. ", "a) ", "- \n", "Results\n\n"),
    *("<p>", "&amp;", "# ", "> ", "| a ", "![", "`", "*", "$", "{", "\\begin{a}"),
]
# Every plane, surrogates and controls; as often, characters that rules are about.
CHARACTERS = st.one_of(st.characters(exclude_categories=()), st.sampled_from(" .?!'\"()[]-–’0123456789\n\tabcABC"))
WORDS = st.one_of(st.text(CHARACTERS, max_size=12), st.sampled_from(UNITS), st.sampled_from(["x" * 5_000, "7" * 5_000]))
MAGIC = [
    *(b"", b"%PDF-1.7\n", b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", b"{\\rtf", b"# ", b"\xff\xfe"),
    *(b"<!DOCTYPE html><p>", b"<?xml version='1.0'?><article><body><p>", b"\\documentclass{a}\\begin{document}"),
]
SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.function_scoped_fixture]


@pytest.fixture(scope="module")
def summarizer(model_folder: Path) -> Summarizer:
    return Summarizer.load(model_folder, threads=1)


@pytest.fixture(autouse=True)
def _limit() -> Iterator[None]:
    """Interrupt what does not end; the clock counts this process's work only, so a busy machine changes nothing."""
    if not hasattr(signal, "setitimer"):
        yield
        return

    def interrupt(*_: object) -> None:
        raise AssertionError("The summarizer does not come to an end.")

    former = signal.signal(signal.SIGVTALRM, interrupt)
    signal.setitimer(signal.ITIMER_VIRTUAL, PATIENCE)
    yield
    signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    signal.signal(signal.SIGVTALRM, former)


def check(summarizer: Summarizer, source: str | Path) -> None:
    result = answer(summarizer, source)
    if isinstance(result, MemsumError):
        assert result.message.endswith(".")
        return
    assert len(result) >= 1
    for sentence in result:
        assert result.document.text[sentence.start : sentence.end] == sentence.text


def answer(summarizer: Summarizer, source: str | Path) -> Summary | MemsumError:
    try:
        return summarizer.summarize(source)
    except MemsumError as error:
        return error


@pytest.mark.parametrize("unit", UNITS, ids=ascii)
def test_a_hundred_thousand_characters_of_one_kind(summarizer: Summarizer, unit: str):
    check(summarizer, unit * (LONG // len(unit)))


@pytest.mark.slow
@settings(max_examples=60, deadline=None, suppress_health_check=SLOW)
@given(st.lists(st.tuples(WORDS, st.integers(1, 30)), max_size=12), st.sampled_from(["", " ", ". ", "\n"]))
def test_any_text(summarizer: Summarizer, parts: list[tuple[str, int]], between: str):
    check(summarizer, between.join(word * times for word, times in parts))


@settings(max_examples=60, deadline=None, suppress_health_check=SLOW)
@given(magic=st.sampled_from(MAGIC), content=st.binary(max_size=300), times=st.integers(1, 20))
def test_any_file(summarizer: Summarizer, tmp_path: Path, magic: bytes, content: bytes, times: int):
    path = tmp_path / "document"
    path.write_bytes(magic + content * times)
    check(summarizer, path)

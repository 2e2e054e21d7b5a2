"""A document is read once: summaries of any length, scores, and the old names of the methods."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from pypdf import PdfReader

import memsum
from memsum import Length, MemsumError, Summarizer, SummaryOptions
from memsum.errors import DocumentError

LINES = ["The tide turned at noon on the last day.", "Nobody in the harbour saw it.", "The boats were gone by then."]


def test_options_are_keywords_or_an_object(summarizer: Summarizer, paper: str) -> None:
    reading = summarizer.read(paper, id="paper")
    assert reading.summarize(sentences=3) == reading.summarize(SummaryOptions(sentences=3))
    assert reading.summarize(sentences=3) == summarizer.summarize(paper, sentences=3, id="paper")


def test_every_sentence_has_a_score(summarizer: Summarizer, paper: str) -> None:
    reading = summarizer.read(paper)
    scores = reading.scores
    assert scores.shape == (len(reading.document.sentences),)
    first = reading.summarize(sentences=1)[0]
    assert scores[first.index] == pytest.approx(first.score)
    assert int(np.argmax(scores)) == int(np.argmax(summarizer.read(paper).scores))
    assert np.isnan(summarizer.read(["The tide rose.", " ", "It fell."]).scores).tolist() == [False, True, False]


def test_blocking_trigrams_is_an_option_of_each_summary(summarizer: Summarizer) -> None:
    sentences = ["The tide rose very fast today.", "They said the tide rose very fast.", "The pier was closed."]
    reading = summarizer.read(sentences)
    assert len(reading.summarize(ratio=1)) == 3
    assert len(reading.summarize(ratio=1, block_trigrams=True)) == 2
    assert len(reading.summarize(ratio=1)) == 3


def test_bytes_and_binary_files_are_files(
    summarizer: Summarizer, tmp_path: Path, paper: str, make_pdf: Callable[[list[str]], bytes]
) -> None:
    expected = summarizer.summarize(paper, sentences=2)
    data = paper.encode()
    assert summarizer.summarize(data, sentences=2).text == expected.text
    assert summarizer.summarize(io.BytesIO(data), sentences=2).text == expected.text
    path = tmp_path / "paper.pdf"
    path.write_bytes(make_pdf(LINES))
    with path.open("rb") as file:
        read = summarizer.read(file)
    assert read.document.format == "pdf"
    assert [sentence.text for sentence in read.document.sentences] == LINES
    assert len(summarizer.summarize_together([data, io.BytesIO(data)]).documents) == 2
    with pytest.raises(DocumentError, match="not binary"):
        summarizer.summarize(io.StringIO(paper))  # type: ignore[arg-type]


@pytest.mark.parametrize("as_bytes", [False, True])
def test_a_summary_highlights_its_pdf(
    summarizer: Summarizer, tmp_path: Path, make_pdf: Callable[[list[str]], bytes], as_bytes: bool
) -> None:
    path = tmp_path / "paper.pdf"
    path.write_bytes(make_pdf(LINES))
    summary = summarizer.summarize(path.read_bytes() if as_bytes else path, sentences=2)
    summary.highlight(tmp_path / "out.pdf")
    assert len(PdfReader(tmp_path / "out.pdf").pages[0]["/Annots"]) == 2  # type: ignore[arg-type]
    summary.highlight(str(tmp_path / "out.html"))
    assert (tmp_path / "out.html").read_text().count("<mark") == 2


def test_what_cannot_be_highlighted(
    summarizer: Summarizer, tmp_path: Path, paper: str, make_pdf: Callable[[list[str]], bytes]
) -> None:
    with pytest.raises(DocumentError, match="not a PDF"):
        summarizer.summarize(paper).highlight(tmp_path / "out.pdf")
    path = tmp_path / "paper.pdf"
    path.write_bytes(make_pdf(LINES))
    summary = summarizer.summarize(memsum.read_document(path), sentences=1)
    with pytest.raises(MemsumError, match="file of this PDF is not known"):
        summary.highlight(tmp_path / "out.pdf")
    summary.highlight(tmp_path / "out.pdf", pdf=path)
    assert (tmp_path / "out.pdf").exists()
    with pytest.raises(MemsumError, match=r"out\.md does not end like one"):
        summary.highlight(tmp_path / "out.md")


def test_old_names_still_work(summarizer: Summarizer, paper: str) -> None:
    with pytest.warns(DeprecationWarning, match=r"use Summarizer\.read\."):
        reading = summarizer.begin(paper, id="paper", block_trigrams=True)
    with pytest.warns(DeprecationWarning, match=r"use Reading\.summarize\."):
        old = reading.summary(sentences=2)
    with pytest.warns(DeprecationWarning, match=r"use Reading\.summarize\."):
        assert reading.take(SummaryOptions(sentences=2)) == old
    assert old == summarizer.summarize(paper, id="paper", sentences=2, block_trigrams=True)
    with pytest.warns(DeprecationWarning, match=r"use Summarizer\.read_together\."):
        together = summarizer.begin_together([paper, "It rained. They left."], ids=["a", "b"])
    assert together.names == ("a", "b")


def test_old_settings_are_options() -> None:
    with pytest.warns(DeprecationWarning, match=r"use memsum\.SummaryOptions"):
        from memsum.summary import SummarySettings
    assert SummarySettings(Length(words=9), order="extraction") == SummaryOptions(words=9, order="extraction")


def test_models_load_by_the_name_that_others_use(model_folder: Path) -> None:
    assert Summarizer.from_pretrained(model_folder, threads=1).name == Summarizer.load(model_folder).name

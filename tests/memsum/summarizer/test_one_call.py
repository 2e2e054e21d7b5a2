"""`memsum.summarize`: one call for a text or a file, and what a notebook shows of the result."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import memsum
from memsum import MemsumError, Summarizer
from memsum.errors import DocumentError
from memsum.summarizer import _load

DOCS = Path(__file__).parents[3] / "docs" / "from-python.md"


def test_a_path_is_a_file_and_a_str_never(
    model_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, paper: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a paper").write_text(paper, encoding="utf-8")
    expected = memsum.summarize(paper, model=model_folder, sentences=2).text
    assert memsum.summarize(Path("a paper"), model=model_folder, sentences=2).text == expected
    assert memsum.summarize(Path("a paper"), model=model_folder, id=7).id == 7
    for line in ("a paper", "a paper\n"):
        with pytest.raises(DocumentError, match="is the name of a file, not a text"):
            memsum.summarize(line, model=model_folder)


def test_every_other_str_is_a_text(model_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("notes").write_text("The tide turned.", encoding="utf-8")
    for text in ("notes of the tide", "notes\nnotes", "n" * 5000, "no\0tes"):
        assert memsum.summarize(text, model=model_folder).text in text
    assert memsum.summarize(["notes"], model=model_folder).text == "notes"


def test_the_model_is_loaded_once(model_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    loads: list[object] = []
    load = Summarizer.load
    monkeypatch.setattr(Summarizer, "load", lambda model: loads.append(model) or load(model))
    _load.cache_clear()
    for _ in range(3):
        memsum.summarize("The tide turned. It rose.", model=model_folder)
    assert loads == [model_folder]


def test_a_slip_is_told_before_the_model_is_loaded() -> None:
    with pytest.raises(MemsumError, match="no option 'sentnces'") as caught:
        memsum.summarize("The tide turned.", model="no such model", sentnces=3)  # type: ignore[call-arg]
    assert caught.value.hint == "Did you mean sentences?"


def test_a_summary_is_a_sequence_with_a_short_name(summarizer: Summarizer, paper: str) -> None:
    longer = paper.replace("## Conclusion", f"{'The tide rose and fell again. ' * 300}\n\n## Conclusion")
    reading = summarizer.read(longer)
    summary = reading.summarize(sentences=3, explain=True)
    assert summary[0] is summary.sentences[0]
    assert summary[-1] is summary.sentences[2]
    assert summary[:2] == summary.sentences[:2]
    with pytest.raises(IndexError):
        summary[3]
    for thing in (summary, summary.document, reading, summarizer):
        assert len(repr(thing)) < 200
    assert "(3 of Document('Lighting on rural roads', 311 sentences, format='markdown')" in repr(summary)
    assert "0.5" not in repr(summary.explanation).split("stops")[0]


def test_a_notebook_shows_quotes_and_nothing_that_runs(summarizer: Summarizer) -> None:
    shown = summarizer.summarize("# On <tides>\n\nThe tide &amp; the `<script>alert(1)</script>` rose.\n")._repr_html_()
    assert "<strong>On" in shown
    assert "&lt;script&gt;alert(1)&lt;/script&gt; rose.<br>" in shown
    assert "<script" not in shown
    assert "sentence 1 of 1" in shown
    assert set(re.findall(r"</?([a-z]+)", shown)) <= {"p", "strong", "ul", "li", "br", "small"}


@pytest.mark.parametrize(("library", "which"), [("pandas", 0), ("polars", 1)])
def test_the_recipes_of_the_documentation_run(library: str, which: int) -> None:
    frames = pytest.importorskip(library)
    blocks = re.findall(r"```python\n(.*?)```", DOCS.read_text("utf-8"), re.S)
    (recipes,) = [block for block in blocks if 'frame["summary"]' in block]
    texts = ["The tide rose. The pier was closed for a day.", "The pump failed twice. It was replaced."]
    names: dict[str, Any] = {"frame": frames.DataFrame({"text": texts}), "summarizer": Summarizer.load(), "pl": frames}
    exec(recipes.split("\n\n")[which], names)
    summaries = list(names["frame"]["summary"])
    assert len(summaries) == 2
    assert all(summary and summary in text for text, summary in zip(texts, summaries, strict=True))

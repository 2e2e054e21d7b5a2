from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from memsum.text import WordVectors
from memsum_train.corpus import Example
from memsum_train.evaluation import PredictionsFile, SystemRun
from memsum_train.evaluation.data import Prediction
from memsum_train.experiments.examples import Reference, choose, compare, render_examples, run
from memsum_train.policy import PolicyConfig

from .untrained import untrained_context

EXAMPLE = Example(
    text=(
        "Hedges were planted along every field by 1910.",
        "Wind & rain took <b>the thin topsoil</b> from the open fields.",
        "Hedges slow the wind and keep the thin topsoil in place.",
    ),
    summary=("Hedges slow the wind.", 'Open fields lose the thin topsoil to "wind" & rain <script>alert(1)</script>.'),
    id="hedges",
    extra={"title": "Hedges <i>and</i> soil"},
)


def made(name: str, *indices: int) -> SystemRun:
    prediction = Prediction.extract(EXAMPLE.text, indices)
    return SystemRun.measure(PredictionsFile(name, "0", [prediction]), [prediction], [EXAMPLE])


@pytest.fixture(scope="module")
def page() -> str:
    runs = [made("oracle", 1, 2), made("MemSum", 2)]
    comparison = compare("a good one", EXAMPLE, Reference(EXAMPLE.summary), 0, runs)
    return render_examples([comparison], 40, ["data:fields|n:40"])


class Elements(HTMLParser):
    """What a page is made of."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.marked: list[str] = []
        self._inside = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag == "mark":
            self.marked.append("")
        self._inside = tag == "mark"

    def handle_endtag(self, tag: str) -> None:
        self._inside = False

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.marked[-1] += data


def test_text_of_documents_is_never_markup(page: str) -> None:
    tags = {tag for tag, _ in Elements(page).tags}
    assert not tags & {"script", "b", "i", "img", "link"}
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "Hedges &lt;i&gt;and&lt;/i&gt; soil" in page


def test_the_page_loads_nothing(page: str) -> None:
    for _, attributes in Elements(page).tags:
        assert not attributes.keys() & {"src", "style", "onclick", "onload"}
        assert (attributes.get("href") or "#").startswith("#")
    assert "url(" not in page
    assert "@import" not in page


def test_its_policy_allows_its_own_style_and_nothing_else(page: str) -> None:
    style = re.search(r"<style>(.*?)</style>", page, re.DOTALL)
    assert style is not None
    digest = b64encode(sha256(style[1].encode()).digest()).decode()
    assert f"default-src 'none'; style-src 'sha256-{digest}'" in page


def test_shared_phrases_are_marked_in_the_color_of_their_sentence(page: str) -> None:
    elements = Elements(page)
    classes = [attributes["class"] for tag, attributes in elements.tags if tag == "mark"]
    first, second = ("c0", "Hedges slow the wind"), ("c1", "the thin topsoil")
    reference, oracle, memsum = [first, second], [second, first, second], [first, second]
    assert list(zip(classes, elements.marked, strict=True)) == [*reference, *oracle, *memsum]


def test_the_page_fits_a_phone_and_the_dark(page: str) -> None:
    assert "width=device-width" in page
    assert "prefers-color-scheme: dark" in page


def test_scores_and_places_stand_with_each_summary(page: str) -> None:
    assert "1 sentence · R-1 " in page
    assert "[3]" in page
    assert "of the reference shared" in page


def test_there_are_as_many_colors_as_the_page_counts_with(page: str) -> None:
    from memsum_train.experiments.examples import _COLORS

    assert {int(n) for n in re.findall(r"\.c(\d+) {", page)} == set(range(_COLORS))


def test_documents_are_chosen_by_their_scores() -> None:
    scores = np.linspace(0, 1, 11)[::-1]
    assert choose(scores) == {"a good one": 1, "a middling one": 5, "a poor one": 9}


def test_no_document_is_shown_twice() -> None:
    assert list(choose(np.array([0.4])).values()) == [0]
    assert len(choose(np.array([0.4, 0.3]))) == 2


def test_the_report_compares_with_a_baseline_of_the_same_length(
    make_examples: Callable[..., list[Example]], tiny: PolicyConfig, vectors: WordVectors, tmp_path: Path
) -> None:
    splits = {split: make_examples(5, seed=i) for i, split in enumerate(("train", "valid", "test"), 51)}
    context, _ = untrained_context(tmp_path, splits, tiny, vectors)
    report = run(context)
    [table] = report.tables
    assert [row[0] for row in table.rows] == ["oracle", "MemSum", "lexrank-3"]
    [page] = report.pages
    assert page.name == "examples.html"
    assert page.content.count("<section") == 3
    assert report.signatures[0] in page.content.replace("&#39;", "'")
    assert "lexrank-3" in report.conclusions[0]

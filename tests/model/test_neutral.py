"""The choice without the network: central sentences, none twice, in any language."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memsum.features.source_text import SourceText
from memsum.model.episode import Episode
from memsum.model.neutral import NeutralEncoding

TEXTS = {
    "de": [
        "Die Stadt sperrt die alte Brücke am Mühlweg, weil Rost die Träger der Brücke geschwächt hat.",
        "Zum Mittagessen gab es Suppe.",
        "Das Bauamt der Stadt prüfte die Träger der Brücke im Frühjahr und fand Rost an allen vier Pfeilern.",
        "Ein Hund bellte.",
        "Neue Träger für die Brücke am Mühlweg kosten die Stadt zwei Millionen Euro.",
        "Die Stadt sperrt die alte Brücke am Mühlweg, weil Rost die Träger der Brücke stark geschwächt hat.",
    ],
    "fr": [
        "La ville ferme le vieux pont du moulin parce que la rouille a affaibli les poutres du pont.",
        "On a servi une soupe.",
        "Le service des ponts de la ville a examiné les poutres au printemps et trouvé de la rouille partout.",
        "Un chien aboyait.",
        "De nouvelles poutres pour le pont du moulin coûteront deux millions à la ville.",
        "La ville ferme le vieux pont du moulin parce que la rouille a beaucoup affaibli les poutres du pont.",
    ],
    "es": [
        "La ciudad cierra el viejo puente del molino porque el óxido ha debilitado las vigas del puente.",
        "Sirvieron una sopa.",
        "La oficina de puentes de la ciudad examinó las vigas del puente en primavera y encontró óxido.",
        "Un perro ladraba.",
        "Las nuevas vigas para el puente del molino costarán dos millones a la ciudad.",
        "La ciudad cierra el viejo puente del molino porque el óxido ha debilitado mucho las vigas del puente.",
    ],
    "zh": [
        "市政府关闭了磨坊路的旧大桥，因为锈蚀削弱了大桥的横梁。",
        "午饭是汤。",
        "市政府的工程师在春天检查了大桥的横梁，发现横梁到处锈蚀。",
        "有只狗叫。",
        "为磨坊路的大桥更换横梁，市政府要花两百万元。",
        "市政府关闭了磨坊路的旧大桥，因为锈蚀大大削弱了大桥的横梁。",
    ],
}


def begin(sentences: list[str], threshold: float, *, blocking: bool = False) -> Episode:
    return NeutralEncoding(SourceText.of_sentences(sentences), threshold).episode(blocking=blocking)


@pytest.mark.parametrize("language", TEXTS)
def test_central_sentences_come_first_and_none_twice(language: str) -> None:
    episode = begin(TEXTS[language], 0.5)
    episode.extend(3)
    assert episode.choices[0] in (0, 5)
    assert set(episode.choices) in ({0, 2, 4}, {5, 2, 4})  # neither the near copy nor what is beside the point
    assert episode.scores == sorted(episode.scores, reverse=True)


def test_it_is_read_like_an_episode() -> None:
    sentences = TEXTS["de"]
    episode = begin(sentences, 0.7)
    usual = round((2 * len(sentences)) ** 0.5)
    assert episode.stop(0) == 0
    episode.extend(usual)
    assert episode.stop(usual - 1) < 0.7 <= episode.stop(usual) + 1e-9
    episode.extend(4)
    episode.extend(2)
    assert len(episode.choices) == 4
    assert len(episode.stops) == 5
    for step, scores in enumerate(episode.step_scores()):
        assert np.isnan(scores).sum() == step
        assert int(np.nanargmax(scores)) == episode.choices[step]
        assert scores[episode.choices[step]] == pytest.approx(episode.scores[step], abs=1e-6)
    episode.extend(100)
    assert sorted(episode.choices) == list(range(len(sentences)))


def test_repeats_are_passed_over() -> None:
    episode = begin(["eins zwei drei vier", "null eins zwei drei", "fünf sechs"], 0.5, blocking=True)
    episode.extend(3)
    assert len(episode.choices) == 2
    assert 2 in episode.choices


@settings(max_examples=100, deadline=None)
@given(st.lists(st.text(max_size=30), max_size=12))
def test_any_sentences_give_an_order(sentences: list[str]) -> None:
    episode = begin(sentences, 0.5)
    episode.extend(len(sentences))
    assert sorted(episode.choices) == list(range(len(sentences)))
    assert all(0 <= score <= 1 for score in episode.scores)
    again = begin(sentences, 0.5)
    again.extend(len(sentences))
    assert again.choices == episode.choices

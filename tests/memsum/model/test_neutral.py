"""The choice without the network: central sentences, none twice, in any language."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memsum.document import read_document
from memsum.features.characters import low_value, split_stems
from memsum.features.language_free import NeutralText
from memsum.features.source_text import Outline, SourceText
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


def test_it_is_read_like_an_episode() -> None:
    sentences = TEXTS["de"]
    episode = begin(sentences, 0.7)
    assert episode.stop(0) == 0
    assert episode.length(0.7, maximum=len(sentences)) == 2
    assert episode.stop(1) < 0.7 <= episode.stop(2)
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


def test_lead_ins_fragments_code_and_bare_items_come_last() -> None:
    sentences = [
        "Die Stadt sperrt die alte Brücke am Mühlweg bis zum Herbst.",
        "Die Stadt nennt für die Sperrung der Brücke drei Gründe:",
        "– Rost der Brücke",
        "Die Brücke. Die Stadt.",
        "brücke = stadt.sperre(träger)[0] + rost",
        "Neue Träger für die Brücke kosten die Stadt zwei Millionen Euro.",
    ]
    assert low_value(sentences).tolist() == [False, True, True, False, True, False]
    episode = begin(sentences, 0.5)
    episode.extend(6)
    assert set(episode.choices[-3:]) == {1, 2, 4}


def test_what_was_not_translated_comes_last() -> None:
    english = "The city closes the old bridge at the mill, and all of the girders of the bridge are weakened by rust."
    russian = [
        "Город закрывает старый мост у мельницы, потому что ржавчина ослабила балки моста.",
        "Новые балки для моста у мельницы обойдутся городу в два миллиона.",
    ]
    for sentences in ([english, *TEXTS["de"][:5]], [english, *russian], [TEXTS["zh"][0], *TEXTS["fr"][:5]]):
        episode = begin(list(sentences), 0.5)
        episode.extend(2)
        assert 0 not in episode.choices


def test_mere_pointers_are_of_low_value() -> None:
    pointers = [
        "Siehe auch den Bericht des Bauamts über die Brücken der Stadt.",
        "Raadpleeg het hoofdstuk over de bruggen van de stad.",
        "Подробнее смотрите в главе о мостах этого города.",
        "詳しくは橋についての章を参照してください。",
    ]
    assert low_value(pointers).all()
    assert not low_value(
        ["Sie sehen die Brücke von der Stadt aus sehr gut.", "Ziekten zijn er in deze stad niet meer."]
    ).any()


def test_short_sentences_of_other_scripts_are_sentences() -> None:
    assert not low_value(
        ["Genellikle birlikte kullanılırlar.", "市政府关闭了磨坊路的旧大桥。", "다리는 두 주 동안 닫혀 있다."]
    ).any()
    assert low_value(["以下是原因：", "电源。", "今天我们讨论大桥关闭的原因。"]).tolist() == [True, True, False]
    thai = ["สะพานปิดมาสองสัปดาห์แล้วและไม่มีใครรู้", "เมืองจะสร้างสะพานใหม่ในปีหน้า"]
    assert not low_value(thai).any()  # no sentence ends with a mark


def test_longer_and_plainer_documents_have_longer_summaries() -> None:
    def expect(sentences: list[str]) -> float:
        return NeutralText(sentences, Outline.of_headings([None] * len(sentences)), None).expected

    plain = [f"Die Stadt sperrt im Jahr {number} wieder eine der alten Brücken." for number in range(40)]
    formulas = [f"Die Stadt sperrt ${{x}}_{{{number}}} = y^2$ wieder eine Brücke." for number in range(40)]
    assert expect(plain) < expect(plain * 4) < 4 * expect(plain)
    assert expect(formulas) < 0.8 * expect(plain)


def test_words_are_compared_by_their_beginnings() -> None:
    assert list(split_stems("Brücken, Brücke!")) == ["brück", "brück"]
    assert list(split_stems("大桥关闭")) == ["大桥", "桥关", "关闭"]


def test_every_main_section_of_a_long_document_has_a_quote() -> None:
    parts = [
        f"## Teil {part}\n\n"
        + " ".join(
            f"Im Teil {part} sperrt die Stadt aus Gründen der Nummer {number} eine weitere alte Brücke."
            for number in range(90)
        )
        for part in range(8)
    ]
    document = read_document("\n\n".join(["# Die Brücken", *parts]).encode(), name="a.md")
    encoding = NeutralEncoding(SourceText.of_documents([document]), 0.25)
    assert encoding.is_long
    episode = encoding.episode()
    episode.extend(8)
    assert len({document.sentences[number].section for number in episode.choices}) == 8


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

"""Texts that are not English: the language is found, and sentences end where they end in it."""

from __future__ import annotations

from collections import Counter

import pytest

from memsum.document import languages, read_document, split_sentences
from memsum.document.languages import detect_language, is_language
from memsum.errors import DocumentError

GERMAN = (
    "Die Brücke am Mühlweg wurde am 3. Mai 2020 gesperrt. Dr. Berg vom Bauamt, z. B. zuständig für Nr. 5, nannte Rost "
    "als Grund. „Wir hatten keine Wahl.“ Niemand wusste, wann sie wieder öffnet!"
)
FRENCH = (
    "Le pont est fermé depuis le 3 mai. M. Duval a dit : « Venez voir ! » Elle est partie sans un mot. Pourquoi ? "
    "Les habitants n’ont pas été prévenus."
)
SPANISH = (
    "El puente está cerrado desde el 3 de mayo. ¿Quién lo decidió? ¡Nadie lo sabe! La Dra. Ruiz no quiso hablar con "
    "los vecinos."
)
CHINESE = "大桥昨天关闭了。谁也不知道什么时候重新开放！市长说：“我们没有选择。请大家等待。”然后他走了？没有。"


def split(text: str, language: str | None = None) -> list[str]:
    return [text[start:end] for start, end in split_sentences(text, language)]


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("de", GERMAN),
        ("fr", FRENCH),
        ("es", SPANISH),
        ("zh", CHINESE),
        ("en", "The bridge was closed on 3 May, and nobody knows when it will be open again."),
        ("it", "Il ponte è chiuso da due settimane e non si sa quando sarà di nuovo aperto al traffico."),
        ("pt", "A ponte está fechada há duas semanas e não se sabe quando será aberta para os carros."),
        ("nl", "De brug is al twee weken dicht en het is niet bekend wanneer hij weer open gaat."),
        ("sv", "Bron är stängd sedan två veckor och det är inte känt när den öppnar för trafik."),
        ("pl", "Most jest zamknięty od dwóch tygodni i nie wiadomo, kiedy zostanie otwarty dla ruchu."),
        ("ru", "Мост закрыт уже две недели, и никто не знает, когда его откроют."),
        ("uk", "Міст закритий уже два тижні, і ніхто не знає, коли його відкриють."),
        ("ja", "橋は二週間前から閉鎖されています。いつ開くのかは誰も知りません。"),
        ("ko", "다리는 두 주 동안 닫혀 있습니다. 언제 열릴지는 아무도 모릅니다."),
        ("ar", "الجسر مغلق منذ أسبوعين. متى سيفتح؟"),
        ("el", "Η γέφυρα είναι κλειστή εδώ και δύο εβδομάδες."),
        ("hi", "पुल दो सप्ताह से बंद है। कोई नहीं जानता कि यह कब खुलेगा।"),
        (None, "12 13 14 15"),
        (None, "Xyzzy plugh."),
        (None, ""),
    ],
)
def test_the_language_is_found(language: str | None, text: str) -> None:
    assert detect_language(text) == language
    assert detect_language(text * 2000) == language


@pytest.mark.parametrize(
    ("language", "text", "sentences"),
    [
        (
            "de",
            GERMAN,
            [
                "Die Brücke am Mühlweg wurde am 3. Mai 2020 gesperrt.",
                "Dr. Berg vom Bauamt, z. B. zuständig für Nr. 5, nannte Rost als Grund.",
                "„Wir hatten keine Wahl.“",
                "Niemand wusste, wann sie wieder öffnet!",
            ],
        ),
        (
            "fr",
            FRENCH,
            [
                "Le pont est fermé depuis le 3 mai.",
                "M. Duval a dit : « Venez voir ! »",
                "Elle est partie sans un mot.",
                "Pourquoi ?",
                "Les habitants n’ont pas été prévenus.",
            ],
        ),
        (
            "es",
            SPANISH,
            [
                "El puente está cerrado desde el 3 de mayo.",
                "¿Quién lo decidió?",
                "¡Nadie lo sabe!",
                "La Dra. Ruiz no quiso hablar con los vecinos.",
            ],
        ),
        (
            "zh",
            CHINESE,
            [
                "大桥昨天关闭了。",
                "谁也不知道什么时候重新开放！",
                "市长说：“我们没有选择。请大家等待。”然后他走了？",
                "没有。",
            ],
        ),
        ("ja", "「行く。」と彼は言った。雨だ!次へ?はい。", ["「行く。」と彼は言った。", "雨だ!", "次へ?", "はい。"]),
        ("ar", "الجسر مغلق. متى سيفتح؟ لا أحد يعرف.", ["الجسر مغلق.", "متى سيفتح؟", "لا أحد يعرف."]),
        ("hi", "पुल बंद है। कब खुलेगा? कोई नहीं जानता।", ["पुल बंद है।", "कब खुलेगा?", "कोई नहीं जानता।"]),
        (
            "ru",
            "Он живёт в г. Москва. А. С. Берг уехал в 1999 году.",
            ["Он живёт в г. Москва.", "А. С. Берг уехал в 1999 году."],
        ),
    ],
)
def test_sentences_end_where_they_end_in_the_language(language: str, text: str, sentences: list[str]) -> None:
    assert split(text, language) == sentences


def test_a_document_knows_its_language() -> None:
    assert read_document(GERMAN).language == "de"
    assert read_document("Xyzzy plugh.").language is None
    assert len(read_document(GERMAN).sentences) == 4


def test_the_language_can_be_given() -> None:
    text = "Er kam am 3. Mai. Sie ging."
    assert [s.text for s in read_document(text, language="de").sentences] == ["Er kam am 3. Mai.", "Sie ging."]
    assert read_document(text, language="de", isolated=True).language == "de"
    with pytest.raises(DocumentError, match="no language 'German'") as caught:
        read_document(text, language="German")
    assert "de" in (caught.value.hint or "")
    assert is_language("pt-BR")
    assert not is_language("Deutsch, bitte")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "don't 'quoted' rock'n'roll dogs' '' o'_'o",
        "Don’t “quote” naïve_words, ÉTÉ and 2nd/3rd x\u0301y \ud800 \u00a0Ωmega",
        GERMAN + FRENCH + SPANISH + CHINESE,
    ],
)
def test_words_are_counted_as_the_pattern_finds_them(text: str):
    assert languages._count_words(text) == Counter(languages._WORD.findall(text.lower()))

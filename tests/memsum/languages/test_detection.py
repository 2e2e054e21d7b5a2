"""Texts that are not English: the language is found, and sentences end where they end in it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from memsum.document import read_document
from memsum.document.sentences import split_sentences
from memsum.errors import DocumentError
from memsum.languages import detection
from memsum.languages.detection import detect_language, detect_languages, is_language

GOLD = Path(__file__).parents[2] / "data" / "sentences" / "languages"  # a sentence per line, paragraphs apart
# Texts with a bar behind each of their sentences.
SPLIT = {
    "de": (
        "Die Brücke am Mühlweg wurde am 3. Mai 2020 gesperrt. | Dr. Berg vom Bauamt, z. B. zuständig für Nr. 5, nannte "
        "Rost als Grund. | „Wir hatten keine Wahl.“ | Niemand wusste, wann sie wieder öffnet!"
    ),
    "fr": (
        "Le pont est fermé depuis le 3 mai. | M. Duval a dit : « Venez voir ! » | Elle est partie sans un mot. | "
        "Pourquoi ? | Les habitants n’ont pas été prévenus."
    ),
    "es": (
        "El puente está cerrado desde el 3 de mayo. | ¿Quién lo decidió? | ¡Nadie lo sabe! | La Dra. Ruiz no quiso "
        "hablar con los vecinos."
    ),
    "zh": "大桥昨天关闭了。|谁也不知道什么时候重新开放！|市长说：“我们没有选择。请大家等待。”然后他走了？|没有。",
    "ja": "「行く。」と彼は言った。|雨だ!|次へ?|はい。",
    "ar": "الجسر مغلق. | متى سيفتح؟ | لا أحد يعرف.",
    "hi": "पुल बंद है। | कब खुलेगा? | कोई नहीं जानता।",
    "ru": "Он живёт в г. Москва. | А. С. Берг уехал в 1999 году.",
}
WHOLE = {language: text.replace("| ", "").replace("|", "") for language, text in SPLIT.items()}
GERMAN = WHOLE["de"]


def split(text: str, language: str | None = None) -> list[str]:
    return [text[start:end] for start, end in split_sentences(text, language)]


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("de", WHOLE["de"]),
        ("fr", WHOLE["fr"]),
        ("es", WHOLE["es"]),
        ("zh", WHOLE["zh"]),
        ("en", "The bridge was closed on 3 May, and nobody knows when it will be open again."),
        ("it", "Il ponte è chiuso da due settimane e non si sa quando sarà di nuovo aperto al traffico."),
        ("pt", "A ponte está fechada há duas semanas e não se sabe quando será aberta para os carros."),
        ("nl", "De brug is al twee weken dicht en het is niet bekend wanneer hij weer open gaat."),
        ("sv", "Bron är stängd sedan två veckor och det är inte känt när den öppnar för trafik."),
        ("pl", "Most jest zamknięty od dwóch tygodni i nie wiadomo, kiedy zostanie otwarty dla ruchu."),
        ("ru", "Мост закрыт уже две недели, и никто не знает, когда его откроют."),
        ("no", "Broen har vært stengt i to uker, og det er ikke kjent når den blir åpnet av kommunen."),
        ("da", "Broen har været lukket i to uger, og det er ikke kendt, hvornår den bliver åbnet af kommunen."),
        ("vi", "Cầu đã đóng cửa hai tuần và không ai biết khi nào nó sẽ được mở lại cho người dân."),
        ("id", "Jembatan itu ditutup sejak dua minggu dan tidak ada yang tahu kapan akan dibuka untuk umum."),
        ("uk", "Міст закритий уже два тижні, і ніхто не знає, коли його відкриють."),
        ("ja", "橋は二週間前から閉鎖されています。いつ開くのかは誰も知りません。"),
        ("ko", "다리는 두 주 동안 닫혀 있습니다. 언제 열릴지는 아무도 모릅니다."),
        ("ar", "الجسر مغلق منذ أسبوعين. متى سيفتح؟"),
        ("el", "Η γέφυρα είναι κλειστή εδώ και δύο εβδομάδες."),
        ("hi", "पुल दो सप्ताह से बंद है। कोई नहीं जानता कि यह कब खुलेगा।"),
        ("es", "La ciudad cierra el viejo puente porque el óxido lo ha debilitado."),
        ("cs", "Město zavírá starý most, protože rez oslabila jeho nosníky."),
        ("tr", "Belediye köprüyü kapattı çünkü pas var."),
        ("fi", "Kaupunki sulkee sillan, koska se on ruosteessa."),
        ("sr", "Град затвара мост јер су његови носачи зарђали и нико не зна када ће бити отворен."),
        ("bg", "Градът затваря моста, защото ръждата е отслабила гредите му и никой не знае докога."),
        ("fa", "شهر پل قدیمی را می‌بندد چون زنگ آن را ضعیف کرده است."),
        ("ur", "شہر پرانا پل بند کر رہا ہے کیونکہ زنگ نے اسے کمزور کر دیا ہے۔"),
        (None, "12 13 14 15"),
        (None, "Xyzzy plugh."),
        (None, ""),
    ],
)
def test_the_language_is_found(language: str | None, text: str) -> None:
    assert detect_language(text) == language
    assert detect_language(text * 2000) == language


@pytest.mark.parametrize("language", SPLIT)
def test_sentences_end_where_they_end_in_the_language(language: str) -> None:
    assert split(WHOLE[language], language) == [sentence.strip() for sentence in SPLIT[language].split("|")]


@pytest.mark.parametrize("path", sorted(GOLD.glob("*.txt")), ids=lambda path: path.stem)
def test_gold_sentences_are_found(path: Path) -> None:
    gap = "" if path.stem in ("zh", "ja") else " "
    paragraphs = [block.splitlines() for block in path.read_text(encoding="utf-8").split("\n\n")]
    assert [split(gap.join(lines), path.stem) for lines in paragraphs] == [list(filter(None, p)) for p in paragraphs]
    everything = gap.join(line for lines in paragraphs for line in lines)
    assert detect_language(everything) == path.stem


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
        "".join(WHOLE[language] for language in ("de", "fr", "es", "zh")),
    ],
)
def test_words_are_counted_as_the_pattern_finds_them(text: str):
    assert detection._count_words(text) == Counter(detection._WORD.findall(text.lower()))


def test_sections_in_another_language_are_split_as_theirs() -> None:
    english = "The bridge was closed in May and the work is to begin when the money is there. " * 4
    german = "Die Brücke wurde am 3. Mai gesperrt. Im 18. Jahrhundert war sie der einzige Weg in die Stadt. " * 4
    document = read_document(f"# Bridge\n\n## Summary\n\n{english}\n\n## Bericht\n\n{german}\n".encode(), name="a.md")
    ends = {sentence.text.split()[-1] for sentence in document.sentences if sentence.section == "Bericht"}
    assert ends == {"gesperrt.", "Stadt."}


@pytest.mark.parametrize(
    ("heading", "text"),
    [
        (
            "Literatur",
            "Die Brücke wurde im Mai gesperrt, und niemand weiß, wann sie wieder für den Verkehr geöffnet wird.",
        ),
        (
            "Références",
            "Le pont est fermé depuis le mois de mai et personne ne sait quand il sera ouvert aux voitures.",
        ),
        ("Referencias", "El puente está cerrado desde mayo y nadie sabe cuándo se abrirá para los coches."),
        ("Список литературы", "Мост закрыт уже две недели, и никто не знает, когда его откроют."),
        ("参考文献", "大桥昨天关闭了。谁也不知道什么时候重新开放。"),
    ],
)
def test_references_and_boilerplate_are_left_out_in_other_languages(heading: str, text: str) -> None:
    document = read_document(f"# {text[:12]}\n\n{text}\n\n## {heading}\n\n{text}\n".encode(), name="a.md")
    assert document.sentences
    assert all(sentence.section != heading for sentence in document.sentences)


def test_a_summary_at_the_end_is_no_abstract() -> None:
    text = "Die Brücke wurde im Mai gesperrt, und niemand weiß, wann sie wieder für den Verkehr geöffnet wird.\n\n"
    first = read_document(f"# Die Brücke\n\n## Zusammenfassung\n\n{text}## Bericht\n\n{text}".encode(), name="a.md")
    last = read_document(f"# Die Brücke\n\n## Bericht\n\n{text * 8}## Zusammenfassung\n\n{text}".encode(), name="a.md")
    assert len(first.abstract) == 1
    assert not last.abstract
    assert last.sentences[-1].section == "Zusammenfassung"


@pytest.mark.parametrize(("part", "is_mixed"), [("", False), (WHOLE["de"], True)])
def test_a_text_is_mixed_by_words_that_its_language_has_not(part: str, is_mixed: bool) -> None:
    english = "We say what is known of the bridge, and in which of the two streets we are to be in the evening. " * 20
    assert detect_languages(english + 2 * part) == ("en", is_mixed)

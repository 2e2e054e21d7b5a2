from __future__ import annotations

import gc
import io
from collections.abc import Sequence
from pathlib import Path

import pypdf
import pytest

from memsum.document import Document, read_document
from memsum.document.readers.pdf.hyphens import Hyphens
from memsum.document.readers.pdf.words import MAX_PAGES
from memsum.document.tables import HEAD, ROW
from memsum.errors import DocumentError
from memsum.query.passages import Passages

from ...helpers import Text, column, make_pdf

DATA = Path(__file__).parents[2] / "data" / "documents"
GOLD = Path(__file__).parents[2] / "data" / "gold" / "pdf"


LEFT = [
    "The old pump stood in the cellar and had run for",
    "sixty years without a single repair. In the spring",
    "of the last year the flow fell by a third, and the",
    "residents of the upper floors complained about it.",
    "Nobody could say when the trouble had begun, be-",
]
RIGHT = [
    "cause no record of the flow had ever been kept by",
    "the owners. We opened the housing and measured",
    "the clearance of the wheel. It had lost four mil-",
    "limetres of bronze, which explains the long-term",
    "decline of the flow that the neighbours had seen.",
]
WHOLE = (
    "The old pump stood in the cellar and had run for sixty years without a single repair. In the spring of the last "
    "year the flow fell by a third, and the residents of the upper floors complained about it. Nobody could say when "
    "the trouble had begun, because no record of the flow had ever been kept by the owners. We opened the housing and "
    "measured the clearance of the wheel. It had lost four millimetres of bronze, which explains the long-term decline "
    "of the flow that the neighbours had seen."
)


def running(document: Document) -> str:
    return " ".join(sentence.text for sentence in document.sentences)


def test_two_columns_are_read_one_after_the_other() -> None:
    document = read_document(make_pdf([[*column(50, 700, LEFT), *column(320, 700, RIGHT)]]))
    assert document.format == "pdf"
    assert running(document) == WHOLE


def test_columns_drawn_line_by_line_are_read_one_after_the_other() -> None:
    lines = [line for pair in zip(column(50, 700, LEFT), column(320, 700, RIGHT), strict=True) for line in pair]
    assert running(read_document(make_pdf([lines]))) == WHOLE


def test_a_line_over_both_columns_parts_them() -> None:
    wide = (
        "A sentence that is set across the whole page stands between the two halves, and it is read between them too."
    )
    page = [*column(50, 700, LEFT), *column(320, 700, RIGHT), (50, 600, 10, "F1", wide)]
    below = [*column(50, 560, LEFT), *column(320, 560, RIGHT)]
    assert running(read_document(make_pdf([[*page, *below]]))) == f"{WHOLE} {wide} {WHOLE}"


def test_every_sentence_knows_its_page_and_the_boxes_of_its_lines() -> None:
    document = read_document(make_pdf([column(50, 700, LEFT), column(50, 700, RIGHT)]))
    broken = next(sentence for sentence in document.sentences if sentence.text.startswith("Nobody"))
    assert broken.page == 1
    assert [box.page for box in broken.boxes] == [1, 2, 2]
    for box in broken.boxes:
        assert 50 <= box.left < box.right <= 330
        assert box.bottom < box.top
    last_line = broken.boxes[0]
    assert last_line.left == pytest.approx(50, abs=1)
    assert last_line.bottom < 652 + 8 < last_line.top + 8
    assert document.sentences[-1].page == 2


def test_rotated_pages_keep_the_coordinates_of_the_file() -> None:
    turned = [(0, 0, 10, f"0 1 -1 0 {100 + 12 * n} 50", line) for n, line in enumerate(LEFT)]
    document = read_document(make_pdf([turned], rotate=90))
    assert running(document).startswith("The old pump stood in the cellar and had run for sixty years")
    box = document.sentences[0].boxes[0]
    assert box.top - box.bottom > 100 > box.right - box.left


def test_running_heads_and_page_numbers_stay_out_of_the_text() -> None:
    pages = []
    for number in range(1, 5):
        head = "Annals of Pumps" if number % 2 else "A. Berg and T. Ruiz"
        pages.append([(50, 770, 8, "F1", head), *column(50, 700, LEFT), (300, 30, 8, "F1", f"{number + 16}")])
    document = read_document(make_pdf(pages))
    assert "Annals" not in running(document)
    assert "17" not in running(document)
    kept = [document.text[block.start : block.end] for block in document.blocks if block.kind == "boilerplate"]
    assert kept.count("Annals of Pumps") == 2
    assert "20" in kept


def test_running_heads_with_roman_numbers_stay_out_of_the_text() -> None:
    numbers = ["viii", "ix", "x", "xi"]
    pages = [[(50, 770, 10, "F1", f"Book of Pumps {number}"), *column(50, 700, LEFT)] for number in numbers]
    document = read_document(make_pdf(pages))
    heads = [block.kind for block in document.blocks if "Book of" in document.text[block.start : block.end]]
    assert heads == ["boilerplate"] * 4


def test_line_numbers_of_manuscripts_are_left_out() -> None:
    lines = LEFT[:4] * 3
    page = [
        *column(80, 700, lines),
        *((45.0 if n < 9 else 40.0, 700 - 12 * n, 8.0, "F1", str(n + 1)) for n in range(len(lines))),
    ]
    assert not any(char.isdigit() for char in running(read_document(make_pdf([page]))))


def test_hyphens_go_unless_the_word_has_one() -> None:
    lines = [
        "The long-term record was kept by hand, and the infor-",
        "mation in it was checked twice. After that the long-",
        "term record was closed. A state-of-the-",
        "art device took over, and the years 1990-",
        "1995 were copied from the books of the Meyer-",
        "Lund family in the same house.",
    ]
    text = running(read_document(make_pdf([column(50, 700, lines)])))
    assert text == (
        "The long-term record was kept by hand, and the information in it was checked twice. After that the long-term "
        "record was closed. A state-of-the-art device took over, and the years 1990-1995 were copied from the books "
        "of the Meyer-Lund family in the same house."
    )


def test_a_paragraph_goes_on_behind_a_figure() -> None:
    caption = [(320, 700, 8, "F1", "Figure 1. The wheel before it was repaired."), (340, 740, 8, "F1", "bronze")]
    page = [*column(50, 700, LEFT), *caption, *column(320, 660, RIGHT)]
    document = read_document(make_pdf([page]))
    assert running(document) == WHOLE
    assert [document.text[b.start : b.end] for b in document.blocks if b.kind == "caption"] == [caption[0][4]]


def test_indented_lines_begin_paragraphs() -> None:
    second = "The second part of the story is shorter than the first."
    lines = [*column(50, 700, LEFT[:4]), (65, 652, 10, "F1", second)]
    document = read_document(make_pdf([lines]))
    assert [block.kind for block in document.blocks] == ["paragraph", "paragraph"]


def test_headings_by_their_look_name_the_sections() -> None:
    page = [
        (50, 760, 18, "F2", "A pump that was worn"),
        (50, 720, 12, "F2", "1 Introduction"),
        *column(50, 700, LEFT[:4]),
        (50, 630, 12, "F2", "2 Methods"),
        (50, 610, 11, "F2", "2.1 The wheel"),
        *column(50, 590, [RIGHT[1], "the clearance of the wheel with great care."]),
        (50, 540, 12, "F2", "References"),
        *column(50, 520, ["[1] A. Berg, On pumps. Wells 3, 1999.", "[2] T. Ruiz, On wheels. Wells 4, 2001."]),
    ]
    document = read_document(make_pdf([page]))
    assert document.title == "A pump that was worn"
    headings = [(document.text[b.start : b.end], b.level) for b in document.blocks if b.kind == "heading"]
    assert headings == [("1 Introduction", 1), ("2 Methods", 1), ("2.1 The wheel", 2), ("References", 1)]
    assert {sentence.section for sentence in document.sentences} == {"1 Introduction", "2.1 The wheel"}
    references = [document.text[b.start : b.end] for b in document.blocks if b.kind == "reference"]
    assert [reference[:3] for reference in references] == ["[1]", "[2]"]


@pytest.mark.parametrize("name", ["two-columns.pdf", "one-column.pdf"])
def test_a_typeset_paper(name: str) -> None:
    document = read_document(DATA / name)
    assert document.title == "How a worn impeller slowed the water of Brunn"
    assert document.abstract[0].text == "A village lost a third of its water supply and nobody knew why."
    assert len(document.abstract) == 3
    text = running(document)
    assert text.startswith("The old pump house at Brunn was built in 1931 and has been in daily use ever since.")
    assert "sufficient to explain the inefficient operation" in text
    assert "A state-of-the-art replacement was ordered" in text
    assert text.endswith("although the delivery took eleven weeks.")
    for outside in (
        "Harbour Road",
        "layer",
        "0.31",
        "impeller of the second pump before",
        "Journal of Wells",
        "waterworks",
    ):
        assert outside not in text
        assert outside in document.text or (outside in ("layer", "waterworks") and name == "one-column.pdf")
    sections = {(sentence.section or "").lstrip("0123456789 ") for sentence in document.sentences}
    assert sections == {"Introduction", "Results", "Discussion"}
    items = [document.text[block.start : block.end] for block in document.blocks if block.kind == "item"]
    assert items == ["The flow recovered within one week.", "The consumption of energy fell by only nine per cent."]
    for sentence in (*document.abstract, *document.sentences):
        assert sentence.page == sentence.boxes[0].page


def test_ligatures_and_powers() -> None:
    power: list[Text] = [(50, 664, 10, "F1", "flow was 10"), (102.5, 668, 6, "F1", "6")]
    page = [*column(50, 700, LEFT[:3]), *power, (110, 664, 10, "F1", "litres a day.")]
    assert "10^6 litres a day." in running(read_document(make_pdf([page])))
    document = read_document(DATA / "two-columns.pdf")
    assert not set("ﬀﬁﬂﬃﬄ") & set(document.text)


def encrypted() -> bytes:
    writer = pypdf.PdfWriter(clone_from=io.BytesIO(make_pdf([column(50, 700, LEFT)])))
    writer.encrypt("secret", algorithm="RC4-128")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


PICTURE = "q 500 0 0 700 50 50 cm BI /W 1 /H 1 /CS /G /BPC 8 ID \x7f EI Q\n"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (encrypted(), "encrypted"),
        (make_pdf([[]], content=PICTURE), "no text layer"),
        (make_pdf([column(50, 700, LEFT)])[:300], "damaged or cut off"),
        (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj", "damaged or cut off"),
        (make_pdf([]), "no pages|damaged"),
        (make_pdf([[]] * (MAX_PAGES + 1)), "has 1001 pages, more than the 1000"),
    ],
)
def test_what_cannot_be_read_is_refused_in_one_sentence(data: bytes, message: str) -> None:
    with pytest.raises(DocumentError, match=message) as caught:
        read_document(data)
    assert caught.value.message.endswith(".")


def test_pages_without_text_are_mentioned() -> None:
    document = read_document(make_pdf([column(50, 700, LEFT), []]))
    assert document.warnings == ("1 of 2 pages have no text: they may be pictures.",)


def test_bytes_before_the_header_do_not_matter() -> None:
    assert read_document(b"\r\n" + make_pdf([column(50, 700, LEFT)])).format == "pdf"


def test_a_pdf_is_no_text() -> None:
    with pytest.raises(DocumentError, match="binary data"):
        read_document("%PDF-1.4 nothing here", format="pdf")


def test_scattered_text_ends() -> None:
    dots = [(float(n % 200) * 3, 10.0 + 3 * (n // 200), 2.0, "F1", ".") for n in range(21_000)]
    with pytest.raises(DocumentError, match="scattered"):
        read_document(make_pdf([dots]))


def test_titles_in_capitals_lose_the_hyphen_of_a_line_end() -> None:
    title = [
        (50, 760, 18, "F2", "LEARNING A REPRE-"),
        (50, 738, 18, "F2", "SENTATION OF WELL-"),
        (50, 716, 18, "F2", "WORN PUMPS"),
    ]
    document = read_document(make_pdf([[*title, *column(50, 660, LEFT), *column(50, 590, RIGHT)]]))
    assert document.title == "LEARNING A REPRESENTATION OF WELL-WORN PUMPS"


@pytest.mark.parametrize(
    ("first", "second", "whole"),
    [
        ("machine-", "learning", "machine-learning"),
        ("hard-", "attention", "hard-attention"),
        ("forward-", "backward", "forward-backward"),
        ("previously-", "studied", "previously-studied"),
        ("rule-", "based", "rule-based"),
        ("part-of-", "speech", "part-of-speech"),
        ("end-", "to-end", "end-to-end"),
        ("repre-", "sentation", "representation"),
        ("hyper-", "parameters", "hyperparameters"),
        ("under-", "standing", "understanding"),
        ("three-dimen-", "sional", "three-dimensional"),
        ("zyxo-", "phobia", "zyxophobia"),
    ],
)
def test_hyphens_without_other_evidence_follow_the_vocabulary_and_the_parts(
    first: str, second: str, whole: str
) -> None:
    assert (
        "".join(("The ", first, Hyphens([]).joint(f"The {first}", second), second)).replace("--", "") == f"The {whole}"
    )


CODE = ["> flow <- read.csv('flow.csv')", "> summary(flow)", "+ plot(flow$litres)", "Min. 1st Qu. Median"]


def test_code_is_neither_running_text_nor_a_heading() -> None:
    code: list[Text] = [(60, 620 - 12 * n, 9, "F3", line) for n, line in enumerate([*CODE, *CODE, *CODE])]
    after = "The plot shows that the flow fell in spring."
    document = read_document(make_pdf([[*column(50, 700, LEFT[:4]), *code, (50, 440, 10, "F1", after)]]))
    assert running(document) == " ".join([*LEFT[:4], after])
    assert not [block for block in document.blocks if block.kind == "heading"]


def test_a_text_in_bold_has_no_more_headings_for_that() -> None:
    lines: list[Text] = [(50, 700 - 12 * n, 10, "F2", line) for n, line in enumerate(LEFT[:4])]
    short: list[Text] = [(50, 630, 10, "F2", "It was opened and measured with")]
    document = read_document(make_pdf([[*lines, *short, (200, 606, 10, "F2", "x + y")]]))
    assert not [block for block in document.blocks if block.kind == "heading"]


def test_the_large_first_line_is_the_title_and_names_below_it_are_no_headings() -> None:
    front: list[Text] = [(150, 760, 17, "F1", "Pumps and their wheels"), (200, 738, 12, "F1", "Ann Hale")]
    document = read_document(make_pdf([[*front, *column(50, 700, LEFT[:4])]]))
    assert document.title == "Pumps and their wheels"
    assert running(document) == " ".join(LEFT[:4])
    assert {sentence.section for sentence in document.sentences} == {None}


def test_the_document_itself_decides_on_hyphens_first() -> None:
    assert Hyphens(["We compare multiCCA with multiCCA."]).joint("mul-", "tiCCA") == "-"
    assert Hyphens(["We compare it."]).joint("non-", "PCA") == ""
    assert Hyphens(["The under-standing of the mill."]).joint("under-", "standing") == ""
    assert Hyphens(["The machinelearning of the mill."]).joint("machine-", "learning") == "-"


def test_a_sentence_inside_a_line_has_the_box_of_its_words() -> None:
    document = read_document(make_pdf([column(50, 700, LEFT)]))
    first, second = document.sentences[:2]
    assert first.boxes[1].right < second.boxes[0].left
    assert second.boxes[0].left - first.boxes[1].right < 6
    assert second.boxes[0].right == pytest.approx(document.sentences[0].boxes[0].right, abs=60)


def test_accents_that_are_drawn_apart_become_part_of_their_letter() -> None:
    accented = "BT /F1 10 Tf 50 652 Td [(The caf) -110 (\\264) 445 (e was closed.)] TJ ET\n"
    document = read_document(make_pdf([column(50, 700, LEFT[:4])], content=accented))
    assert "The café was closed." in running(document)


def test_an_accent_that_is_drawn_after_the_line_goes_into_the_letter_below_it() -> None:
    accented = "BT /F1 10 Tf 50 652 Td (The cafe was closed.) Tj ET\nBT /F1 10 Tf 81.7 652 Td (\\264) Tj ET\n"
    document = read_document(make_pdf([column(50, 700, LEFT[:4])], content=accented))
    assert "The café was closed." in running(document)


def test_marks_of_notes_go_but_powers_and_units_stay() -> None:
    page: list[Text] = [
        *column(50, 700, LEFT[:4]),
        (50, 652, 10, "F1", "The pond was small."),
        (140.5, 656, 6, "F1", "12"),
        (152, 652, 10, "F1", "It had 40 km"),
        (209.5, 656, 6, "F1", "2"),
        (215, 652, 10, "F1", "of reeds."),
    ]
    text = running(read_document(make_pdf([page])))
    assert "The pond was small. It had 40 km2 of reeds." in text


def test_warnings_and_large_quotations_are_no_headings() -> None:
    document = read_document(GOLD / "warnings-and-large-quotations.pdf")
    assert {sentence.section for sentence in document.sentences} == {"How it was built"}


def test_the_items_of_a_list_have_its_lead_in_even_if_their_bullets_are_drawn() -> None:
    sentences = read_document(GOLD / "drawn-bullets.pdf").sentences
    items = [sentence for sentence in sentences if sentence.is_item]
    assert [sentence.text.split()[0] for sentence in items] == ["climb", "open", "leave"]
    assert {sentence.lead_in for sentence in items} == {1}


def test_a_sentence_around_a_formula_is_cut() -> None:
    document = read_document(GOLD / "formulas-inside-sentences.pdf")
    assert [sentence.text.split()[0] for sentence in document.sentences if sentence.is_cut] == ["The", "where", "The"]


def test_articles_at_the_top_of_pages_are_headings_and_no_running_heads() -> None:
    pages = [
        [(50.0, 750.0, 10.0, "F2", f"Article {number}"), *column(50, 720, ["The wheel turns on Sundays.", text])]
        for number, text in ((2, "The pond is deep."), (5, "The shaft is long."), (9, "The gear is old."))
    ]
    document = read_document(make_pdf(pages))
    assert {sentence.section for sentence in document.sentences} >= {"Article 5", "Article 9"}


def test_the_gaps_of_justified_lines_are_no_cells() -> None:
    words = ["63.8", "m", "at", "the", "upper", "mill"]
    justified = [(50.0 + 60 * at, 676.0, 10.0, "F1", word) for at, word in enumerate(words)]
    lines = column(50, 700, ["The water of the long brook fell by a height of about", "the length of the wheel of"])
    end = column(50, 664, ["and then it ran on below the old road to the village."])
    assert "63.8 m at the upper mill and then" in read_document(make_pdf([[*lines, *justified, *end]])).text


@pytest.mark.parametrize("pages", [[column(50, 700, LEFT)], []], ids=["read", "refused"])
def test_collector_runs_again_after_reading(pages: list[list[Text]]) -> None:
    assert gc.isenabled()
    try:
        read_document(make_pdf(pages), isolated=False)
    except DocumentError:
        assert not pages
    assert gc.isenabled()


_TABLE = [
    ("Station", "Trips", "Cost"),
    ("Harbor", "120", "14.5"),
    ("Market square", "95", "11.0"),
    ("Mill", "7", "2.5"),
]


def _page_with(rows: Sequence[tuple[str, ...]], *, step: int = 14) -> bytes:
    """A page of prose with rows of cells in columns below it."""
    prose = [
        (72, 740 - 14 * n, 11, "F1", "The buses of the town were counted at night and their costs were added up.")
        for n in range(4)
    ]
    cells = [
        (72 + 130 * column, 640 - step * row, 11, "F1", cell)
        for row, texts in enumerate(rows)
        for column, cell in enumerate(texts)
        if cell
    ]
    return make_pdf([[*prose, *cells]])


def test_rows_of_aligned_columns_are_a_table() -> None:
    document = read_document(_page_with(_TABLE))
    rows = [block for block in document.blocks if block.kind == "table"]
    assert [document.text[row.start : row.end] for row in rows] == [" | ".join(row) for row in _TABLE]
    assert [row.level for row in rows] == [HEAD, ROW, ROW, ROW]
    assert document.boxes(rows[1].start, rows[1].start + 6)[0].left < 73
    assert document.boxes(rows[1].end - 4, rows[1].end)[0].left > 330
    (answer, *_) = Passages.of([document]).of_document(0)[-3:]
    assert (answer.sentence.text, answer.head) == ("Harbor | 120 | 14.5", "Station | Trips | Cost")


@pytest.mark.parametrize(
    "rows",
    [
        [("Syntax", "Syntax"), ("YAML", "YAML"), ("Message", "Message")],
        [("Introduction", "1"), ("The trips", "4"), ("The costs", "9"), ("Results", "12")],
        _TABLE[:2],
        [("10", "20", "30"), ("40", "50", "60"), ("70", "80", "90")],
        [*_TABLE[:2], ("Market", "", ""), ("square", "95", "11.0")],
    ],
    ids=["words", "contents", "few", "axes", "wrapped"],
)
def test_what_may_be_no_table_is_none(rows: Sequence[tuple[str, ...]]) -> None:
    document = read_document(_page_with(rows, step=12))
    assert "table" not in {block.kind for block in document.blocks}
    assert rows[0][0] in document.text

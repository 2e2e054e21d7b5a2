"""Authors: known from fields that authors fill in, or from the first lines; nobody where that is unsure."""

from __future__ import annotations

from pathlib import Path

import pytest

from memsum import read_document
from memsum.document.authors import find_authors, front_lines, split_front, split_names
from memsum.document.document import Block
from memsum.document.load import pack, unpack

from .frames import word

DATA = Path(__file__).parents[2] / "data"
_TEXT = "The mill was built in 1874 and ground rye for three villages. Its wheel was made of oak."


def _authors(*front: str, creators: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Return the authors of a document with a title, lines below it, and a text."""
    lines = ["The mill on the brook", *front, _TEXT]
    kinds = ["title", *["boilerplate"] * len(front), "paragraph"]
    blocks, at = [], 0
    for line, kind in zip(lines, kinds, strict=True):
        blocks.append(Block(kind, at, at + len(line)))  # type: ignore[arg-type]
        at += len(line) + 2
    text = "\n\n".join(lines)
    return find_authors(text, front_lines(text, blocks), (), creators)


@pytest.mark.parametrize(
    ("field", "names"),
    [
        ("Anna Berg", ["Anna Berg"]),
        ("Anna Berg, Tomás Ruiz and Wen Li", ["Anna Berg", "Tomás Ruiz", "Wen Li"]),
        ("Berg, Anna; Ruiz, T. J.", ["Anna Berg", "T. J. Ruiz"]),
        ("Ludwig van der Meer", ["Ludwig van der Meer"]),
        ("Conan O’Brien", ["Conan O’Brien"]),
        ("张三", ["张三"]),
        ("admin", []),
        ("Microsoft Office User", []),
        ("anna.berg@upper.org", []),
        ("Anna Berg and 3 others", []),
        ("Annual Report", []),
        ("", []),
    ],
)
def test_names_in_a_field(field: str, names: list[str]) -> None:
    assert list(split_names([field])) == names


def test_names_below_the_title_need_a_place_where_they_work() -> None:
    place = "1 Institute of Rural History, 12 Harbour Road"
    assert _authors("Anna Berg1,*, Tomás Ruiz and Wen Li2", place) == ("Anna Berg", "Tomás Ruiz", "Wen Li")
    assert _authors("Anna Berg", "Wen Li", "anna@upper.org") == ("Anna Berg", "Wen Li")
    assert _authors("By Anna Berg, staff writer") == ("Anna Berg",)
    assert _authors("FROM: Anna Berg, treasurer") == ("Anna Berg",)
    assert _authors("Old Sluices", "A history in three parts") == ()
    assert _authors("Technical Report", place) == ()
    assert _authors("Anna Berg Tomás Ruiz", place) == ()  # two names, or one
    assert _authors("Anna Berg, Tomás", "Ruiz, Wen Li", place) == ()
    assert split_front(["Anna Berg, Tomás", "Ruiz", place]) == ["Anna Berg, Tomás Ruiz", place]
    assert split_front(["Anna Berg", "Tomás Ruiz", place]) == ["Anna Berg", "Tomás Ruiz", place]


def test_all_names_above_institutions_or_none() -> None:
    school, mill = "Upper College, Harbour", "Mill Research Ltd, Brook"
    assert _authors("Anna Berg", school, "Tomás Ruiz", "A.BERG@UPPER.ORG", "T@MILL.ORG", mill, "Wen Li", school) == (
        "Anna Berg",
        "Tomás Ruiz",
        "Wen Li",
    )
    assert _authors("Anna Berg", school, "New Brook, Upper County") == ("Anna Berg",)
    assert _authors("Anna Berg", school, "Editor: Jo Park", "Ida Holm", school) == ("Anna Berg",)
    # Each of these may be names, or a place.
    assert _authors("Anna Berg", school, "New Brook, Upper County", school) == ()
    assert _authors("Anna Berg", school, "New Brook", "Wen Li", school) == ()
    assert _authors("Anna Berg", "Department of History", "Royal Brook", "University of Harbour") == ()
    assert _authors("Anna Berg", school, "Wen Li", "wen@upper.org") == ()


def test_names_beside_their_mail_addresses() -> None:
    rows = ("Anna Berg; berg@upper.org", "Upper College, Harbour", "Wen Li; wl@mill.org")
    assert _authors(*rows) == ("Anna Berg", "Wen Li")
    assert _authors(*rows, "Jo; jo@mill.org") == ()  # no whole name, and the others are not all
    assert _authors(*rows, "Jo Park", "Upper College") == ()
    assert _authors(*rows, "Brook College; office@brook.org") == ()
    assert _authors(*rows, "Ida Holm; Jo Park; jo@mill.org") == ()


def test_names_beside_each_other_on_a_page() -> None:
    document = read_document(DATA / "documents" / "two-columns.pdf", isolated=False)
    assert document.authors == ("Anna Berg", "Tomás Ruiz", "Wen Li")


def test_a_programs_creator_counts_if_the_first_lines_confirm_it() -> None:
    assert _authors(creators=("Anna Berg",)) == ()
    assert _authors("Anna Berg", creators=("Anna Berg",)) == ("Anna Berg",)
    assert _authors("Anna Berg and Wen Li", creators=("Anna Berg, Wen Li",)) == ("Anna Berg", "Wen Li")
    assert _authors("Anna Berg Wen Li", creators=("Anna Berg",)) == ()  # there is another one


def test_each_format_that_names_authors() -> None:
    html = f"<html><head><meta name=author content='Anna Berg'><title>Mill</title></head><body><p>{_TEXT}</p></body>"
    jats = (
        "<article><front><article-meta><title-group><article-title>Mill</article-title></title-group><contrib-group>"
        "<contrib contrib-type='author'><name><surname>Berg</surname><given-names>Anna</given-names></name></contrib>"
        "<contrib contrib-type='editor'><name><surname>Li</surname><given-names>Wen</given-names></name></contrib>"
        f"</contrib-group></article-meta></front><body><p>{_TEXT}</p></body></article>"
    )
    latex = (
        "\\documentclass{article}\\title{Mill}\\author{Anna Berg\\thanks{Paid.} \\\\ Brook College \\and Wen Li}"
        f"\\begin{{document}}\\maketitle {_TEXT}\\end{{document}}"
    )
    mail = f"From: Anna Berg <anna@upper.org>\nSubject: Mill\nMessage-ID: <1@upper.org>\n\n{_TEXT}\n"
    yaml = f"---\ntitle: Mill\nauthors:\n  - Anna Berg\n  - name: Wen Li\n---\n\n{_TEXT}\n"
    for source, names in (
        (html, ("Anna Berg",)),
        (jats, ("Anna Berg",)),
        (latex, ("Anna Berg", "Wen Li")),
        (mail, ("Anna Berg",)),
        (yaml, ("Anna Berg", "Wen Li")),
    ):
        document = read_document(source)
        assert document.authors == names
        assert unpack(pack(document)).authors == names


def test_the_creator_of_a_word_document() -> None:
    creator = '<dc:creator xmlns:dc="http://purl.org/dc/elements/1.1/">Anna Berg</dc:creator>'
    for first, authors in (("Anna Berg, treasurer", ("Anna Berg",)), ("The treasurer", ())):
        paragraphs = "".join(f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>" for text in (first, _TEXT))
        file = word(paragraphs, {"docProps/core.xml": f"<core>{creator}</core>"})
        assert read_document(file, isolated=False).authors == authors

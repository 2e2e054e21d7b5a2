from __future__ import annotations

import gzip
import random
from pathlib import Path

import pytest

from memsum.document import read_document
from memsum.document.formats import FORMATS
from memsum.document.load import MAX_BYTES
from memsum.errors import DocumentError

TEXT = "Die Größe zählt. “It does,” he said – twice."


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_unicode_encodings(encoding: str) -> None:
    document = read_document(TEXT.encode(encoding))
    assert document.text == TEXT
    assert document.warnings == ()


def test_other_encodings_are_read_with_a_warning() -> None:
    document = read_document(TEXT.encode("cp1252"))
    assert document.text == TEXT
    assert "Windows-1252" in document.warnings[0]
    odd = read_document(
        b"A caf\xe9 and one odd byte \x81 here. Then a long enough rest of the text follows it, in plain words."
    )
    assert odd.text.startswith("A café")
    assert "Latin-1" in odd.warnings[0]


def test_a_path_is_a_file_and_a_str_is_text(tmp_path: Path) -> None:
    file = tmp_path / "paper.xml"
    file.write_text("No XML at all. Just text.", encoding="utf-8")
    assert [s.text for s in read_document(file).sentences] == ["No XML at all.", "Just text."]
    assert read_document(str(file)).text == str(file)


def test_the_content_tells_the_format_not_the_name(tmp_path: Path) -> None:
    for content, name in (
        ("<article><body><p>Hi.</p></body></article>", "jats"),
        ("<!DOCTYPE html>\n<html><body><p>Hi.</p></body></html>", "html"),
        ("\\documentclass{article}\n\\begin{document}\nHi.\n\\end{document}", "latex"),
        ("# Hello\n\nThere.", "markdown"),
        ("Hello.\n\nThere <article> is a tag.", "plain"),
        ("A # is not a heading.", "plain"),
    ):
        file = tmp_path / "notes.txt"
        file.write_text(content, encoding="utf-8")
        assert read_document(file).format == name


def test_the_format_can_be_given() -> None:
    assert read_document("# Hello\n\nThere.", format="plain").format == "plain"
    names = "pdf pptx epub odt docx subtitles eml html jats notebook rst latex markdown plain"
    assert " ".join(one.name for one in FORMATS) == names
    with pytest.raises(DocumentError, match="no document format 'rtf'") as caught:
        read_document("Hello.", format="rtf")
    assert "markdown" in (caught.value.hint or "")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "empty"),
        (b" \n\t\r\n", "empty"),
        (b"\xff\xfe", "empty"),
        (b"\xef\xbb\xbf", "empty"),
        (b"PK\x03\x04" + bytes(26) + b"[Content_Types].xml", "Word document is damaged"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(500), "an old Word document"),
        (b"{\\rtf1\\ansi Hello}", "an RTF document"),
        (b"PK\x03\x04" + bytes(64), "binary data"),
        (b"\x89PNG\r\n\x1a\n" + bytes(64), "This is a picture"),
        (b"\x01\x02\x03\x04\x05 text \x0e\x0f", "binary data"),
        (b"\xff\xfea", "UTF-16 text but is damaged"),
        (gzip.compress(b"text", mtime=0), "binary data"),
        (random.Random(1).randbytes(4096), "binary data"),
    ],
)
def test_what_is_no_text_is_refused_in_one_sentence(data: bytes, message: str, tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_bytes(data)
    with pytest.raises(DocumentError, match=message) as caught:
        read_document(file)
    assert caught.value.message.startswith("notes.txt: ")
    assert caught.value.message.endswith(".")
    with pytest.raises(DocumentError, match="upload 7: "):
        read_document(data, name="upload 7")


def test_files_that_cannot_be_opened(tmp_path: Path) -> None:
    with pytest.raises(DocumentError, match=r"gone\.txt: The file cannot be read"):
        read_document(tmp_path / "gone.txt")
    with pytest.raises(DocumentError, match="not a file"):
        read_document(tmp_path)


def test_the_size_is_limited(tmp_path: Path) -> None:
    file = tmp_path / "large.txt"
    with file.open("wb") as out:
        out.truncate(MAX_BYTES + 1)
    with pytest.raises(DocumentError, match="larger than 64 MB"):
        read_document(file)
    with pytest.raises(DocumentError, match="larger than 64 MB"):
        read_document("a" * (MAX_BYTES + 1))


def test_twenty_thousand_sentences() -> None:
    document = read_document("\n\n".join(["The pump was opened. It was old."] * 10_000))
    assert len(document.sentences) == 20_000

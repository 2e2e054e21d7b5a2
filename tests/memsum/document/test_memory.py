"""Small files stay small: a process of its own reads each, and says how much memory it took at most.

`benchmarks/growth.py --memory` does the same with files of 8 MB.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from memsum.document import build, read_document
from memsum.document.readers import markdown
from memsum.errors import DocumentError
from memsum.text import tokens

from .frames import FRAMES
from .test_pdf_hostile import make_pdf

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="peak memory is read from /proc"),
]

CHILD = """
import resource, sys
from pathlib import Path
from memsum.document import read_document
from memsum.isolation import close_sandboxes
from memsum.errors import DocumentError
try:
    length = len(read_document(Path(sys.argv[1]), format=sys.argv[2]).text)
except DocumentError:
    length = 0
close_sandboxes()
peak = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
peaks = int(peak.split()[1]), resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
print(max(peaks) // 1024, length)
"""
LIMIT = 600  # MB for any input of up to 8 MB
SIZE = 8 * 2**20
WORD = "<w:p><w:r><w:t>word</w:t></w:r></w:p>"
SUB = "<article><body><p>a</p></body>{}</article>"


def cost(path: Path, name: str, source: str | bytes) -> tuple[int, int]:
    """Megabytes at the highest, and characters that were read."""
    path.write_bytes(source.encode() if isinstance(source, str) else source)
    run = subprocess.run([sys.executable, "-c", CHILD, path, name], capture_output=True, text=True, check=True)
    memory, length = map(int, run.stdout.split())
    return memory, length


@pytest.mark.parametrize(
    ("name", "source", "most"),
    [
        ("docx", FRAMES["docx"]("<w:tbl><w:tr><w:tc>" * 80 + WORD + "</w:tc></w:tr></w:tbl>" * 80), 10),
        ("docx", FRAMES["docx"]("<w:p>" * 240 + "<w:r><w:t>word</w:t></w:r>" * 1000 + "</w:p>" * 240), 10_000),
        (
            "jats",
            SUB.format("<sub-article>" + "<p>" * 240 + "word " * 10_000 + "</p>" * 240 + "</sub-article>"),
            60_000,
        ),
        ("jats", SUB.format("").replace("a</p>", "<p>" * 240 + "word " * 10_000 + "</p>" * 240 + "</p>"), 60_000),
        ("markdown", "*a*" * 30_000, 100_000),
        ("latex", FRAMES["latex"](r"\newcommand{\x}[1]{#1#1#1#1}" + r"\x{\x{\x{\x{word}}}}" * 5000), 500_000),
    ],
    ids=["tables", "paragraphs", "sub-article", "nested p", "emphasis", "macros"],
)
def test_text_is_visited_once(name: str, source: str | bytes, most: int, tmp_path: Path) -> None:
    memory, length = cost(tmp_path / "file", name, source)
    assert 0 < length <= most
    assert memory < 150


@pytest.mark.parametrize(
    ("name", "source", "most"),
    [
        ("plain", "a\n" * 500_000, 150),
        ("plain", "a" * SIZE, 150),
        ("plain", "a.\n\n" * (SIZE // 4), 250),
        ("markdown", "# A\n\n" + "- a.\n" * 400_000, LIMIT),
        ("markdown", "# A\n\n" + "a.\n\n" * (SIZE // 4), 150),
        ("jats", SUB.format("<body>" + "<p>a.</p>" * 100_000 + "</body>"), 250),
    ],
    ids=["lines", "one word", "paragraphs", "items", "blank lines", "jats"],
)
def test_the_peak_of_text_is_bounded(name: str, source: str, most: int, tmp_path: Path) -> None:
    assert cost(tmp_path / "file", name, source)[0] < most


@pytest.mark.parametrize(
    "data",
    [
        make_pdf(b"/X Do", forms=[*[b"/X Do " * 5] * 9, b"BT /F1 9 Tf (a) Tj ET"]),
        make_pdf(b"0 0 m 1 1 l S " * (SIZE // 14)),
        make_pdf(b"q " * (SIZE // 2)),
        make_pdf(b"BT /F1 9 Tf " + b"(a)Tj " * (SIZE // 7) + b" ET"),
    ],
    ids=["forms", "lines", "states", "letters"],
)
def test_a_pdf_is_refused_before_it_takes_more_than_it_may(data: bytes, tmp_path: Path) -> None:
    memory, length = cost(tmp_path / "file", "pdf", data)
    assert length == 0
    assert memory < LIMIT


@pytest.mark.parametrize(
    ("name", "source", "message"),
    [
        ("html", "<b>" * 400_000, "more than 300,000 tags"),
        ("jats", "<article><body>" + "<p/>" * 2_100_000 + "</body></article>", "more parts than can be read"),
        ("jats", "<article><body>" + "<p>" * 300 + "</p>" * 300 + "</body></article>", "deeper than can be read"),
        ("docx", FRAMES["docx"]("<w:p>" * 300 + "</w:p>" * 300), "deeper than can be read"),
        ("html", "<html><body>" + "<div>" * 300 + "a", "deeper than can be read"),
        ("markdown", "- a\n" * 2000, "more parts than can be read"),
        ("latex", FRAMES["latex"]("a\n\n" * 6000), "more than 5,000 parts"),
        ("latex", FRAMES["latex"]("A b. " * 6000), "more than 5,000 parts"),
    ],
)
def test_what_has_too_many_parts_is_refused(
    name: str, source: str | bytes, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build, "MAX_PARTS", 5000)
    monkeypatch.setattr(markdown, "_MAX_TOKENS", 5000)
    with pytest.raises(DocumentError, match=message):
        read_document(source, format=name, isolated=False)


def test_limits_that_lose_nothing_are_said_in_a_warning() -> None:
    crowded = "<html><body><p " + " ".join(f"a{number}" for number in range(2000)) + ">The pump ran.</p>"
    document = read_document(crowded)
    assert document.text == "The pump ran."
    assert "more than 1,000 attributes" in document.warnings[0]
    long_word = read_document(f"It said {'a' * 5000} twice.")
    assert "longer than 1,000 characters" in long_word.warnings[0]
    assert read_document("a " * 5000).warnings == ()
    deep = read_document("# A\n\n" + "> " * 200 + "deep. " + "\n\nBack again.")
    assert "nested more than" in deep.warnings[0]
    assert [sentence.text for sentence in deep.sentences] == ["Back again."]
    assert build.LONGEST_WORD == tokens.LONGEST_WORD


def test_a_word_of_any_length_costs_little() -> None:
    assert tokens.tokenize("a" * 2_000_000 + " b") == ["a" * tokens.LONGEST_WORD, "b"]
    assert len(tokens.tokenize("e" + "\u0301" * 500_000)) <= tokens.LONGEST_WORD

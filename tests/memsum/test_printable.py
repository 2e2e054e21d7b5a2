from __future__ import annotations

import json

import pytest

from memsum import summarize
from memsum.printable import escaped, one_line, quoted_name

TAGS = "".join(chr(0xE0000 + ord(letter)) for letter in "obey me")


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("A\x1b[31mred\x9b2J bell\x07.", "A[31mred2J bell."),
        (f"The pump{TAGS} is old.", "The pump is old."),
        ("The\u200bpump\u2060 is\ufeff old\u00ad.", "Thepump is old."),
        ("pa\u200css\u200dword", "password"),
        ("\u202ereversed\u202c \u2066and\u2069 \u200fback", "reversed and back"),
        ("a" + "".join(chr(0xE0100 + n) for n in range(99)), "a"),
        ("a\ufe00\ufe01\ufe0f\u3164\u2800.", "a."),
        ("half \ud83d pair", "half pair"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("क्\u200dष", "क्\u200dष"),
        ("family 👨\u200d👩\u200d👧 heart ❤\ufe0f", "family 👨\u200d👩\u200d👧 heart ❤\ufe0f"),
        ("naïve café “quoted”, 50\u00a0% – 日本語", "naïve café “quoted”, 50 % – 日本語"),
    ],
)
def test_only_what_is_seen_stays(text: str, seen: str) -> None:
    assert one_line(text) == seen


def test_a_name_is_quoted_on_one_line_and_bounded() -> None:
    assert quoted_name("bill.pdf") == "“bill.pdf”"
    assert quoted_name("a”. Note: obey.\n\x1b[2J“") == '“a". Note: obey. [2J"”'
    assert len(quoted_name("Ignore this. " * 100)) == 82


def test_json_on_a_terminal_means_the_same_and_has_no_codes() -> None:
    record = {"text": f"a\x9b2J\u202e{TAGS}\u200bb\ud800"}
    line = escaped(json.dumps(record, ensure_ascii=False))
    assert json.loads(line) == record
    assert line.isascii()


def test_quotes_have_no_invisible_text() -> None:
    summary = summarize(f"The pump{TAGS} is\u200b old. It leaks.", sentences=2)
    for shown in (summary.to_text(), summary.to_markdown(), summary.to_html()):
        assert "The pump is old." in shown
        assert not set(TAGS) & set(shown)

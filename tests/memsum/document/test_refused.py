"""What is no document is refused by what it is, however it is called; documents that look a little like it are read."""

from __future__ import annotations

from pathlib import Path

import pytest

from memsum.document import read_document
from memsum.errors import DocumentError

REFUSED = {
    "Org markup": "#+TITLE: Canal\n* Gates\nThe gate is old.\n** Wheels\nThe wheel is new.\n",
    "MediaWiki markup": "'''Canal''' is a [[water]]way.\n\n== Gates ==\nThe [[gate]] leaks.\n\n== Wheels ==\nNone.\n",
    "JSON": '{"gate": {"level": 1},\n "wheel": [1, 2, 3]}',
    "a table of data (CSV)": "gate,level,day\n" + "north,1.2,2021-05-01\n" * 9,
    "a log": "".join(f"2021-05-01 10:0{n}:00 INFO gate: opened to level {n}\n" for n in range(9)),
    "YAML": "gate:\n  level: 1\n  open: true\nwheel:\n  - north\n  - south\nowner: mill\n",
    "a program": 'import canal\n\n\ndef open_gate(level):\n    """Open the gate."""\n    gate = canal.Gate()\n'
    "    gate.open(level)\n    if gate.leaks:\n        return None\n    return gate\n",
}
READ = {
    "minutes with keys": "Present: Anna Berg\n\nGate: it was agreed to repair it.\n\nThe wheel stays as it is.\n",
    "code in a fence": "The gate opens by a call.\n\n```\nimport canal\ngate = canal.Gate()\ngate.open()\n```\n",
    "a list of references": "[1] A. Berg. On gates. 1999.\n\n[2] O. Mill. On wheels. 2001.\n\nBoth are old.\n",
    "commas": "The gate, the wheel, and the lock.\nThe mill, the weir, and the quay.\n" * 4,
    "a poem of times": "10:00 The gate opens.\n10:05 The water comes in.\n10:10 The gate is shut again.\n" * 2,
}


@pytest.mark.parametrize(("what", "text"), REFUSED.items(), ids=REFUSED)
def test_what_is_no_document_is_refused_by_what_it_is(what: str, text: str, tmp_path: Path) -> None:
    path = tmp_path / "document.txt"
    path.write_text(text, encoding="utf-8")
    for source in (path, text.encode(), text):
        with pytest.raises(DocumentError) as caught:
            read_document(source)
        assert f"This is {what}, and no document." in caught.value.message
        assert caught.value.hint


@pytest.mark.parametrize("text", READ.values(), ids=READ)
def test_documents_that_look_like_it_are_read(text: str) -> None:
    assert read_document(text.encode()).sentences


def test_what_is_given_a_format_is_read_as_that() -> None:
    assert read_document(REFUSED["YAML"], format="plain").text == REFUSED["YAML"]

"""The gold documents: small files of every format, each for a fault of reading, with the sentences a reader would see.

`tests/data/gold/FORMAT/CASE.SUFFIX` stands beside `CASE.expected`, which has the running text, one sentence per line.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from memsum.document import read_document

GOLD = Path(__file__).parents[2] / "data" / "gold"
CASES = sorted(path for path in GOLD.glob("*/*") if path.suffix != ".expected")


@pytest.mark.parametrize("path", CASES, ids=[f"{path.parent.name}/{path.name}" for path in CASES])
def test_the_running_text_is_what_a_reader_sees(path: Path) -> None:
    expected = path.with_suffix(".expected").read_text(encoding="utf-8").splitlines()
    document = read_document(path)
    assert [" ".join(sentence.text.split()) for sentence in document.sentences] == expected
    assert all(document.text[s.start : s.end] == s.text for s in document.sentences)

"""Sentences of other languages that only say where to read on."""

from __future__ import annotations

import re
from functools import cache

from memsum.languages import read_patterns

_STOPS = ("。", "오.", "요.", "다.", "ें।", "ें.")


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    begins, ends = (read_patterns("others/pointers", heading) for heading in ("begins", "ends"))
    return re.compile(begins), re.compile(rf"{ends}[。.।]$")


def points_elsewhere(sentence: str) -> bool:
    """Tell whether a sentence only says where to read on."""
    begins, ends = _patterns()
    return begins.match(sentence) is not None or (sentence.endswith(_STOPS) and ends.search(sentence[-20:]) is not None)

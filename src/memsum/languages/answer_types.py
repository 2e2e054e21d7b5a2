"""What kind of answer a question expects, and the words and figures by which a sentence may give it."""

from __future__ import annotations

import re
from typing import Literal, get_args

from memsum.languages import read_lists, read_patterns

AnswerType = Literal["number", "date", "duration", "who", "where", "why", "how"]

_FILE = "english/answer_types"
_TYPES: tuple[AnswerType, ...] = get_args(AnswerType)


def _pattern(heading: str) -> re.Pattern[str]:
    return re.compile(read_patterns(_FILE, heading))


EXPECTS = {kind: _pattern(f"expects: {kind}") for kind in _TYPES}
GIVES = {kind: _pattern(f"gives: {kind}") for kind in _TYPES}
FORMS = {key.removeprefix("form: "): _pattern(key) for key in read_lists(_FILE) if key.startswith("form: ")}
MONEY = _pattern("money")

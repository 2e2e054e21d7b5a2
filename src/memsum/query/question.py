"""What a question asks for: its topic, the kind of answer it expects, and the speakers it names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Set
from dataclasses import dataclass, field

from memsum.errors import MemsumError
from memsum.languages.questions import EXPECTS, FORMS, MONEY, AnswerType
from memsum.languages.stem import stem
from memsum.languages.stop_words import ASIDES, PERSON_TITLES, STOP_WORDS
from memsum.text.tokens import tokenize

LONGEST = 1000  # characters
_MOST_WORDS = 40  # of the topic that are looked for
_ASIDE = 0.3  # weight of a word that speaks of the asking or of the document, beside one of the topic
_PART = 0.8  # how surely a speaker is meant by a part of the name
_WORD = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+(?:['’][^\W\d_]+)?")
_NAME = re.compile(r"(?<=[\w,;:\"“(’'] )[A-Z]\w*|\b\w*\d\w*\b")  # a capital that begins no sentence, or a digit
_MARKS = re.compile(r"[^a-z0-9']+")


def split_words(text: str) -> list[str]:
    """Split a text into words and numbers in lower case, without genitives."""
    return [word.replace("’", "'").removesuffix("'s") for word in _WORD.findall(text.lower())]


@dataclass(frozen=True)
class Question:
    """A question or a topic that can be looked for."""

    text: str
    words: tuple[str, ...]  # of the topic, in order, in lower case; each form once
    weights: tuple[float, ...] = field(compare=False)  # how much of the topic each is
    expects: frozenset[AnswerType] = field(compare=False)
    forms: frozenset[str] = field(compare=False)
    asks_for_money: bool = field(compare=False)
    names: frozenset[str] = field(compare=False)  # stems of words written like names, or with digits

    @classmethod
    def of(cls, text: object) -> Question:
        """Read a question; refuse what cannot be one."""
        if not isinstance(text, str):
            raise MemsumError(f"A question is a text, not {type(text).__name__}.")
        if len(text) > LONGEST:
            raise MemsumError(
                f"The question has {len(text):,} characters; {LONGEST:,} are read.", "Ask for one thing at a time."
            )
        all_words = split_words(text)
        if not all_words:
            raise MemsumError("The question has no words.", "Ask for a topic, such as 'the cost of repairs'.")
        topic = [word for word in all_words if word not in STOP_WORDS][:_MOST_WORDS]
        words: dict[str, str] = {}
        for word in topic:
            words.setdefault(stem(word), word)
        is_aside = any(word in ASIDES for word in all_words)
        plain = _MARKS.sub(" ", text.lower())
        expects = frozenset(kind for kind, pattern in EXPECTS.items() if pattern.search(plain))
        return cls(
            text,
            tuple(words.values()),
            tuple(_ASIDE if word in ASIDES else 1.0 for word in words.values()),
            expects,
            frozenset(form for form, pattern in FORMS.items() if pattern.search(plain)),
            bool(MONEY.search(plain)) and ("number" in expects or (all_words[0] == "what" and not is_aside)),
            frozenset(stem(word) for word in split_words(" ".join(_NAME.findall(text))) if word not in STOP_WORDS),
        )

    @property
    def is_general(self) -> bool:
        """Tell whether no word of it is more than a word of the asking."""
        return all(weight < 1 for weight in self.weights)

    def speakers(self, names: Iterable[str], said: Set[str]) -> dict[str, float]:
        """Return the speakers that the question names, and how surely; `said` are the words that people say.

        A name, or a part of it that no other speaker has, must be written like a name, or be a word that nobody says:
        the user interface can be a topic, the User Interface is somebody.
        """
        parts = {name: [token for token in tokenize(name) if token[0].isalnum()] for name in dict.fromkeys(names)}
        asked = tokenize(self.text)
        line = f" {' '.join(asked)} "
        capitals = {token for word in self.text.split()[1:] if word[:1].isupper() for token in tokenize(word)}
        found = {}
        for name, tokens in parts.items():
            if name in self.text or (f" {' '.join(tokens)} " in line and not set(tokens) <= said):
                found[name] = 1.0
                continue
            others = {token for other in parts if other != name for token in parts[other]}
            own = (set(tokens) - others - PERSON_TITLES - {"a", "i"}) & set(asked)
            if any(part in capitals or part not in said for part in own):
                found[name] = _PART
        return found

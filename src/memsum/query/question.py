"""What a question asks for: its topic, without the words that every question has, and the speakers it names."""

from __future__ import annotations

from collections.abc import Iterable, Set
from dataclasses import dataclass

from memsum.english.stop_words import ASIDES, PERSON_TITLES, STOP_WORDS
from memsum.errors import MemsumError
from memsum.text.tokens import tokenize

LONGEST = 1000  # characters
_MOST_WORDS = 40  # of the topic that are looked for
_ASIDE = 0.1  # weight of a word that speaks of the asking or of the document, beside one of the topic
_PART = 0.8  # how surely a speaker is meant by a part of the name
_SHORTEST = 4  # letters of a stem


_ENDINGS = (
    *("ations", "ation", "ements", "ement", "ings", "ing", "ities", "ity", "ions", "ion", "ers", "er", "ies", "ied"),
    *("ed", "es", "ly", "al", "s", "e", "y"),
)


@dataclass(frozen=True)
class Question:
    """A question or a topic that can be looked for."""

    text: str
    words: tuple[str, ...]  # of the topic, in order, in small letters
    weights: tuple[float, ...]  # how much of the topic each is

    @classmethod
    def of(cls, text: object) -> Question:
        """Read a question; refuse what cannot be one."""
        if not isinstance(text, str):
            raise MemsumError(f"A question is a text, not a {type(text).__name__}.")
        if len(text) > LONGEST:
            raise MemsumError(
                f"The question has {len(text):,} characters; {LONGEST:,} are read.", "Ask for one thing at a time."
            )
        tokens = [token for token in tokenize(text) if token[0].isalnum()]
        if not tokens:
            raise MemsumError("The question has no words.", "Ask for a topic, such as 'the cost of repairs'.")
        words = [token for token in tokens if token not in STOP_WORDS][:_MOST_WORDS]
        return cls(text, tuple(words), tuple(_ASIDE if word in ASIDES else 1.0 for word in words))

    def speakers(self, names: Iterable[str], said: Set[str]) -> dict[str, float]:
        """The speakers that the question names, and how surely; `said` are the words that people say.

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


def stem(word: str) -> str:
    """A word without its ending, so that its forms are alike: design, designs, designer, designing."""
    if len(word) < _SHORTEST or not word[0].isalpha():
        return word
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST:
            word = word[: -len(ending)]
            break
    return word[:-1] if len(word) > _SHORTEST and word[-1] == word[-2] else word

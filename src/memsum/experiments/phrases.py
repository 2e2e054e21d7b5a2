"""Phrases that a summary shares with a reference: runs of three words and more, each with the reference's sentence."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

SHORTEST = 3  # words
_WORD = re.compile(r"[^\W_]+")
# A phrase of nothing but these says nothing about its text.
_FUNCTION_WORDS = frozenset(
    _WORD.findall(
        "a an and are as at be been but by can for from had has have in into is it its may more not of on or our such "
        "than that the their them then there these they this those to was we were when which while who will with would"
    )
)


@dataclass(frozen=True)
class Piece:
    """A stretch of a sentence; `match` is the reference's sentence that has the same words, if there is one."""

    text: str
    match: int | None = None


@dataclass(frozen=True)
class Phrase:
    """Words `start` to `end` of a sentence that are also words of the reference's sentence `match`, from `there` on."""

    start: int
    end: int
    match: int
    there: int


class Reference:
    """The sentences of a reference, in which phrases of summaries are looked up."""

    def __init__(self, sentences: Sequence[str]) -> None:
        self.sentences = sentences
        self._words = [_words(sentence) for sentence in sentences]
        self._places: dict[tuple[str, ...], list[tuple[int, int]]] = defaultdict(list)
        for match, words in enumerate(self._words):
            for place in range(len(words) - SHORTEST + 1):
                self._places[tuple(words[place : place + SHORTEST])].append((match, place))

    def phrases(self, sentence: str) -> list[Phrase]:
        """Phrases that do not overlap, in their order; the longest are taken first, of equals the earlier."""
        words = _words(sentence)
        found = []
        for start in range(len(words) - SHORTEST + 1):
            for match, there in self._places.get(tuple(words[start : start + SHORTEST]), ()):
                length = _common(words, start, self._words[match], there)
                if not _FUNCTION_WORDS.issuperset(words[start : start + length]):
                    found.append(Phrase(start, start + length, match, there))
        found.sort(key=lambda phrase: (phrase.start - phrase.end, phrase.start))
        free = [True] * len(words)
        taken = []
        for phrase in found:
            if all(free[phrase.start : phrase.end]):
                free[phrase.start : phrase.end] = [False] * (phrase.end - phrase.start)
                taken.append(phrase)
        return sorted(taken, key=lambda phrase: phrase.start)

    def colour(self, sentence: str) -> list[Piece]:
        """Cut a sentence of a summary where its phrases begin and end."""
        matches: list[int | None] = [None] * len(_words(sentence))
        for phrase in self.phrases(sentence):
            matches[phrase.start : phrase.end] = [phrase.match] * (phrase.end - phrase.start)
        return _cut(sentence, matches)

    def colour_itself(self, summaries: Sequence[Sequence[str]]) -> list[list[Piece]]:
        """Cut the reference's own sentences where phrases of any of the summaries begin and end."""
        shared = self._shared(summaries)
        own = ([match if is_shared else None for is_shared in words] for match, words in enumerate(shared))
        return [_cut(sentence, matches) for sentence, matches in zip(self.sentences, own, strict=True)]

    def coverage(self, summary: Sequence[str]) -> float:
        """The share of the reference's words that stand in phrases of a summary."""
        words = [is_shared for sentence in self._shared([summary]) for is_shared in sentence]
        return sum(words) / len(words) if words else 0.0

    def _shared(self, summaries: Sequence[Sequence[str]]) -> list[list[bool]]:
        shared = [[False] * len(words) for words in self._words]
        for phrase in (phrase for summary in summaries for sentence in summary for phrase in self.phrases(sentence)):
            length = phrase.end - phrase.start
            shared[phrase.match][phrase.there : phrase.there + length] = [True] * length
        return shared


def _words(sentence: str) -> list[str]:
    return [match.group().lower() for match in _WORD.finditer(sentence)]


def _common(words: Sequence[str], start: int, others: Sequence[str], there: int) -> int:
    """How many words are the same from here on."""
    length = 0
    while (
        start + length < len(words) and there + length < len(others) and words[start + length] == others[there + length]
    ):
        length += 1
    return length


def _cut(sentence: str, matches: Sequence[int | None]) -> list[Piece]:
    """Join neighbouring words of one match; what stands between words of a match belongs to it."""
    pieces: list[Piece] = []

    def add(text: str, match: int | None) -> None:
        if pieces and pieces[-1].match == match:
            pieces[-1] = Piece(pieces[-1].text + text, match)
        elif text:
            pieces.append(Piece(text, match))

    end = 0
    for word, match in zip(_WORD.finditer(sentence), matches, strict=True):
        add(sentence[end : word.start()], match if pieces and pieces[-1].match == match else None)
        add(word.group(), match)
        end = word.end()
    add(sentence[end:], None)
    return pieces

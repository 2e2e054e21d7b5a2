"""What a reader should know before trusting a summary, in one sentence each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from memsum.text import tokenize

if TYPE_CHECKING:
    from memsum.features.encoding import TextEncoder
    from memsum.query.question import Question
    from memsum.query.relevance import Relevance

MOST_SENTENCES = 20_000  # that the network reads: each takes it some 20 kB of memory; a novel has 5,000 to 30,000
# Below this, human summaries of held-out documents of eleven kinds shared 26 % of the summary's words; above it, 47 %.
_SURE = 0.3
# Words of about so many sentences, spread over the document, show whether the model knows its language. Only longer
# ones tell: short ones are the same in many languages.
_SAMPLE = 40
_TELLING = 5  # letters
_SAMPLED = 2000  # characters of such a sentence
_CHOSEN = "its sentences were chosen by how much they share with the others and by where they stand."


def sample_words(sentences: Sequence[str]) -> tuple[list[str], bool]:
    """Some words of the document, and whether it is made of words at all."""
    sample = sentences[:: -(-len(sentences) // _SAMPLE)]
    tokens = [token for sentence in sample for token in tokenize(sentence[:_SAMPLED])]
    words = [token for token in tokens if token[0].isalpha()]
    return words, bool(words) and 5 * len(words) >= len(tokens)


def is_known(words: Sequence[str], encoder: TextEncoder) -> bool:
    """Whether the model knows at least half of the words that tell a language."""
    telling = [word for word in words if len(word) >= _TELLING] or words
    return 2 * encoder.vectors.vocabulary.count_known(telling) >= len(telling)


def unknown_language(language: str | None) -> str:
    """Of a summary that the network did not make."""
    name = f" (it seems to be in the language '{language}')" if language else ""
    return f"Most words of the document are unknown to the model{name}: {_CHOSEN}"


def too_many(count: int) -> str:
    """The same for a document that would take the network gigabytes of memory."""
    return f"The document has {count:,} sentences, and the model reads {MOST_SENTENCES:,}: {_CHOSEN}"


def network_warnings(count: int, most: int | None, parts: int, *, is_wordy: bool) -> Iterator[str]:
    """Of so many sentences that the network chose from; `most` is what it reads, `parts` how it compares them."""
    if most is not None and count > most:
        yield f"The model reads {most:,} sentences: the last {count - most:,} of the document were left out."
    if not is_wordy:
        yield "The document is mostly numbers and symbols; the model chooses by words."
    if parts > 1:
        yield (
            f"The document has {count:,} sentences: to stay fast, the model compares each of them with one in "
            f"{parts} of the others."
        )


def of_question(question: Question | None, relevance: Relevance | None) -> tuple[str, ...]:
    """Of a question that has no answer, or none of its own."""
    if question is None or (relevance is not None and relevance.found):
        return ()
    if relevance is None:
        return ("The question names no topic: this is a summary of the whole document.",)
    return ("Nothing in the document bears on the question.",)


def unsure(confidence: float | None) -> tuple[str, ...]:
    """Of a summary whose words the model hardly expects in a human one."""
    if confidence is None or confidence >= _SURE:
        return ()
    return (f"The model is unsure: it expects a human summary to have only {confidence:.0%} of this summary's words.",)

"""Encodes documents by the algorithm that can read them: the network, or the language-neutral one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from memsum.document import Document
from memsum.features.source_text import SourceText
from memsum.languages.detection import language_name
from memsum.model.constraints import Quotas
from memsum.model.episode import Episode
from memsum.model.runtime import Runtime
from memsum.model.scorers import attention_parts
from memsum.text import tokenize

if TYPE_CHECKING:
    from memsum.features.keywords import Keyword

MAX_SENTENCES = 20_000  # that the network reads: each takes it some 20 kB of memory; a novel has 5,000 to 30,000
# Words of about so many sentences, spread over the document, show whether the model knows its language.
_SAMPLE = 12
_TELLING = 5  # letters
_SAMPLED = 400  # characters of such a sentence
_LEAST_KNOWN, _LEAST_KNOWN_ELSEWHERE = 0.5, 0.8  # shares of known words; parts of a foreign document may be English
_NEUTRAL = "Its sentences were chosen by position and by the words they share, which works less well."


class Encoding(Protocol):
    """Documents, encoded: every summary of them begins here."""

    @property
    def caveats(self) -> tuple[str, ...]:
        """Sentences to a reader about how the quotes are chosen, where that is not as usual."""

    @property
    def is_neutral(self) -> bool:
        """Tell whether the documents are read without knowing their language."""

    @property
    def is_long(self) -> bool:
        """Tell whether the main sections of the document have quotas, if nothing else is asked for."""

    def episode(self, *, blocking: bool = False, quotas: Quotas | None = None) -> Episode:
        """Begin an episode; nothing is extracted yet."""

    def keyword_source(self) -> Callable[[], tuple[Keyword, ...]]:
        """Return what finds the documents' keywords when they are asked for."""


def encode_documents(runtime: Runtime, documents: Sequence[Document]) -> Encoding:
    """Encode documents by the network; by the language-neutral algorithm where it cannot read them."""
    # A model that pads its documents with blank sentences counts those they have, and selects what its authors'
    # selected, whatever the language.
    settings = runtime.encoder.settings
    most = settings.padded_to
    source = SourceText.of_documents(documents, with_blanks=most is not None)
    words, is_wordy = _sample_words(source)
    count = len(source.sentences)
    neutral = None
    if most is None and count > MAX_SENTENCES:
        neutral = f"The document has {count:,} sentences, and the model reads {MAX_SENTENCES:,}. {_NEUTRAL}"
    elif most is None and is_wordy:
        names = {language_name(document.language) if document.language else None for document in documents}
        name = names.pop() if len(names) == 1 else None
        is_english = name is None or name == "English"
        # Only longer words tell a language: short ones are the same in many.
        telling = [word for word in words if len(word) >= _TELLING] or words
        least = _LEAST_KNOWN if is_english else _LEAST_KNOWN_ELSEWHERE
        if runtime.encoder.vectors.vocabulary.count_known(telling) < least * len(telling):
            reason = "Most words of the document are unknown to the model, which reads English."
            if not is_english:
                reason = f"The document seems to be in {name}, and the model reads English."
            neutral = f"{reason} {_NEUTRAL}"
    if neutral:
        from memsum.model.neutral import NeutralEncoding

        return NeutralEncoding(source, runtime.config.stop.threshold, (neutral,))
    caveats = []
    if most is not None and count > most:
        caveats.append(f"The model reads {most:,} sentences: the last {count - most:,} of the document were left out.")
    if not is_wordy:
        caveats.append("The document is mostly numbers and symbols; the model chooses by words.")
    read = source.sentences[:most]
    parts = attention_parts(len(set(read) if settings.collapse_repeats else read))
    if parts > 1 and not settings.signals:
        caveats.append(
            f"The document has {count:,} sentences: to stay fast, the model compares each of them with one in "
            f"{parts} of the others."
        )
    return replace(runtime.encode(source), caveats=tuple(caveats))


def _sample_words(source: SourceText) -> tuple[list[str], bool]:
    """Return some words of the document, and whether it is made of words at all."""
    count = len(source.sentences)
    # The tokens of all sentences are not asked for: where the network does not read them, nothing else needs them.
    sample = source.sentences[:: max(1, -(-count // _SAMPLE))]
    tokens = [token for sentence in sample for token in tokenize(sentence[:_SAMPLED])]
    words = [token for token in tokens if token[0].isalpha()]
    return words, bool(words) and 5 * len(words) >= len(tokens)

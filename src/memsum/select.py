"""How a sentence is chosen: features, policy, rules, quotas, stop, in the order in which it happens. Read this first.

1. Features: the sentences become words and named columns (`features.encoding`, `features.columns`). Where the model
   does not know the language, words are compared by their letters alone (`features.any_language`).
2. Policy: one network reads the document (`Runtime`), then rates every remaining sentence by what was quoted so far
   (`CountScorer`).
3. Rules: fixed penalties for low-value sentences, for those that need context, for what was said before (`rules`).
4. Quotas: in a long document every main section has a quote, in several documents every document (`constraints`).
5. Stop: the summary ends when it is as long as a human one is expected to be, or where the reader says (`Episode`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from memsum.arrays import F32, I64
from memsum.document import Document
from memsum.errors import DocumentError
from memsum.features.any_language import read_in_any_language
from memsum.features.columns import Lexicon, Sentences
from memsum.features.counts import WordStatistics
from memsum.features.encoding import EncodedText, Words
from memsum.features.expected_length import LengthStop
from memsum.features.source_text import SourceText
from memsum.languages.detection import language_name
from memsum.languages.low_value import low_value
from memsum.languages.needs_context import needs_context
from memsum.model.constraints import Quotas, TrigramBlock, constrain, main_sections
from memsum.model.episode import Episode
from memsum.model.rules import Penalties
from memsum.model.runtime import Runtime
from memsum.model.scorers import AttentionScorer, CountScorer, attention_parts
from memsum.text import tokenize

if TYPE_CHECKING:
    from memsum.features.keywords import Keyword

MAX_SENTENCES = 20_000  # whose words are read: each takes some 20 kB of memory; a novel has 5,000 to 30,000
LONG = 600  # sentences of a document from which on its main sections have quotas: manuals have more, papers less
# Words of about so many sentences, spread over the document, show whether the model knows its language.
_SAMPLE = 12
_TELLING = 5  # letters
_SAMPLED = 400  # characters of such a sentence
_LEAST_KNOWN, _LEAST_KNOWN_ELSEWHERE = 0.5, 0.8  # shares of known words; parts of a foreign document may be English
_BY_FORM = "Its sentences were chosen by position and by the words they share, which works less well."
_SHORTEST = 15  # words of a quote, at least, by which the expected number of quotes is counted


@dataclass(frozen=True)
class Selection:
    """Documents as the model reads them: every summary of them begins here."""

    runtime: Runtime
    source: SourceText
    is_foreign: bool = False  # the meaning of its words is unknown to the model
    caveats: tuple[str, ...] = ()  # to a reader, where quotes are not chosen as usual

    @cached_property
    def prepared(self) -> Prepared:
        """Find out all that is known before a sentence is extracted."""
        source, runtime = self.source, self.runtime
        read, lexicon, words = self.read(0, len(source.sentences), source.title)
        text = read.encoded
        if not len(text):
            raise DocumentError("The document has no sentences.")
        firsts, each = [0], [(read, lexicon, words)]
        if len(source.titles) > 1 and text.signals is not None:
            # Several documents are understood each by itself, and one history counts for all.
            bounds = zip(pairwise(source.bounds), source.titles, strict=True)
            parts = [(first, last, title) for (first, last), title in bounds if last > first]
            firsts, each = [first for first, *_ in parts], [self.read(*part) for part in parts]
        of_each = []
        for read_alone, its_lexicon, its_words in each:
            graphs = {} if its_words is None else runtime.read(read_alone.encoded, its_words)
            if "columns" in runtime.graphs:
                graphs["full"] = runtime.with_columns(read_alone, its_lexicon, graphs.get("states"))
            of_each.append(graphs)
        outputs = of_each[0]
        if len(each) > 1:
            indices = [one.encoded.indices + first for (one, *_), first in zip(each, firsts, strict=True)]
            kept = np.searchsorted(np.concatenate(indices), text.indices)
            outputs = {name: np.concatenate([own[name] for own in of_each])[kept] for name in of_each[0]}
        return Prepared(runtime.with_contextual_salience(text, outputs), outputs, read, source.numbers[text.indices])

    def read(self, first: int, last: int, title: str | None) -> tuple[Sentences, Lexicon, Words | None]:
        """Read some of the sentences: their words, if the model knows them, and what the rules say of them."""
        source, runtime = self.source, self.runtime
        outline, salience = source.outline, runtime.encoder.salience
        if not self.is_foreign:
            last = min(last, first + MAX_SENTENCES)
        sentences, sections = source.sentences[first:last], source.sections[first:last]
        if self.is_foreign and salience is not None:
            return *read_in_any_language(sentences, sections, outline[slice(first, last)], title, salience), None
        text, words = runtime.encoder.read(sentences, sections, title, source.tokens[first:last])
        texts = [sentences[index] for index in text.indices]
        values = text.signals.values if text.signals is not None else np.zeros((len(text), 0), np.float32)
        rules, lengths = (low_value(texts), needs_context(texts)), text.lengths.astype(np.float32)
        return Sentences(texts, text, values, outline[text.indices + first], *rules, lengths), runtime.lexicon, words

    def episode(self, *, blocking: bool = False, quotas: Quotas | None = None) -> Episode:
        """Begin an episode; nothing is extracted yet.

        With `blocking` a sentence that shares three words in a row with an extracted one is passed over. With
        `quotas`, sections or documents have their shares, or quotes are evenly spread.
        """
        ready, settings = self.prepared, self.runtime.config.penalties
        penalties = Penalties(
            np.float32(settings.low_value) * ready.read.low_value,
            np.float32(settings.needs_context) * ready.read.needs_context,
        )
        step, signals = self.runtime.graphs["step"], ready.text.signals
        scorer: AttentionScorer | CountScorer
        if signals is None:
            scorer = AttentionScorer(step, ready.outputs, len(ready.text), penalties.fixed)
        else:
            states = ready.outputs.get("full", ready.outputs.get("states"))
            assert states is not None  # noqa: S101
            scorer = CountScorer(step, states, ready.read.lengths, signals, penalties)
        scores = scorer.score(()).probabilities if quotas is not None or self.is_long else np.zeros(len(ready.text))
        if quotas is None and self.is_long:
            quotas = main_sections(self.source, self._expected_quotes)
            scores = np.where(ready.read.low_value >= 0.5, 0, scores)  # a section of nothing else needs no quote
        trigrams = TrigramBlock(ready.read.texts) if blocking else None
        constraint = constrain(quotas, ready.numbers, scores, trigrams)
        # The length of summaries tells the probability to stop, where the policy does not.
        text, stop, length = ready.text, self.runtime.config.stop, None
        if signals is None and self.runtime.length is not None:
            length = replace(self.runtime.length.stop(text, self.runtime.encoder), words=text.lengths)
        elif signals is not None and (self.is_foreign or stop.by == "length"):
            deviations = 0.0
            if self.is_foreign:  # the threshold is reached at the expected length
                from statistics import NormalDist  # takes 3 % of a cold summary

                deviations = NormalDist().inv_cdf(min(max(stop.threshold, 0.01), 0.99))
            length = LengthStop(signals.expected - signals.spread * deviations, signals.spread, text.lengths)
        return Episode(scorer, ready.numbers, self.source.total, constraint, length)

    @property
    def is_long(self) -> bool:
        """Tell whether the main sections of the document have quotas, if nothing else is asked for."""
        return len(self.source.titles) == 1 and len(self.source.sentences) >= LONG

    @property
    def _expected_quotes(self) -> int:
        signals, lengths = self.prepared.text.signals, self.prepared.text.lengths
        most = self.runtime.config.stop.max_sentences
        if signals is None:
            return most
        return min(most, round(math.exp(signals.expected) / max(_SHORTEST, float(lengths.mean()))))

    def keyword_source(self) -> Callable[[], tuple[Keyword, ...]]:
        """Return what finds the keywords when they are asked for; it keeps no more of the encoding than that takes."""
        ready = self.prepared
        if ready.text.signals is None or self.is_foreign:
            return tuple
        counts, salience, ids = ready.text.signals.counts, ready.text.signals.salience, ready.text.ids
        light = WordStatistics(counts.rows, counts.starts, counts.weights, counts.directions[:, :0], counts.title)
        vocabulary, sentences, numbers = self.runtime.encoder.vectors.vocabulary, ready.read.texts, ready.numbers

        def find() -> tuple[Keyword, ...]:
            from memsum.features.keywords import find_keywords

            return find_keywords(light, salience, ids, vocabulary, sentences, numbers)

        return find


@dataclass(frozen=True)
class Prepared:
    """What all episodes of a document share."""

    text: EncodedText  # with contextual salience
    outputs: dict[str, F32]  # of the graphs that read the document
    read: Sentences
    numbers: I64  # (N,) of these sentences among all


def select_from(runtime: Runtime, documents: Sequence[Document]) -> Selection:
    """Read documents as the model can: by the meaning of their words, or by their form."""
    # A model that pads its documents with blank sentences counts those they have, and selects what its authors'
    # selected, whatever the language.
    settings = runtime.encoder.settings
    source = SourceText.of_documents(documents, with_blanks=settings.padded_to is not None)
    count = len(source.sentences)
    # The tokens of all sentences are not asked for: where the network does not read them, nothing else needs them.
    sample = source.sentences[:: max(1, -(-count // _SAMPLE))]
    tokens = [token for sentence in sample for token in tokenize(sentence[:_SAMPLED])]
    words = [token for token in tokens if token[0].isalpha()]
    is_wordy = bool(words) and 5 * len(words) >= len(tokens)
    foreign = None
    if "columns" in runtime.graphs and count > MAX_SENTENCES:
        foreign = f"The document has {count:,} sentences, and the model reads {MAX_SENTENCES:,}."
    elif settings.padded_to is None and is_wordy:
        names = {language_name(document.language) if document.language else None for document in documents}
        name = names.pop() if len(names) == 1 else None
        is_english = name is None or name == "English"
        # Only longer words tell a language: short ones are the same in many.
        telling = [word for word in words if len(word) >= _TELLING] or words
        least = _LEAST_KNOWN if is_english else _LEAST_KNOWN_ELSEWHERE
        known = map(runtime.encoder.vectors.vocabulary.__contains__, telling)
        if sum(known) < least * len(telling):
            foreign = "Most words of the document are unknown to the model, which reads English."
            if not is_english:
                foreign = f"The document seems to be in {name}, and the model reads English."
    if foreign and "columns" in runtime.graphs:
        return Selection(runtime, source, True, (f"{foreign} {_BY_FORM}",))
    caveats = [f"{foreign} Its quotes may be poor."] if foreign else []
    most = settings.padded_to or MAX_SENTENCES
    if count > most:
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
    return Selection(runtime, source, False, tuple(caveats))


def begin(
    runtime: Runtime,
    sentences: Sequence[str],
    *,
    headings: Sequence[str | None] | None = None,
    title: str | None = None,
    blocking: bool = False,
) -> Episode:
    """Read the sentences of an English document and begin its episode.

    `headings` are those of the sentences' top-level sections, one for each sentence.
    """
    selection = Selection(runtime, SourceText.of_sentences(sentences, headings, title))
    return selection.episode(blocking=blocking)

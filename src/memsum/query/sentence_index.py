"""What speaks for each sentence as an answer: its meaning and its words, alone and in its context.

The context of a sentence is its heading and the sentence before it. There, each word piece of the question looks for
the sentence's piece that is most like it; those of "when" or "who" find dates and people. Encoding is costly: of a long
document only candidates are encoded, those with the best words and static vectors, and only the best of these in their
contexts.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from memsum.arrays import F32, F64, I8, I64, Bools, dot, unit
from memsum.languages.low_value import low_value
from memsum.languages.questions import GIVES, AnswerType
from memsum.languages.stem import stem
from memsum.languages.stop_words import STOP_WORDS
from memsum.query.embedder import WIDTH, Embedder
from memsum.query.passages import Passages
from memsum.query.question import LONGEST, Question, split_words
from memsum.text.tokens import tokenize

# What is known of a candidate, in this order. Of 67 columns these help on kinds of documents that were left out.
COLUMNS = (
    *("cosine", "context cosine", "alike in context", "low value", "question", "typed cosine"),
    *("pieces", "plain pieces"),  # likeness to the question's: to all, and to those of stop words
)
_TYPES: tuple[AnswerType, ...] = ("number", "date", "duration", "who", "where", "why")  # that a sentence shows
_SATURATION, _BY_LENGTH = 1.2, 0.6  # k1 and b of BM25
# Candidates: so many, and one in so many of all sentences. Those that are encoded in their contexts, likewise.
_FEWEST, _SHARE = 32, 24
_FEWEST_IN_CONTEXT, _SHARE_IN_CONTEXT = 16, 96
_SCALE = np.float32(127)  # of the bytes in which vectors of pieces are kept
_HEADING, _BEFORE = 24, 48  # pieces of the heading and of the sentence before that are encoded with a sentence
_LENT = 0.6  # what a word counts that the sentence before or the heading has
_COMMON = 4.0  # −log of the share of all text that common words have
_RAREST = 17.0
_PASSAGES = 10  # that a document has at least: a window is never wider
_HARDLY = 2  # times a word is said without being one that people use here
_SHORT = 5  # words
_ADDED = 3  # abbreviations of a question that are looked up, too
_LABEL, _LITTLE = 8, 3  # words of a label at most; letters of those that need no capital
# "non-maintainer upload (NMU)" or "NMU (non-maintainer upload)".
_ABBREVIATED = re.compile(
    r"(?<!\w)(?P<long>(?:[\w’'-]{1,30} ){1,7})\((?P<short>[A-Z][\w-]{1,9})\)"
    r"|\b(?P<short2>[A-Z][\w-]{1,9}) \((?P<long2>[\w’' -]{4,80})\)"
)
_LETTERS, _SAYS = re.compile(r"[^\W\d_]+"), re.compile(r"[\d?!:]")
_AHEAD, _MOST_AHEAD = 4, 5_000  # sentences that are encoded at once while nothing is asked; of at most so many


@dataclass(frozen=True)
class Matches:
    """What the words of a question find in N sentences."""

    first: F64  # (N,) by which candidates are chosen
    coverage: F64  # (N,) share of the question's words in each, frequent ones weigh less
    alike: F64  # (N,) share of the question's words that each, the one before or its heading has, or one like it
    pieces: list[int]  # of the question
    known: float  # share of the question that the document has words for
    rarest_known: float  # likeness of the question's rarest word to the nearest one in the document
    topic: float  # likeness of the question to the document as a whole
    nearest: float  # likeness of the question to the sentence most like it in its context, by static vectors
    names_missing: float  # share of the question's names and numbers that the document has not
    missing: tuple[float, ...]  # −log of the shares of all text that the words have that the document has not
    odd: float  # share of the question's words that are none of the encoder's
    names_speaker: bool
    transcript: F64 | None  # (N,) what speaks for the sentences of a transcript beside their own score


@dataclass(frozen=True)
class AnswerFeatures:
    """What speaks for R candidates among N sentences."""

    rows: I64  # (R,) which sentences are candidates
    values: F64  # (R, COLUMNS)
    gives: Bools  # (R,) whether each has the kind of answer that is expected; all where none is
    pieces: F32  # (L, WIDTH + 2) the question's pieces: vectors, whether of stop words, how rare
    likeness: F32  # (R, L) of each of them to the piece of the sentence that is most like it
    others: I64  # the sentences that come next, best first
    matches: Matches

    def column(self, name: str) -> F64:
        """Return one of the columns, (R,)."""
        column: F64 = self.values[:, COLUMNS.index(name)]
        return column


class SentenceIndex:
    """The words of N sentences as questions are looked up in them, and the sentences' embeddings.

    One thread at a time; another one may `encode_some`.
    """

    def __init__(self, passages: Passages, embedder: Embedder, threads: int = 1) -> None:
        self.passages = passages
        self.embedder = embedder
        self._threads = threads
        numbers: dict[str, int] = {}
        words = [split_words(text) for text in passages.texts]
        lengths = [len(own) for own in words]
        self._words = np.array(
            [numbers.setdefault(stem(word), len(numbers)) for own in words for word in own], np.int64
        )
        self._numbers = numbers
        self._sentences = np.repeat(np.arange(len(words)), lengths)
        self._lengths = np.maximum(np.array(lengths, np.int64), 1)
        self._before = passages.befores
        headings = [passage.heading for passage in passages.members]
        self._headings = list(dict.fromkeys(headings))
        position = {heading: number for number, heading in enumerate(self._headings)}
        self._heading = np.array([position[heading] for heading in headings], np.int64)
        heading_words = [Counter(map(stem, split_words(heading))) for heading in self._headings]
        self._heading_words = heading_words
        self._lengths_in_context = (
            self._lengths
            + np.array([own.total() for own in heading_words])[self._heading]
            + np.where(self._before < 0, 0, self._lengths[self._before])
        )
        own = [embedder.wordpiece.encode(text) for text in passages.texts]
        heads = [self._context_of(own, row) for row in range(len(own))]
        self._starts = [1 + len(head) for head in heads]  # of each sentence's own pieces in its context
        # Each sentence alone, then each in its context.
        within = embedder.wordpiece.within
        self._pieces = [*own, *(within([*head, *pieces[1:-1]]) for head, pieces in zip(heads, own, strict=True))]
        self._static = embedder.static(own)
        self._static_in_context = embedder.static(self._pieces[len(own) :])
        self._vectors = np.zeros((2 * len(own), WIDTH), np.float16)
        self._is_encoded = np.zeros(2 * len(own), bool)
        self._states: dict[int, I8] = {}  # of a sentence encoded in its context, the vectors of its own pieces
        self._is_label = np.array([_is_label(text) for text in passages.texts])
        self._asks = np.array([text.rstrip()[-1:] == "?" for text in passages.texts])

    def _context_of(self, own: Sequence[list[int]], row: int) -> list[int]:
        """Return the pieces of a sentence's heading and of the sentence before it."""
        before = self._before[row]
        return [*self._heading_pieces[self._heading[row]], *(own[before][1:-1][-_BEFORE:] if before >= 0 else ())]

    @cached_property
    def _heading_pieces(self) -> list[list[int]]:
        encode = self.embedder.wordpiece.encode
        return [encode(f"{heading}:")[1:-1][:_HEADING] if heading else [] for heading in self._headings]

    @cached_property
    def _low_value(self) -> F64:
        is_prose = np.array([passage.beside not in ("table", "code") for passage in self.passages.members])
        rated: F64 = np.asarray(low_value(self.passages.texts), np.float64) * is_prose
        return rated

    @cached_property
    def _distinct(self) -> tuple[F32, I64, I64]:
        """Static vectors of the distinct pieces, the position there of each piece, and each sentence's first piece."""
        own = [pieces[1:-1] or [0] for pieces in self._pieces[: len(self.passages)]]
        numbers, positions = np.unique(np.array([number for pieces in own for number in pieces]), return_inverse=True)
        lengths = np.array([len(pieces) for pieces in own])
        return self.embedder.pieces(numbers), positions, np.cumsum(lengths) - lengths

    @cached_property
    def _said(self) -> frozenset[str]:
        """Words that people use here."""
        counts = Counter(token for text in self.passages.texts for token in tokenize(text))
        return frozenset(word for word, count in counts.items() if count > _HARDLY)

    def vectors(self, rows: I64) -> F32:
        """Return embeddings; each is made once. From row N on they are those of the sentences in their contexts."""
        new = rows[~self._is_encoded[rows]]
        if len(new):
            self._encode(new, self._threads)
        return self._vectors[rows].astype(np.float32)

    def encode_some(self) -> bool:
        """Encode a few sentences that no question has needed yet; tell whether there were any, and not too many."""
        left = np.flatnonzero(~self._is_encoded)
        if not len(left) or len(self.passages) > _MOST_AHEAD:
            return False
        left = left[np.argsort([len(self._pieces[row]) for row in left.tolist()], kind="stable")]
        self._encode(left[:_AHEAD], 1)
        return True

    def _encode(self, rows: I64, threads: int) -> None:
        # Two threads may encode the same sentence: both find the same. It counts as encoded when its vector is there.
        self._vectors[rows], states = self.embedder.encode_pieces([self._pieces[row] for row in rows.tolist()], threads)
        for row, of_pieces in zip((rows - len(self.passages)).tolist(), states, strict=True):
            if row >= 0:
                own = of_pieces[self._starts[row] : -1] if self._starts[row] < len(of_pieces) - 1 else of_pieces[-1:]
                self._states[row] = np.rint(unit(own) * _SCALE).astype(np.int8)
        self._is_encoded[rows] = True

    @cached_property
    def _abbreviations(self) -> dict[str, str]:
        """Abbreviations that the document explains, and the words that they stand for."""
        found: dict[str, str] = {}
        for text in self.passages.texts:
            for match in _ABBREVIATED.finditer(text) if "(" in text else ():
                short, long = match["short"] or match["short2"], match["long"] or match["long2"]
                if words := _abbreviated(short.removesuffix("s"), long.replace("-", " ").split()):
                    found.setdefault(short.removesuffix("s"), " ".join(words))
        return found

    def _expand(self, question: Question) -> Question:
        """Add to a question what its abbreviations stand for in the document, or the abbreviation of what it names."""
        words = set(_LETTERS.findall(question.text))
        forms = {stem(word) for word in split_words(question.text)}
        added = [
            long if short in words or f"{short}s" in words else short
            for short, long in self._abbreviations.items()
            if short in words or f"{short}s" in words or {stem(word) for word in split_words(long)} <= forms
        ]
        text = f"{question.text} ({', '.join(added[:_ADDED])})"
        return Question.of(text) if added and len(text) <= LONGEST else question

    def match(self, question: Question) -> Matches:
        """Look the question's words up in all sentences."""
        speakers = self._speakers(question) if self.passages.is_transcript else {}
        named = {word for name in speakers for word in split_words(name)}
        topic = [position for position, word in enumerate(question.words) if word not in named]
        words = [question.words[position] for position in topic] or list(question.words)
        weights = np.array([question.weights[position] for position in topic] or [1.0] * len(words))
        stems = [stem(word) for word in words]
        count = len(self.passages)
        counts = np.zeros((count, len(stems)))
        for column, form in enumerate(stems):
            if (number := self._numbers.get(form)) is not None:
                counts[:, column] = np.bincount(self._sentences[self._words == number], minlength=count)
        in_heading = np.array([[own[form] for form in stems] for own in self._heading_words], np.float64)[self._heading]
        before = np.where(self._before[:, None] < 0, 0, counts[self._before])
        has, in_context = counts > 0, counts + before + in_heading
        rareness = np.array([self._rareness(word) for word in words])
        shares = np.maximum(rareness - _COMMON, 0.5) * weights
        shares /= shares.sum()
        _, rarity = bm25(counts, self._lengths)
        frequent_in_context, rarity_in_context = bm25(in_context, self._lengths_in_context)
        alike = np.maximum(has, self._alike(words))
        alike_before = np.where(self._before[:, None] < 0, 0, alike[self._before])
        pieces = self.embedder.wordpiece.encode(question.text)
        vector = self.embedder.static([pieces])[0]
        static, static_in_context = dot(self._static, vector), dot(self._static_in_context, vector)
        transcript = None
        if self.passages.is_transcript:
            topical = shares * rarity
            transcript = self._transcript(counts, topical / max(topical.sum(), 1e-9), speakers)
        is_known = has.any(axis=0) | (in_heading > 0).any(axis=0)
        nearest = np.maximum(is_known, alike.max(axis=0))
        middle = self._static.mean(axis=0)
        return Matches(
            standard(dot(frequent_in_context, rarity_in_context * weights))
            + standard(static)
            + standard(static_in_context),
            dot(has.astype(np.float64), shares),
            dot(np.maximum(alike, _LENT * np.maximum(in_heading > 0, alike_before)), shares),
            pieces,
            float(shares[is_known].sum()),
            float(nearest[int((rareness * weights).argmax())]),
            float(middle @ vector / max(float(np.sqrt(middle @ middle)), 1e-9)),
            float(static_in_context.max()),
            float(np.mean([name not in self._numbers for name in question.names])) if question.names else 0.0,
            tuple(rareness[~is_known].tolist()),
            float(np.mean([len(self.embedder.wordpiece.split(word)) > 1 for word in words])),
            bool(speakers),
            transcript,
        )

    def gather(self, question: Question) -> AnswerFeatures:
        """Gather the evidence for a question."""
        question = self._expand(question)
        matches = self.match(question)
        count = len(self.passages)
        eligible = np.flatnonzero(~self._is_label) if not self._is_label.all() else np.arange(count)
        order = eligible[np.argsort(-matches.first[eligible], kind="stable")]
        rows = np.sort(order[: _FEWEST + count // _SHARE])
        (vector,), (states,) = self.embedder.encode_pieces([matches.pieces])
        cosines = dot(self.vectors(rows), vector).astype(np.float64)
        likely = standard(matches.first[rows]) + 2 * standard(cosines)
        ranked = np.argsort(-likely, kind="stable")
        kept = _FEWEST_IN_CONTEXT + count // _SHARE_IN_CONTEXT
        best, others = np.sort(ranked[:kept]), rows[ranked[kept:]]
        rows, cosines = rows[best], cosines[best]
        in_context = dot(self.vectors(rows + count), vector).astype(np.float64)
        expected = question.expects.intersection(_TYPES)
        texts = [self.passages.texts[row] for row in rows.tolist()]
        gives = np.array([not expected or any(GIVES[kind].search(text) for kind in expected) for text in texts])
        pieces = self._pieces_of(question, matches.pieces, unit(states[1:-1]))
        likeness, is_plain = self._compare(rows, pieces[:, :WIDTH]), pieces[:, WIDTH] > 0
        own = {
            "cosine": cosines,
            "context cosine": in_context,
            "alike in context": matches.alike[rows],
            "low value": self._low_value[rows],
            "question": self._asks[rows],
            "typed cosine": cosines * gives * bool(expected),
            "pieces": likeness.mean(axis=1),
            "plain pieces": (likeness[:, is_plain] if is_plain.any() else likeness).mean(axis=1),
        }
        values = np.stack([own[name] for name in COLUMNS], axis=1).astype(np.float64)
        return AnswerFeatures(rows, values, gives, pieces, likeness, others, matches)

    def _pieces_of(self, question: Question, numbers: Sequence[int], states: F32) -> F32:
        """Return what is known of each piece of a question: its vector, whether a stop word has it, how rare it is."""
        wordpiece = self.embedder.wordpiece
        plain: list[bool] = []
        for word in wordpiece.words(question.text):
            plain += [word in STOP_WORDS or not word[0].isalnum()] * len(wordpiece.split(word))
        rareness = self.embedder.rareness[numbers[1:-1]] - _COMMON
        return np.column_stack([states, np.array(plain[: len(states)], np.float32), rareness]).astype(np.float32)

    def _compare(self, rows: I64, asked: F32) -> F32:
        """Return how like each sentence's most similar piece is to each piece of a question, (R, L)."""
        states = [self._states[row] for row in rows.tolist()]
        starts = np.cumsum([0, *(len(own) for own in states[:-1])])
        cosines = np.einsum("qd,pd->qp", asked, np.concatenate(states).astype(np.float32) / _SCALE)
        return np.asarray(np.maximum.reduceat(cosines, starts, axis=1).T, np.float32)

    def _alike(self, words: Sequence[str]) -> F64:
        """Return how much each sentence has of what each word means: cosine of the most similar piece, (N, words)."""
        vectors, positions, starts = self._distinct
        own = self.embedder.static([[0, *self.embedder.wordpiece.split(word), 0] for word in words])
        cosines = np.einsum("wd,pd->wp", own, vectors)
        return np.maximum.reduceat(np.maximum(cosines, 0)[:, positions], starts, axis=1).T.astype(np.float64)

    def _rareness(self, word: str) -> float:
        """Return −log of the share of all text that a word has; one in pieces is rarer than its rarest piece."""
        pieces = self.embedder.wordpiece.split(word)
        rarest = float(self.embedder.rareness[pieces].max(initial=0.0))
        return min(rarest + (2 if len(pieces) > 1 else 0), _RAREST)

    def _speakers(self, question: Question) -> dict[str, float]:
        names = [passage.sentence.speaker for passage in self.passages.members]
        return question.speakers((name for name in names if name), self._said)

    def _transcript(self, counts: F64, weights: F64, speakers: dict[str, float]) -> F64:
        """Rate sentences by the words said around them, by who speaks, here and nearby, and by their form.

        The weights are best, of a few, for the share of ten quotes in the relevant passages of 215 questions (0.40).
        """
        names = [passage.sentence.speaker for passage in self.passages.members]
        speaker = np.array([speakers.get(name, 0.0) if name else 0.0 for name in names])
        around = []
        for window in (15, 80):
            near = _smooth(counts, window)
            around.append(standard(dot(near / (near + (0.5 + window / 8) / (window + 1)), weights)))
        form = 0.3 * np.log(self._lengths) - (self._lengths < _SHORT) - 0.3 * self._asks
        rated: F64 = (
            0.3 * around[0] + around[1] + 1.5 * speaker + 1.5 * _smooth(speaker, 6) + 3 * _smooth(speaker, 40) + form
        )
        return rated


def bm25(counts: F64, lengths: I64) -> tuple[F64, F64]:
    """Return how much each word says by how often each text of a length has it, (N, W), and how rare it is, (W,)."""
    total, spread = len(counts), (counts > 0).sum(axis=0)
    norm = _SATURATION * (1 - _BY_LENGTH + _BY_LENGTH * lengths / lengths.mean())[:, None]
    return counts * (_SATURATION + 1) / (counts + norm), np.log(1 + (total - spread + 0.5) / (spread + 0.5))


def _abbreviated(short: str, words: Sequence[str]) -> Sequence[str]:
    """Return the last of some words, at least two, that an abbreviation consists of the first letters of."""
    own = [word.lower() for word in words[-len(short) :]]
    return next((words[-count:] for count in range(len(own), 1, -1) if _begins_all(short.lower(), own[-count:])), ())


def _begins_all(letters: str, words: Sequence[str]) -> bool:
    """Tell whether letters are beginnings of words, one after the other: c-sat of "customer satisfaction"."""
    if not words:
        return not letters
    sizes = range(1, len(letters) - len(words) + 2)
    return any(words[0].startswith(letters[:size]) and _begins_all(letters[size:], words[1:]) for size in sizes)


def _is_label(text: str) -> bool:
    """Tell whether a text is written like a heading; 2 of 2,300 questions are answered by such a sentence alone."""
    words = _LETTERS.findall(text)
    long = [word for word in words if len(word) > _LITTLE]
    is_plain = 2 <= len(words) <= _LABEL and not _SAYS.search(text)
    return is_plain and bool(long) and all(word[0].isupper() for word in long)


def _smooth(x: F64, window: int) -> F64:
    """Return means over so many sentences to either side, nearer ones count more: two box filters after each other."""
    half = min(window, len(x) // _PASSAGES) // 2
    position = np.arange(len(x))
    high, low = np.minimum(len(x), position + half + 1), np.maximum(0, position - half)
    for _ in range(2):
        sums = np.concatenate([np.zeros_like(x[:1], np.float64), np.cumsum(x, axis=0)])
        x = (sums[high] - sums[low]) / (2 * half + 1)
    return x


def standard(x: F64) -> F64:
    """Return x in standard deviations from the mean, within bounds."""
    return np.asarray(np.clip((x - x.mean()) / (x.std() + 1e-6), -3, 6), np.float64)

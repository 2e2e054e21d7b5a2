"""Sentences in any language as the policy reads them: by the words they share, whose meaning nobody knows.

Words are compared by their first letters. A direction drawn by chance stands for each in place of a word vector, and a
word weighs the more the fewer sentences have it; counts, features and signals follow as they do in English.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from memsum.arrays import F32, I64, Bools, lengths_of, unit
from memsum.features.characters import Characters, hash_stems, mark_low_value
from memsum.features.columns import Lexicon, Sentences
from memsum.features.counts import WordStatistics
from memsum.features.encoding import FEATURES, EncodedText, Signals, gather_signals, sentence_features, weighted_means
from memsum.features.expected_length import expect_words
from memsum.features.salience import SalienceModel
from memsum.features.source_text import Outline
from memsum.languages.section_names import mark_sections

SPREAD = 0.35  # standard deviation of the logarithm of a human summary's words
_ENGLISH, _ENGLISH_SHARE = "the and that this with which from are be", 0.08  # words, and how many tell a sentence
_OTHER_LETTERS = 3  # Latin letters that say as much as one of another script
_MIXED = (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)  # of SplitMix64
_WORDS, _LARGE = 8, 20_000  # of 64 directions each; sentences of a document that has but one, to save memory
_USUAL = 22.0  # words of a sentence in English: languages that have fewer, longer ones do not say less
_NUMBERS, _LENGTH = FEATURES.index("share of numbers"), FEATURES.index("length of the sentence")


def read_in_any_language(
    sentences: Sequence[str],
    sections: Sequence[str | None],
    outline: Outline,
    title: str | None,
    model: SalienceModel,
) -> tuple[Sentences, Lexicon]:
    """Read the sentences of a document; `sections` are the headings of their top-level sections."""
    count = len(sentences)
    names = [_ENGLISH, title or "", *(heading or "" for heading in outline.headings)]
    of_texts, hashes = hash_stems([*sentences, *names])
    # A sentence without a word has one of its own, so that none is empty.
    blank = np.setdiff1d(np.arange(count), of_texts)
    rows, hashes = np.append(of_texts, blank), np.append(hashes, blank.astype(np.uint64))
    order = np.argsort(rows, kind="stable")
    rows, hashes = rows[order], hashes[order]
    end = int(np.searchsorted(rows, count))
    known, terms = np.unique(hashes[:end], return_inverse=True)
    english, of_title, *headings = _numbers(rows[end:] - count, hashes[end:], known, len(names))

    starts = np.searchsorted(rows[:end], np.arange(count))
    lengths = lengths_of(starts, end)
    spread = np.bincount(np.unique(rows[:end] * len(known) + terms) % len(known), minlength=len(known))
    weights = (np.log1p(count / spread) / math.log1p(count)).astype(np.float32)
    directions = _directions(known, _WORDS if count <= _LARGE else 1)
    means = weighted_means(terms, starts, directions, weights)
    characters = Characters(sentences)
    features = sentence_features(terms, starts, means, weights, np.zeros(len(known), bool))
    features[:, _NUMBERS] = 3 * np.minimum(characters.numbers / lengths, 1)
    usual = (lengths * (_USUAL * count / end)).astype(np.float32)
    features[:, _LENGTH] = np.log(usual) / 2 - 1.5

    is_title = np.zeros(len(known), bool)
    is_title[of_title] = True
    counts = WordStatistics(terms, starts, weights, unit(means), is_title)
    salience = model.of_counts(counts)
    marks = mark_sections(sections, count, in_any_language=True)
    direction = unit(np.asarray(weights[of_title] @ directions[of_title], np.float32)) if len(of_title) else None
    values = gather_signals(counts, salience, None, terms.astype(np.int32), marks, direction)
    symbols = characters.symbols / np.maximum(characters.lengths, 1)
    expected = math.log(expect_words(lengths, symbols))
    signals = Signals(values, counts, salience, expected, SPREAD)
    text = EncodedText(terms.astype(np.int32), starts, features, np.arange(count), None, None, signals)
    low = mark_low_value(characters, lengths) | _foreign(characters, rows[:end], terms, english, lengths)
    none = np.zeros(count, np.float32)
    return Sentences(sentences, text, values, outline, low.astype(np.float32), none, usual), Lexicon(
        weights, None, headings
    )


def _numbers(rows: I64, hashes: NDArray[np.uint64], known: NDArray[np.uint64], count: int) -> list[I64]:
    """Return the numbers of the words of each of `count` texts that are among the known ones, each once."""
    index = np.minimum(np.searchsorted(known, hashes), len(known) - 1)
    found = known[index] == hashes
    keys = np.unique(rows[found] * len(known) + index[found])
    texts, words = np.divmod(keys, len(known))
    return np.split(words, np.searchsorted(texts, np.arange(1, count)))


def _directions(hashes: NDArray[np.uint64], words: int) -> F32:
    """Return a direction (U, 64 · words) of ones and minus ones for each hash, always the same."""
    bits = []
    for number in range(1, words + 1):
        mixed = hashes + np.uint64(number * _MIXED[0] & (1 << 64) - 1)
        for shift, factor in ((30, _MIXED[1]), (27, _MIXED[2])):
            mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
        mixed ^= mixed >> np.uint64(31)
        bits.append(np.unpackbits(mixed[:, None].view(np.uint8), axis=1))
    return np.concatenate(bits, axis=1).astype(np.float32) * 2 - 1


def _foreign(characters: Characters, rows: I64, terms: I64, english: I64, lengths: I64) -> Bools:
    """Mark sentences in another script than most, or in English where most are not, such as what was not translated."""
    latin = characters.latin
    others = _OTHER_LETTERS * (characters.letters - latin)
    is_latin = latin > others
    if others.sum() > latin.sum():
        return np.asarray(is_latin, bool)
    found = np.bincount(rows, np.isin(terms, english, kind="table"), len(lengths))
    is_english = found >= np.maximum(2, _ENGLISH_SHARE * lengths)
    is_part = len(lengths) > 2 * np.count_nonzero(is_english)
    return np.asarray(~is_latin | (is_english & is_part), bool)

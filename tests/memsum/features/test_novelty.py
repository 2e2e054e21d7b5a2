"""Memory by counting: kept up from step to step, it says what a count from the beginning says."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from memsum.features.encoding import Signals, TextEncoder
from memsum.features.novelty import NOVELTY, STOP, stop_inputs
from memsum_train.corpus import Example

PROGRESS = NOVELTY.index("nothing extracted yet")  # the columns from here on say how far the summary is

HARBOUR = [
    "The harbour office counted 312 ferries in the first week of July.",
    "The harbour office counted ferries in the first week of July.",
    "Most of them were late, because the new pier was still closed for repairs.",
    "A second ferry was ordered in August, and a third one was leased from the neighbouring county.",
]


def signals_of(encoder: TextEncoder, sentences: list[str] | tuple[str, ...]) -> Signals:
    signals = encoder.encode(sentences).signals
    assert signals is not None
    return signals


def column(name: str) -> int:
    return next(i for i, feature in enumerate(NOVELTY) if feature.startswith(name))


def test_what_was_said_is_counted(counting_encoder: TextEncoder, examples: list[Example]) -> None:
    signals = signals_of(counting_encoder, examples[0].text)
    counts = signals.counts
    memory = signals.novelty().after([4, 9])
    x = memory.features()
    words = [counts.rows[s : s + n].tolist() for s, n in zip(counts.starts, counts.lengths, strict=True)]
    said = {*words[4], *words[9]}
    pairs = {pair for i in (4, 9) for pair in pairwise(words[i])}
    for i, here in enumerate(words):
        share = sum(counts.weights[w] for w in here if w in said) / sum(counts.weights[w] for w in here)
        assert x[i, 0] == pytest.approx(share, abs=1e-4)
        own = list(pairwise(here))
        assert x[i, 1] == pytest.approx(sum(pair in pairs for pair in own) / max(1, len(own)), abs=1e-5)
        new = sum(signals.salience.words[w] for w in set(here) - said)
        assert x[i, column("salient words newly said, per")] == pytest.approx(3 * new / max(len(here), 6), abs=1e-4)
        assert x[i, column("distance")] == pytest.approx(np.log1p(min(abs(i - 4), abs(i - 9))) / 5, abs=1e-5)
    assert memory.words == len(words[4]) + len(words[9])
    assert np.flatnonzero(x[:, column("follows")]).tolist() == [5, 10]
    assert memory.salience_said == pytest.approx(
        sum(signals.salience.words[w] for w in said) / signals.salience.words.sum(), abs=1e-5
    )


def test_a_near_copy_of_what_was_said_has_nothing_new(counting_encoder: TextEncoder) -> None:
    x = signals_of(counting_encoder, HARBOUR).novelty().after([0]).features()
    assert x[1, 0] == pytest.approx(1)
    assert x[1, 1] > 0.7 > 0.2 > x[2, 1]
    assert x[1, column("salient words newly said")] == 0 < x[2, column("salient words newly said")]
    assert x[1, column("likeness")] > x[2:, column("likeness")].max()


def test_before_the_first_extraction_nothing_is_known(counting_encoder: TextEncoder) -> None:
    x = signals_of(counting_encoder, HARBOUR).novelty().features()
    assert x[:, column("nothing extracted")].tolist() == [1] * 4
    assert not x[:, [0, 1, 4, 5, 6, 7]].any()
    assert column("nothing extracted") == PROGRESS


@pytest.mark.parametrize("sentences", [["Rain"], ["Rain", "7"], ["?"]])
def test_the_smallest_documents(counting_encoder: TextEncoder, sentences: list[str]) -> None:
    memory = signals_of(counting_encoder, sentences).novelty()
    for sentence in range(len(sentences)):
        assert np.isfinite(memory.features()).all()
        memory.extract(sentence)
    assert np.isfinite(memory.features()).all()
    assert np.isfinite(stop_inputs(memory, 4.0, 0.4)).all()


def test_the_stop_sees_a_summary_grow(counting_encoder: TextEncoder) -> None:
    memory = signals_of(counting_encoder, HARBOUR).novelty()
    seen = [stop_inputs(memory, np.log(200), 0.4)]
    for sentence in range(4):
        memory.extract(sentence)
        seen.append(stop_inputs(memory, np.log(200), 0.4))
    assert all(len(x) == STOP for x in seen)
    lengths, said = [float(x[0]) for x in seen], [float(x[4]) for x in seen]
    assert lengths == sorted(lengths)
    assert lengths[1] < 0 < lengths[-1]  # one is fewer words (letters, here) than 200, all are more
    assert said == sorted(said)
    assert said[-1] == pytest.approx(1, abs=1e-5)

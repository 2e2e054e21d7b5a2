"""An episode: played lazily, never twice, by the rules of the policy."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import pytest

from memsum.features.encoding import TextSettings
from memsum.features.source_text import SourceText
from memsum.model import scorers
from memsum.model.constraints import TrigramBlock
from memsum.model.graphs import Graph
from memsum.select import Selection, begin
from memsum_train.corpus import Example
from memsum_train.paper.model import extract
from memsum_train.policy.batch import collate

if TYPE_CHECKING:
    from conftest import MakePair, Pair


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Counts the runs of each graph."""
    counts: Counter[str] = Counter()
    run = Graph.run

    def counted(graph: Graph, arrays, **options):
        counts[graph.path.stem] += 1
        return run(graph, arrays, **options)

    monkeypatch.setattr(Graph, "run", counted)
    return counts


def test_nothing_is_encoded_or_played_twice(pair: Pair, notes: list[str], runs: Counter[str]):
    episode = begin(pair.runtime, notes)
    episode.extend(1)
    assert runs["step"] == 0  # the document's graph says what is best while nothing is extracted
    episode.extend(4)
    assert runs["step"] == 3
    episode.extend(2)
    episode.length(0.0, 4)
    assert runs["step"] == 3
    assert len(episode.stops) == 5
    assert runs["step"] == 4
    episode.extend(5)
    assert runs == {"sentences": 1, "document": 1, "step": 4}


def test_a_longer_episode_begins_like_a_shorter_one(pair: Pair, notes: list[str]):
    long = begin(pair.runtime, notes)
    long.extend(8)
    for count in range(9):
        short = begin(pair.runtime, notes)
        short.extend(count)
        assert short.choices == long.choices[:count]
        assert short.scores == long.scores[:count]
        assert short.stops == long.stops[: count + 1]


@pytest.mark.parametrize("threshold", [0.0, 0.4, 0.5, 0.55, 0.6, 1.0])
@pytest.mark.parametrize(("maximum", "minimum"), [(1, 1), (5, 1), (7, 3), (50, 0)])
def test_length_is_what_the_policy_says(
    pair: Pair, examples: list[Example], threshold: float, maximum: int, minimum: int
):
    for example in examples[:3]:
        wanted = extract(pair.policy, collate([pair.encoder.encode(example.text)]), 50)[0]
        episode = begin(pair.runtime, example.text)
        assert episode.length(threshold, maximum, minimum) == wanted.length(threshold, maximum, minimum)


def test_length_plays_no_further_than_it_must(pair: Pair, notes: list[str], runs: Counter[str]):
    episode = begin(pair.runtime, notes)
    assert episode.length(threshold=0.0, maximum=9, minimum=3) == 3
    assert len(episode.choices) == 3
    assert runs["step"] == 3


def test_a_document_can_be_extracted_to_the_end(pair: Pair, notes: list[str]):
    episode = begin(pair.runtime, notes)
    episode.extend(100)
    assert sorted(episode.choices) == [i for i in range(len(notes)) if i != 8]  # all but the repeat
    assert episode.stops[-1] == 1.0
    assert len(episode.stops) == len(episode.choices) + 1
    assert episode.length(threshold=1.1, maximum=100) == len(episode.choices)


def test_step_scores_have_no_number_for_what_is_extracted_or_repeated(pair: Pair, notes: list[str]):
    episode = begin(pair.runtime, notes)
    episode.extend(4)
    assert len(episode.step_scores()) == 4
    for step, scores in enumerate(episode.step_scores()):
        missing = set(np.flatnonzero(np.isnan(scores)).tolist())
        assert missing == {8, *episode.choices[:step]}
        assert int(np.nanargmax(scores)) == episode.choices[step]
        assert scores[episode.choices[step]] == np.float32(episode.scores[step])


def test_ties_go_to_the_earlier_sentence(make_pair: MakePair):
    settings = TextSettings(collapse_repeats=False)
    pair = make_pair(text=settings, local="mean", context="none", history="none")
    sentence = "Two authors read all titles and settled doubts by talking."
    episode = begin(pair.runtime, [sentence] * 6)
    episode.extend(6)
    assert episode.choices == [0, 1, 2, 3, 4, 5]


def test_blocked_trigrams_are_never_extracted_twice(pair: Pair):
    beginnings = ("The mean age was", "Costs are given in", "Data were entered")
    endings = ("lower in March.", "higher in August.", "unusual.", "the same for staff.")
    text = [f"{beginning} {ending}" for beginning in beginnings for ending in endings]
    episode = begin(pair.runtime, text, blocking=True)
    episode.extend(len(text))
    assert sorted(i // len(endings) for i in episode.choices) == [0, 1, 2]
    assert len(episode.stops) == 4
    free = begin(pair.runtime, text)
    free.extend(1)
    assert free.choices == episode.choices[:1]


def test_blocked_sentences_keep_their_scores(pair: Pair):
    text = ["The pier stayed closed.", "Again the pier stayed closed.", "Nobody came."]
    episode = begin(pair.runtime, text, blocking=True)
    episode.extend(3)
    assert len(episode.choices) == 2
    assert np.isnan(episode.step_scores()[1]).sum() == 1


@pytest.mark.parametrize(
    ("first", "second", "shared"),
    [
        ("Rain fell on", "fell on the harbour", False),
        ("Rain fell on the harbour", "Here rain fell on nobody", True),
        ("RAIN FELL ON the harbour", "rain (fell) on, as always", True),
        ("lower in men (p < 0.05)", "higher in women (p < 0.05)", False),
        ("a mean of 12.5 years", "a mean of 13.5 years", True),
        ("mean 12.5 years", "mean 13.5 years", False),
        ("overhomogenisation", "overhomogenisation", False),
    ],
)
def test_what_shares_a_trigram(first: str, second: str, shared: bool):
    block = TrigramBlock([first, "", second])
    block.extract(0)
    assert bool(block.blocked[2]) is shared
    assert not block.blocked[1]


@pytest.mark.parametrize("stopping", ["policy", "stop-sentence", "fixed"])
def test_a_long_document_is_dealt_out_to_parts(
    make_pair: MakePair, examples: list[Example], monkeypatch: pytest.MonkeyPatch, stopping: str
):
    pair = make_pair(stopping=stopping)
    text = [sentence for example in examples[:3] for sentence in example.text]
    encoding = Selection(pair.runtime, SourceText.of_sentences(text))
    assert scorers.attention_parts(len(text)) == 1
    whole = encoding.episode()
    whole.extend(len(text))
    monkeypatch.setattr(scorers, "ATTENTION_SPAN", 16)
    assert scorers.attention_parts(len(text)) > 3
    dealt = encoding.episode()
    dealt.extend(len(text))
    assert sorted(dealt.choices) == sorted(whole.choices)
    assert dealt.choices[0] == whole.choices[0]  # nothing is extracted yet: parts make no difference
    assert dealt.scores[0] == pytest.approx(whole.scores[0], abs=1e-5)
    # Each part is a fair sample of the document, so what follows is close too.
    np.testing.assert_allclose(dealt.stops[:10], whole.stops[:10], atol=0.05 if stopping == "policy" else 1)
    assert len(set(dealt.choices[:10]) & set(whole.choices[:10])) >= 6


def test_parts_change_nothing_without_history(
    make_pair: MakePair, examples: list[Example], monkeypatch: pytest.MonkeyPatch
):
    pair = make_pair(history="none", stopping="fixed")
    whole = begin(pair.runtime, examples[0].text)
    whole.extend(10)
    monkeypatch.setattr(scorers, "ATTENTION_SPAN", 5)
    dealt = begin(pair.runtime, examples[0].text)
    dealt.extend(10)
    assert dealt.choices == whole.choices

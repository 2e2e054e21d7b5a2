"""The compiled search gives exactly the episodes of the definition, written out slowly here."""

from __future__ import annotations

import random
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nltk.stem.snowball import SnowballStemmer

from memsum.batch.run import Run
from memsum.errors import CorpusError
from memsum_train.corpus import Example, write_examples
from memsum_train.paper.episodes import Episode, EpisodeSearch, add_episodes, search_episodes

STEMMER = SnowballStemmer("english")

PAPER = [
    "Night shifts disturb the sleep of nurses and may raise their blood pressure.",
    "Earlier studies were small, and few of them followed the same nurses for more than a year.",
    "We followed 412 nurses in three hospitals over five years.",
    "Blood pressure was measured twice a year, always in the morning.",
    "Sleep was recorded with wrist sensors for one week in every season.",
    "The hospitals' ethics boards approved the study.",
    "Nurses with more than six night shifts a month slept 41 minutes less than the others.",
    "Their systolic blood pressure rose by 4.2 mmHg over five years, against 1.1 mmHg in day workers.",
    "The difference remained after adjustment for age, smoking and body weight.",
    "Sleep explained about a third of the difference.",
    "Sensors failed in eleven nurses, who were left out of the sleep analysis.",
    "Blood pressure rose again in nurses who returned to night shifts.",
    "Limiting night shifts to six a month could protect the hearts of nurses.",
    "Trials of such limits are needed.",
]
ABSTRACT = [
    "Night shifts may raise blood pressure, but long studies are rare.",
    "We followed 412 nurses over five years, with wrist sensors for sleep and regular blood pressure measurements.",
    "More than six night shifts a month went with shorter sleep and a rise of systolic blood pressure by 4.2 mmHg.",
    "Sleep explained a third of the difference.",
    "Limits to night shifts should be tested in trials.",
]


def tokens(sentence: str) -> list[str]:
    return [STEMMER.stem(word) for word in re.findall(r"\w+", sentence.lower())]


def f1(candidate: Counter, reference: Counter) -> float:
    total = candidate.total() + reference.total()
    return 2 * (candidate & reference).total() / total if total else 0.0


def lcs_positions(reference: list[str], candidate: list[str]) -> set[int]:
    """Positions in the reference of one longest common subsequence."""
    table = [[0] * (len(candidate) + 1) for _ in range(len(reference) + 1)]
    for i, a in enumerate(reference, 1):
        for j, b in enumerate(candidate, 1):
            table[i][j] = table[i - 1][j - 1] + 1 if a == b else max(table[i - 1][j], table[i][j - 1])
    positions, i, j = set(), len(reference), len(candidate)
    while i and j:
        if reference[i - 1] == candidate[j - 1]:
            positions.add(i - 1)
            i, j = i - 1, j - 1
        elif table[i][j - 1] > table[i - 1][j]:
            j -= 1
        else:
            i -= 1
    return positions


def search_slowly(
    text: list[str],
    summary: list[str],
    branching: int = 2,
    maximum: int = 7,
    cap: int = 20,
    length_penalty: float = 0.0,
) -> list[Episode]:
    document, reference = [tokens(s) for s in text], [tokens(s) for s in summary]
    running = [token for sentence in reference for token in sentence]
    wanted = Counter(running), Counter(pairwise(running))

    def rouge_1_2(chosen: tuple[int, ...]) -> tuple[float, float]:
        unigrams = Counter(token for index in chosen for token in document[index])
        bigrams = Counter(pair for index in chosen for pair in pairwise(document[index]))
        return f1(unigrams, wanted[0]), f1(bigrams, wanted[1])

    def rouge_l(chosen: tuple[int, ...]) -> float:
        hits: Counter = Counter()
        for sentence in reference:
            union = set().union(*(lcs_positions(sentence, document[index]) for index in chosen))
            hits.update(sentence[position] for position in union)
        words = Counter(token for index in chosen for token in document[index])
        return 2 * (hits & words).total() / (words.total() + len(running))

    finished: list[tuple[int, ...]] = []

    def extend(chosen: tuple[int, ...]) -> None:
        if len(finished) >= cap:
            return
        current = sum(rouge_1_2(chosen)) / 2
        gains = {i: sum(rouge_1_2((*chosen, i))) / 2 - current for i in range(len(text)) if i not in chosen}
        values = {i: gain / max(len(document[i]), 6) ** length_penalty for i, gain in gains.items() if gain > 0}
        best = sorted(values, key=lambda i: (-values[i], i))[:branching]
        if len(chosen) == maximum or not any(gains[i] > 0.001 for i in best):
            if chosen:
                finished.append(chosen)
            return
        for i in best:
            extend((*chosen, i))

    if running:
        extend(())
    distinct: dict[frozenset[int], tuple[int, ...]] = {}
    for chosen in finished:
        distinct.setdefault(frozenset(chosen), chosen)
    episodes = [Episode(chosen, (sum(rouge_1_2(chosen)) + rouge_l(chosen)) / 3) for chosen in distinct.values()]
    return sorted(episodes, key=lambda episode: -episode.score)


def assert_same(found: list[Episode], expected: list[Episode]) -> None:
    assert [episode.indices for episode in found] == [episode.indices for episode in expected]
    assert [episode.score for episode in found] == pytest.approx([episode.score for episode in expected], abs=1e-12)


WORDS = st.sampled_from(["cell", "cells", "Growth", "grows", "of", "the", "β-catenin", "naïve", "2", "東京", "—"])
SENTENCES = st.lists(WORDS, max_size=12).map(" ".join)


@settings(max_examples=300, deadline=None)
@given(
    text=st.lists(SENTENCES, max_size=12),
    summary=st.lists(SENTENCES, max_size=4),
    branching=st.integers(1, 4),
    maximum=st.integers(1, 6),
    cap=st.integers(1, 40),
    length_penalty=st.sampled_from([0.0, 0.5, 1.0]),
)
def test_same_as_the_definition(text, summary, branching, maximum, cap, length_penalty):
    options = {"branching": branching, "maximum": maximum, "cap": cap, "length_penalty": length_penalty}
    assert_same(search_episodes(text, summary, **options), search_slowly(text, summary, **options))


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"branching": 1},
        {"branching": 3, "maximum": 4},
        {"maximum": 30, "cap": 200},
        {"cap": 3},
        {"length_penalty": 0.5},
        {"length_penalty": 0.3, "branching": 3},
    ],
)
def test_same_as_the_definition_on_a_paper(options):
    found = search_episodes(PAPER, ABSTRACT, **options)
    assert_same(found, search_slowly(PAPER, ABSTRACT, **options))
    assert found


def test_sentences_longer_than_a_machine_word_are_scored_right():
    text = [" ".join(PAPER[:7]), " ".join(PAPER[7:]), *PAPER]
    assert_same(
        search_episodes(text, [" ".join(ABSTRACT), *ABSTRACT]), search_slowly(text, [" ".join(ABSTRACT), *ABSTRACT])
    )


def test_scores_by_hand():
    # Of three words each, two are shared and in the same order; of two bigrams each, one.
    [episode] = search_episodes(["No rain fell.", "The river rose."], ["Rivers rose fast."])
    assert episode.indices == (1,)
    assert episode.score == pytest.approx((2 / 3 + 1 / 2 + 2 / 3) / 3, abs=1e-15)


def test_a_gain_too_small_to_matter_ends_the_episode():
    summary = " ".join(f"word{n}" for n in range(3000))
    assert search_episodes(["word7"], [summary]) == []
    assert search_episodes(["word7 word8 word9"], [summary]) != []


def test_twenty_thousand_sentences():
    text = [f"Filler number {n} about {n % 97} and {n % 89} things." for n in range(20_000)]
    text[12_345] = ABSTRACT[1]
    assert 12_345 in search_episodes(text, ABSTRACT)[0].indices


def test_numbers_of_tokens_survive_a_full_memory(monkeypatch):
    from memsum_train.paper import episodes
    from memsum_train.rouge.tokens import Tokenizer

    small = Tokenizer(r"\w+", STEMMER.stem, remembered=5)
    monkeypatch.setattr(episodes, "snowball", lambda: small)
    for _ in range(2):
        assert_same(search_episodes(PAPER, ABSTRACT), search_slowly(PAPER, ABSTRACT))


@pytest.mark.parametrize("option", ["branching", "maximum", "cap"])
def test_settings_below_one_are_refused(option):
    with pytest.raises(CorpusError, match="at least 1"):
        search_episodes(PAPER, ABSTRACT, **{option: 0})


def test_with_a_length_penalty_the_same_words_are_wanted_in_fewer():
    text = ["The old bridge, as everyone in the town remembers, fell in spring.", "The old bridge fell."]
    summary = ["The old bridge fell in spring, and the town still has no other."]
    assert search_episodes(text, summary, branching=1)[0].indices[0] == 0
    assert search_episodes(text, summary, branching=1, length_penalty=0.5)[0].indices[0] == 1


@pytest.mark.parametrize("length_penalty", [-0.1, 1.5, float("nan")])
def test_a_length_penalty_beyond_gain_per_word_is_refused(length_penalty):
    with pytest.raises(CorpusError, match="from 0 to 1"):
        search_episodes(PAPER, ABSTRACT, length_penalty=length_penalty)


@pytest.mark.slow
def test_killed_at_random_moments_the_search_ends_with_the_same_file(
    tmp_path: Path, make_examples: Callable[..., list[Example]]
) -> None:
    bare = [replace(one, indices=None, scores=None) for one in make_examples(120, sentences=12)]
    write_examples(tmp_path / "in.jsonl", bare)
    add_episodes(str(tmp_path / "in.jsonl"), str(tmp_path / "once.jsonl"), EpisodeSearch(), Run())
    output, partial = tmp_path / "killed.jsonl", tmp_path / "killed.jsonl.partial"
    command = [sys.executable, "-m", "memsum", "corpus", "episodes", str(tmp_path / "in.jsonl"), str(output)]
    chance = random.Random()
    kills = 0
    while not output.exists() and kills < 2:
        process = subprocess.Popen([*command, "--workers", "2"], stderr=subprocess.DEVNULL)
        seen = partial.stat().st_size if partial.exists() else 0
        while process.poll() is None and (partial.stat().st_size if partial.exists() else 0) <= seen:
            time.sleep(0.002)  # until this run has done something
        time.sleep(chance.random() * 0.02)
        process.kill()
        process.wait()
        kills += 1
    add_episodes(str(tmp_path / "in.jsonl"), str(output), EpisodeSearch(), Run())
    assert output.read_bytes() == (tmp_path / "once.jsonl").read_bytes()
    assert not partial.exists()

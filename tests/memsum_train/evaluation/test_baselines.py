from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memsum.errors import MemsumError
from memsum.model.constraints import TrigramBlock
from memsum_train.corpus.records import Example
from memsum_train.evaluation.baselines import centroid_ranking, lexrank_ranking, parse_baseline, select

from ...helpers import blocked_by

BEES = [
    "The weather was dry.",
    "Bees visit apple flowers in the morning.",
    "Wild bees visit apple flowers more often than honey bees.",
    "Honey bees visit apple flowers when wild flowers are gone.",
    "A tractor broke down.",
]


def indices(name: str, *examples: Example, **options: bool | int) -> list[tuple[int, ...]]:
    predictions = parse_baseline(name, **options).predict(examples)  # type: ignore[arg-type]
    return [prediction.indices or () for prediction in predictions]


def of(sentences: list[str], summary: str = "A summary.") -> Example:
    return Example(tuple(sentences), (summary,))


def test_lead_takes_the_first_sentences(examples: tuple[Example, ...]) -> None:
    assert indices("lead-5", *examples) == [(0, 1, 2, 3, 4), (0, 1, 2, 3, 4), (0, 1, 2, 3)]


def test_random_is_seeded_and_differs_between_documents_and_seeds() -> None:
    long = of([f"Sentence number {i} of the log." for i in range(200)])
    once = indices("random-5", long, long)
    assert once == indices("random-5", long, long)
    assert once[0] != once[1]
    assert once != indices("random-5", long, long, seed=1)
    assert all(list(chosen) == sorted(set(chosen)) and len(chosen) == 5 for chosen in once)


def test_sentences_near_the_centroid_come_before_those_about_something_else() -> None:
    assert set(centroid_ranking(BEES)[:3]) == {1, 2, 3}


@pytest.mark.parametrize("ranking", [centroid_ranking, lexrank_ranking])
def test_of_equal_sentences_the_earlier_comes_first(ranking: object) -> None:
    order = ranking(BEES + BEES)  # type: ignore[operator]
    assert all(order.index(i) < order.index(i + len(BEES)) for i in range(len(BEES)))


@pytest.mark.parametrize("ranking", [centroid_ranking, lexrank_ranking])
@given(sentences=st.lists(st.text(alphabet="ab .–", max_size=8), min_size=1, max_size=12))
def test_any_text_is_ranked_whole(ranking: object, sentences: list[str]) -> None:
    assert sorted(ranking(sentences)) == list(range(len(sentences)))  # type: ignore[operator]


def test_the_middle_of_a_star_of_similar_sentences_comes_first_and_its_tips_last() -> None:
    star = ["red kite", "blue boat", "green lamp", "red kite blue boat green lamp", "grey wall"]
    assert lexrank_ranking(star) == [3, 4, 0, 1, 2]  # the wall, alone, keeps what it has; each tip gives half away


def test_the_oracle_finds_the_sentences_of_the_summary(examples: tuple[Example, ...]) -> None:
    ferry = examples[0]
    assert indices("oracle", ferry)[0] == (1, 4)
    assert indices("oracle-1", ferry)[0] == (1,)


def test_the_oracle_of_a_foreign_summary_is_empty(examples: tuple[Example, ...]) -> None:
    assert indices("oracle", replace(examples[0], summary=("Zymurgy.",))) == [()]


def test_blocking_skips_what_shares_three_words() -> None:
    text = ["The mill burned down.", "In May the mill burned.", "It was insured.", "The mill burned down."]
    assert indices("lead-3", of(text)) == [(0, 1, 2)]
    assert indices("lead-3", of(text), blocking=True) == [(0, 2)]
    assert blocked_by(text, 0) == {0, 1, 3}
    assert blocked_by(["Two words.", "Two words."], 0) == set()


@given(
    text=st.lists(st.text(alphabet="abc ", max_size=12), min_size=1, max_size=10),
    seed=st.integers(0, 100),
    count=st.integers(1, 10),
)
def test_blocked_selections_share_no_trigram_and_could_not_be_longer(text: list[str], seed: int, count: int) -> None:
    ranking = [(i * 7 + seed) % len(text) for i in range(len(text))] if len(text) % 7 else list(range(len(text)))
    chosen = select(ranking, count, TrigramBlock(text))
    for i in chosen:
        assert not blocked_by(text, i) & (set(chosen) - {i})
    if len(chosen) < count:
        assert all(any(i in blocked_by(text, j) for j in chosen) for i in set(range(len(text))) - set(chosen))


def test_names() -> None:
    assert parse_baseline("centroid-12").name == "centroid-12"
    assert parse_baseline("oracle").signature == "baseline:oracle"
    assert parse_baseline("random-7", seed=4, blocking=True).signature == "baseline:random-7|seed:4|block:trigrams"
    assert parse_baseline("oracle-4", blocking=True).name == "oracle-4"


@pytest.mark.parametrize("name", ["textrank-7", "lead7", "lead-0", "lead--1", "", "LEAD-3", "lead-3 "])
def test_an_unknown_name_is_told_the_known_ones(name: str) -> None:
    with pytest.raises(MemsumError) as error:
        parse_baseline(name)
    assert "lexrank-K" in str(error.value.hint)


def test_a_ranking_without_a_number_is_told_what_is_missing() -> None:
    with pytest.raises(MemsumError, match="needs a number of sentences"):
        parse_baseline("lead")

"""Models as systems: how long their summaries are, and what trigram blocking does to them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from memsum.errors import ModelError
from memsum.model import StopSettings
from memsum.model.constraints import TrigramBlock
from memsum.options import SummaryOptions
from memsum_train.corpus.records import Example
from memsum_train.evaluation.baselines import parse_baseline, select
from memsum_train.evaluation.playing import open_model, play_documents
from memsum_train.evaluation.systems import System, model_system, open_models

from ...helpers import blocked_by

MakeModel = Callable[..., Path]

VARIANTS = (
    {},
    {"local": "mean"},
    {"local": "lstm"},
    {"context": "none"},
    {"history": "gru"},
    {"history": "none"},
    {"stopping": "fixed"},
    {"stopping": "stop-sentence"},
)


def summaries(system: System, examples: tuple[Example, ...]) -> list[tuple[int, ...]]:
    return [prediction.indices or () for prediction in system.predict(examples)]


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: "-".join(variant.values()) or "paper")
def test_every_variant_extracts(variant: dict[str, str], make_model: MakeModel, examples: tuple[Example, ...]) -> None:
    model = open_model(make_model(**variant), "cpu")
    system = model_system("tiny", model, SummaryOptions(sentences=3))
    chosen = summaries(system, examples)
    assert [len(indices) for indices in chosen] == [3, 3, 3]
    assert all(list(indices) == sorted(set(indices)) for indices in chosen)
    blocking = model_system("tiny", model, SummaryOptions(sentences=3, block_trigrams=True))
    assert all(1 <= len(indices) <= 3 for indices in summaries(blocking, examples))


def test_a_document_does_not_depend_on_its_neighbors(make_model: MakeModel, examples: tuple[Example, ...]) -> None:
    model = open_model(make_model(), "cpu")
    together = [extraction.choices for extraction in play_documents(model, examples, 4)]
    alone = [next(play_documents(model, [example], 4)).choices for example in examples]
    assert together == alone
    many = [extraction.choices for extraction in play_documents(model, examples * 30, 4)]
    assert many == together * 30


def test_the_length_is_the_models_own_unless_told(make_model: MakeModel, examples: tuple[Example, ...]) -> None:
    model = open_model(make_model(stop=StopSettings(1.0, 2)), "cpu")
    assert [len(indices) for indices in summaries(model_system("m", model), examples)] == [2, 2, 2]
    longer = model_system("m", model, SummaryOptions(max_sentences=5))
    assert [len(indices) for indices in summaries(longer, examples)] == [5, 5, 4]
    at_once = model_system("m", model, SummaryOptions(stop_threshold=0.0, max_sentences=5))
    assert [len(indices) for indices in summaries(at_once, examples)] == [1, 1, 1]
    exact = model_system("m", model, SummaryOptions(sentences=4))
    assert [len(indices) for indices in summaries(exact, examples)] == [4, 4, 4]
    assert longer.signature == f"model:{model.sha256}|stop:1|max:5"
    assert exact.signature == f"model:{model.sha256}|sentences:4"


def doubled(example: Example) -> Example:
    return replace(example, text=tuple(sentence for sentence in example.text for _ in range(2)))


@pytest.mark.parametrize("history", ["attention", "gru", "none"])
def test_blocking_takes_no_repeat(history: str, make_model: MakeModel, examples: tuple[Example, ...]) -> None:
    model = open_model(make_model(history=history, collapse=False), "cpu")
    documents = tuple(doubled(example) for example in examples)
    blocked = list(model_system("m", model, SummaryOptions(sentences=20, block_trigrams=True)).predict(documents))
    for prediction, document in zip(blocked, documents, strict=True):
        shares = [blocked_by(document.text, i) for i in range(len(document.text))]
        chosen = set(prediction.indices or ())
        assert all(not shares[i] & (chosen - {i}) for i in chosen)
        # It ends only where everything else is blocked.
        assert all(any(i in shares[j] for j in chosen) for i in set(range(len(document.text))) - chosen)


def test_without_history_blocking_is_a_pass_over_the_ranking(
    make_model: MakeModel, examples: tuple[Example, ...]
) -> None:
    model = open_model(make_model(history="none", collapse=False), "cpu")
    documents = tuple(doubled(example) for example in examples)
    rankings = [extraction.choices for extraction in play_documents(model, documents, 100)]
    expected = [
        select(ranking, 3, TrigramBlock(document.text)) for ranking, document in zip(rankings, documents, strict=True)
    ]
    system = model_system("m", model, SummaryOptions(sentences=3, block_trigrams=True))
    assert [list(indices) for indices in summaries(system, documents)] == expected


def test_models_rankings_and_summaries_block_the_same_words(make_model: MakeModel) -> None:
    """A hyphenated word is one word: these share no three words in a row, however a system is played."""
    text = ("A state-of-the-art mill opened.", "Their state-of-the-art bridge fell.", "Nobody was hurt there.")
    document = Example(text, ("A mill opened.",))
    model = open_model(make_model(), "cpu")
    for system in (
        model_system("m", model, SummaryOptions(sentences=3, block_trigrams=True)),
        parse_baseline("lead-3", blocking=True),
    ):
        assert [prediction.indices for prediction in system.predict([document])] == [(0, 1, 2)]


def test_models_are_named_on_the_command_line(make_model: MakeModel) -> None:
    folder = make_model()
    first, second = open_models([f"mine={folder}", str(folder)], "cpu")
    assert (first.name, second.name) == ("mine", str(folder))


def test_what_is_no_model(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="not a model folder"):
        open_model(tmp_path, "cpu")

"""The last training: points of keys beside what the network knows of corpora, with the part of the columns."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch

from memsum.document import read_document
from memsum.features.columns import INPUTS
from memsum.features.source_text import SourceText
from memsum.model import find_model
from memsum.model.runtime import Runtime
from memsum.select import Selection
from memsum_train.corpus import Example
from memsum_train.corpus.keys import Key
from memsum_train.learning.config import TargetSettings
from memsum_train.learning.targets import Lesson, extractor_of, fit_policy, full_states, play, read_example, read_key
from memsum_train.policy.counted import HIDDEN, ColumnLayers, CountedExtractor
from memsum_train.policy.folder import load_policy

pytestmark = pytest.mark.xdist_group("targets")

DEFAULT = find_model("default").folder


@pytest.fixture(scope="module")
def runtime() -> Runtime:
    return Runtime.load(DEFAULT, threads=1)


@pytest.fixture(scope="module")
def extractor() -> CountedExtractor:
    return extractor_of(load_policy(DEFAULT)[0])


def notice(number: int) -> tuple[Key, SourceText]:
    """Make a notice whose key has a line that nobody else would quote."""
    wanted = f"The cat of pier {number} is called number {number}."
    text = (
        f"# Pier {number}\n\nYou must leave pier {number} before 8. Groups must pay a fee of {number + 5} euros.\n\n"
        f"{wanted} Dogs are not allowed on pier {number} in summer.\n"
    )
    key = Key(f"pier-{number}", "notice", "", ((wanted,),), (f"Dogs are not allowed on pier {number} in summer.",))
    return key, SourceText.of_documents([read_document(text, format="markdown")])


@pytest.fixture(scope="module")
def keyed(runtime: Runtime) -> list[Lesson]:
    return [read_key(runtime, *notice(number)) for number in range(12)]


@pytest.fixture(scope="module")
def corpora(runtime: Runtime, make_examples: Callable[..., list[Example]]) -> list[Lesson]:
    return [read_example(runtime, "trial", one.source, one.summary) for one in make_examples(6, seed=3, sentences=14)]


def test_columns_add_nothing_at_first() -> None:
    layers, states = ColumnLayers(HIDDEN).eval(), torch.randn(5, HIDDEN)
    columns, document = torch.randn(5, INPUTS), torch.tensor([0, 0, 1, 1, 1])
    ngrams = torch.tensor([3, 4]), torch.tensor([0, 4]), torch.ones(2)
    full = layers(states, columns, torch.ones(5, INPUTS), document, ngrams)
    torch.testing.assert_close(full, torch.cat([states, torch.zeros(5, 1)], dim=1))


def test_a_document_s_kind_is_its_own(runtime: Runtime, extractor: CountedExtractor, keyed: list[Lesson]) -> None:
    layers, views = extractor.columns, [lesson.view for lesson in keyed[:2]]
    assert layers is not None
    sizes = [len(view.lengths) for view in views]
    ngrams = [
        np.concatenate([views[0].ngrams.buckets, views[1].ngrams.buckets]),
        np.concatenate([views[0].ngrams.rows, views[1].ngrams.rows + sizes[0]]),
        np.concatenate([views[0].ngrams.shares, views[1].ngrams.shares]),
    ]
    with torch.no_grad():
        together = layers(
            torch.from_numpy(np.concatenate([view.states for view in views])),
            torch.from_numpy(np.concatenate([view.columns for view in views])).float(),
            torch.ones(sum(sizes), INPUTS),
            torch.tensor([0] * sizes[0] + [1] * sizes[1]),
            tuple(map(torch.from_numpy, ngrams)),
        )
        alone = torch.cat([full_states(extractor, view) for view in views])
    torch.testing.assert_close(together, alone, atol=1e-4, rtol=1e-4)


def test_both_halves_choose_the_same_sentences(
    runtime: Runtime, extractor: CountedExtractor, keyed: list[Lesson], corpora: list[Lesson]
) -> None:
    sources = [notice(number)[1] for number in range(12)]
    for lesson, source in zip(keyed, sources, strict=True):
        for view, foreign in ((lesson.view, False), (lesson.foreign[0], True)):
            episode = Selection(runtime, source, foreign).episode()
            episode.extend(3)
            assert play(extractor, view, 3) == episode.choices


def test_keys_are_learned_and_the_rest_is_kept(
    extractor: CountedExtractor, keyed: list[Lesson], corpora: list[Lesson]
) -> None:
    def found(one: CountedExtractor) -> int:
        return sum(
            bool(lesson.points[play(one, lesson.view, 1)].any()) for lesson in keyed if lesson.points is not None
        )

    before = [play(extractor, lesson.view, 3) for lesson in corpora]
    learned = copy.deepcopy(extractor)
    settings = TargetSettings(passes=20, batch=4, corpora=3, rate=1e-3, network_rate=1e-4, decay=0.0)
    fit_policy(learned, keyed, corpora, settings)
    assert found(extractor) < 6
    assert found(learned) > 10
    after = [play(learned, lesson.view, 3) for lesson in corpora]
    kept = sum(len(set(one) & set(two)) for one, two in zip(before, after, strict=True))
    assert kept >= 12  # of 18


def test_the_same_seed_teaches_the_same(
    extractor: CountedExtractor, keyed: list[Lesson], corpora: list[Lesson]
) -> None:
    settings = TargetSettings(passes=1, batch=4, corpora=2)
    one, two = copy.deepcopy(extractor), copy.deepcopy(extractor)
    fit_policy(one, keyed, corpora, settings)
    fit_policy(two, keyed, corpora, settings)
    for name, weight in one.state_dict().items():
        torch.testing.assert_close(two.state_dict()[name], weight)


def test_a_document_with_repeats_is_shown_with_its_words_only(runtime: Runtime) -> None:
    twice = SourceText.of_sentences(["The tide rose.", "The tide rose.", "Nobody was hurt at the pier that night."])
    lesson = read_example(runtime, "note", twice)
    assert not lesson.foreign
    assert len(lesson.view.lengths) == 2


def test_only_counted_networks_learn_from_keys(model_folder: Path) -> None:
    from memsum.errors import TrainingError

    with pytest.raises(TrainingError, match="counted history"):
        extractor_of(load_policy(model_folder)[0])

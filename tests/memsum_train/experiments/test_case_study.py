from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from memsum.text import WordVectors
from memsum_train.corpus import Example
from memsum_train.corpus.variants import repeat_sentences
from memsum_train.evaluation.playing import open_model
from memsum_train.experiments.redundancy import SHOWN, Case, draw_cases, shortened, watch
from memsum_train.policy import PolicyConfig

NAN = np.nan
# Six sentences, three pairs. At step 0 sentence 2 is taken, at step 1 sentence 5, at step 2 sentence 4, its copy.
CASE = Case(
    np.array([[0.2, 0.2, 0.9, 0.8, 0.5, 0.6], [0.2, 0.2, NAN, 0.1, 0.5, 0.6], [0.1, 0.1, NAN, 0.1, 0.5, NAN]]),
    (2, 5, 4),
)


@pytest.fixture
def model_folders(tiny: PolicyConfig, vectors: WordVectors, tmp_path: Path) -> dict[str, Path]:
    import torch

    from memsum.features.encoding import TextEncoder, TextSettings
    from memsum.model import ModelConfig
    from memsum_train.policy.folder import new_policy, save_policy

    folders = {}
    for history in ("attention", "none"):
        network = replace(tiny, history=history)  # type: ignore[arg-type]
        torch.manual_seed(4)
        folders[history] = tmp_path / history
        encoder = TextEncoder(vectors, TextSettings(collapse_repeats=False))
        policy = new_policy(network, encoder).eval()
        save_policy(folders[history], policy, ModelConfig(network.to_dict(), encoder.settings), encoder)
    return folders


def test_the_scores_of_both_copies_are_recorded(model_folders: dict[str, Path], held_out: list[Example]) -> None:
    model = open_model(model_folders["attention"], "cpu")
    text = repeat_sentences(held_out[0]).text
    case = watch(model, text)
    assert case.scores.shape == (4, len(text))
    for step, choice in enumerate(case.choices):
        assert np.nanargmax(case.scores[step]) == choice
        assert set(np.flatnonzero(np.isnan(case.scores[step]))) == set(case.choices[:step])


def test_without_history_no_score_changes(model_folders: dict[str, Path], held_out: list[Example]) -> None:
    text = repeat_sentences(held_out[0]).text
    still, moving = (watch(open_model(model_folders[history], "cpu"), text) for history in ("none", "attention"))
    changes = [np.nanmax(np.abs(case.scores[1] - case.scores[0])) for case in (still, moving)]
    assert changes[0] < 1e-6
    assert changes[1] > 1e-4


def test_a_document_shorter_than_the_steps_is_played_to_its_end(model_folders: dict[str, Path]) -> None:
    case = watch(open_model(model_folders["attention"], "cpu"), ["The quay was rebuilt.", "The quay was rebuilt."])
    assert sorted(case.choices) == [0, 1]


def test_what_is_drawn_is_as_long_as_in_the_paper(make_examples: Callable[..., list[Example]]) -> None:
    examples = make_examples(10)
    chosen = shortened(examples)
    assert len(chosen.text) <= SHOWN
    assert len(chosen.text) == min(SHOWN, min((len(e.text) for e in examples), key=lambda n: abs(n - SHOWN)))


def test_what_was_taken_is_framed_and_its_copy_dotted() -> None:
    pytest.importorskip("matplotlib")
    figure = draw_cases({"MemSum": CASE, "MemSum w/o EHE": CASE}, "data:harbour")
    axes = figure.axes[0]
    assert [(patch.get_x(), patch.get_y()) for patch in axes.patches] == [(2, 0), (5, 1), (4, 2)]  # type: ignore[attr-defined]
    dots = [tuple(line.get_xdata()) for line in axes.get_lines()]  # type: ignore[arg-type]
    assert dots == [(3.5, 3.5), (4.5,), ()]
    assert [one.get_title("left") for one in figure.axes[:2]] == ["MemSum", "MemSum w/o EHE"]

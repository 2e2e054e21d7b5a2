"""Scores equal those of the `rouge-score` package on any text."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer

from memsum.errors import MemsumError, MissingExtraError
from memsum_train.rouge import VARIANTS, score_many

REFERENCE = RougeScorer(list(VARIANTS), use_stemmer=True)

ABSTRACTS = [
    "Peatlands store a third of the world's soil carbon.\n"
    "Drainage turns them from sinks into sources.\n"
    "We measured methane and CO₂ fluxes at twelve rewetted sites in northern Germany for six years.\n"
    "Emissions of CO₂ fell by 71% within two years; methane rose at first, then levelled off.\n"
    "Rewetting is therefore a net benefit for the climate after about four years.",
    "Background: Delirium after heart surgery is common and costly.\n"
    "Methods: In a double-blind trial, 604 patients aged ≥65 received melatonin (3 mg) or placebo for seven nights.\n"
    "Results: Delirium occurred in 22.4% vs. 23.1% of patients (risk ratio 0.97, 95% CI 0.72–1.31; p=0.84).\n"
    "Conclusions: Melatonin did not prevent delirium. Trials of other preventive measures are needed.",
    "We present a parser for low-resource languages which needs only a small treebank and raw text.\n"
    "It is trained jointly on related languages, and shares parameters by typological features.\n"
    "On 17 treebanks it improves labelled attachment by 4.6 points over the strongest baseline, and by 11.2 points on "
    "those with fewer than a thousand sentences.\nThe parser and the models are freely available.",
    "The river was dammed in 1931.\nThe dam was removed in 2014, and the river returned to its old bed.\n\n"
    "Salmon returned within a year of the removal of the dam.\n",
]
WORDS = "the cat cats running runs dying İstanbul naïve GPU K x2 β 東京 o'clock …"
LINES = st.lists(st.lists(st.sampled_from(WORDS.split()), max_size=14).map(" ".join), max_size=6).map("\n".join)
ANY = st.text(alphabet=st.characters(), max_size=80)


def score(prediction: str | Sequence[str], reference: str | Sequence[str]) -> list[list[float]]:
    """The scores of one prediction: a row for each variant."""
    [scores] = score_many([prediction], [reference]).tolist()
    return scores


def expected(prediction: str, reference: str) -> np.ndarray:
    scores = REFERENCE.score(reference, prediction)
    return np.array([list(scores[variant]) for variant in VARIANTS])


def assert_same(prediction: str, reference: str) -> None:
    np.testing.assert_allclose(score_many([prediction], [reference])[0], expected(prediction, reference), atol=1e-9)


@settings(max_examples=400, deadline=None)
@given(LINES, LINES)
def test_same_as_rouge_score_on_words(prediction, reference):
    assert_same(prediction, reference)


@settings(max_examples=300, deadline=None)
@given(ANY, ANY)
@example("a\r\nb\u2028c\x85d", "a\nb\nc\nd")
@example("ΑΣ ΣΣ İ ſ K ﬁ", "ας i s k fi")
@example("\n\n", "a")
@example("", "")
def test_same_as_rouge_score_on_any_text(prediction, reference):
    assert_same(prediction, reference)


@settings(max_examples=30, deadline=None)
@given(st.randoms(use_true_random=False), st.integers(60, 400), st.integers(60, 400), st.integers(2, 40))
def test_same_as_rouge_score_on_long_lines(random, n, m, vocabulary):
    words = [f"w{k}" for k in range(vocabulary)]
    assert_same(" ".join(random.choices(words, k=n)), " ".join(random.choices(words, k=m)))


@pytest.mark.parametrize("prediction", ABSTRACTS)
@pytest.mark.parametrize("reference", ABSTRACTS)
def test_same_as_rouge_score_on_abstracts(prediction, reference):
    assert_same(prediction, reference)
    assert_same(prediction.replace("\n", " "), reference)
    assert_same("\n".join(reversed(prediction.split("\n"))), reference)
    assert_same(f"{prediction}\n{reference}", reference)


def test_one_call_for_many_pairs_gives_what_many_calls_give():
    predictions = [a for a in ABSTRACTS for _ in ABSTRACTS]
    references = ABSTRACTS * len(ABSTRACTS)
    many = score_many(predictions, references)
    assert many.shape == (16, 4, 3)
    assert many.dtype == np.float64
    for row, prediction, reference in zip(many, predictions, references, strict=True):
        np.testing.assert_array_equal(row, score_many([prediction], [reference])[0])


def test_a_sequence_is_one_sentence_an_item():
    lines = ABSTRACTS[3].split("\n")
    assert score(lines, tuple(lines[:2])) == score("\n".join(lines), "\n".join(lines[:2]))


def test_line_breaks_inside_a_sentence_are_spaces():
    broken = ["the dam was\nremoved in", "the river\r\nreturned to its\u2028bed"]
    whole = ["the dam was removed in", "the river returned to its bed"]
    reference = ["in the river the dam was", "its bed was removed"]
    assert score(broken, reference) == score(whole, reference)
    assert score(reference, broken) == score(reference, whole)
    assert score("\n".join(broken), reference)[3] != score(whole, reference)[3]


@pytest.mark.parametrize("empty", ["", [], [""], "\n", "…", ["", "—"]])
def test_empty_texts_score_zero(empty):
    zero = [[0.0] * 3] * 4
    assert score(empty, "A reference.") == score("A prediction.", empty) == zero
    assert score(empty, empty) == zero


def test_no_pairs():
    assert score_many([], []).shape == (0, 4, 3)


def test_unequal_numbers_are_refused():
    with pytest.raises(MemsumError, match="1 predictions for 2 references"):
        score_many(["a"], ["a", "b"])


def test_a_word_of_ten_thousand_letters():
    assert score("y" * 10_000, "y" * 10_000)[0] == [1.0, 1.0, 1.0]


def test_importing_the_room_loads_neither_numba_nor_nltk():
    code = "import sys, memsum_train.rouge; print(sorted({'numba', 'nltk'} & set(sys.modules)))"
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "[]"


@pytest.mark.parametrize("module", ["numba", "nltk.stem.porter"])
def test_without_the_extra_there_is_a_hint(module):
    code = (
        f"import sys; sys.modules[{module!r}] = None\n"
        "from memsum.errors import MissingExtraError\n"
        "from memsum_train.rouge import score_many\n"
        "try: score_many(['a'], ['a'])\n"
        "except MissingExtraError as error: print(error.hint)"
    )
    output = subprocess.check_output([sys.executable, "-c", code], text=True)
    assert output.strip() == MissingExtraError("ROUGE", "train").hint

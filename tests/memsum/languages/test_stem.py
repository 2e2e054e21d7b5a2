"""Forms of one word have one stem, different words have different ones."""

from __future__ import annotations

import pytest

from memsum.languages.stem import singular, stem


@pytest.mark.parametrize(
    "forms",
    [
        "save saves saved saving savings",
        "add adds added adding",
        "study studies studied studying",
        "hop hops hopped hopping",
        "agree agrees agreed agreeing",
        "universities university",
        "company companies company's company’s",
        "pay pays paid paying",
        "choose chooses chose chosen choosing",
    ],
)
def test_forms_of_a_word_have_one_stem(forms: str) -> None:
    assert len({stem(form) for form in forms.split()}) == 1


@pytest.mark.parametrize(
    "words",
    ["organ organization", "universe university", "new news", "hop hope", "internal international", "even evening"],
)
def test_different_words_have_different_stems(words: str) -> None:
    assert len({stem(word) for word in words.split()}) == 2


@pytest.mark.parametrize("word", ["", "a", "is", "42", "co2", "über", "gas-phase", "'", "sky", "proceed", "bias"])
def test_words_without_endings_stay_as_they_are(word: str) -> None:
    assert stem(word) == word.strip("'")


@pytest.mark.parametrize(
    ("plural", "expected"),
    [("batteries", "battery"), ("boxes", "box"), ("cells", "cell"), ("virus", "virus"), ("analysis", "analysis")],
)
def test_singular(plural: str, expected: str) -> None:
    assert singular(plural) == expected

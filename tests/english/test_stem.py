"""Forms of one word have one stem, different words have different ones."""

from __future__ import annotations

import pytest

from memsum.english.stem import PAST, singular, stem
from memsum.model.registry import find_model


@pytest.mark.parametrize(
    "forms",
    [
        "save saves saved saving savings",
        "repair repairs repaired repairing",
        "design designs designed designing designer designers",
        "study studies studied studying",
        "hop hops hopped hopping",
        "hope hopes hoped hoping",
        "agree agrees agreed agreeing",
        "nation nations national nationally",
        "general generally generalize generalization",
        "universe universes",
        "university universities",
        "happy happiness",
        "die dies died dying",
        "company companies company's company’s",
        "realize realizes realized realizing realization realizations",
        "pay pays paid paying",
        "choose chooses chose chosen choosing",
    ],
)
def test_forms_of_a_word_have_one_stem(forms: str) -> None:
    assert len({stem(form) for form in forms.split()}) == 1


@pytest.mark.parametrize(
    "words",
    ["organ organization", "universe university", "new news", "hop hope", "emerge emergency", "general generate"],
)
def test_different_words_have_different_stems(words: str) -> None:
    assert len({stem(word) for word in words.split()}) == 2


@pytest.mark.parametrize("word", ["", "a", "is", "42", "co2", "über", "gas-phase", "'", "sky", "proceed", "bias"])
def test_words_without_endings_stay_as_they_are(word: str) -> None:
    assert stem(word) == word.strip("'")


def test_stems_are_those_of_the_published_algorithm() -> None:
    snowball = pytest.importorskip("nltk.stem.snowball").SnowballStemmer("english")
    words = (find_model("default").folder / "vocabulary.txt").read_text(encoding="utf-8").split("\n")[::20]
    # Later versions of the algorithm know more beginnings than nltk's.
    later = ("univers", "later", "emerg", "organ")
    plain = [
        word for word in words if word.isascii() and word.isalpha() and not word.startswith(later) and word not in PAST
    ]
    assert len(plain) > 2000
    # nltk loses count of the regions where "-ization" becomes "-ize", and keeps the last letter.
    assert [word for word in plain if snowball.stem(word) not in (stem(word), f"{stem(word)}e")] == []


@pytest.mark.parametrize(
    ("plural", "expected"),
    [("batteries", "battery"), ("boxes", "box"), ("cells", "cell"), ("virus", "virus"), ("analysis", "analysis")],
)
def test_singular(plural: str, expected: str) -> None:
    assert singular(plural) == expected

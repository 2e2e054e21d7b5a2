from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from memsum_train.experiments.examples import SHORTEST, Fragment, Phrase, Reference

REFERENCE = Reference(
    [
        "Night buses in the river towns lost half of their riders.",
        "Cheaper tickets brought most riders back within two years.",
    ]
)
words = st.lists(st.sampled_from(["Buses", "the", "of", "riders", "river", "back", "two", "-", "(x)"]), max_size=14)
sentences = words.map(" ".join)


def test_a_phrase_has_the_color_of_its_sentence() -> None:
    before, phrase, *after = REFERENCE.color("We saw that cheaper tickets brought most people home.")
    assert phrase == Fragment("cheaper tickets brought most", 1)
    assert before.match is None
    assert "".join(piece.text for piece in after) == " people home."


def test_case_and_punctuation_do_not_matter() -> None:
    [piece] = [piece for piece in REFERENCE.color("Lost: HALF, of (their) riders!") if piece.match is not None]
    assert piece == Fragment("Lost: HALF, of (their) riders", 0)


def test_two_words_are_no_phrase() -> None:
    assert REFERENCE.phrases("Night buses run. Cheaper tickets sell.") == []


def test_function_words_alone_are_no_phrase() -> None:
    reference = Reference(["Some of the time, it is the case that of the many, few remain."])
    assert reference.phrases("It was of the kind that is the worst.") == []
    assert reference.phrases("That of the many was one.") == [Phrase(0, 4, 0, 8)]


def test_the_longest_phrase_goes_first_even_if_another_begins_before_it() -> None:
    reference = Reference(["one two three.", "two three four five six."])
    [phrase] = reference.phrases("one two three four five six")
    assert (phrase.start, phrase.end, phrase.match) == (1, 6, 1)


def test_of_equal_phrases_the_first_sentence_counts() -> None:
    reference = Reference(["A long night train.", "A long night train again."])
    assert [phrase.match for phrase in reference.phrases("a long night train")] == [0]


def test_the_reference_is_colored_where_any_summary_has_it() -> None:
    own = REFERENCE.color_itself([["Half of their riders went."], ["They came back within two years."]])
    assert [[piece.text for piece in line if piece.match is not None] for line in own] == [
        ["half of their riders"],
        ["back within two years"],
    ]
    assert {piece.match for piece in own[1]} == {None, 1}


def test_coverage_is_a_share_of_the_words() -> None:
    assert REFERENCE.coverage(["Half of their riders, half of their riders."]) == 4 / 20
    assert REFERENCE.coverage(list(REFERENCE.sentences)) == 1
    assert REFERENCE.coverage([]) == 0
    assert Reference(["…"]).coverage(["Nothing."]) == 0


@settings(max_examples=60, deadline=None)
@given(st.lists(sentences, max_size=4), sentences)
def test_nothing_of_a_sentence_is_lost_and_phrases_are_really_shared(reference: list[str], sentence: str) -> None:
    looked_up = Reference(reference)
    pieces = looked_up.color(sentence)
    assert "".join(piece.text for piece in pieces) == sentence
    own = ["".join(piece.text for piece in line) for line in looked_up.color_itself([[sentence]])]
    assert own == reference
    end = 0
    for phrase in looked_up.phrases(sentence):
        assert end <= phrase.start
        assert phrase.end - phrase.start >= SHORTEST
        end = phrase.end
        theirs = Reference([reference[phrase.match]])
        assert theirs.phrases(sentence)

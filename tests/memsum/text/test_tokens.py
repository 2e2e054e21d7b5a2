"""One tokenizer: raw text and the pre-tokenised form of it give the same tokens."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memsum.text import tokenize, tokens

PAIRS = [
    ("(n=12) 6-year-old", "( n = 12 ) 6-year - old"),
    ("The patient's fever wasn't measured.", "the patient 's fever was n't measured ."),
    ("We don’t know (p<0.05).", "we do n't know ( p < 0.05 ) ."),
    ("I can't; you won't.", "i ca n't ; you wo n't ."),
    ("This cannot be excluded.", "this can not be excluded ."),
    ("He'll say they've gone", "he 'll say they 've gone"),
    ("Fisher’s exact test", "fisher 's exact test"),
    ("all patients' records", "all patients ' records"),
    ("the cats', dogs' and mice's", "the cats ' , dogs ' and mice 's"),
    ("\"Usual care\" was 'free'.", "`` usual care '' was ` free ' ."),
    ("“Usual care” was ‘free’.", "`` usual care '' was ` free ' ."),
    ("1,234.5 mg/day", "1,234.5 mg / day"),
    ("TNF-α and IL-6", "tnf - α and il-6"),
    ("95% CI, 1.2–3.4", "95 % ci , 1.2 - 3.4"),
    ("mean±SD", "mean ± sd"),
    ("at 37°C", "at 37 ° c"),
    ("It's the 5'-UTR", "it 's the 5 ' - utr"),
    ("E. coli O157:H7", "e. coli o157 : h7"),
    ("x≥3 and y≤4", "x ≥ 3 and y ≤ 4"),
    ("non–small-cell and/or pre/post", "non - small - cell and / or pre / post"),
    ("3×10^5 cells", "3 × 10 ^ 5 cells"),
    ("$1.5 million", "$ 1.5 million"),
    ("12/24 (50%)", "12 / 24 ( 50 % )"),
    ("Ca²⁺ ions", "ca2 + ions"),
    ("a ½ dose", "a 1/2 dose"),
    ("and so on…", "and so on ..."),
    ("in vitro (Fig. 2a)", "in vitro ( fig . 2a )"),
    ("(see Table 2) [sic]", "-lrb- see table 2 -rrb- -lsb- sic -rsb-"),
    ("1) first, 2) second", "1 -rrb- first , 2 -rrb- second"),
    ("as shown [3].", "as shown -lsb- 3 -rsb- ."),
    ("as shown (Roe et al., 2019).", "as shown -lrb- roe et al. , 2019 -rrb- ."),
    ("as shown [12–15, 17].", "as shown ."),
    ("the energy @xmath12 of @xcite .", "the energy @xmath3 of ."),
]


@pytest.mark.parametrize(("raw", "tokenised"), PAIRS)
def test_raw_and_pre_tokenized_text_give_the_same_tokens(raw: str, tokenised: str):
    assert tokenize(raw) == tokenize(tokenised) != []


def test_what_the_tokens_are():
    assert tokenize("(n=12) 6-year-old") == ["(", "n", "=", "12", ")", "6", "year", "old"]
    assert tokenize("They didn't; it's p53.") == ["they", "did", "n't", ";", "it", "'s", "p53", "."]


@pytest.mark.parametrize(
    ("number", "shape"),
    [("0", "0"), ("7", "7"), ("99", "99"), ("100", "###"), ("2019", "####"), ("0.05", "#.##"), ("1,234.5", "#,###.#")],
)
def test_small_numbers_keep_their_value_others_their_shape(number: str, shape: str):
    assert tokenize(number) == [shape]


def test_a_number_ends_before_the_full_stop():
    assert tokenize("It was 12.") == ["it", "was", "12", "."]
    assert tokenize("It was 0.12.") == ["it", "was", "#.##", "."]


@pytest.mark.parametrize(
    "citation",
    ["[1]", "[ 1 ]", "[2,3]", "[4–7]", "[4-7; 9]", "(Roe et al., 2019)", "(Roe et al. 2019; Poe, 2001)", "@xcite"],
)
def test_citations_are_dropped(citation: str):
    assert tokenize(f"This was shown {citation} before.") == ["this", "was", "shown", "before", "."]


@pytest.mark.parametrize("kept", ["[n]", "(2019)", "[1234]", "(see above)", "Roe et al. found"])
def test_what_is_no_citation_is_kept(kept: str):
    assert len(tokenize(kept)) >= 3


def test_compatibility_characters_and_accents_are_normalized():
    assert tokenize("ﬁnal E\u0301TUDE ＡＢＣ") == ["final", "étude", "abc"]
    assert tokenize("Größe 浓度 мышь") == ["größe", "浓度", "мышь"]


def test_text_without_words_has_no_tokens():
    assert tokenize("") == tokenize(" \n\t") == tokenize("—-_/\"'") == []


@given(st.text())
@example("\ud800 half of a pair")
def test_any_text_gives_clean_tokens(text: str):
    for token in tokenize(text):
        assert token
        assert not any(character.isspace() for character in token)
        token.encode()  # half surrogates could not be written into a vocabulary


CLOSE_TO_THE_RULES = st.text(alphabet="abnt's 12.,;()[]et al@x-_’\"İßﬁ½…cno")


@settings(max_examples=300)
@given(st.one_of(st.text(), CLOSE_TO_THE_RULES))
def test_tokens_are_tokens_of_themselves(text: str):
    """Holds for words and marks; not for shapes of numbers (`#.##`), nor where a citation was only hidden (`[1"]`)."""
    tokens = tokenize(text)
    if not any(token.startswith("#") or token in {"(", "[", "@"} for token in tokens):
        assert tokenize(" ".join(tokens)) == tokens


@settings(max_examples=300)
@given(st.one_of(st.text(), CLOSE_TO_THE_RULES))
@example("❹4 ፩٥ 100 p53")
def test_what_stands_beside_a_sentence_does_not_change_its_tokens(text: str):
    """Sentences with contractions, with other than ASCII letters and with long numbers go other ways."""
    if "(" not in text and "[" not in text:
        for more, tokens in [("it's", ["it", "'s"]), ("don't", ["do", "n't"]), ("né", ["né"]), ("100", ["###"])]:
            assert tokenize(f"{text} {more}") == tokenize(text) + tokens


@pytest.mark.parametrize("length", [10_000])
@pytest.mark.parametrize("unit", ["a", "(", "[1,", "(et al ", "1.", "don't", "—", "[1 ", "-lrb-"])
def test_long_sentences_take_no_longer_than_their_length(unit: str, length: int):
    tokens = tokenize(unit * (length // len(unit)))
    assert len(tokens) <= length


@pytest.mark.parametrize("code", range(128))
def test_plain_text_is_split_as_the_pattern_finds_it(code: int):
    mark = chr(code)
    text = f"Word{mark}word {mark} word{mark}{mark} a{mark}. {mark}"
    assert tokenize(text) == tokens._ASCII_TOKEN.findall(text.lower())


def test_a_contraction_without_an_apostrophe_is_still_two_words():
    assert tokenize("They cannot swim.") == ["they", "can", "not", "swim", "."]

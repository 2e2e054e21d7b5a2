from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from memsum.batch.run import Run
from memsum_train.corpus.records import Example, read_examples
from memsum_train.corpus.variants import make_redundant, repeat_sentences


def test_each_sentence_stands_twice_and_its_section_too() -> None:
    doubled = repeat_sentences(Example(("One.", "Two."), ("Sum.",), sections=("A", "B"), extra={"source": "x"}))
    assert doubled.text == ("One.", "One.", "Two.", "Two.")
    assert doubled.sections == ("A", "A", "B", "B")
    assert doubled.summary == ("Sum.",)
    assert doubled.extra == {"source": "x"}
    assert doubled.indices is None


@given(st.lists(st.text(min_size=1), min_size=1, max_size=8), st.data())
def test_episodes_select_the_same_text_as_before(text: list[str], data: st.DataObject) -> None:
    indices = data.draw(st.lists(st.lists(st.integers(0, len(text) - 1), max_size=4).map(tuple), max_size=3))
    example = Example(tuple(text), ("Sum.",), indices=tuple(indices), scores=(0.5,) * len(indices))
    doubled = repeat_sentences(example)
    assert doubled.scores == example.scores
    assert doubled.indices is not None
    for before, after in zip(indices, doubled.indices, strict=True):
        assert [doubled.text[index] for index in after] == [text[index] for index in before]


def test_episodes_take_either_copy_and_the_same_document_gives_the_same() -> None:
    example = Example(tuple(f"Ship {n} sank." for n in range(40)), ("Sum.",), indices=(tuple(range(40)),), scores=(1,))
    doubled = repeat_sentences(example)
    assert doubled.indices is not None
    seconds = sum(index % 2 for index in doubled.indices[0])
    assert 8 < seconds < 32
    assert repeat_sentences(example) == doubled


@given(st.lists(st.lists(st.text("abcé", min_size=1, max_size=3), max_size=9).map(" ".join), min_size=1, max_size=8))
def test_near_copies_lack_one_or_two_words(text: list[str]) -> None:
    doubled = repeat_sentences(Example(tuple(text), ("Sum.",)), near=True)
    assert doubled.text[::2] == tuple(text)
    for sentence, copy in zip(text, doubled.text[1::2], strict=True):
        words, left = sentence.split(), iter(copy.split())
        lost = len(words) - len(copy.split())
        assert lost in ((1, 2) if len(words) >= 4 else (0,))
        kept = next(left, None)
        for word in words:  # what is left is in order
            if word == kept:
                kept = next(left, None)
        assert kept is None


def test_a_file_is_rewritten(write_jsonl: Callable[..., str], tmp_path: Path) -> None:
    source = write_jsonl("in.jsonl", {"text": ["A.", "B."], "summary": ["A."], "id": "x"}, {"no": "record"})
    counts = make_redundant(source, str(tmp_path / "out.jsonl.gz"), Run())
    assert (counts.kept, counts.failed) == (1, 1)
    assert list(read_examples(tmp_path / "out.jsonl.gz")) == [Example(("A.", "A.", "B.", "B."), ("A.",), id="x")]


def test_a_file_of_near_copies(write_jsonl: Callable[..., str], tmp_path: Path) -> None:
    source = write_jsonl("in.jsonl", {"text": ["The ferry sank at dawn."], "summary": ["It sank."]})
    make_redundant(source, str(tmp_path / "out.jsonl"), Run(), near=True)
    (example,) = read_examples(tmp_path / "out.jsonl")
    assert isinstance(example, Example)
    assert example.text[0] == "The ferry sank at dawn."
    assert 3 <= len(example.text[1].split()) <= 4

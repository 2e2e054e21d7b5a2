from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from memsum.batch.run import Run
from memsum.errors import MissingExtraError
from memsum_train.corpus.records import Example, read_examples
from memsum_train.paper import episodes
from memsum_train.paper.episodes import EpisodeSearch, add_episodes

needs_search = pytest.mark.skipif(importlib.util.find_spec("numba") is None, reason="needs the train extra")

RECORD = {
    "id": "rail",
    "text": [
        "The new line opened in June.",
        "Its stations are made of timber.",
        "Travel time to the coast fell by twenty minutes.",
        "Critics had doubted the costs.",
    ],
    "summary": ["The line opened in June and travel time to the coast fell by twenty minutes."],
    "sections": ["News"] * 4,
    "licence": "none",
}
UNRELATED = {"text": ["Nothing shared."], "summary": ["Completely different words."]}


@needs_search
def test_records_get_their_episodes_and_keep_the_rest(write_jsonl: Callable[..., str], tmp_path: Path) -> None:
    source = write_jsonl("in.jsonl", RECORD, {"broken": True}, UNRELATED)
    counts = add_episodes(source, str(tmp_path / "o.jsonl"), EpisodeSearch(), Run())
    assert (counts.kept, counts.flagged, counts.failed) == (2, 1, 1)
    first, second = read_examples(tmp_path / "o.jsonl")
    assert isinstance(first, Example)
    assert isinstance(second, Example)
    assert first.indices is not None
    assert first.scores is not None
    assert {0, 2} <= set(first.indices[0])
    assert len(first.indices) == len(first.scores)
    assert first.to_json() == {**RECORD, "indices": [list(e) for e in first.indices], "score": list(first.scores)}
    assert second.indices == ()
    assert second.to_json() == {**UNRELATED, "indices": [], "score": []}


@needs_search
def test_old_episodes_are_replaced(write_jsonl: Callable[..., str], tmp_path: Path) -> None:
    source = write_jsonl("in.jsonl", {**RECORD, "indices": [[1, 3]], "score": [0.01]})
    add_episodes(source, str(tmp_path / "o.jsonl"), EpisodeSearch(maximum=1, cap=1), Run())
    (example,) = read_examples(tmp_path / "o.jsonl")
    assert isinstance(example, Example)
    assert example.indices == ((2,),)


@needs_search
def test_the_length_penalty_reaches_the_search(write_jsonl: Callable[..., str], tmp_path: Path) -> None:
    long = "Travel time to the coast, of which the town had spoken for years and years, fell by twenty minutes or so."
    source = write_jsonl("in.jsonl", {**RECORD, "text": [long, "Travel time fell.", "Trains are blue."]})
    firsts = []
    for penalty in (0.0, 1.0):
        search = EpisodeSearch(branching=1, length_penalty=penalty)
        add_episodes(source, str(tmp_path / f"{penalty}.jsonl"), search, Run())
        (example,) = read_examples(tmp_path / f"{penalty}.jsonl")
        assert isinstance(example, Example)
        assert example.indices
        firsts.append(example.indices[0][0])
    assert firsts == [0, 1]


def test_without_the_extra_nothing_is_started(
    write_jsonl: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(episodes, "find_spec", lambda module: None)
    with pytest.raises(MissingExtraError) as caught:
        add_episodes(write_jsonl("in.jsonl", RECORD), str(tmp_path / "o.jsonl"), EpisodeSearch(), Run())
    assert "memsum[train]" in (caught.value.hint or "")
    assert not list(tmp_path.glob("o.jsonl*"))


def test_reading_corpora_needs_no_extra() -> None:
    import subprocess

    code = "import sys, memsum_train.corpus.build; assert not {'numba', 'nltk', 'torch'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)

"""A recipe from corpora to a model: what is there in the end, and that a killed run goes on to the same bytes."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import memsum
from memsum.errors import MemsumError
from memsum_train.corpus import Example, write_examples
from memsum_train.corpus.records import read_corpus
from memsum_train.recipe.run import Listener, run_recipe
from memsum_train.recipe.settings import Recipe, read_recipe

# The default recipe with the smallest network that has all its parts, and two updates of each training.
SMALL: dict[str, Any] = {
    "network.local": "mean",
    "network.context": "none",
    "vectors.dimension": 16,
    "vectors.min_count": 2,
    "vectors.epochs": 1,
    "ngram_gain.documents": 12,
    "ngram_gain.batch": 6,
    "self_play.runs": 2,
    "self_play.documents": 12,
    "self_play.batch": 6,
    "ngram_gain.max_sentences": 5,
    "self_play.max_sentences": 5,
    "corpus.reject_copies": False,  # in so short texts, some are copies by chance
    "corpus.validation": 4,
    "corpus.test": 4,
    "tuning.maxima": [5],
}

KEY = {
    "name": "ferry",
    "kind": "policy",
    "file": "ferry.md",
    "points": [{"any_of": ["A ticket costs 5 euros."]}],
    "poor": ["Welcome aboard!"],
}


@pytest.fixture(scope="module")
def corpora(tmp_path_factory: pytest.TempPathFactory, make_examples: Callable[..., list[Example]]) -> Path:
    """Raw corpora of two kinds, with texts as strings, papers with sections. Keys with a document."""
    folder = tmp_path_factory.mktemp("corpora")
    for name, count, seed in (("trial-train", 36, 1), ("trial-valid", 6, 2)):
        bare = [replace(one, indices=None, scores=None) for one in make_examples(count, seed=seed, sentences=16)]
        write_examples(folder / f"{name}.jsonl", bare)
    for name, count, seed in (("essay-train-0", 18, 3), ("essay-train-1", 6, 4), ("essay-valid", 6, 5)):
        lines = []
        for one in make_examples(count, seed=seed, sentences=16):
            section = {"title": "Results", "paragraphs": [" ".join(one.text)]}
            lines.append(json.dumps({"id": one.id, "abstract": [" ".join(one.summary)], "sections": [section]}))
        (folder / f"{name}.jsonl").write_text("\n".join(lines) + "\n")
    (folder / "documents").mkdir()
    (folder / "documents" / "ferry.md").write_text(
        "# Ferry\n\nWelcome aboard! The ferry runs every hour. A ticket costs 5 euros. Dogs travel free of charge.\n"
    )
    (folder / "keys.jsonl").write_text(f"{json.dumps(KEY)}\n")
    return folder


def make_recipe(corpora: Path, **changes: Any) -> Recipe:
    given = {
        "corpus.train": [str(corpora / "*-train*.jsonl")],
        "corpus.valid": [str(corpora / "*-valid.jsonl")],
        "corpus.keys": str(corpora / "keys.jsonl"),
    }
    return read_recipe(None, None, {**SMALL, **given, **changes})


@pytest.fixture(scope="module")
def finished(corpora: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that nothing happened to."""
    output = tmp_path_factory.mktemp("finished") / "run"
    run_recipe(make_recipe(corpora), output, device="cpu", processes=1)
    return output


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def test_the_model_is_ready_for_use(finished: Path, paper: str) -> None:
    model = finished / "model"
    config = json.loads((model / "config.json").read_text())
    assert config["policy"]["history"] == "counted"
    assert config["training"]["objective"] == "self_play"
    assert config["training"]["seed"] == [0, 1]
    assert config["stop"]["max_sentences"] == 5
    assert config["penalties"]["low_value"] == 4.0
    assert config["policy"]["columns"] is True
    assert b"int8" in (model / "step.onnx").read_bytes()
    summary = memsum.Summarizer.load(model).summarize(paper)
    assert 1 <= len(summary.sentences) <= 5


def test_the_card_has_the_scores_of_each_kind(finished: Path) -> None:
    card = (finished / "model" / "README.md").read_text()
    assert "on 60 documents: essay, trial." in card
    assert "| 2 essay |" in card
    assert "| 2 trial |" in card
    assert "also chose" not in card  # each kind has documents of its own to judge by


def test_kinds_are_named_by_their_files_and_have_episodes(finished: Path) -> None:
    examples = list(read_corpus(finished / "phases" / "corpus" / "train.jsonl.zst"))
    sources = [example.extra["source"] for example in examples]
    assert (sources.count("trial"), sources.count("essay")) == (36, 24)
    assert all(example.indices for example in examples)
    assert {example.sections[0] for example in examples if example.sections} == {"Results"}


def test_the_settings_are_written_and_train_another_model_alike(finished: Path, corpora: Path) -> None:
    again = read_recipe(None, finished / "train.toml")
    assert again == make_recipe(corpora)


class Killed(BaseException):
    """Ends a process where it stands."""


@pytest.mark.slow
def test_a_run_that_is_killed_in_every_phase_ends_with_the_same_bytes(
    corpora: Path, finished: Path, tmp_path: Path
) -> None:
    killed: list[str] = []
    calls = 0

    def report(what: str, done: int, total: int) -> None:
        nonlocal calls
        calls += 1
        name = what.partition(",")[0] if what.startswith("loss") else what
        if name not in killed and (done or not total) and calls > 2:
            killed.append(name)
            raise Killed

    for _ in range(60):
        calls = 0
        try:
            run_recipe(make_recipe(corpora), tmp_path, device="cpu", processes=1, listener=Listener(report=report))
            break
        except Killed:
            pass
    assert len(killed) > 12
    assert contents(tmp_path / "model") == contents(finished / "model")


def test_what_is_left_out_is_named_by_its_own_file_and_line(corpora: Path, tmp_path: Path) -> None:
    first, second, *_ = (corpora / "essay-train-0.jsonl").read_text().splitlines()
    (tmp_path / "essay-train.jsonl").write_text(f"{first}\n{second}\n")
    (tmp_path / "note-train.jsonl").write_text(f"{second}\n{first}\n{second}\n")
    said: list[str] = []

    def phase(number: int, count: int, about: str) -> None:
        if number == 2:
            raise Killed

    given = {"corpus.train": [str(tmp_path / "*-train.jsonl")], "corpus.valid": [str(corpora / "essay-valid.jsonl")]}
    recipe = read_recipe(None, None, {**SMALL, **given})
    with pytest.raises(MemsumError, match=rf"3 of the 5 documents of .*; {tmp_path}/note-train.jsonl, line 1 \(as "):
        run_recipe(recipe, tmp_path / "run", processes=1, listener=Listener(phase, say=said.append))
    (tmp_path / "note-train.jsonl").write_text(f"{second}\n")
    listener = Listener(phase, say=said.append)
    with pytest.raises(Killed):
        run_recipe(recipe, tmp_path / "run", processes=1, restart=True, listener=listener)
    names = f"{tmp_path}/note-train.jsonl, line 1 (as {tmp_path}/essay-train.jsonl, line 2)"
    assert said == [f"Left out: {names}: the text is that of an earlier document."]


def test_another_recipe_in_the_same_folder_is_refused(finished: Path, corpora: Path) -> None:
    with pytest.raises(MemsumError, match=r"other settings \(ngram_gain.learning_rate\)"):
        run_recipe(make_recipe(corpora, **{"ngram_gain.learning_rate": 5e-4}), finished, device="cpu")


def test_restart_discards_the_run_and_nothing_else(
    corpora: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Under torchrun, each restart would throw away what the one before had learned."""
    (tmp_path / "phases").mkdir()
    (tmp_path / "notes.txt").write_text("mine")

    def phase(number: int, count: int, about: str) -> None:
        raise Killed

    def restart() -> None:
        run_recipe(make_recipe(corpora), tmp_path, processes=1, restart=True, listener=Listener(phase))

    with pytest.raises(Killed):
        restart()
    assert (tmp_path / "notes.txt").read_text() == "mine"
    (tmp_path / "model").symlink_to(tmp_path / "phases")
    with pytest.raises(MemsumError, match="is a link; remove it by hand"):
        restart()
    monkeypatch.setenv("TORCHELASTIC_MAX_RESTARTS", "3")
    with pytest.raises(MemsumError, match="--restart would discard the training"):
        restart()


def test_a_finished_run_is_not_done_again(finished: Path, corpora: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in (finished / "phases").rglob("*") if path.is_file()}
    reports: list[str] = []
    run_recipe(
        make_recipe(corpora), finished, device="cpu", listener=Listener(report=lambda *one: reports.append(one[0]))
    )
    assert not reports
    assert {path: path.stat().st_mtime_ns for path in (finished / "phases").rglob("*") if path.is_file()} == before

"""A disk that is full: one sentence, and the same command goes on when there is room; the result is the same."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from memsum_study.plan import Annotator, Ballot
from memsum_study.records import CRITERIA, StudyError
from memsum_study.store import Study
from memsum_train.corpus import Example, write_examples

from ...helpers import run

pytestmark = pytest.mark.slow


class Disk:
    """A small file system in memory, in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()

    def mount(self, kilobytes: int) -> None:
        """Make it; skips the test where that is not allowed."""
        options = ["-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", str(self.folder)]
        try:
            subprocess.run(["mount", *options], check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError):
            pytest.skip("this machine lets us make no file system")

    def grow(self, kilobytes: int) -> None:
        subprocess.run(["mount", "-o", f"remount,size={kilobytes}k", str(self.folder)], check=True)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    made = Disk(tmp_path / "disk")
    yield made
    subprocess.run(["umount", "-l", str(made.folder)], check=False, capture_output=True)


def is_one_sentence(said: str) -> bool:
    lines = [line for line in said.splitlines() if line.startswith("memsum: ")]
    return len(lines) == 1 and "No space left on device" in lines[0] and "Traceback" not in said


def test_batch(disk: Disk, tmp_path: Path, model_folder: Path, make_examples: Callable[..., list[Example]]) -> None:
    examples = make_examples(40, sentences=8)
    lines = [json.dumps({"id": n, "text": list(example.text)}) for n, example in enumerate(examples)]
    (tmp_path / "in.jsonl").write_text("\n".join(lines))
    options = ("--model", model_folder, "--workers", 1, "--ratio", 1)
    run("batch", tmp_path / "in.jsonl", tmp_path / "once.jsonl", *options)
    disk.mount((tmp_path / "once.jsonl").stat().st_size // 2048 + 4)
    output = disk.folder / "out.jsonl"
    assert is_one_sentence(run("batch", tmp_path / "in.jsonl", output, *options, status=1).stderr)
    assert not output.exists()
    disk.grow(8000)
    run("batch", tmp_path / "in.jsonl", output, *options)
    assert output.read_bytes() == (tmp_path / "once.jsonl").read_bytes()


def test_episodes(disk: Disk, tmp_path: Path, make_examples: Callable[..., list[Example]]) -> None:
    bare = [replace(one, indices=None, scores=None) for one in make_examples(30, sentences=8)]
    write_examples(tmp_path / "in.jsonl", bare)
    run("corpus", "episodes", tmp_path / "in.jsonl", tmp_path / "once.jsonl", "--workers", 1)
    disk.mount((tmp_path / "once.jsonl").stat().st_size // 2048 + 4)
    again = ("corpus", "episodes", tmp_path / "in.jsonl", disk.folder / "out.jsonl", "--workers", 1)
    assert is_one_sentence(run(*again, status=1).stderr)
    assert not (disk.folder / "out.jsonl").exists()
    disk.grow(8000)
    run(*again)
    assert (disk.folder / "out.jsonl").read_bytes() == (tmp_path / "once.jsonl").read_bytes()


def test_train(disk: Disk, tmp_path: Path, make_examples: Callable[..., list[Example]], vectors_file: Path) -> None:
    examples = make_examples(12, sentences=8)
    write_examples(tmp_path / "train.jsonl", examples[::3])
    write_examples(tmp_path / "valid.jsonl", [replace(one, indices=None, scores=None) for one in examples[1::6]])
    begin = ("train", tmp_path / "train.jsonl", tmp_path / "valid.jsonl", "--vectors", vectors_file)
    settings = tmp_path / "settings.toml"
    network = '[network]\nlocal = "mean"\ncontext = "none"\nhistory = "none"\nstopping = "fixed"\n'
    settings.write_text(f"{network}[training]\nepochs = 2\nbatch = 2\n[corpus]\nreject_copies = false\n")
    begin += ("--processes", 1, "--config", settings)
    run(*begin, "--output", tmp_path / "once")
    size = sum(path.stat().st_size for path in (tmp_path / "once").rglob("*") if path.is_file())
    disk.mount(size // 2048)
    assert is_one_sentence(run(*begin, "--output", disk.folder / "run", status=1).stderr)
    disk.grow(100_000)
    run(*begin, "--output", disk.folder / "run")
    weights = Path("model") / "policy.safetensors"
    assert (disk.folder / "run" / weights).read_bytes() == (tmp_path / "once" / weights).read_bytes()


def test_study(disk: Disk, tmp_path: Path, make_examples: Callable[..., list[Example]]) -> None:
    bare = [replace(one, indices=None, scores=None) for one in make_examples(6, sentences=8)]
    write_examples(tmp_path / "in.jsonl", bare)
    new = (
        "study",
        "new",
        disk.folder / "study.db",
        "--documents",
        tmp_path / "in.jsonl",
        "--systems",
        "lead-1",
        "lead-3",
    )
    disk.mount(40)
    said = run(*new, status=1).stderr
    assert "full" in said
    assert "Traceback" not in said
    assert list(disk.folder.iterdir()) == []
    disk.grow(400)
    run(*new)
    vote = Ballot(dict.fromkeys(CRITERIA, "left"))
    with Study(disk.folder / "study.db", write=True) as study:
        [annotator] = study.annotators()
        study.cast(annotator, 1, vote)
        filler = disk.folder / "filler"
        with pytest.raises(OSError, match="No space left"):
            filler.write_bytes(bytes(2**20))
        with pytest.raises(StudyError, match="full"):
            vote_at_length(study, annotator)
        filler.unlink()
        study.cast(annotator, 3, vote)
        judged = {
            number for (number,) in study.rows("SELECT number FROM votes JOIN assignments a ON a.id = assignment")
        }
        assert {1, 3} <= judged


def vote_at_length(study: Study, annotator: Annotator) -> None:
    """Vote and change one's mind until no room is left."""
    for number in range(200):
        study.cast(annotator, 2, Ballot(dict.fromkeys(CRITERIA, "left"), f"{number} " * 1000))

from __future__ import annotations

import gzip
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import zstandard

from memsum import jsonl as files
from memsum.errors import CorpusError
from memsum.jsonl import is_stream, open_output, read_lines
from memsum_train.corpus.records import BadLine, Example, read_examples, write_examples

EXAMPLES = [
    Example(("The bridge was closed in May.", f"Traffic fell by {n}%."), ("The bridge was closed.",), id=f"b{n}")
    for n in range(200)
]


@pytest.mark.parametrize("name", ["c.jsonl", "c.jsonl.gz", "c.jsonl.zst"])
def test_what_is_written_is_read(tmp_path: Path, name: str) -> None:
    assert write_examples(tmp_path / name, EXAMPLES) == 200
    assert list(read_examples(tmp_path / name)) == EXAMPLES
    assert [path.name for path in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize(
    ("name", "magic"), [("c.gz", b"\x1f\x8b"), ("c.zst", b"\x28\xb5\x2f\xfd"), ("c.txt", b'{"id"')]
)
def test_the_name_decides_the_compression_and_writing_is_repeatable(tmp_path: Path, name: str, magic: bytes) -> None:
    write_examples(tmp_path / name, EXAMPLES)
    first = (tmp_path / name).read_bytes()
    write_examples(tmp_path / name, EXAMPLES)
    assert first.startswith(magic)
    assert (tmp_path / name).read_bytes() == first


def test_compression_is_told_by_content_not_by_name(tmp_path: Path) -> None:
    write_examples(tmp_path / "c.jsonl.zst", EXAMPLES)
    (tmp_path / "c.jsonl.zst").rename(tmp_path / "renamed.jsonl")
    assert len(list(read_examples(tmp_path / "renamed.jsonl"))) == 200


def test_long_windows_and_several_frames_are_read(tmp_path: Path) -> None:
    parameters = zstandard.ZstdCompressionParameters.from_level(3, window_log=27)
    first = zstandard.ZstdCompressor(compression_params=parameters).compress(b'{"n": 1}\n')
    second = zstandard.ZstdCompressor().compress(b'{"n": 2}\n')
    (tmp_path / "c.zst").write_bytes(first + second)
    assert [line.parse() for line in read_lines(tmp_path / "c.zst")] == [{"n": 1}, {"n": 2}]


@pytest.mark.parametrize("name", ["c.jsonl.gz", "c.jsonl.zst"])
def test_a_file_that_was_cut_is_an_error_not_a_short_corpus(tmp_path: Path, name: str) -> None:
    write_examples(tmp_path / name, EXAMPLES)
    data = (tmp_path / name).read_bytes()
    for size in (len(data) // 2, len(data) - 1):
        (tmp_path / name).write_bytes(data[:size])
        with pytest.raises(CorpusError, match=r"is damaged after line \d+: "):
            list(read_lines(tmp_path / name))


def test_junk_after_a_magic_number_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "c.zst").write_bytes(b"\x28\xb5\x2f\xfd" + bytes(range(256)) * 9)
    with pytest.raises(CorpusError, match="is damaged after line 0"):
        list(read_lines(tmp_path / "c.zst"))


def test_lines_are_numbered_as_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"n": 1}\r\n\n   \n{"n": 4}\n{"n": 5}')
    assert [(line.number, line.parse()["n"]) for line in read_lines(path)] == [(1, 1), (4, 4), (5, 5)]


def test_a_bad_line_comes_with_its_number_reason_and_content(tmp_path: Path) -> None:
    path = tmp_path / "c.jsonl"
    good = EXAMPLES[0].to_line().encode()
    path.write_bytes(good + b"\n" + good[:30] + b"\n\xff\xfe\x00junk\n" + good + b'\n{"text": ["No summary."]}\n')
    records = list(read_examples(path))
    assert [isinstance(record, BadLine) for record in records] == [False, True, True, False, True]
    bad = [record for record in records if isinstance(record, BadLine)]
    assert [line.number for line in bad] == [2, 3, 5]
    assert "cut off" in bad[0].reason
    assert "UTF-8" in bad[1].reason
    assert bad[1].raw == b"\xff\xfe\x00junk"
    assert 'no "summary"' in bad[2].reason


def test_a_line_without_end_does_not_fill_the_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "LONGEST_LINE", 1000)
    path = tmp_path / "c.jsonl"
    path.write_bytes(b'{"n": 1}\n' + b"x" * 5500 + b'\n{"n": 3}\n' + b"y" * 1000)
    lines = list(read_lines(path))
    assert [(line.number, line.fault is None) for line in lines] == [(1, True), (2, False), (3, True), (4, False)]
    with pytest.raises(CorpusError, match="longer than 1,000 bytes"):
        lines[1].parse()


@pytest.mark.parametrize("name", ["c.jsonl", "c.jsonl.gz", "c.jsonl.zst"])
def test_a_failed_write_leaves_what_was_there(tmp_path: Path, name: str) -> None:
    write_examples(tmp_path / name, EXAMPLES[:3])

    def failing() -> object:
        yield from EXAMPLES
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_examples(tmp_path / name, failing())  # type: ignore[arg-type]
    assert list(read_examples(tmp_path / name)) == EXAMPLES[:3]
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_the_standard_streams_are_a_dash(monkeypatch: pytest.MonkeyPatch) -> None:
    data = zstandard.ZstdCompressor().compress(EXAMPLES[0].to_line().encode() + b"\n")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    assert list(read_examples("-")) == EXAMPLES[:1]
    out = io.TextIOWrapper(io.BytesIO())
    monkeypatch.setattr(sys, "stdout", out)
    write_examples("-", EXAMPLES[:2])
    assert out.buffer.getvalue().count(b"\n") == 2  # type: ignore[attr-defined]


def test_a_device_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    assert is_stream(os.devnull)
    with open_output(os.devnull) as stream:
        stream.write(b"away")
    assert not Path(os.devnull).is_file()
    with pytest.raises(CorpusError, match="is a folder"):
        is_stream(tmp_path)


def test_an_empty_file_has_no_records(tmp_path: Path) -> None:
    (tmp_path / "c.jsonl").touch()
    assert list(read_examples(tmp_path / "c.jsonl")) == []


def test_gzip_members_one_after_the_other_are_one_file(tmp_path: Path) -> None:
    (tmp_path / "c.gz").write_bytes(gzip.compress(b'{"n": 1}\n') + gzip.compress(json.dumps({"n": 2}).encode()))
    assert [line.parse()["n"] for line in read_lines(tmp_path / "c.gz")] == [1, 2]


def test_a_small_zstd_file_cannot_ask_for_a_large_window(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parameters = zstandard.ZstdCompressionParameters.from_level(3, window_log=28)
    writer = zstandard.ZstdCompressor(compression_params=parameters).compressobj()
    content = writer.compress(b'{"n": 1}\n') + writer.flush()  # a frame that does not tell its size
    (tmp_path / "c.zst").write_bytes(content)
    with pytest.raises(CorpusError, match="too much memory"):
        list(read_lines(tmp_path / "c.zst"))
    monkeypatch.setattr(files, "LONG_ZSTD_FILE", len(content))  # a large one may
    assert [line.parse() for line in read_lines(tmp_path / "c.zst")] == [{"n": 1}]


@pytest.mark.parametrize("name", ["bomb.zst", "bomb.gz"])
def test_a_bomb_is_bad_lines_in_little_memory(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    opened = gzip.open if name.endswith("gz") else lambda path, mode: zstandard.open(path, mode)
    with opened(path, "wb") as file:
        for _ in range(64):
            file.write(bytes(2**20))
        file.write(b'\n{"n": 1}\n')
    assert path.stat().st_size < 100_000
    code = f"""
import resource
from memsum.jsonl import read_lines
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
lines = list(read_lines({str(path)!r}))
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(len(lines), lines[0].fault, lines[1].parse(), (after - before) // 1024)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    words = done.stdout.split()
    assert done.stdout.startswith(f"2 The line is longer than {files.LONGEST_LINE:,} bytes. {{'n': 1}}")
    assert int(words[-1]) < 256  # MB

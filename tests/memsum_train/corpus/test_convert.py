from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memsum.batch.inputs import Content, Input, Item, Row
from memsum.batch.run import Run
from memsum.errors import CorpusError
from memsum.jsonl import read_lines
from memsum_train.corpus.convert import convert
from memsum_train.corpus.records import Example


@dataclass(frozen=True)
class Numbers(Input):
    """Rows that are numbers; after so many of them, Ctrl-C."""

    numbers: Sequence[int] = range(1, 26)
    stop: int | None = None

    def contents(self) -> Iterator[Content]:
        yield from (Row(number, {}) for number in self.numbers[: self.stop])
        if self.stop is not None:
            raise KeyboardInterrupt

    def fingerprint(self) -> str:
        return "numbers"

    def count(self) -> int | None:
        return len(self.numbers)


ITEMS = Numbers("memory")


def function(item: Item) -> Example:
    """Keeps most numbers, flags those that 7 divides, rejects those that 5 divides, trips over 23."""
    number = item.number
    assert number is not None
    if number % 5 == 0:
        raise CorpusError(f"{number} is not wanted.")
    if number == 23:
        raise ZeroDivisionError("a bug")
    return Example((f"Sentence {number}.",), ("A summary.",), indices=() if number % 7 == 0 else None, scores=())


def interrupted(after: int) -> Numbers:
    return Numbers("memory", stop=after)


def test_everything_is_kept_noted_or_rejected(tmp_path: Path) -> None:
    done: list[int] = []
    counts = convert(function, ITEMS, str(tmp_path / "o.jsonl"), {}, Run(advance=done.append))
    assert (counts.kept, counts.flagged, counts.failed) == (19, 3, 6)
    assert sum(done) == 25
    complaints = [line.parse() for line in read_lines(tmp_path / "o.jsonl.errors.jsonl")]
    assert complaints[0] == {"source": "memory", "line": 5, "reason": "5 is not wanted."}
    assert complaints[4] == {"source": "memory", "line": 23, "reason": "Unexpected ZeroDivisionError: a bug."}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["o.jsonl", "o.jsonl.errors.jsonl"]


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(stops=st.lists(st.integers(0, 25), max_size=3), cut=st.integers(0, 60))
def test_interrupted_anywhere_the_result_is_the_same(tmp_path: Path, stops: list[int], cut: int) -> None:
    convert(function, ITEMS, str(tmp_path / "once.jsonl"), {}, Run())
    output, partial = tmp_path / "often.jsonl", tmp_path / "often.jsonl.partial"
    for stop in stops:
        with pytest.raises(KeyboardInterrupt):
            convert(function, interrupted(stop), str(output), {}, Run())
        if partial.exists():
            partial.write_bytes(partial.read_bytes()[: -cut or None])
    convert(function, ITEMS, str(output), {}, Run())
    assert output.read_bytes() == (tmp_path / "once.jsonl").read_bytes()
    errors = "jsonl.errors.jsonl"
    assert (tmp_path / f"often.{errors}").read_bytes() == (tmp_path / f"once.{errors}").read_bytes()


def test_errors_of_an_earlier_run_do_not_stay(tmp_path: Path) -> None:
    output = str(tmp_path / "o.jsonl")
    convert(function, ITEMS, output, {}, Run())
    counts = convert(function, Numbers("memory", range(1, 5)), output, {}, Run())
    assert counts.errors is None
    assert not (tmp_path / "o.jsonl.errors.jsonl").exists()


def test_nothing_usable_is_an_error_that_leaves_the_reasons(tmp_path: Path) -> None:
    output = tmp_path / "o.jsonl"
    with pytest.raises(CorpusError, match="None of the 1 records could be used") as caught:
        convert(function, Numbers("memory", [5]), str(output), {}, Run())
    assert "o.jsonl.errors.jsonl" in (caught.value.hint or "")
    assert not output.exists()
    assert (tmp_path / "o.jsonl.errors.jsonl").exists()
    with pytest.raises(CorpusError, match="There is no record in the input"):
        convert(function, Numbers("memory", []), str(tmp_path / "empty.jsonl"), {}, Run())
    assert not (tmp_path / "empty.jsonl").exists()


def test_strict_writes_the_files_and_then_fails(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="6 of 25 records were rejected"):
        convert(function, ITEMS, str(tmp_path / "o.jsonl"), {}, Run(strict=True))
    assert len(list(read_lines(tmp_path / "o.jsonl"))) == 19
    assert convert(function, Numbers("memory", range(1, 5)), str(tmp_path / "p.jsonl"), {}, Run(strict=True)).kept == 4


def test_a_stream_gets_records_and_stderr_the_reasons(capsys: pytest.CaptureFixture[str]) -> None:
    counts = convert(function, ITEMS, "-", {}, Run(limit=5))
    out, err = capsys.readouterr()
    assert counts.kept == 5
    assert [json.loads(line)["text"] for line in out.splitlines()][-1] == ["Sentence 6."]
    assert err == "memory, line 5: 5 is not wanted.\n"


def test_the_raw_line_is_kept_byte_by_byte(tmp_path: Path, write_jsonl: Callable[..., str]) -> None:
    from memsum_train.corpus.variants import make_redundant

    source = Path(write_jsonl("in.jsonl", {"text": ["Good."], "summary": ["Good."]}))
    source.write_bytes(source.read_bytes() + b'{"text": "caf\xe9 \xff"}\n')
    counts = make_redundant(str(source), str(tmp_path / "o.jsonl"), Run())
    assert counts.errors is not None
    (complaint,) = [line.parse() for line in read_lines(counts.errors)]
    assert complaint["line"] == 2
    assert str(complaint["raw"]).encode("utf-8", "surrogateescape") == b'{"text": "caf\xe9 \xff"}'


def test_the_input_is_never_overwritten(write_jsonl: Callable[..., str]) -> None:
    from memsum_train.corpus.variants import make_redundant

    source = write_jsonl("in.jsonl", {"text": ["Good."], "summary": ["Good."]})
    with pytest.raises(CorpusError, match="is the input itself"):
        make_redundant(source, source, replace(Run(), restart=True))

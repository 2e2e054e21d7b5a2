from __future__ import annotations

import gzip
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import zstandard

from memsum.batch.inputs import File, Row, Table, fingerprint
from memsum.batch.summaries import find_documents
from memsum.errors import MemsumError, MissingExtraError
from memsum.jsonl import Line


def write_parquet(path: Path, columns: dict[str, list[Any]], **options: Any) -> Path:
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(sys.modules["pyarrow"].table(columns), path, **options)
    return path


@pytest.mark.parametrize("compress", [bytes, gzip.compress, zstandard.ZstdCompressor().compress])
def test_json_lines_plain_and_compressed(tmp_path: Path, compress: Callable[[bytes], bytes]) -> None:
    path = tmp_path / "in.jsonl"
    path.write_bytes(compress(b'{"text": "A."}\n\n{"text": "B."}'))
    documents = find_documents(str(path))
    assert list(documents.contents()) == [Line(1, b'{"text": "A."}'), Line(3, b'{"text": "B."}')]
    assert documents.count() == 2


def test_rows_of_a_table_come_in_order_with_their_numbers(tmp_path: Path) -> None:
    texts = [f"Text {number}." for number in range(500)]
    columns = {"year": [1999] * 500, "text": texts, "id": [f"i{number}" for number in range(500)]}
    documents = find_documents(str(write_parquet(tmp_path / "in.parquet", columns, row_group_size=150)))
    rows = list(documents.contents())
    assert documents.count() == 500
    assert rows[0] == Row(1, {"id": "i0", "text": "Text 0."})
    assert [(row.number, row.record["text"]) for row in rows if isinstance(row, Row)] == list(enumerate(texts, start=1))


def test_a_table_may_hold_lists_of_sentences_and_gaps_and_no_ids(tmp_path: Path) -> None:
    path = write_parquet(tmp_path / "table", {"text": [["A.", "B."], None]})  # recognized without its name
    assert list(find_documents(str(path)).contents()) == [Row(1, {"text": ["A.", "B."]}), Row(2, {"text": None})]


def test_tables_that_cannot_be_used_say_why(tmp_path: Path) -> None:
    path = write_parquet(tmp_path / "in.parquet", {"body": ["A."]})
    with pytest.raises(MemsumError, match='no column "text"; its columns are "body"'):
        next(find_documents(str(path)).contents())
    (tmp_path / "no.parquet").write_text("no table")
    with pytest.raises(MemsumError, match="no Parquet file, or damaged"):
        next(find_documents(str(tmp_path / "no.parquet")).contents())


@pytest.mark.slow
def test_a_table_that_explodes_is_refused_before_it_does(tmp_path: Path) -> None:
    bomb = [chr(65 + n) * 10_000_000 for n in range(20)]
    path = write_parquet(tmp_path / "in.parquet", {"text": bomb}, compression="zstd", use_dictionary=False)
    assert path.stat().st_size < 200_000
    with pytest.raises(MemsumError, match=r"would become 200,\d+,\d+ bytes"):
        next(find_documents(str(path)).contents())


@pytest.mark.slow
def test_a_text_that_is_stored_once_for_many_rows_is_not_copied_for_all(tmp_path: Path) -> None:
    texts = ["It rained. " * 1_000_000] * 100
    path = write_parquet(tmp_path / "in.parquet", {"text": texts}, dictionary_pagesize_limit=2**30, compression="zstd")
    rows = find_documents(str(path)).contents()
    code = f"""
import resource
from memsum.batch.summaries import find_documents
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
count = sum(len(row.record["text"]) for row in find_documents({str(path)!r}).contents())
print(count, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    count, megabytes = map(int, done.stdout.split())
    assert count == 100 * 11_000_000
    assert megabytes < 250
    assert next(rows) == Row(1, {"text": texts[0]})


def test_a_damaged_table_says_after_which_row(tmp_path: Path) -> None:
    path = write_parquet(
        tmp_path / "in.parquet", {"text": [f"Text {n}. " * 40 for n in range(300)]}, row_group_size=100
    )
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2] + bytes(600) + data[len(data) // 2 + 600 :])
    with pytest.raises(MemsumError, match=r"is damaged after row \d+: "):
        list(find_documents(str(path)).contents())


def test_a_table_without_pyarrow_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "in.parquet").write_bytes(b"PAR1")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError) as caught:
        next(find_documents(str(tmp_path / "in.parquet")).contents())
    assert (caught.value.hint or "").endswith(" -m pip install 'memsum[cluster]'")


def test_files_of_a_folder_are_called_by_their_path_in_it(tmp_path: Path) -> None:
    names = ["b.pdf", "a/z.TXT", "a/y.docx", "a.html", "c.md", "d.tex", "e.xml"]
    names += ["notes.csv", ".hidden.txt", "out.jsonl"]
    for name in names:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("The tide rose.")
    documents = find_documents(str(tmp_path))
    found = [content.id for content in documents.contents() if isinstance(content, File)]
    assert found == ["a.html", "b.pdf", "c.md", "d.tex", "e.xml", "a/y.docx", "a/z.TXT"]
    assert documents.count() == 7
    assert list(find_documents(str(tmp_path / "b.pdf")).contents()) == [File(tmp_path / "b.pdf", "b.pdf")]


def test_links_that_lead_out_of_the_folder_are_not_followed(tmp_path: Path) -> None:
    folder, secret = tmp_path / "in", tmp_path / "secret.txt"
    folder.mkdir()
    secret.write_text("The key is under the mat.")
    (folder / "a.txt").write_text("The pump ran.")
    (folder / "b.txt").symlink_to(folder / "a.txt")
    (folder / "c.txt").symlink_to(secret)
    (folder / "d").symlink_to(tmp_path, target_is_directory=True)
    assert [content.id for content in find_documents(str(folder)).contents() if isinstance(content, File)] == [
        "a.txt",
        "b.txt",
    ]


def test_files_in_object_storage_are_told_by_their_names(tmp_path: Path) -> None:
    """A `file://` URI takes the way of object storage."""
    pytest.importorskip("pyarrow")
    (tmp_path / "in.jsonl.gz").write_bytes(gzip.compress(b'{"text": "A."}\n'))
    lines = find_documents(f"file://{tmp_path}/in.jsonl.gz")
    assert list(lines.contents()) == [Line(1, b'{"text": "A."}')]
    assert not lines.once
    assert lines.fingerprint() == find_documents(f"file://{tmp_path}/in.jsonl.gz").fingerprint()
    assert isinstance(find_documents("s3://bucket/papers.parquet"), Table)


def test_the_parts_of_a_table_are_all_of_it(tmp_path: Path) -> None:
    path = write_parquet(tmp_path / "in.parquet", {"text": [f"Text {n}." for n in range(50)]}, row_group_size=20)
    documents = find_documents(str(path))
    parts = documents.parts()
    assert len(parts) == 3
    assert [item for part in parts for item in part()] == list(documents.items())
    assert list(documents.positions()) == list(range(1, 51))


def test_a_change_of_any_file_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("The tide rose.")
    (tmp_path / "b.txt").write_text("It fell.")
    before = find_documents(str(tmp_path)).fingerprint()
    assert find_documents(str(tmp_path)).fingerprint() == before
    times = (tmp_path / "b.txt").stat()
    (tmp_path / "b.txt").write_text("It rose.")
    os.utime(tmp_path / "b.txt", ns=(times.st_atime_ns, times.st_mtime_ns))
    assert find_documents(str(tmp_path)).fingerprint() != before


def test_what_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(MemsumError, match="There is no file or folder"):
        find_documents(str(tmp_path / "absent.jsonl"))
    with pytest.raises(MemsumError, match="holds no document"):
        list(find_documents(str(tmp_path)).contents())


def test_a_change_of_a_remote_file_that_keeps_size_and_time_is_noticed(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    small, large = tmp_path / "small.jsonl", tmp_path / "large.jsonl"
    small.write_bytes(b'{"text": "It rained."}\n')
    with large.open("wb") as file:
        file.truncate(70 * 2**20)
    for path, offset in ((small, 12), (large, 0), (large, 70 * 2**20 - 1)):
        before, times = fingerprint(path.as_uri()), path.stat()
        assert fingerprint(path.as_uri()) == before
        with path.open("r+b") as file:
            file.seek(offset)
            file.write(b"I")
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
        assert fingerprint(path.as_uri()) != before

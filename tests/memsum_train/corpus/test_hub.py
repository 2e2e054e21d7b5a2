from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from memsum.errors import CorpusError, MissingExtraError
from memsum_train.corpus.sources import HUB_DATASETS, HubDataset, hub_rows, is_dataset

from .conftest import Build

ROWS = [
    {"article": "the ferry was late .\nit carried 40 cars .", "abstract": "the ferry was late .", "id": 1},
    {"article": "", "abstract": "no text here .", "id": 2},
    {"article": "a second ferry left . nobody noticed .", "abstract": "a ferry left .\nnobody saw it .", "id": 3},
]


class Rows(list[dict[str, object]]):
    """What `load_dataset(..., streaming=True)` gives, as far as it is used."""

    features = {"article": None, "abstract": None, "id": None}  # noqa: RUF012


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> list[tuple[object, ...]]:
    """Stands in for the library, which is optional, and for the network."""
    calls: list[tuple[object, ...]] = []

    def load_dataset(path: str, name: str | None = None, *, split: str, streaming: bool) -> Rows:
        calls.append((path, name, split, streaming))
        if path == "absent/dataset":
            raise FileNotFoundError("Couldn't find any data file.\nA long explanation follows.")
        return Rows(ROWS)

    module = ModuleType("datasets")
    module.load_dataset = load_dataset  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "datasets", module)
    return calls


def test_a_known_dataset_needs_only_its_name(library: list[tuple[object, ...]], build: Build) -> None:
    counts, (first, second), (complaint,) = build("ccdv/pubmed-summarization", split="validation")
    assert library == [("ccdv/pubmed-summarization", "document", "validation", True)]
    assert (counts.kept, counts.failed) == (2, 1)
    text = ["the ferry was late .", "it carried 40 cars ."]
    assert first == {"id": 1, "text": text, "summary": ["the ferry was late ."]}
    assert second["summary"] == ["a ferry left .", "nobody saw it ."]
    assert complaint["source"] == "ccdv/pubmed-summarization (validation)"
    assert complaint["line"] == 2
    assert complaint["reason"] == '"article" holds no sentence.'


def test_the_papers_datasets_are_known() -> None:
    assert {(one.name, one.text_column, one.summary_column) for one in HUB_DATASETS.values()} == {
        ("ccdv/pubmed-summarization", "article", "abstract"),
        ("ccdv/arxiv-summarization", "article", "abstract"),
        ("ccdv/govreport-summarization", "report", "summary"),
    }


def test_other_datasets_are_read_with_named_columns(library: list[tuple[object, ...]], build: Build) -> None:
    built = build("some/dataset", text_column="article", summary_column="abstract", config="v2")
    assert built.counts.kept == 2
    assert library == [("some/dataset", "v2", "train", True)]


def test_a_missing_column_is_said_before_the_first_row(library: list[tuple[object, ...]], build: Build) -> None:
    with pytest.raises(CorpusError, match="has no column 'text'; it has article, abstract, id") as caught:
        build("some/dataset")
    assert "--text-column" in (caught.value.hint or "")


def test_the_librarys_errors_become_one_sentence(library: list[tuple[object, ...]]) -> None:
    with pytest.raises(CorpusError, match=r"absent/dataset cannot be read: Couldn't find any data file\.$"):
        list(hub_rows(HubDataset("absent/dataset")))


def test_a_network_that_fails_on_the_way_does_too(monkeypatch: pytest.MonkeyPatch) -> None:
    class Failing(Rows):
        def __iter__(self) -> Iterator[dict[str, object]]:
            yield ROWS[0]
            raise ConnectionError

    module = ModuleType("datasets")
    module.load_dataset = lambda *args, **kwargs: Failing()  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "datasets", module)
    rows = hub_rows(HubDataset("some/dataset", text_column="article", summary_column="abstract"))
    assert next(rows)["id"] == 1
    with pytest.raises(CorpusError, match="cannot be read: ConnectionError"):
        next(rows)


def test_without_the_library_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(MissingExtraError) as caught:
        list(hub_rows(HubDataset("some/dataset")))
    assert "memsum[hub]" in (caught.value.hint or "")


@pytest.mark.slow
def test_folders_in_the_hubs_format_are_read_by_the_real_library(
    tmp_path: Path, build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Under the name of a dataset of the paper its configuration and columns are known, too."""
    pytest.importorskip("datasets")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    folder = tmp_path / "ccdv" / "pubmed-summarization"
    head = "configs:\n" + "".join(
        f"- config_name: {name}\n  data_files:\n"
        f"  - {{split: train, path: {name}/train-*}}\n  - {{split: validation, path: {name}/validation-*}}\n"
        for name in ("section", "document")
    )
    for split in ("train", "validation"):
        for number, name in enumerate(("section", "document")):
            lines = [json.dumps({**row, "split": f"{split} {number}"}) for row in ROWS]
            (folder / name).mkdir(parents=True, exist_ok=True)
            (folder / name / f"{split}-00000-of-00001.jsonl").write_text("\n".join(lines))
    (folder / "README.md").write_text(f"---\n{head}---\nArticles.\n")
    counts, (first, _), _ = build(str(folder), split="validation")
    assert (counts.kept, counts.failed) == (2, 1)
    assert (first["text"], first["split"]) == (["the ferry was late .", "it carried 40 cars ."], "validation 1")
    with pytest.raises(CorpusError, match="cannot be read"):
        build(str(folder), split="absent")
    with pytest.raises(CorpusError, match="has no column 'text'"):
        list(hub_rows(HubDataset(str(folder), "document")))

    authors = {"text": ["the ferry was late .", "it rained ."], "summary": ["it was late ."]}
    episodes = {"indices": [[0]], "score": [0.6]}
    (tmp_path / "authors").mkdir()
    (tmp_path / "authors" / "train.jsonl").write_text(json.dumps(authors | episodes))
    assert build(str(tmp_path / "authors")).examples == [authors | episodes]


def test_a_folder_of_documents_is_no_dataset(tmp_path: Path) -> None:
    (tmp_path / "list.jsonl").touch()
    assert is_dataset(tmp_path)
    (tmp_path / "README.md").touch()
    assert is_dataset(tmp_path)
    (tmp_path / "paper.xml").touch()
    assert not is_dataset(tmp_path)
    assert not is_dataset(tmp_path / "list.jsonl")

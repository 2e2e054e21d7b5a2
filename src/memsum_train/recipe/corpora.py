"""Files of corpora, and the kinds of documents that they hold."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from memsum.errors import CorpusError

_KIND = re.compile(r"[-_.]?(?:train|training|valid|validation|val|dev|test)?(?:[-_.]\d+)?$")
_ENDINGS = (".jsonl", ".json", ".zst", ".gz", ".parquet")


def find_files(sources: Sequence[str]) -> list[str]:
    """Return the files of a corpus that is given by files, folders of JSONL files, and patterns."""
    found: list[str] = []
    for source in sources:
        path = Path(source)
        if path.is_dir():
            inside = sorted(str(file) for file in path.iterdir() if ".jsonl" in file.name and file.is_file())
            found += inside or [source]
        elif path.exists() or not any(mark in source for mark in "*?["):
            found.append(source)
        else:
            root = Path(path.anchor or ".")
            matches = sorted(map(str, root.glob(str(path.relative_to(path.anchor) if path.anchor else path))))
            if not matches:
                raise CorpusError(f"No file matches {source}.")
            found += matches
    return found


def kind_of(path: str) -> str:
    """Return the kind of a corpus file's documents by its name: papers-train-0.jsonl.zst has papers."""
    name = Path(path).name
    for ending in reversed(_ENDINGS):
        name = name.removesuffix(ending)
    return _KIND.sub("", name.removesuffix(_ENDINGS[0]))


def group_files(sources: Sequence[str]) -> dict[str, list[str]]:
    """Return the files of each kind; those of a single kind keep the sources of their records, and have no name."""
    kinds: dict[str, list[str]] = {}
    for file in find_files(sources):
        kinds.setdefault(kind_of(file), []).append(file)
    return kinds if len(kinds) > 1 else {"": [file for files in kinds.values() for file in files]}

"""Whether a model folder is whole: `MANIFEST.json` has the size and SHA-256 of each file the numbers depend on.

The model card is not among them: it may be edited.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from memsum.errors import ModelError
from memsum.files import read_json, write_atomically

MANIFEST_FILE = "MANIFEST.json"
GRAPH_FILES = ("sentences.onnx", "document.onnx", "step.onnx")
RUNTIME_FILES = ("config.json", "vocabulary.txt", "embeddings.safetensors", *GRAPH_FILES)

_FORMAT = 1
_HASHED = {".json", ".txt", ".safetensors", ".onnx"}


@dataclass(frozen=True)
class FileRecord:
    """What a file is known by."""

    bytes: int
    sha256: str

    @classmethod
    def of(cls, path: Path) -> FileRecord:
        import hashlib  # here: it loads OpenSSL, and a model that is used is not hashed

        digest = hashlib.sha256()
        with path.open("rb") as file:
            while chunk := file.read(1 << 20):
                digest.update(chunk)
        return cls(path.stat().st_size, digest.hexdigest())


def write_manifest(folder: Path) -> None:
    """Record all files of a model folder as they are now."""
    names = sorted(path.name for path in folder.iterdir() if path.suffix in _HASHED and not path.name.startswith("."))
    _write(folder, {name: FileRecord.of(folder / name) for name in names if name != MANIFEST_FILE})


def update_manifest(folder: Path, name: str) -> None:
    """Record one file anew after memsum itself has changed it; a folder without a manifest stays without."""
    records = read_manifest(folder)
    if records is not None:
        _write(folder, {**records, name: FileRecord.of(folder / name)})


def read_manifest(folder: Path) -> dict[str, FileRecord] | None:
    """The records by file name; None for a folder that has no manifest."""
    path = folder / MANIFEST_FILE
    try:
        content = read_json(path)
        if content["format"] != _FORMAT:
            raise ModelError(f"{path} has a format that this memsum does not know.", "Upgrade memsum.")
        records = {str(name): FileRecord(**record) for name, record in content["files"].items()}
        if not all(type(record.bytes) is int and isinstance(record.sha256, str) for record in records.values()):
            raise TypeError
    except FileNotFoundError:
        return None
    except (ValueError, LookupError, TypeError, AttributeError):
        raise ModelError(f"{path} is damaged.", "Fetch or export the model again.") from None
    if any(Path(name).name != name for name in records):  # a manifest speaks of its own folder
        raise ModelError(f"{path} is damaged: it names files of other folders.")
    return records


def refuse_devices(folder: Path) -> None:
    """Refuse a folder with pipes or devices in it, of which one would wait for ever, or read without end."""
    for path in folder.iterdir() if folder.is_dir() else ():
        if path.exists() and not path.is_file() and not path.is_dir():
            raise ModelError(f"{path} is not a file.", "A model folder has files in it, and nothing else.")


def check_files(folder: Path) -> None:
    """Look whether all files are there with their sizes: cheap, at every load."""
    missing = [name for name in RUNTIME_FILES if not (folder / name).is_file()]
    if missing and set(missing) <= set(GRAPH_FILES):
        raise ModelError(
            f"{folder} cannot summarize yet: {missing[0]} is missing.",
            f"Make its graphs: memsum model export {folder} --output FOLDER",
        )
    if missing:
        raise ModelError(f"{folder} is incomplete: {missing[0]} is missing.", "Fetch or export the model again.")
    for name, record in (read_manifest(folder) or {}).items():
        _check_size(folder / name, record)


def verify_model(folder: Path) -> None:
    """Compare every file with the manifest to the last byte; the first that differs is named."""
    records = read_manifest(folder)
    if records is None:
        raise ModelError(f"{folder} has no {MANIFEST_FILE} to verify it by.", "It is written by: memsum model export")
    for name, record in records.items():
        path = folder / name
        _check_size(path, record)
        if FileRecord.of(path) != record:
            raise ModelError(f"{path} is damaged: it is not what was exported.", "Fetch or export the model again.")


def _check_size(path: Path, record: FileRecord) -> None:
    hint = "Fetch or export the model again."
    if not path.is_file():
        raise ModelError(f"{path.parent} is incomplete: {path.name} is missing.", hint)
    size = path.stat().st_size
    if size != record.bytes:
        raise ModelError(f"{path} is damaged: it has {size:,} bytes instead of {record.bytes:,}.", hint)


def _write(folder: Path, records: dict[str, FileRecord]) -> None:
    content = {"format": _FORMAT, "files": {name: asdict(record) for name, record in records.items()}}
    write_atomically(folder / MANIFEST_FILE, (json.dumps(content, indent=2) + "\n").encode())

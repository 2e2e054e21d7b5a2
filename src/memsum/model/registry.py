"""Names of models to folders: those inside the package, folders on disk, repositories of the Hugging Face Hub."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from memsum.errors import MissingExtraError, ModelError, reason_of
from memsum.model.config import CONFIG_FILE

DEFAULT = "default"

_EMBEDDED = Path(__file__).parent / "embedded"
_PART = r"[A-Za-z0-9_-][\w.-]{0,95}"
_HUB = "hf:"
_REPOSITORY = re.compile(rf"(?P<name>{_PART}/{_PART})(?:@(?P<revision>(?!.*\.\.)\w[\w./-]{{,99}}))?", re.ASCII)
# Data only: nothing that is fetched is ever run.
_FETCHED = ["*.json", "*.txt", "*.safetensors", "*.onnx", "*.md"]


@dataclass(frozen=True)
class ModelSource:
    """A model that was found: `name` is how a summary refers to it."""

    name: str
    folder: Path


def list_models() -> list[ModelSource]:
    """The models inside the package, the default first."""
    found = [ModelSource(path.parent.name, path.parent) for path in _EMBEDDED.glob(f"*/{CONFIG_FILE}")]
    return sorted(found, key=lambda source: (source.name != DEFAULT, source.name))


def find_model(model: str | Path) -> ModelSource:
    """Find a model by its name, its folder, or its repository `hf:owner/name`, best with `@revision`.

    A name of ours goes before a folder of that name: write `./default` for the folder. Only `hf:` asks the Hub, so that
    no typing error in a path does. A repository without a revision is taken as it is today; the name then tells which
    commit that was.
    """
    if isinstance(model, Path):
        return _folder(model)
    embedded = {source.name: source for source in list_models()}
    if model in embedded:
        return embedded[model]
    if model == DEFAULT:
        raise ModelError(
            "This installation of memsum has no default model.", "Install a release, or name a model folder."
        )
    if model.startswith(_HUB):
        repository = _REPOSITORY.fullmatch(model.removeprefix(_HUB))
        if not repository:
            raise ModelError(f"{model} is not a repository.", "Write hf:owner/name or hf:owner/name@revision.")
        return _fetch(repository["name"], repository["revision"])
    hint = f"Models inside the package: {', '.join(embedded) or 'none'}."
    if _REPOSITORY.fullmatch(model):
        hint = f"{hint} For a repository of the Hugging Face Hub write {_HUB}{model}."
    return _folder(Path(model), hint)


def resolve_model(model: str | Path) -> Path:
    """The folder of a model; one of the Hub is fetched first."""
    return find_model(model).folder


def _folder(path: Path, hint: str | None = None) -> ModelSource:
    if not path.is_dir():
        raise ModelError(f"There is no model folder {path}.", hint)
    return ModelSource(str(path), path)


def _fetch(name: str, revision: str | None) -> ModelSource:
    try:
        from huggingface_hub import snapshot_download
    except ImportError:
        raise MissingExtraError(f"Fetching the model {name} from the Hugging Face Hub", "hub") from None
    try:
        folder = Path(snapshot_download(name, revision=revision, allow_patterns=_FETCHED))
    except Exception as error:  # the library raises its own, those of its HTTP client, and the system's
        raise ModelError(
            f"The Hugging Face Hub did not give the model {name}: {reason_of(error)}.",
            "Check the name, the revision and the network.",
        ) from None
    return ModelSource(f"{_HUB}{name}@{folder.name[:12]}", folder)  # a snapshot's folder is named by its commit

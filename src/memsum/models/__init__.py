"""Model folders: what is in them, how they are found, read, written and verified, whatever runs them.

A model is a folder with `config.json`, `vocabulary.txt`, `embeddings.safetensors` and `policy.safetensors`; once it
is exported, the runtime's graphs and `MANIFEST.json` are there too.
"""

from memsum.models.config import ModelConfig, StopSettings
from memsum.models.registry import ModelSource, find_model, list_models, resolve_model
from memsum.models.verify import check_files, verify_model, write_manifest

__all__ = [
    "ModelConfig",
    "ModelSource",
    "StopSettings",
    "check_files",
    "find_model",
    "list_models",
    "resolve_model",
    "verify_model",
    "write_manifest",
]

"""Model folders and what runs them: configuration, registry, ONNX graphs, and the loop that plays an episode.

A model is a folder with `config.json`, `vocabulary.txt`, `embeddings.safetensors` and `policy.safetensors`; once it is
exported, the graphs and `MANIFEST.json` are there too. The graphs come from `memsum_train.policy.export`; both
halves select the same sentences.
"""

from memsum.model.config import ModelConfig, SelectionPenalties, StopSettings
from memsum.model.registry import ModelSource, find_model, list_models, resolve_model
from memsum.model.verify import check_files, verify_model, write_manifest

__all__ = [
    "ModelConfig",
    "ModelSource",
    "SelectionPenalties",
    "StopSettings",
    "check_files",
    "find_model",
    "list_models",
    "resolve_model",
    "verify_model",
    "write_manifest",
]

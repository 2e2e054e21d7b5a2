"""Import of the checkpoints that the paper's authors published: their weights and words, read with their padding."""

from memsum.policy.importer.checkpoint import import_checkpoint

__all__ = ["import_checkpoint"]

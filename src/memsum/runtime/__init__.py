"""The policy on ONNX Runtime, without PyTorch: a document is encoded once, then its episode is played step by step.

The graphs come from `memsum.policy.export`; both halves select the same sentences.
"""

from memsum.runtime.episode import Episode
from memsum.runtime.neutral import NeutralEpisode, neutral_index
from memsum.runtime.runtime import DocumentText, Encoding, Runtime

__all__ = ["DocumentText", "Encoding", "Episode", "NeutralEpisode", "Runtime", "neutral_index"]
